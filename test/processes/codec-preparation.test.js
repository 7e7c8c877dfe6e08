// Runs always.
// Codecs of packages that may be missing: prepared before anything is encoded, and skipped with the reason where they
// cannot be.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadPlugins } from '../../lib/cli/prepare.js';
import { BenchError } from '../../lib/errors.js';
import { missingPackages, packageProblem } from '../../lib/machine/packages.js';
import { planCells } from '../../lib/plan/plan.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { codecUnavailableReason, loadCodecs } from '../../lib/plugins/plugins.js';
import { calibrate } from '../../lib/run/diagnostics/calibration.js';
import { launchCell } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

const PREPARED = new URL('../fixtures/prepared-codec.js', import.meta.url);
const REASON = 'no such format here: buy one';

const folder = ownFolder('codecs-test-');

/** @param {string} name @param {string} more   properties */
function codecFile(name, more) {
  const text = `export default { name: '${name}', summary: 'x', produces: 'text', encode: JSON.stringify, decode: JSON.parse, ${more} };`;
  writeFileSync(join(folder, `${name}.js`), text);
  return `./${name}.js`;
}

/** @param {Record<string, unknown>} argv */
async function planOf(argv) {
  const { options } = resolved(argv);
  return planCells(options, await loadPlugins(options, folder));
}

describe('a codec that has to be prepared', () => {
  it('is prepared in master and worker before the first message', async () => {
    const cell = { codec: '../fixtures/prepared-codec.js', workers: 1, loops: 1 };
    const { end } = await launchCell({ cell, timing: { messages: 20 } });
    assert.equal(end.kind === 'done' && end.fields.operations, 20, JSON.stringify(end));
  });

  it('is prepared before its controls are measured', async () => {
    const cell = { codec: 'prepared-codec', scenario: 'round-trip', payloadBytes: 10, loops: 1 };
    const plugins = /** @type {any} */ ({
      codecs: new Map([['prepared-codec', { url: PREPARED.href }]]),
      scenarios: new Map([
        ['round-trip', { url: new URL('../../scenarios/round-trip.js', import.meta.url).href, plugin: {} }],
      ]),
    });
    const { signal } = new AbortController();
    const { rows } = await calibrate([/** @type {any} */ (cell)], plugins, {
      cpus: null,
      seed: 1,
      signal,
    });
    assert.equal(rows.length, 1);
  });
});

describe('an unavailable codec', () => {
  it('is skipped with that reason, and others are not', async () => {
    const own = codecFile('rare', `whyUnavailable: async () => '${REASON}'`);
    const plan = await planOf({ transport: 'unix,tcp', codec: `${own},json` });
    assert.deepEqual(
      plan.map(({ cell, skip }) => [cell.transport, cell.codec, skip]),
      [
        ['unix', 'rare', REASON],
        ['unix', 'json', null],
        ['tcp', 'rare', REASON],
        ['tcp', 'json', null],
      ],
    );
  });

  it('does not matter if the channel serialises by itself', async () => {
    const own = codecFile('json', `whyUnavailable: async () => '${REASON}'`);
    const [{ skip }] = await planOf({ transport: 'pipe', codec: own });
    assert.equal(skip, null);
  });

  it('is available without a reason', async () => {
    const own = codecFile('common', 'whyUnavailable: async () => null');
    const { plugin } = /** @type {any} */ ((await loadCodecs([own], folder)).get('common'));
    assert.equal(await codecUnavailableReason(plugin), null);
  });
});

describe('the shape of a codec', () => {
  it('is rejected with all its errors', async () => {
    const own = codecFile(
      'odd',
      "whyUnavailable: 'no', packages: 'x', prepare: true, trustsLength: 'yes', sources: 'x'",
    );
    await assert.rejects(loadCodecs([own], folder), (error) => {
      assert.ok(error instanceof BenchError && error.code === 'BAD_PLUGIN');
      for (const part of ['whyUnavailable', 'packages', 'prepare', 'trustsLength', 'sources']) {
        assert.match(error.message, new RegExp(`- ${part} does not fit: .*, or absent`));
      }
      return true;
    });
  });
});

describe('packageProblem', () => {
  it('returns nothing for an installed package', async () => {
    assert.equal(await packageProblem('msgpackr'), null);
  });

  it('is called with the packages that a codec declares only', async () => {
    for (const { plugin, url } of (await loadCodecs(builtinNames('codec'))).values()) {
      const asked = [...readFileSync(new URL(url), 'utf8').matchAll(/packageProblem\('([^']+)'[,)]/g)];
      const names = asked.map(([, name]) => name);
      assert.deepEqual(plugin.packages ?? [], names, `packages of ${plugin.name}`);
    }
    assert.deepEqual(await missingPackages(['msgpackr', 'no-such-package']), ['no-such-package']);
  });

  it('returns reason and remedy without a path', async () => {
    assert.equal(
      await packageProblem('no-such-package-anywhere'),
      'the package no-such-package-anywhere is not installed: npm install no-such-package-anywhere',
    );
  });

  it('returns the error of an installed package that cannot be loaded', async () => {
    const path = join(folder, 'broken.mjs');
    writeFileSync(path, "throw new Error('no binary for this platform\\nsecond line');");
    assert.equal(
      await packageProblem(path),
      `the package ${path} cannot be loaded (no binary for this platform): npm install --force ${path}`,
    );
  });

  it('loads nothing in a quick check, with the same text for missing packages', async () => {
    const path = join(folder, 'broken-unseen.mjs');
    writeFileSync(path, "throw new Error('loaded');");
    assert.equal(await packageProblem(path, true), null);
    for (const name of ['no-such-package-anywhere', join(folder, 'no-such-file.mjs')]) {
      assert.equal(await packageProblem(name, true), await packageProblem(name));
    }
  });
});
