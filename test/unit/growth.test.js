import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthSentences, growthsIn } from '../../lib/report/text/growth.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Cell, MeasuredOutcome } from '../../lib/types/index.js' */

const LUCK = [0.98, 1, 1.03, 0.99, 1.01, 1.02];

/**
 * @param {Parameters<typeof makeResults>[0]} recipe
 * @param {(cell: Cell) => Record<string, number>} costOf   µs of CPU time for an operation, by name of the process
 * @param {(outcome: MeasuredOutcome) => void} [change]
 * @returns {MeasuredOutcome[]} whose launches cost that, but for the luck of each block
 */
function costing(recipe, costOf, change = () => {}) {
  const { outcomes } = makeResults({ series: ['unix/json'], ...recipe });
  return outcomes.map((outcome) => {
    assert.ok(outcome.status === 'measured');
    for (const launch of outcome.launches) {
      const [template] = launch.costs;
      launch.costs = Object.entries(costOf(outcome.cell)).map(([name, us]) => ({
        ...template,
        name,
        role: /^w\d/.test(name) ? 'worker' : name === 'master' ? name : 'broker',
        systemUs: 0,
        userUs: us * LUCK[launch.block] * launch.operations,
      }));
    }
    change(outcome);
    return outcome;
  });
}

const LOOPS = { shapes: ['1x1', '1x4', '1x16'] };
const WORKERS = { shapes: ['1x2', '4x2', '16x2'] };
const PAYLOADS = { payloads: [10, 1_000, 100_000] };

