// Groups of launches: which cells share one, and the order of their steps.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { mostProcessesIn, planGroups, runGroup } from '../../lib/run/launch-groups.js';
import { buildResults } from '../fixtures/build-results.js';

const [{ cell: CELL }] = buildResults({ series: ['pipe/json'] }).outcomes;
const makeCell = (/** @type {string} */ transport, axes = {}) => ({ ...CELL, ...axes, transport });

const names = (/** @type {{ entries: { cell: any }[] }} */ { entries }) =>
  entries.map(({ cell }) => cell.transport);
/** @param {string[]} transports @param {object} [axes] */
const table = (transports, axes = {}) => transports.map((transport) => ({ cell: makeCell(transport, axes) }));
const numbered = (/** @type {number} */ count) => Array.from({ length: count }, (_, index) => `t${index}`);
const judge = {
  isReference: (/** @type {{ cell: any }} */ { cell }) => cell.transport === 't0',
  canBeSliced: (/** @type {{ cell: any }} */ { cell }) => cell.transport !== 'alone',
  countProcesses: (/** @type {{ cell: any }} */ { cell }) => 1 + cell.workers,
  mostProcesses: 200,
};

describe('planGroups', () => {
  it('puts up to ten cells of a table into one group', () => {
    const [group, ...others] = planGroups(table(numbered(10)), judge);
    assert.deepEqual([names(group), group.part, group.isSliced], [numbered(10), 0, true]);
    assert.deepEqual(others, []);
  });

  it('divides a larger table evenly, with the reference in each group', () => {
    const groups = planGroups(table(numbered(12)), judge);
    assert.deepEqual(
      groups.map(({ entries, part }) => [entries.length, part]),
      [
        [7, 0],
        [6, 1],
      ],
    );
    assert.ok(groups.every((group) => names(group).includes('t0')));
    const all = new Set(groups.flatMap(names));
    assert.deepEqual([...all].sort(), numbered(12).sort());
  });

  it('puts several small tables into one group, and divides none', () => {
    const small = [10, 20, 30].flatMap((payloadBytes) => table(numbered(4), { payloadBytes }));
    assert.deepEqual(
      planGroups(small, judge).map(({ entries }) => entries.length),
      [8, 4],
    );
  });

  it('makes smaller groups for cells of many processes', () => {
    const groups = planGroups(table(numbered(7), { workers: 49 }), judge);
    assert.deepEqual(groups.map(names), [
      ['t0', 't1', 't2', 't3'],
      ['t0', 't4', 't5', 't6'],
    ]);
    const pairs = planGroups(table(numbered(3), { workers: 500 }), judge);
    assert.deepEqual(pairs.map(names), [
      ['t0', 't1'],
      ['t0', 't2'],
    ]);
    const two = [10, 20].flatMap((payloadBytes) => table(numbered(2), { payloadBytes, workers: 59 }));
    assert.equal(planGroups(two, judge).length, 2);
  });

  it('keeps the variants of a row in one group', () => {
    const rows = numbered(9).flatMap((name) => table([name, name]));
    const groups = planGroups(rows, { ...judge, variants: 2 });
    assert.deepEqual(
      groups.map((group) => names(group).length),
      [10, 10],
    );
    for (const group of groups) {
      for (const name of names(group)) assert.equal(names(group).filter((other) => other === name).length, 2);
    }
  });

  it('limits processes by memory and by the connections of a broker', () => {
    assert.equal(mostProcessesIn(1.84e9), 10);
    assert.equal(mostProcessesIn(256e9), 200);
  });

  it('makes a group of each cell that cannot pause', () => {
    const groups = planGroups(table(['t0', 'alone', 't1', 'alone']), judge);
    assert.deepEqual(
      groups.map((group) => [names(group), group.isSliced]),
      [
        [['t0', 't1'], true],
        [['alone'], false],
        [['alone'], false],
      ],
    );
  });
});

const PLAN = { rounds: 3, skipMs: 1, measureMs: 2 };

/**
 * @param {string} name
 * @param {string[]} log   of what all launches of the group did
 * @param {{ diesIn?: number, disturbedIn?: number[], isReference?: boolean, saysDone?: boolean, throws?: Error, drops?: number[] }} [how]
 *   the slice in which it dies; the rounds that others disturb; the rounds before whose slice the noise of the last one is dropped
 */
