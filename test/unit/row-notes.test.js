// What is said below tables of what is missing, was lost, was promised, and passed a broker.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linearEnd, logEnds, payloadTick, si, ticksAt } from '../../lib/report/charts/text/quantity-words.js';
import { netText } from '../../lib/report/columns/columns.js';
import { lossNotes, lossText, promiseSentences } from '../../lib/report/text/delivery-words.js';
import { gapNotes, plannedGapNotes } from '../../lib/report/text/gaps.js';
import { fairnessNotes, insideNotes, makeBriefNotes, makeNotes } from '../../lib/report/text/notes.js';
import { listRemarks, sharedFaultSentences, sharedFaults } from '../../lib/report/text/remarks.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';

describe('losses in words', () => {
  const counts = { asked: 12_000, lost: 0, late: 0, reordered: 0 };

  it('are counted of all that was asked, once', () => {
    const textOf = (/** @type {object} */ some) => lossText(/** @type {any} */ ({ ...counts, ...some }));
    assert.equal(lossText(undefined), null);
    assert.equal(textOf({}), null);
    assert.equal(textOf({ lost: 1 }), '1 of 12,000 lost');
    assert.equal(textOf({ late: 1 }), '1 of 12,000 late');
    assert.equal(textOf({ lost: 3, late: 1_500 }), '3 of 12,000 lost, 1,500 late');
  });

  it('are summed over the rows of a series, and left out in brief where there are none', () => {
    const results = makeResults({ series: ['udp/json', 'unix/json', 'ring/json'], payloads: [100, 1_000] });
    for (const outcome of measuredOf(results)) {
      const { transport } = outcome.cell;
      if (transport === 'udp') Object.assign(outcome, { losses: { ...counts, lost: 2, reordered: 5 } });
      if (transport === 'ring') Object.assign(outcome, { losses: counts });
    }
    const lost = 'Responses of udp/json: 4 of 24,000 lost; 10 out of order.';
    assert.deepEqual(lossNotes(results.outcomes), [
      lost,
      'Responses of ring/json: none of 24,000 lost or late; in order.',
    ]);
    assert.deepEqual(lossNotes(results.outcomes, { isBrief: true }), [lost]);
  });
});

describe('a CPU time that is unknown', () => {
  it('has its reason below the table, with the processes and the launches that it is unknown of', () => {
    const results = makeResults({ series: ['unix/json', 'tcp/json'], launches: 3 });
    const isUnknown = (/** @type {string} */ note) => note.startsWith('CPU time unknown');
    assert.ok(!makeNotes(results).some(isUnknown));
    const [{ launches }] = measuredOf(results);
    Object.assign(launches[1], { costs: [], unknownCosts: ['w0', 'redis'] });
    for (const notes of [makeNotes(results), makeBriefNotes(results)]) {
      const [note, ...others] = notes.filter(isUnknown);
      assert.deepEqual(others, []);
      assert.match(note, /do not span the window within 5 %: unix\/json \(w0, redis; 1 of 3 launches\)\.$/);
    }
  });
});

describe('the system calls of a process', () => {
  it('prints all system calls and writes, and the four most frequent of each process', () => {
    const results = makeResults({ series: ['unix/json'], launches: 1 });
    const calls = { read: 1, write: 0.5, epoll_wait: 0.25, futex: 0.125, madvise: 0.01 };
    const processes = [{ name: 'master', calls }];
    const syscalls = [{ cell: results.outcomes[0].cell, operations: 1_000, processes }];
    assert.deepEqual(insideNotes(/** @type {any} */ ({ ...results, syscalls })), [
      'System calls per round trip of unix/json (1,000 round trips under strace, which slows it down): 1.89, of which 0.50 writes; master read 1.00, write 0.50, epoll_wait 0.25, futex 0.13.',
    ]);
  });
});

describe('the look inside of a process', () => {
  const results = makeResults({ series: ['unix/json'], launches: 1 });
  const [{ cell }] = results.outcomes;
  const notesWith = (/** @type {object} */ own) => insideNotes(/** @type {any} */ ({ ...results, ...own }));

  it('names the folder of the profiles of each row once', () => {
    const profiles = ['master', 'w0'].map((name) => ({
      cell,
      process: name,
      file: `profiles/00-unix-json/${name}.cpuprofile`,
    }));
    assert.deepEqual(notesWith({ profiles }), [
      'CPU profiles of unix/json, for Chrome DevTools: profiles/00-unix-json, beside the results.',
    ]);
  });

  it('says why there is none, and whether its extra launch failed', () => {
    const look = { cell, look: 'profile', message: 'w0 died.' };
    assert.deepEqual(
      notesWith({
        failedLooks: [
          { ...look, code: 'PROCESS_DIED' },
          { ...look, code: 'RUNTIME' },
        ],
      }),
      [
        '--profile has no result for unix/json: its extra launch failed, w0 died (PROCESS_DIED).',
        '--profile has no result for unix/json: w0 died (RUNTIME).',
      ],
    );
  });
});

