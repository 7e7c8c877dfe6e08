// The files that a run is going to write, which no other live run may take.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { measure } from '../../lib/cli/measure.js';
import { OutputClaims, withClaims } from '../../lib/results/claim-outputs.js';
import { callCli, placeForEach } from '../fixtures/cli-run.js';
import { DEAD, ELSEWHERE } from '../fixtures/named-owners.js';
import { ownFolder } from '../fixtures/own-folder.js';

const TAKEN = {
  code: 'OUTPUT_EXISTS',
  message: /belongs to another run \(pid \d+, since \d{4}-.*wait until it ends/,
};
const ONE_LAUNCH = { transport: 'unix', codec: 'json', workers: '1x1', launches: 1, controls: false };

describe('a claim on an output file', () => {
  const folder = ownFolder('ipcb-claims-');

  it('is had by exactly one of many runs that want it at the same moment', async () => {
    const path = join(folder, 'many.json');
    const runs = Array.from({ length: 6 }, () => new OutputClaims());
    const had = await Promise.allSettled(runs.map((claims) => claims.add(path, '--json')));
    const codes = had.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    assert.deepEqual(codes, Array(5).fill('OUTPUT_EXISTS'));
    for (const claims of runs) await claims.release();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('may be made for two flags of one run', async () => {
    await withClaims(async (claims) => {
      await claims.add(join(folder, 'own.txt'), '--csv');
      await claims.add(join(folder, 'own.txt'), '--markdown');
    });
    assert.deepEqual(readdirSync(folder), []);
  });

  it('of a dead run does not block, and that of a run that cannot be seen from here does', async () => {
    const path = join(folder, 'left.json');
    const claimOf = (/** @type {string} */ owner) => join(folder, `.left.json.${owner}-1.ipc-bench-claim`);
    writeFileSync(claimOf(DEAD), '2026-01-01T00:00:00.000Z');
    await withClaims((claims) => claims.add(path, '--json'));
    assert.equal(existsSync(claimOf(DEAD)), false);
    writeFileSync(claimOf(ELSEWHERE), '2026-01-01T00:00:00.000Z');
    await assert.rejects(
      withClaims((claims) => claims.add(path, '--json')),
      TAKEN,
    );
  });
});

describe('a run whose output belongs to a live run', () => {
  const place = placeForEach();
  const RUN = '--transport unix --codec json --workers 1x1 --launches 1 --no-controls --quiet';

  it('is refused at once with exit code 2, whatever may be overwritten and whether it would wait or not', async () => {
    for (const folder of ['out', 'pictures', 'own']) mkdirSync(join(place.folder, folder));
    await withClaims(async (claims) => {
      const claimed = { out: 'out/results.json', json: 'a.json', png: 'pictures/document.png' };
      for (const file of Object.values(claimed)) await claims.add(join(place.folder, file));
      for (const flag of ['--out out', '--json a.json', '--png pictures']) {
        for (const mode of ['--lock wait', '--lock ignore --force']) {
          const { code, stderr } = await callCli(`${RUN} ${flag} ${mode}`, place, { launch: unexpected });
          assert.equal(code, 2, `${flag} ${mode}: ${stderr}`);
          assert.match(
            stderr,
            /^ipc-bench: .* belongs to another run .*name another place with --(out|json|png)/,
          );
        }
      }
    });
    assert.deepEqual(readdirSync(place.folder, { recursive: true }).filter(isFile), []);
  });

  it('is refused by measure() in the same process too, and the first run keeps its folder', async () => {
    const out = join(place.folder, 'out');
    const first = measure({ ...ONE_LAUNCH, out, warmup: '50ms', measure: '200ms' });
    const second = measure({ ...ONE_LAUNCH, out, lock: 'ignore' }, { force: true });
    const ends = await Promise.allSettled([first.results, second.results]);
    const codes = ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.value.status));
    assert.deepEqual(codes.toSorted(), ['OUTPUT_EXISTS', 'complete']);
    assert.deepEqual(readdirSync(out), ['results.json']);
    assert.equal(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')).status, 'complete');
  });
});

/** @param {string | Buffer} name */
const isFile = (name) => String(name).includes('.');
/** @returns {Promise<never>} */
const unexpected = async () => assert.fail('nothing is launched');
