// The contract of a scenario as a test suite, for ours and for anybody's, to be run with node:test:
//
//   import { describeScenario } from 'ipc-bench/conformance/scenario';
//   await describeScenario(new URL('../my-scenario.js', import.meta.url));
//
// What a scenario counts must agree with what a faulty transport says that it did.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultsIn } from '../../lib/plugins/plugin-faults.js';
import { countedBy } from '../../lib/scenario-kit/usual-measures.js';
import { launchCell } from './launch-cell.js';

/** @import { Scenario } from '../../lib/types/scenarios.js' */

const FAULTY = './faulty-transport.js';
const ON_POSIX = { skip: process.platform === 'win32' ? 'a unix socket is needed' : false };
// How often a fault is made, and what each of them counts as.
const FAULTS = /** @type {const} */ ([
  { fault: 'corrupt', every: 50, counter: 'corrupt', each: 1 },
  { fault: 'duplicate', every: 50, counter: 'duplicate', each: 1 },
  { fault: 'drop', every: 500, counter: 'lost', each: 1 }, // each is waited for until its deadline
  { fault: 'swap', every: 50, counter: 'swapped', each: 2 },
  { fault: 'reorder', every: 50, counter: 'outOfOrder', each: 1 },
]);
/** @type {readonly string[]} */
const AMONG_SEVERAL = ['swap', 'reorder'];
// Operations of each loop. One that is cold rests between them, and asks more than that.
const MESSAGES = { warm: 400, cold: 8 };
const NO_MISTAKE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };

/**
 * @param {URL | string} source   of a module whose default export is a scenario
 */
export async function describeScenario(source) {
  const url = String(source);
  /** @type {{ default: Scenario }} */
  const { default: scenario } = await import(url);
  assert.deepEqual(faultsIn('scenario', scenario, null), [], `${url} is no usable scenario`);
  // It may then ask but once on each connection.
  const connectsAgain = (scenario.whyNot?.(/** @type {any} */ ({})) ?? null) !== null;
  const messages = MESSAGES[scenario.isCold ? 'cold' : 'warm'];
  describe(`scenario ${scenario.name}`, ON_POSIX, () => {
    it('counts what it did over a transport that keeps its promise', () => assertCounts(url));
    it('has as many operations as it was asked for', () => assertMessages(url, messages));
    for (const each of FAULTS) {
      it(`counts each ${each.fault} exactly, and fails the launch`, () =>
        assertFound(url, { connectsAgain, messages }, each));
    }
  });
}

/** @param {string} scenario */
async function assertCounts(scenario) {
  const { end, left, assignment } = await launchCell({ scenario, transport: FAULTY });
  const { cell } = assignment;
  assert.equal(end.kind, 'done', JSON.stringify(end));
  const { operations, bins, reports } = /** @type {any} */ (end).fields;
  assert.ok(operations > 0);
  const sum = (/** @type {number[]} */ counts) => counts.reduce((total, count) => total + count, 0);
  assert.equal(sum(bins), operations, 'the bins of the window hold all operations');
  const timed = reports.map(
    (/** @type {{ latency?: { count: number } }} */ { latency }) => latency?.count ?? 0,
  );
  assert.equal(sum(timed), operations, 'every operation was timed');
  assertMeasured(countedBy((await import(scenario)).default).measures, reports, cell);
  assert.deepEqual(left, [], 'nothing stays behind');
}

/**
 * @param {readonly import('../../lib/types/measures.js').Measure[]} measures
 * @param {import('../../lib/types/roles.js').RoleReport[]} reports
 * @param {import('../../lib/types/plans.js').Cell} cell
 */
function assertMeasured(measures, reports, cell) {
  for (const { name, kind, read } of measures) {
    const found = read(reports, cell);
    if (kind === 'value') assert.ok(Number.isFinite(found), `${name} is ${found}`);
    else assert.ok(Array.isArray(found) && found.some(({ count }) => count > 0), `${name} has no times`);
    assert.deepEqual(read(reports, cell), found, `${name} is read the same again`);
  }
}

/** @param {string} scenario @param {number} messages */
async function assertMessages(scenario, messages) {
  const { end } = await launchCell({
    ...{ scenario, transport: FAULTY, timing: { messages, warmupMs: 0 } },
    cell: { workers: 2, loops: 3 },
  });
  assert.equal(end.kind, 'done', JSON.stringify(end));
  const { operations } = /** @type {any} */ (end).fields;
  // A loop that does several operations at a time ends them all.
  assert.ok(
    operations >= 2 * 3 * messages && operations < 2 * 3 * (messages + 10),
    `${operations} operations`,
  );
}

/**
 * @param {string} scenario
 * @param {{ connectsAgain: boolean, messages: number }} manner
 * @param {(typeof FAULTS)[number]} expected
 */
async function assertFound(scenario, { connectsAgain, messages }, { fault, every, counter, each }) {
  const { end } = await launchCell({
    ...{ scenario, transport: FAULTY, timing: { messages, warmupMs: 0 } },
    cell: { workers: 1, settings: { fault, every } },
    deadlines: { replyMs: 200 },
  });
  // With one answer on each connection there are no two that could change places.
  if (AMONG_SEVERAL.includes(fault) && end.kind === 'done')
    return assert.ok(connectsAgain, `no ${fault} was found`);
  assert.equal(end.kind, 'failed', `no ${fault} was found`);
  if (end.kind !== 'failed') return;
  assert.equal(end.code, 'INTEGRITY', end.message);
  const made = Number(/faults made: (\d+)/.exec(end.stderr.join('\n'))?.[1]);
  assert.ok(made > 0, 'the transport did something wrong');
  assert.deepEqual(end.integrity, { ...NO_MISTAKE, [counter]: made * each });
  assert.match(end.message, new RegExp(`wrong answers: ${made * each} ${counter}`));
}
