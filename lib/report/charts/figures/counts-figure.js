// The figures of a sweep over connections, workers or loops: how many operations, or under open load how long they take,
// beside what each of them costs in CPU time; a row of panels per shape (and rate, and codec).

import { axisValue } from '../../../cell/axes.js';
import { commonOperation } from '../../../cell/headline.js';
import { cellLabel } from '../../../cell/labels.js';
import { capitalised, groupedBy } from '../../../format/lists.js';
import { formatCount, formatRatioRange } from '../../../format/numbers.js';
import { cpuUsInAll } from '../../../results/calibration-rows.js';
import { isMeasured } from '../../text/groups.js';
import { toAllPhrase } from '../../text/growth.js';
import { columnPx } from '../scene/layout.js';
import { gapNotes } from '../text/footer.js';
import { si } from '../text/quantity-words.js';
import { joinTexts, labelText } from '../text/short-texts.js';
import { formatWhere, legendOf, makeFigure } from './figure.js';
import { findEnds, linePanel, referenceOf, titledPanels } from './line-panel.js';
import { readHeadlineInterval } from './payload-figure.js';
import { missingResponseMark, missingResponseNotes, readResponseInterval } from './rate-figure.js';
import { byNumber, makeSeries, splitIntoPanels } from './series.js';
import { headlineFileName, headlineTitle } from './throughput-figure.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { Interval } from './line-panel.js' */
/** @import { Figure, Sheet } from '../scene-types.js' */

/** @typedef {'connections' | 'workers' | 'loops'} Count   how many there are of what */

/** @type {Readonly<Record<Count, string>>} */
const NAMES = Object.freeze({
  connections: 'connections of each worker',
  workers: 'workers',
  loops: 'loops of each worker',
});
const COUNTS = /** @type {Count[]} */ (Object.keys(NAMES));
const LOG_SCALE = 'log scale';
const FEWEST_VALUES = 3; // two are told by their tables

/** @param {Count} count @returns {(outcome: Outcome) => number} */
const numberIn = (count) => (outcome) => outcome.cell[count] ?? 1;

/** @param {Outcome[]} outcomes @param {Count} count @returns {number[]} ascending */
const numbersIn = (outcomes, count) =>
  byNumber(outcomes, numberIn(count)).map(([{ cell }]) => cell[count] ?? 1);

/** @param {Outcome[]} outcomes @param {Count} count */
function isSwept(outcomes, count) {
  if (numbersIn(outcomes.filter(isMeasured), count).length < FEWEST_VALUES) return false;
  // A matrix of shapes is told by its bars.
  const others = COUNTS.filter((other) => other !== count);
  return count === 'connections' || others.every((other) => numbersIn(outcomes, other).length === 1);
}

/** @param {Count} count @returns {(outcome: Outcome) => Interval | null} of all launches together: nobody estimates it */
const cpuOver = (count) => (outcome) => {
  if (!isMeasured(outcome)) return null;
  const times = toAllPhrase(count, outcome) === null ? 1 : outcome.cell.workers;
  const us = Number(cpuUsInAll(outcome.cpuUsPerOperation)) * times;
  return us > 0 ? { estimate: us, low: us, high: us, n: 1 } : null;
};

/** @param {Outcome[]} outcomes @param {Count} count @returns {string} 'round trip', 'message to all workers' */
function whatCosts(outcomes, count) {
  const measured = outcomes.filter(isMeasured);
  const toAll = toAllPhrase(count, measured[0]);
  return labelText(toAll === null ? commonOperation(measured).one : `${toAll} to all workers`);
}

/** @param {Outcome[]} outcomes @param {Count} count @param {boolean} isOpen   the quantities that are drawn side by side; none: there is nothing to draw */
function listQuantities(outcomes, count, isOpen) {
  const times = { format: /** @type {const} */ ('duration') };
  const response = { ...times, title: 'response time, p50', upwardsOf: readResponseInterval('p50') };
  const headline = { title: headlineTitle(outcomes), upwardsOf: readHeadlineInterval };
  const cpu = { ...times, title: `CPU time per ${whatCosts(outcomes, count)}`, upwardsOf: cpuOver(count) };
  return [isOpen ? response : headline, cpu].flatMap(({ upwardsOf, ...upwards }) => {
    const ends = findEnds(outcomes.map(upwardsOf));
    return ends === null ? [] : [{ upwards: { ...upwards, ends }, upwardsOf }];
  });
}

