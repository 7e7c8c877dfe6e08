import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHeadline, timesIn } from '../../lib/cell/headline.js';
import { seriesLabel } from '../../lib/cell/labels.js';
import { publishedFigures } from '../../lib/options/presets.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { linesBelow } from '../../lib/report/charts/scene/layout.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { transportLook } from '../../lib/report/charts/style/palette.js';
import { CLOSED_LOOP_SENTENCES } from '../../lib/report/text/conclusion.js';
import { ALL_FACTS, MISSING, makeAllResults } from '../fixtures/all-transports.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Cell } from '../../lib/types/index.js' */
/** @import { Figure } from '../../lib/report/charts/scene-types.js' */

const SIX = ['pipe/json', 'unix/json', 'unix/string', 'unix/binary', 'redis-pubsub/json', 'tcp/json'];
const ARTICLE = {
  shapes: '1x1 2x1 4x1 6x1 1x4 2x4 4x4 6x4 6x8'.split(' '),
  payloads: [10, 100, 1000],
  series: SIX,
  published: publishedFigures('node-ipc-2016'),
};
const SWEEP = { payloads: [10, 100, 1000, 10_000, 100_000], series: SIX.slice(0, 5) };

/** @param {Figure[]} figures @param {string} name */
function figureNamed(figures, name) {
  const figure = figures.find((one) => one.name === name);
  assert.ok(figure, `no figure ${name} among ${figures.map((one) => one.name)}`);
  return figure;
}

/** @param {Figure} figure @returns {any[]} points of all panels */
const pointsOf = (figure) =>
  figure.panels.flatMap(({ configuration }) => configuration.data.datasets.flatMap(({ data }) => data));

/** @param {Pick<Figure, 'panels'>} figure @returns {string[]} */
const markTexts = (figure) =>
  figure.panels.flatMap(({ configuration }) => configuration.marks.flatMap(({ text }) => text ?? []));

/** @param {Figure} figure @returns {string[]} of the first panel */
const labelsOf = (figure) => (figure.panels[0].configuration.data.labels ?? []).map(String);

/** @param {string} transport @param {string} [codec] */
const failing = (transport, codec) => (/** @type {Cell} */ cell) =>
  cell.transport === transport && (codec === undefined || cell.codec === codec) ? 'worker w1 died' : null;

describe('the throughput chart of one shape', () => {
  const results = makeResults();
  const [figure] = makeFigures(results);
  const [{ configuration }] = figure.panels;
  const [dataset] = configuration.data.datasets;

  it('is named after its payload', () => assert.equal(figure.name, 'throughput-1000B'));

  it('has horizontal bars from zero with whiskers from the intervals', () => {
    assert.equal(configuration.type, 'bar');
    assert.equal(configuration.options.indexAxis, 'y');
    assert.equal(configuration.options.scales.x.type, 'linear');
    assert.equal(configuration.options.scales.x.min, 0);
    const outcome = results.outcomes.find(({ cell }) => cell.transport === 'unix' && cell.codec === 'string');
    assert.ok(outcome?.status === 'measured');
    const { estimate, low, high } = readHeadline(outcome);
    const point = dataset.data.find((/** @type {any} */ { y }) => y === 'unix/string');
    assert.deepEqual(point, { y: 'unix/string', x: estimate, xMin: low, xMax: high });
  });

  it('has its rows in the order of the table', () => {
    assert.deepEqual(configuration.data.labels, [
      ...['Pipes', 'pipe/json', 'pipe/string'],
      ...['Sockets', 'unix/string', 'tcp/string', 'unix/json', 'tcp/json'],
      ...['Brokerless', 'zeromq/string', 'zeromq/json'],
      ...['Brokers', 'redis-pubsub/string', 'redis-pubsub/json'],
    ]);
  });

  it('writes value and ratio beside each bar, and the reason where there is none', () => {
    const texts = markTexts(figure);
    assert.ok(texts.includes('62,400   1.90× (1.84–2.02)'), texts.join('\n'));
    assert.ok(texts.includes('32,600   reference'));
    assert.ok(texts.includes('– skipped: pipe serialises by itself: it carries json, v8, not string'));
  });

  it('says who is fastest against the reference', () => {
    const sentence = 'unix/string is fastest: 1.90× the throughput of pipe/json (95 % CI 1.84–2.02)';
    assert.equal(figure.message, sentence);
  });

  it('says below how and where it was measured, in a line each, and the rest in its notes', () => {
    assert.deepEqual(linesBelow(figure), [
      'round-trip, closed loop · 2x4 (workers × loops) · master on its own CPU · 6 launches per row · whiskers: 95 % interval',
      'AMD EPYC 7763 64-Core Processor · 2 of 4 CPUs · linux 6.1 · Node v20.20.2 · ipc-bench 0.1.0 · 2026-01-15',
    ]);
    assert.ok(
      figure.notes.includes(
        'Machine: AMD EPYC 7763 64-Core Processor · 2 of 4 CPUs usable · linux 6.1.0-18-amd64 · Node v20.20.2',
      ),
    );
  });

  it('says below what is unusual, and what it means', () => {
    const outcomes = results.outcomes.map((outcome) => ({
      ...outcome,
      cell: { ...outcome.cell, poll: /** @type {const} */ ('busy') },
    }));
    const [busy] = makeFigures(/** @type {typeof results} */ ({ ...results, outcomes }));
    assert.match(linesBelow(busy)[0], / · poll busy \(processes never sleep\) · /);
  });

  it('says below that its run was not finished', () => {
    const [unfinished] = makeFigures({ ...results, status: 'running' });
    assert.match(linesBelow(unfinished)[0], /^unfinished run · /);
  });
});

