// A finding names the quantity that was measured, and a cause only where that was measured. Each case here was once printed as a cause of
// something else.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingsIn } from '../../lib/report/findings/index.js';
import { disturbedByHost } from '../../lib/report/findings/noise-findings.js';
import { phrase } from '../../lib/report/text/phrase-table.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { withBlocks } from '../fixtures/with-blocks.js';

/** @import { Finding, MeasuredOutcome, Results } from '../../lib/types/index.js' */

const TWO = { series: ['pipe/json', 'unix/json'], shapes: ['2x4'] };

/** @param {Results} results @param {string} kind @returns {Finding[]} */
const found = (results, kind) => findingsIn(results).filter((finding) => finding.kind === kind);

/** @param {Results} results @param {(outcome: MeasuredOutcome, index: number) => void} change */
function changed(results, change) {
  measuredOf(results).forEach(change);
  return results;
}

describe('more processes than CPUs', () => {
  const crowded = (/** @type {number} */ share) => {
    const results = changed(buildResults({ ...TWO, flag: () => ['oversubscribed'] }), ({ launches }) => {
      for (const { costs } of launches) for (const cost of costs) cost.share = share;
    });
    results.environment.usableCpus = [0, 1];
    return found(results, 'oversubscribed');
  };

  it('are no finding while they use 2 % of a core, since none waits for a CPU', () => {
    assert.deepEqual(crowded(0.02), []);
  });

  it('are a finding with the CPUs that they use, if these are nearly all', () => {
    const [{ numbers }] = crowded(0.6);
    assert.deepEqual([numbers.processesMost, numbers.cpusMost], [3, 2]);
    assert.ok(Number(numbers.usedCpusMost) > 1.5);
  });
});

describe('few round trips before the window', () => {
  it('are counted, and the rate is not called too low, at any rate', () => {
    const results = changed(buildResults({ series: ['unix'], rates: [12_000], launches: 2 }), (outcome) => {
      outcome.flags = [{ code: 'low-rate' }];
    });
    const [finding] = found(results, 'few-before');
    assert.deepEqual([finding.numbers.perSecond, finding.numbers.operations], [12_000, 3_000]);
    assert.equal(finding.operation?.one, 'round trip');
    assert.doesNotMatch(phrase(finding, false).join(' '), /too low/);
    const cell = { ...results.outcomes[0].cell, scenario: 'stream' };
    const probe = { ratePerSecond: 20, us: null, keeps: false, why: 'too slow', flags: ['low-rate'] };
    const sweep = { cell, slo: { percentile: 'p99', us: 1 }, probes: [probe], foundPerSecond: null };
    const sweeps = /** @type {any} */ ([{ ...sweep, endedBy: 'none', elapsedMs: 1_000 }]);
    const operation = { one: 'message', many: 'messages', done: 'received' };
    const scenarios = { stream: { ...results.scenarios['round-trip'], operation } };
    const [searched] = found({ ...results, outcomes: [], sweeps, scenarios }, 'few-before');
    assert.deepEqual([searched.numbers.perSecond, searched.rows, searched.operation], [20, [], operation]);
  });
});