describe('growth along an axis', () => {
  it('is none where the cost of an operation stays the same', () => {
    const outcomes = costing(LOOPS, () => ({ master: 10, w0: 10 }));
    const [growth] = growthsIn(outcomes);
    assert.deepEqual(
      [growth.quantity, growth.values, growth.change.kind, growth.sameTo, growth.usPerUnit],
      ['loops', [1, 4, 16], 'flat', 16, null],
    );
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), [
      'From 1 loop to 16 loops the CPU time of a round trip stays within 25 % for unix/json.',
    ]);
  });

  it('is what each unit adds beyond the greatest value that costs the same, and who pays it', () => {
    const outcomes = costing(PAYLOADS, ({ payloadBytes }) => ({
      master: 10,
      w0: 10 + (4 * Math.max(0, payloadBytes - 1_000)) / 1_024,
    }));
    const [growth] = growthsIn(outcomes);
    assert.equal(growth.sameTo, 1_000);
    assert.equal(growth.mainRole, 'workers');
    assert.equal(growth.isSteep, false);
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), [
      'From 10 B to 100,000 B the CPU time of a round trip grows for unix/json by 4.02 µs (3.92–4.12) for each KiB beyond 1,000 B (mostly in the workers).',
    ]);
  });

  it('names the processes that pay for it by what each of them adds, not by what each costs', () => {
    const mainRoleOf = (
      /** @type {Record<string, number>} */ least,
      /** @type {Record<string, number>} */ most,
    ) =>
      growthsIn(costing(PAYLOADS, ({ payloadBytes }) => (payloadBytes > 1_000 ? most : least)))[0].mainRole;
    assert.equal(mainRoleOf({ master: 40, w0: 10 }, { master: 41, w0: 25 }), 'workers');
    assert.equal(mainRoleOf({ master: 40, w0: 1 }, { master: 60, w0: 2 }), 'master');
  });

  it('is told first where it should not be: the fan-out of 2016, whose broker tells every worker each answer', () => {
    const outcomes = costing({ ...WORKERS, series: ['redis-pubsub/json'] }, ({ workers }) => ({
      master: 10,
      w0: 10,
      redis: 5 * workers,
    }));
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, { isBrief: true }), [
      'redis-pubsub/json should not cost more with more workers: a round trip takes 4.00× (4.00–4.00) the CPU time at 16 workers compared with 1 worker, most of it in the broker.',
      'From 1 worker to 16 workers the CPU time of a round trip grows for redis-pubsub/json by 5.03 µs (4.90–5.15) for each further worker (mostly in the broker).',
    ]);
  });

  it('should not be in loops or workers from twice the cost on, and may be below', () => {
    const isSteepFor = (/** @type {number} */ times) => {
      const [growth] = growthsIn(costing(LOOPS, ({ loops }) => ({ master: loops === 16 ? 10 * times : 10 })));
      return [growth.change.kind, growth.isSteep];
    };
    assert.deepEqual(isSteepFor(1.9), ['grows', false]);
    assert.deepEqual(isSteepFor(2.1), ['grows', true]);
  });

  it('is told of the two series in which it is steepest, the steepest first', () => {
    const perWorker = { pipe: 2, unix: 5, tcp: 9, zeromq: 3 };
    const series = Object.keys(perWorker).map((name) => `${name}/json`);
    const outcomes = costing({ ...WORKERS, series }, ({ transport, workers }) => ({
      master: 10,
      w0: /** @type {any} */ (perWorker)[transport] * workers,
    }));
    const told = growthSentences({ outcomes, scenarios: {} }, {}).map((sentence) => sentence.split(' ')[0]);
    assert.deepEqual(told, ['tcp/json', 'unix/json', 'From']);
  });

  it('of messages at a broker is told of a cold row and of one launch as well, where they should not become more', () => {
    /** @param {(workers: number) => number} deliveredFor @param {Parameters<typeof makeResults>[0]} [recipe] */
    const passing = (deliveredFor, recipe) =>
      costing(
        { ...WORKERS, series: ['redis-pubsub/json'], launches: 1, flag: () => ['cold'], ...recipe },
        () => ({ master: 10, redis: 5 }),
        ({ cell, launches }) => {
          for (const launch of launches)
            launch.traffic = { published: 2, delivered: deliveredFor(cell.workers), bytes: 500 };
        },
      );
    const toldOf = (/** @type {MeasuredOutcome[]} */ outcomes) =>
      growthSentences({ outcomes, scenarios: {} }, { isBrief: true });
    assert.deepEqual(toldOf(passing((workers) => 2 + workers)), [
      'Messages at the broker: redis-pubsub/json should not need more with more workers. A round trip takes 20.0 at 16 workers and 5.00 at 1 worker: each further worker costs 1.00.',
    ]);
    assert.deepEqual(toldOf(passing(() => 2)), []);
    const names = ['redis-pubsub', 'redis-list', 'redis-streams'];
    const several = costing(
      { ...WORKERS, series: names.map((name) => `${name}/json`), launches: 1 },
      () => ({ master: 10, redis: 5 }),
      ({ cell, launches, cpuUsPerOperation }) => {
        cpuUsPerOperation.broker = 1;
        for (const launch of launches) {
          const perWorker = 1 + names.indexOf(cell.transport);
          launch.traffic = { published: 2, delivered: perWorker * cell.workers, bytes: 500 };
        }
      },
    );
    assert.deepEqual(
      toldOf(several).map((sentence) => sentence.split(' ')[4]),
      ['redis-streams/json', 'redis-list/json'],
      'of the two in which they become most',
    );
    const ofGiven = passing((workers) => 2 + workers);
    for (const { cell, launches } of ofGiven)
      for (const launch of launches)
        launch.traffic = { published: 2 * cell.workers, delivered: null, bytes: 0 };
    assert.match(
      toldOf(ofGiven)[0],
      /takes 32\.0 at 16 workers and 2\.00 at 1 worker: /,
      'what it was given',
    );
    const ofOthers = passing((workers) => 2 + workers);
    for (const { cpuUsPerOperation } of ofOthers) cpuUsPerOperation.broker = null;
    assert.deepEqual(toldOf(ofOthers), [], 'others may talk to a broker that is not ours');
    const toAll = { one: 'delivery', many: 'deliveries', done: 'made', toAll: 'message' };
    const ofAll = (/** @type {MeasuredOutcome[]} */ outcomes) =>
      outcomes.map((outcome) => ({ ...outcome, operation: toAll }));
    assert.deepEqual(toldOf(ofAll(passing(() => 1))), [], 'in proportion to those who get it');
    assert.match(
      toldOf(ofAll(passing((workers) => workers)))[0],
      / needs more than in proportion to the workers\. A message to all workers takes 288 at 16 workers /,
    );
  });

  it('is along the pieces of a payload where a scenario counts it in them, and told of each of them', () => {
    const outcomes = [10, 100, 500].flatMap((records) =>
      costing(
        { payloads: [256 * records], shapes: ['1x1'] },
        () => ({ master: 15, w0: 5 + 0.8 * records }),
        (outcome) => {
          outcome.cell.scenario = `records:records=${records}`;
          outcome.operation = { one: 'list', many: 'lists', done: 'answered' };
        },
      ),
    );
    const facts = { pieces: { name: 'records', bytes: 256, question: 'records' } };
    const scenarios = Object.fromEntries(
      outcomes.map(({ cell }) => [cell.scenario, /** @type {any} */ (facts)]),
    );
    assert.deepEqual(growthSentences({ outcomes, scenarios }, {}), [
      'From 10 records to 500 records the CPU time of a list grows for unix/json by 0.804 µs (0.784–0.824) for each further record (mostly in the workers; per record it becomes 0.30×).',
    ]);
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), []);
  });

  it('is of the message where it goes to all workers, and may be in proportion to them', () => {
    const toAll = { one: 'delivery', many: 'deliveries', done: 'made', toAll: 'message' };
    const outcomes = costing(
      WORKERS,
      () => ({ master: 3, w0: 0.5 }),
      (outcome) => Object.assign(outcome, { operation: toAll }),
    );
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), [
      'From 1 worker to 16 workers the CPU time of a message to all workers grows for unix/json by 3.52 µs (3.43–3.60) for each further worker (mostly in the master).',
    ]);
  });

  it('of bytes is too fast where the last step costs more than its share', () => {
    const outcomes = costing(PAYLOADS, ({ payloadBytes }) => ({ master: 10 + payloadBytes ** 1.4 / 100 }));
    const [first] = growthSentences({ outcomes, scenarios: {} }, {});
    assert.match(first, /^unix\/json costs more than in proportion to the payload: a round trip takes /);
  });

  it('is told as a fall where more loops make each operation cheaper', () => {
    const outcomes = costing(LOOPS, ({ loops }) => ({ master: 5 + 15 / loops }));
    assert.match(growthSentences({ outcomes, scenarios: {} }, {})[0], / falls for unix\/json to 0\.30× /);
  });

  it('is that of the launches whose costs are known', () => {
    const outcomes = costing(LOOPS, ({ loops }) => ({ master: 20 + loops }));
    Object.assign(outcomes[1].launches[0], { costs: [], unknownCosts: ['w0'] });
    assert.match(growthSentences({ outcomes, scenarios: {} }, {})[0], / grows for unix\/json by 1\.0\d µs /);
    for (const launch of outcomes[1].launches) launch.costs = [];
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), []);
  });

  it('cannot be told where launches differ by more, and a first look says nothing of it', () => {
    const outcomes = costing(LOOPS, () => ({ master: 20 }));
    for (const { block, costs } of outcomes[2].launches) costs[0].userUs *= 1 + (block % 2);
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), [
      'From 1 loop to 16 loops the CPU time of a round trip does not change clearly for unix/json.',
    ]);
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, { isBrief: true }), []);
  });

  it('is not told of too few values, of too few launches, nor of processes that never sleep', () => {
    const flat = () => ({ master: 10 });
    assert.deepEqual(growthsIn(costing({ shapes: ['1x1', '1x4'] }, flat)), []);
    assert.deepEqual(growthsIn(costing({ ...LOOPS, launches: 1 }, flat)), []);
    assert.deepEqual(growthsIn(costing({ ...LOOPS, flag: () => ['cold'] }, flat)), []);
    const busy = costing(LOOPS, flat, ({ cell }) => Object.assign(cell, { poll: 'busy' }));
    assert.deepEqual(growthsIn(busy), []);
  });

  it('is told of connections as well, one of which goes without saying', () => {
    const outcomes = [1, 16, 256].flatMap((connections) =>
      costing(
        { shapes: ['2x1'] },
        () => ({ master: 5 + connections / 100 }),
        ({ cell }) => void (connections > 1 && Object.assign(cell, { connections })),
      ),
    );
    assert.match(
      growthSentences({ outcomes, scenarios: {} }, {})[0],
      /^From 1 connection to 256 connections the CPU time of a round trip grows for unix\/json by 0\.0101 µs .* beyond 16 connections/,
    );
  });

  it('names the scenario where there are several', () => {
    const both = ['round-trip', 'other'].flatMap((scenario) =>
      costing(
        LOOPS,
        () => ({ master: 10 }),
        ({ cell }) => Object.assign(cell, { scenario }),
      ),
    );
    const told = growthSentences({ outcomes: both, scenarios: {} }, {});
    assert.deepEqual(
      told.map((sentence) => /time of (.*) stays/.exec(sentence)?.[1]),
      ['a round trip (round-trip)', 'a round trip (other)'],
    );
  });

  it('says of several places whether they agree', () => {
    const recipe = {
      shapes: ['1x1', '1x4', '1x16'],
      payloads: [10, 1_000],
      series: ['unix/json', 'tcp/json'],
    };
    const outcomes = costing(recipe, ({ transport, payloadBytes, loops }) => ({
      master: transport === 'tcp' && payloadBytes === 10 ? 10 / loops : 10,
    }));
    assert.deepEqual(growthSentences({ outcomes, scenarios: {} }, {}), [
      'From 1 loop to 16 loops the CPU time of a round trip stays within 25 % for unix/json; it depends on the other axes for tcp/json.',
    ]);
  });
});
