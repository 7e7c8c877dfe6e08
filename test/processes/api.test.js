// Runs always.
// `import { measure } from 'ipc-bench'`: the examples of docs/extending.md as they stand there, and what the page promises.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BenchError, measure } from '../../lib/cli/measure.js';
import { readResults } from '../../lib/results/read.js';
import { workspaceForEach } from '../fixtures/cli-run.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

const HOUSE = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/extending.md', import.meta.url), 'utf8').split(
  '\n## Runs from a program\n',
)[1];
const EXAMPLES = [...PAGE.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text]) => text);
const ONE_CELL = { transport: 'unix', codec: 'json', workers: '1x1', warmup: '20ms' };
const SHORT = { ...ONE_CELL, messages: 40, controls: false, launches: 2, lock: 'ignore' };

const workspace = workspaceForEach();
beforeEach(() => {
  mkdirSync(join(workspace.folder, 'node_modules'));
  symlinkSync(HOUSE, join(workspace.folder, 'node_modules', 'ipc-bench'));
});

/** @param {string} text of a module @returns {Promise<{ stdout: string, stderr: string }>} */
function ran(text) {
  writeFileSync(join(workspace.folder, 'program.mjs'), text);
  return promisify(execFile)(process.execPath, ['program.mjs'], {
    cwd: workspace.folder,
    env: { ...process.env, ...withTemporaryFolder(workspace.temporary), IPC_BENCH_LAUNCHES: '9' },
  });
}

/** Nothing but the program itself and its packages. */
const isUntouched = () => {
  assert.deepEqual(readdirSync(workspace.folder).sort(), ['node_modules', 'program.mjs']);
  assert.deepEqual(workspace.leftovers(), []);
};

/** @param {AsyncIterable<unknown>} run @returns {Promise<unknown>} what iterating throws */
async function thrownBy(run) {
  try {
    for await (const _progress of run);
    return null;
  } catch (error) {
    return error;
  }
}

describe('a run from a program', () => {
  it('is the example of the page: it tells of each launch, gives results, and does nothing else', async () => {
    const { stdout, stderr } = await ran(EXAMPLES[0]);
    assert.match(
      stdout,
      /^complete\nunix\/json: [1-9]\d* round trips per second\ntcp\/json: [1-9]\d* round trips per second\n$/,
    );
    const told = [0, 1, 2, 3, 4].map((done) => `${done} of 4 launches\n`);
    assert.equal(stderr, told.join(''), 'neither a word of ours nor the environment of the user');
    isUntouched();
  });

  it('throws what the page says', async () => {
    const { stdout } = await ran(EXAMPLES[1]);
    assert.equal(stdout, 'BAD_ARGUMENT\n');
    isUntouched();
  });

  it('ends at the signal with the launches it has, and leaves nothing behind', async () => {
    const { stdout } = await ran(`
      import { measure } from 'ipc-bench';
      const stop = new AbortController();
      const run = measure(${JSON.stringify({ ...SHORT, launches: 500 })}, { signal: stop.signal });
      for await (const { launchesDone } of run) if (launchesDone === 2) stop.abort();
      const { status, outcomes } = await run.results;
      console.log(status, outcomes[0].launches.length);
    `);
    assert.match(stdout, /^interrupted [23]\n$/);
    isUntouched();
  });

  it('saves its results where a folder is named, and overwrites none unforced', async () => {
    const options = { ...SHORT, launches: 1, out: join(workspace.folder, 'out') };
    const results = await measure(options).results;
    assert.deepEqual(
      await readResults(join(options.out, 'results.json')),
      JSON.parse(JSON.stringify(results)),
    );
    await assert.rejects(measure(options).results, { code: 'OUTPUT_EXISTS' });
    assert.equal((await measure(options, { force: true }).results).status, 'complete');
  });

  it('goes on when nobody watches any more', async () => {
    const run = measure(SHORT);
    for await (const { launchesDone } of run) if (launchesDone === 0) break;
    const { status, outcomes } = await run.results;
    assert.equal(status, 'complete');
    assert.equal(outcomes[0].status === 'measured' && outcomes[0].launches.length, 2);
  });

  for (const [options, code, message] of /** @type {[object, string, RegExp][]} */ ([
    [{ wokers: '1x1' }, 'BAD_CONFIG', /^"wokers" in the options: no such option.*Did you mean workers/],
    [{ workers: 'many' }, 'BAD_CONFIG', /^"workers" in the options: /],
    [{ csv: 'x.csv' }, 'BAD_CONFIG', /csv is requested, and a program gets results only/],
    [{ profile: true }, 'BAD_CONFIG', /"profile" writes files: name a folder/],
    [{ launches: 1000, measure: '1min' }, 'TOO_MANY_CELLS', /add --force/],
    [{ transport: 'pipe', codec: 'binary' }, 'NOTHING_TO_RUN', /every cell is skipped/],
  ])) {
    it(`refuses ${JSON.stringify(options)} by its loop and by its results`, async () => {
      const run = measure({ ...ONE_CELL, ...options });
      const error = await thrownBy(run);
      assert.ok(error instanceof BenchError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      await assert.rejects(run.results, error);
    });
  }

  for (const [name, args, code, message] of /** @type {[string, any[], string, RegExp][]} */ ([
    ['no options', [], 'BAD_CONFIG', /^the options are not an object/],
    ['null for options', [null], 'BAD_CONFIG', /^the options are not an object/],
    ['a number for options', [5], 'BAD_CONFIG', /^the options are not an object/],
    ['a list for options', [[]], 'BAD_CONFIG', /^the options are not an object/],
    [
      'a BigInt',
      [{ launches: 1n }],
      'BAD_CONFIG',
      /^"launches" in the options: "bigint" is not usable; write N/,
    ],
    [
      'null for wishes',
      [ONE_CELL, null],
      'BAD_ARGUMENT',
      /^the second argument of measure\(\) is not an object/,
    ],
    [
      'a number for the signal',
      [ONE_CELL, { signal: 5 }],
      'BAD_ARGUMENT',
      /^"signal" .* give an AbortSignal$/,
    ],
    ['a word for force', [ONE_CELL, { force: 'yes' }], 'BAD_ARGUMENT', /^"force" .* give true or false$/],
    ['an unknown wish', [ONE_CELL, { sginal: 5 }], 'BAD_ARGUMENT', /^"sginal" .*Did you mean signal\?$/],
  ])) {
    it(`refuses ${name} with a code`, async () => {
      const results = new Promise((resolve) => resolve(/** @type {any} */ (measure)(...args).results));
      await assert.rejects(results, { name: 'BenchError', code, message });
    });
  }

  it('refuses to measure in a working directory that was removed', {
    skip: process.platform === 'win32',
  }, async () => {
    const before = process.cwd();
    const gone = join(workspace.folder, 'gone');
    mkdirSync(gone);
    process.chdir(gone);
    rmdirSync(gone);
    try {
      await assert.rejects(measure(ONE_CELL).results, {
        code: 'BAD_ARGUMENT',
        message: /^the working directory was removed/,
      });
    } finally {
      process.chdir(before);
    }
  });
});
