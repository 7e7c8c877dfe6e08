// What a command loads before it does anything: time at every start, and no test asserts on time.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makePlace, startCli } from '../fixtures/cli-run.js';

const HOUSE = pathToFileURL(join(import.meta.dirname, '../..', '/')).href;
const HOOK = new URL('../fixtures/loaded-modules.js', import.meta.url).href;
const RESULTS = fileURLToPath(new URL('../fixtures/results-v1-default.json', import.meta.url));
const NATIVE = ['koffi', 'zeromq']; // loading them is the only proof that they are there
// What nobody needs who measures nothing and draws nothing.
const IDLE =
  /^(?:transports|scenarios|lib\/(?:brokers|charts|codecs|conductor|doctor|launch|plan|selftest))\//;

// How a transport works, beside what it is: its ends, and how its broker is started.
const ENDS =
  /-(?:answers|questions|joining|door|start)\.js$|^transports\/.*-(?:ends|topics)\.js$|\/(?:over-topics|ring-end)\.js$/;

const place = makePlace();
after(() => place.remove());

/** @param {string[]} args */
async function loadedBy(...args) {
  const path = join(place.folder, 'loaded.txt');
  rmSync(path, { force: true });
  const environment = { NODE_OPTIONS: `--no-warnings --import ${HOOK}`, LOADED_MODULES: path };
  const { code, stderr } = await startCli(args, place, environment).ended;
  assert.equal(code, 0, stderr);
  const urls = readFileSync(path, 'utf8').trim().split('\n');
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  const own = urls.filter((url) => url.startsWith(HOUSE) && !url.includes('/node_modules/'));
  return { packages: [...new Set(packages)].sort(), own: own.map((url) => url.slice(HOUSE.length)) };
}

describe('what is loaded', () => {
  it('for --help is no package, and of reports only what they say of themselves', async () => {
    for (const command of ['--help', 'compare --help']) {
      const { packages, own } = await loadedBy(...command.split(' '));
      assert.ok(own.includes('bin/ipc-bench.js') && own.includes('lib/cli/help.js'), 'the hook has seen it');
      assert.deepEqual(packages, [], command);
      const bodies = own.filter(
        (path) => IDLE.test(path) || /^lib\/(?:tables|statistics|results)\//.test(path),
      );
      assert.deepEqual(bodies, [], command);
    }
  });

  it('for list is what every plug-in says of itself, and no package but those that only loading proves', async () => {
    const { packages, own } = await loadedBy('list');
    assert.ok(own.includes('transports/unix.js') && own.includes('lib/codecs/cbor.js'));
    assert.deepEqual(
      packages.filter((name) => !NATIVE.includes(name)),
      [],
    );
    assert.deepEqual(
      own.filter((path) => ENDS.test(path)),
      [],
    );
  });

  it('for the table of saved results is no package, no plug-in and no chart', async () => {
    const { packages, own } = await loadedBy('report', RESULTS);
    assert.ok(own.includes('reports/table/terminal-table.js'));
    assert.deepEqual(packages, []);
    assert.deepEqual(
      own.filter((path) => IDLE.test(path)),
      [],
    );
  });

  it('where there are options is yargs', async () => {
    const { packages } = await loadedBy('list', 'presets', '--json');
    assert.ok(packages.includes('yargs'), 'whose packages the hook sees');
  });
});
