// How a recommendation is put into words and into JSON, of facts that are made up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inReadingOrder } from '../../lib/cell/traits.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadTransports } from '../../lib/plugins/plugins.js';
import { compareByTieBreakers, isBuiltIn } from '../../lib/report/recommend/decide.js';
import { fittingTransports, transportsOfSystems } from '../../lib/report/recommend/fitting.js';
import { keptBy } from '../../lib/report/recommend/meets-slo.js';
import {
  brokenSentences,
  promiseSentence,
  promiseText,
  recommendationJson,
  recommendationSentences,
  scopeSentences,
} from '../../lib/report/recommend/recommendation-words.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';
import { recommended as recommendedOf, requestOf } from '../fixtures/requests.js';

/** @import { Kept, Recommendation, Request, Results } from '../../lib/types/index.js' */

const transports = await loadTransports(builtinNames('transport'));
const SLO = /** @type {const} */ ({ percentile: 'p99', us: 5_000 });

/** @param {Results} results @param {Partial<Request>} [wishes] */
const recommended = (results, wishes = {}) =>
  recommendedOf(
    results,
    wishes,
    (/** @type {string} */ name) => /** @type {any} */ (transports.get(name)).plugin,
  );

/** @param {string[]} series @param {Parameters<typeof makeResults>[0]} [recipe] */
const results = (series, recipe) => makeResults({ series, payloads: [1_000], launches: 8, ...recipe });
/** @param {number} estimate @param {number} low @param {number} high */
const estimateOf = (estimate, low, high) =>
  /** @type {const} */ ({ estimate, low, high, level: 0.95, n: 8, method: 'signed-rank' });
/** @param {Partial<Kept>} kept @returns {any} */
const judged = (kept) => ({
  candidate: { name: 'unix/json' },
  kept: {
    ...{ verdict: 'yes', evidence: 'open', ratePerSecond: null, number: null, sustained: null, why: '' },
    ...kept,
  },
});

describe('what is said of a promise', () => {
  /** @param {Partial<Kept>} kept @param {Partial<Request>} [wishes] */
  const said = (kept, wishes) => {
    const recommendation = /** @type {any} */ ({ request: requestOf({ ratePerSecond: 2_000, ...wishes }) });
    return promiseSentence(recommendation, judged(kept)).join();
  };
  const us = estimateOf(412, 380, 450);

  it('is its rate, and its limit where it has one', () => {
    assert.equal(promiseText(requestOf({ ratePerSecond: 12_000 })), '12,000/s');
    assert.equal(promiseText(requestOf({ ratePerSecond: 12_000, slo: SLO })), 'p99<5ms at 12,000/s');
    assert.equal(said({}, { ratePerSecond: null }), '');
  });

  it('names the time, the reason and the rate at which it was measured', () => {
    assert.equal(said({ number: us }), 'Meets 2,000/s, under open load.');
    assert.equal(said({ ratePerSecond: 2_000 }), 'Meets 2,000/s, under open load.');
    assert.equal(said({ ratePerSecond: 4_000 }), 'Meets 2,000/s, measured at 4,000/s, under open load.');
    assert.equal(
      said({ number: us }, { slo: SLO }),
      'Meets p99<5ms at 2,000/s: p99 412 µs (380–450), under open load.',
    );
    assert.equal(
      said({ number: estimateOf(1_000, 999, 4_120) }, { slo: { percentile: 'p999', us: 5_000 } }),
      'Meets p99.9<5ms at 2,000/s: p99.9 1.00 ms (1.00–4.12), under open load.',
    );
    assert.equal(
      said({ number: estimateOf(999, 900, 4_120) }, { slo: SLO }),
      'Meets p99<5ms at 2,000/s: p99 999 µs (900–4,120), under open load.',
    );
    assert.equal(
      said({ number: { ...us, n: 1, level: null } }, { slo: SLO }),
      'Meets p99<5ms at 2,000/s: p99 412 µs, under open load.',
    );
    assert.equal(
      said({ verdict: 'unclear', why: 'too few answers' }, { slo: SLO }),
      'Unclear whether it meets p99<5ms at 2,000/s: too few answers, under open load.',
    );
  });

  it('is capacity alone where there was no open load', () => {
    const capacity = /** @type {const} */ ({ evidence: 'capacity', number: estimateOf(3_000, 2_900, 3_100) });
    const loops = 'closed loops reached 3,000 (2,900–3,100) per second.';
    assert.equal(said(capacity), `Sustains 2,000/s, judged by capacity alone: ${loops}`);
    assert.equal(
      said({ ...capacity, verdict: 'unclear' }),
      `Unclear whether it sustains 2,000/s, judged by capacity alone: ${loops}`,
    );
    assert.equal(
      said(capacity, { slo: SLO }),
      `Not measured: whether it meets p99<5ms at 2,000/s. Capacity only: ${loops}`,
    );
    assert.equal(said({ evidence: 'none' }), 'Not measured: whether it meets 2,000/s.');
  });

  it('names those that break it, with the number or the reason', () => {
    const request = requestOf({ ratePerSecond: 2_000, slo: SLO });
    const broken = [
      judged({ number: us }),
      judged({ why: 'it could not be sent as fast' }),
      judged({}),
      judged({ evidence: 'capacity', number: estimateOf(300, 290, 310) }),
    ];
    assert.deepEqual(brokenSentences(/** @type {any} */ ({ broken, request })), [
      'Does not meet p99<5ms at 2,000/s: unix/json 412 µs (380–450), unix/json (it could not be sent as fast), unix/json, unix/json 300 (290–310) per second.',
    ]);
    assert.deepEqual(brokenSentences(/** @type {any} */ ({ broken: [], request })), []);
  });
});

