// The test files that it is given, in one process: what does not start any spends more on its own start and on loading
// modules than on its tests.

import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = process.cwd();
const environment = { ...process.env };
afterEach(() => {
  // By their names alone: a diff would print what is secret.
  const changed = Object.keys({ ...environment, ...process.env }).filter(
    (name) => process.env[name] !== environment[name],
  );
  assert.deepEqual(
    { folder: process.cwd(), changed },
    { folder, changed: [] },
    'others follow in this process',
  );
});

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
