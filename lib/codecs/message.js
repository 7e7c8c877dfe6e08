// The one check that every codec ends with: two fields, read one by one, and nothing else of what came in. How they
// were read is the codec's business; whether they answer a question is the requester's.

/** @import { Message } from '../types/index.js' */

/**
 * Throws a plain Error that quotes nothing of what it was given.
 * @param {unknown} id
 * @param {unknown} payload
 * @returns {Message} always a fresh object of the same shape, so that code behind any codec sees one hidden class
 */
export function checkedMessage(id, payload) {
  // `| 0` leaves exactly the integers of 32 bits as they are, and costs less than Number.isInteger with two bounds.
  if (typeof id === 'number' && (id | 0) === id && id > 0 && typeof payload === 'string')
    return { id, payload };
  throw new Error('not a message: an id from 1 to 2147483647 and a text are expected');
}
