// A reporter of node:test for `npm test`: what one run of test files came to, as JSON for test/run.js.

import { relative } from 'node:path';
import { inspect } from 'node:util';

/** @import { TestEvent } from 'node:test/reporters' */
/**
 * @typedef {object} Outcome
 * @property {number} tests
 * @property {{ name: string, reason: string }[]} skipped
 * @property {string[]} failed
 * @property {string[]} files    that declared a test
 */

/** @param {AsyncIterable<TestEvent>} events */
export default async function* outcome(events) {
  /** @type {Outcome} */
  const sum = { tests: 0, skipped: [], failed: [], files: [] };
  /** @type {Set<string>} */
  const files = new Set();
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, skip, details } = data;
    if (file !== undefined) files.add(file);
    if (details.type !== 'suite') sum.tests += 1;
    if (skip !== undefined) sum.skipped.push({ name, reason: typeof skip === 'string' ? skip : '' });
    if (type === 'test:pass') continue;
    const { error } = data.details;
    if (/** @type {any} */ (error).failureType === 'subtestsFailed') continue; // they are told of themselves
    sum.failed.push(`${relative('', file ?? '')}: ${name}\n${inspect(error.cause ?? error)}\n`);
  }
  yield JSON.stringify({ ...sum, files: [...files] });
}