/** @param {Outcome[]} outcomes @param {Count} count @returns {string} 'From 1 to 1,024 connections of each worker, …' */
function formatMessage(outcomes, count) {
  const numbers = numbersIn(outcomes.filter(isMeasured), count);
  const [least, most] = [numbers[0], numbers[numbers.length - 1]];
  const [{ cell: first }] = outcomes;
  const lines = groupedBy(outcomes, ({ cell }) => cellLabel({ ...cell, [count]: first[count] }));
  const changes = [...lines.values()].flatMap((line) => {
    const [from, to] = [least, most].map((number) => line.find((one) => numberIn(count)(one) === number));
    const [before, after] = [from, to].map((one) => (one === undefined ? null : cpuOver(count)(one)));
    return before === null || after === null ? [] : [after.estimate / before.estimate];
  });
  const between = `From ${formatCount(least)} to ${formatCount(most)} ${NAMES[count]}`;
  if (changes.length === 0) return `${between}, no row was measured at both`;
  const range = formatRatioRange(Math.min(...changes), Math.max(...changes));
  return `${between}, CPU time per ${whatCosts(outcomes, count)} becomes ${range} what it was`;
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} one for each count that is swept over */
export function countsFigures(sheet, outcomes) {
  return COUNTS.filter((count) => isSwept(outcomes, count)).map((count) =>
    countFigure(sheet, outcomes, count),
  );
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @param {Count} count @returns {Figure} */
function countFigure(sheet, outcomes, count) {
  const { results, slice } = sheet;
  const isOpen = slice.model === 'open';
  const quantities = listQuantities(outcomes, count, isOpen);
  const series = makeSeries(results, outcomes);
  const title = `${NAMES[count]}, log scale`;
  const parts = splitIntoPanels(series);
  const places = [...groupedBy(outcomes, (outcome) => formatPlace(outcome, count))];
  const widthPx = columnPx(quantities.length, 0, sheet.widthPx);
  const longest = quantities
    .map(({ upwards }) => upwards.title)
    .sort((one, other) => other.length - one.length)[0];
  const titles = { across: title, upwards: `${longest}, ${LOG_SCALE}` };
  const titled = titledPanels(places.length * parts.length * quantities.length, titles, widthPx);
  const frame = {
    ...titled,
    reference: referenceOf(outcomes),
    widthPx,
    across: { title, values: numbersIn(outcomes, count) },
    acrossOf: numberIn(count),
    limitedMarkOf: isOpen ? missingResponseMark : undefined,
  };
  const panels = places.flatMap(([place, ofPlace]) =>
    parts.flatMap((part) =>
      quantities.map((quantity) => ({
        title: joinTexts(
          titled.hasTitles ? '' : quantity.upwards.title,
          places.length > 1 ? place : '',
          part.title,
        ),
        configuration: linePanel(ofPlace, part.series, {
          ...frame,
          ...quantity,
          upwards: { ...quantity.upwards, title: `${quantity.upwards.title}, ${LOG_SCALE}` },
        }),
      })),
    ),
  );
  const what = isOpen ? 'response' : headlineFileName(outcomes);
  const quantity = quantities.map(({ upwards }) => upwards.title).join(' and ');
  return makeFigure(sheet, outcomes, {
    name: `${what}-by-${count}-${outcomes[0].cell.payloadBytes}B`,
    title: `${capitalised(quantity)} against ${count}${formatWhere(results, outcomes)}`,
    message: formatMessage(outcomes, count),
    legend: legendOf(series, 'line'),
    columns: quantities.length,
    panelPx: titled.heightPx,
    panels,
    ...(titled.hasTitles ? {} : { axes: `↑ ${LOG_SCALE}   → ${title}` }),
    notes: [
      ...(count === 'connections' ? ['Each connection has all loops'] : []),
      ...(isOpen ? missingResponseNotes(outcomes) : []),
      ...gapNotes(outcomes),
    ],
  });
}

/** @param {Outcome} outcome @param {Count} count @returns {string} '2x4', '2x4 at 5k/s'; without what is swept over */
function formatPlace({ cell }, count) {
  const rate = cell.ratePerSecond === undefined ? '' : `at ${si(cell.ratePerSecond)}/s`;
  return [count === 'connections' ? axisValue('shape', cell) : '', rate]
    .filter((text) => text !== '')
    .join(' ');
}
