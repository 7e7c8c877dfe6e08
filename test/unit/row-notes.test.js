// The remarks of rows, the rows that a sentence names, the gaps of a plan, and the cost of a row beside its codec. Sentences are in
// test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seriesLabel } from '../../lib/cell/labels.js';
import { netText } from '../../lib/report/columns/columns.js';
import { guaranteeFindings } from '../../lib/report/findings/guarantee-findings.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { sharedFaults } from '../../lib/report/findings/noise-findings.js';
import { findScope } from '../../lib/report/findings/scope.js';
import { gapSentences, plannedGapSentences } from '../../lib/report/text/conclusion.js';
import { phrase } from '../../lib/report/text/phrase-table.js';
import { scopeText } from '../../lib/report/text/phrases/limit-phrases.js';
import { listRemarks } from '../../lib/report/text/remarks.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';

/** @param {import('../../lib/types/index.js').Results} results */
const gapNotes = (results) => gapSentences(findingsIn(results));

describe('sentences on gaps', () => {
  it('names a gap before the run as after it, and a transport without rows by its name alone', () => {
    const skip = (/** @type {any} */ { transport, payloadBytes }) =>
      transport === 'tcp' ? 'no network' : transport === 'pipe' && payloadBytes === 100 ? 'too short' : null;
    const results = buildResults({
      series: ['tcp/json', 'tcp/string', 'pipe/json', 'unix/json'],
      payloads: [100, 1_000],
      skip,
    });
    const cells = results.outcomes.map(({ cell }) => ({ cell, skip: skip(cell), isImpossible: false }));
    const notes = plannedGapSentences(/** @type {any} */ ({ cells, reference: results.reference }));
    assert.deepEqual(notes.toSorted(), gapNotes(results).toSorted());
    assert.equal(notes.length, 2);
    assert.ok(notes.includes('Skipped: tcp: no network.'), notes.join());
    const impossible = cells.map((each) => ({ ...each, isImpossible: each.cell.transport === 'tcp' }));
    assert.deepEqual(
      plannedGapSentences(/** @type {any} */ ({ cells: impossible, reference: results.reference })),
      notes.filter((note) => !note.includes('tcp')),
    );
  });
});

