import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { NEED_WORDS, unmetNeed } from '../../lib/cell/needs.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import { recommendOptions } from '../../lib/options/recommend-options.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadTransports } from '../../lib/plugins/plugins.js';
import { fittingSettings } from '../../lib/report/recommend/fitting.js';
import { recommendationSentences } from '../../lib/report/recommend/recommendation-words.js';
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
    [{ traffic: 'traffic.json', png: '-' }, /--png: takes a folder/],
    [{ png: 'pictures' }, /--png: is about a chart of recorded traffic/],
    [{ traffic: 'traffic.json', html: '-' }, /--html: takes a file/],
    [{ slo: false }, /--slo: --no-slo means nothing; leave it out/],
    [{ slo: ['p99<5ms', 'p99<6ms'] }, /--slo: given more than once/],
  ])) {
    it(`refuse ${JSON.stringify(argv)}`, () => {
      assert.throws(() => recommendOptions(argv), { code: 'BAD_ARGUMENT', message: why });
    });
  }
});

describe('a recommendation', () => {
  it('names the best row and the runner-up', () => {
    const found = recommended(resultsOf(TURNING), { payloadBytes: 1_000 });
    assert.equal(found.certainty, 'best');
    assert.equal(found.choice?.candidate.name, 'pipe/json');
    assert.equal(found.runnerUp?.candidate.name, 'unix/binary');
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
    assert.match(recommendationSentences(found)[0], /at 50,000 B, 2x4 \(between the measured sizes\)\.$/);
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
