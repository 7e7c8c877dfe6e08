// What reports, comparisons and recommendations print, compared with the texts of an earlier version.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { SNAPSHOTS, snapshots } from '../fixtures/snapshots.js';

describe('printed text (if a change is meant: node test/fixtures/refresh-snapshots.js, then read the difference)', () => {
  for (const [name, makeText] of snapshots())
    it(`prints what test/fixtures/snapshots/${name}.txt has`, async () => {
      const saved = await readFile(new URL(`${name}.txt`, SNAPSHOTS), 'utf8');
      assert.deepEqual((await makeText()).split('\n'), saved.replaceAll('\r\n', '\n').split('\n'));
    });
});
