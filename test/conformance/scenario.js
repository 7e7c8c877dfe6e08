// The contract of a scenario as a test suite, for those of this package and of plug-ins, in a file that `node --test` runs:
//
//   import { describeScenario } from 'ipc-bench/conformance/scenario';
//   await describeScenario(new URL('../my-scenario.js', import.meta.url));
//
// The counts of a scenario must agree with the faults that a faulty transport reports.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SERVICE_TIME } from '../../lib/cell/headline.js';
import { settingsLabel } from '../../lib/cell/settings.js';
import { faultsIn } from '../../lib/plugins/plugin-faults.js';
import { configured } from '../../lib/plugins/plugins.js';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import { patiently } from './deadline.js';
import { launchCell } from './launch-cell.js';
import { IS_LONG } from './long-form.js';

/** @import { Scenario } from '../../lib/types/index.js' */

const FAULTY = './faulty-transport.js';
const ON_POSIX = { skip: process.platform === 'win32' ? 'a unix socket is needed' : false };
// One of so many messages is faulty; a short window on a busy machine may have only some hundred.
const EVERY = 50;
const EVERY_IN_TURN = 20;
const EVERY_LOST = 500; // because each takes its deadline
/** @type {Record<string, { counter: keyof typeof NO_MISTAKE, each: number }>} what each of them counts as */
const FAULTS = {
  corrupt: { counter: 'corrupt', each: 1 },
  duplicate: { counter: 'duplicate', each: 1 },
  drop: { counter: 'lost', each: 1 },
  swap: { counter: 'swapped', each: 2 },
  reorder: { counter: 'outOfOrder', each: 1 },
};
const AMONG_SEVERAL = ['swap', 'reorder'];
// Operations per loop. Cold scenarios pause between them and send further requests; those that connect for each take longer.
const MESSAGES = { warm: 400, cold: 8, connecting: 160 };
const FEWER = 4; // divides the number, to test that it is respected
/** @type {import('../../lib/types/plans.js').Cell} */
const CELL = /** @type {any} */ ({ workers: 2, loops: 3 });
// Their workers do not know how many messages were sent, and notice a loss by the next message.
const UNTOLD = ['consumer', 'subscriber'];
const NO_MISTAKE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };

/**
 * @param {URL | string} source   of a module whose default export is a scenario
 * @param {object} [how]
 * @param {Record<string, string>} [how.asking]   settings of the scenario
 * @param {'received' | 'sent'} [how.way]   by the worker: the messages that it counts, which are to be spoiled
 * @param {boolean} [how.isKin]   its endpoints are those of another scenario, which meets all faults: this one meets a single one
 */
export async function describeScenario(source, { asking = {}, way = 'received', isKin = false } = {}) {
  const url = String(source);
  /** @type {{ default: Scenario }} */
  const { default: scenario } = await import(url);
  assert.deepEqual(faultsIn('scenario', scenario, null), [], `${url} is no usable scenario`);
  // It may then send only one request on each connection.
  const { chosen = {} } = configured(scenario, asking);
  const connectsAgain = (scenario.skipReason?.(/** @type {any} */ ({}), chosen, CELL) ?? null) !== null;
  const messages = MESSAGES[scenario.isCold ? 'cold' : connectsAgain ? 'connecting' : 'warm'];
  describe(`scenario ${settingsLabel(scenario.name, asking)}`, ON_POSIX, () => {
    it('counts its operations over a correct transport', () => assertCounts(url, asking));
    if (!scenario.isByTime)
      it('makes the requested number of operations', () => assertMessages(url, messages / FEWER));
    const all = Object.keys(FAULTS);
    const alone = isKin ? ['corrupt'] : IS_LONG ? all : [];
    for (const kinds of alone.length > 0 ? alone.map((kind) => [kind]) : [all]) {
      it(`counts each fault exactly, and fails the launch: ${kinds.join(', ')}`, () =>
        assertFound(scenario, { url, asking, way, messages }, connectsAgain, kinds));
    }
  });
}