describe('whether a promise is kept by capacity', () => {
  const [outcome] = measuredOf(results(['unix/json']));
  const headline = /** @type {any} */ (outcome.measures.roundTripsPerSecond);
  const candidate = /** @type {any} */ ({ open: [], closed: [outcome], sweeps: [] });
  const verdict = (/** @type {number} */ ratePerSecond, slo = null) =>
    keptBy(candidate, requestOf({ ratePerSecond, slo })).verdict;

  it('is told by both ends of what closed loops did, and no limit is proven by it', () => {
    const { low, high } = headline;
    assert.ok(low < high);
    assert.deepEqual(
      [verdict(low), verdict(low + 0.1), verdict(high), verdict(high + 0.1)],
      [...['yes', 'unclear', 'unclear', 'no']],
    );
    assert.equal(verdict(1, /** @type {any} */ (SLO)), 'unclear');
    assert.equal(verdict(high + 0.1, /** @type {any} */ (SLO)), 'no');
  });

  it('is not told where nothing counts operations per second, and of course where no rate is given', () => {
    const none = { ...candidate, closed: [] };
    const kept = keptBy(none, requestOf({ ratePerSecond: 1 }));
    assert.deepEqual([kept.verdict, kept.evidence, kept.number], ['unclear', 'none', null]);
    assert.equal(keptBy(none, requestOf()).verdict, 'yes');
  });
});

describe('what else may be recommended', () => {
  it('runs on every system on which the runs were measured', () => {
    const all = [...transports.values()].map(({ plugin }) => plugin);
    const namesOn = (/** @type {string[]} */ ...platforms) => {
      const sources = platforms.map((platform) => ({ results: { environment: { platform } } }));
      return transportsOfSystems(all, /** @type {any} */ (sources)).map(({ name }) => name);
    };
    assert.ok(namesOn('linux').includes('shared-memory'));
    assert.deepEqual(
      namesOn('linux').filter((name) => !namesOn('linux', 'win32').includes(name)),
      ['fifo', 'file', 'shared-memory'],
    );
  });
});

