// Extra launches that are looked into: what is reported is of this run, and one that failed is told.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { runDiagnosticLaunches } from '../../lib/run/diagnostics/diagnostic-launches.js';
import table from '../../reports/table/table.js';
import { callCli, placeForEach } from '../fixtures/cli-run.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Results } from '../../lib/types/index.js' */

const PROFILE = JSON.stringify({ nodes: [], samples: [], timeDeltas: [] });
const CELL_FOLDER = '00-pipe-json-round-trip-1x1-1000-B-split';

const place = placeForEach();

/** @param {Results} results @returns {Promise<string>} */
async function tableOf(results) {
  const [{ content }] = await table.render(results, {});
  return String(content);
}

describe('--profile into a folder that an earlier run has used', () => {
  const cell = '--transport pipe --codec json --workers 1x1 --launches 1 --warmup 50ms --measure 500ms';
  const args = `${cell} --no-controls --no-charts --lock ignore --profile --out o`;

  it('reports its own profiles only, removes the old ones and nothing else', async () => {
    const profiles = join(place.folder, 'o', 'profiles');
    const other = join(profiles, '01-tcp-json-round-trip-1x1-1000-B-split');
    for (const folder of [join(profiles, CELL_FOLDER), other]) mkdirSync(folder, { recursive: true });
    for (const name of ['w0', 'w7', 'stale'])
      writeFileSync(join(profiles, CELL_FOLDER, `${name}.cpuprofile`), 'no profile of this run');
    writeFileSync(join(other, 'w0.cpuprofile'), PROFILE);
    writeFileSync(join(profiles, CELL_FOLDER, 'notes.txt'), 'mine');

    const refused = await callCli(args, place);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /holds profiles already; name another folder with --out, or add --force/);
    const { code, stderr } = await callCli(`${args} --force`, place);
    assert.equal(code, 0, stderr);
    const results = await readResults(join(place.folder, 'o', 'results.json'));
    const files = results.profiles?.map(({ process: name, file }) => [name, file]);
    const own = ['master', 'w0'].map((name) => [name, `profiles/${CELL_FOLDER}/${name}.cpuprofile`]);
    assert.deepEqual(files, own);
    assert.ok(results.profiles?.every(({ heaviest }) => heaviest.length > 0));
    assert.deepEqual(readdirSync(profiles), [CELL_FOLDER]);
    const kept = ['master.cpuprofile', 'notes.txt', 'w0.cpuprofile'];
    assert.deepEqual(readdirSync(join(profiles, CELL_FOLDER)).sort(), kept);
    assert.deepEqual(place.leftovers(), []);
  });
});

describe('an extra launch', () => {
  const FAILED = { status: 'failed', code: 'PROCESS_DIED', message: 'w0 died during measure.' };

  /**
   * @param {Partial<Results>} differences
   * @param {(profileDir: string) => any} launch   what becomes of it
   * @param {Partial<Results['options']>} options
   */
  async function lookedInto(differences, launch, options = { profile: true }) {
    const results = { ...makeResults({ series: ['pipe/json'], launches: 1 }), ...differences };
    const scratch = { folderFor: async () => mkdtempSync(join(place.temporary, 'look-')) };
    const runner = {
      context: { scratch, plugins: {} },
      run: async (/** @type {any} */ ...[, , , , { profileDir }]) => launch(profileDir),
    };
    const side = { options: { ...results.options, ...options }, results, runner };
    const resultsPath = join(place.folder, 'results.json');
    await runDiagnosticLaunches(/** @type {any} */ ({ ...side, resultsPath }));
    assert.deepEqual(place.leftovers(), []);
    return results;
  }

  for (const option of /** @type {const} */ (['profile', 'syscalls'])) {
    it(`that failed is told, and shows nothing: --${option}`, async () => {
      const results = await lookedInto(
        {},
        (profileDir) => {
          if (profileDir) writeFileSync(join(profileDir, 'w0.cpuprofile'), PROFILE);
          return FAILED;
        },
        { [option]: true },
      );
      assert.deepEqual([results.profiles, results.syscalls], [undefined, undefined]);
      const [{ cell }] = results.outcomes;
      const { code, message } = FAILED;
      assert.deepEqual(results.failedLooks, [{ cell, look: option, code, message }]);
      assert.ok(
        (await tableOf(results))
          .replaceAll(/\s+/g, ' ')
          .includes(
            `--${option} has no result for pipe/json: its extra launch failed, w0 died during measure (PROCESS_DIED).`,
          ),
      );
    });
  }

  it('in which nothing ended is told, with the flag that helps', async () => {
    const results = await lookedInto({}, () => ({ status: 'measured', operations: 0, windowMs: 1 }));
    const text = (await tableOf(results)).replace(/\s+/g, ' ');
    assert.match(text, /not one operation ended within the window: use a longer --measure/);
  });

  it('is looked into anew where an interrupted run is continued', async () => {
    const stale = { profiles: [], failedLooks: [] };
    const results = await lookedInto(/** @type {any} */ (stale), (profileDir) => {
      writeFileSync(join(profileDir, 'master.cpuprofile'), PROFILE);
      return { status: 'measured', operations: 1, windowMs: 1 };
    });
    assert.equal(results.profiles?.length, 1);
    assert.equal(results.failedLooks, undefined);
  });

  it('of each variant has a folder of its own', async () => {
    for (const name of ['A', 'B']) {
      const variant = { name, written: '', runId: '0123456789abcdef' };
      const { profiles } = await lookedInto({ variant }, (profileDir) => {
        writeFileSync(join(profileDir, 'master.cpuprofile'), PROFILE);
        return { status: 'measured', operations: 1, windowMs: 1 };
      });
      assert.match(
        profiles?.[0].file ?? '',
        new RegExp(`^profiles/${name}/00-pipe-json-[^/]*/master.cpuprofile$`),
      );
    }
    for (const name of ['A', 'B']) assert.ok(existsSync(join(place.folder, 'profiles', name)));
    rmSync(join(place.folder, 'profiles'), { recursive: true });
  });
});
