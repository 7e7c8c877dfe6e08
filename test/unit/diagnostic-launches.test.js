// Diagnostic launches: their results and failures, with launches of the test.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { runDiagnosticLaunches } from '../../lib/run/diagnostics/diagnostic-launches.js';
import table from '../../reports/table/table.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { Results } from '../../lib/types/index.js' */

const PROFILE = JSON.stringify({ nodes: [], samples: [], timeDeltas: [] });
const folder = ownFolder('ibdl-');
const temporary = join(folder, 'temporary');
mkdirSync(temporary);
const PLUGINS = {
  transports: new Map([['pipe', { plugin: { settings: {}, traits: { broker: null } } }]]),
  codecs: new Map(),
  scenarios: new Map(),
};
const SPEC = { timing: { measureMs: 1 }, deadlines: { lifeMs: 1 } };
/** @type {number[]} of the launches that were made */
const orders = [];

/** @param {Results} results @returns {Promise<string>} */
async function tableOf(results) {
  const [{ content }] = await table.render(results, {});
  return String(content);
}

describe('a diagnostic launch', () => {
  const FAILED = { status: 'failed', code: 'PROCESS_DIED', message: 'w0 died during measure.' };

  /**
   * @param {Partial<Results>} differences
   * @param {(profileDir: string, onDone: (fields: any) => void) => any} launch   what becomes of it
   * @param {Partial<Results['options']>} options
   */
  async function diagnosed(differences, launch, options = { profile: true }) {
    const results = { ...buildResults({ series: ['pipe/json'], launches: 1 }), ...differences };
    const scratch = { folderFor: async () => mkdtempSync(join(temporary, 'diagnosis-')) };
    const runner = {
      context: { scratch, plugins: PLUGINS },
      run: async (/** @type {any} */ ...[, , order, , { adapt = () => ({}), onDone }]) => {
        orders.push(order);
        return launch(adapt(SPEC).profileDir, onDone);
      },
    };
    const side = { options: { ...results.options, ...options }, results, runner };
    const file = { path: join(folder, 'results.json') };
    await runDiagnosticLaunches(/** @type {any} */ ({ ...side, file }));
    assert.deepEqual(readdirSync(temporary), []);
    return results;
  }

  for (const option of /** @type {const} */ (['profile', 'syscalls'])) {
    it(`is recorded as failed without a result: --${option}`, async () => {
      const results = await diagnosed(
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
      assert.deepEqual(results.failedDiagnoses, [{ cell, flag: option, code, message }]);
      assert.ok(
        (await tableOf(results))
          .replaceAll(/\s+/g, ' ')
          .includes(
            `--${option} has no result for pipe/json: its extra launch failed, w0 died during measure (PROCESS_DIED).`,
          ),
      );
    });
  }

  it('is recorded as failed without operations, with the remedy', async () => {
    const results = await diagnosed({}, () => ({ status: 'measured', operations: 0, windowMs: 1 }));
    const text = (await tableOf(results)).replace(/\s+/g, ' ');
    assert.match(text, /not one operation ended within the window: use a longer --measure/);
  });

  it('is made again when a run is resumed', async () => {
    const stale = { profiles: [], failedDiagnoses: [] };
    const results = await diagnosed(/** @type {any} */ (stale), (profileDir) => {
      writeFileSync(join(profileDir, 'master.cpuprofile'), PROFILE);
      return { status: 'measured', operations: 1, windowMs: 1 };
    });
    assert.equal(results.profiles?.length, 1);
    assert.equal(results.failedDiagnoses, undefined);
  });

  it('has a folder for each variant', async () => {
    for (const name of ['A', 'B']) {
      const variant = { name, written: '', runId: '0123456789abcdef' };
      const { profiles } = await diagnosed({ variant }, (profileDir) => {
        writeFileSync(join(profileDir, 'master.cpuprofile'), PROFILE);
        return { status: 'measured', operations: 1, windowMs: 1 };
      });
      assert.match(
        profiles?.[0].file ?? '',
        new RegExp(`^profiles/${name}/00-pipe-json-[^/]*/master.cpuprofile$`),
      );
    }
    for (const name of ['A', 'B']) assert.ok(existsSync(join(folder, 'profiles', name)));
    rmSync(join(folder, 'profiles'), { recursive: true });
  });

  it('does not write through a link in place of its profile', {
    skip: process.platform === 'win32' && 'needs links of POSIX',
  }, async () => {
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'precious');
    const profileOf = (/** @type {Results} */ { profiles }) => join(folder, profiles?.[0].file ?? '');
    const launch = (/** @type {string} */ profileDir) => {
      writeFileSync(join(profileDir, 'master.cpuprofile'), PROFILE);
      return { status: 'measured', operations: 1, windowMs: 1 };
    };
    const path = profileOf(await diagnosed({}, launch));
    await diagnosed({}, (profileDir) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(precious, path);
      return launch(profileDir);
    });
    assert.equal(readFileSync(precious, 'utf8'), 'precious');
    assert.equal(readFileSync(path, 'utf8'), PROFILE);
    rmSync(precious);
    rmSync(join(folder, 'profiles'), { recursive: true });
  });

  it('is recorded as failed if its runtime has no profiler', async () => {
    const results = await diagnosed({}, () => ({ status: 'measured', operations: 1, windowMs: 1 }));
    assert.equal(results.profiles, undefined);
    assert.match(results.failedDiagnoses?.[0].message ?? '', /its runtime has no profiler/);
  });

  it('has its own order', async () => {
    const launch = (/** @type {string} */ profileDir) => {
      if (profileDir) writeFileSync(join(profileDir, 'master.cpuprofile'), PROFILE);
      return FAILED;
    };
    orders.length = 0;
    await diagnosed({}, launch, { profile: true, syscalls: true });
    assert.equal(new Set(orders).size, 2);
    orders.length = 0;
    const { failedDiagnoses } = await diagnosed({}, launch, { profile: true, syscalls: true, explain: true });
    assert.deepEqual(
      failedDiagnoses?.map(({ flag }) => flag),
      ['syscalls', 'profile', 'explain'],
    );
    assert.equal(new Set(orders).size, 3, 'orders make the ids of launches');
    assert.deepEqual(
      orders.toSorted((one, other) => one - other),
      orders,
    );
  });
});

describe('--syscalls', () => {
  const own = { runtime: { hasSystemClock: false }, name: 'clockless' };
  const peer = { ...own, name: 'c', peer: { program: { name: 'gcc' } } };
  for (const [found, why] of /** @type {const} */ ([
    [own, /^clockless has a clock of its own/],
    [peer, /^gcc is a further process, which this does not attribute/],
  ])) {
    it(`has no result for ${found.name}, with the reason`, async () => {
      const results = buildResults({ series: ['pipe/json'], launches: 1 });
      const [{ cell }] = results.outcomes;
      cell.runtime = 'master:other';
      const choices = [{ runtime: 'master:other', every: null, byRole: { master: found } }];
      const runner = {
        context: { plugins: { runtimes: { choices } } },
        run: () => assert.fail('nothing is launched'),
      };
      const options = { ...results.options, syscalls: true };
      await runDiagnosticLaunches(/** @type {any} */ ({ options, results, file: { path: null }, runner }));
      const [{ flag, code, message }] = results.failedDiagnoses ?? assert.fail('no failure is recorded');
      assert.deepEqual([flag, code], ['syscalls', 'RUNTIME']);
      assert.match(message, why);
    });
  }
});