describe('what a throughput chart says in words', () => {
  it('makes no verdict of too few launches, and draws no whiskers', () => {
    const [figure] = makeFigures(makeResults({ launches: 1, series: ['pipe/json', 'unix/json'] }));
    assert.match(
      figure.message,
      /^No verdict: fewer than 2 launches; highest estimate: unix\/json, 1\.\d+× the throughput of pipe\/json$/,
    );
    assert.match(linesBelow(figure)[0], /1 launch per row · one launch, no interval$/);
  });

  it('names the reference itself, and the next, when nothing is faster', () => {
    const [figure] = makeFigures(
      makeResults({ series: ['unix/string', 'pipe/json'], reference: 'unix/string' }),
    );
    assert.match(
      figure.message,
      /^unix\/string is fastest: .* round trips per second; next: pipe\/json, 0\.5/,
    );
  });

  it('says so when nothing was measured, and draws no latency', () => {
    const figures = makeFigures(makeResults({ fail: () => 'no' }));
    assert.deepEqual(
      figures.map(({ name, message }) => [name, message]),
      [['throughput-1000B', 'Nothing was measured']],
    );
  });
});

describe('what is no bar', () => {
  const series = ['pipe/json', 'pipe/string', 'unix/json', 'redis-pubsub/json'];
  const missing = (/** @type {Cell} */ cell) =>
    cell.transport === 'redis-pubsub' ? 'no redis-server' : null;

  /** @param {Parameters<typeof makeResults>[0]} recipe */
  function withImpossible(recipe) {
    const results = makeResults({
      series,
      ...recipe,
      skip: (cell) =>
        cell.transport === 'pipe' && cell.codec === 'string' ? 'encoded twice' : missing(cell),
    });
    for (const outcome of results.outcomes) {
      if (outcome.status === 'skipped' && outcome.reason === 'encoded twice') outcome.isImpossible = true;
    }
    return results;
  }

  it('is what no machine could measure, in any chart; what is missing here stays a visible gap', () => {
    for (const recipe of [{}, { shapes: ['1x1', '2x4'] }, { payloads: [10, 1000] }]) {
      for (const { name, panels, legend, notes, altText } of makeFigures(withImpossible(recipe))) {
        const drawn = JSON.stringify([panels, legend, notes, altText]);
        assert.doesNotMatch(drawn, /pipe\/string|encoded twice/, name);
        assert.match(drawn, /redis-pubsub/, name);
        assert.match(notes.join('\n') + markTexts({ panels }).join('\n'), /no redis-server/, name);
      }
    }
    const [figure] = makeFigures(withImpossible({}));
    assert.match(figure.altText, / 1 cell skipped\.$/);
  });

  it('is a payload that nothing can carry', () => {
    const results = makeResults({ series: ['udp/json'], payloads: [10, 100_000], skip: () => null });
    const [, great] = results.outcomes;
    results.outcomes[1] = { status: 'skipped', cell: great.cell, reason: 'too long', isImpossible: true };
    assert.deepEqual(
      makeFigures(results).map(({ name }) => name),
      ['throughput-10B', 'latency-10B'],
    );
  });

  it('is a row whose rate cannot be: it is a gap with its reason, and is not ranked', () => {
    for (const rate of [null, 0, Infinity, Number.NaN]) {
      for (const shapes of [['2x4'], ['1x1', '2x4']]) {
        const results = makeResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], shapes });
        for (const outcome of results.outcomes) {
          if (outcome.status !== 'measured' || outcome.cell.transport !== 'unix') continue;
          Object.assign(readHeadline(outcome), { estimate: rate, low: rate, high: rate });
        }
        for (const { name, message, panels, notes, altText } of makeFigures(results)) {
          assert.doesNotMatch(message, /unix/, name);
          assert.doesNotMatch(JSON.stringify([message, notes, altText]), /Infinity|NaN|∞/, name);
          const reasons = [...notes, ...markTexts({ panels })].join('\n');
          assert.match(reasons, /✕ failed: .*in a launch not one round trip ended/, name);
          assert.match(altText, / cells? failed\.$/, name);
        }
      }
    }
  });

  it('is a ratio that is no number: its row is drawn without one', () => {
    for (const ratio of [null, 0, Infinity]) {
      const results = makeResults({ series: ['pipe/json', 'unix/json'] });
      const [, outcome] = results.outcomes;
      assert.ok(outcome.status === 'measured');
      Object.assign(outcome.ratio ?? {}, { estimate: ratio, low: 1, high: ratio });
      const [figure] = makeFigures(results);
      assert.ok(markTexts(figure).some((text) => /^4\d,\d00$/.test(text)));
      assert.doesNotMatch([figure.message, ...markTexts(figure)].join(), /Infinity|∞|NaN|null/);
    }
  });
});

