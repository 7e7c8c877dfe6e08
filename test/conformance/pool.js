// The contract of a pool as a test suite, for those of this package and of plug-ins, in a file that `node --test` runs:
//
//   import { describePool } from 'ipc-bench/conformance/pool';
//   await describePool(new URL('../my-pool.js', import.meta.url));
//
// Each completed task must have its own result, and the fate of tasks after a failure must be as declared.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settingsLabel } from '../../lib/cell/settings.js';
import { resolveTraits, settingDefaults } from '../../lib/cell/traits.js';
import { faultsIn } from '../../lib/plugins/plugin-faults.js';
import { patiently, within } from './deadline.js';
import { childPids } from './ending-tests.js';
import { IS_LONG } from './long-form.js';

/** @import { PoolFailures, Transport } from '../../lib/types/index.js' */

const STAGE = fileURLToPath(new URL('./pool-process.js', import.meta.url));
const MANY = 10_000;
const LARGE_BYTES = (IS_LONG ? 100 : 8) * 1_048_576;
const TIMEOUT_MS = 600_000;
const TRIALS_MS = 90_000;
const ENDED_MS = 5_000;
const LOOK_EVERY_MS = 20;

/**
 * @param {URL | string} source   of a module whose default export is a transport that starts its workers itself
 * @param {Record<string, string | number | boolean>} [settings]   that differ from the defaults
 */
export async function describePool(source, settings = {}) {
  /** @type {{ default: Transport }} */
  const { default: transport } = await import(String(source));
  const all = { ...settingDefaults(transport), ...settings };
  const unavailable = (await transport.whyUnavailable?.(all)) ?? undefined;
  if (unavailable !== undefined) assert.ok(!process.env.CI, unavailable);
  const skip = unavailable ?? false;
  describe(`pool ${settingsLabel(transport.name, settings)}`, {
    skip,
    timeout: patiently(TIMEOUT_MS),
  }, () => {
    /** @type {import('node:child_process').ChildProcess} */
    let stage;
    /** @type {any} */
    let trials;
    /** @type {number[]} */
    let workers = [];
    const failures = /** @type {PoolFailures} */ (transport.failures?.(all));

    before(async () => {
      const args = [String(source), JSON.stringify(settings), String(LARGE_BYTES), String(MANY)];
      stage = fork(STAGE, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      const told = Promise.race([
        once(stage, 'message'),
        once(stage, 'exit').then(([code]) => assert.fail(`the main process ended with exit code ${code}`)),
      ]);
      // The deadline of a suite does not apply to its hooks.
      [trials] = await within(TRIALS_MS, 'the end of the trials in the main process of the pool', told);
      workers = childPids(Number(stage.pid)).map(Number);
    });
    after(() => stage.kill('SIGKILL'));

    it('is a valid plug-in that declares the fate of tasks after a failure', () => {
      assert.deepEqual(faultsIn('transport', transport, null), []);
      assert.equal(transport.traits.startsWorkers, true);
      assert.equal(typeof failures, 'object');
    });

    it('returns the result of each of 10,000 tasks submitted at once', () => {
      assert.equal(trials.many.many, MANY);
    });

    it('carries a large payload to a worker and back', () => {
      assert.equal(trials.many.large, 'done');
    });

    it('carries bytes to a worker and back, and transfers them if a setting says so', () => {
      const { copied, transferred = null } = trials;
      if (copied !== undefined) assert.deepEqual(copied, { sent: LARGE_BYTES, result: LARGE_BYTES });
      if (transferred !== null) assert.deepEqual(transferred, { sent: 0, result: LARGE_BYTES });
    });

    it('rejects only the task that throws', () => {
      assert.equal(trials.throws.own, failures.throws);
      assert.deepEqual(new Set([...trials.throws.others, ...trials.throws.later]), new Set(['done']));
    });

    for (const how of /** @type {const} */ (['crashes', 'exits'])) {
      if (transport.traits.class === 'inline') continue;
      const words = how === 'crashes' ? 'dies of an error' : 'calls process.exit()';
      it(`treats the tasks of a worker that ${words} as declared`, () => {
        const { own, others, later } = trials[how];
        assert.equal(own, failures[how], 'the task itself');
        assertFates(others, failures.others, 'those that were submitted before it died');
        assertFates(later, failures.later, 'those that were submitted afterwards');
      });
    }

    if (transport.traits.class !== 'inline') {
      it('cancels tasks as declared', () => {
        const { running, waiting } = trials.cancel;
        const cancelled = {
          running: ['rejected', 'rejected'],
          waiting: ['done', 'rejected'],
          none: ['done', 'done'],
        };
        assert.deepEqual([running, waiting], cancelled[failures.cancels]);
      });

      it('treats a full queue as declared', () => {
        const { fullQueue } = trials;
        if (failures.fullQueue === 'none') assert.equal(fullQueue, null, 'it has a limit');
        else assert.deepEqual(fullQueue, ['done', 'done', 'done', 'done', 'rejected', 'rejected']);
      });
    }

    it('leaves no worker behind when the main process is killed', {
      skip: process.platform === 'linux' ? false : 'its workers are found in /proc',
    }, async () => {
      const hasProcesses = resolveTraits(transport, all).class === 'process-pool';
      assert.ok(!hasProcesses || workers.length > 0, 'its workers are found');
      stage.kill('SIGKILL');
      await within(ENDED_MS, `the end of ${workers.length} workers`, untilEnded(workers));
    });
  });
}

/**
 * @param {string[]} found
 * @param {PoolFailures['others']} declared
 * @param {string} which
 */
function assertFates(found, declared, which) {
  // The number of tasks that a worker had when it died varies.
  const allowed = {
    done: ['done'],
    rejected: ['done', 'rejected'],
    hung: ['done', 'hung'],
  };
  assert.ok(
    found.every((fate) => allowed[declared].includes(fate)),
    `${which}: ${found.join(', ')} instead of ${declared}`,
  );
}

/** @param {number[]} pids */
async function untilEnded(pids) {
  while (!pids.every(hasEnded)) await sleep(LOOK_EVERY_MS);
}

/** @param {number} pid */
function hasEnded(pid) {
  try {
    const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return state === 'Z'; // its exit code was not read yet
  } catch {
    return true;
  }
}
