// The words and values of figures. Most of them are compared with test/fixtures/figures.txt as a whole; the rest of this suite is about
// results that such a text shows badly.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readHeadline, timesIn } from '../../lib/cell/headline.js';
import { cellLabel, seriesLabel } from '../../lib/cell/labels.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { linesBelow } from '../../lib/report/charts/figures/footer.js';
import { barsOf } from '../../lib/report/charts/figures/rows.js';
import { makeSeries } from '../../lib/report/charts/figures/series.js';
import { headlineFileName } from '../../lib/report/charts/figures/throughput-figure.js';
import { makePictures } from '../../lib/report/charts/pictures/pictures.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { ALL_FACTS, makeAllResults } from '../fixtures/all-transports.js';
import { buildResults, changeRatio } from '../fixtures/build-results.js';
import { outlineAll, RESULTS } from '../fixtures/figure-outlines.js';
import { withLooks } from '../fixtures/looks.js';
import { withSleeps } from '../fixtures/with-sleeps.js';

/** @import { Cell } from '../../lib/types/index.js' */
/** @import { Figure } from '../../lib/report/charts/chart-types.js' */

const SAVED = new URL('../fixtures/figures.txt', import.meta.url);
const TWO = ['pipe/json', 'unix/json'];
/** Recipes of each kind of figure of closed loops. */
const KINDS = [{}, { shapes: ['1x1', '2x4'] }, { payloads: [10, 1_000] }];

/** @param {Pick<Figure, 'panels'>} figure */
const markTexts = ({ panels }) => panels.flatMap(({ marks }) => marks.flatMap(({ text }) => text ?? []));

/** @param {Figure} figure @returns {any[]} */
const pointsOf = ({ panels }) => panels.flatMap(({ data }) => data.datasets.flatMap(({ data }) => data));

/** @param {Figure} figure @returns {string[]} */
const labelsOf = ({ panels }) => (panels[0].data.labels ?? []).map(String);