describe('one launch', () => {
  it('has no range: no whisker is drawn, and a line below says why', () => {
    for (const recipe of [{}, { shapes: ['1x1', '2x4'] }, { payloads: [10, 1000] }]) {
      for (const figure of makeFigures(makeResults({ ...recipe, launches: 1 }))) {
        for (const { x, y, xMin, xMax, yMin, yMax } of pointsOf(figure)) {
          if (x === null || y === null) continue;
          const ends = [xMin, xMax, yMin, yMax].flat().filter((end) => end !== undefined);
          assert.ok(ends.length > 0, figure.name);
          assert.ok(
            ends.every((end) => end === null),
            `${figure.name}: ${ends}`,
          );
        }
        assert.match(linesBelow(figure)[0], / · 1 launch per row · one launch, no interval$/);
      }
    }
  });

  it('keeps the whiskers of what was launched several times', () => {
    const results = makeResults({ series: ['pipe/json', 'unix/json'], launches: 2 });
    const [outcome] = results.outcomes;
    assert.ok(outcome.status === 'measured');
    Object.assign(readHeadline(outcome), { n: 1, level: null });
    const [figure] = makeFigures(results);
    assert.deepEqual(
      pointsOf(figure)
        .map(({ y, xMin }) => [y, xMin !== null])
        .sort(),
      [
        ['pipe/json', false],
        ['unix/json', true],
      ],
    );
    assert.match(linesBelow(figure)[0], / · 1 to 2 launches per row · whiskers: 95 % interval$/);
  });
});

