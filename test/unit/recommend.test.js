import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { NEED_WORDS, unmetNeed } from '../../lib/cell/needs.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import { recommendOptions } from '../../lib/options/recommend-options.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadTransports } from '../../lib/plugins/plugins.js';
import { crossoverFigure } from '../../lib/report/charts/figures/crossover-figure.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { nextRound } from '../../lib/report/recommend/crossover-points.js';
import { fittingSettings } from '../../lib/report/recommend/fitting.js';
import { recommendationSentences } from '../../lib/report/recommend/recommendation-words.js';
import { findCrossovers } from '../../lib/statistics/crossover.js';
import { estimateTypical } from '../../lib/statistics/estimate.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults } from '../fixtures/make-results.js';
import { recommended as recommendedOf, requestOf } from '../fixtures/requests.js';

/** @import { Request, Results } from '../../lib/types/index.js' */

const transports = new Map(
  [...(await loadTransports(builtinNames('transport')))].map(([name, { plugin }]) => [name, plugin]),
);
const PAYLOADS = [100, 1_000, 10_000, 100_000];

/** @param {string} name @returns {import('../../lib/types/transports.js').Transport} */
function transport(name) {
  const found = transports.get(name);
  assert.ok(found, name);
  return found;
}

/** @param {Results} results @param {Partial<Request>} [wishes] */
const recommended = (results, wishes = {}) => recommendedOf(results, wishes, transport);

/**
 * @param {Record<string, (payloadBytes: number) => number>} costs   µs of an operation, by series
 * @param {{ payloads?: number[], launches?: number }} [recipe]
 * @returns {Results} in which rows differ by their costs, and launches by up to 4 %
 */
function resultsOf(costs, { payloads = PAYLOADS, launches = 8 } = {}) {
  const results = makeResults({ series: Object.keys(costs), payloads, launches });
  for (const outcome of results.outcomes) {
    if (outcome.status !== 'measured') continue;
    const { transport: name, codec, payloadBytes } = outcome.cell;
    const rate = outcome.measures.roundTripsPerSecond;
    assert.equal(rate.kind, 'value');
    const factor = 1e6 / costs[`${name}/${codec}`](payloadBytes) / rate.estimate;
    for (const launch of outcome.launches)
      launch.values.roundTripsPerSecond = Number(launch.values.roundTripsPerSecond) * factor;
    for (const key of /** @type {const} */ (['estimate', 'low', 'high'])) rate[key] *= factor;
  }
  return results;
}

const TURNING = {
  'pipe/json': (/** @type {number} */ x) => 20 + 0.004 * x,
  'unix/binary': (/** @type {number} */ x) => 36 + 0.0008 * x,
};
const TRUE_TURN = 16 / 0.0032;

describe('what is needed', () => {
  it('is met by traits, and the first that is lacking says why not', () => {
    const why = (/** @type {string} */ name, /** @type {string[]} */ needs, settings = {}) =>
      unmetNeed(resolveTraits(transport(name), settings), needs);
    assert.equal(why('unix', ['other host']), 'this machine only');
    assert.equal(why('tcp', ['other host', 'ordered', 'no broker', 'no package']), '');
    assert.equal(why('zeromq', ['no package']), 'needs a package');
    assert.equal(why('rabbitmq', ['durable']), 'not kept on disk');
    assert.equal(why('rabbitmq', ['durable'], { guarantee: 'durable' }), '');
  });

  it('leaves out kinds of their own, unless they are asked for', () => {
    const udp = resolveTraits(transport('udp'), {});
    assert.equal(unmetNeed(udp, []), 'messages may get lost');
    assert.equal(unmetNeed(udp, ['loss']), '');
    const threads = resolveTraits(transport('threads-message'), {});
    assert.equal(unmetNeed(threads, []), 'threads, not processes');
    assert.equal(unmetNeed(threads, ['threads']), '');
  });

  it('is not known of a third-party transport whose run noted nothing of it', () => {
    assert.equal(
      unmetNeed({ class: 'socket', broker: null, direction: 'duplex' }, ['other host']),
      'not known: other host',
    );
    assert.equal(
      unmetNeed({ class: 'socket', broker: null, reach: 'network' }, ['other host', 'no broker']),
      '',
    );
  });

  it('is looked for among the settings, as few as it takes', () => {
    assert.deepEqual(fittingSettings(transport('tcp'), ['other host']), {});
    assert.deepEqual(fittingSettings(transport('rabbitmq'), ['durable']), { guarantee: 'durable' });
    assert.equal(
      Object.keys(fittingSettings(transport('redis-list'), ['durable', 'other host']) ?? {}).length,
      process.platform === 'win32' ? 1 : 2, // it is reached over TCP there anyway
    );
    assert.equal(fittingSettings(transport('pipe'), ['other host']), null);
  });

  it('is named by the words of docs/recommend.md', () => {
    const page = readFileSync(new URL('../../docs/recommend.md', import.meta.url), 'utf8').replaceAll(
      /\s+/g,
      ' ',
    );
    assert.deepEqual(
      NEED_WORDS.filter((word) => !page.includes(`\`${word}\``)),
      [],
    );
  });

  it('has a transport for every word', () => {
    for (const word of NEED_WORDS)
      assert.ok(
        [...transports.values()].some((each) => fittingSettings(each, [word]) !== null),
        word,
      );
  });
});

