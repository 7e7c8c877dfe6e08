// Patterns of paths, which the shells of Windows hand on to the program.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { expandPatterns } from '../../lib/cli/path-patterns.js';
import { nameFault } from '../../lib/results/atomic-file.js';
import { ownFolder } from '../fixtures/own-folder.js';

const folder = ownFolder('patterns-');
for (const name of ['run-1', 'run-2', 'other', '.run-3']) {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'results.json'), '{}');
}
writeFileSync(join(folder, 'run-notes'), ''); // beside the folders, and none
const pathOf = (/** @type {string} */ name) => join(folder, name, 'results.json');

/** @param {string} pattern */
const expanded = (pattern) => expandPatterns([pattern], 'win32').map((path) => normalize(path));

describe('expandPatterns', () => {
  it('expands patterns on Windows, in the order of the names', () => {
    const both = [pathOf('run-1'), pathOf('run-2')];
    assert.deepEqual(expanded(`${folder}/run-*/results.json`), both);
    assert.deepEqual(expanded(`${folder}/run-?/r*.json`), both);
    assert.deepEqual(expandPatterns([pathOf('other')], 'win32'), [pathOf('other')]);
  });

  it('keeps a pattern that matches nothing, and all of them on systems whose shells expand them', () => {
    for (const [pattern, platform] of /** @type {const} */ ([
      [`${folder}/none-*/results.json`, 'win32'],
      [`${folder}/run-*/missing/*`, 'win32'],
      [`${folder}/run-*/results.json`, 'linux'],
    ]))
      assert.deepEqual(expandPatterns([pattern], platform), [pattern]);
  });
});

describe('nameFault', () => {
  it('names the character that Windows refuses', () => {
    assert.equal(nameFault('C:\\out\\a?b.md', 'win32'), 'Windows takes no ? in a name: name another file');
    assert.equal(nameFault('C:\\out\\ab.md', 'win32'), null);
    assert.equal(nameFault('C:/out/a<b.md', 'win32'), 'Windows takes no < in a name: name another file');
    assert.equal(nameFault('/out/a?b.md', 'linux'), null);
  });
});
