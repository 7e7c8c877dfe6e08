// What all figures share: their shape, and the words around the panels.

import { isUnsaid } from '../../../cell/axes.js';
import { commonOperation, rankingScore, readHeadline, timesIn } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { counted, groupedBy } from '../../../format/lists.js';
import { formatCount, formatNumber } from '../../../format/numbers.js';
import { faultText, findFlag, flagMeaning, isFault } from '../../../format/result-flags.js';
import { flagsIn, hasResponseTimes, isMeasured, isOpen } from '../../text/groups.js';
import { messageNotes } from '../../text/message-words.js';
import { PLACES, scopeText } from '../../text/remarks.js';
import { guaranteeNotes } from '../../text/transport-kinds.js';
import { hasUntrueLevel } from '../../text/verdicts.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { itemsBelow, measuringNotes } from '../text/footer.js';
import { duration } from '../text/quantity-words.js';
import { countedPayload, GAP_WORDS, labelText, rowText } from '../text/short-texts.js';
import { byPayload, byShape } from './series.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, LegendItem, Parts, Series, Sheet, Look } from '../scene-types.js' */

export const MOST_COLUMNS = 3;
const TITLE_CHARACTERS = 200;
const PART_CHARACTERS = 30;
const MARK_ALONE = /^(?:\d+ )?([✕–?])$/;
const CELLS_LISTED = 12; // in words; of more, the extremes

/** @param {number} panels @returns {number} columns for them */
export const columnsFor = (panels) => (panels === 4 ? 2 : Math.min(panels, MOST_COLUMNS));

/** @param {Pick<Series, 'text' | 'look'>[]} series @param {'bar' | 'line'} kind @returns {LegendItem[]} */
export const legendOf = (series, kind) => series.map(({ text, look }) => ({ text, swatch: { kind, look } }));

/** @param {Results} results @param {Outcome[]} outcomes @returns {string} ', 1,000 B payload, 2x4' */
export function formatWhere(results, outcomes) {
  const [{ cell }] = outcomes;
  const payload = byPayload(outcomes).length === 1 ? `, ${countedPayload(results, cell).text}` : '';
  return `${payload}${byShape(outcomes).length === 1 ? `, ${shapeLabel(cell)}` : ''}`;
}

/**
 * Streams, fan-outs and round trips are different workloads, and so are closed and open load: one axis for two of them
 * would compare what cannot be compared (M-47).
 * @param {Outcome[]} outcomes
 * @throws {TypeError}
 */
export function assertOneQuestion(outcomes) {
  const questions = new Set(
    outcomes.map(
      ({ cell }) => `${cell.scenario}, ${cell.ratePerSecond === undefined ? 'closed' : 'open'} load`,
    ),
  );
  if (questions.size > 1) throw new TypeError(`one chart cannot show ${[...questions].join(' and ')}`);
}

/** @param {Outcome[]} outcomes @param {Outcome['status']} status @returns {string[]} '1 cell failed', or nothing */
function gapTexts(outcomes, status) {
  const count = outcomes.filter((outcome) => outcome.status === status).length;
  return count === 0 ? [] : [`${counted(count, 'cell', 'cells')} ${status}`];
}

/**
 * @param {Outcome[]} outcomes
 * @param {boolean} isLatency
 * @param {Results} results
 * @returns {string} every value where they are few, the extremes otherwise
 */
