// The floor in pictures: a mark on each bar where programs in C are, an arrow at the end of the axis where they are farther
// away, and lines of their own in a picture of lines.

import { commonOperation, headlineMeasure } from '../../../cell/headline.js';
import { groupedBy } from '../../../format/lists.js';
import { formatNumber } from '../../../format/numbers.js';
import { findFloorRow, readFloor } from '../../../results/calibration-rows.js';
import { mechanismText } from '../../text/baseline-words.js';
import { isMeasured } from '../../text/groups.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { labelText } from '../text/short-texts.js';
import { byShape } from './series.js';

/** @import { FloorRow, Marker, MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { LegendItem, Look, Mark, Symbol } from '../scene-types.js' */

/** @typedef {(outcome: Outcome) => number | null} FloorOf   answers per second; null: none was measured */
/** @typedef {{ text: string, look: Look, points: { x: number, y: number }[] }} FloorLine   look: as of the other lines, in the colour of what is beside the point */

const GREATEST_REACH = 2; // of the greatest bar: an axis is not made longer than that for what is farther away
const NARROW_REACH = 1.3;
/** Those of the transports that rest on them alone. @type {Record<string, Marker>} */
const MARKERS = { pipe: 'circle', unix: 'square', tcp: 'triangle', memory: 'diamond' };
const ARROW_DX = 9; // beside the whisker that the axis ends with
const WORDS = 'the floor: the same bytes in C';
const { ink, mutedInk, background } = COLOURS.light;

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
 * @param {number} max   end of the axis
 * @returns {Mark[]}
 */
export function floorMarks(floor, at, max) {
  if (floor === null) return [];
  if (floor <= max) return [{ ...at, value: floor, colour: background, fill: ink, symbol: 'diamond' }];
  return [{ ...at, value: max, colour: ink, fill: ink, symbol: 'triangle-right', sizePx: 4, dx: ARROW_DX }];
}

/**
 * @param {Outcome[]} outcomes
 * @param {FloorOf} floorIn
 * @param {(outcome: Outcome) => number} maxOf   end of the axis
 * @returns {LegendItem[]} none: there is no floor
 */
export function floorLegend(outcomes, floorIn, maxOf) {
  const areNear = outcomes.flatMap((outcome) => {
    const floor = floorIn(outcome);
    return floor === null ? [] : floor <= maxOf(outcome);
  });
  const makeItem = (/** @type {string} */ text, /** @type {Symbol} */ symbol) =>
    /** @type {LegendItem} */ ({ text, swatch: { kind: 'symbol', symbol, isHollow: false } });
  return [
    ...(areNear.includes(true) ? [makeItem(WORDS, 'diamond')] : []),
    ...(areNear.includes(false) ? [makeItem(`${WORDS}, beyond the axis`, 'triangle-right')] : []),
  ];
}

/** @param {Results} results @param {Outcome[]} outcomes @returns {{ outcome: MeasuredOutcome, row: FloorRow, perSecond: number }[]} */
function findFloors({ floor }, outcomes) {
  return outcomes.filter(isMeasured).flatMap((outcome) => {
    const [row, rate] = [findFloorRow(floor, outcome.cell), readFloor(floor, outcome.cell)];
    return row === null || rate === null ? [] : [{ outcome, row, perSecond: rate.estimate }];
  });
}

/** @param {Results} results @param {Outcome[]} outcomes @returns {string[]} the numbers, where there is one shape */
export function floorNumbers(results, outcomes) {
  const measured = outcomes.filter(isMeasured);
  if (byShape(measured).length !== 1) return [];
  const texts = findFloors(results, measured).map(
    ({ row, perSecond }) => `${mechanismText(row)} ${formatNumber(perSecond)}`,
  );
  if (texts.length === 0) return [];
  return [
    `Floor, the same bytes in C: ${[...new Set(texts)].join(', ')} ${labelText(commonOperation(measured).many)} per second`,
  ];
}

/** @param {Results} results @param {Outcome[]} outcomes   of one shape @param {(outcome: Outcome) => number} acrossOf @returns {FloorLine[]} one for each mechanism */
export function floorLines(results, outcomes, acrossOf) {
  const lines = groupedBy(findFloors(results, outcomes), ({ row }) => `floor: ${mechanismText(row)} in C`);
  return [...lines].map(([text, found]) => {
    const [{ row }] = found;
    const marker = MARKERS[row.mechanism];
    const points = new Map(found.map(({ outcome, perSecond }) => [acrossOf(outcome), perSecond]));
    return {
      text,
      look: plainLook(mutedInk, { dash: [2, 4], marker }),
      points: [...points].map(([x, y]) => ({ x, y })).sort((left, right) => left.x - right.x),
    };
  });
}
