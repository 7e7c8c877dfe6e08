// The figure of a sweep over connections: how many operations, or under open load how long they take, beside what each of
// them costs in CPU time; a row of panels per shape (and rate, and codec).

import { axisValue } from '../cell/axes.js';
import { headlineOf, operationOf } from '../cell/headline.js';
import { cellLabel } from '../cell/labels.js';
import { cpuUsInAll } from '../results/control-rows.js';
import { isMeasured } from '../verdicts/groups.js';
import { capitalised, groupedBy } from '../words/lists.js';
import { formatCount, formatRatioRange } from '../words/numbers.js';
import { columnPx, figureOf, legendOf, whereOf } from './figure.js';
import { flagMarks, gapNotes } from './footer.js';
import { linePanel, PANEL_PX } from './line-panel.js';
import { durationTick, logEnds, si } from './quantity-words.js';
import { limitedMarkOf, responseOf } from './rate-figure.js';
import { byNumber, labelText, seriesOf } from './series.js';
import { panelsOf } from './small-multiples.js';
import { headlineFileName, headlineTitle } from './throughput-rows.js';

/** @import { Outcome } from '../types/outcomes.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { Interval } from './line-panel.js' */
/** @typedef {{ title: string, text: (value: number) => string, of: (outcome: Outcome) => Interval | null }} Quantity */

const FEWEST_VALUES = 3; // two are told by their tables
const ACROSS_TITLE = 'connections of each worker, log scale';

/** @param {Outcome} outcome */
const connectionsOf = ({ cell: { connections = 1 } }) => connections;

/** @param {Outcome[]} outcomes */
const byConnections = (outcomes) => byNumber(outcomes, connectionsOf);

/** @param {Outcome} outcome @returns {Interval | null} of all launches together: nobody estimates it */
function cpuOf(outcome) {
  if (!isMeasured(outcome)) return null;
  const us = cpuUsInAll(outcome.cpuUsPerOperation);
  return us > 0 ? { estimate: us, low: us, high: us, n: 1 } : null;
}

/** @param {Outcome[]} outcomes @param {boolean} isOpen @returns {Quantity[]} side by side */
function quantitiesOf(outcomes, isOpen) {
  const { one } = operationOf(outcomes.filter(isMeasured));
  const cpu = { title: `CPU time per ${labelText(one)}`, text: durationTick, of: cpuOf };
  const response = { title: 'response time, p50', text: durationTick, of: responseOf('p50') };
  const headline = {
    title: headlineTitle(outcomes),
    text: si,
    of: (/** @type {Outcome} */ outcome) => (isMeasured(outcome) ? headlineOf(outcome) : null),
  };
  return [isOpen ? response : headline, cpu];
}

/** @param {Outcome[]} outcomes @param {Quantity} quantity @returns {number[]} the ends of its axis; none: nothing to draw */
function endsOf(outcomes, quantity) {
  const found = outcomes.flatMap((outcome) => quantity.of(outcome) ?? []);
  if (found.length === 0) return [];
  const roomBelow = found.length === outcomes.length ? 1 : 0.5; // for the marks of gaps
  const { min, max } = logEnds(found.flatMap(({ low, high }) => [low * roomBelow, high]));
  return [min, max];
}

/** @param {Outcome[]} outcomes @returns {string} 'From 1 to 1,024 connections of each worker, …' */
function messageOf(outcomes) {
  const counts = byConnections(outcomes.filter(isMeasured)).map(([first]) => connectionsOf(first));
  const [least, most] = [counts[0], counts[counts.length - 1]];
  const lines = groupedBy(outcomes, ({ cell }) => cellLabel({ ...cell, connections: undefined }));
  const changes = [...lines.values()].flatMap((line) => {
    const [from, to] = [least, most].map((count) => line.find((one) => connectionsOf(one) === count));
    const [before, after] = [from, to].map((one) => (one === undefined ? null : cpuOf(one)));
    return before === null || after === null ? [] : [after.estimate / before.estimate];
  });
  const { one } = operationOf(outcomes.filter(isMeasured));
  const between = `From ${formatCount(least)} to ${formatCount(most)} connections of each worker`;
  if (changes.length === 0) return `${between}, no row was measured at both`;
  const range = formatRatioRange(Math.min(...changes), Math.max(...changes));
  return `${between}, CPU time per ${labelText(one)} becomes ${range} what it was`;
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} none, where there is too little to draw */
export function connectionsFigures(sheet, outcomes) {
  const { theme, results, slice } = sheet;
  if (byConnections(outcomes.filter(isMeasured)).length < FEWEST_VALUES) return [];
  const isOpen = slice.model === 'open';
  const quantities = quantitiesOf(outcomes, isOpen).filter((one) => endsOf(outcomes, one).length > 0);
  const series = seriesOf(results, outcomes, theme);
  const frame = {
    ...{ theme, hasNames: false, hasTitles: false, widthPx: columnPx(quantities.length) },
    across: {
      title: ACROSS_TITLE,
      values: byConnections(outcomes).map(([first]) => connectionsOf(first)),
      text: si,
    },
    acrossOf: connectionsOf,
    ...(isOpen && { limitedMarkOf }),
  };
  const places = [...groupedBy(outcomes, ({ cell }) => `${axisValue('shape', cell)} ${cell.ratePerSecond}`)];
  const marksOf = flagMarks(outcomes); // said once of each point, and not twice
  const panels = places.flatMap(([, ofPlace]) =>
    panelsOf(series).flatMap((part) =>
      quantities.map(({ title, text, of }, index) => {
        const upwards = { title, text, values: endsOf(outcomes, { title, text, of }) };
        const titles = [title, places.length > 1 ? placeOf(ofPlace[0]) : '', part.title];
        const configuration = linePanel(ofPlace, part.series, {
          ...{ ...frame, upwards, upwardsOf: of },
          marksOf: index === 0 ? marksOf : () => '',
        });
        return { title: titles.filter((own) => own !== '').join(', '), configuration };
      }),
    ),
  );
  const what = isOpen ? 'response' : headlineFileName(outcomes);
  const figure = figureOf(sheet, outcomes, {
    name: `${what}-by-connections-${outcomes[0].cell.payloadBytes}B`,
    title: `${capitalised(quantities.map(({ title }) => title).join(' and '))} against connections${whereOf(sheet.results, outcomes)}`,
    message: messageOf(outcomes),
    legend: legendOf(series, 'line'),
    ...{ columns: quantities.length, labelPx: 0, panelPx: PANEL_PX, panels },
    notes: [`↑ both on log scales   → ${ACROSS_TITLE}: each of them has all loops`, ...gapNotes(outcomes)],
  });
  return [figure];
}

/** @param {Outcome} outcome @returns {string} '2x4', '2x4 at 5k/s' */
function placeOf({ cell }) {
  const rate = cell.ratePerSecond === undefined ? '' : ` at ${si(cell.ratePerSecond)}/s`;
  return axisValue('shape', cell) + rate;
}
