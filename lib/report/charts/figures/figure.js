// What all figures have: widths and columns, the texts around the panels, and the look of rows that are not ranked.

import { isUnsaid } from '../../../cell/axes.js';
import { commonOperation, rankingScore, readHeadline, timesIn } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { counted, groupedBy } from '../../../format/lists.js';
import { formatNumber, formatRate } from '../../../format/numbers.js';
import { faultText, findFlag, flagMeaning, isFault } from '../../../format/result-flags.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { flagsIn, hasResponseTimes, isOpen } from '../../findings/groups.js';
import { hasUntrueLevel } from '../../findings/row-verdicts.js';
import { findScope, rowNamer } from '../../findings/scope.js';
import { guaranteeNotes } from '../../text/kind-words.js';
import { messageNotes } from '../../text/message-words.js';
import { scopeText } from '../../text/phrases/limit-phrases.js';
import { duration } from '../../text/quantity-words.js';
import { countedPayload, GAP_WORDS, labelText, rowText } from '../../text/short-texts.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { itemsBelow, measuringNotes } from './footer.js';
import { byPayload, byShape } from './series.js';

/** @import { Cell, MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { BelowItem, Figure, LegendItem, Look, Panel, FigureInput } from '../chart-types.js' */

export const FIGURE_PX = 800; // usual width of a figure
export const MARGIN_PX = 24;
export const COLUMN_GAP_PX = 16;
export const MAX_COLUMNS = 3;
const TITLE_CHARACTERS = 200;
const PART_CHARACTERS = 30;
const MARK_ALONE = /^(?:\d+ )?([✕–?])$/;
const CELLS_LISTED = 12; // with more cells, a text names only the first and the last one

/** @param {number} widthPx */
export const innerPx = (widthPx) => widthPx - 2 * MARGIN_PX;

/**
 * @param {number} columns
 * @param {number} labelPx
 * @param {number} widthPx
 * @returns {number} width of a column in pixels, without row names
 */
export function columnPx(columns, labelPx, widthPx) {
  return Math.floor((innerPx(widthPx) - labelPx - (columns - 1) * COLUMN_GAP_PX) / columns);
}

/** @param {number} panels @returns {number} */
export const columnsFor = (panels) => (panels === 4 ? 2 : Math.min(panels, MAX_COLUMNS));

/** @param {Results} results @param {Outcome[]} outcomes @returns {string} ', 1,000 B payload, 2x4' */
export function formatWhere(results, outcomes) {
  const [{ cell }] = outcomes;
  const payload = byPayload(outcomes).length === 1 ? `, ${countedPayload(results, cell).text}` : '';
  return `${payload}${byShape(outcomes).length === 1 ? `, ${shapeLabel(cell)}` : ''}`;
}

/** @param {{ p50: number, p99: number | null, atLeast?: string[] }} times @returns {string} '35.0 µs (p99 > 12.0 ms)' */
function timesText({ p50, p99, atLeast = [] }) {
  /** @param {string} name */
  const bound = (name) => (atLeast.includes(name) ? '> ' : '');
  return `${bound('p50')}${duration(p50)}${p99 === null ? '' : ` (p99 ${bound('p99')}${duration(p99)})`}`;
}

/** @param {Outcome[]} outcomes @param {boolean} isLatency @param {Results} results */
function valuesText(outcomes, isLatency, results) {
  /** @param {(cell: Cell) => unknown} read */
  const varies = (read) => new Set(outcomes.map(({ cell }) => read(cell))).size > 1;
  const [hasShapes, hasPayloads, hasRates] = [
    varies(shapeLabel),
    varies(({ payloadBytes }) => payloadBytes),
    varies(({ ratePerSecond }) => ratePerSecond),
  ];
  /** @param {MeasuredOutcome} outcome */
  const timesOf = (outcome) => outcome.open?.responseUs ?? timesIn(outcome)[0];
  /** @param {MeasuredOutcome} outcome */
  const scoreOf = (outcome) => (isLatency ? -timesOf(outcome).p50 : rankingScore(outcome));
  const measured = outcomes
    .filter(isMeasured)
    .filter((outcome) => outcome.open === undefined || hasResponseTimes(outcome))
    .sort((left, right) => scoreOf(right) - scoreOf(left));
  const texts = measured.map((outcome) => {
    const { cell } = outcome;
    const where = [
      hasShapes && ` at ${shapeLabel(cell)}`,
      hasPayloads && ` with ${countedPayload(results, cell).text}`,
      hasRates && ` at ${formatRate(cell.ratePerSecond ?? 0)}`,
    ].filter((text) => text !== false);
    const value = isLatency ? timesText(timesOf(outcome)) : formatNumber(readHeadline(outcome).estimate);
    return `${rowText(outcome)}${where.join('')} ${value}`;
  });
  return listValues(texts);
}

/** @param {string[]} texts @returns {string} all texts if they are few, else the first and the last one */
export function listValues(texts) {
  if (texts.length > CELLS_LISTED) return `From ${texts[0]} to ${texts[texts.length - 1]}.`;
  return texts.length === 0 ? '' : `${texts.join(', ')}.`;
}

/**
 * @param {FigureInput} question
 * @param {Outcome[]} outcomes   those that the figure shows
 * @param {Pick<Figure, 'name' | 'title' | 'message' | 'legend' | 'panelPx' | 'panels' | 'notes'> & Partial<Figure>} own
 * @param {object} [words]
 * @param {BelowItem[]} [words.reading]   how to read the axes, if the panels do not explain it
 * @param {string} [words.values]         values in the alt text; by default headlines, or times if `isOfTimes` or under open load
 * @param {string} [words.intervals]      what the whiskers show, for the lines below the panels: 'whiskers: 95 % interval of the rate';
 *   empty if there are no whiskers; by default the interval of the headline
 * @param {boolean} [words.isOfTimes]     the values are times of operations instead of the headline
 * @returns {Figure}
 */
