// Where a round trip's time goes, of real launches: what a transport is known to take is found in its part, and an extra
// launch that fails leaves the run as it is.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readResults } from '../../lib/results/read.js';
import { callCli, makePlace } from '../fixtures/cli-run.js';

/** @import { Explanation } from '../../lib/types/explanations.js' */

const SLOWED = pathToFileURL(join(import.meta.dirname, '../../lib/selftest/slowed-unix.js')).href;
const SHORT = [
  ...['--codec', 'json', '--workers', '1x1', '--payload', '100', '--launches', '1', '--warmup', '100ms'],
  ...['--measure', '200ms', '--lock', 'ignore', '--no-charts', '--quiet', '--explain', '--out', 'o'],
];

/** @type {import('../fixtures/cli-run.js').Place} */
let place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

/** @param {string} text   of a transport, called mine @param {string} chosen   './mine.mjs' with its settings */
async function explained(text, chosen) {
  writeFileSync(join(place.folder, 'mine.mjs'), `import slowed from ${JSON.stringify(SLOWED)};\n${text}`);
  const { code, stdout, stderr } = await callCli(['--transport', chosen, ...SHORT], place);
  assert.equal(code, 0, stderr);
  assert.deepEqual(place.leftovers(), []);
  return { stdout, results: await readResults(join(place.folder, 'o', 'results.json')) };
}

/** @param {Explanation} explanation @param {string} name @returns {number} */
function usOf({ parts }, name) {
  return Number(parts.find((part) => part.name === name)?.us);
}

describe('a run that explains its round trips', () => {
  it('finds what a transport is known to take among its own code', async () => {
    const { results, stdout } = await explained(
      `export default { ...slowed, name: 'mine' };`,
      './mine.mjs:delayUs=2000',
    );
    const [outcome] = results.outcomes;
    assert.equal(
      outcome.status === 'measured' && outcome.launches.length,
      1,
      'the extra launch does not count',
    );
    const [explanation] = results.explanations ?? [];
    const { parts, processes, wholeUs, remainderUs } = explanation;
    assert.deepEqual(
      processes.map(({ name, role }) => [name, role]),
      [
        ['master', 'master'],
        ['w0', 'worker'],
      ],
    );
    const known = parts.reduce((sum, { us }) => sum + (us ?? 0), 0);
    assert.ok(Math.abs(known + remainderUs - wholeUs.estimate) < 1e-6, 'parts and remainder are the whole');
    // A profile misses some samples, and a crowded machine more: it is 1.6 ms on a quiet one.
    assert.ok(usOf(explanation, 'transport') > 500, JSON.stringify(explanation));
    for (const other of ['workerCodec', 'masterCodec', 'harness'])
      assert.ok(usOf(explanation, other) < usOf(explanation, 'transport') / 2, JSON.stringify(explanation));
    assert.match(stdout, /Where a round trip’s time goes, in µs, 100 B, 1x1/);
  });

  it('finds 20 µs there, where a like transport has none', {
    skip: process.env.LONG_TESTS !== '1' && 'asked for by LONG_TESTS=1',
  }, async () => {
    const { results } = await explained(
      `export default { ...slowed, name: 'mine' };`,
      './mine.mjs:delayUs=0,./mine.mjs:delayUs=20',
    );
    const [plain, slowed] = results.explanations ?? [];
    const grown = usOf(slowed, 'transport') - usOf(plain, 'transport');
    // A profile finds two thirds of so short a piece.
    assert.ok(grown > 4, JSON.stringify([plain, slowed]));
    for (const other of ['workerCodec', 'masterCodec', 'harness'])
      assert.ok(usOf(slowed, other) - usOf(plain, other) < grown, JSON.stringify([plain, slowed]));
  });

  it('goes on when the extra launch fails, and tells why it explains nothing', async () => {
    const failing = `export default { ...slowed, name: 'mine', async connect(guest) {
      if (process.execArgv.includes('--no-turbo-inlining')) throw new Error('it is looked into');
      return slowed.connect(guest);
    } };`;
    const { results, stdout } = await explained(failing, './mine.mjs');
    assert.equal(results.explanations, undefined);
    const [{ look, message }] = results.failedLooks ?? [];
    assert.equal(look, 'explain');
    assert.match(message, /it is looked into/);
    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /--explain saw nothing of mine\/json: its extra launch failed, /,
    );
  });

  it('is refused before it begins where nothing can be explained', async () => {
    const args = [
      '--transport',
      'unix',
      '--codec',
      'json',
      '--workers',
      '2x4',
      '--explain',
      '--lock',
      'ignore',
    ];
    const { code, stderr } = await callCli(args, place);
    assert.equal(code, 2);
    assert.match(stderr, /--explain finds nothing to explain.*add --workers 1x1/s);
  });
});