function launchNamed(
  name,
  log,
  { diesIn = Infinity, disturbedIn = [], isReference = false, saysDone = false, throws, drops = [] } = {},
) {
  let slices = 0;
  return {
    cell: makeCell(name),
    isReference,
    /** @type {any} */
    launch: null,
    /** @param {any} sliced @returns {Promise<any>} */
    start: (sliced) =>
      new Promise((resolve, reject) => {
        if (throws !== undefined) return reject(throws);
        log.push(`${name} starts`);
        sliced.plan = PLAN;
        let round = -2;
        let isAgain = false;
        sliced.noise = {
          begin() {},
          drop: () => drops.push(sliced.lastRound),
          end: () => ({
            othersShare: disturbedIn.includes(round) && !isAgain ? 0.5 : 0,
            stealShare: null,
            throttledPeriods: null,
          }),
        };
        sliced.send = (/** @type {any} */ order) => {
          log.push(
            `${name} ${order.kind}${order.kind === 'slice' ? ` ${sliced.lastRound}${order.dropsLast ? ' again' : ''}` : ''}`,
          );
          if (order.kind === 'finish') return resolve({ status: 'measured', slices });
          if (order.kind === 'slice') {
            slices += 1;
            isAgain = sliced.lastRound === round;
            round = sliced.lastRound;
          }
          if (slices === diesIn) return resolve({ status: 'failed' });
          const report = { operations: 8 * slices, windowMs: 80, cpuMs: 1, spentCpuMs: 1 };
          setImmediate(() => {
            if (saysDone) log.push(`${name} has done`);
            sliced.onStepDone(order.kind === 'slice' ? { slice: report } : {});
          });
        };
        setImmediate(() => sliced.onStepDone({}));
      }),
    onEnd(/** @type {any} */ launch) {
      this.launch = launch;
      log.push(`${name} ${launch.status}`);
    },
  };
}

/** @param {any[]} launches @param {string[]} [shares] @param {object} [watch] */
async function played(launches, shares = [], watch = {}) {
  const starters = launches.map((launch) => ({ ...launch, onEnd: launch.onEnd.bind(launch) }));
  await runGroup(starters, () => 0.5, {
    onShare: (cell, share) => shares.push(`${cell.transport} ${share}`),
    ...watch,
  });
}