describe('gaps that are known before a run', () => {
  it('are told as after it, a transport of which nothing is there by its name alone', () => {
    const skip = (/** @type {any} */ { transport, payloadBytes }) =>
      transport === 'tcp' ? 'no network' : transport === 'pipe' && payloadBytes === 100 ? 'too short' : null;
    const results = makeResults({
      series: ['tcp/json', 'tcp/string', 'pipe/json', 'unix/json'],
      payloads: [100, 1_000],
      skip,
    });
    const cells = results.outcomes.map(({ cell }) => ({ cell, skip: skip(cell), isImpossible: false }));
    const notes = plannedGapNotes(/** @type {any} */ ({ cells, reference: results.reference }));
    assert.deepEqual(notes.toSorted(), gapNotes(results).toSorted());
    assert.equal(notes.length, 2);
    assert.ok(notes.includes('Skipped: tcp: no network'), notes.join());
    const impossible = cells.map((each) => ({ ...each, isImpossible: each.cell.transport === 'tcp' }));
    assert.deepEqual(
      plannedGapNotes(/** @type {any} */ ({ cells: impossible, reference: results.reference })),
      notes.filter((note) => !note.includes('tcp')),
    );
  });
});

describe('what no machine could measure', () => {
  /** @param {number} causes */
  const notesOf = (causes) => {
    const names = Array.from({ length: causes }, (_, place) => `t${place}`);
    const results = makeResults({
      series: ['unix/json', ...names.map((name) => `${name}/json`)],
      skip: ({ transport }) => (transport === 'unix' ? null : `${transport} cannot`),
    });
    for (const outcome of results.outcomes) if (outcome.status === 'skipped') outcome.isImpossible = true;
    return gapNotes(results);
  };

  it('is told in one line, with four causes at the most and how many more there are', () => {
    const textOf = (/** @type {number} */ place) => `t${place} (t${place} cannot)`;
    assert.deepEqual(notesOf(0), []);
    assert.deepEqual(notesOf(1), [`Not applicable: ${textOf(0)}`]);
    assert.deepEqual(
      notesOf(5),
      [`Not applicable: ${[0, 1, 2, 3, 4].map(textOf).join('; ')}`],
      'one more is told as well',
    );
    assert.deepEqual(notesOf(6), [
      `Not applicable: ${[0, 1, 2, 3].map(textOf).join('; ')}; and 2 more (--dry-run lists them)`,
    ]);
  });

  it('is told of the rows that are asked for only', () => {
    const results = makeResults({
      series: ['unix/json', 'tcp/json', 'pipe/json'],
      skip: ({ transport }) => (transport === 'tcp' ? 'no network' : null),
      fail: ({ transport }) => (transport === 'pipe' ? 'it died' : null),
    });
    const [skipped, failed] = ['Skipped: tcp: no network', 'Failed: pipe: it died (PROCESS_DIED)'];
    assert.deepEqual(gapNotes(results).toSorted(), [failed, skipped]);
    assert.deepEqual([gapNotes(results, 'skipped'), gapNotes(results, 'failed')], [[skipped], [failed]]);
  });
});

describe('the jobs of killed workers', () => {
  /** @param {any[]} outages   one for each series */
  function sentencesOf(...outages) {
    const series = ['a/json', 'b/json', 'c/json'].slice(0, outages.length);
    const results = makeResults({ series, launches: 2 });
    for (const [index, { launches }] of measuredOf(results).entries()) {
      for (const launch of launches) if (outages[index]) Object.assign(launch, { outage: outages[index] });
    }
    return promiseSentences(results.outcomes);
  }

  it('are summed over launches and told for all that fared alike, broken promises first', () => {
    const kept = { promise: 'at most once', lost: 3, doneTwice: 0 };
    assert.deepEqual(sentencesOf(null, null), []);
    assert.deepEqual(sentencesOf(kept, { promise: 'at least once', lost: 1, doneTwice: 0 }, kept), [
      'Jobs of killed workers, b/json: 2 lost, none done twice; guarantee: at least once (violated).',
      'Jobs of killed workers, a/json, c/json: 6 lost, none done twice; guarantee: at most once.',
    ]);
    const [twice] = sentencesOf({ promise: 'at most once', lost: 0, doneTwice: 700 });
    assert.match(twice, /none lost, 1,400 done twice; guarantee: at most once \(violated\)\.$/);
    const [fine] = sentencesOf({ promise: 'at least once', lost: 0, doneTwice: 700 });
    assert.match(fine, /guarantee: at least once\.$/);
  });
});