describe('a process that is busy', () => {
  const limitWith = (
    /** @type {number[] | null} */ cpus,
    ofSecond = cpus,
    /** @type {number[] | null} */ usableCpus = [0, 1, 2, 3],
  ) => {
    const results = changed(buildResults(TWO), (outcome, index) => {
      outcome.busiest = { name: 'w0', role: 'worker', share: 0.95 };
      for (const { costs } of outcome.launches)
        for (const cost of costs) cost.cpus = index === 1 ? ofSecond : cpus;
    });
    Object.assign(results.environment, { usableCpus, logicalCpus: 5 });
    return found(results, 'limit')[0];
  };

  it('may be helped by more workers only if a CPU is free for them', () => {
    assert.equal(limitWith([0, 1]).remedy, 'more-workers');
    assert.equal(limitWith([0, 1, 2, 3]).remedy, 'not-more-workers');
    assert.equal(limitWith([0, 1], [0, 1, 2, 3]).remedy, 'not-more-workers');
    assert.equal(limitWith(null).remedy, 'not-more-workers', 'unknown');
    const usedOf = (/** @type {number[]} */ cpus) => limitWith(cpus, cpus, null).remedy;
    assert.deepEqual([usedOf([0, 1, 2, 3]), usedOf([0, 1, 2, 3, 4])], ['more-workers', 'not-more-workers']);
  });

  it('is named beside its role if it is a broker, which more workers do not help', () => {
    const results = changed(buildResults(TWO), (outcome) => {
      outcome.busiest = { name: 'redis-server', role: 'broker', share: 0.95 };
    });
    const [{ names, remedy, rows }] = found(results, 'limit');
    assert.deepEqual(names, { role: 'broker', process: 'redis-server' });
    assert.deepEqual([remedy, rows[0].numbers?.share], ['not-more-workers', 0.95]);
  });

  it('limits, and a sender that waits while no process is busy may have another reason', () => {
    assert.match(phrase(limitWith([0, 1]), false)[0], / limits /);
    const waits = changed(buildResults(TWO), (outcome) => {
      outcome.busiest = { name: 'w0', role: 'worker', share: 0.2 };
      outcome.backpressure = { waits: 9, backlog: 0, backlogPerSecond: 0, lostShare: 0, grownIn: null };
      for (const { costs } of outcome.launches) for (const cost of costs) cost.share = 0.2;
    });
    const window = { setting: 'inflight', messages: 1 };
    for (const facts of Object.values(waits.transports ?? {})) facts.acknowledgementWindow = window;
    const [finding] = found(waits, 'limit');
    assert.equal(finding.names.role, 'acknowledgement-window');
    assert.match(phrase(finding, false)[0], / may limit /);
  });
});

describe('a median of 40 ms', () => {
  const acknowledged = (
    /** @type {string} */ transport,
    p50 = 41_000,
    /** @type {Partial<import('../../lib/types/index.js').Cell>} */ changes = {},
    /** @type {string | undefined} */ of = undefined,
  ) => {
    const results = changed(
      buildResults({ series: [`${transport}/json`], shapes: ['1x1'] }),
      ({ cell, measures }) => {
        Object.assign(cell, changes);
        Object.assign(measures.serviceTime, { p50 });
      },
    );
    results.scenarios.stream = results.scenarios['round-trip'];
    if (of !== undefined) Object.assign(results.transports?.[transport] ?? assert.fail(), { class: of });
    return found(results, 'delayed-acknowledgements');
  };

  it('has nothing to do with TCP on a unix socket, and may have on TCP', () => {
    assert.deepEqual(acknowledged('unix'), []);
    const [finding] = acknowledged('tcp');
    assert.match(phrase(finding, false)[0], / may be /);
    for (const of of ['pipe', 'memory', 'thread']) assert.deepEqual(acknowledged('tcp', 41_000, {}, of), []);
    assert.equal(acknowledged('own').length, 1, 'its class is unknown');
  });

  it('is from 2 % below to 20 % above one or two delays', () => {
    for (const [least, most] of [
      [39_200, 48_000],
      [78_400, 96_000],
    ]) {
      const counts = [least - 1, least, most, most + 1].map((us) => acknowledged('tcp', us).length);
      assert.deepEqual(counts, [0, 1, 1, 0]);
    }
  });

  it('may be one of short messages in few loops, for round trips without an emulated network', () => {
    for (const [changes, isFound] of /** @type {[object, boolean][]} */ ([
      [{ loops: 4, payloadBytes: 65_536 }, true],
      [{ loops: 5 }, false],
      [{ payloadBytes: 65_537 }, false],
      [{ network: '1ms' }, false],
      [{ scenario: 'stream' }, false],
    ]))
      assert.equal(acknowledged('tcp', 41_000, changes).length === 1, isFound, JSON.stringify(changes));
  });
});

describe('requests that wait in the worker', () => {
  it('are more than all workers take at once', () => {
    const waiting = (/** @type {number} */ mostInFlight) => {
      const results = changed(buildResults({ ...TWO, rates: [1_000] }), ({ launches }) => {
        for (const { open } of launches) Object.assign(open ?? {}, { mostInFlight });
      });
      results.transports = { unix: /** @type {any} */ ({ requestsAtOnce: 2 }) };
      return found(results, 'waiting-requests').flatMap(({ rows }) => rows.map(({ row }) => row));
    };
    assert.deepEqual([waiting(4), waiting(5)], [[], ['unix/json']]);
  });
});