describe('the throughput chart of several shapes', () => {
  const results = makeResults({ ...ARTICLE, fail: failing('tcp') });
  const figure = figureNamed(makeFigures(results), 'throughput-100B');

  it('has a panel for each shape, in each a row for each series, on a scale of its own', () => {
    assert.deepEqual(
      figure.panels.map(({ title }) => title),
      ARTICLE.shapes,
    );
    for (const { configuration } of figure.panels) {
      const labels = (configuration.data.labels ?? []).filter((label) => String(label).includes('/'));
      assert.deepEqual(labels.toSorted(), SIX.toSorted());
      assert.deepEqual(configuration.data.labels, figure.panels[0].configuration.data.labels);
      assert.equal(configuration.options.scales.x.min, 0);
    }
    const ends = figure.panels.map(({ configuration }) => configuration.options.scales.x.max);
    assert.equal(new Set(ends).size, ARTICLE.shapes.length);
    assert.match(linesBelow(figure)[0], /^→ round trips per second, a scale for each panel · /);
  });

  it('writes the value beside each bar', () => {
    assert.equal(markTexts(figure).filter((text) => /^[\d,]+$/.test(text)).length, 5 * 9);
  });

  it('shows a failed cell as a marked gap, never as a zero', () => {
    const points = pointsOf(figure).filter(({ y }) => y === 'tcp/json');
    assert.equal(points.length, 9);
    for (const { x } of points) assert.equal(x, null);
    assert.equal(markTexts(figure).filter((text) => text === '✕ failed').length, 9);
    assert.ok(figure.notes.some((note) => note === '✕ failed: tcp (PROCESS_DIED: worker w1 died)'));
  });

  it('shows published figures as lines across the bars, with source and caveats in its notes', () => {
    const marks = figure.panels.flatMap(({ configuration }) => configuration.marks);
    const ticks = marks.filter(({ symbol }) => symbol === 'tick');
    assert.ok(ticks.length >= 5 * 9);
    for (const { configuration } of figure.panels) {
      const { max } = configuration.options.scales.x;
      for (const { value = 0, symbol } of configuration.marks) assert.ok(symbol !== 'tick' || value <= max);
    }
    assert.ok(figure.legend.some(({ text }) => text === 'published (2016), another machine'));
    const note = figure.notes.find((text) => text.startsWith('Published: '));
    for (const part of ['2016', 'node-ipc-test', 'another machine', 'before the workers are forked']) {
      assert.ok(note?.includes(part), part);
    }
  });
});

