// Which row `recommend` takes, of saved and of made results: by the verdicts of the table, and from the rows that it ranks.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NEED_WORDS, unmetNeed } from '../../lib/cell/needs.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import { findFault } from '../../lib/format/shape-fault.js';
import { recommendOptions } from '../../lib/options/recommend-options.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadTransports } from '../../lib/plugins/plugins.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { judgeIn } from '../../lib/report/findings/row-verdicts.js';
import { readCpuUs } from '../../lib/report/recommend/cpu-cost.js';
import { isBuiltIn, recommendFrom, simplestFirst } from '../../lib/report/recommend/decide.js';
import { fittingSettings } from '../../lib/report/recommend/fitting.js';
import { recommendationFindings } from '../../lib/report/recommend/recommendation-findings.js';
import { recommendationSentences } from '../../lib/report/text/conclusion.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { readResults } from '../../lib/results/read.js';
import { Finding } from '../../lib/types/findings.js';
import { terminalTable } from '../../reports/table/terminal-table.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { withBlocks } from '../fixtures/with-blocks.js';

/** @import { Answer, Cell, RecommendedRow, Results, Slo } from '../../lib/types/index.js' */

const ARTICLES = new URL('../../docs/articles/', import.meta.url);
const RATIO = /([\w:=,-]+\/\w+) ([\d.]+× \([\d.]+–[\d.]+\))/g;
const REPORTED = /([\w:=,-]+\/\w+) [\d,]+ \([\d,–]+\) ([\d.]+× \([\d.]+–[\d.]+\))/g; // in the table
const PAYLOADS = [100, 1_000, 10_000, 100_000];
const transports = new Map(
  [...(await loadTransports(builtinNames('transport')))].map(([name, { plugin }]) => [name, plugin]),
);

/** @param {string} name @returns {import('../../lib/types/transports.js').Transport} */
function transport(name) {
  const found = transports.get(name);
  assert.ok(found, name);
  return found;
}

/** @param {Cell} cell */
const traitsFor = (cell) => resolveTraits(transport(cell.transport), cell.settings);

/** @param {Results} results @param {{ needs?: string[], slo?: Slo | null, maxBlockMs?: number }} [requirements] */
const recommended = (results, { needs = [], slo = null, maxBlockMs } = {}) =>
  recommendFrom(results, { needs, slo, maxBlockMs }, traitsFor);

/** @param {Results} results @param {{ needs?: string[], slo?: Slo | null, maxBlockMs?: number }} [requirements] @returns {Answer} the first */
const firstAnswer = (results, requirements) => recommended(results, requirements).chains[0][0];

/** @param {Results} results @param {{ slo?: Slo | null, maxBlockMs?: number }} [limits] @returns {string} */
const saidOf = (results, { slo = null, maxBlockMs } = {}) => {
  const found = recommended(results, { slo, maxBlockMs });
  const findings = recommendationFindings(found, results, { slo, maxBlockMs });
  return recommendationSentences(findings, results).join('\n');
};

/**
 * @param {Record<string, (payloadBytes: number) => number>} costs   µs of an operation, by series
 * @param {{ payloads?: number[], launches?: number }} [recipe]
 * @returns {Results} whose rows differ by their costs, and launches by up to 4 %
 */
function resultsOf(costs, { payloads = PAYLOADS, launches = 8 } = {}) {
  return buildResults({
    series: Object.keys(costs),
    payloads,
    launches,
    perSecond: ({ transport, codec, payloadBytes }) => 1e6 / costs[`${transport}/${codec}`](payloadBytes),
  });
}

const TURNING = {
  'pipe/json': (/** @type {number} */ x) => 20 + 0.004 * x,
  'unix/binary': (/** @type {number} */ x) => 36 + 0.0008 * x,
};

