// Whatever the measures of a scenario give, the results file can be read again: a launch whose numbers cannot be saved is a failed
// one, and so is a row. The code of a measure may be anybody's.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { cellLabel } from '../../lib/cell/labels.js';
import { BenchError } from '../../lib/errors.js';
import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { trafficText } from '../../lib/record/saved-traffic.js';
import { parseResults, readResults } from '../../lib/results/read.js';
import { summariseResults } from '../../lib/results/summarise.js';
import { resultsText, writeResults } from '../../lib/results/write.js';
import { measuredLaunch } from '../../lib/run/findings/measured-launch.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import { IS_LONG } from '../conformance/long-form.js';
import { buildResults } from '../fixtures/build-results.js';
import { makeTraffic } from '../fixtures/make-traffic.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

/** @import { Cell, Launch, MeasureFacts, MeasuredOutcome, Outcome, Results } from '../../lib/types/index.js' */

const SEED = 22;
const RUNS = IS_LONG ? 60 : 8; // of each scenario
const SERIES = ['pipe/json', 'unix/json'];
const THROWS = Symbol('the measure throws');
const LAUNCHES = 6;

const results = buildResults({ series: SERIES, reference: 'pipe/json', launches: 1 });
const [reference, row] = results.outcomes.map(({ cell }) => cell);
const timing = { workGoal: {}, messages: null, binMs: 50 };
const fields = /** @type {any} */ (
  await simulatedLauncher()(/** @type {any} */ ({ cell: row, timing }), /** @type {any} */ ({ signal: {} }))
).fields;
const latency = new LatencyCounts();
for (let ns = 1; ns <= fields.operations; ns += 1) latency.record(ns);
const LATENCY = latency.toLatency(); // as many as operations ended: a scenario may call them its service times

const value = fc.oneof(
  { arbitrary: fc.double({ min: 1, max: 1e6, noNaN: true }), weight: 12 },
  { arbitrary: fc.double(), weight: 1 },
  {
    arbitrary: fc.constantFrom(
      ...[0, -0, 1, -1, 5e-324, 1e-300, 1e300, Number.MAX_VALUE, -Number.MAX_VALUE],
      ...[Number.NaN, Infinity, -Infinity, 5n, 'many', undefined, null, {}, [], Symbol('x'), THROWS],
    ),
    weight: 1,
  },
);
const times = fc.oneof(
  { arbitrary: fc.constantFrom([LATENCY], [LATENCY, LATENCY], Float64Array.of(1, 2, 3)), weight: 12 },
  {
    arbitrary: fc.constantFrom(
      ...[[], null, undefined, 'many', 5, 5n, {}, THROWS, [null], [{}], [LATENCY, 5]],
      ...[0, -1, 1.5, 2 ** 42, Number.NaN, Infinity].map((ns) => Float64Array.of(ns)),
      ...['', 'zzz', LATENCY.histogram.slice(0, 40)].map((histogram) => [{ ...LATENCY, histogram }]),
      ...[Number.NaN, -1, Infinity, 'x', 1n, null].map((count) => [{ ...LATENCY, count }]),
      ...[Number.NaN, -5, Infinity, undefined].map((meanNs) => [{ ...LATENCY, meanNs, maxNs: meanNs }]),
    ),
    weight: 1,
  },
);

/** @param {MeasureFacts[]} facts @returns {fc.Arbitrary<unknown[][]>} of each launch what each measure gives */
const givenOf = (facts) =>
  fc.array(fc.tuple(...facts.map(({ kind }) => (kind === 'times' ? times : value))), {
    minLength: 1,
    maxLength: LAUNCHES + 1,
  });

/**
 * @param {Cell} cell
 * @param {MeasureFacts[]} facts
 * @param {number} group
 * @param {unknown[]} given   of each measure
 * @returns {Launch}
 */
function launchOf(cell, facts, group, given) {
  const measures = facts.map((measure, index) => ({
    ...measure,
    read() {
      if (given[index] === THROWS) throw new Error('rd');
      return /** @type {any} */ (given[index]);
    },
  }));
  const position = { group, order: group, startedAt: '2026-01-15T09:00:00.000Z' };
  const circumstances = {
    usableCpus: 8,
    quick: false,
    isBrokerOurs: false,
    measures: /** @type {any} */ (measures),
    operation: { one: 'round trip', many: 'round trips', done: 'answered' },
  };
  try {
    return measuredLaunch(
      fields,
      /** @type {any} */ ({ cell, cpus: null, timing, open: null }),
      position,
      circumstances,
    );
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    const { code, message } = error;
    return { status: 'failed', ...position, code, message, phase: 'drain', stderr: [], integrity: null };
  }
}

