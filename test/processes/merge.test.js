// --shard and merge as jobs of a build use them: real launches, one command after the other.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { callCli, placeForEach } from '../fixtures/cli-run.js';

const SHORT =
  '--transport unix --codec json,string --workers 1x1 --launches 2 --seed 7 --warmup 20ms --messages 40 --no-controls --no-charts';

const place = placeForEach();

describe('ipc-bench merge', () => {
  it('joins what two jobs have measured, in every form', async () => {
    for (const index of [1, 2]) {
      const args = `${SHORT} --shard ${index}/2 --out s${index}`;
      const { code, stdout, stderr } = await callCli(args, place);
      assert.equal(code, 0, stdout + stderr);
    }
    const documents = '--csv all.csv --benchstat all.txt --markdown all.md --out all';
    const args = `merge s2/results.json s1/results.json ${documents}`;
    const { code, stdout, stderr } = await callCli(args, place);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Joined from 2 shards/);
    const { status, outcomes, shards } = await readResults(join(place.folder, 'all', 'results.json'));
    assert.equal(status, 'complete');
    assert.equal(shards?.length, 2);
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'measured');
      assert.deepEqual(
        outcome.launches.map(({ block }) => block),
        [0, 1],
      );
      assert.equal(outcome.ratio?.n, 2);
    }
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => name.startsWith('all')),
      ['all', 'all.csv', 'all.md', 'all.txt'],
    );
    assert.ok(readdirSync(join(place.folder, 'all')).some((name) => name.endsWith('.png')));
    assert.deepEqual(place.leftovers(), []);
  });
});
