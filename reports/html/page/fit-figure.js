// A figure for the width that it has in the page. On a phone the panels stand below each other, names and values of rows above their
// bars, and the names of lines in the legend.

/** @import { Configuration, Mark } from '../../../lib/report/charts/scene-types.js' */

const NARROW_PX = 560;
const ROW_PX = 40;
const AXIS_PX = 58; // ticks and title below a plot
const BAR_PX = 12;
const ABOVE_PX = 15; // from the first bar of a row up to its words
const LETTER_PX = 6.5;
const EDGE_PX = 18; // right of a plot: half a tick, or a marker beside its place
const HEADING_WEIGHT = 600;

/** @param {any} figure   plain, in the colours of its theme @param {number} widthPx   of the page @returns {any} */
export function fitFigure(figure, widthPx) {
  if (widthPx >= NARROW_PX) return figure;
  const panels = figure.panels.map((/** @type {any} */ panel) => ({
    ...panel,
    configuration: fitPanel(panel.configuration, widthPx),
  }));
  const heights = panels.map(
    (/** @type {any} */ { configuration }) => rowsHeight(configuration) ?? figure.panelPx,
  );
  const names = figure.panels.flatMap((/** @type {any} */ { configuration }) => lineNames(configuration));
  const fresh = names.filter(
    (/** @type {any} */ { text }, /** @type {number} */ place) =>
      names.findIndex((/** @type {any} */ other) => other.text === text) === place,
  );
  return {
    ...figure,
    panels,
    columns: 1,
    labelPx: 0,
    panelPx: Math.max(...heights),
    legend: [...figure.legend, ...fresh],
  };
}

/** @param {Configuration} configuration @param {number} widthPx */
function fitPanel(configuration, widthPx) {
  const { options, data } = configuration;
  if (options.indexAxis === 'y') return wordsAboveBars(configuration, widthPx);
  const isOfBars = data.labels !== undefined;
  const barPx = widthPx / Math.max(1, data.datasets.length * (data.labels?.length ?? 1));
  const marks = configuration.marks
    .filter(({ isLineEnd }) => !isLineEnd)
    .map((mark) => (isOfBars ? uprightIn(mark, barPx) : mark));
  const { x, y } = options.scales;
  const ticks = { ...x.ticks, autoSkip: !isOfBars, maxRotation: isOfBars ? 90 : 0 };
  return {
    ...configuration,
    marks,
    options: withRight({ ...options, scales: { x: { ...x, ticks }, y } }),
  };
}

/** @param {any} options @returns {any} without room for words behind the plot */
const withRight = (options) => ({
  ...options,
  layout: { ...options.layout, padding: { ...options.layout?.padding, right: EDGE_PX } },
});

/** @param {Mark} mark @param {number} barPx @returns {Mark} its words upright, where they have no room on their bar */
function uprightIn(mark, barPx) {
  const { text = '', align, isUpright } = mark;
  if (isUpright || align !== 'center' || text.length * LETTER_PX <= barPx) return mark;
  return { ...mark, isUpright: true, align: 'left', dy: (mark.dy ?? 0) / 2 };
}

/** @param {Mark} mark @param {number} index @returns {boolean} words behind the bar of that row */
const isBehindBar = (mark, index) =>
  mark.index === index && mark.text !== undefined && (mark.align ?? 'left') === 'left';

/** @param {Configuration} configuration   of horizontal bars @param {number} widthPx @returns {Configuration} */
function wordsAboveBars(configuration, widthPx) {
  const { data, options, marks } = configuration;
  const { labels = [], datasets } = data;
  const { x, y } = options.scales;
  const words = labels.map((label, index) => {
    const own = marks.filter((mark) => isBehindBar(mark, index));
    const isHeading = y.ticks.font.each[index].weight === HEADING_WEIGHT;
    return {
      datasetIndex: 0,
      index,
      dx: 1,
      dy: isHeading ? 0 : -ABOVE_PX,
      text: fittedWords([String(label), ...own.map(({ text = '' }) => text)], widthPx),
      colour: own[0]?.colour ?? y.border.color,
      halo: own[0]?.halo,
      sizePx: 12.5,
      weight: isHeading ? HEADING_WEIGHT : undefined,
    };
  });
  const others = marks.filter((mark) => labels.every((_, index) => !isBehindBar(mark, index)));
  return {
    ...configuration,
    data: { ...data, datasets: datasets.map((dataset) => ({ ...dataset, maxBarThickness: BAR_PX })) },
    marks: [...others, ...words],
    options: withRight({
      ...options,
      scales: {
        x: { ...x, ticks: { ...x.ticks, autoSkip: true, autoSkipPadding: 8, maxRotation: 0 } },
        y: { ...y, widthPx: 0, ticks: { ...y.ticks, display: false } },
      },
    }),
  };
}

/** @param {string[]} words @param {number} widthPx @returns {string} in one line: where a reason has no room, the list below the table has it */
function fittedWords(words, widthPx) {
  const text = words.join('   ');
  return text.length * LETTER_PX <= widthPx ? text : text.replace(/: .*$/, '');
}

/** @param {Configuration} configuration @returns {number | null} of horizontal bars; null: of another kind */
function rowsHeight({ data, options }) {
  if (options.indexAxis !== 'y') return null;
  return (data.labels?.length ?? 0) * ROW_PX + AXIS_PX;
}

/** @param {Configuration} configuration @returns {{ text: string, swatch: object }[]} the lines that have their names at their ends */
function lineNames({ data, marks }) {
  return marks
    .filter(({ isLineEnd }) => isLineEnd)
    .map(({ text = '', fill, x, y }) => {
      const line = data.datasets.find(({ borderColor, data: points }) =>
        points.some((/** @type {any} */ point) => borderColor === fill && point.x === x && point.y === y),
      );
      const marker = marks.find((mark) => mark.symbol !== undefined && mark.x === x && mark.y === y);
      const colour = fill ?? '';
      const look = {
        colour,
        dash: line?.borderDash ?? [],
        marker: marker?.symbol ?? 'circle',
      };
      return { text, swatch: { kind: 'line', look } };
    });
}