describe('what a reader needs to compare rows fairly', () => {
  it('tells what passed a broker, beside what is needed', () => {
    const results = makeResults({ series: ['redis-pubsub/json', 'unix/json'], launches: 2 });
    const [first] = measuredOf(results).filter(({ cell }) => cell.transport === 'redis-pubsub');
    const notes = () => fairnessNotes(results).filter((note) => note.includes('to the broker'));
    assert.deepEqual(notes(), []);
    const [one, two] = first.launches;
    Object.assign(one, { traffic: { published: 2, delivered: 4, bytes: 300 } });
    const told = 'redis-pubsub/json, per round trip: ';
    assert.deepEqual(notes(), [`${told}2.00 messages to the broker, 4.00 from it; 300 B from it.`]);
    Object.assign(one, { traffic: { published: 2, delivered: null, bytes: 300 } });
    Object.assign(two, { traffic: { published: 3, delivered: null, bytes: 300 } });
    assert.deepEqual(notes(), [`${told}2.00–3.00 messages to the broker; 300 B from it.`]);
    results.transports = { 'redis-pubsub': /** @type {any} */ ({ messagesPerRoundTrip: 2 }) };
    assert.deepEqual(notes(), [`${told}2.00–3.00 messages to the broker, 2 needed; 300 B from it.`]);
    const { 'round-trip': scenario } = results.scenarios;
    results.scenarios = { ...results.scenarios, 'round-trip': { ...scenario, roundTrips: 3 } };
    assert.deepEqual(notes(), [`${told}2.00–3.00 messages to the broker, 6 needed; 300 B from it.`]);
  });

  it('has the cost beside the codec, and a bound where it cannot be told from the codec', () => {
    const results = makeResults({ series: ['unix/json'], launches: 6 });
    const [outcome] = measuredOf(results);
    const { cell } = outcome;
    const whole = Object.values(outcome.cpuUsPerOperation).reduce(
      (/** @type {number} */ sum, us) => sum + (us ?? 0),
      0,
    );
    /** @param {number} estimate @param {number} half */
    const told = (estimate, half) => {
      const codecUs = { estimate, low: estimate - half, high: estimate + half };
      const row = { ...cell, codecUs, checkUs: 1, nullUs: 1 };
      return netText(outcome, /** @type {any} */ ({ timer: null, rows: [row] })) ?? '';
    };
    assert.equal(netText(outcome, undefined), null);
    const shown = Number(told(0, 0));
    assert.ok(Math.abs(shown - whole) < 0.01 * whole, `${shown} of ${whole}`);
    assert.match(told(whole, whole / 2), /^≤ /);
    assert.ok(Number(told(whole, whole / 4).slice(2)) >= whole / 4 - 0.05);
    assert.ok(Number(told(2 * whole, whole / 2).slice(2)) <= whole, 'no less than nothing is left');
    assert.ok(Number(told(whole, 100 * whole).slice(2)) <= 1.01 * whole, 'never more than the whole');
  });
});

