// Whether somebody knows the launch's secret, told in a time that does not depend on how much of it is right.

import { timingSafeEqual } from 'node:crypto';

/** @param {string} given @param {string} expected */
export function isSameToken(given, expected) {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}