/** @param {MeasureFacts[]} facts @param {unknown[][]} given   of each launch of the second row; the first one is of ones @returns {Results} */
function resultsOf(facts, given) {
  const ones = given.map(() => facts.map(({ kind }) => (kind === 'times' ? [LATENCY] : 1)));
  const launchesOf = (/** @type {Cell} */ cell, /** @type {unknown[][]} */ all) =>
    all.map((each, group) => launchOf(cell, facts, group, each));
  const scenarios = {
    'round-trip': { operation: { one: 'a', many: 'as', done: 'done' }, measures: facts },
  };
  const launches = new Map([
    [cellLabel(reference), launchesOf(reference, ones)],
    [cellLabel(row), launchesOf(row, given)],
  ]);
  const plan = [reference, row].map((cell) => ({ cell, skip: null }));
  const circumstances = { plannedLaunches: given.length, quick: false, scenarios };
  const outcomes = summariseResults(plan, launches, 'pipe/json', circumstances);
  return { ...results, scenarios, outcomes };
}

/** @param {unknown[]} own @param {Partial<MeasureFacts>} [words] @returns {{ saved: Results, outcome: Outcome }} of a scenario whose headline is 1, and which has one more measure */
function savedWith(own, words = {}) {
  /** @type {MeasureFacts[]} */
  const facts = [
    { name: 'rate', title: 'rate', unit: 'per second', better: 'higher', kind: 'value' },
    { name: 'grown', title: 'grown', unit: 'bytes', better: 'lower', kind: 'value', ...words },
  ];
  const made = resultsOf(
    facts,
    own.map((each) => [1, each]),
  );
  const saved = parseResults(resultsText(made), 'saved');
  return { saved, outcome: saved.outcomes[1] };
}