describe('the options of recommend', () => {
  it('are a rate, a size, a limit and words', () => {
    const { request } = recommendOptions({
      rate: '2k/s',
      payload: '1KiB',
      slo: 'p99<5ms',
      need: 'Other-host,durable',
    });
    assert.deepEqual(
      request,
      requestOf({
        ratePerSecond: 2_000,
        payloadBytes: 1_024,
        slo: { percentile: 'p99', us: 5_000 },
        by: 'cpu',
        needs: ['other host', 'durable'],
      }),
    );
  });

  for (const [argv, why] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
    [{ need: 'durabel' }, /"durabel" is none of the words below. Did you mean durable\?\n {2}other host: /],
    [{ rate: '2k/h' }, /--rate: "2k\/h" is no rate/],
    [{ rate: 'many' }, /--rate: "many" is not a whole number/],
    [{ slo: 'p99<5ms' }, /--slo: is kept at some rate; say which with --rate/],
    [{ payload: '1,2' }, /--payload: write one size, that of your messages, .* and not "1,2"/],
    [{ workers: '1x1,2x2' }, /--workers: write one shape/],
    [{ by: 'colour' }, /--by: "colour" is not one of speed, cpu, master/],
    [{ from: '' }, /--from: needs a value/],
    [{ png: '-' }, /--png: takes a folder/],
    [{ traffic: 'traffic.json', html: '-' }, /--html: takes a file/],
    [{ slo: false }, /--slo: --no-slo means nothing; leave it out/],
    [{ slo: ['p99<5ms', 'p99<6ms'] }, /--slo: given more than once/],
  ])) {
    it(`refuse ${JSON.stringify(argv)}`, () => {
      assert.throws(() => recommendOptions(argv), { code: 'BAD_ARGUMENT', message: why });
    });
  }
});

describe('a crossover', () => {
  const n = 8;
  const points = PAYLOADS.map((x) => ({
    x,
    costs: Array.from({ length: n }, (_, block) => (20 + 0.004 * x) * (1 + 0.01 * block)),
    others: Array.from({ length: n }, (_, block) => (36 + 0.0008 * x) * (1.08 - 0.01 * block)),
  }));

  it('is found between the places that were measured, with an interval around it', () => {
    const [found, ...others] = findCrossovers(points);
    assert.deepEqual(others, []);
    assert.ok(found.low < TRUE_TURN && TRUE_TURN < found.high, JSON.stringify(found));
    assert.ok(found.low < found.estimate && found.estimate < found.high);
    assert.equal(found.isCheaperAbove, false);
  });

  it('is none where one is cheaper everywhere, where it cannot be told, or where blocks are too few', () => {
    const cheaper = points.map(({ x, costs }) => ({ x, costs, others: costs.map((cost) => 2 * cost) }));
    assert.deepEqual(findCrossovers(cheaper), []);
    const alike = points.map(({ x, costs }) => ({ x, costs, others: [...costs].reverse() }));
    assert.deepEqual(findCrossovers(alike), []);
    const few = points.map(({ x, costs, others }) => ({
      x,
      costs: costs.slice(0, 1),
      others: others.slice(0, 1),
    }));
    assert.deepEqual(findCrossovers(few), []);
  });
});

