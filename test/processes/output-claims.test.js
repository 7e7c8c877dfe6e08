// Runs always.
// The files that a run is going to write, which no other live run may take.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { measure } from '../../lib/cli/measure.js';
import { OutputClaims, withClaims } from '../../lib/results/claim-outputs.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';
import { DEAD, ELSEWHERE } from '../fixtures/named-owners.js';
import { ownFolder } from '../fixtures/own-folder.js';

const SAVED = fileURLToPath(new URL('../fixtures/results-default.json', import.meta.url));
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
  const workspace = workspaceForEach();
  const RUN = '--transport unix --codec json --workers 1x1 --launches 1 --no-controls --quiet';

  it('is refused at once with exit code 2, whatever may be overwritten and whether it would wait or not', async () => {
    for (const folder of ['out', 'pictures', 'own']) mkdirSync(join(workspace.folder, folder));
    await withClaims(async (claims) => {
      const claimed = { out: 'out/results.json', json: 'a.json', png: 'pictures/document.png' };
      for (const file of Object.values(claimed)) await claims.add(join(workspace.folder, file));
      for (const flag of ['--out out', '--json a.json', '--png pictures']) {
        for (const mode of ['--lock wait', '--lock ignore --force']) {
          const { code, stderr } = await callCli(`${RUN} ${flag} ${mode}`, workspace, { launch: unexpected });
          assert.equal(code, 2, `${flag} ${mode}: ${stderr}`);
          assert.match(
            stderr,
            /^ipc-bench: .* belongs to another run .*name another place with --(out|json|png)/,
          );
        }
      }
    });
    assert.deepEqual(readdirSync(workspace.folder, { recursive: true }).filter(isFile), []);
  });

  it('is refused by measure() in the same process too, and the first run keeps its folder', async () => {
    const out = join(workspace.folder, 'out');
    const first = measure({ ...ONE_LAUNCH, out, warmup: '50ms', measure: '200ms' });
    const second = measure({ ...ONE_LAUNCH, out, lock: 'ignore' }, { force: true });
    const ends = await Promise.allSettled([first.results, second.results]);
    const codes = ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.value.status));
    assert.deepEqual(codes.toSorted(), ['OUTPUT_EXISTS', 'complete']);
    assert.deepEqual(readdirSync(out), ['results.json']);
    assert.equal(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')).status, 'complete');
  });
});

describe('the inputs of a command', () => {
  const workspace = workspaceForEach();
  const RUN = '--transport unix --codec json --workers 1x1 --launches 1 --no-controls --no-charts --quiet';

  /** @param {string} args @param {string} kept   a file that stays as it is */
  async function refused(args, kept) {
    const path = join(workspace.folder, kept);
    const before = readFileSync(path);
    for (const force of ['', ' --force']) {
      const { code, stderr } = await callCli(args + force, workspace, { launch: unexpected });
      assert.equal(code, 2, `${args}${force}: ${stderr}`);
      assert.match(
        stderr,
        /^ipc-bench: [^\n]*(is an input of this command|is not overwritten|is an output of)/,
      );
      assert.ok(before.equals(readFileSync(path)), args);
    }
  }

  it('are never replaced by its outputs', async () => {
    copyFileSync(SAVED, join(workspace.folder, 'a.json'));
    const another = { ...JSON.parse(readFileSync(SAVED, 'utf8')), startedAt: '2026-01-01T00:00:00.000Z' };
    writeFileSync(join(workspace.folder, 'b.json'), JSON.stringify(another));
    writeFileSync(join(workspace.folder, 'messages.ndjson'), '{"a":1}\n');
    writeFileSync(join(workspace.folder, 'options.json'), '{"launches":1}');
    symlinkSync('.', join(workspace.folder, 'here'));
    for (const path of ['a.json', './a.json', 'here/a.json'])
      for (const flag of ['html', 'csv', 'markdown', 'json'])
        await refused(`report a.json --${flag} ${path}`, 'a.json');
    await refused('report a.json --html b.json', 'b.json');
    await refused('compare a.json b.json --html b.json', 'b.json');
    await refused('compare a.json b.json --json a.json', 'a.json');
    await refused('recommend --from a.json --json a.json', 'a.json');
    await refused(`${RUN} --message-file messages.ndjson --csv messages.ndjson`, 'messages.ndjson');
    await refused(`${RUN} --config options.json --markdown options.json`, 'options.json');
  });

  it('are not the results that the same run will save', async () => {
    mkdirSync(join(workspace.folder, 'out'));
    const { code, stderr } = await callCli(`${RUN} --html out/results.json --out out`, workspace, {
      launch: unexpected,
    });
    assert.deepEqual([code, readdirSync(join(workspace.folder, 'out'))], [2, []], stderr);
  });
});

/** @param {string | Buffer} name */
const isFile = (name) => String(name).includes('.');
/** @returns {Promise<never>} */
const unexpected = async () => assert.fail('nothing is launched');