describe('charts of all transports', () => {
  const all = makeAllResults();
  const HEADINGS = [
    'Pipes',
    'Sockets',
    'Memory',
    'Threads, not processes',
    'Brokerless',
    'RPC',
    'Brokers, in memory',
    'Brokers, on disk',
  ];

  it('have a heading for each class, and for what keeps messages on disk', () => {
    for (const figure of makeFigures(all)) {
      const labels = labelsOf(figure);
      assert.deepEqual(
        labels.filter((label) => HEADINGS.includes(label)).sort(),
        HEADINGS.toSorted(),
        figure.name,
      );
      assert.equal(labels.length, 50 + HEADINGS.length, 'and a row for each series');
    }
  });

  it('take the class from the results, since a transport may be anybody’s', () => {
    const results = makeResults({
      series: ['pipe/json', 'mine/json', 'mine/string', 'unix/json', 'tcp/json'],
    });
    results.transports = { ...ALL_FACTS, mine: { ...ALL_FACTS.nats, class: 'rpc', durability: undefined } };
    const labels = labelsOf(makeFigures(results)[0]);
    assert.ok(labels.includes('RPC') && !labels.includes('Other'), labels.join());
  });

  it('never call a thread or who spins the fastest without saying so', () => {
    const [throughput, latency] = makeFigures(all);
    assert.match(throughput.message, /^shared-memory\/string is fastest: 2\.\d+×/);
    assert.match(
      throughput.message,
      /, apart from shared-memory:wake=spin \(busy-waiting\) and threads-shared \(threads, not processes\); rows of another kind, compared with pipe\/json: faster at 8, slower at 2$/,
    );
    assert.match(latency.message, /\(shared-memory:wake=spin\/string: busy-waiting\) to /);
  });

  it('show what a machine lacks in one row for each transport, not for each cell', () => {
    const [figure] = makeFigures(makeAllResults({ isPoor: true }));
    const labels = labelsOf(figure);
    for (const name of Object.keys(MISSING)) {
      assert.equal(
        labels.filter((label) => label.split(/[/:]/)[0] === name && !label.includes(':')).length,
        1,
        name,
      );
    }
    assert.equal(figure.notes.filter((text) => text.includes('no nats-server')).length, 1);
    assert.ok(
      markTexts(figure).every((text) => !text.includes('…')),
      'a reason stands in full or not at all',
    );
  });

  it('are small multiples of rows over shapes, and of neighbouring classes over payloads', () => {
    const figures = makeFigures(
      makeAllResults({ shapes: ['1x1', '2x4', '1x100'], payloads: [10, 1000], launches: 2 }),
    );
    const throughput = figureNamed(figures, 'throughput-10B');
    assert.deepEqual(
      throughput.panels.map(({ title }) => title),
      ['1x1', '2x4', '1x100'],
    );
    const byPayload = figureNamed(figures, 'throughput-by-payload-2x4');
    assert.deepEqual(
      byPayload.panels.map(({ title }) => title),
      [
        'Pipes · Sockets',
        'Memory · Threads, not processes · Brokerless',
        'RPC',
        'Brokers, in memory · Brokers, on disk',
      ].flatMap((classes) => [`${classes}, codec json`, `${classes}, codec string`]),
    );
    for (const { configuration } of byPayload.panels) {
      assert.ok(configuration.data.datasets.length <= 8);
      const names = configuration.marks.filter(({ isLineEnd }) => isLineEnd).map(({ text }) => text);
      assert.ok(
        names.every((name) => name !== undefined && !name.includes('/')),
        'the codec is in the title',
      );
    }
    assert.equal(new Set(byPayload.panels.map((panel) => panel.configuration.options.scales.y.max)).size, 1);
  });

  it('are laid out for 3, 8, 15 and 25 transports with as many rows as they have series', () => {
    for (const count of [3, 8, 15, 25]) {
      const results = makeAllResults({ count });
      const series = new Set(results.outcomes.map(({ cell }) => seriesLabel(cell)));
      for (const figure of makeFigures(results)) {
        const labels = labelsOf(figure);
        const rows = labels.filter((label) => !HEADINGS.includes(label));
        assert.equal(rows.length, series.size, `${figure.name} of ${count}`);
        assert.equal(new Set(labels).size, labels.length);
      }
    }
  });
});

