// What becomes of a launch of each scenario when one of its processes is killed: it ends within a second or two, says who
// died and when, and leaves nothing. What else can go wrong is the same for all of them: fault-matrix.test.js.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultsOf } from '../../lib/cell/traits.js';
import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { patiently } from '../conformance/deadline.js';
import {
  commandOf,
  eventually,
  launchCell,
  namesInSharedMemory,
  processesBelow,
} from '../fixtures/launch-cell.js';

const IS_LONG = process.env.LONG_TESTS === '1';
const ON_LINUX = process.platform === 'linux' ? false : 'finds processes in /proc';
const TRANSPORTS = IS_LONG ? ['pipe', 'unix', 'shared-memory', 'zeromq', 'http'] : ['unix'];
// Who waits for the end of a warm-up sees that a process has died as it does in the window, whatever they talk over.
const phasesOver = (/** @type {string} */ transport) =>
  IS_LONG && transport === 'unix' ? ['warm-up', 'measure'] : ['measure'];
const NOTICED_MS = 2_000;
const LONG_MS = 30_000;
const WORKERS = 2;

/** Of the processes of a launch, by what their command lines say. */
const VICTIMS = Object.freeze({ worker: 'launch/worker.js', master: 'launch/master.js' });

/** @param {string} scenario @param {string} transport @returns {Promise<string | null>} null: it can be asked of it */
async function whyNotAsked(scenario, transport) {
  const { whyNot, settings } = (await import(builtinUrl('scenario', scenario))).default;
  const { traits } = (await import(builtinUrl('transport', transport))).default;
  return whyNot?.(traits, defaultsOf({ settings }), { workers: WORKERS }) ?? null;
}

/**
 * @param {string} scenario
 * @param {string} transport
 * @param {string} phase        in which the victim is killed
 * @param {string} program
 */
async function killedIn(scenario, transport, phase, program) {
  const before = new Set(processesBelow(process.pid, ''));
  /** @type {number[]} */
  let all = [];
  let killedMs = 0;
  const { end, left } = await launchCell({
    ...{
      transport,
      scenario,
      cell: { workers: WORKERS, loops: 2, codec: 'json' },
    },
    timing: { warmupMs: phase === 'warm-up' ? LONG_MS : 50, measureMs: LONG_MS },
    deadlines: { lifeMs: 2 * LONG_MS },
    onPhase(entered) {
      if (entered !== phase) return;
      all = processesBelow(process.pid, '').filter((pid) => !before.has(pid));
      killedMs = performance.now();
      process.kill(processesBelow(process.pid, program).filter((pid) => !before.has(pid))[0], 'SIGKILL');
    },
  });
  await eventually(() => all.every((pid) => commandOf(pid) === ''), NOTICED_MS);
  return { end, left, tookMs: performance.now() - killedMs };
}

describe('a launch of', { skip: ON_LINUX }, () => {
  for (const scenario of builtinNames('scenario')) {
    for (const transport of TRANSPORTS) {
      for (const phase of phasesOver(transport)) {
        for (const [who, program] of Object.entries(VICTIMS)) {
          it(`${scenario} over ${transport} ends when its ${who} is killed during ${phase}`, async (t) => {
            const why = await whyNotAsked(scenario, transport);
            if (why !== null) return t.skip(why);
            const { end, left, tookMs } = await killedIn(scenario, transport, phase, program);
            assert.ok(end.kind === 'failed');
            assert.equal(`${end.code} ${end.phase}`, `PROCESS_DIED ${phase}`);
            assert.match(end.message, /was killed by SIGKILL/);
            assert.ok(tookMs < patiently(NOTICED_MS), `${tookMs} ms`);
            // What a master that is killed leaves in the folder of its run, the conductor removes with that.
            if (who !== 'master') assert.deepEqual(left, []);
            assert.deepEqual(namesInSharedMemory(), []);
          });
        }
      }
    }
  }
});