describe('a recommendation', () => {
  it('names the best row, the runner-up, and where the answer changes', () => {
    const found = recommended(resultsOf(TURNING), { payloadBytes: 1_000 });
    assert.equal(found.certainty, 'best');
    assert.equal(found.choice?.candidate.name, 'pipe/json');
    assert.equal(found.runnerUp?.candidate.name, 'unix/binary');
    const [{ crossover, side, rival }, ...others] = found.turns;
    assert.deepEqual(others, []);
    assert.deepEqual([side, rival.name], ['above', 'unix/binary']);
    assert.ok(crossover.low < TRUE_TURN && TRUE_TURN < crossover.high);
    const [answer] = recommendationSentences(found);
    assert.equal(answer, 'Take pipe/json: it is the best at 1,000 B, 2x4.');
  });

  it('says how many times as much the runner-up does, with the interval around it', () => {
    const results = resultsOf(TURNING);
    const found = recommended(results, { payloadBytes: 1_000 });
    const [, runnerUp] = recommendationSentences(found);
    const [, estimate, low, high] =
      /^Runner-up: unix\/binary, ([\d.]+)× the throughput of pipe\/json \(95 % CI ([\d.]+)–([\d.]+)\)\.$/
        .exec(runnerUp)
        ?.map(Number) ?? assert.fail(runnerUp);
    // 24 µs of the one, and 36.8 µs of the other.
    assert.ok(Math.abs(estimate - 24 / 36.8) < 0.03, runnerUp);
    assert.ok(low <= estimate && estimate <= high && high - low < 0.1, runnerUp);
  });

  it('is the other one on the other side, also between the sizes that were measured', () => {
    const found = recommended(resultsOf(TURNING), { payloadBytes: 50_000 });
    assert.equal(found.choice?.candidate.name, 'unix/binary');
    assert.equal(found.turns[0].side, 'below');
    assert.match(recommendationSentences(found)[0], /at 50,000 B, 2x4 \(between the measured sizes\)\.$/);
    assert.match(
      recommendationSentences(found).join('\n'),
      /Below 4\.9 kB \(.*\) pipe\/json is ahead of unix\/binary\./,
    );
  });

  it('takes the simplest where nobody would notice a difference', () => {
    const cost = () => 20;
    const found = recommended(
      resultsOf({ 'unix/json': cost, 'pipe/json': cost, 'zeromq/json': cost }, { launches: 20 }),
    );
    assert.equal(found.certainty, 'alike');
    assert.equal(found.choice?.candidate.name, 'pipe/json');
    assert.match(
      recommendationSentences(found)[0],
      /^Take pipe\/json \(nothing to install\): no noticeable difference from the best at 1,000 B, 2x4\.$/,
    );
  });

  it('says that it cannot tell, of the simplest of those in front', () => {
    const found = recommended(
      resultsOf({ 'unix/json': () => 19.6, 'pipe/json': () => 20 }, { payloads: [1_000], launches: 6 }),
      { minEffect: 0.001 },
    );
    assert.equal(found.certainty, 'unclear');
    assert.equal(found.choice?.candidate.name, 'pipe/json');
    assert.match(recommendationSentences(found)[0], /^Take \S+.*: no clear winner/);
  });

  it('gives no verdict on fewer launches than an interval needs', () => {
    const found = recommended(resultsOf(TURNING, { launches: 1 }));
    assert.equal(found.certainty, 'none');
    assert.deepEqual(found.turns, []);
    assert.match(recommendationSentences(found)[0], /^No verdict .*\(fewer than 2 launches\)/);
  });

  it('leaves out by its traits what cannot do it, a line for each reason', () => {
    const found = recommended(makeResults(), { needs: ['other host'] });
    assert.equal(found.choice?.candidate.name, 'tcp/string');
    const text = recommendationSentences(found).join('\n');
    assert.match(text, /^Left out \(this machine only\): pipe\/json, unix\/json, unix\/string/m);
  });

  it('calls a difference at a given rate what it takes of a core, and no smaller one', () => {
    const results = makeResults({ series: ['pipe/json', 'unix/json'], launches: 8 });
    const few = recommended(results, { ratePerSecond: 100, by: 'cpu' });
    assert.equal(few.certainty, 'alike');
    assert.equal(few.choice?.kept.evidence, 'capacity');
    assert.equal(recommended(results, { ratePerSecond: 1, by: 'cpu' }).choice?.kept.evidence, 'capacity');
    assert.match(
      recommendationSentences(few).join('\n'),
      /Sustains 100\/s, judged by capacity alone: closed loops reached/,
    );
  });

  it('goes by response times where open load was measured, and names who breaks the promise', () => {
    const results = makeOpenResults({ series: ['pipe', 'unix'], rates: [2_000, 12_000] });
    const slow = recommended(results, {
      ratePerSecond: 12_000,
      slo: { percentile: 'p99', us: 2_000 },
      by: 'cpu',
    });
    assert.equal(slow.choice?.candidate.name, 'unix/json');
    assert.equal(slow.choice?.kept.evidence, 'open');
    assert.deepEqual(
      slow.broken.map(({ candidate }) => candidate.name),
      ['pipe/json'],
    );
    const none = recommended(results, {
      ratePerSecond: 12_000,
      slo: { percentile: 'p99', us: 1 },
      by: 'cpu',
    });
    assert.equal(none.choice, null);
    assert.match(recommendationSentences(none)[0], /^Nothing that was measured meets p99<1us at 12,000\/s/);
  });

  it('affirms no limit of a row whose answers were missing when windows closed', () => {
    const results = makeOpenResults({
      series: ['unix'],
      rates: [8_000],
      shapes: ['1x400'],
      stallsAtMs: (_cell, block) => (block < 1 ? 980 : undefined),
    });
    const keptBelow = (/** @type {number} */ us) =>
      recommended(results, { ratePerSecond: 8_000, slo: { percentile: 'p99', us }, by: 'cpu' });
    assert.match(
      recommendationSentences(keptBelow(1e6)).join('\n'),
      /^Unclear whether it meets p99<1s at 8,000\/s: responses were missing when the windows closed, under open load\.$/m,
    );
    assert.equal(keptBelow(100).choice, null, 'a bound beyond the limit breaks it');
  });

  describe('after the search of a sweep', () => {
    const slo = /** @type {const} */ ({ percentile: 'p99', us: 500 });
    const [{ cell }] = makeResults({ series: ['unix/json'], shapes: ['1x32'], launches: 1 }).outcomes;
    const keptAt = (
      /** @type {number} */ ratePerSecond,
      /** @type {number} */ foundPerSecond,
      /** @type {import('../../lib/types/results-file.js').Sweep['probes']} */ probes = [],
    ) => {
      /** @type {import('../../lib/types/results-file.js').Sweep} */
      const sweep = {
        cell,
        slo,
        guessPerSecond: 20_000,
        probes,
        foundPerSecond,
        endedBy: 'found',
        elapsedMs: 9_000,
      };
      const full = makeOpenResults({ series: ['unix'], rates: [4_000, 8_000, 12_000, 19_000], slo });
      const found = recommended({ ...full, sweeps: [sweep] }, { ratePerSecond, slo, by: 'cpu' });
      return { kept: found.choice?.kept, text: recommendationSentences(found).join('\n') };
    };

    it('does not say that a promise is kept where full launches refuted the rate that the search found', () => {
      const { kept, text } = keptAt(18_000, 19_000);
      assert.equal(kept?.verdict, 'unclear');
      assert.match(
        text,
        /^Unclear whether it meets p99<500us at 18,000\/s: it sustains [\d,]+\/s \([\d,]+–[\d,]+\) in 9 of 10 launches, under open load\.$/m,
      );
    });

    it('says that it is kept only where the lower end of the interval reaches the rate', () => {
      const { kept, text } = keptAt(8_000, 5_000);
      assert.equal(kept?.verdict, 'yes');
      assert.ok(kept.sustained && kept.sustained.low >= 8_000);
      assert.match(
        text,
        /^Meets p99<500us at 8,000\/s: it sustains [\d,]+\/s \(.*\) in 9 of 10 launches, under/m,
      );
    });

    it('says that it is broken only where the upper end lies below the rate, and launches broke it there', () => {
      const many = Array.from({ length: 6 }, () => ({
        ...{ ratePerSecond: 14_000, us: 5_000, keeps: false, why: 'too slow' },
      }));
      const broken = keptAt(18_500, 12_000, many);
      assert.equal(broken.kept, undefined);
      assert.match(
        broken.text,
        /^Does not meet p99<500us at 18,500\/s: unix\/json \(sustains [\d,]+\/s \(.*\) in 9 of 10 launches\)\.$/m,
      );
      assert.equal(keptAt(18_000, 5_000).kept?.verdict, 'unclear');
    });

    it('says that it is broken where no launch met it, at a rate that was tried and not beyond', () => {
      const { outcomes, ...rest } = makeOpenResults({ series: ['unix'], rates: [8_000], slo });
      const failed = { ratePerSecond: 2_000, us: 9_000, keeps: false, why: 'too slow' };
      const sweep = { cell, slo, probes: [failed], foundPerSecond: null, endedBy: 'found', elapsedMs: 1 };
      const [closed] = makeResults({ series: ['unix/json'], shapes: ['1x32'] }).outcomes;
      const at = (/** @type {number} */ ratePerSecond) =>
        recommended(/** @type {any} */ ({ ...rest, outcomes: [closed], sweeps: [sweep] }), {
          ratePerSecond,
          slo,
          by: 'cpu',
        });
      assert.ok(outcomes.length > 0);
      assert.equal(at(2_000).choice, null);
      const { kept } = at(1_000).choice ?? assert.fail('nothing is chosen');
      assert.deepEqual([kept.verdict, kept.why], ['unclear', 'no launch of a sweep met it']);
    });

    it('says that it is unclear where full launches do not keep what the search sustains', () => {
      const kept = Array.from({ length: 9 }, () => ({ ratePerSecond: 9_000, us: 100, keeps: true, why: '' }));
      const full = makeOpenResults({ series: ['unix'], rates: [8_000], slo });
      const [outcome] = /** @type {any[]} */ (full.outcomes);
      Object.assign(outcome, { flags: [{ code: 'generator-limited', message: '' }] });
      outcome.open.achieved = 0.5;
      const sweep = { cell, slo, probes: kept, foundPerSecond: 9_000, endedBy: 'found', elapsedMs: 1 };
      const found = recommended(/** @type {any} */ ({ ...full, sweeps: [sweep] }), {
        ratePerSecond: 8_000,
        slo,
        by: 'cpu',
      });
      const chosen = found.choice?.kept ?? assert.fail('nothing is chosen');
      assert.deepEqual([chosen.verdict, chosen.why], ['unclear', 'the launches at 8,000/s do not keep it']);
    });
  });

  it('says that a rate was not sustained, but where something else took the CPUs, or sends were delayed', () => {
    const verdictWith = (/** @type {number} */ achieved, codes = ['generator-limited']) => {
      const results = makeOpenResults({ series: ['unix'], rates: [8_000] });
      const [outcome] = /** @type {any[]} */ (results.outcomes);
      outcome.flags = codes.map((code) => ({ code, message: '' }));
      outcome.open.achieved = achieved;
      const { choice, broken } = recommended(results, { ratePerSecond: 8_000, by: 'cpu' });
      const { verdict, why } = (choice ?? broken[0]).kept;
      return [verdict, why];
    };
    assert.deepEqual(verdictWith(0.98), ['no', 'the offered rate was not sustained']);
    assert.deepEqual(verdictWith(0.99), ['unclear', 'sends were delayed too much']);
    assert.deepEqual(verdictWith(0.5, ['generator-limited', 'stalled']), [
      'unclear',
      'the master was blocked or stopped',
    ]);
    assert.deepEqual(verdictWith(0.5, ['generator-limited', 'crowded']), [
      'unclear',
      'something else disturbed the machine',
    ]);
  });

  it('by the master counts its CPU time and that of its helpers alone', () => {
    const results = makeResults({ series: ['pipe/json', 'unix/json'], launches: 8 });
    for (const { cell, launches } of /** @type {any[]} */ (results.outcomes)) {
      const isPipe = cell.transport === 'pipe';
      for (const launch of launches) {
        const cost = (/** @type {string} */ role, /** @type {number} */ us) => ({
          ...launch.costs[0],
          role,
          name: role === 'worker' ? 'w0' : role,
          userUs: us * launch.operations,
          systemUs: 0,
        });
        launch.costs = isPipe
          ? [cost('master', 10), cost('helpers', 1), cost('worker', 90)]
          : [cost('master', 10), cost('helpers', 20), cost('worker', 1)];
      }
    }
    assert.equal(recommended(results, { by: 'master' }).choice?.candidate.name, 'pipe/json');
    assert.equal(recommended(results, { by: 'cpu' }).choice?.candidate.name, 'unix/json');
    for (const { launches } of /** @type {any[]} */ (results.outcomes))
      for (const { costs, operations } of launches) for (const cost of costs) cost.userUs = 0.1 * operations;
    const { choice } = recommended(results, { by: 'cpu' });
    assert.ok(Math.abs(Number(choice?.cpuUs) - 0.3) < 1e-6, 'less than a microsecond is a cost');
  });

  it('tells above which rate another one saves so much that one notices', () => {
    const results = makeOpenResults({
      series: ['pipe', 'unix'],
      rates: [1_000, 2_000, 4_000, 8_000],
      launches: 8,
    });
    // Of a second: what it costs at any rate, and what each operation adds.
    const usOf = { pipe: [0, 60], unix: [60_000, 30] };
    for (const { cell, status, ...outcome } of /** @type {any[]} */ (results.outcomes)) {
      assert.equal(status, 'measured');
      const [fixedUs, eachUs] = usOf[/** @type {'pipe' | 'unix'} */ (cell.transport)];
      for (const [place, launch] of outcome.launches.entries()) {
        const us = launch.operations * (fixedUs / cell.ratePerSecond + eachUs) * (1 + place / 200);
        launch.costs = launch.costs
          .slice(0, 1)
          .map((/** @type {object} */ cost) => ({ ...cost, userUs: us, systemUs: 0 }));
      }
    }
    const found = recommended(results, { ratePerSecond: 1_000, by: 'cpu' });
    assert.equal(found.choice?.candidate.name, 'pipe/json');
    const [turn, ...others] = found.turns;
    assert.deepEqual([turn.axis, turn.side, others.length], ['ratePerSecond', 'above', 0]);
    // 60 x = 60,000 + 30 x + 5 % of a core, which is 50,000 µs of each second.
    const { estimate, low, high } = turn.crossover;
    assert.ok(Math.abs(estimate / (110_000 / 30) - 1) < 0.02 && low <= estimate && estimate <= high);
    assert.match(
      recommendationSentences(found).join('\n'),
      /^Above 3,[67]00\/s \(.*\) unix\/json saves more than 5 % of a core compared with pipe\/json\.$/m,
    );
    const speed = recommended(results, { ratePerSecond: 1_000, by: 'speed' });
    assert.ok(speed.searched.every(({ axis }) => axis !== 'ratePerSecond'));
  });

  it('says that closed loops tell nothing of response times', () => {
    const found = recommended(makeResults(), {
      ratePerSecond: 2_000,
      slo: { percentile: 'p99', us: 5_000 },
      by: 'cpu',
    });
    assert.equal(found.choice?.kept.verdict, 'unclear');
    assert.match(
      recommendationSentences(found).join('\n'),
      /Not measured: whether it meets p99<5ms at 2,000\/s\. Capacity only: closed loops reached/,
    );
  });

  it('is refused where nothing was measured', () => {
    const all = resultsOf(TURNING);
    for (const wishes of [{ payloadBytes: 1 }, { scenario: 'stream' }, { shape: { workers: 9, loops: 9 } }])
      assert.throws(() => recommended(all, wishes), { code: 'NO_EVIDENCE' }, JSON.stringify(wishes));
    assert.throws(() => recommended(makeResults({ series: [] })), { code: 'NO_EVIDENCE' });
    const failed = makeResults({ series: ['unix/json', 'tcp/json'], fail: () => 'worker w0 died' });
    assert.throws(() => recommended(failed), /no measured row: worker w0 died$/);
  });
});