describe('recommend, on the saved results of the articles', async () => {
  const files = readdirSync(ARTICLES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(default-runs|three-pictures|batching|nagle|node-ipc-2016)[\\/].*\.json$/.test(name),
  );
  const all = await Promise.all(
    files.map(async (name) => ({ name, results: await readResults(fileURLToPath(new URL(name, ARTICLES))) })),
  );

  it('takes no row of which another row is proven better', () => {
    let choices = 0;
    for (const { name, results } of all)
      for (const { choice, cell, ranked, doubtful, heading: place } of recommended(results).chains.flat()) {
        if (choice === null) continue;
        choices += 1;
        const group = groupRows(results).find((each) => each.heading === place);
        const measured = group?.measured.filter((one) => one.cell.ratePerSecond === cell.ratePerSecond) ?? [];
        const judge = judgeIn(measured);
        for (const row of [...ranked, ...doubtful].filter((each) => each !== choice))
          assert.notEqual(judge(row.outcome, choice.outcome).verdict, 'better', `${name}: ${row.name}`);
      }
    assert.ok(choices > 10, String(choices));
  });

  it('prints the ratios of the report to the last digit', () => {
    let compared = 0;
    for (const { results } of all.filter(({ name }) => name.startsWith('default-runs'))) {
      const inReport = new Map(
        [
          ...terminalTable(results, {})
            .replaceAll(/ \*? +/g, ' ')
            .matchAll(REPORTED),
        ].map(([, name, ratio]) => [name, ratio]),
      );
      for (const [, name, ratio] of saidOf(results).matchAll(RATIO)) {
        if (!inReport.has(name)) continue;
        assert.equal(ratio, inReport.get(name), name);
        compared += 1;
      }
    }
    assert.ok(compared >= 6, String(compared));
  });
});

describe('a recommendation', () => {
  const alike = { 'unix/json': () => 20, 'pipe/json': () => 20, 'zeromq/json': () => 20 };

  it('takes the simplest row where no other one is proven better', () => {
    const results = resultsOf(alike, { payloads: [1_000] });
    assert.equal(firstAnswer(results).choice?.name, 'pipe/json');
    assert.match(
      saidOf(results),
      /^Take pipe\/json .*: no other row is proven to be faster at 1,000 B, 2x4\.$/m,
    );
    assert.match(saidOf(results), /^No clear difference in throughput, corrected for 2 comparisons: /m);
  });

  it('holds from size to size until another row is proven better, and names the first such size', () => {
    const results = resultsOf(TURNING);
    const { chains, axis } = recommended(results);
    assert.equal(axis, 'payloadBytes');
    assert.deepEqual(
      chains.map((chain) => chain.map(({ choice }) => choice?.name)),
      [['pipe/json', 'pipe/json', 'unix/binary', 'unix/binary']],
    );
    assert.match(
      saidOf(results),
      /^From 10,000 B: unix\/binary, [\d.]+× the throughput of pipe\/json \(95 % CI [\d.]+–[\d.]+\)\.$/m,
    );
    assert.doesNotMatch(saidOf(results), /Up to|From 100,000/);
    assert.match(saidOf(resultsOf(alike)), /^Up to 100,000 B, no other row is proven to be faster\.$/m);
  });

  it('claims nothing about a size in between that has no recommendation', () => {
    const results = resultsOf(alike);
    for (const { launches } of measuredOf(results).filter(({ cell }) => cell.payloadBytes === 1_000))
      for (const launch of launches) launch.flags.push({ code: 'crowded' });
    assert.match(saidOf(results), /^No recommendation at 1,000 B, 2x4: /m);
    assert.match(
      saidOf(results),
      /^Up to 100,000 B, where there is a recommendation, no other row is proven to be faster\.$/m,
    );
  });

  it('leaves out rows that do not meet the needs, and says why', () => {
    const results = buildResults();
    const { leftOut, chains } = recommended(results, { needs: ['other host'] });
    assert.equal(chains[0][0].choice?.name, 'tcp/string');
    assert.deepEqual(leftOut[0].why, 'this machine only');
    assert.ok(leftOut[0].names.includes('unix/string'));
  });

  it('does not take a row that the table does not rank', () => {
    const costs = { 'pipe/json': () => 20, 'unix/json': () => 30, 'tcp/json': () => 40 };
    const results = resultsOf(costs, { payloads: [1_000] });
    const flagged = (/** @type {string} */ name, /** @type {string} */ code) => {
      const copy = structuredClone(results);
      for (const { cell, flags } of measuredOf(copy)) if (cell.transport === name) flags.push({ code });
      return firstAnswer(copy);
    };
    const slow = flagged('tcp', 'cold');
    assert.equal(slow.choice?.name, 'pipe/json');
    assert.deepEqual(
      slow.doubtful.map(({ name, doubt }) => [name, doubt]),
      [['tcp/json', { code: 'cold' }]],
    );
    assert.equal(flagged('pipe', 'cold').choice?.name, 'unix/json');
    // The table ranks a row with disturbed launches, and so does the recommendation.
    for (const name of ['pipe', 'tcp']) assert.equal(flagged(name, 'crowded').choice?.name, 'pipe/json');
  });

  it('takes no row that blocks an event loop for longer than the limit, or for an unknown time', () => {
    const costs = {
      'pipe/json': () => 20,
      'unix/json': () => 30,
      'tcp/json': () => 40,
      'zeromq/json': () => 25,
      'tcp/string': () => 45,
    };
    const results = withBlocks(resultsOf(costs, { payloads: [1_000_000] }), {
      'pipe/json': { masterMs: 3, workerMs: 41 },
      'unix/json': { masterMs: 20.5 },
      'tcp/json': { masterMs: 3, workerMs: 4 },
      'tcp/string': { masterMs: 3 },
      'zeromq/json': { workerMs: 1 },
    });
    assert.equal(firstAnswer(results).choice?.name, 'pipe/json', 'without a limit');
    const { choice, broken, doubtful } = firstAnswer(results, { maxBlockMs: 20 });
    assert.deepEqual(
      [choice?.name, broken.map(({ name }) => name), doubtful.map(({ name, doubt }) => [name, doubt])],
      ['tcp/json', ['pipe/json'], [['unix/json', { code: 'limit-in-interval' }]]],
    );
    assert.deepEqual(
      recommended(results, { maxBlockMs: 20 }).leftOut.map(({ names }) => names),
      [['zeromq/json']],
    );
    assert.equal(firstAnswer(results, { maxBlockMs: 1 }).why?.code, 'no-row-meets-requirements');
  });

  it('takes nothing where most launches were disturbed, or most rows are not ranked', () => {
    const noisy = buildResults({ flag: () => ['crowded'] });
    const { choice, why, isInconclusive } = firstAnswer(noisy);
    assert.deepEqual([choice, why, isInconclusive], [null, { code: 'mostly-disturbed' }, true]);
    assert.match(
      saidOf(noisy),
      /^Unreliable on this machine: (\d+) of \1 launches were disturbed .*ipc-bench doctor/m,
    );
    // One launch more than a half is most of them.
    const [{ launches }] = measuredOf(noisy);
    const half = launches.length / 2;
    for (const outcome of measuredOf(noisy))
      for (const launch of outcome.launches.slice(half)) launch.flags = [];
    assert.notEqual(firstAnswer(noisy).why?.code, 'mostly-disturbed');
    launches[half].flags = [{ code: 'crowded' }];
    assert.equal(firstAnswer(noisy).why?.code, 'mostly-disturbed');
    const cold = buildResults({ flag: ({ transport: name }) => (name === 'unix' ? [] : ['cold']) });
    assert.deepEqual([firstAnswer(cold).choice, firstAnswer(cold).isInconclusive], [null, true]);
    assert.match(saidOf(cold), /^Use a longer --warmup\.$/m);
    const quick = buildResults({ quick: true, launches: 1 });
    assert.equal(firstAnswer(quick).choice, null);
    assert.match(saidOf(quick), /^Measure without --quick\.$/m);
  });

  it('compares only codecs that carry objects, of messages that are objects', () => {
    const results = buildResults({ series: ['pipe/json', 'unix/json', 'unix/binary'], payloads: [1_000] });
    const content = 'orders.ndjson';
    for (const { cell } of results.outcomes) Object.assign(cell, { content });
    const file = { content, format: 'json', messages: 1, bytes: {}, differences: [], moreDifferences: 0 };
    Object.assign(results.options, { messageFile: file });
    results.codecs = { binary: { carriesTexts: true } };
    const { chains, leftOut } = recommended(results);
    assert.deepEqual(
      leftOut.map(({ names }) => names),
      [['unix/binary']],
    );
    assert.ok(chains[0][0].ranked.every(({ name }) => name !== 'unix/binary'));
    Object.assign(results.options, { messageFile: { ...file, format: 'text' } });
    assert.deepEqual(recommended(results).leftOut, []);
  });
});

