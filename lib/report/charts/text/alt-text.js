// The text alternative of a chart: its message and its extremes, ready to paste beside the picture.

import { rankingScore, readHeadline, timesIn } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { counted } from '../../../format/lists.js';
import { formatCount, formatNumber } from '../../../format/numbers.js';
import { hasResponseTimes, isMeasured, isOpen } from '../../text/groups.js';
import { duration } from './quantity-words.js';
import { countedPayload, rowText } from './short-texts.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { Figure } from '../scene-types.js' */

const CELLS_LISTED = 12;

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
export function altText({ isOfTimes, title, message }, outcomes, results) {
  const gaps = [...gapTexts(outcomes, 'failed'), ...gapTexts(outcomes, 'skipped')];
  const values = valuesText(outcomes, isOfTimes === true || outcomes.some(isOpen), results);
  const gapText = gaps.length === 0 ? '' : `${gaps.join(', ')}.`;
  return [`${title}.`, `${message}.`, values, gapText].filter((text) => text !== '').join(' ');
}