describe('the search for where the answer changes', () => {
  it('goes far first, then between the neighbours where it turns, until they are close', () => {
    const places = new Set([1_000]);
    const tried = new Set();
    const rounds = [];
    for (let round = 0; round < 20; round += 1) {
      const found = recommended(
        resultsOf(TURNING, { payloads: [...places].sort((one, other) => one - other) }),
        { payloadBytes: 1_000 },
      );
      const next = nextRound(found, 'payloadBytes', tried);
      if (next === null) break;
      tried.add(next.x);
      places.add(next.x);
      rounds.push(next.x);
    }
    assert.deepEqual(rounds.slice(0, 3), [10_000, 100, 100_000]);
    const around = [...places].sort((one, other) => one - other);
    const above = around.findIndex((x) => x > TRUE_TURN);
    assert.ok(around[above] / around[above - 1] <= 1.5, around.join(' '));
    assert.ok(rounds.length < 12, rounds.join(' '));
  });

  it('asks for nothing where only one can do it', () => {
    const found = recommended(resultsOf({ 'pipe/json': () => 20 }, { payloads: [1_000] }));
    assert.equal(found.certainty, 'only');
    assert.equal(nextRound(found, 'payloadBytes', new Set()), null);
  });
});

describe('the picture of where the answer changes', () => {
  const crossoversIn = (/** @type {Results} */ results) =>
    makeFigures(results).filter(({ name }) => name.startsWith('crossover'));

  it('has both rows as measured with their bands, and that of the crossover', () => {
    const [figure, ...others] = crossoversIn(resultsOf(TURNING));
    assert.deepEqual(others, []);
    assert.equal(figure.name, 'crossover-by-payload');
    const atLeast = figure.panels[0].configuration.data.datasets
      .slice(0, 2)
      .map(({ data }) => /** @type {any} */ (data[0]).y);
    for (const [place, cost] of Object.values(TURNING).entries()) {
      const rate = 1e6 / cost(PAYLOADS[0]);
      assert.ok(Math.abs(atLeast[place] / rate - 1) < 0.1, `${atLeast[place]} is a rate of ${rate}`);
    }
    assert.match(figure.message, /^Above 4\.9 kB \(4\.7–5\.1 kB\) unix\/binary overtakes pipe\/json$/);
    const [{ configuration }] = figure.panels;
    const stretch = configuration.data.datasets.find(({ label }) => label === 'interval of the crossover');
    assert.deepEqual(
      figure.legend.map(({ text }) => text),
      ['above here unix/binary is ahead (95 % interval)'],
    );
    const [low, high] = stretch.data.map((/** @type {{ x: number }} */ { x }) => x);
    assert.ok(low < TRUE_TURN && TRUE_TURN < high);
    const filled = configuration.data.datasets.filter(({ fill }) => fill === '-1');
    assert.equal(filled.length, 2, 'a band for each row');
    const orderOf = (/** @type {any[]} */ datasets) => [...new Set(datasets.map(({ order }) => order))];
    const [lines, bands] = [0, 2].map((from) => configuration.data.datasets.slice(from, from === 0 ? 2 : 6));
    assert.deepEqual(
      lines.map(({ label }) => label),
      ['pipe/json', 'unix/binary'],
    );
    const [[ofLines], [ofBands]] = [orderOf(lines), orderOf(bands)];
    assert.ok(ofLines < ofBands && ofBands < stretch.order, 'lines above bands, above the stretch');
    assert.deepEqual([orderOf(lines).length, orderOf(bands).length], [1, 1]);
    for (const { data } of lines)
      for (const [place, { x, y }] of data.entries()) {
        const [high, low] = bands.filter(
          (_, at) => Math.floor(at / 2) === lines.findIndex((one) => one.data === data),
        );
        assert.ok(low.data[place].y <= y && y <= high.data[place].y && low.data[place].x === x);
      }
    const said = configuration.marks.find(({ text }) => text?.includes('kB'));
    assert.ok(said?.x && low < said.x && said.x < high);
    assert.equal(said.y, configuration.options.scales.y.max);
    assert.deepEqual(
      [configuration.options.scales.x.min, configuration.options.scales.x.max],
      [100, 100_000],
    );
    assert.match(figure.altText, /Above 4\.9 kB/);
  });

  it('has both rows as measured also where the answer is what one of them saves', () => {
    const results = resultsOf(TURNING);
    for (const outcome of results.outcomes) {
      if (outcome.status !== 'measured') continue;
      const { transport: name, codec, payloadBytes } = outcome.cell;
      const us = TURNING[/** @type {keyof typeof TURNING} */ (`${name}/${codec}`)](payloadBytes);
      for (const [place, launch] of outcome.launches.entries()) {
        const all = us * launch.operations * (1 + place / 500);
        launch.costs = launch.costs.map((cost, at) => ({ ...cost, userUs: at === 0 ? all : 0, systemUs: 0 }));
      }
    }
    const found = recommended(results, { payloadBytes: 1_000, ratePerSecond: 2_000, by: 'cpu' });
    const [turn] = found.turns.filter(({ axis }) => axis === 'payloadBytes');
    assert.ok(turn.spareUs > 0);
    const [{ cell }] = results.outcomes;
    const slice = { cell, model: /** @type {const} */ ('closed'), parts: [], outcomes: results.outcomes };
    const figure = crossoverFigure({ results, slice, title: '', widthPx: 800 }, turn);
    const [{ configuration }] = figure.panels;
    const [of, ofRival] = configuration.data.datasets;
    const [{ x, others }] = turn.points;
    const plain = estimateTypical(others.map((cost) => cost - turn.spareUs)).estimate;
    assert.ok(Math.abs(ofRival.data.find((/** @type {any} */ at) => at.x === x).y - plain) < 1e-9);
    for (const { label } of [of, ofRival]) assert.doesNotMatch(label, /core/);
    assert.match(figure.legend[0].text, /^at 2,000\/s, \S+ saves more than 5 % of a core (above|below) here/);
  });

  it('is none where no other row is proven to overtake', () => {
    assert.deepEqual(crossoversIn(resultsOf({ 'pipe/json': () => 20, 'unix/json': () => 30 })), []);
    assert.deepEqual(crossoversIn(resultsOf(TURNING, { launches: 1 })), []);
    assert.deepEqual(crossoversIn(resultsOf(TURNING, { payloads: [100, 100_000] })), []);
    assert.equal(crossoversIn(resultsOf(TURNING, { payloads: [100, 5_000, 100_000] })).length, 1);
  });

  it('is one for each shape, unless there are more than three', () => {
    const inShapes = (/** @type {number} */ shapes) => {
      const results = resultsOf(TURNING);
      const outcomes = Array.from({ length: shapes }, (_, more) =>
        results.outcomes.map((outcome) => ({ ...outcome, cell: { ...outcome.cell, workers: 1 + more } })),
      );
      return crossoversIn({ ...results, outcomes: outcomes.flat() }).map(({ name }) => name);
    };
    assert.deepEqual(inShapes(1), ['crossover-by-payload']);
    assert.deepEqual(
      inShapes(3),
      ['1x4', '2x4', '3x4'].map((shape) => `crossover-by-payload-${shape}`),
    );
    assert.deepEqual(inShapes(4), []);
  });
});
