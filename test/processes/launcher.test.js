// Runs always.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canPin, findOnPath, nodeCommand, pinnedCommand, spawnModule } from '../../lib/children/launcher.js';
import { endGroup } from '../../lib/children/process-group.js';
import { patiently } from '../conformance/deadline.js';
import { eventually } from '../fixtures/launch-cell.js';

const ECHO_PATH = fileURLToPath(new URL('../fixtures/affinity-teller.js', import.meta.url));
const noTaskset = canPin() ? false : 'no taskset on PATH';

describe('launcher', () => {
  it('does not change a command without placing', () => {
    assert.deepEqual(pinnedCommand('server', ['--port', '0'], { cpus: null }), {
      command: 'server',
      args: ['--port', '0'],
    });
    assert.deepEqual(pinnedCommand('server', [], { cpus: [] }), { command: 'server', args: [] });
    assert.deepEqual(nodeCommand(), { command: process.execPath, args: process.execArgv });
  });

  it('starts a module on its CPUs, with the pid of the child itself', {
    skip: noTaskset,
  }, async () => {
    const [allowed] = await allowedCpus('self');
    const child = spawnModule(ECHO_PATH, [], {
      placing: { cpus: [allowed], dieWithParent: true },
      stdio: ['ignore', 1, 2, 'ipc'],
    });
    const [told] = await once(child, 'message');
    assert.deepEqual(told, { pid: child.pid, cpus: String(allowed) });
    child.disconnect();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('finds only executable files in absolute folders on PATH', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ibl-'));
    const name = process.platform === 'win32' ? 'thing.exe' : 'thing';
    await writeFile(join(folder, name), '');
    await chmod(join(folder, name), 0o700);
    try {
      assert.equal(findOnPath('thing', ['/nowhere', folder].join(delimiter)), join(folder, name));
      assert.equal(findOnPath('thing', ''), undefined);
      assert.equal(findOnPath('other', folder), undefined);
      if (process.platform !== 'win32') {
        await chmod(join(folder, name), 0o600);
        assert.equal(findOnPath('thing', folder), undefined);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** @param {number | 'self'} pid */
async function allowedCpus(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  const [, list] = /Cpus_allowed_list:\s*(\S+)/.exec(status) ?? [];
  return list.split(/[,-]/).map(Number);
}

describe('endGroup', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  // The command leads a group of its own, and `sleep 60`, its parent, never asks how it ended.
  const groupOf = async (/** @type {string} */ command) => {
    const parent = spawn('sh', ['-c', `setsid sh -c 'echo $$; exec ${command}' & exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [told] = await once(/** @type {import('node:stream').Readable} */ (parent.stdout), 'data');
    return { parent, pid: Number(told) };
  };
  const stateOf = async (/** @type {number} */ pid) =>
    /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, 'latin1'))?.[1];

  it('does not wait for a zombie', async () => {
    const { parent, pid } = await groupOf('sleep 0.2');
    try {
      await eventually(async () => (await stateOf(pid)) === 'Z', 5_000);
      const fromMs = performance.now();
      await endGroup(/** @type {any} */ ({ pid }));
      const tookMs = performance.now() - fromMs;
      assert.ok(tookMs < patiently(500), `${tookMs} ms`);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('waits for a process that cleans up, and kills one that takes too long', async () => {
    const { parent, pid } = await groupOf('sleep 60');
    try {
      await endGroup(/** @type {any} */ ({ pid }));
      await eventually(async () => (await stateOf(pid)) === 'Z', 5_000);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