describe('figures', () => {
  it('draws the words and values of figures.txt; after a change that you mean, run node test/fixtures/refresh-figures.js', () => {
    assert.deepEqual(outlineAll().split('\n'), readFileSync(SAVED, 'utf8').split('\n'));
  });

  it('leaves rows that no machine can measure out of figures, and shows rows that are missing here as gaps', () => {
    for (const recipe of KINDS) {
      const results = buildResults({
        series: ['pipe/json', 'pipe/string', 'unix/json', 'redis-pubsub/json'],
        ...recipe,
        skip: ({ transport, codec }) =>
          codec === 'string' ? 'encoded twice' : transport === 'redis-pubsub' ? 'no redis-server' : null,
      });
      for (const outcome of results.outcomes)
        if (outcome.status === 'skipped' && outcome.reason === 'encoded twice') outcome.isImpossible = true;
      for (const { name, panels, legend, notes, altText } of makeFigures(results)) {
        assert.doesNotMatch(
          JSON.stringify([panels, legend, notes, altText]),
          /pipe\/string|encoded twice/,
          name,
        );
        assert.match([...notes, ...markTexts({ panels })].join('\n'), /no redis-server/, name);
      }
    }
  });

  it('shows a rate that is no positive number as a failed row', () => {
    for (const rate of [null, 0, Infinity, Number.NaN]) {
      for (const shapes of [['2x4'], ['1x1', '2x4']]) {
        const results = buildResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], shapes });
        for (const outcome of results.outcomes) {
          if (outcome.status !== 'measured' || outcome.cell.transport !== 'unix') continue;
          Object.assign(readHeadline(outcome), { estimate: rate, low: rate, high: rate });
        }
        for (const { name, message, panels, notes, altText } of makeFigures(results)) {
          assert.doesNotMatch(message, /unix/, name);
          assert.doesNotMatch(JSON.stringify([message, notes, altText]), /Infinity|NaN|∞/, name);
          const reasons = [...notes, ...markTexts({ panels })].join('\n');
          assert.match(reasons, /Failed: .*in a launch not one round trip ended/, name);
        }
      }
    }
  });

  it('notes unequal sleeps in a table behind one without a measured row', () => {
    const results = buildResults({
      series: TWO,
      shapes: ['1x1', '2x4'],
      skip: ({ workers }) => (workers === 1 ? 'no' : null),
    });
    for (const [index, outcome] of results.outcomes.filter(isMeasured).entries())
      for (const { operations, costs } of outcome.launches)
        for (const cost of costs) cost.voluntarySwitches = index === 0 ? operations : 0.001 * operations;
    const notes = makeFigures(results).flatMap((figure) => figure.notes);
    assert.ok(
      notes.some((note) => note.includes('sleeps')),
      notes.join(),
    );
  });

  it('draws a row without a ratio that is no positive number', () => {
    for (const ratio of [null, 0, Infinity]) {
      const results = buildResults({ series: TWO });
      const [, outcome] = results.outcomes;
      assert.ok(outcome.status === 'measured');
      changeRatio(outcome, /** @type {any} */ ({ estimate: ratio, low: 1, high: ratio }));
      const [figure] = makeFigures(results);
      assert.ok(markTexts(figure).some((text) => /^4\d,\d00$/.test(text)));
      assert.doesNotMatch([figure.message, ...markTexts(figure)].join(), /Infinity|∞|NaN|null/);
    }
  });

  it('draws the interval of the printed ratio as a whisker at the end of each bar, and none at the reference', () => {
    for (const shapes of [['2x4'], ['1x1', '2x4']]) {
      const results = buildResults({ series: ['pipe/json', 'unix/json', 'tcp/json', 'zeromq/json'], shapes });
      const measured = results.outcomes.filter(isMeasured);
      for (const outcome of measured) {
        const { transport } = outcome.cell;
        if (transport === 'unix') changeRatio(outcome, { simultaneous: { low: 1.02, high: 2.5 } });
        if (transport === 'zeromq') changeRatio(outcome, { level: null, method: 'unknown' });
      }
      const [figure] = makeFigures(results);
      const points = pointsOf(figure).filter(({ x }) => x !== null);
      for (const { cell, ratio, ...outcome } of measured) {
        const bar = readHeadline(outcome).estimate;
        const { low, high } = ratio?.simultaneous ?? ratio ?? { low: 0, high: 0 };
        const unit = bar / (ratio?.estimate ?? 0);
        const ends = ['unix', 'tcp'].includes(cell.transport) ? [low * unit, high * unit] : [null, null];
        const { xMin, xMax } = points.find(({ x }) => x === bar);
        assert.deepEqual([xMin, xMax], ends, cellLabel(cell));
      }
      const words = [JSON.stringify(figure.panels), ...linesBelow(figure)].join();
      assert.match(words, /round trips per second \(whiskers: 95 % interval of the ratio/);
      assert.equal(words.match(/whiskers:/g)?.length, 1);
    }
  });

  it('draws the intervals of the values as whiskers where there is no reference, and says so', () => {
    const results = buildResults({ series: ['unix/json', 'tcp/json'] });
    const [figure] = makeFigures(results);
    const { low, high } = readHeadline(results.outcomes.filter(isMeasured)[0]);
    const [{ xMin, xMax }] = pointsOf(figure).filter(({ x }) => x !== null);
    assert.deepEqual([xMin, xMax], [low, high]);
    assert.match(linesBelow(figure)[0], / whiskers: 95 % interval of the rate$/);
  });

  it('draws no whisker, and says so, where a picture with a reference has no interval of a ratio', () => {
    const results = buildResults({ series: TWO });
    for (const outcome of results.outcomes.filter(isMeasured))
      changeRatio(outcome, { level: null, method: 'unknown' });
    const [figure] = makeFigures(results);
    assert.ok(pointsOf(figure).every(({ xMin }) => xMin === null));
    assert.match(linesBelow(figure)[0], / no interval$/);
  });

  it('ends a range of latencies at p90 where samples are too few for p99', () => {
    const results = buildResults({ series: ['pipe/json'] });
    const [outcome] = results.outcomes;
    assert.ok(outcome.status === 'measured');
    const [times] = timesIn(outcome);
    Object.assign(times, { p99: null, p999: null });
    times.perLaunch.p99 = null;
    const [, figure] = makeFigures(results);
    assert.deepEqual(pointsOf(figure)[0].x, [times.p50, times.p90]);
    assert.ok(markTexts(figure).some((text) => text.endsWith('too few for p99')));
    assert.match(figure.message, /^Half of the round trips took less than [\d.]+ µs \(pipe\/json\)$/);
  });

  it('draws a row for each series of 3, 8 and 25 transports, under the class that the results name', () => {
    for (const count of [3, 8, 25]) {
      const results = makeAllResults({ count });
      const series = new Set(results.outcomes.map(({ cell }) => seriesLabel(cell)));
      for (const figure of makeFigures(results)) {
        const rows = labelsOf(figure).filter((label) => label.includes('/'));
        assert.deepEqual(rows.toSorted(), [...series].toSorted(), `${figure.name} of ${count}`);
      }
    }
    const results = buildResults({ series: [...TWO, 'mine/json', 'mine/string', 'tcp/json'] });
    results.transports = { ...ALL_FACTS, mine: { ...ALL_FACTS.nats, class: 'rpc', durability: undefined } };
    assert.ok(labelsOf(makeFigures(results)[0]).includes('RPC'));
  });

  it('are named after the headline if it is no rate', () => {
    const [outcome] = buildResults({ series: ['unix/json'] }).outcomes.filter(isMeasured);
    assert.equal(headlineFileName([outcome]), 'throughput');
    const { measures, headline } = outcome;
    const firstAnswer = { ...measures[headline], name: 'firstAnswer', unit: 'µs' };
    const timed = { ...outcome, headline: 'firstAnswer', measures: { firstAnswer } };
    assert.equal(headlineFileName([/** @type {any} */ (timed)]), 'firstAnswer');
  });

  it('outlines bars with a pattern or an ink of their own', () => {
    const solid = { colour: '#cf5f9f', fill: /** @type {const} */ ('solid'), outline: '#cf5f9f', dash: [] };
    const looks = [
      null,
      solid,
      { ...solid, outline: '#4b0f87' },
      { ...solid, fill: /** @type {const} */ ('checks') },
    ];
    const { borderWidth } = barsOf('rate', [], /** @type {any} */ (looks));
    assert.deepEqual(
      borderWidth.map((px) => px > 0),
      [false, false, true, true],
    );
  });

  it('gives each of 2 to 24 lines a colour and dash of its own, stands markers at their values, and names what is left out', () => {
    for (const count of [2, 5, 12, 24]) {
      const results = withLooks(makeAllResults({ count, payloads: [10, 1_000], launches: 2 }));
      const rows = new Set(results.outcomes.filter(isMeasured).map(({ cell }) => seriesLabel(cell))).size;
      const figures = makeFigures(results);
      assert.deepEqual(
        figures.slice(0, 2).map(({ name }) => name),
        ['throughput-ratio-by-payload', 'throughput-by-payload'],
      );
      for (const { legend, panels, below, notes } of figures.filter(({ name }) => name.includes('-by-'))) {
        const looks = legend.flatMap(({ swatch }) => (swatch.kind === 'line' ? swatch.look : []));
        assert.equal(looks.length, Math.min(rows, 24));
        assert.equal(new Set(looks.map(({ colour, dash }) => `${colour} ${dash}`)).size, looks.length);
        const marks = panels.flatMap((panel) => panel.marks);
        assert.ok(marks.every(({ dx = 0 }) => Math.abs(dx) <= 3));
        const isLess = below[0].some(({ text }) => text.startsWith(`24 of `));
        assert.deepEqual([isLess, notes.some((note) => note.startsWith('24 of '))], [rows > 24, rows > 24]);
      }
    }
  });

  it('says what changes along payloads, workers and loops, where, and in which of several panels', () => {
    /** @type {[Parameters<typeof buildResults>[0], (cell: Cell) => number, string | RegExp][]} */
    const cases = [
      [
        { payloads: [10, 100, 1_000] },
        ({ payloadBytes }) => (payloadBytes > 10 ? 2 : 1),
        'From 100 B on, unix/json has',
      ],
      [
        { payloads: [10, 100, 1_000] },
        ({ payloadBytes }) => (payloadBytes < 1_000 ? 0.5 : 1),
        'Up to 100 B, unix/json has',
      ],
      [
        { payloads: [10, 100, 1_000] },
        ({ payloadBytes }) => (payloadBytes === 100 ? 2 : 1),
        'At 100 B, unix/json has',
      ],
      [{ payloads: [10, 1_000] }, () => 1, 'No clear difference from pipe/json'],
      [{ payloads: [10, 1_000], launches: 1 }, () => 2, 'Throughput relative to pipe/json by payload, 2x4'],
      [
        { shapes: ['1x4', '2x4', '4x4'] },
        ({ workers }) => (workers > 1 ? 2 : 1),
        'From 2 workers on, unix/json has',
      ],
      [{ shapes: ['2x1', '2x2', '2x4'] }, ({ loops }) => (loops > 2 ? 2 : 1), 'At 4 loops, unix/json has'],
      [
        { payloads: [10, 1_000], shapes: ['1x1', '2x4'] },
        ({ workers, payloadBytes }) => (workers === 2 && payloadBytes > 10 ? 2 : 1),
        '2x4, at 1 kB, unix/json has',
      ],
      [
        { payloads: [10, 100, 1_000] },
        ({ payloadBytes }) => payloadBytes / 5,
        /^unix\/json is fastest at all 3 payload sizes, with 2\.00× to 200× /,
      ],
    ];
    for (const [recipe, factorOf, words] of cases) {
      const results = buildResults({ series: TWO, ...recipe });
      for (const outcome of results.outcomes.filter(isMeasured)) {
        const factor = outcome.cell.transport === 'pipe' ? 1 : factorOf(outcome.cell);
        outcome.launches.forEach((launch, group) => {
          launch.values.roundTripsPerSecond = 10_000 * factor * (group % 2 === 0 ? 1.002 : 0.998);
        });
        const headline = readHeadline(outcome);
        for (const key of /** @type {const} */ (['estimate', 'low', 'high'])) headline[key] *= factor;
        changeRatio(outcome, { estimate: factor, low: factor * 0.98, high: factor * 1.02 });
      }
      const [{ title }] = makeFigures(results);
      if (typeof words === 'string') assert.ok(title.startsWith(words), title);
      else assert.match(title, words);
      const [{ title: own, message }] = makeFigures(results, { title: 'mine' });
      assert.equal(own, 'mine');
      if (recipe?.launches !== 1) assert.ok(message.startsWith(title), message);
    }
  });

  it('says beside a ratio that part of it may be scheduling, in the alt text as well, and notes the sleeps', () => {
    const even = { sleeps: 0.3, cpuUs: 20 };
    const several = /** @type {const} */ ({ payloads: [10, 100, 1_000] });
    for (const [name, recipe] of /** @type {const} */ ([
      ['throughput-1000B', {}],
      ['throughput-1000B', { shapes: ['1x1', '2x4'] }],
      ['throughput-ratio-by-payload', several],
    ])) {
      const textsOf = (/** @type {number} */ sleeps) => {
        const results = buildResults({ series: TWO, .../** @type {any} */ (recipe) });
        withSleeps(results, { 'pipe/json': even, 'unix/json': { sleeps, cpuUs: 13 } });
        const figure = makeFigures(results).find((made) => made.name === name);
        return [figure?.message ?? '', figure?.altText ?? '', figure?.notes.join() ?? ''];
      };
      const shown = (/** @type {string} */ text) => text.includes('may be scheduling');
      assert.deepEqual(textsOf(0.04).map(shown), [true, true, true], `${name}: ${textsOf(0.04)}`);
      assert.match(textsOf(0.04)[2], /0\.04 and 0\.3 sleeps per round trip; CPU time 0\.65×/);
      assert.deepEqual(textsOf(0.2).map(shown), [false, false, false], name);
    }
  });

  it('names an unfinished run and unusual options below the panels', () => {
    const results = buildResults();
    const outcomes = results.outcomes.map((outcome) => ({
      ...outcome,
      cell: { ...outcome.cell, poll: /** @type {const} */ ('busy') },
    }));
    const [figure] = makeFigures(/** @type {any} */ ({ ...results, outcomes, status: 'running' }));
    assert.match(linesBelow(figure)[0], /^unfinished run · .* · poll busy \(processes never sleep\) · /);
  });

  it('draws placements and scenarios in separate figures', () => {
    const results = buildResults({ placements: ['split', 'same'], series: TWO });
    results.outcomes[0].cell = { ...results.outcomes[0].cell, scenario: 'one-way' };
    const figures = makeFigures(results);
    const names = figures.map(({ name }) => name);
    assert.ok(names.includes('throughput-1000B-one-way-split'), names.join());
    assert.equal(names.filter((name) => name.startsWith('throughput')).length, 3);
    assert.equal(new Set(names).size, names.length);
    assert.match(figures[0].title, /, placement split$/);
  });

  it('makes hostile labels and titles printable, short and distinct', () => {
    const long = 'x'.repeat(300);
    const hostile = ['1', '2'].map((end) => `\u001b[31m${long}\u202e${end}${long}/json`);
    const results = buildResults({ series: ['pipe/json', ...hostile], payloads: [10, 100] });
    for (const figure of makeFigures(results, { title: `\u0007${long}` })) {
      const labels = labelsOf(figure);
      const { title, message, altText, notes } = figure;
      for (const text of [title, message, altText, ...notes, ...markTexts(figure), ...labels]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        assert.doesNotMatch(text, /[\u0000-\u001f\u202e]/);
      }
      assert.ok(labels.every((label) => label.length <= 48));
      assert.equal(new Set(labels).size, labels.length);
    }
  });

  it('keeps the settings that distinguish two rows in their names', () => {
    const names = ['master', 'worker', 'both'].map(
      (where) => `redis-streams:guarantee=durable,flush=split,noDelay=${where},count=100/json-schema`,
    );
    const results = buildResults({ series: names });
    const texts = makeSeries(results, results.outcomes).map(({ text }) => text);
    for (const [index, where] of ['master', 'worker', 'both'].entries())
      assert.ok(texts[index].includes(`noDelay=${where}`), texts[index]);
  });

  it('makes figures of plain data that differ between themes in colours alone', () => {
    for (const { make } of Object.values(RESULTS)) {
      const [light, dark] = /** @type {const} */ (['light', 'dark']).map((theme) => {
        const pictures = makePictures(make(), { theme });
        assert.deepEqual(structuredClone(pictures), pictures, 'a function could not be cloned');
        return JSON.stringify(pictures);
      });
      for (const colour of Object.values(COLOURS.light.hues)) assert.ok(!dark.includes(colour), colour);
      const withoutColours = (/** @type {string} */ text) =>
        text.replaceAll(/#[0-9a-f]{6}|"theme":"\w+"/g, '');
      assert.equal(withoutColours(dark), withoutColours(light));
    }
  });
});