describe('the chart of throughput against payload', () => {
  const figure = figureNamed(makeFigures(makeResults(SWEEP)), 'throughput-by-payload');
  const [{ configuration }] = figure.panels;

  it('has two log axes, error bars, and a name at the end of each line', () => {
    assert.equal(configuration.type, 'line');
    assert.equal(configuration.options.scales.x.type, 'logarithmic');
    assert.equal(configuration.options.scales.y.type, 'logarithmic');
    assert.match(configuration.options.scales.x.title.text, /log scale/);
    for (const { yMin, y, yMax } of pointsOf(figure)) assert.ok(yMin <= y && y <= yMax);
    const names = configuration.marks.filter(({ isLineEnd }) => isLineEnd).map(({ text }) => text);
    assert.deepEqual(names.toSorted(), SWEEP.series.toSorted());
    assert.equal(names.at(-1), 'pipe/json', 'the reference is drawn above the others');
    assert.deepEqual(figure.legend, []);
  });

  it('has a hollow point where a row is not ranked, says why in its notes, and has no letters at points', () => {
    const flagged = makeResults({
      ...SWEEP,
      flag: ({ transport, payloadBytes }) => {
        const isLast = transport === 'unix' && payloadBytes === SWEEP.payloads.at(-1);
        return isLast ? ['cold', 'not-steady', 'bottleneck'] : [];
      },
    });
    const figure = figureNamed(makeFigures(flagged), 'throughput-by-payload');
    const { marks } = figure.panels[0].configuration;
    const unix = SWEEP.series.filter((name) => name.startsWith('unix/'));
    const hollow = marks.filter(({ symbol, fill }) => symbol && fill === COLOURS.light.background);
    assert.deepEqual(
      hollow.map(({ x }) => x),
      unix.map(() => SWEEP.payloads.at(-1)),
    );
    assert.deepEqual(
      figure.legend.map(({ text }) => text),
      ['hollow: not ranked'],
    );
    const texts = marks.filter(({ text }) => text !== undefined);
    assert.deepEqual(texts.map(({ text }) => String(text)).toSorted(), SWEEP.series.toSorted());
    const at = (/** @type {string[]} */ names) => new RegExp(names.join('.*'));
    assert.ok(figure.notes.some((note) => at(['^Not ranked: ', 'still warming up$']).test(note)));
    assert.ok(figure.notes.some((note) => note.endsWith(': not stable')));
    assert.ok(figure.notes.some((note) => note.endsWith(': limited by one process')));
  });

  it('is only there where there are several payloads', () => {
    assert.ok(makeFigures(makeResults()).every(({ name }) => name !== 'throughput-by-payload'));
  });

  it('breaks a line at a failed cell and marks it there', () => {
    const results = makeResults({
      ...SWEEP,
      fail: (cell) => (cell.payloadBytes === 1000 ? failing('unix')(cell) : null),
    });
    const broken = figureNamed(makeFigures(results), 'throughput-by-payload');
    assert.equal(pointsOf(broken).filter(({ y }) => y === null).length, 3);
    assert.equal(pointsOf(broken).filter(({ y }) => y === 0).length, 0);
    const crosses = broken.panels[0].configuration.marks.filter(({ text }) => text === '✕');
    assert.deepEqual(
      crosses.map(({ x }) => x),
      [1000, 1000, 1000],
    );
    assert.equal(new Set(crosses.map(({ dy }) => dy)).size, 3);
    assert.deepEqual(
      broken.legend.map(({ text, swatch }) => [text, swatch.kind]),
      [['failed', 'text']],
    );
    assert.ok(broken.panels[0].configuration.data.datasets.every(({ spanGaps }) => spanGaps === false));
  });

  it('has one panel per shape on the same scales', () => {
    const many = figureNamed(makeFigures(makeResults(ARTICLE)), 'throughput-by-payload');
    assert.deepEqual(
      many.panels.map(({ title }) => title),
      ARTICLE.shapes,
    );
    const ends = many.panels.map((panel) => JSON.stringify(panel.configuration.options.scales.y.min));
    assert.equal(new Set(ends).size, 1);
    assert.equal(many.legend.length, SIX.length);
  });
});

describe('the latency chart', () => {
  it('ranges from p50 to p99 on a log axis and says what closed loops leave out', () => {
    const results = makeResults();
    const figure = figureNamed(makeFigures(results), 'latency-1000B');
    const [{ configuration }] = figure.panels;
    assert.equal(configuration.options.scales.x.type, 'logarithmic');
    const outcome = results.outcomes.find(({ cell }) => cell.transport === 'unix' && cell.codec === 'string');
    assert.ok(outcome?.status === 'measured');
    const point = pointsOf(figure).find(({ y }) => y === 'unix/string');
    assert.deepEqual(point.x, [timesIn(outcome)[0].p50, timesIn(outcome)[0].p99]);
    assert.ok(figure.notes.includes(CLOSED_LOOP_SENTENCES.full));
    assert.ok(figure.message.startsWith('Medians go from'));
  });

  it('says of several rows from where to where their medians are, and of one what it is', () => {
    const messageOf = (/** @type {string[]} */ ...series) =>
      figureNamed(makeFigures(makeResults({ series })), 'latency-1000B').message;
    assert.match(messageOf('pipe/json'), /^Half of the round trips took less than [\d.]+ µs \(pipe\/json\)$/);
    assert.match(
      messageOf('pipe/json', 'unix/json'),
      /^Medians go from [\d.]+ µs \(unix\/json\) to [\d.]+ µs \(pipe\/json\)$/,
    );
  });

  it('ends at p90 where samples are too few for p99', () => {
    const results = makeResults({ series: ['pipe/json'] });
    const [outcome] = results.outcomes;
    assert.ok(outcome.status === 'measured');
    Object.assign(timesIn(outcome)[0], { p99: null, p999: null });
    timesIn(outcome)[0].perLaunch.p99 = null;
    const figure = figureNamed(makeFigures(results), 'latency-1000B');
    assert.deepEqual(pointsOf(figure)[0].x, [timesIn(outcome)[0].p50, timesIn(outcome)[0].p90]);
    assert.ok(markTexts(figure).some((text) => text.endsWith('too few for p99')));
  });
});

