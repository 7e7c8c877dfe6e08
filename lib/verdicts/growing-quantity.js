// What a sentence about growth calls the quantity that grows, and the operation that costs more for it.

import { operationOf } from '../cell/headline.js';
import { article } from '../words/lists.js';
import { formatBytes, formatCount } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { toAllOf } from './growth.js';

/** @import { Series } from './growth.js' */

const BYTES_PER_STEP = 1_024;

/**
 * @typedef {object} QuantityWords
 * @property {string} of          'the loops', 'the payload'
 * @property {string} more        'more loops', 'a greater payload'
 * @property {string} step        what is added: 'loop', 'KiB'
 * @property {number} size        of a step
 * @property {(value: number) => string} text   '64 loops', '10 KiB'
 */

/** @param {Pick<Series, 'quantity' | 'pieces'>} series @returns {QuantityWords} */
export function quantityWords({ quantity, pieces }) {
  if (quantity === 'payloadBytes' && pieces === undefined)
    return {
      of: 'the payload',
      more: 'a greater payload',
      step: 'KiB',
      size: BYTES_PER_STEP,
      text: formatBytes,
    };
  const many = printable(pieces?.name ?? quantity);
  const one = many.replace(/s$/, '');
  const text = (/** @type {number} */ value) => `${formatCount(value)} ${value === 1 ? one : many}`;
  return { of: `the ${many}`, more: `more ${many}`, step: one, size: 1, text };
}

/**
 * @param {Pick<Series, 'quantity' | 'outcomes'>} series
 * @param {boolean} isOneOfMany   scenarios
 * @returns {string} what the cost is of: 'a round trip', 'a message to all workers (fan-out)'
 */
export function operationWords({ quantity, outcomes }, isOneOfMany) {
  const toAll = toAllOf(quantity, outcomes[0]);
  const { one } = operationOf(outcomes);
  const what = toAll === null ? one : `${toAll} to all workers`;
  const where = isOneOfMany ? ` (${outcomes[0].cell.scenario})` : '';
  return printable(`${article(what)} ${what}${where}`);
}