describe('what is simple', () => {
  const plain = /** @type {const} */ ({ broker: null, platforms: ['linux'], ridesOnStart: true });
  /** @param {string} name @param {Record<string, unknown>} [traits] @param {Record<string, unknown>} [cell] @returns {any} */
  const rowOf = (name, traits, cell) => ({
    name,
    traits: { ...plain, ...traits },
    cell: { codec: 'json', settings: {}, ...cell },
  });
  const rows = [
    rowOf('plain'),
    rowOf('no ride', { ridesOnStart: undefined }),
    rowOf('codec', { ridesOnStart: undefined }, { codec: 'v8' }),
    rowOf('setting', {}, { settings: { a: 1 } }),
    rowOf('settings', {}, { settings: { a: 1, b: 2 } }),
    rowOf('package', { packages: ['a'] }),
    rowOf('packages', { packages: ['a', 'b'] }),
    rowOf('broker', { broker: 'redis' }),
  ];
  const namesOf = (/** @type {any[]} */ some) => some.map(({ name }) => name);

  it('needs no server, then no package, then no setting, then no codec of its own, then nothing before the start', () => {
    assert.deepEqual(namesOf(compareByTieBreakers(rows.toReversed())), namesOf(rows));
    const alike = [rowOf('b'), rowOf('a')];
    assert.deepEqual(compareByTieBreakers(alike), alike, 'in the order given');
  });

  it('comes with Node where it is known to need no server, no package and no codec of its own', () => {
    assert.deepEqual(namesOf(rows.filter(isBuiltIn)), ['plain', 'no ride', 'setting', 'settings']);
    assert.equal(isBuiltIn(rowOf('of a third party', { platforms: undefined })), false);
  });
});

