// What faulty parts of somebody else do to a command: their rows fail, or the command ends with a sentence that names them.
// Everything else goes on.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { callCli, makePlace } from '../fixtures/cli-run.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const QUICK =
  '--workers 1x2 --launches 2 --warmup 30ms --messages 100 --no-controls --no-charts --codec json --seed 1';

const place = makePlace();
after(() => place.remove());
/** @param {string} name @param {string} text */
const writePart = (name, text) => writeFileSync(join(place.folder, name), text);

/** @param {string} name @param {{ headline?: string, second?: string }} reads   what its measures give */
function writeScenario(name, { headline = '1', second = '2' }) {
  const words = "unit: 'count', better: 'lower', kind: 'value'";
  writePart(
    `${name}.js`,
    `export default {
      name: '${name}',
      summary: 'a scenario whose measures are faulty',
      measures: [
        { name: 'first', title: 'first', ${words}, read() { return ${headline}; } },
        { name: 'second', title: 'second', ${words}, read() { return ${second}; } },
      ],
      half: (role, kit) => (role === 'master' ? kit.answering() : kit.asking()),
    };`,
  );
}

describe('a scenario whose measures cannot be read', () => {
  it('fails its own rows by name, and no other row', async () => {
    const throwing = "(() => { throw new Error('rd'); })()";
    const faulty = /** @type {[string, Parameters<typeof writeScenario>[1], RegExp][]} */ ([
      ['throws', { headline: throwing }, /the measure first of the scenario throws cannot be read: rd/],
      [
        'secondthrows',
        { second: throwing },
        /the measure second of the scenario secondthrows cannot be read: rd/,
      ],
      [
        'text',
        { headline: "'many'" },
        /measure first of the scenario text .* it gave a text, not a finite number/,
      ],
      ['nothing', { second: 'undefined' }, /measure second of the scenario nothing .* it gave undefined/],
      ['big', { second: '5n' }, /measure second of the scenario big .* it gave a BigInt/],
      ['endless', { second: 'Infinity' }, /measure second of the scenario endless .* it gave Infinity/],
      ['negative', { second: '-3' }, /measure second of the scenario negative .* it gave -3/],
      [
        'none',
        { headline: 'null' },
        /measure first of the scenario none .* it is the headline and gave null/,
      ],
      ['zero', { headline: '0' }, /measure first of the scenario zero .* it is the headline and gave 0/],
    ]);
    for (const [name, reads] of faulty) writeScenario(name, reads);
    writeScenario('good', {});
    const names = ['round-trip', ...faulty.map(([name]) => `./${name}.js`), './good.js'].join();
    const args = `${QUICK} --transport unix --scenario ${names} --out faulty`;
    const { code, stderr } = await callCli(args, place, { launch: simulatedLauncher() });
    assert.equal(code, 3, stderr);
    assert.doesNotMatch(stderr, /unexpected error/);
    const { outcomes } = await readResults(join(place.folder, 'faulty', 'results.json'));
    for (const outcome of outcomes) {
      const { scenario } = outcome.cell;
      const why = faulty.find(([name]) => name === scenario)?.[2];
      assert.equal(outcome.status, why === undefined ? 'measured' : 'failed', scenario);
      if (why !== undefined && outcome.status === 'failed') assert.match(outcome.message, why);
    }
    assert.equal(outcomes.length, faulty.length + 2);
  });
});