describe('every chart', () => {
  it('is made once for all reports of a delivery, and anew for the next', () => {
    const results = makeResults({ series: ['pipe/json', 'unix/json'] });
    const figures = new Map();
    const made = makeFigures(results, { figures });
    assert.equal(makeFigures(results, { theme: 'light', figures }), made);
    assert.notEqual(makeFigures(results, { theme: 'dark', figures }), made);
    assert.notEqual(makeFigures(results), made);
  });

  it('gives a transport one colour, whatever the codec, payload and kind of chart', () => {
    const figures = [
      ...makeFigures(makeResults(ARTICLE)),
      ...makeFigures(makeResults(SWEEP)),
      ...makeFigures(makeResults()),
    ];
    const seen = new Map();
    for (const { configuration } of figures.flatMap(({ panels }) => panels)) {
      for (const { label, fills, borderColor } of configuration.data.datasets) {
        const [transport] = label.split('/');
        if (!SIX.includes(label)) continue;
        seen.set(transport, new Set([...(seen.get(transport) ?? []), fills?.[0].colour ?? borderColor]));
      }
    }
    assert.equal(seen.size, 4);
    for (const [transport, colours] of seen) {
      assert.deepEqual([...colours], [COLOURS.light.hues[transportLook({}, transport).hue]], transport);
    }
  });

  it('has bars without a fill where a row is not ranked, and says why in its notes', () => {
    const flag = (/** @type {Cell} */ { transport, codec, workers }) =>
      transport === 'unix' && codec === 'json' && workers === 2 ? ['cold', 'not-steady'] : [];
    const [figure] = makeFigures(makeResults({ ...ARTICLE, payloads: [10], flag }));
    const sets = figure.panels.flatMap(({ configuration }) => configuration.data.datasets);
    const hollow = sets.flatMap(({ fills, data }) =>
      data.filter((/** @type {any} */ _, /** @type {number} */ at) => fills[at]?.fill === 'empty'),
    );
    assert.deepEqual(
      hollow.map(({ y }) => y),
      ['unix/json', 'unix/json'],
    );
    assert.ok(figure.legend.some(({ text }) => text === 'hollow: not ranked'));
    assert.ok(
      figure.notes.some((note) => /^Not ranked: unix\/json 2x\d.*: still warming up$/.test(note)),
      figure.notes.join('\n'),
    );
    assert.ok(figure.notes.some((note) => /^Unix\/json 2x\d.*: not stable$/i.test(note)));
    assert.ok(markTexts(figure).every((text) => text.length > 2 || text === '✕'));
  });

  it('draws a row that is not ranked hollow, and says so once, in its legend', () => {
    const flag = (/** @type {Cell} */ { transport }) => (transport === 'zeromq' ? ['lost', 'free'] : []);
    for (const figure of makeFigures(makeResults({ flag })).slice(0, 2)) {
      assert.ok(markTexts(figure).every((text) => !text.includes('not ranked')));
      const items = figure.legend.filter(({ text }) => text === 'hollow: not ranked');
      assert.equal(items.length, 1, figure.name);
      const note = 'Not ranked: zeromq/json, zeromq/string: lost or late responses';
      assert.ok(figure.notes.includes(note), figure.notes.join('\n'));
    }
  });

  it('says a flag that all rows have only once', () => {
    const [figure] = makeFigures(makeResults({ quick: true }));
    assert.ok(figure.notes.some((note) => note.startsWith('All rows: a quick run')));
  });

  it('says a flag of a whole shape or codec, or of all but two rows, only once', () => {
    const shapes = ['1x1', '2x4', '4x4'];
    /** @type {[Parameters<typeof makeResults>[0], string][]} */
    const scenes = [
      [
        { shapes, flag: ({ workers }) => (workers > 1 ? ['oversubscribed'] : []) },
        'All of 2x4, 4x4: more busy',
      ],
      [
        { shapes, flag: ({ codec }) => (codec === 'json' ? ['bottleneck'] : []) },
        'All of codec json: limited by one process',
      ],
      [{ flag: ({ transport }) => (transport === 'pipe' ? [] : ['free']) }, 'All but pipe/json: not pinned'],
    ];
    for (const [recipe, said] of scenes) {
      for (const figure of makeFigures(makeResults(recipe))) {
        const note = figure.notes.find((text) => text.startsWith(said));
        assert.ok(note, `${figure.name}: ${figure.notes}`);
      }
    }
  });

  it('explains the mark that stands where a plan was not kept, also where all rows of a rate have it', () => {
    const rate = figureNamed(
      makeFigures(makeOpenResults({ launches: 1, rates: [1_000, 50_000] })),
      'response-by-rate-1000B',
    );
    assert.equal(markTexts(rate).filter((text) => text === '?').length, 8);
    assert.ok(
      rate.notes.some((note) => note.startsWith('? no response time: ')),
      rate.notes.join('\n'),
    );
    assert.ok(rate.legend.some(({ text }) => text === 'no response time'));
  });

  it('counts the gaps of a place where they are more than three', () => {
    const series = ['pipe', 'unix', 'tcp', 'zeromq'];
    const rate = figureNamed(
      makeFigures(makeOpenResults({ series, launches: 1, rates: [1_000, 50_000] })),
      'response-by-rate-1000B',
    );
    assert.deepEqual(
      markTexts(rate).filter((text) => text.includes('?')),
      ['4 ?', '4 ?', '?', '?'],
    );
  });

  it('names the few rows that a property holds for', () => {
    const flag = (/** @type {Cell} */ { transport }) => (transport === 'zeromq' ? ['free'] : []);
    const [figure] = makeFigures(makeResults({ flag }));
    assert.ok(figure.notes.some((note) => /^zeromq\/\w+, zeromq\/\w+: not pinned$/i.test(note)));
  });

  it('never mixes placements or scenarios', () => {
    const results = makeResults({ placements: ['split', 'same'], series: ['pipe/json', 'unix/json'] });
    results.outcomes[0].cell = { ...results.outcomes[0].cell, scenario: 'one-way' };
    const names = makeFigures(results).map(({ name }) => name);
    assert.ok(names.includes('throughput-1000B-one-way-split'), names.join());
    assert.equal(names.filter((name) => name.startsWith('throughput')).length, 3);
    assert.equal(new Set(names).size, names.length);
    assert.match(makeFigures(results)[0].title, /, placement split$/);
  });

  it('takes the title of the user, and makes one otherwise', () => {
    assert.equal(makeFigures(makeResults())[0].title, 'Round trips per second, 1,000 B payload, 2x4');
    assert.equal(makeFigures(makeResults(), { title: 'Mine' })[0].title, 'Mine');
  });

  it('has an alt text of one line with its message and values', () => {
    const [figure] = makeFigures(
      makeResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], fail: failing('tcp') }),
    );
    assert.match(
      figure.altText,
      /^Round trips per second, 1,000 B payload, 2x4\. unix\/json is fastest: [^.]*\..*\. unix\/json 4\d,\d00, pipe\/json 3\d,\d00\. 1 cell failed\.$/,
    );
  });

  it('makes hostile labels printable, short and distinct', () => {
    const long = 'x'.repeat(300);
    const series = [
      'pipe/json',
      `\u001b[31m${long}\u202e1${long}/json`,
      `\u001b[31m${long}\u202e2${long}/json`,
    ];
    for (const figure of makeFigures(makeResults({ series, payloads: [10, 100] }), {
      title: `\u0007${long}`,
    })) {
      const labels = figure.panels.flatMap(({ configuration }) => configuration.data.labels ?? []);
      const texts = [
        figure.title,
        figure.message,
        figure.altText,
        ...figure.notes,
        ...markTexts(figure),
        ...labels,
      ];
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      for (const text of texts) assert.doesNotMatch(String(text), /[\u0000-\u001f\u202e]/);
      for (const label of labels) assert.ok(String(label).length <= 48, String(label));
      assert.equal(new Set(labels).size, labels.length);
    }
  });
});
