// The checks at the end of every decoder. They take only the two fields of a message from the input.

/** @import { Message, ReceivedBytes } from '../types/index.js' */

/**
 * Throws an Error unless the two fields are those of a message. The error does not quote them, since they may be long.
 * @param {unknown} id
 * @param {unknown} payload
 * @returns {Message} always an object of the same shape, so that the code that handles messages is compiled for one hidden class
 */
export function checkedMessage(id, payload) {
  // `| 0` only preserves integers of 32 bits, and costs less than Number.isInteger with two bounds.
  if (typeof id === 'number' && (id | 0) === id && id > 0 && typeof payload === 'string')
    return { id, payload };
  throw new Error('not a message: an id from 1 to 2147483647 and a text are expected');
}

/**
 * The check for a payload of bytes. Throws like checkedMessage.
 * @param {unknown} id
 * @param {unknown} payload
 * @returns {ReceivedBytes}
 */
export function checkedBytes(id, payload) {
  if (typeof id === 'number' && (id | 0) === id && id > 0 && payload instanceof Uint8Array)
    return { id, payload };
  throw new Error('not a message: an id from 1 to 2147483647 and bytes are expected');
}

/**
 * The check for a Buffer that JSON has made an object: `{ type: 'Buffer', data: [1, 200, 3] }`. Throws like checkedMessage.
 * @param {unknown} id
 * @param {any} payload
 * @returns {ReceivedBytes} the payload is the list of numbers
 */
export function checkedJsonBytes(id, payload) {
  if (typeof id === 'number' && (id | 0) === id && id > 0 && payload?.type === 'Buffer') {
    const { data } = payload;
    if (Array.isArray(data)) return { id, payload: data };
  }
  throw new Error("not a message: an id from 1 to 2147483647 and { type: 'Buffer', data } are expected");
}
