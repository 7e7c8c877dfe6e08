// Runs always.
// Two runs in different PID namespaces, as in two containers, that share a temporary folder.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownerName } from '../../lib/children/process-owner.js';
import { holdAll } from '../fixtures/holds-all.js';
import { ownFolder } from '../fixtures/own-folder.js';

const HOLDER = fileURLToPath(new URL('../fixtures/holds-all.js', import.meta.url));
const WORDS = {
  'with a /proc of its own': ['--pid', '--fork', '--kill-child', '--mount-proc'],
  'that sees the /proc of the other': ['--pid', '--fork', '--kill-child'],
};
const isPermitted = spawnSync('unshare', [...WORDS['with a /proc of its own'], 'true']).status === 0;
const skip = isPermitted || process.env.CI ? false : 'unshare --pid is not permitted here';

describe('a run in another PID namespace', { skip, timeout: 300_000 }, () => {
  for (const [which, words] of Object.entries(WORDS)) {
    it(`${which} removes nothing of a live run, and loses nothing to it`, async () => {
      const parent = ownFolder('ipcb-ns-');
      const here = await holdAll(parent, 'ignore');
      const run = (/** @type {string} */ mode) =>
        spawn('unshare', [...words, process.execPath, HOLDER, parent, mode], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
      const other = run('fail');
      try {
        const [told] = await once(other.stdout, 'data');
        const { pid, locked, found } = JSON.parse(String(told));
        assert.ok(pid < 10, `${pid}: it is one of the first of its namespace`);
        assert.ok(locked, 'it sees that another run measures');
        assert.deepEqual(missing(here.found, found), []);
        await here.endTurn();
        const third = run('fail');
        const [{ locked: isFree }] = [JSON.parse(String((await once(third.stdout, 'data'))[0]))];
        assert.equal(isFree, false, 'it has its turn when the other has ended');
        const before = readdirSync(parent);
        const again = await holdAll(parent, 'fail');
        assert.equal(again.endTurn, 'LOCKED');
        assert.deepEqual(missing(before, readdirSync(parent)), []);
        third.stdin.end();
        await once(third, 'exit');
      } finally {
        other.stdin.end();
      }
      await once(other, 'exit');
      rmSync(parent, { recursive: true });
    });
  }
});

const own = await ownerName();
/** @param {string[]} before @param {string[]} now @returns {string[]} what is gone, but for what a writer of ours has finished */
const missing = (before, now) => before.filter((name) => !now.includes(name) && !name.includes(`.${own}.`));
