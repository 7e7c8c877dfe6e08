// The check at the end of every decoder. It takes only the two fields of a message from the input.

/** @import { Message } from '../types/index.js' */

/**
 * Throws a plain Error that does not quote its input.
 * @param {unknown} id
 * @param {unknown} payload
 * @returns {Message} always an object of the same shape, so that code behind any codec sees one hidden class
 */
export function checkedMessage(id, payload) {
  // `| 0` only preserves integers of 32 bits, and costs less than Number.isInteger with two bounds.
  if (typeof id === 'number' && (id | 0) === id && id > 0 && typeof payload === 'string')
    return { id, payload };
  throw new Error('not a message: an id from 1 to 2147483647 and a text are expected');
}
