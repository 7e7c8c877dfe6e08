// The floor in pictures: a line across each bar where programs in C are, an arrow at the end of the axis where they are farther
// away, and lines of their own in a picture of lines.

import { commonOperation, headlineMeasure } from '../../../cell/headline.js';
import { formatNumber } from '../../../format/numbers.js';
import { findFloorRow, readFloor } from '../../../results/baseline-rows.js';
import { mechanismText } from '../../text/baseline-words.js';
import { isMeasured } from '../../text/groups.js';
import { byShape, labelText } from '../figures/series.js';
import { COLOURS } from '../style/palette.js';

/** @import { FloorRow, Outcome, Results } from '../../../types/index.js' */
/** @import { LegendItem } from './legend.js' */
/** @import { Mark } from './marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Series } from '../figures/series.js' */

/** @typedef {(outcome: Outcome) => number | null} FloorOf   answers per second; null: none was measured */
/** @typedef {{ text: string, row: FloorRow, points: { x: number, y: number }[] }} FloorLine   row: any of it */

/** Of the greatest bar: an axis is not made longer than that for what is farther away. */
const GREATEST_REACH = 2;
const NARROW_REACH = 1.3;
/** Those of the transports that rest on them alone. */
const MARKERS = Object.freeze({ pipe: 'circle', unix: 'square', tcp: 'triangle', memory: 'diamond' });
const ARROW_DX = 9;
const WORDS = 'the floor: the same bytes in C';

/** @param {Results} results @returns {FloorOf} */
export function floorFinder({ floor }) {
  return (outcome) =>
    isMeasured(outcome) && headlineMeasure(outcome).unit === 'per second'
      ? (readFloor(floor, outcome.cell)?.estimate ?? null)
      : null;
}

/**
 * @param {number} greatest   of the bars
 * @param {Outcome[]} outcomes
 * @param {FloorOf} floorIn
 * @param {boolean} [isNarrow]
 * @returns {number} with the floors that are near
 */
export function reachOfFloors(greatest, outcomes, floorIn, isNarrow = false) {
  const reach = (isNarrow ? NARROW_REACH : GREATEST_REACH) * greatest;
  const floors = outcomes.flatMap((outcome) => floorIn(outcome) ?? []);
  return Math.max(greatest, ...floors.filter((floor) => floor <= reach));
}

/**
 * @param {number | null} floor
 * @param {{ datasetIndex: number, index: number }} at   its bar
 * @param {{ max: number, halfPx: number, isUpright: boolean }} frame   max: end of the axis; halfPx: of its line; isUpright: bars stand
 * @param {Theme} theme
 * @returns {Mark[]}
 */
export function floorMarks(floor, at, { max, halfPx, isUpright }, theme) {
  if (floor === null) return [];
  const { ink, background } = COLOURS[theme];
  const isFarther = floor > max;
  const { line, arrow } = makeSymbols(isUpright);
  return [
    {
      ...at,
      value: Math.min(floor, max),
      colour: ink,
      fill: isFarther ? ink : background,
      symbol: isFarther ? arrow : line,
      sizePx: isFarther ? 4 : halfPx,
      ...(isFarther && !isUpright && { dx: ARROW_DX }), // beside the whisker that the axis ends with
    },
  ];
}

/**
 * @param {Outcome[]} outcomes
 * @param {FloorOf} floorIn
 * @param {number} max
 * @param {boolean} isUpright
 * @returns {LegendItem[]} none: there is no floor
 */
export function floorLegend(outcomes, floorIn, max, isUpright) {
  const floors = outcomes.flatMap((outcome) => floorIn(outcome) ?? []);
  const isFarther = (/** @type {number} */ floor) => floor > max;
  const { line, arrow } = makeSymbols(isUpright);
  return [
    ...(floors.some((floor) => !isFarther(floor)) ? [makeLegendItem(WORDS, line)] : []),
    ...(floors.some(isFarther) ? [makeLegendItem(`${WORDS}, beyond the axis`, arrow)] : []),
  ];
}

/** @param {boolean} isUpright @returns {Record<'line' | 'arrow', import('./symbols.js').Symbol>} */
function makeSymbols(isUpright) {
  return isUpright ? { line: 'dash', arrow: 'triangle' } : { line: 'tick', arrow: 'triangle-right' };
}

/** @param {string} text @param {import('./symbols.js').Symbol} symbol @returns {LegendItem} */
function makeLegendItem(text, symbol) {
  return { text, swatch: { kind: 'symbol', symbol, isHollow: false } };
}

/** @param {Results} results @param {Outcome[]} outcomes @returns {string[]} the numbers, where there is one shape */
export function floorNumbers({ floor }, outcomes) {
  const measured = outcomes.filter(isMeasured);
  if (byShape(measured).length !== 1) return [];
  const texts = measured.flatMap(({ cell }) => {
    const [row, rate] = [findFloorRow(floor, cell), readFloor(floor, cell)];
    return row === null || rate === null ? [] : [`${mechanismText(row)} ${formatNumber(rate.estimate)}`];
  });
  if (texts.length === 0) return [];
  return [
    `Floor, the same bytes in C: ${[...new Set(texts)].join(', ')} ${labelText(commonOperation(measured).many)} per second`,
  ];
}

/**
 * @param {Results} results
 * @param {Outcome[]} outcomes   of one shape
 * @param {(outcome: Outcome) => number} acrossOf
 * @returns {FloorLine[]} one for each mechanism
 */
export function floorLines({ floor }, outcomes, acrossOf) {
  /** @type {Map<string, { row: FloorRow, points: Map<number, number> }>} */
  const lines = new Map();
  for (const outcome of outcomes.filter(isMeasured)) {
    const [row, rate] = [findFloorRow(floor, outcome.cell), readFloor(floor, outcome.cell)];
    if (row === null || rate === null) continue;
    const text = `floor: ${mechanismText(row)} in C`;
    const line = lines.get(text) ?? { row, points: new Map() };
    line.points.set(acrossOf(outcome), rate.estimate);
    lines.set(text, line);
  }
  return [...lines].map(([text, { row, points }]) => ({
    text,
    row,
    points: [...points].map(([x, y]) => ({ x, y })).sort((left, right) => left.x - right.x),
  }));
}

/** @param {FloorLine} line @param {Theme} theme @returns {Pick<Series, 'text' | 'look'>} as of the other lines, in the colour of what is beside the point */
export function floorSeries({ text, row }, theme) {
  const colour = COLOURS[theme].mutedInk;
  const marker = /** @type {import('../../../types/appearance.js').Marker} */ (MARKERS[row.mechanism]);
  return {
    text,
    look: { colour, outline: colour, fill: 'empty', dash: [2, 4], marker, isHollow: !row.coalesces },
  };
}

/** @param {FloorLine} line @param {Theme} theme @returns {Mark[]} */
export function floorPoints(line, theme) {
  const { colour, marker, isHollow } = floorSeries(line, theme).look;
  const fill = isHollow ? COLOURS[theme].background : colour;
  return line.points.map((at) => ({ ...at, symbol: marker, colour, fill, sizePx: 3.5 }));
}