describe('a disturbed machine', () => {
  it('is named with the longest stall, of which doctor finds the cause if nothing else disturbs it', () => {
    const stalledBy = (/** @type {string[]} */ ...codes) => {
      const recipe = { ...TWO, flag: () => ['stalled', ...codes] };
      const results = changed(buildResults(recipe), ({ launches }) => {
        for (const launch of launches)
          launch.noise = /** @type {any} */ ({ masterStallMs: 10 + launch.group });
      });
      const [{ numbers, remedy }] = found(results, 'disturbed');
      return [numbers.longestStallMs, remedy];
    };
    assert.deepEqual(stalledBy(), [15, 'doctor']);
    assert.deepEqual(stalledBy('crowded'), [15, 'quieter-machine']);
  });
});

describe('launches that something disturbed on a host', () => {
  it('are counted by the host, without hosts that had none', () => {
    const calm = { othersShare: 0, stealShare: 0, pressureShare: 0, throttledPeriods: 0, spinRatio: 1 };
    const results = changed(buildResults(TWO), ({ launches }) => {
      for (const launch of launches) {
        const hosts = { a: calm, b: launch.group < 2 ? { ...calm, othersShare: 0.3 } : calm };
        launch.noise = /** @type {any} */ ({ ...calm, masterStallMs: 0, hosts });
      }
    });
    assert.deepEqual(disturbedByHost(measuredOf(results)), { b: 4 });
    assert.deepEqual(disturbedByHost(measuredOf(buildResults(TWO))), {});
  });
});

describe('rows that are missing', () => {
  it('are named by their transport if all others of it are missing for the same cause, or cannot exist', () => {
    const skip = (/** @type {import('../../lib/types/index.js').Cell} */ { transport }) =>
      transport === 'udp' ? 'no sockets' : null;
    const results = buildResults({ series: ['pipe/json', 'udp/json', 'udp/string', 'udp/v8'], skip });
    const skippedRows = () => found(results, 'skipped').flatMap(({ rows }) => rows.map(({ row }) => row));
    assert.deepEqual(skippedRows(), ['udp']);
    const last = /** @type {any} */ (results.outcomes.at(-1));
    Object.assign(last, { reason: 'encoded twice', isImpossible: true });
    assert.deepEqual(skippedRows(), ['udp']);
    delete last.isImpossible;
    assert.deepEqual(skippedRows(), ['udp/json', 'udp/string', 'udp/v8']);
  });
});

describe('code of the master that blocks its event loop', () => {
  it('is a property of the row, and does not disturb the machine', () => {
    const results = changed(buildResults({ ...TWO, flag: () => ['blocked'] }), ({ launches }) => {
      for (const launch of launches) launch.blockedMaster = { longestMs: 400, share: 0.3 };
    });
    assert.equal(found(results, 'blocked')[0].rows[0].numbers?.longestMs, 400);
    assert.deepEqual(found(results, 'disturbed'), []);
  });
});

describe('code that blocks the event loop of an end', () => {
  const blocking = (/** @type {number} */ leastMs, /** @type {number} */ mostMs) =>
    found(
      withBlocks(buildResults(TWO), {
        'pipe/json': { masterMs: leastMs },
        'unix/json': { masterMs: mostMs },
      }),
      'event-loop-block',
    ).map(({ names, rows }) => [names.end, ...rows.map(({ row }) => row)]);

  it('is a finding from 5 ms on, for twice as long as in another row', () => {
    assert.deepEqual(blocking(6, 20), [['master', 'unix/json', 'pipe/json']]);
    assert.deepEqual(blocking(20, 6), [['master', 'pipe/json', 'unix/json']]);
    assert.deepEqual(blocking(11, 20), []);
    assert.deepEqual(blocking(1, 4), []);
  });

  it('is that of so many operations, if their CPU time is known', () => {
    const operationsOf = (/** @type {(measures: any) => void} */ change) => {
      const blocks = { 'pipe/json': { masterMs: 6 }, 'unix/json': { masterMs: 20, atOnce: 4 } };
      const results = changed(withBlocks(buildResults(TWO), blocks), ({ measures }) => change(measures));
      return found(results, 'event-loop-block')[0].rows[0].numbers?.operations;
    };
    assert.equal(
      operationsOf(() => {}),
      4,
    );
    assert.equal(
      operationsOf((measures) => delete measures.mainCpu),
      undefined,
    );
    assert.equal(
      operationsOf(({ mainCpu }) => Object.assign(mainCpu, { estimate: 0 })),
      undefined,
    );
  });
});