describe('the ends and ticks of an axis', () => {
  it('are round numbers that hold all values, and not much more', () => {
    for (const value of [0.003, 0.7, 1, 3, 9.9, 10, 12, 99, 101, 4_200, 5_000, 77_000, 1e6]) {
      const { max, step } = linearEnd(value);
      assert.ok(max >= value && max - step < value, String(value));
      assert.ok(max / step >= 2 && Math.round(max / step) <= 5, `${value}: ${max / step} steps`);
      assert.ok(
        ['1', '2', '2.5', '5', '10'].includes(String(Number(`${step.toExponential(6).split('e')[0]}`))),
      );
      const { min, max: end } = logEnds([value, 3 * value]);
      assert.ok(min <= 0.9 * value && min > (0.9 * value) / 2.6, `${value}: ${min}`);
      assert.ok(end >= 3.3 * value && end < 3.3 * value * 2.6, `${value}: ${end}`);
      for (const edge of [min, end]) assert.match(edge.toExponential(6), /^(?:1|2|5)\.000000e/);
    }
  });

  it('are those that were measured, but for what stands too close', () => {
    assert.deepEqual(ticksAt([1, 10, 100], 8), [1, 10, 100]);
    assert.deepEqual(ticksAt([1, 1.01, 10, 10.1, 100], 8), [1, 10, 100]);
    const many = Array.from({ length: 100 }, (_, index) => 1.1 ** index);
    const kept = ticksAt(many, 8);
    assert.ok(kept.length >= 7 && kept.length <= 9, String(kept));
    assert.equal(kept[0], 1);
  });

  it('are written short', () => {
    assert.deepEqual([0, 1.234, 500, 999, 1_000, 1_500, 999_000, 1e6, 2.5e9, -2_000].map(si), [
      '0',
      '1.23',
      '500',
      '999',
      '1k',
      '1.5k',
      '999k',
      '1M',
      '2.5G',
      '-2k',
    ]);
    assert.deepEqual([10, 900, 1_000, 1_500, 999_900, 1e6, 2e6, 65_536].map(payloadTick), [
      '10 B',
      '900 B',
      '1 kB',
      '1.5 kB',
      '999.9 kB',
      '1 MB',
      '2 MB',
      '64 KiB',
    ]);
  });
});

describe('the remarks of a row', () => {
  const [row] = measuredOf(makeResults({ series: ['unix/json'] }));
  /** @param {Record<string, number>} flags   how many launches have each, by its code @param {Set<string>} [shared] */
  const remarksOf = (flags, shared = new Set()) =>
    listRemarks(
      {
        ...row,
        flags: Object.keys(flags).map((code) => ({ code, message: '' })),
        launches: row.launches.map((launch, place) => ({
          ...launch,
          flags: Object.entries(flags).flatMap(([code, count]) =>
            place < count ? { code, message: '' } : [],
          ),
        })),
      },
      shared,
    );
  const all = row.launches.length;

  it('are its faults, with the launches that have them where these are not all', () => {
    assert.deepEqual(remarksOf({ 'not-steady': 2, quick: all, bottleneck: 0 }), ['not stable in 2 launches']);
    assert.deepEqual(remarksOf({ 'not-steady': all }), ['not stable']);
    assert.deepEqual(remarksOf({ amplified: 1 }), ['extra broker messages in 1 launch']);
    assert.deepEqual(remarksOf({ interrupted: 0 }), ['fewer launches']);
  });

  it('name no launches where too few have what the row has as a whole', () => {
    assert.deepEqual(remarksOf({ cold: 1 }), ['still warming up']);
  });

  it('begin with what keeps it from being ranked, and leave out what all rows have', () => {
    const flags = { 'not-steady': all, cold: all, amplified: all };
    assert.deepEqual(remarksOf(flags), ['still warming up', 'not stable', 'extra broker messages']);
    assert.deepEqual(remarksOf(flags, new Set(['not stable'])), [
      'still warming up',
      'extra broker messages',
    ]);
  });

  it('say once that launches were disturbed, by whatever, and in how many', () => {
    assert.deepEqual(remarksOf({ crowded: 2, steal: 1 }), ['disturbed in 2 launches']);
    assert.deepEqual(remarksOf({ crowded: 1, steal: 1 }), ['disturbed in 1 launch']);
    assert.deepEqual(remarksOf({ crowded: all, steal: 1 }), ['disturbed']);
    assert.deepEqual(remarksOf({ crowded: 0, steal: 0 }), ['disturbed'], 'nobody says in which');
  });
});

describe('the faults of all rows', () => {
  it('are said once, in a sentence, but that all were disturbed', () => {
    const results = makeResults({
      series: ['unix/json', 'tcp/json'],
      flag: ({ transport }) => ['cold', 'crowded', 'quick', ...(transport === 'tcp' ? ['amplified'] : [])],
    });
    assert.deepEqual(sharedFaultSentences(results.outcomes), ['All rows: still warming up.']);
    assert.deepEqual([...sharedFaults(results.outcomes)], ['still warming up', 'disturbed']);
    assert.deepEqual(sharedFaultSentences(results.outcomes.slice(0, 1)), [], 'one row says it itself');
  });
});
