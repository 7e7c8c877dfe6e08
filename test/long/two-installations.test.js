// Two hosts on which ipc-bench is installed in different folders, and a run that is in a third: mount namespaces, in which the others
// are hidden. What one host names by a path of its own, the other cannot load.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { callCli, makePlace } from '../fixtures/cli-run.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TIMEOUT_MS = 120_000;
const CODE = ['bin', 'lib', 'transports', 'scenarios', 'reports', 'package.json'];
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const canHide = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
const why = canHide ? false : 'needs root on Linux, for mount namespaces';
if (why && process.env.CI) throw new Error(why);

const OWN_TRANSPORT = `
import { bindAddressOf, connectTo, listenOn, connectOptions, streamTraits } from 'ipc-bench/transport';

export default {
  name: 'mine',
  summary: 'TCP once more',
  traits: { ...streamTraits, class: 'socket', reach: 'network', sources: ['https://nodejs.org/api/net.html'] },
  carries: ['text', 'bytes'],
  listen: (host) => listenOn({ host: bindAddressOf(host), port: 0 }, host),
  connect: (guest) => connectTo(connectOptions(guest.address), guest),
};
`;

/** @param {string[]} agents   that know the transport of the user's own @param {(name: string) => string} home */
const engineText = (agents, home) => `
import { ProgramEngine } from 'ipc-bench/engine';

const HOMES = ${JSON.stringify(Object.fromEntries(['a', 'b'].map((name) => [name, home(name)])))};
const SCRIPT = [
  'mount --bind "$1/node_modules" "$2/node_modules/ipc-bench/node_modules"',
  'mount -t tmpfs none "$1"',
  'mount -t tmpfs none "$3"',
  'mount -t tmpfs none "$4"',
  'cd "$2"',
  'shift 4',
  'exec "$0" node_modules/ipc-bench/bin/ipc-bench.js agent --stdio --bind 127.0.0.1 "$@"',
].join(' && ');
const wordsFor = (name) => {
  const places = [${JSON.stringify(ROOT)}, HOMES[name], HOMES[name === 'a' ? 'b' : 'a'], import.meta.dirname];
  const own = ${JSON.stringify(agents)}.includes(name) ? ['--transport', './mine.js'] : [];
  return ['unshare', '--mount', 'sh', '-c', SCRIPT, process.execPath, ...places, ...own];
};

export default { open: () => new ProgramEngine(wordsFor) };
`;

describe('two installations at different paths, hidden from each other', {
  skip: why,
  timeout: TIMEOUT_MS,
}, () => {
  const SHORT =
    '--codec json --lock ignore --no-charts --launches 1 --warmup 50ms --measure 100ms --workers 1x2';

  it('measure together what both have by name, and a transport of the user’s own where both were started with it', async () => {
    const place = makePlace();
    try {
      const home = (/** @type {string} */ name) => join(place.temporary, name);
      for (const name of ['a', 'b']) {
        const installed = join(home(name), 'node_modules', 'ipc-bench');
        for (const part of CODE) cpSync(join(ROOT, part), join(installed, part), { recursive: true });
        mkdirSync(join(installed, 'node_modules'));
        writeFileSync(join(home(name), 'mine.js'), OWN_TRANSPORT);
      }
      mkdirSync(join(place.folder, 'node_modules'));
      symlinkSync(ROOT, join(place.folder, 'node_modules', 'ipc-bench'));
      writeFileSync(join(place.folder, 'mine.js'), OWN_TRANSPORT);
      const measured = async (/** @type {string[]} */ agents, /** @type {string[]} */ ...more) => {
        // Node would take an engine of the same name for the one that it has loaded.
        const engine = `./engine-${agents.join('-')}.js`;
        writeFileSync(join(place.folder, engine), engineText(agents, home));
        const hosts = ['--agents', engine, '--master-on', 'a', '--workers-on', 'b'];
        const asked = [...more, '--out', 'out', '--force'];
        const { stdout, stderr } = await callCli([...SHORT.split(' '), ...hosts, ...asked], place);
        const results = JSON.parse(readFileSync(join(place.folder, 'out', 'results.json'), 'utf8'));
        return { results, shown: stdout + stderr };
      };
      const both = await measured(['a', 'b'], '--controls', '--transport', 'tcp,./mine.js');
      for (const [index, name] of ['tcp', 'mine'].entries()) {
        const { cell, status } = both.results.outcomes[index];
        assert.deepEqual([cell.transport, status], [name, 'measured'], both.shown);
      }
      for (const { controls } of Object.values(both.results.hosts)) assert.equal(controls.rows.length, 1);
      const one = await measured(['a'], '--no-controls', '--transport', './mine.js');
      const [mine] = one.results.outcomes;
      assert.equal(mine.status, 'failed', one.shown);
      assert.match(
        JSON.stringify(mine),
        /host b: it has no transport mine.*start its agent with --transport FILE/,
      );
    } finally {
      place.remove();
    }
  });
});