describe('the cost of a row beside its codec', () => {
  it('has a bound if it cannot be told from the cost of the codec', () => {
    const results = buildResults({ series: ['unix/json'], launches: 6 });
    const [outcome] = measuredOf(results);
    const { cell } = outcome;
    const whole = Object.values(outcome.cpuUsPerOperation).reduce(
      (/** @type {number} */ sum, us) => sum + (us ?? 0),
      0,
    );
    /** @param {number} estimate @param {number} half */
    const told = (estimate, half) => {
      const codecUs = { estimate, low: estimate - half, high: estimate + half };
      const row = { ...cell, codecUs, checkUs: 1, nullUs: estimate + 1 };
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

describe('listRemarks', () => {
  const [row] = measuredOf(buildResults({ series: ['unix/json'] }));
  /** @param {Record<string, number>} flags   how many launches have each, by its code @param {Set<string>} [shared] */
  const remarksOf = (flags, shared = new Set()) =>
    listRemarks(
      {
        ...row,
        flags: Object.keys(flags).map((code) => ({ code })),
        launches: row.launches.map((launch, index) => ({
          ...launch,
          flags: Object.entries(flags).flatMap(([code, count]) => (index < count ? { code } : [])),
        })),
      },
      shared,
    );
  const all = row.launches.length;

  it('names faults, with the launches that have them if not all do', () => {
    assert.deepEqual(remarksOf({ 'not-steady': 2, quick: all, bottleneck: 0 }), ['not stable in 2 launches']);
    assert.deepEqual(remarksOf({ 'not-steady': all }), ['not stable']);
    assert.deepEqual(remarksOf({ amplified: 1 }), ['extra broker messages in 1 launch']);
    assert.deepEqual(remarksOf({ interrupted: 0 }), ['fewer launches']);
  });

  it('names no launches if the row as a whole has the fault', () => {
    assert.deepEqual(remarksOf({ cold: 1 }), ['may still be warming up']);
  });

  it('begins with what keeps the row from being ranked, and leaves out what all rows have', () => {
    const flags = { 'not-steady': all, cold: all, amplified: all };
    assert.deepEqual(remarksOf(flags), ['may still be warming up', 'not stable', 'extra broker messages']);
    assert.deepEqual(remarksOf(flags, new Set(['not-steady'])), [
      'may still be warming up',
      'extra broker messages',
    ]);
  });

  it('names disturbed launches once, whatever disturbed them', () => {
    assert.deepEqual(remarksOf({ crowded: 2, steal: 1 }), ['disturbed in 2 launches']);
    assert.deepEqual(remarksOf({ crowded: 1, steal: 1 }), ['disturbed in 1 launch']);
    assert.deepEqual(remarksOf({ crowded: all, steal: 1 }), ['disturbed']);
    assert.deepEqual(remarksOf({ crowded: 0, steal: 0 }), ['disturbed'], 'it is unknown in which');
  });
});

describe('the faults of all rows', () => {
  it('leaves out properties, and has none of a single row', () => {
    const results = buildResults({
      series: ['unix/json', 'tcp/json'],
      flag: ({ transport }) => ['cold', 'crowded', 'quick', ...(transport === 'tcp' ? ['amplified'] : [])],
    });
    assert.deepEqual([...sharedFaults(measuredOf(results)).keys()], ['cold', 'disturbed']);
    assert.deepEqual([...sharedFaults(measuredOf(results).slice(0, 1))], []);
  });

  it('has those of most rows, with the others by name', () => {
    const series = ['pipe', 'unix', 'tcp', 'fifo', 'stdio', 'zeromq'].map((name) => `${name}/json`);
    const sharedWith = (/** @type {string[]} */ calm, payloads = [100]) =>
      sharedFaults(
        measuredOf(
          buildResults({
            series,
            payloads,
            flag: ({ transport, payloadBytes }) =>
              calm.includes(transport) && payloadBytes === 100 ? [] : ['not-steady'],
          }),
        ),
      ).get('not-steady');
    assert.deepEqual(sharedWith([]), { kind: 'all', names: [], of: 6 });
    assert.deepEqual(sharedWith(['unix', 'tcp'])?.names, ['unix/json', 'tcp/json']);
    assert.deepEqual(sharedWith(['unix'], [100, 1_000])?.names, ['unix/json at 100 B, 2x4']);
    assert.equal(sharedWith(['unix', 'tcp', 'fifo']), undefined, 'half of the rows');
  });
});

describe('the impossible rows', () => {
  it('names at most four causes of impossible rows, and counts the others', () => {
    const notesOf = (/** @type {number} */ causes) => {
      const names = Array.from({ length: causes }, (_, index) => `t${index}`);
      const results = buildResults({
        series: ['unix/json', ...names.map((name) => `${name}/json`)],
        skip: ({ transport }) => (transport === 'unix' ? null : `${transport} cannot`),
      });
      for (const outcome of results.outcomes) if (outcome.status === 'skipped') outcome.isImpossible = true;
      return gapNotes(results);
    };
    const textOf = (/** @type {number} */ count) =>
      Array.from({ length: count }, (_, index) => `t${index} (t${index} cannot)`).join('; ');
    assert.deepEqual(notesOf(0), []);
    assert.deepEqual(notesOf(5), [`Not applicable: ${textOf(5)}.`]);
    assert.deepEqual(notesOf(6), [`Not applicable: ${textOf(4)}; and 2 more (--dry-run lists them).`]);
  });
});

describe('the rows that a sentence is about', () => {
  const SIX = ['pipe/json', 'unix/json', 'tcp/json', 'udp/json', 'stdio/json', 'tcp/string'];
  /** @param {string[]} series @param {(index: number) => boolean} isConcerned */
  const scopeIn = (series, isConcerned) => {
    const measured = measuredOf(buildResults({ series }));
    const concerned = measured.filter((_outcome, index) => isConcerned(index));
    const rows = concerned.map(({ cell }) => ({ row: seriesLabel(cell) }));
    return scopeText({ rows, scope: findScope(measured, concerned) });
  };

  it('are all but one or two of six or more, which it names, or are counted', () => {
    const seven = [...SIX, 'unix/string'];
    assert.equal(
      scopeIn(seven, (index) => index > 0),
      'all rows but pipe/json',
    );
    assert.equal(
      scopeIn(SIX, (index) => index > 0 && index < 5),
      'all rows but pipe/json, tcp/string',
    );
    assert.equal(
      scopeIn(seven, (index) => index > 1 && index < 6),
      '4 of 7 rows',
    );
    assert.equal(
      scopeIn(SIX.slice(1), (index) => index > 0),
      '4 of 5 rows',
    );
  });

  it('are all of one to six shapes, sizes or codecs with three rows or more each', () => {
    const namesIn = (
      /** @type {Parameters<typeof buildResults>[0]} */ recipe,
      /** @type {(cell: import('../../lib/types/index.js').Cell) => boolean} */ isConcerned,
    ) => {
      const series = ['tcp/json', 'unix/json', 'zeromq/json'];
      const measured = measuredOf(buildResults({ series, launches: 1, ...recipe }));
      return findScope(
        measured,
        measured.filter(({ cell }) => isConcerned(cell)),
      ).names;
    };
    const many = { shapes: Array.from({ length: 8 }, (_, index) => `1x${index + 1}`) };
    const upTo = (/** @type {number} */ most) => namesIn(many, ({ loops }) => loops <= most);
    assert.deepEqual(upTo(6), ['1x1', '1x2', '1x3', '1x4', '1x5', '1x6']);
    assert.deepEqual(upTo(7), []);
    assert.deepEqual(
      namesIn({ ...many, series: ['tcp/json', 'unix/json'] }, ({ loops }) => loops === 2),
      [],
    );
    assert.deepEqual(
      namesIn({ shapes: ['1x1', '1x2'], payloads: [10, 100] }, ({ payloadBytes }) => payloadBytes === 100),
      ['100 B'],
    );
    const codecs = ['tcp', 'unix', 'zeromq'].flatMap((name) => [`${name}/json`, `${name}/string`]);
    assert.deepEqual(
      namesIn({ series: codecs }, ({ codec }) => codec === 'string'),
      ['codec string'],
    );
  });
});

describe('the guarantee of jobs of killed workers', () => {
  it('is that of all launches of a row, and begins with one that was broken', () => {
    const rows = [
      { transport: 'unix', promise: 'at least once', lost: [0] },
      { transport: 'nats', promise: 'at most once', lost: [0, 4] },
      { transport: 'rabbitmq', promise: 'at least once', lost: [1_234] },
    ].map(({ transport, promise, lost }) => ({
      status: 'measured',
      cell: { transport, codec: 'json', scenario: 'queue:kill=1', settings: {} },
      launches: lost.map((count) => ({ outage: { promise, lost: count, doneTwice: count / 2 } })),
    }));
    const findings = guaranteeFindings(/** @type {any} */ ({ measured: rows }));
    assert.deepEqual(findings.flatMap((finding) => phrase(finding, false)).slice(0, 2), [
      'Jobs of killed workers, nats/json: 4 lost, 2 done twice; guarantee: at most once (violated).',
      'Jobs of killed workers, rabbitmq/json: 1,234 lost, 617 done twice; guarantee: at least once (violated).',
    ]);
  });
});