/** @param {string} scenario @param {Record<string, string>} asking */
async function assertCounts(scenario, asking) {
  const { end, left, spec } = await launchCell({ scenario, asking, transport: FAULTY });
  const { cell } = spec;
  assert.equal(end.kind, 'done', JSON.stringify(end));
  const { operations, bins, reports, costs, loopsMs } = /** @type {any} */ (end).fields;
  assert.ok(operations > 0);
  const sum = (/** @type {number[]} */ counts) => counts.reduce((total, count) => total + count, 0);
  const { default: plugin } = await import(scenario);
  const latencies = reports.flatMap((/** @type {any} */ { latency }) => latency ?? []);
  const timed = latencies.map((/** @type {{ count: number }} */ { count }) => count);
  const timesMs = latencies.map((/** @type {any} */ { count, meanNs }) => (count * meanNs) / 1e6);
  if (loopsMs !== undefined)
    assert.ok(
      Math.abs(sum(timesMs) / loopsMs - 1) < 0.02,
      'the times of all operations add up to those of the loops',
    );
  else if (!plugin.isCold) assert.equal(sum(bins), operations, 'the bins of the window hold all operations');
  const { measures } = countedBy(plugin);
  if (measures.some(({ name }) => name === SERVICE_TIME))
    assert.equal(sum(timed), operations, 'every operation was timed');
  assertMeasured(measures, { reports, costs }, cell);
  assert.deepEqual(left, [], 'nothing stays behind');
}

/**
 * @param {readonly import('../../lib/types/scenarios.js').Measure[]} measures
 * @param {Pick<import('../../lib/launch/control/protocol.js').LaunchReport, 'reports' | 'costs'>} launch
 * @param {import('../../lib/types/plans.js').Cell} cell
 */
function assertMeasured(measures, { reports, costs }, cell) {
  for (const [index, { name, kind, read }] of measures.entries()) {
    const found = read(reports, cell, costs);
    if (found === null && index > 0) continue; // this launch has none
    if (kind === 'value') assert.ok(Number.isFinite(found), `${name} is ${found}`);
    else if (found instanceof Float64Array) assert.ok(found.every((ns) => ns > 0) && found.length > 0, name);
    else assert.ok(Array.isArray(found) && found.some(({ count }) => count > 0), `${name} has no times`);
    assert.deepEqual(read(reports, cell, costs), found, `${name} is read the same again`);
  }
}

/** @param {string} scenario @param {number} messages */
async function assertMessages(scenario, messages) {
  const { end } = await launchCell({
    scenario,
    transport: FAULTY,
    timing: { messages, warmupMs: 0 },
    cell: { workers: 2, loops: 3 },
  });
  assert.equal(end.kind, 'done', JSON.stringify(end));
  const { operations } = /** @type {any} */ (end).fields;
  // A loop with several simultaneous operations completes all.
  assert.ok(
    operations >= 2 * 3 * messages && operations < 2 * 3 * (messages + 10),
    `${operations} operations`,
  );
}

/**
 * @param {Scenario} scenario
 * @param {{ url: string, asking: Record<string, string>, way: string, messages: number }} how
 * @param {boolean} connectsAgain
 * @param {string[]} kinds   of faults: one, or each in turn
 */
async function assertFound({ isByTime, endpoints }, { url, asking, way, messages }, connectsAgain, kinds) {
  const fault = kinds.length === 1 ? kinds[0] : 'in-turn';
  const everyAlone = fault === 'drop' && !isByTime ? EVERY_LOST : EVERY;
  const { end } = await launchCell({
    scenario: url,
    asking,
    transport: FAULTY,
    timing: { messages: isByTime ? null : messages, warmupMs: 0 },
    cell: { workers: 1, settings: { fault, every: kinds.length > 1 ? EVERY_IN_TURN : everyAlone, way } },
    // A late message counts as lost, and as duplicate when it arrives.
    deadlines: { replyMs: patiently(200) },
  });
  // With one response on each connection, none can be swapped.
  const possible = kinds.filter((kind) => !connectsAgain || !AMONG_SEVERAL.includes(kind));
  assert.equal(end.kind, possible.length > 0 ? 'failed' : 'done', 'whether a fault was found');
  if (end.kind !== 'failed') return;
  assert.equal(end.code, 'INTEGRITY', end.message);
  const [, counts = '{}', last] = /faults made: \d+ (\{.*?\})(.*)/.exec(end.stderr.join('\n')) ?? [];
  /** @type {Record<string, number>} */
  const made = JSON.parse(counts);
  const isUntold = UNTOLD.some((kind) => endpoints?.worker.includes(kind)) && way === 'received';
  if (isUntold && last !== '') made.drop -= 1;
  const expected = { ...NO_MISTAKE };
  for (const kind of possible) {
    assert.ok(made[kind] > 0, `the transport did something wrong: ${kind}`);
    const { counter, each } = FAULTS[kind];
    expected[counter] = made[kind] * each;
    assert.match(end.message, new RegExp(`wrong responses: .*\\b${expected[counter]} ${counter}\\b`));
  }
  assert.deepEqual(end.integrity, expected);
}