export function makeFigure(question, outcomes, own, { reading = [], values, intervals, isOfTimes } = {}) {
  const { results, cell, parts, widthPx } = question;
  const { scenario } = cell;
  const isNamed = isUnsaid('scenario', cell) || parts.some((part) => part.title === scenario);
  const further = [...(isNamed ? [] : [scenario]), ...parts.map((part) => part.title)];
  const titles = [own.title, ...further.map((text) => labelText(text, PART_CHARACTERS))];
  const title = question.title === '' ? titles.join(', ') : labelText(question.title, TITLE_CHARACTERS);
  const gaps = ['failed', 'skipped'].flatMap((status) => {
    const count = outcomes.filter((outcome) => outcome.status === status).length;
    return count === 0 ? [] : `${counted(count, 'cell', 'cells')} ${status}`;
  });
  const altTexts = [
    `${title}.`,
    `${own.message}.`,
    values ?? valuesText(outcomes, isOfTimes ?? outcomes.some(isOpen), results),
    gaps.length === 0 ? '' : `${gaps.join(', ')}.`,
  ];
  // The settings of several brokers may take more room than the chart; the notes of the table have them.
  const hasSettings = Object.keys(results.environment.brokers).length === 1;
  return {
    columns: 1,
    labelPx: 0,
    ...own,
    name: [own.name, ...parts.map((part) => part.name.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-'))].join('-'),
    title,
    legend: [...own.legend, ...markItems(own.panels), ...unrankedItem(own.panels, isOfTimes)],
    widthPx,
    notes: [
      ...own.notes,
      ...messageNotes(results, outcomes),
      ...figureFlagNotes(outcomes),
      ...guaranteeNotes(results, outcomes, { hasSettings }),
      ...measuringNotes(results, outcomes),
    ],
    below: itemsBelow(question, outcomes, { reading, intervals }),
    altText: altTexts.filter((text) => text !== '').join(' '),
    cells: outcomes.map((outcome) => outcome.cell),
  };
}

/** @param {Panel[]} panels @returns {LegendItem[]} one for each kind of gap mark that is drawn without a text */
function markItems(panels) {
  const texts = panels.flatMap(({ marks }) => marks.map(({ text = '' }) => text));
  const shown = new Set(texts.map((text) => MARK_ALONE.exec(text)?.[1]));
  return Object.entries(GAP_WORDS)
    .filter(([mark]) => shown.has(mark))
    .map(([mark, text]) => ({ text, swatch: { kind: 'text', text: mark } }));
}

/**
 * @param {Panel[]} panels
 * @param {boolean} [isOfTimes]
 * @returns {LegendItem[]} one that explains hollow bars and symbols, if there are any
 */
function unrankedItem(panels, isOfTimes = false) {
  const { background, mutedInk } = COLOURS.light;
  const hasBars = panels[0].type === 'bar' && !isOfTimes;
  const isHollow = panels.some(({ data, marks }) =>
    hasBars
      ? data.datasets.some(({ fills = [] }) => fills.some((choice) => choice?.fill === 'empty'))
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

/** @param {Outcome} outcome @returns {boolean} */
export function isNotRanked(outcome) {
  return isMeasured(outcome) && hasUntrueLevel(outcome);
}

/** @param {Look} look @param {Outcome | null} outcome @returns {Look} the look, made hollow if the row is not ranked */
export function rankedLook(look, outcome) {
  if (outcome === null || !isNotRanked(outcome)) return look;
  return { ...look, outline: look.colour, fill: 'empty' };
}

/** @param {Outcome[]} outcomes @returns {string[]} up to three lines: on rows that are not ranked, on other faults, and on properties */
function figureFlagNotes(outcomes) {
  const measured = outcomes.filter(isMeasured);
  const operation = commonOperation(measured);
  const nameRow = rowNamer(measured);
  /** @param {string} code */
  const wordsOf = (code) => {
    if (findFlag(code) === null) return labelText(code, 40);
    return isFault(code) ? faultText(code, operation) : flagMeaning(code, 'brief', operation);
  };
  /** @param {string[]} codes */
  const lineOf = (codes) => {
    const byWords = [...groupedBy(codes, wordsOf)].map(([words, same]) => {
      const flagged = measured.filter(({ flags }) => flags.some(({ code }) => same.includes(code)));
      const scope = findScope(measured, flagged);
      const rows = flagged.map((outcome) => ({ ...nameRow(outcome), row: rowText(outcome) }));
      return { words, where: scopeText({ rows, scope }) };
    });
    return [...groupedBy(byWords, ({ where }) => where)]
      .map(([where, same]) => `${where}: ${same.map(({ words }) => words).join(', ')}`)
      .join('; ');
  };
  /** @param {string} code */
  const isUnranking = (code) => isFault(code) && findFlag(code)?.unranked !== undefined;
  /** @param {string} code */
  const kindOf = (code) => (isUnranking(code) ? 'unranking' : isFault(code) ? 'fault' : 'property');
  const byKind = groupedBy(flagsIn(outcomes), kindOf);
  const [unranked, ...others] = ['unranking', 'fault', 'property'].map((kind) =>
    lineOf(byKind.get(/** @type {'fault'} */ (kind)) ?? []),
  );
  return [
    ...(unranked === '' ? [] : [`Not ranked: ${unranked}`]),
    ...others.filter((line) => line !== '').map((line) => line.replace(/^all /, 'All ')),
  ];
}
