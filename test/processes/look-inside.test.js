// Runs in CI.
// Profiles of extra launches, beside those of an earlier run.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';

const PROFILE = JSON.stringify({ nodes: [], samples: [], timeDeltas: [] });
const CELL_FOLDER = '00-pipe-json-round-trip-1x1-1000-B-split';

const workspace = workspaceForEach();

describe('--profile into a folder that an earlier run has used', () => {
  const cell = '--transport pipe --codec json --workers 1x1 --launches 1 --warmup 50ms --measure 500ms';
  const args = `${cell} --no-controls --no-charts --lock ignore --profile --out o`;

  it('replaces the profiles of the earlier run, and keeps other files', async () => {
    const profiles = join(workspace.folder, 'o', 'profiles');
    const other = join(profiles, '01-tcp-json-round-trip-1x1-1000-B-split');
    for (const folder of [join(profiles, CELL_FOLDER), other]) mkdirSync(folder, { recursive: true });
    for (const name of ['w0', 'w7', 'stale'])
      writeFileSync(join(profiles, CELL_FOLDER, `${name}.cpuprofile`), 'no profile of this run');
    writeFileSync(join(other, 'w0.cpuprofile'), PROFILE);
    writeFileSync(join(profiles, CELL_FOLDER, 'notes.txt'), 'mine');

    const refused = await callCli(args, workspace);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /holds profiles already; name another folder with --out, or add --force/);
    const { code, stderr } = await callCli(`${args} --force`, workspace);
    assert.equal(code, 0, stderr);
    const results = await readResults(join(workspace.folder, 'o', 'results.json'));
    const files = results.profiles?.map(({ process: name, file }) => [name, file]);
    const own = ['master', 'w0'].map((name) => [name, `profiles/${CELL_FOLDER}/${name}.cpuprofile`]);
    assert.deepEqual(files, own);
    assert.deepEqual(readdirSync(profiles), [CELL_FOLDER]);
    const kept = ['master.cpuprofile', 'notes.txt', 'w0.cpuprofile'];
    assert.deepEqual(readdirSync(join(profiles, CELL_FOLDER)).sort(), kept);
    assert.deepEqual(workspace.leftovers(), []);
  });
});