describe('the sentences of a recommendation', () => {
  const found = recommended(results(['pipe/json', 'unix/string', 'tcp/json']));
  const [one, other] = found.judged;
  /** @param {Partial<Recommendation>} changes */
  const said = (changes) => recommendationSentences({ ...found, ...changes }).join('\n');

  it('name each certainty in words of its own', () => {
    const name = found.choice?.candidate.name;
    for (const [certainty, text] of /** @type {[Recommendation['certainty'], RegExp][]} */ ([
      ['best', /^Take \S+: it is the best at 1,000 B, 2x4\./],
      ['only', /^Take \S+: nothing else that was measured meets the requirements at 1,000 B, 2x4\./],
      ['alike', /^Take \S+: no noticeable difference from the best at 1,000 B, 2x4\./],
      [
        'unclear',
        /^Take \S+( \(nothing to install\))?: no clear winner at 1,000 B, 2x4, and it is the simplest/,
      ],
      ['none', /^No verdict at 1,000 B, 2x4 \(too few launches in common\): \S+ has the best estimate\./],
    ])) {
      assert.match(said({ certainty }), text);
      assert.ok(said({ certainty }).split('\n')[0].includes(String(name)));
    }
    const [candidate] = found.evidence.candidates;
    assert.match(
      said({ certainty: 'only', evidence: { ...found.evidence, candidates: [candidate] } }),
      /^Take \S+: it meets the requirements at 1,000 B, 2x4, and nothing else was measured there\./,
    );
  });

  it('affirm nothing of the only candidate where it is unclear whether it keeps the promise', () => {
    const kept = { .../** @type {any} */ (found.choice).kept, verdict: 'unclear' };
    const choice = { .../** @type {any} */ (found.choice), kept };
    const [candidate] = found.evidence.candidates;
    assert.match(
      said({ certainty: 'only', choice, evidence: { ...found.evidence, candidates: [candidate] } }),
      /^Take \S+: it may meet the requirements at 1,000 B, 2x4, and nothing else was measured there\./,
    );
    assert.match(
      said({ certainty: 'only', choice }),
      /^Take \S+: it may meet the requirements at 1,000 B, 2x4, and nothing else that was measured does\./,
    );
  });

  it('name those that are as good, and those that cannot be told from it, each where there are some', () => {
    const alike = { ...one, standing: /** @type {const} */ ('alike') };
    const unclear = {
      ...other,
      standing: /** @type {const} */ ('unclear'),
      ratio: estimateOf(0.5, 0.4, 0.8),
    };
    const both = said({ certainty: 'unclear', judged: [alike, unclear] });
    assert.match(both, new RegExp(`^No noticeable difference: ${one.candidate.name}\\.$`, 'm'));
    // Of half the cost twice as much is done.
    assert.match(
      both,
      new RegExp(
        `^No clear difference in throughput: ${other.candidate.name} 2\\.00× \\(1\\.25–2\\.50\\)\\.$`,
        'm',
      ),
    );
    assert.doesNotMatch(said({ certainty: 'unclear', judged: [unclear] }), /No noticeable/);
    assert.doesNotMatch(said({ certainty: 'alike', judged: [alike] }), /No clear/);
    const byCpu = { certainty: /** @type {const} */ ('unclear'), judged: [unclear] };
    assert.match(
      said({ ...byCpu, request: requestOf({ by: 'cpu' }) }),
      /^No clear difference in CPU time: \S+ 0\.50× \(0\.40–0\.80\)\.$/m,
    );
    assert.match(said({ ...byCpu, request: requestOf({ by: 'master' }) }), /in CPU time of the master: /);
    assert.doesNotMatch(
      said({ certainty: 'only', judged: [], runnerUp: null }),
      /Runner-up|Next best|No noticeable/,
    );
    assert.match(
      said({ certainty: 'none' }),
      new RegExp(`^Next best estimate: ${one.candidate.name}\\.$`, 'm'),
    );
  });

  it('name the costs of both, as a share of a core at a rate and for each operation without one', () => {
    const choice = {
      .../** @type {any} */ (found.choice),
      cpuUs: 12.3,
      coreShare: null,
      memoryBytes: 2 ** 28,
    };
    const runnerUp = { ...one, cpuUs: null, coreShare: null, memoryBytes: null };
    const costs = (/** @type {Partial<Recommendation>} */ changes) =>
      /^Cost \(.*$/m.exec(said({ choice, runnerUp, ...changes }))?.[0];
    const name = one.candidate.name;
    assert.equal(
      costs({ runnerUp: null }),
      'Cost (all processes): 12.3 µs of CPU time per operation, 256 MiB of memory.',
    );
    assert.equal(
      costs({ runnerUp: { ...runnerUp, cpuUs: 5 } }),
      `Cost (all processes): 12.3 µs of CPU time per operation, 256 MiB of memory; ${name} 5.00 µs of CPU time per operation.`,
    );
    assert.equal(
      costs({ choice: { ...choice, coreShare: 0.0412, memoryBytes: null }, runnerUp: null }),
      'Cost (all processes): 4.1 % of a core.',
    );
    assert.equal(costs({ choice: { ...choice, cpuUs: null, memoryBytes: null } }), undefined);
    const { candidate } = choice;
    const spinning = { ...candidate, traits: { ...candidate.traits, isSpinning: true } };
    assert.match(
      String(costs({ choice: { ...choice, candidate: spinning }, runnerUp: null })),
      /256 MiB of memory, and a core for each process that waits\.$/,
    );
  });

  it('have the CPU time of an operation times the rate for the share of a core', () => {
    const { choice } = recommended(results(['unix/json']), { ratePerSecond: 500, by: 'cpu' });
    assert.ok(choice?.cpuUs && choice.coreShare);
    assert.ok(Math.abs(choice.coreShare / ((choice.cpuUs * 500) / 1e6) - 1) < 1e-9);
    assert.equal(recommended(results(['unix/json'])).choice?.coreShare, null);
  });

  it('name rows without a rank with the reason, and what is left out', () => {
    const flagged = results(['unix/json', 'tcp/json', 'pipe/json'], {
      flag: ({ transport }) => (transport === 'tcp' ? ['cold'] : []),
    });
    const text = recommendationSentences(recommended(flagged)).join('\n');
    assert.match(text, /^Not ranked: tcp\/json \(.+\)\.$/m);
    assert.match(
      said({ leftOut: [{ why: 'too far', names: ['a', 'b', 'c', 'd', 'e', 'f'] }] }),
      /^Left out \(too far\): a, b, c, d and 2 more\.$/m,
    );
  });

  it('say of a place between those that were measured that it is one', () => {
    const far = results(['unix/json', 'tcp/json'], { payloads: [100, 100_000] });
    const between = recommendationSentences(recommended(far, { payloadBytes: 3_000 })).join('\n');
    assert.match(between, /at 3,000 B, 2x4 \(between the measured sizes\)/);
    assert.doesNotMatch(between, /^Cost/m);
  });
});

describe('what a recommendation did not look at', () => {
  /** @param {Partial<Results>} [changes] @param {string[]} [fitting] */
  function scope(changes, fitting = [], recipe = {}) {
    const all = { ...results(['unix/json', 'tcp/json'], recipe), ...changes };
    return scopeSentences(recommended(all), [{ name: 'a', results: all }], fitting).join('\n');
  }

  it('is a network, other machines and other load, and what it rests on is said', () => {
    const text = scope();
    assert.match(
      text,
      /^Not examined: a network, other machines, other load on the machine\.\nEvidence: 8 launches each, closed loops, on .+\.$/,
    );
  });

  it('is also what could do it and was not measured, five of them by name', () => {
    assert.match(
      scope({}, ['unix', 'tcp', 'pipe']),
      /on the machine; other transports that meet the needs: pipe\.$/m,
    );
    assert.match(
      scope({}, ['a', 'b', 'c', 'd', 'e', 'f', 'g']),
      /meet the needs: a, b, c, d, e and 2 more\.$/m,
    );
    assert.match(scope({}, ['unix', 'tcp']), /on the machine\.$/m);
  });

  it('is also what was measured otherwise, and what has no number', () => {
    assert.match(
      scope({}, [], { placements: ['split', 'same'] }),
      /on the machine, 2 rows with other settings/,
    );
    const failing = (/** @type {any} */ { transport }) => (transport === 'tcp' ? 'it burst' : null);
    assert.match(scope({}, [], { fail: failing }), /^Not measured: tcp\/json\.$/m);
    assert.doesNotMatch(scope(), /No number/);
  });

  it('is more where the run was not finished', () => {
    assert.match(scope({ status: 'interrupted' }), /^The run was not finished: /);
    assert.doesNotMatch(scope({ status: 'complete' }), /not finished/);
  });
});

describe('a recommendation as JSON', () => {
  it('has names and numbers, and no launches', () => {
    const found = recommended(results(['pipe/json', 'unix/string'], { payloads: [100, 1_000] }));
    const json = JSON.parse(JSON.stringify(recommendationJson(found, ['Take it.'])));
    assert.deepEqual(json.evidence, {
      scenario: 'round-trip',
      workers: 2,
      loops: 4,
      connections: 1,
      payloadBytes: 1_000,
      ratePerSecond: null,
      load: 'closed',
      unmeasured: [],
    });
    assert.deepEqual(json.sentences, ['Take it.']);
    assert.equal(json.choice.name, found.choice?.candidate.name);
    assert.deepEqual(
      json.others.map((/** @type {{ name: string }} */ { name }) => name),
      found.judged.map(({ candidate }) => candidate.name),
    );
    assert.equal('candidate' in json.choice, false);
    assert.equal(JSON.stringify(json).includes('launches'), false);
    const open = makeOpenResults({ series: ['unix'], rates: [1_000], launches: 8 });
    const atRate = /** @type {any} */ (
      recommendationJson(recommended(open, { ratePerSecond: 1_000, by: 'cpu' }), [])
    );
    assert.deepEqual([atRate.evidence.load, atRate.evidence.ratePerSecond], ['open', 1_000]);
    const none = /** @type {any} */ (recommendationJson({ ...found, choice: null }, []));
    assert.equal(none.choice, null);
  });
});

describe('the transports that can do what is needed', () => {
  it('have the settings that it takes, and others are none of them', () => {
    const fitting = fittingTransports(inReadingOrder(transports), ['durable']);
    const byName = new Map(fitting.map(({ transport, settings }) => [transport.name, settings]));
    assert.deepEqual(byName.get('rabbitmq'), { guarantee: 'durable' });
    assert.equal(byName.has('pipe'), false);
    assert.equal(
      fittingTransports(inReadingOrder(transports), []).every(
        ({ settings }) => Object.keys(settings).length === 0,
      ),
      true,
    );
  });
});