describe('a recommendation at a rate', () => {
  it('knows no CPU time of threads that busy-wait in a sum of several threads', () => {
    const [{ launches }] = measuredOf(buildResults({ series: ['unix/json'], payloads: [10], launches: 1 }));
    const [launch] = launches;
    const undivided = { ...launch.costs[0], name: 'threads', role: 'undivided' };
    const open = /** @type {any} */ ({ pacing: 'spin' });
    assert.ok(!(readCpuUs({ ...launch, costs: [undivided], open }) > 0));
    assert.ok(readCpuUs({ ...launch, costs: [undivided] }) > 0);
  });

  const slo = /** @type {const} */ ({ percentile: 'p99', us: 2_000 });
  /** @param {Record<string, number>} costs   CPU time of an operation by transport, µs @param {number[]} rates @returns {Results} */
  const costing = (costs, rates) => {
    const results = buildResults({ series: Object.keys(costs), rates });
    for (const outcome of measuredOf(results)) {
      const us = costs[outcome.cell.transport];
      for (const [place, launch] of outcome.launches.entries()) {
        const userUs = us * launch.operations * (1 + place / 200);
        launch.costs = launch.costs.slice(0, 1).map((cost) => ({ ...cost, userUs, systemUs: 0 }));
      }
      outcome.cpuUsPerOperation = { workers: null, master: us, broker: null };
    }
    return results;
  };

  it('takes the row with the least CPU time of those that meet the limit', () => {
    const results = costing({ pipe: 30, unix: 60, tcp: 90 }, [12_000]);
    const { choice, broken } = firstAnswer(results, { slo });
    assert.deepEqual([choice?.name, broken.map(({ name }) => name)], ['unix/json', ['pipe/json']]);
    const text = saidOf(results, { slo });
    assert.match(text, /^Take unix\/json .*: the least CPU time at 12,000\/s, /m);
    assert.match(text, /^Of a core.*: unix\/json 72 % \(p99 .* µs.*\), tcp\/json 110 % /m);
    assert.match(text, /^Does not meet p99<2ms at 12,000\/s: pipe\/json /m);
  });

  it('names the rate from which another row takes less', () => {
    const results = costing({ pipe: 30, unix: 60 }, [1_000, 4_000]);
    for (const { cell, launches } of measuredOf(results))
      if (cell.transport === 'pipe' && cell.ratePerSecond === 4_000)
        for (const { costs } of launches) costs[0].userUs *= 4;
    const { chains, axis } = recommended(results);
    assert.deepEqual(
      [axis, chains.map((chain) => chain.map(({ choice }) => choice?.name))],
      ['ratePerSecond', [['pipe/json', 'unix/json']]],
    );
    assert.match(saidOf(results), /^From 4,000\/s: unix\/json, 0\.5\d?× the CPU time of pipe\/json /m);
  });

  it('answers that nothing meets a limit', () => {
    const { choice, isInconclusive, why } = firstAnswer(costing({ pipe: 30, unix: 60 }, [12_000]), {
      slo: { percentile: 'p99', us: 1 },
    });
    assert.deepEqual([choice, isInconclusive, why], [null, false, { code: 'no-row-meets-requirements' }]);
  });

  it('does not take a row for the only one that meets a rate if others were disturbed', () => {
    const results = costing({ pipe: 30, unix: 60, tcp: 90 }, [8_000]);
    for (const outcome of measuredOf(results).slice(1)) {
      outcome.flags = ['generator-limited', 'crowded'].map((code) => ({ code }));
      Object.assign(/** @type {any} */ (outcome.open), { achieved: 0.5 });
    }
    const { choice, isInconclusive, doubtful } = firstAnswer(results);
    assert.deepEqual([choice, isInconclusive, doubtful.length], [null, true, 2]);
  });
});

