// The first answers of a launch, before any load: something else that comes says that the codec or the transport is at fault, long
// before a deadline would say that nothing came.

import { BenchError } from '../../errors.js';

/** @import { Requester } from './requester.js' */

const nobodyAsks = () => {};

/**
 * @param {Requester[]} requesters             each has asked once, for its loop 0
 * @param {Promise<unknown>[]} answers
 * @throws {BenchError} INTEGRITY: what came was no answer to that
 */
export async function firstResponses(requesters, answers) {
  const strayed = new Promise((_, reject) => {
    for (const requester of requesters)
      requester.onUnexpected = (kind) => requester.isOpen(0) && reject(strayError(kind));
  });
  try {
    await Promise.race([Promise.all(answers), strayed]);
  } finally {
    for (const requester of requesters) requester.onUnexpected = nobodyAsks;
  }
}

/** @param {string} kind   of mistake */
function strayError(kind) {
  const why = `the codec or the transport gives back another message (${kind})`;
  return new BenchError('INTEGRITY', `the response to its first request is wrong: ${why}`);
}
