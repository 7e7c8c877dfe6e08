// Runs at night.
// Two hosts on which ipc-bench is installed in different folders, and a run that is in a third: mount namespaces, in which the others
// are hidden. What one host names by a path of its own, the other cannot load.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../lib/channels/brokers/private-server.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { callCli, makeWorkspace } from '../fixtures/cli-run.js';
import { spawnBound } from '../fixtures/spawn-bound.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TIMEOUT_MS = 600_000;
const CODE = ['bin', 'lib', 'transports', 'scenarios', 'reports', 'package.json'];
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const canHide = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
const hasRedis = findOnPath('redis-server') !== undefined;
const why = canHide && hasRedis ? false : 'needs root on Linux, for mount namespaces, and redis-server';
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

// Arguments: this checkout, the home of the agent, that of the other one, the folder of the run, and the words of the agent.
const WITHOUT_THE_OTHERS = [
  'mount --bind "$1/node_modules" "$2/node_modules/ipc-bench/node_modules"',
  'mount -t tmpfs none "$1"',
  'mount -t tmpfs none "$3"',
  'mount -t tmpfs none "$4"',
  'cd "$2"',
  'shift 4',
  'exec "$0" node_modules/ipc-bench/bin/ipc-bench.js agent "$@"',
].join(' && ');

/** @param {string[]} words @param {Record<string, string>} environment @param {RegExp} ready */
async function started(words, environment, ready) {
  const child = spawnBound(words, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {string[]} */
  const lines = [];
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (ready.test(line)) resolve(undefined);
      });
    }
    child.once('exit', (code) => reject(new Error(`${words[0]} ended with ${code}: ${lines.join('\n')}`)));
  });
  return child;
}

describe('two installations at different paths, hidden from each other', {
  skip: why,
  timeout: TIMEOUT_MS,
}, () => {
  const SHORT =
    '--codec json --lock ignore --no-charts --launches 1 --warmup 50ms --measure 100ms --workers 1x2 --out out --force';

  it('measure plug-ins that both have by name, and a transport of the user with which both were started', async () => {
    const workspace = makeWorkspace();
    /** @type {import('node:child_process').ChildProcess[]} */
    const programs = [];
    try {
      const home = (/** @type {string} */ name) => join(workspace.temporary, name);
      for (const name of ['a', 'b']) {
        const installed = join(home(name), 'node_modules', 'ipc-bench');
        for (const part of CODE) cpSync(join(ROOT, part), join(installed, part), { recursive: true });
        mkdirSync(join(installed, 'node_modules'));
        writeFileSync(join(home(name), 'mine.js'), OWN_TRANSPORT);
      }
      mkdirSync(join(workspace.folder, 'node_modules'));
      symlinkSync(ROOT, join(workspace.folder, 'node_modules', 'ipc-bench'));
      writeFileSync(join(workspace.folder, 'mine.js'), OWN_TRANSPORT);

      const port = await freePort('127.0.0.1');
      const environment = {
        IPC_BENCH_AGENTS: `redis://127.0.0.1:${port}`,
        IPC_BENCH_SECRET: 'a secret that only tests hold',
      };
      const redis = ['redis-server', '--bind', '127.0.0.1', '--port', String(port), '--save', ''];
      programs.push(await started(redis, environment, /Ready to accept/));
      const startAgent = async (/** @type {string} */ name, /** @type {string[]} */ ...own) => {
        const folders = [ROOT, home(name), home(name === 'a' ? 'b' : 'a'), workspace.folder];
        const words = ['unshare', '--mount', 'sh', '-c', WITHOUT_THE_OTHERS, process.execPath, ...folders];
        const agent = await started([...words, '--name', name, ...own], environment, /takes commands/);
        programs.push(agent);
        return agent;
      };
      const measured = async (/** @type {string[]} */ ...more) => {
        const hosts = ['--master-on', 'a', '--workers-on', 'b'];
        const asked = [...SHORT.split(' '), ...hosts, ...more];
        const { stdout, stderr } = await callCli(asked, workspace, { environment });
        const results = JSON.parse(readFileSync(join(workspace.folder, 'out', 'results.json'), 'utf8'));
        return { results, shown: stdout + stderr };
      };

      const own = ['--transport', './mine.js'];
      const [, b] = await Promise.all([startAgent('a', ...own), startAgent('b', ...own)]);
      const both = await measured('--controls', '--transport', 'tcp,./mine.js');
      for (const [index, name] of ['tcp', 'mine'].entries()) {
        const { cell, status } = both.results.outcomes[index];
        assert.deepEqual([cell.transport, status], [name, 'measured'], both.shown);
      }
      for (const { controls } of Object.values(both.results.hosts)) assert.equal(controls.rows.length, 1);

      b.kill('SIGTERM');
      await new Promise((resolve) => b.once('exit', resolve));
      await startAgent('b');
      const one = await measured('--no-controls', ...own);
      const [mine] = one.results.outcomes;
      assert.equal(mine.status, 'failed', one.shown);
      assert.match(
        JSON.stringify(mine),
        /host b: it has no transport mine.*start its agent with --transport FILE/,
      );
    } finally {
      for (const program of programs) program.kill('SIGKILL');
      workspace.remove();
    }
  });
});