describe('what is needed', () => {
  it('names the first need that a transport does not meet', () => {
    const why = (/** @type {string} */ name, /** @type {string[]} */ needs, settings = {}) =>
      unmetNeed(resolveTraits(transport(name), settings), needs);
    assert.equal(why('unix', ['other host']), 'this machine only');
    assert.equal(why('tcp', ['other host', 'ordered', 'no broker', 'no package']), null);
    assert.equal(why('zeromq', ['no package']), 'needs a package');
    assert.equal(why('rabbitmq', ['durable']), 'not kept on disk');
    assert.equal(why('rabbitmq', ['durable'], { guarantee: 'durable' }), null);
  });

  it('leaves out threads and lossy transports, unless they are needed', () => {
    const udp = resolveTraits(transport('udp'), {});
    assert.equal(unmetNeed(udp, []), 'messages may get lost');
    assert.equal(unmetNeed(udp, ['loss']), null);
    const threads = resolveTraits(transport('threads-message'), {});
    assert.equal(unmetNeed(threads, []), 'threads, not processes');
    assert.equal(unmetNeed(threads, ['threads']), null);
  });

  it('calls a need unknown for a third-party transport without that trait', () => {
    assert.equal(
      unmetNeed({ class: 'socket', broker: null, direction: 'duplex' }, ['other host']),
      'not known: other host',
    );
    assert.equal(
      unmetNeed({ class: 'socket', broker: null, reach: 'network' }, ['other host', 'no broker']),
      null,
    );
    assert.equal(
      unmetNeed({ class: 'socket', broker: null, reach: 'host' }, ['other host']),
      'this machine only',
    );
    assert.equal(
      unmetNeed({ class: 'socket', broker: null }, ['durable']),
      'not kept on disk',
      'the default',
    );
  });

  it('finds the fewest settings with which a transport meets the needs', () => {
    assert.deepEqual(fittingSettings(transport('tcp'), ['other host']), {});
    assert.deepEqual(fittingSettings(transport('rabbitmq'), ['durable']), { guarantee: 'durable' });
    assert.equal(
      Object.keys(fittingSettings(transport('redis-list'), ['durable', 'other host']) ?? {}).length,
      process.platform === 'win32' ? 1 : 2, // it is reached over TCP there anyway
    );
    assert.equal(fittingSettings(transport('pipe'), ['other host']), null);
  });

  it('has all words of docs/recommend.md, and a transport for every word', () => {
    const page = readFileSync(new URL('../../docs/recommend.md', import.meta.url), 'utf8').replaceAll(
      /\s+/g,
      ' ',
    );
    for (const word of NEED_WORDS) {
      assert.ok(page.includes(`\`${word}\``), word);
      assert.ok(
        [...transports.values()].some((each) => fittingSettings(each, [word]) !== null),
        word,
      );
    }
  });
});