function valuesText(outcomes, isLatency, results) {
  const hasShapes = new Set(outcomes.map(({ cell }) => shapeLabel(cell))).size > 1;
  const hasPayloads = new Set(outcomes.map(({ cell }) => cell.payloadBytes)).size > 1;
  const hasRates = new Set(outcomes.map(({ cell }) => cell.ratePerSecond)).size > 1;
  /** @param {MeasuredOutcome} outcome */
  const timesOf = (outcome) => outcome.open?.responseUs ?? timesIn(outcome)[0];
  /** @param {MeasuredOutcome} outcome */
  const keyOf = (outcome) => (isLatency ? -timesOf(outcome).p50 : rankingScore(outcome));
  /** @param {MeasuredOutcome} outcome */
  const isShown = (outcome) => outcome.open === undefined || hasResponseTimes(outcome);
  const measured = outcomes
    .filter(isMeasured)
    .filter(isShown)
    .sort((left, right) => keyOf(right) - keyOf(left));
  const shown = measured.length <= CELLS_LISTED ? measured : [measured[0], measured[measured.length - 1]];
  const texts = shown.map((outcome) => {
    const { cell } = outcome;
    const name = rowText(outcome);
    const where = `${hasShapes ? ` at ${shapeLabel(cell)}` : ''}${hasPayloads ? ` with ${countedPayload(results, cell).text}` : ''}${hasRates ? ` at ${formatCount(cell.ratePerSecond ?? 0)}/s` : ''}`;
    const value = isLatency ? timesText(timesOf(outcome)) : formatNumber(readHeadline(outcome).estimate);
    return `${name}${where} ${value}`;
  });
  if (texts.length === 0) return '';
  return measured.length <= CELLS_LISTED ? `${texts.join(', ')}.` : `From ${texts[0]} to ${texts[1]}.`;
}

/** @param {{ p50: number, p99: number | null, atLeast?: string[] }} times @returns {string} '35 µs (p99 > 12 ms)' */
function timesText({ p50, p99, atLeast = [] }) {
  const bound = (/** @type {string} */ name) => (atLeast.includes(name) ? '> ' : '');
  return `${bound('p50')}${duration(p50)}${p99 === null ? '' : ` (p99 ${bound('p99')}${duration(p99)})`}`;
}

/**
 * @param {Pick<Figure, 'isOfTimes' | 'title' | 'message'>} figure
 * @param {Outcome[]} outcomes   that it draws
 * @param {Results} results
 * @returns {string} one line
 */
