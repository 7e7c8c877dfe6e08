// Runs always.
// What processes that ipc-bench starts find in their environment: not the URLs and the secret that stand in its own variables.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitForChildMessage } from '../../lib/children/child-messages.js';
import { startGuarded } from '../../lib/children/guarded-server.js';
import { readHello } from '../../lib/children/peer-process.js';
import { readProgramVersion } from '../../lib/plugins/find-runtimes.js';
import { eventually } from '../fixtures/launch-cell.js';

const SECRETS = {
  IPC_BENCH_SECRET: 'a secret that only tests hold',
  IPC_BENCH_AGENTS: 'redis://:PASSWORD@10.0.0.1',
  IPC_BENCH_BROKER_URL: 'nats=nats://user:PASSWORD@10.0.0.3',
};

describe('the environment of a process that ipc-bench starts', {
  skip: process.platform === 'win32' && 'needs sh',
}, () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ibe-'));
    Object.assign(process.env, SECRETS, { IPC_BENCH_PADDING: 'x', OF_THE_USER: 'kept' });
  });
  after(() => {
    for (const name of [...Object.keys(SECRETS), 'IPC_BENCH_PADDING', 'OF_THE_USER'])
      delete process.env[name];
    rmSync(folder, { recursive: true });
  });
  /** @param {string} text   NAME=VALUE lines, or JSON of them */
  const holdsNoSecret = (text) => {
    assert.match(text, /OF_THE_USER/);
    assert.match(text, /IPC_BENCH_PADDING/);
    for (const [name, value] of Object.entries(SECRETS))
      assert.ok(!text.includes(name) && !text.includes(value), name);
  };
  /** @param {string} name @returns {string} path of what a program has written of its environment */
  const written = (name) => join(folder, name);
  const dump = (/** @type {string} */ name) =>
    `env > '${written(name)}.part' && mv '${written(name)}.part' '${written(name)}'`;

  it('contains no secret in a calibration process', async () => {
    const module = written('control.mjs');
    writeFileSync(module, 'process.send(process.env, () => process.disconnect());');
    holdsNoSecret(JSON.stringify(await waitForChildMessage(module, [], { cpus: null }, 60_000)));
  });

  it('contains no secret in a broker', async () => {
    const args = ['-c', `${dump('broker')}; exec sleep 60`];
    const server = await startGuarded({ command: '/bin/sh', args, cpus: null, logPath: written('log') });
    try {
      await eventually(() => existsSync(written('broker')), 5_000);
      holdsNoSecret(readFileSync(written('broker'), 'utf8'));
    } finally {
      await server.end();
    }
  });

  it('contains no secret in a peer, and in a program that prints its version', async () => {
    const peer = { name: 'mine', command: '/bin/sh', args: ['-c', dump('peer')] };
    await assert.rejects(readHello(peer), { code: 'PROCESS_DIED' });
    holdsNoSecret(readFileSync(written('peer'), 'utf8'));
    const program = written('program');
    writeFileSync(program, `#!/bin/sh\n${dump('version')}\necho 1.2.3\n`, { mode: 0o700 });
    assert.equal(await readProgramVersion(program), '1.2.3');
    holdsNoSecret(readFileSync(written('version'), 'utf8'));
  });
});