describe('a results file that cannot be read', () => {
  it('is named with the reason and what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-read-'));
    try {
      const refusal = (/** @type {RegExp} */ message) => ({ code: 'BAD_RESULTS_FILE', message });
      await assert.rejects(
        readResults(join(folder, 'none.json')),
        refusal(/none\.json cannot be read as results: there is no such file\. Check the path/),
      );
      await assert.rejects(
        readResults(folder),
        refusal(/it is a folder\. Name the results\.json inside it\.$/),
      );
      await assert.rejects(
        readResults(join(folder, 'x'.repeat(300))),
        refusal(/cannot be read as results: ENAMETOOLONG/),
      );
      assert.throws(() => parseResults('{"schemaVersion":', 'cut'), refusal(/it was cut off/));
      assert.throws(
        () => parseResults(JSON.stringify({ ...results, seed: undefined }), 'mine'),
        refusal(/^mine cannot be read as results: the document lacks seed\. /),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is in another encoding, or is named for what it is', async () => {
    const text = JSON.stringify(results);
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-read-'));
    const path = join(folder, 'r.json');
    const read = (/** @type {string | Uint8Array} */ content) => {
      writeFileSync(path, content);
      return readResults(path);
    };
    try {
      const little = Buffer.from(`\ufeff${text}`, 'utf16le');
      const encoded = [
        `\ufeff${text}`,
        `${text}\r\n`,
        little,
        little.subarray(2),
        Buffer.from(little).swap16(),
      ];
      for (const content of encoded) assert.equal((await read(content)).seed, results.seed);
      /** @type {[string | Uint8Array, RegExp][]} */
      const others = [
        [gzipSync(text), /compressed with gzip\. Unpack it with gzip -dc .*r\.json/],
        [`${text}\n${text}`, /holds 2 JSON documents, .* jq -s/],
        ['{"a":1}\n{"a":2}\n', /2 JSON objects, as a file of messages does\. .* --message-file /],
        ['[{"a":1}]', /a list, as a file of messages may be/],
        [trafficText(makeTraffic({ requests: 3, sendUs: 5 })), /recorded traffic\. .* recommend --traffic /],
        ['{"schemaVersion":1,"tool":{"name":"ipc-bench"},"kind":"comparison"}', /it is a comparison\. Name /],
        ['{"workers":"1x1"}', /has options, .* --config /],
        ['<!doctype html>', /HTML or XML/],
        ['', /it is empty/],
      ];
      for (const [content, message] of others)
        await assert.rejects(() => read(content), { code: 'BAD_RESULTS_FILE', message });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('may have flags with sentences, as saved by earlier versions', () => {
    const text = JSON.stringify(results, (key, value) =>
      key === 'flags' ? [{ code: 'cold', message: 'a process had done too little work' }] : value,
    );
    const [row] = parseResults(text, 'old.json').outcomes;
    assert.ok(row.status === 'measured');
    const codes = [row, ...row.launches].map(({ flags }) => flags.map(({ code }) => code));
    assert.deepEqual(new Set(codes.flat()), new Set(['cold']));
  });

  it('is one of a later version, or of another program', () => {
    const versionOf = (
      /** @type {unknown} */ schemaVersion,
      name = 'ipc-bench',
      version = '9.9.9\u001b[31m',
    ) => {
      const tool = { name, version };
      return () => parseResults(JSON.stringify({ ...results, schemaVersion, tool }), 'mine.json');
    };
    assert.throws(
      versionOf(results.schemaVersion + 1),
      /it is of version \d+, written by ipc-bench 9\.9\.9, newer than this one\. Update ipc-bench/,
    );
    assert.throws(versionOf(2, 'ipc-bench', '9'.repeat(50)), /by ipc-bench 9{40}, newer/);
    for (const strange of [versionOf(0), versionOf(1.5), versionOf('1'), versionOf(1, 'other')])
      assert.throws(strange, /it has no "schemaVersion" and "tool" of ipc-bench/);
    assert.equal(versionOf(results.schemaVersion)().schemaVersion, results.schemaVersion);
  });
});

describe('what the measures of a scenario give is saved so that it can be read again, or fails the row, in', () => {
  for (const name of builtinNames('scenario')) {
    it(name, async () => {
      const scenario = (await import(builtinUrl('scenario', name))).default;
      const { measures } = countedBy(scenario, [{ connections: 2 }]);
      const facts = measures.map(({ read: _read, ...measure }) => measure);
      fc.assert(
        fc.property(givenOf(facts), (given) => {
          const made = resultsOf(facts, given);
          const [first, second] = parseResults(resultsText(made), 'saved').outcomes;
          assert.equal(first.status, 'measured');
          assert.equal(second.status, made.outcomes[1].status);
          if (second.status === 'failed') assert.ok(second.message.length > 0);
        }),
        { seed: SEED, numRuns: RUNS },
      );
    });
  }
});

describe('a measure on a linear scale', () => {
  const LINEAR = /** @type {const} */ ({ scale: 'linear' });

  it('estimates a linear measure without logarithms, so that it may be negative or 0 in a launch', () => {
    const { outcome } = savedWith([-1_181, 5_100, 5_200, 5_300, 5_400, 5_500], LINEAR);
    const { estimate, low, high, n } = /** @type {any} */ (
      /** @type {MeasuredOutcome} */ (outcome).measures.grown
    );
    assert.deepEqual([low, high, n], [-1_181, 5_500, LAUNCHES]);
    assert.ok(estimate > 5_000 && estimate < 5_400, String(estimate));
  });

  it('is refused where it is no finite number', () => {
    const { outcome } = savedWith([1, Infinity], LINEAR);
    assert.match(
      JSON.stringify(outcome),
      /measure grown of the scenario round-trip cannot be read: it gave Infinity/,
    );
  });
});

describe('a measure on the usual scale', () => {
  it('accepts a measure of 0, which has no logarithm', () => {
    const { outcome } = savedWith([0, 4, 4, 4, 4, 4]);
    const { estimate, low, high } = /** @type {any} */ (
      /** @type {MeasuredOutcome} */ (outcome).measures.grown
    );
    assert.deepEqual([estimate, low, high], [4, 0, 4]);
  });

  it('fails its row where it is negative, and says which measure of which scenario', () => {
    const { saved, outcome } = savedWith([3, -3]);
    assert.equal(outcome.status, 'failed');
    assert.match(
      JSON.stringify(outcome),
      /in 1 of 2 launches: the measure grown of the scenario round-trip cannot be read: it gave -3/,
    );
    assert.equal(saved.outcomes[0].status, 'measured');
  });
});

describe('writeResults', () => {
  it('replaces no file by one that could not be read again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-saved-'));
    try {
      const path = join(folder, 'results.json');
      await writeResults(path, results);
      const before = readFileSync(path, 'utf8');
      const [outcome] = /** @type {MeasuredOutcome[]} */ (results.outcomes);
      const [launch] = outcome.launches;
      const broken = [
        { ...outcome, peakRssBytes: Number.NaN },
        { ...outcome, cpuUsPerOperation: { ...outcome.cpuUsPerOperation, master: Infinity } },
        { ...outcome, launches: [{ ...launch, windowMs: -1 }] },
        { ...outcome, launches: [{ ...launch, traffic: 5n }] },
        { ...outcome, launches: [{ ...launch, values: { roundTripsPerSecond: 0 } }] },
      ];
      for (const one of broken) {
        const document = /** @type {Results} */ ({ ...results, outcomes: [one] });
        await assert.rejects(
          writeResults(path, document),
          /not written, it could not be read again: outcomes\[0\]/,
        );
      }
      await assert.rejects(writeResults(path, { ...results, seed: /** @type {any} */ (Number.NaN) }));
      assert.equal(readFileSync(path, 'utf8'), before);
      assert.equal((await readResults(path)).outcomes.length, results.outcomes.length);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