function altText({ isOfTimes, title, message }, outcomes, results) {
  const gaps = [...gapTexts(outcomes, 'failed'), ...gapTexts(outcomes, 'skipped')];
  const values = valuesText(outcomes, isOfTimes === true || outcomes.some(isOpen), results);
  const gapText = gaps.length === 0 ? '' : `${gaps.join(', ')}.`;
  return [`${title}.`, `${message}.`, values, gapText].filter((text) => text !== '').join(' ');
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   that it draws @param {Parts} parts @returns {Figure} in light colours */
export function makeFigure({ results, slice, title, widthPx }, outcomes, parts) {
  assertOneQuestion(outcomes);
  const names = [parts.name, ...slice.parts.map((part) => part.name.replace(/[^a-z0-9]+/gi, '-'))];
  const { scenario } = slice.cell;
  const isNamed = isUnsaid('scenario', slice.cell) || slice.parts.some((part) => part.title === scenario);
  const said = [...(isNamed ? [] : [scenario]), ...slice.parts.map((part) => part.title)];
  const titles = [parts.title, ...said.map((text) => labelText(text, PART_CHARACTERS))];
  const named = {
    columns: 1,
    labelPx: 0,
    ...parts,
    name: names.join('-'),
    title: title === '' ? titles.join(', ') : labelText(title, TITLE_CHARACTERS),
  };
  // Of many brokers they would be longer than the chart; the table has them.
  const hasSettings = Object.keys(results.environment.brokers).length === 1;
  return {
    ...named,
    legend: [...parts.legend, ...markItems(parts), ...unrankedItem(parts)],
    widthPx,
    theme: 'light',
    notes: [
      ...parts.notes,
      ...messageNotes(results, outcomes),
      ...flagNotes(outcomes),
      ...guaranteeNotes(results, outcomes, { hasSettings }),
      ...measuringNotes(results, outcomes),
    ],
    below: itemsBelow(results, slice, outcomes, parts),
    altText: altText(named, outcomes, results),
    cells: outcomes.map(({ cell }) => cell),
  };
}

/** @param {Parts} parts @returns {LegendItem[]} of gaps whose mark has no words beside it */
function markItems({ panels }) {
  const shown = new Set(
    panels.flatMap(({ configuration }) =>
      configuration.marks.flatMap(({ text = '' }) => MARK_ALONE.exec(text)?.[1] ?? []),
    ),
  );
  return Object.entries(GAP_WORDS).flatMap(([mark, text]) =>
    shown.has(mark) ? [{ text, swatch: { kind: /** @type {const} */ ('text'), text: mark } }] : [],
  );
}

/** @param {Parts} parts @returns {LegendItem[]} none: all rows that are drawn are ranked */
function unrankedItem({ panels, isOfTimes }) {
  const hasBars = panels[0].configuration.type === 'bar' && isOfTimes !== true;
  const { background, mutedInk } = COLOURS.light;
  const isHollow = panels.some(({ configuration: { data, marks } }) =>
    hasBars
      ? data.datasets.some(({ fills = [] }) => fills.some((/** @type {any} */ own) => own?.fill === 'empty'))
      : marks.some(({ symbol, fill }) => symbol !== undefined && fill === background),
  );
  if (!isHollow) return [];
  return [
    {
      text: 'hollow: not ranked',
      swatch: hasBars
        ? { kind: 'bar', look: plainLook(mutedInk, { fill: 'empty' }) }
        : { kind: 'symbol', symbol: 'circle', isHollow: true },
    },
  ];
}

// What is said of the flags of a picture's rows: those that are not ranked look so, and its notes say why, and which rows have a fault
// or a property.

const NAMES_SHOWN = { fault: 6, property: 3 };

/** @param {Outcome} outcome @returns {boolean} measured, and a fault makes its level untrue */
export function isNotRanked(outcome) {
  return isMeasured(outcome) && hasUntrueLevel(outcome);
}

/** @param {Look} look @param {Outcome | null} outcome @returns {Look} of its bar: with an outline only, it is not ranked */
export function rankedLook(look, outcome) {
  if (outcome === null || !isNotRanked(outcome)) return look;
  return { ...look, outline: look.colour, fill: 'empty' };
}

/** @param {MeasuredOutcome[]} measured @returns {(outcome: MeasuredOutcome) => string} 'unix/json 2x4', with what differs */
function rowNamer(measured) {
  const told = PLACES.filter((placeOf) => new Set(measured.map(({ cell }) => placeOf(cell))).size > 1);
  return ({ cell }) => [rowText({ cell }), ...told.map((placeOf) => placeOf(cell))].join(' ');
}

/** @param {Outcome[]} outcomes   of a chart @returns {string[]} a line on those that are not ranked, one on other faults, and one on properties */
export function flagNotes(outcomes) {
  const measured = outcomes.filter(isMeasured);
  const operation = commonOperation(measured);
  const nameOf = rowNamer(measured);
  const isUnranking = (/** @type {string} */ code) => isFault(code) && findFlag(code)?.unranked !== undefined;
  const wordsOf = (/** @type {string} */ code) => {
    if (findFlag(code) === null) return labelText(code, 40);
    return isFault(code) ? faultText(code, operation) : flagMeaning(code, 'brief', operation);
  };
  /** @param {string[]} codes */
  const lineOf = (codes) => {
    const byWords = [...groupedBy(codes, wordsOf)].map(([words, same]) => {
      const some = measured.filter(({ flags }) => flags.some(({ code }) => same.includes(code)));
      const mostNames = NAMES_SHOWN[isFault(same[0]) ? 'fault' : 'property'];
      const rows = some.map((outcome) => measured.indexOf(outcome)).join();
      return { words, rows, where: scopeText(measured, some, { nameOf, mostNames }) };
    });
    const byRows = [...groupedBy(byWords, ({ rows }) => rows).values()];
    return byRows.map((own) => `${own[0].where}: ${own.map(({ words }) => words).join(', ')}`).join('; ');
  };
  const codes = flagsIn(outcomes);
  const unranked = lineOf(codes.filter(isUnranking));
  const others = [
    lineOf(codes.filter((code) => isFault(code) && !isUnranking(code))),
    lineOf(codes.filter((code) => !isFault(code))),
  ];
  return [
    ...(unranked === '' ? [] : [`Not ranked: ${unranked}`]),
    ...others.filter((line) => line !== '').map((line) => line.replace(/^all /, 'All ')),
  ];
}
