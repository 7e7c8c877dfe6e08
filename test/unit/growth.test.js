// How the cost of an operation grows, of made rows whose truth is known. The sentences are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthsIn } from '../../lib/report/findings/cost-growth.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { measuredOf } from '../fixtures/build-results.js';
import { costing } from '../fixtures/snapshot-results.js';

/** @import { Results } from '../../lib/types/index.js' */

const LOOPS = { shapes: ['1x1', '1x4', '1x16'] };
const WORKERS = { shapes: ['1x2', '4x2', '16x2'] };
const PAYLOADS = { payloads: [10, 1_000, 100_000] };
const TO_ALL = { one: 'delivery', many: 'deliveries', done: 'made', toAll: 'message' };

/** @param {Results} results */
const growthsOf = ({ outcomes }) => growthsIn(outcomes, {});

describe('growth along an axis', () => {
  it('is flat, falls, grows or is unclear', () => {
    const kindOf = (/** @type {(loops: number) => number} */ costOf) => {
      const [{ kind, sameTo, usPerUnit }] = growthsOf(
        costing(LOOPS, ({ loops }) => ({ master: costOf(loops) })),
      );
      return [kind, sameTo, usPerUnit && Number(usPerUnit.estimate.toFixed(1))];
    };
    assert.deepEqual(
      kindOf(() => 10),
      ['flat', 16, null],
    );
    assert.deepEqual(
      kindOf((loops) => 5 + 15 / loops),
      ['falls', 16, null],
    );
    assert.deepEqual(
      kindOf((loops) => (loops === 16 ? 20 : 10)),
      ['grows', 4, 0.8],
    );
    const noisy = costing(LOOPS, () => ({ master: 20 }));
    for (const { group, costs } of measuredOf(noisy)[2].launches) costs[0].userUs *= 1 + (group % 2);
    assert.equal(growthsOf(noisy)[0].kind, 'unclear');
  });

  it('is spent in the processes that add most, not in those that cost most', () => {
    const mainRoleOf = (
      /** @type {Record<string, number>} */ least,
      /** @type {Record<string, number>} */ most,
    ) =>
      growthsOf(costing(PAYLOADS, ({ payloadBytes }) => (payloadBytes > 1_000 ? most : least)))[0].mainRole;
    assert.equal(mainRoleOf({ master: 40, w0: 10 }, { master: 41, w0: 25 }), 'workers');
    assert.equal(mainRoleOf({ master: 10, w0: 10 }, { master: 20, w0: 20 }), null);
  });

  /** @param {Results} results */
  const steepnessOf = (results) => {
    const [{ isSteep, steep }] = growthsOf(results);
    return [isSteep, steep.from, steep.ratio.estimate.toFixed(1)];
  };

  it('is steep from twice the cost on in loops, and where the last step costs more than its share of bytes', () => {
    const inLoops = (/** @type {number} */ times) =>
      steepnessOf(costing(LOOPS, ({ loops }) => ({ master: loops === 16 ? 10 * times : 10 })));
    assert.deepEqual(
      [inLoops(1.9), inLoops(2.1)],
      [
        [false, 1, '1.9'],
        [true, 1, '2.1'],
      ],
    );
    const inBytes = (/** @type {number} */ exponent) =>
      steepnessOf(costing(PAYLOADS, ({ payloadBytes }) => ({ master: 10 + payloadBytes ** exponent / 100 })));
    assert.deepEqual(
      [inBytes(1), inBytes(1.4)],
      [
        [false, 1_000, '50.5'],
        [true, 1_000, '593.6'],
      ],
    );
    const toAll = (/** @type {number} */ exponent) =>
      growthsOf(
        costing(
          WORKERS,
          ({ workers }) => ({ w0: workers ** exponent }),
          (outcome) => Object.assign(outcome, { operation: TO_ALL }),
        ),
      )[0].isSteep;
    assert.deepEqual(
      [toAll(0), toAll(0.2)],
      [false, true],
      'a message to all workers may cost in proportion to them',
    );
  });

  it('is that of launches whose costs are known and above 0, at three values or more of rows that are ranked', () => {
    const grows = costing(LOOPS, ({ loops }) => ({ master: 20 + loops }));
    const [, second] = measuredOf(grows);
    Object.assign(second.launches[0], { costs: [], unknownCosts: ['w0'] });
    assert.equal(growthsOf(grows)[0].ratio.n, 5);
    for (const launch of second.launches) launch.costs = [];
    assert.deepEqual(growthsOf(grows), []);
    const freeOnce = costing(LOOPS, ({ loops }) => ({ master: loops === 4 ? 0 : 10 }));
    assert.deepEqual(growthsOf(freeOnce), []);
    const flat = () => ({ master: 10 });
    assert.deepEqual(growthsOf(costing({ shapes: ['1x1', '1x4'] }, flat)), []);
    assert.deepEqual(growthsOf(costing({ ...LOOPS, launches: 1 }, flat)), []);
    assert.deepEqual(growthsOf(costing({ ...LOOPS, flag: () => ['cold'] }, flat)), []);
    assert.deepEqual(
      growthsOf(costing(LOOPS, flat, ({ cell }) => Object.assign(cell, { poll: 'busy' }))),
      [],
    );
  });

  it('counts payloads in the unit of the scenario, and nothing else', () => {
    const pieces = { name: 'records', bytes: 10, question: 'round-trip' };
    const along = (/** @type {Parameters<typeof costing>[0]} */ recipe) => {
      const { outcomes } = costing(recipe, () => ({ master: 10 }));
      const [growth] = growthsIn(outcomes, /** @type {any} */ ({ records: { pieces } }));
      return { values: growth.values, unit: growth.pieces?.name };
    };
    assert.deepEqual(along(PAYLOADS), { values: [1, 100, 10_000], unit: 'records' });
    assert.deepEqual(along(LOOPS), { values: [1, 4, 16], unit: undefined });
  });

  it('has the steepest row first', () => {
    const along = costing({ ...LOOPS, series: ['unix/json', 'tcp/json'] }, ({ transport, loops }) => ({
      master: loops < 16 ? 10 : transport === 'tcp' ? 50 : 30,
    }));
    const steep = findingsIn(along).filter(({ kind }) => kind === 'steep-growth');
    assert.deepEqual(
      steep.map(({ rows }) => rows[0].row),
      ['tcp/json', 'unix/json'],
    );
  });

  it('has a finding for each range of values', () => {
    const along = costing(
      {
        shapes: [...LOOPS.shapes, '1x64'],
        ...PAYLOADS,
        skip: ({ payloadBytes, loops }) =>
          (payloadBytes === 10 && loops === 64) || (payloadBytes === 1_000 && loops === 16)
            ? 'left out'
            : null,
      },
      () => ({ master: 10 }),
    );
    const growths = findingsIn(along).filter(
      ({ kind, names }) => kind === 'growth' && names.axis === 'loops',
    );
    assert.deepEqual(
      growths.map(({ numbers, rows }) => [numbers.first, numbers.last, rows.length]),
      [
        [1, 16, 1],
        [1, 64, 2],
      ],
    );
  });

  it('names the table of a row that is steep in one of several', () => {
    const along = costing({ ...LOOPS, ...PAYLOADS }, ({ payloadBytes, loops }) => ({
      master: payloadBytes === 1_000 ? 10 + loops : 10,
    }));
    const steep = findingsIn(along).filter(
      ({ kind, names }) => kind === 'steep-growth' && names.axis === 'loops',
    );
    assert.deepEqual(
      steep.map(({ rows }) => rows.map(({ heading }) => heading)),
      [['1,000 B']],
    );
  });
});
