// Names and quantities in words, short enough for a picture.

import { seriesLabel } from '../../cell/labels.js';
import { shortened } from '../../format/lists.js';
import { formatBytes, formatCount } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { kindWords } from './kind-words.js';
import { duration } from './quantity-words.js';

/** @import { Cell, Outcome, Results } from '../../types/index.js' */
/** @import { KindIn } from '../findings/transport-kinds.js' */

export const LABEL_CHARACTERS = 48;

/** @param {string} text   untrusted @param {number} [characters] */
export const labelText = (text, characters = LABEL_CHARACTERS) => shortened(printable(text), characters);

/** @param {{ cell: Cell }} outcome */
export const rowText = ({ cell }) => labelText(seriesLabel(cell));

/** @param {...string} texts   empty ones are left out */
export const joinTexts = (...texts) => texts.filter((text) => text !== '').join(', ');

/** @param {Outcome} outcome @param {number} us @param {KindIn} kindIn @returns {string} '35.0 µs (pipe/json)' */
export function timedText(outcome, us, kindIn) {
  const kind = kindIn(outcome.cell);
  return `${duration(us)} (${rowText(outcome)}${kind === '' ? '' : `: ${kindWords(kind)}`})`;
}

/** Marks in place of a number, with their meaning. */
export const GAP_WORDS = Object.freeze({ '✕': 'failed', '–': 'skipped', '?': 'no response time' });
export const NO_RESPONSE_MARK = '?';

/** @param {string} status */
export const gapMarkOf = (status) => (status === 'skipped' ? '–' : '✕');

/** @param {Outcome} outcome @returns {string} '✕ failed' */
export const gapText = ({ status }) => `${gapMarkOf(status)} ${status}`;

/**
 * Describes a payload in bytes, or in the pieces of its scenario, such as records.
 * @param {Results} results
 * @param {Cell} cell
 */
export function countedPayload({ scenarios, options }, { scenario, payloadBytes, content }) {
  const pieces = scenarios[scenario]?.pieces;
  if (pieces === undefined) {
    const bytes = formatBytes(payloadBytes);
    const isOfFile = content !== undefined && content === options.messageFile?.content;
    return {
      title: 'payload',
      axisName: 'payload',
      count: payloadBytes,
      fileName: `${payloadBytes}B`,
      text: isOfFile ? `${labelText(content)} (mean ${bytes})` : `${bytes} payload`,
      format: /** @type {const} */ ('payload'),
    };
  }
  const name = labelText(pieces.name);
  const count = payloadBytes / pieces.bytes;
  const axisName = name.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return {
    title: name,
    axisName,
    count,
    fileName: `${count}-${axisName}`,
    text: `${formatCount(count)} ${name}`,
    format: /** @type {const} */ ('si'),
  };
}
