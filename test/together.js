// The test files that it is given, in one process: what does not start any spends more on its own start and on loading
// modules than on its tests.

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { pathToFileURL } from 'node:url';

/** @returns {object} what all tests of a process share */
const shared = () => ({ folder: process.cwd(), environment: { ...process.env } });
const found = shared();
afterEach(() =>
  assert.deepEqual(shared(), found, 'a test leaves its process as it found it, for others follow'),
);

// A test begins as soon as it is declared. So that none runs while another file is being loaded, all wait for the first.
let begin = () => {};
const areLoaded = /** @type {Promise<void>} */ (
  new Promise((resolve) => {
    begin = resolve;
  })
);
it('waits until all files are loaded', () => areLoaded);
for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    it(`${file} is loaded`, () => {
      throw error;
    });
  }
}
begin();