describe('unequal sleeps', () => {
  it('are more than twice as many, and at least one in twenty operations', () => {
    const numbersOf = (/** @type {number} */ first, /** @type {number} */ second, cpuUs = 1) => {
      const results = changed(buildResults({ ...TWO, launches: 2 }), (outcome, index) => {
        outcome.cpuUsPerOperation = { workers: 0, master: index === 0 ? 1 : cpuUs, broker: null };
        for (const launch of outcome.launches) {
          launch.operations = 1_000;
          for (const cost of launch.costs)
            cost.voluntarySwitches = cost.role === 'master' ? (index === 0 ? first : second) : 0;
        }
      });
      return found(results, 'unequal-sleeps').map(({ rows }) => rows[0].numbers);
    };
    assert.deepEqual(numbersOf(200, 400), []);
    assert.deepEqual(numbersOf(200, 401, 3), [{ sleeps: 0.401, baseSleeps: 0.2, cpuRatio: 3 }]);
    assert.equal(numbersOf(200, 401, 0)[0]?.cpuRatio, null);
    assert.deepEqual(
      [numbersOf(20, 49).length, numbersOf(20, 50).length, numbersOf(50, 0).length],
      [0, 1, 1],
    );
  });

  it('are named once for each two rows that a table or a contrast compares', () => {
    const results = buildResults({ series: ['pipe/json', 'unix/json', 'unix/string'] });
    changed(results, ({ cell, launches }) => {
      const sleeps = cell.transport === 'pipe' ? 0.05 : cell.codec === 'json' ? 0.2 : 0.8;
      for (const { costs, operations } of launches)
        for (const cost of costs) cost.voluntarySwitches = operations * sleeps;
    });
    const [{ rows }] = found(results, 'unequal-sleeps');
    const pairs = rows.map(({ row, names }) => `${row} ${names?.against}`).sort();
    assert.deepEqual(pairs, ['unix/json pipe/json', 'unix/string pipe/json', 'unix/string unix/json']);
    assert.ok(rows.every(({ heading }) => heading === undefined));
  });

  it('name the table of a row where there are several', () => {
    const results = changed(buildResults({ ...TWO, payloads: [100, 1_000] }), ({ cell, launches }) => {
      const isOften = cell.transport === 'unix' && cell.payloadBytes === 1_000;
      for (const { costs, operations } of launches)
        for (const cost of costs) cost.voluntarySwitches = operations * (isOften ? 0.4 : 0.05);
    });
    const [{ rows }] = found(results, 'unequal-sleeps');
    assert.deepEqual(
      rows.map(({ row, heading }) => [row, heading]),
      [['unix/json', '1,000 B, 2x4']],
    );
  });
});

describe('tables without ratios', () => {
  const withoutReference = (/** @type {number[]} */ payloads) =>
    found(
      buildResults({
        series: ['pipe/json', 'unix/json', 'tcp/json'],
        payloads,
        shapes: ['2x4'],
        skip: ({ transport }) => (transport === 'pipe' ? 'it is not here' : null),
      }),
      'no-ratios',
    )[0];

  it('are named with what happened to the reference, and as a group if there is one', () => {
    const one = withoutReference([100]);
    assert.deepEqual([one.why?.code, one.rows[0].row, one.numbers.tables], ['skipped', 'pipe/json', 1]);
    assert.equal(one.group?.heading, one.rows[0].heading);
    const several = withoutReference([100, 1_000]);
    assert.deepEqual([several.rows.length, several.group], [2, null]);
  });

  it('lack launches of a quick run only if the reference was measured', () => {
    const reasonOf = (/** @type {Results} */ results, quick = true) => {
      const [{ why, remedy }] = found({ ...results, options: { ...results.options, quick } }, 'no-ratios');
      return [why?.code, remedy];
    };
    const apart = changed(buildResults(TWO), (outcome) => {
      outcome.ratio = null;
    });
    const skipped = buildResults({ ...TWO, skip: ({ transport }) => (transport === 'pipe' ? 'no' : null) });
    assert.deepEqual(
      [reasonOf(apart), reasonOf(apart, false), reasonOf(skipped)],
      [
        ['quick', 'quick'],
        ['measured', null],
        ['skipped', null],
      ],
    );
  });
});