describe('runGroup', () => {
  it('starts all launches, warms them up one by one, and gives each a slice in every round, the first of which does not count', async () => {
    /** @type {string[]} */
    const log = [];
    await played([launchNamed('a', log), launchNamed('b', log)]);
    const phase = (/** @type {RegExp} */ told) =>
      log.flatMap((line, index) => (told.test(line) ? index : []));
    const [starts, warmUps, finishes] = [/starts/, /warm-up/, /finish/].map(phase);
    assert.ok(Math.max(...starts) < Math.min(...warmUps));
    for (const round of ['-1', '0 again', '1', '2']) {
      const slices = phase(new RegExp(`slice ${round}$`));
      assert.equal(slices.length, 2);
      assert.ok(Math.max(...warmUps) < Math.min(...slices) && Math.max(...slices) < Math.min(...finishes));
      assert.equal(slices[1] - slices[0], 1);
    }
    assert.deepEqual(log.slice(-2).sort(), ['a measured', 'b measured']);
  });

  it('gives the reference of five or more cells two slices in each round that counts', async () => {
    const slicesOf = async (/** @type {number} */ rows) => {
      /** @type {string[]} */
      const log = [];
      const names = Array.from({ length: rows }, (_, index) => `t${index}`);
      await played(names.map((name) => launchNamed(name, log, { isReference: name === 't0' })));
      return ['t0', 't1'].map((name) => log.filter((line) => line.startsWith(`${name} slice`)).length);
    };
    assert.deepEqual(await slicesOf(5), [7, 4]);
    assert.deepEqual(await slicesOf(4), [4, 4]);
  });

  it('ends all launches before it throws the error of a function that reports', async () => {
    for (const kind of ['start', 'warm-up', 'rounds']) {
      /** @type {string[]} */
      const log = [];
      const launches = ['a', 'b', 'c', 'd'].map((name) => launchNamed(name, log));
      const abandoned = new AbortController();
      const starters = launches.map((launch) => ({
        ...launch,
        onEnd: launch.onEnd.bind(launch),
        /** @param {any} sliced @returns {Promise<any>} */
        async start(sliced) {
          const stopped = once(abandoned.signal, 'abort').then(() => Promise.reject(new Error('stopped')));
          await Promise.race([launch.start(sliced), stopped]).finally(() => log.push('ended'));
        },
      }));
      const onStep = (/** @type {any} */ step) => {
        if (step.kind === kind && log.length > 0) throw new Error('a report has failed');
      };
      const abandon = () => abandoned.abort();
      await assert.rejects(
        runGroup(starters, () => 0.5, { onShare() {}, onStep, abandon }),
        /a report has failed/,
      );
      const count = (/** @type {RegExp} */ sought) => log.filter((line) => sought.test(line)).length;
      assert.equal(count(/ended/), count(/starts/), kind);
    }
  });

  it('continues without a launch that has ended', async () => {
    /** @type {string[]} */
    const log = [];
    await played([launchNamed('a', log, { diesIn: 3 }), launchNamed('b', log)]);
    assert.ok(log.includes('a failed'));
    assert.equal(log.filter((line) => line.startsWith('a slice')).length, 3);
    assert.equal(log.filter((line) => line.startsWith('b slice')).length, 4);
    assert.ok(log.includes('b measured'));
  });

  it('repeats a disturbed slice once, at the end of its round', async () => {
    /** @type {string[]} */
    const log = [];
    const others = ['b', 'c', 'd'].map((name) => launchNamed(name, log));
    await played([launchNamed('a', log, { disturbedIn: [1] }), ...others]);
    const again = log.filter((line) => /[12] again$/.test(line));
    assert.deepEqual(again, ['a slice 1 again']);
    const next = log.findIndex((line) => line.includes('slice 2'));
    assert.equal(log.indexOf('a slice 1 again'), next - 1);
  });

  it('replaces the disturbed first slice of a doubled reference by its second one', async () => {
    /** @type {string[]} */
    const log = [];
    const others = ['b', 'c', 'd', 'e'].map((name) => launchNamed(name, log));
    const reference = launchNamed('a', log, { disturbedIn: [1], isReference: true });
    await played([reference, ...others]);
    const inRound = log.filter((line) => line.startsWith('a slice 1'));
    assert.deepEqual(inRound, ['a slice 1', 'a slice 1 again']);
  });

  it('repeats no slice if most of a round was disturbed', async () => {
    /** @type {string[]} */
    const log = [];
    await played(['a', 'b', 'c'].map((name) => launchNamed(name, log, { disturbedIn: [-1, 0, 1, 2] })));
    assert.deepEqual(
      log.filter((line) => /[12] again$/.test(line)),
      [],
    );
  });

  it('drops the noise of a slice that it repeats, and of the trial', async () => {
    /** @type {number[]} */
    const drops = [];
    const others = ['b', 'c', 'd'].map((name) => launchNamed(name, []));
    await played([launchNamed('a', [], { disturbedIn: [1], drops }), ...others]);
    assert.deepEqual(drops, [0, 1]);
  });

  it('throws the error of one launch when the others have ended', async () => {
    /** @type {string[]} */
    const log = [];
    const broken = launchNamed('a', log, { throws: new Error('interrupted') });
    await assert.rejects(played([broken, launchNamed('b', log)]), /interrupted/);
    assert.ok(log.includes('b measured'));
  });

  it('reports the share of each launch that is done', async () => {
    /** @type {string[]} */
    const shares = [];
    await played([launchNamed('a', [])], shares);
    const told = shares.map((line) => Number(line.split(' ')[1]));
    assert.deepEqual(
      told,
      [...told].sort((one, other) => one - other),
    );
    assert.ok(told[0] === 0 && new Set(told).size === 6 && Number(told.at(-1)) < 1);
  });

  it('reports its steps between slices, once a round', async () => {
    /** @type {string[]} */
    const log = [];
    /** @type {string[]} */
    const steps = [];
    const onStep = (/** @type {any} */ step) => {
      const told =
        step.kind === 'rounds' ? `${step.done}/${step.rounds}` : `${step.kind} ${step.cell.transport}`;
      steps.push(told);
      log.push('told');
    };
    const others = ['b', 'c', 'd'].map((name) => launchNamed(name, log, { saysDone: true }));
    const first = launchNamed('a', log, { disturbedIn: [1], saysDone: true });
    await played([first, ...others], [], { onStep });
    const works = /(?:slice|warm-up)/;
    for (const [place, line] of log.entries()) {
      if (works.test(line)) assert.match(log[place + 1], /has done$/, `after ${line}`);
    }
    assert.deepEqual(steps.slice(-5), ['0/3', '0/3', '1/3', '2/3', '3/3']);
    assert.equal(steps.length, 13);
  });

  it('keeps the slices that count: none of the first round, and the second of a repeated one', async () => {
    const { launches, slicesAt } = watched([
      launchNamed('a', [], { disturbedIn: [1] }),
      ...quiet(['b', 'c', 'd']),
    ]);
    const at = slicesAt();
    await played(launches, [], { onStep: at.onStep });
    assert.deepEqual(at.rounds, [null, null, [0], [0, 1], [0, 1, 2]]);
    assert.equal(at.last().repeated, 1);
    // Of the five slices, the first and the disturbed one are not counted.
    assert.deepEqual(at.operations.at(-1), [16, 32, 40]);
  });

  it('ends after the first round that counts when enough is measured, and finishes its launches', async () => {
    /** @type {string[]} */
    const log = [];
    await played([launchNamed('a', log), launchNamed('b', log)], [], { isEnough: () => true });
    assert.deepEqual(
      log.filter((line) => /^a (?:slice|finish)/.test(line)),
      ['a slice -1', 'a slice 0 again', 'a finish'],
    );
    assert.ok(log.includes('a measured') && log.includes('b measured'));
  });
});

const quiet = (/** @type {string[]} */ names) => names.map((name) => launchNamed(name, []));

/** @param {any[]} all @returns what the first one has of slices at each step of the rounds */
function watched(all) {
  /** @type {any} */
  let sliced;
  const [first, ...others] = all;
  const launches = [
    {
      ...first,
      start(/** @type {any} */ own) {
        sliced = own;
        return first.start(own);
      },
    },
    ...others,
  ];
  const slicesAt = () => {
    /** @type {any} */
    const seen = { rounds: [], operations: [] };
    seen.onStep = (/** @type {any} */ { kind }) => {
      if (kind !== 'rounds') return;
      seen.last = () => sliced.copySlices();
      seen.rounds.push(sliced.copySlices()?.rounds ?? null);
      seen.operations.push(sliced.copySlices()?.operations ?? null);
    };
    return seen;
  };
  return { launches, slicesAt };
}
