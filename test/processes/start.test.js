// Runs in CI.
// The modules that a command loads, which take time at every start.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeWorkspace, startCli } from '../fixtures/cli-run.js';

const ROOT = join(import.meta.dirname, '../..');
const HOUSE = pathToFileURL(join(ROOT, '/')).href;
const HOOK = new URL('../fixtures/loaded-modules.js', import.meta.url).href;
const RESULTS = fileURLToPath(new URL('../fixtures/results-default.json', import.meta.url));
const NATIVE = ['koffi', 'zeromq']; // loading them is the only proof that they are there
// Modules of commands that measure and draw.
const IDLE =
  /^(?:transports|scenarios|lib\/(?:codecs\/builtin|doctor|launch|plan|report\/charts|run|transport\/brokers))\/|^lib\/cli\/selftest/;

// The ends of transports, and starts of their brokers.
const ENDS =
  /-(?:responses|requests|joining|door|start)\.js$|^transports\/.*-(?:ends|topics)\.js$|\/(?:over-topics|ring-end)\.js$/;

const workspace = makeWorkspace();
after(() => workspace.remove());

/** @param {string[]} args */
async function loadedBy(...args) {
  const path = join(workspace.folder, 'loaded.txt');
  rmSync(path, { force: true });
  const environment = { NODE_OPTIONS: `--no-warnings --import ${HOOK}`, LOADED_MODULES: path };
  const { code, stderr } = await startCli(args, workspace, environment).ended;
  assert.equal(code, 0, stderr);
  const urls = readFileSync(path, 'utf8').trim().split('\n');
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  const own = urls.filter((url) => url.startsWith(HOUSE) && !url.includes('/node_modules/'));
  return { packages: [...new Set(packages)].sort(), own: own.map((url) => url.slice(HOUSE.length)) };
}

describe('a clone whose packages are not installed', () => {
  const clone = join(workspace.folder, 'a clone');
  for (const part of ['bin', 'lib', 'transports', 'scenarios', 'reports', 'package.json', 'test/run.js'])
    cpSync(join(ROOT, part), join(clone, part), {
      recursive: true,
      filter: (path) => !/node_modules/.test(path),
    });
  for (const name of ['spawn-bound.js', 'temporary-folder.js'])
    cpSync(join(ROOT, 'test/fixtures', name), join(clone, 'test/fixtures', name));

  /** @param {string} program @param {...string} args */
  const runThere = (program, ...args) =>
    promisify(execFile)(process.execPath, [join(clone, program), ...args], { cwd: clone }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );

  it('prints one line that asks for npm ci, with every command', async () => {
    for (const line of ['', '--quick', 'list', 'doctor', `report ${RESULTS}`, 'selftest', 'agent']) {
      const { code, stdout, stderr } = await runThere('bin/ipc-bench.js', ...line.split(' ').filter(Boolean));
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, line);
      assert.equal(
        stderr,
        `ipc-bench: run npm ci first, in ${realpathSync(clone)}: the package yargs is not installed\n`,
      );
    }
    for (const part of ['unit', 'lint']) {
      const { code, stderr } = await runThere('test/run.js', part);
      assert.equal(code, 2);
      assert.match(stderr, /^run npm ci first, in [^\n]+: there is no folder node_modules\n$/);
    }
  });

  it('prints its help and its version', async () => {
    for (const line of ['--help', 'help', '-h', 'doctor --help', '-v']) {
      const { code, stdout } = await runThere('bin/ipc-bench.js', ...line.split(' '));
      assert.equal(code, 0);
      assert.notEqual(stdout, '');
    }
  });
});

describe('a command', () => {
  it('loads no package and no code of reports for --help', async () => {
    for (const command of ['--help', 'compare --help']) {
      const { packages, own } = await loadedBy(...command.split(' '));
      assert.ok(own.includes('bin/ipc-bench.js') && own.includes('lib/cli/help.js'), 'the hook has seen it');
      assert.deepEqual(packages, [], command);
      const bodies = own.filter(
        (path) => IDLE.test(path) || /^lib\/(?:report\/columns|statistics\/(?!sum\.js)|results)\//.test(path),
      );
      assert.deepEqual(bodies, [], command);
    }
  });

  it('loads plug-ins without their packages for list', async () => {
    const { packages, own } = await loadedBy('list');
    assert.ok(own.includes('transports/unix.js') && own.includes('lib/codecs/builtin/cbor.js'));
    assert.deepEqual(
      packages.filter((name) => !NATIVE.includes(name)),
      [],
    );
    assert.deepEqual(
      own.filter((path) => ENDS.test(path)),
      [],
    );
  });

  it('loads valibot, and no plug-in or chart, for the table of saved results', async () => {
    const { packages, own } = await loadedBy('report', RESULTS);
    assert.ok(own.includes('reports/table/terminal-table.js'));
    assert.deepEqual(packages, ['valibot'], 'it checks the file');
    assert.deepEqual(
      own.filter((path) => IDLE.test(path)),
      [],
    );
  });

  it('loads yargs for options', async () => {
    const { packages } = await loadedBy('list', 'presets', '--json', '-');
    assert.ok(packages.includes('yargs'), 'whose packages the hook sees');
  });
});