describe('the options of recommend', () => {
  it('reads words of --need in any form', () => {
    assert.deepEqual(recommendOptions({ need: 'Other-host,durable' }).needs, ['other host', 'durable']);
  });

  for (const [argv, why] of /** @type {[Record<string, unknown>, RegExp][]} */ ([
    [{ need: 'durabel' }, /"durabel" is none of the words below. Did you mean durable\?\n {2}other host: /],
    [{ from: '' }, /--from: needs a value/],
    [{ 'max-block': '20' }, /--max-block: "20" has no unit; write /],
    [{ 'max-block': '0.5ms' }, /--max-block: "0.5ms" is out of range; it goes from 1 /],
    [{ traffic: 'a.json', 'max-block': '20ms' }, /--max-block: cannot be combined with --traffic/],
    [{ slo: false }, /--slo: --no-slo means nothing; leave it out/],
  ])) {
    it(`rejects ${JSON.stringify(argv)}`, () => {
      assert.throws(() => recommendOptions(argv), { code: 'BAD_ARGUMENT', message: why });
    });
  }
});

describe('what is simple', () => {
  const plain = /** @type {const} */ ({ broker: null, platforms: ['linux'], usesForkHandles: true });
  /** @param {string} name @param {Record<string, unknown>} [traits] @param {Record<string, unknown>} [cell] @returns {RecommendedRow} */
  const rowOf = (name, traits, cell) =>
    /** @type {any} */ ({
      name,
      traits: { ...plain, ...traits },
      outcome: { cell: { codec: 'json', settings: {}, ...cell } },
    });
  const rows = [
    rowOf('plain'),
    rowOf('no ride', { usesForkHandles: undefined }),
    rowOf('codec', { usesForkHandles: undefined }, { codec: 'v8' }),
    rowOf('setting', {}, { settings: { a: 1 } }),
    rowOf('settings', {}, { settings: { a: 1, b: 2 } }),
    rowOf('package', { packages: ['a'] }),
    rowOf('packages', { packages: ['a', 'b'] }),
    rowOf('broker', { broker: 'redis' }),
  ];
  const namesOf = (/** @type {RecommendedRow[]} */ some) => some.map(({ name }) => name);

  it('orders rows by server, packages, settings, codec and start', () => {
    assert.deepEqual(namesOf(simplestFirst(rows.toReversed())), namesOf(rows));
    const equal = [rowOf('b'), rowOf('a')];
    assert.deepEqual(simplestFirst(equal), equal, 'in the order given');
  });

  it('calls a row built in if it needs no server, no package and no other codec', () => {
    assert.deepEqual(namesOf(rows.filter(isBuiltIn)), ['plain', 'no ride', 'setting', 'settings']);
    assert.equal(isBuiltIn(rowOf('of a third party', { platforms: undefined })), false);
  });
});

describe('a recommendation as findings', () => {
  it('has names and numbers in JSON, and no launches', () => {
    const results = resultsOf(TURNING, { payloads: [1_000] });
    const findings = recommendationFindings(recommended(results), results, { slo: null });
    const [{ kind, group, rows }] = JSON.parse(JSON.stringify(findings));
    assert.deepEqual([kind, rows[0].row, group.payloadBytes], ['recommended', 'pipe/json', 1_000]);
    assert.deepEqual(
      rows.map((/** @type {{ row: string, verdict?: string }} */ { row, verdict }) => [row, verdict]),
      [
        ['pipe/json', undefined],
        ['unix/binary', 'better'],
      ],
    );
    assert.equal(JSON.stringify(findings).includes('histogram'), false);
    for (const finding of findings) assert.equal(findFault(Finding, finding), null);
    assert.ok(results.outcomes.every(isMeasured));
  });
});
