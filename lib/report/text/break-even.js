// From how much work per task it pays to hand it to a worker: where the rate of a row crosses that of doing the tasks in the main process,
// along the setting of the scenario that says how much work they are.

import { seriesLabel } from '../../cell/labels.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatNumber } from '../../format/numbers.js';
import { findCrossovers, ratioAt } from '../../statistics/crossover.js';
import { cellName, isMeasured } from './groups.js';
import { transportClass } from './transport-kinds.js';
import { notRankedReason } from './verdicts.js';

/** @import { Crossover, CrossoverPoint, MeasuredOutcome, Results } from '../../types/index.js' */

const INLINE = 'inline';
const QUANTITY = 'work';
const LEAST_US = 0.1; // of a place without work, which has no logarithm

/**
 * @typedef {object} BreakEven
 * @property {string} place               the same for rows that differ in transport, codec and settings alone
 * @property {MeasuredOutcome[]} row      one for each amount of work, ascending
 * @property {MeasuredOutcome[]} inline   at the same places
 * @property {CrossoverPoint[]} points    x: µs of work; costs of the row and others inline: 1 by tasks per second, of each block
 * @property {Crossover[]} crossovers
 * @property {string} why                 a row that decides about it is not ranked, so that it is not told; '' where all are
 */

/** @param {MeasuredOutcome} outcome @returns {number} µs of work; NaN: its scenario has none */
function workUsOf({ cell }) {
  return Number(labelParts(cell.scenario).written[QUANTITY] ?? Number.NaN);
}

/** @param {MeasuredOutcome} outcome @returns {string} the same for rows that differ in their work alone */
function placeOf({ cell }) {
  const { name, written } = labelParts(cell.scenario);
  const { [QUANTITY]: _, ...others } = written;
  const { transport, codec, settings, ...rest } = cell;
  return JSON.stringify({ ...rest, scenario: settingsLabel(name, others) });
}

/** @param {MeasuredOutcome} outcome @returns {Map<number, number>} by block: 1 by its rate */
function costsByBlock({ launches, headline }) {
  return new Map(
    launches.flatMap((launch) => {
      const rate = launch.status === 'measured' ? launch.values[headline] : null;
      return rate ? [[launch.block, 1 / rate]] : [];
    }),
  );
}

/** @param {MeasuredOutcome} row @param {MeasuredOutcome} inline @returns {CrossoverPoint[]} one, or none where they share no blocks */
function pointOf(row, inline) {
  const [own, other] = [costsByBlock(row), costsByBlock(inline)];
  const blocks = [...own.keys()].filter((block) => other.has(block));
  const of = (/** @type {Map<number, number>} */ costs) => blocks.map((block) => Number(costs.get(block)));
  return blocks.length === 0
    ? []
    : [{ x: Math.max(LEAST_US, workUsOf(row)), costs: of(own), others: of(other) }];
}

/** @param {Results} results @returns {BreakEven[]} of each row with two amounts of work or more, and inline at both */
export function findBreakEvens(results) {
  const tasks = results.outcomes.filter(isMeasured).filter((outcome) => workUsOf(outcome) >= 0);
  const isInline = (/** @type {MeasuredOutcome} */ { cell }) => transportClass(results, cell) === INLINE;
  return [...groupedBy(tasks, placeOf)].flatMap(([place, outcomes]) => {
    const inlineAt = new Map(outcomes.filter(isInline).map((outcome) => [workUsOf(outcome), outcome]));
    const rows = groupedBy(
      outcomes.filter((outcome) => !isInline(outcome) && inlineAt.has(workUsOf(outcome))),
      ({ cell }) => seriesLabel(cell),
    );
    return [...rows.values()].flatMap((unsorted) => {
      const at = unsorted
        .toSorted((one, other) => workUsOf(one) - workUsOf(other))
        .flatMap((own) => {
          const other = /** @type {MeasuredOutcome} */ (inlineAt.get(workUsOf(own)));
          return pointOf(own, other).map((point) => ({ own, other, point }));
        });
      const [row, inline] = [at.map(({ own }) => own), at.map(({ other }) => other)];
      const points = at.map(({ point }) => point);
      if (points.length < 2) return [];
      const crossovers = findCrossovers(points);
      return [{ place, row, inline, points, crossovers, why: whyNot({ row, inline, points, crossovers }) }];
    });
  });
}

/**
 * @param {Omit<BreakEven, 'place' | 'why'>} breakEven
 * @returns {string} why a row that decides about it is not ranked: of those around the crossover, or of all where there is none
 */
function whyNot({ row, inline, points, crossovers }) {
  const isLeft = (/** @type {number} */ place) => crossovers.every(({ low }) => points[place + 1]?.x <= low);
  const isRight = (/** @type {number} */ place) =>
    crossovers.every(({ high }) => points[place - 1]?.x >= high);
  const around = points.flatMap((_, place) =>
    crossovers.length > 0 && (isLeft(place) || isRight(place)) ? [] : [row[place], inline[place]],
  );
  return around.map(notRankedReason).find((reason) => reason !== '') ?? '';
}

/** @param {Results} results @returns {string[]} sentences */
export function breakEvenSentences(results) {
  return [...groupedBy(findBreakEvens(results), ({ place }) => place).values()].flatMap((some) => {
    const inline = cellName(some[0].inline[0].cell);
    const texts = knownIn(some).map(({ row, crossovers: [{ estimate, low, high }] }) => {
      const [at, from, to] = [estimate, low, high].map((us) => formatNumber(us));
      return `${cellName(row[0].cell)} ${at} µs (${from}–${to})`;
    });
    const unjudged = some.filter(({ why }) => why !== '');
    const unknown = some.filter((each) => each.why === '' && !isKnown(each));
    return [
      ...(texts.length === 0
        ? []
        : [
            `More tasks per second than ${inline} above so much work per task: ${listed(texts, texts.length)}.`,
          ]),
      ...(unknown.length === 0
        ? []
        : [`No break-even with ${inline} was found: ${listed(unknown.map(unknownText), unknown.length)}.`]),
      ...[...groupedBy(unjudged, ({ why }) => why)].map(([why, alike]) => {
        const names = alike.map(({ row }) => cellName(row[0].cell));
        return `No break-even with ${inline} is given for ${listed(names, names.length)}: ${why}.`;
      }),
    ];
  });
}

/** @param {BreakEven[]} some @returns {BreakEven[]} the lowest first */
function knownIn(some) {
  return some.filter(isKnown).toSorted((one, other) => edgeOf(one) - edgeOf(other));
}

/** @param {BreakEven} breakEven @returns {boolean} there is one amount of work above which the row is ahead */
function isKnown({ crossovers, why }) {
  return why === '' && crossovers.length === 1 && crossovers[0].isCheaperAbove;
}

/** @param {BreakEven} breakEven   that is known */
function edgeOf({ crossovers: [{ estimate }] }) {
  return estimate;
}

/** @param {BreakEven} breakEven @returns {string} with what is known at the greatest amount of work */
function unknownText({ row, points }) {
  const { x } = points[points.length - 1];
  const { estimate, low, high } = ratioAt(points, x);
  const [ratio, from, to] = [1 / estimate, 1 / high, 1 / low].map((value) => value.toFixed(2));
  return `${cellName(row[0].cell)} (${ratio}×, ${from}–${to}, at ${formatNumber(x)} µs)`;
}
