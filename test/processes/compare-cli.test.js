// Runs always.

import assert from 'node:assert/strict';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { main } from '../../lib/cli/main.js';
import { errorText } from '../../lib/cli/process-io.js';
import { exitCodeFor } from '../../lib/errors.js';
import { buildResults } from '../fixtures/build-results.js';
import { capturedOutput } from '../fixtures/captured-output.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { Results } from '../../lib/types/index.js' */

const folder = ownFolder('compare-test-');
// The folder of the checkout may have runs of its own, which `compare` finds.
const home = process.cwd();
before(() => process.chdir(folder));
after(() => process.chdir(home));

/** @param {string} name @param {Results | string} content */
function saved(name, content) {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** @param {number} speed of tcp @param {number} seed */
function resultsOf(speed, seed) {
  const results = buildResults({ series: ['pipe/json', 'tcp/json'], launches: 10, seed });
  for (const outcome of results.outcomes) {
    if (outcome.status !== 'measured' || outcome.cell.transport !== 'tcp') continue;
    for (const launch of outcome.launches)
      launch.values.roundTripsPerSecond = speed * (launch.values.roundTripsPerSecond ?? 0);
  }
  return results;
}

const OLD = saved('old.json', resultsOf(1, 1));
const SAME = saved('same.json', resultsOf(1, 2));
const SLOWER = saved('slower.json', resultsOf(0.7, 2));

/**
 * As bin does it, without a process for each.
 * @param {string[]} args
 * @param {Record<string, string>} [environment]
 */
async function compare(args, environment = {}) {
  const { output, ...streams } = capturedOutput();
  const host = /** @type {any} */ ({ ...streams, environment, exitNow() {} });
  try {
    return { code: await main(['compare', ...args], host), ...output };
  } catch (error) {
    return { ...output, code: exitCodeFor(error), stderr: errorText(error) };
  }
}

describe('compare', () => {
  test('shows the table and the words', async () => {
    const { stdout, stderr } = await compare([OLD, SAME]);
    assert.match(stdout, /^Not interleaved/m);
    assert.match(stdout, /^2 cells compared, --min-effect 5 %: 2 same\.$/m);
    assert.equal(`${stdout}${stderr}`.includes('\u001b'), false);
  });

  // What the gate makes of each comparison is in test/unit/compare.test.js.
  for (const [args, expected, why = /^/] of /** @type {[string[], number, RegExp?][]} */ ([
    [[OLD, SAME], 0],
    [[OLD, SLOWER], 4, /Failed with exit code 4: --fail-on slower, and 1 of 2 cells is\.\n$/],
    [[OLD, SLOWER, '--fail-on', 'none'], 0],
    [[OLD, SLOWER, '--min-effect', '60%'], 0],
    [[SLOWER, OLD], 0],
    [[OLD, SAME, '--min-effect', '0.1%', '--fail-on', 'slower,inconclusive'], 5],
    [[OLD, SLOWER, '--control', 'tcp/json'], 5, /exit code 5: control tcp\/json moved/],
  ])) {
    test(`ends with ${expected}: ${args.join(' ').replaceAll(`${folder}/`, '')}`, async () => {
      const { code, stdout, stderr } = await compare(args);
      assert.equal(code, expected, stderr);
      assert.match(stdout, why);
    });
  }

  test('colours only where they are wanted', async () => {
    assert.ok((await compare([OLD, SLOWER], { FORCE_COLOR: '1' })).stdout.includes('\u001b[31m'));
    assert.equal((await compare([OLD, SLOWER], { NO_COLOR: '1' })).stdout.includes('\u001b'), false);
  });
});

describe('wrong command lines', () => {
  const cases = /** @type {[string[], RegExp][]} */ ([
    [
      [OLD],
      /compare takes two runs, not 1, and 0 of them can be found in this folder; name the old results.json and the new one/,
    ],
    [[OLD, SAME, SLOWER], /takes two runs, not 3; name/],
    [
      [OLD, 'mian'],
      /there is no file "mian", and no baseline of that name; npx ipc-bench --save-baseline mian saves/,
    ],
    [[OLD, OLD], /old\.json and .*old\.json hold the same run: name another run, or add --force/],
    [[OLD, SAME, '--worker', '1x1'], /unknown option --worker/],
    [
      [OLD, saved('other.json', buildResults({ series: ['zeromq/json'] }))],
      /no cell was measured in both: transport is pipe, tcp in old and zeromq in new/,
    ],
  ]);
  for (const [args, expected] of cases) {
    test(`end with 2 and one sentence: ${args
      .slice(1)
      .map((arg) => arg.replace(folder, ''))
      .join(' ')}`, async () => {
      const { code, stderr } = await compare(args);
      assert.equal(code, 2);
      assert.match(stderr, expected);
      assert.match(stderr, /^ipc-bench: [^\n]+$/);
    });
  }
});

describe('documents', () => {
  test('go to files, or one of them alone to stdout', async () => {
    const path = join(folder, 'comparison.md');
    const both = await compare([OLD, SLOWER, '--markdown', path, '--json', '-']);
    assert.equal(JSON.parse(both.stdout).rows.length, 2);
    assert.match(both.stderr, /Saved .*comparison\.md/);
    assert.match(both.stderr, /Failed with exit code 4/);
    assert.match(
      readFileSync(path, 'utf8'),
      /^<!-- ipc-bench compare -->\n## ipc-bench compare: 1 slower beyond 5 %, 1 same\n/,
    );
  });

  test('replace no file of somebody else, nor a link', async () => {
    const mine = saved('mine.txt', 'mine');
    const link = join(folder, 'link.txt');
    symlinkSync(mine, link);
    for (const path of [mine, link]) {
      const { code, stderr } = await compare([OLD, SAME, '--markdown', path]);
      assert.equal(code, 2);
      assert.match(stderr, /is not overwritten/);
    }
    assert.equal(readFileSync(mine, 'utf8'), 'mine');
  });

  test('for github-action-benchmark are a list of name, unit, value and a range that it reads back', async () => {
    const { stdout } = await compare([OLD, SLOWER, '--github-action-benchmark', '-', '--fail-on', 'none']);
    const entries = JSON.parse(stdout);
    assert.deepEqual(
      entries.map((/** @type {any} */ { name }) => name),
      ['pipe/json round-trip 2x4 1000 B split', 'tcp/json round-trip 2x4 1000 B split'],
    );
    for (const { unit, value, range, extra } of entries) {
      assert.equal(unit, 'round trips/s');
      assert.ok(Number.isFinite(value) && value > 0);
      // How its extractRangeInfo takes the text apart.
      assert.ok(Number.isFinite(Number(/(?:\+-|±)\s*(\d.+)/.exec(range)?.[1])));
      assert.match(extra, /of old: (same|slower beyond 5 %)$/);
    }
  });

  test('for benchstat have one line per launch, each side marked', async () => {
    const { stdout } = await compare([OLD, SAME, '--benchstat', '-']);
    const lines = stdout.split('\n');
    assert.equal(lines.filter((line) => line.startsWith('BenchmarkRoundTrip/')).length, 40);
    assert.deepEqual(
      lines.filter((line) => line.startsWith('side:')),
      ['side: old', 'side: new'],
    );
    assert.ok(lines.includes('Unit roundtrips/s better=higher'));
  });

  test('of a run are written by report as well', async () => {
    const { output, ...streams } = capturedOutput();
    const host = /** @type {any} */ ({ ...streams, environment: {}, exitNow() {} });
    assert.equal(await main(['report', OLD, '--benchstat', '-'], host), 0);
    const text = output.stdout;
    assert.match(text, /^pkg: ipc-bench@0\.1\.0\n/);
    assert.equal(await main(['report', OLD, '--github-action-benchmark', '-'], host), 0);
    assert.equal(JSON.parse(output.stdout.slice(text.length)).length, 2);
  });
});

describe('on GitHub Actions', () => {
  test('the summary of the step is added to, not replaced', async () => {
    const path = saved('summary.md', 'before\n');
    const { code } = await compare([OLD, SLOWER], { GITHUB_STEP_SUMMARY: path });
    assert.equal(code, 4);
    const text = readFileSync(path, 'utf8');
    assert.ok(
      text.startsWith(
        'before\n\n<!-- ipc-bench compare -->\n## ipc-bench compare: 1 slower beyond 5 %, 1 same\n',
      ),
    );
  });

  test('the summary stays within 1 MiB with what is there already', async () => {
    // A comparison without its tables has less than 2,000 bytes.
    const path = saved('summary.md', 'x'.repeat(2 ** 20 - 2_000));
    assert.doesNotMatch((await compare([OLD, SAME], { GITHUB_STEP_SUMMARY: path })).stderr, /summary/);
    assert.ok(statSync(path).size > 2 ** 20 - 2_000 && statSync(path).size <= 2 ** 20);
    const full = saved('summary.md', 'x'.repeat(2 ** 20));
    const { code, stderr } = await compare([OLD, SAME], { GITHUB_STEP_SUMMARY: full });
    assert.equal(code, 0);
    assert.match(stderr, /the summary of this step is full/);
    assert.equal(statSync(full).size, 2 ** 20);
  });

  test('a summary that cannot be written is no failure', async () => {
    const { code, stderr } = await compare([OLD, SAME], {
      GITHUB_STEP_SUMMARY: join(folder, 'none', 'x.md'),
    });
    assert.equal(code, 0);
    assert.match(stderr, /^ipc-bench: nothing was added to the summary of this step: ENOENT/);
  });

  test('what is slower and what is unlike becomes an annotation', async () => {
    const other = resultsOf(0.7, 3);
    other.environment.node = 'v22.1.0 100%';
    const { stderr } = await compare([OLD, saved('node22.json', other)], { GITHUB_ACTIONS: 'true' });
    assert.deepEqual(
      stderr.split('\n').map((line) => line.slice(0, 80)),
      [
        '::warning title=ipc-bench::tcp/json at 1,000 B, 2x4 is slower beyond 5 %25: new ',
        '::warning title=ipc-bench::Different environments: Node is v20.20.2 in old and v',
        '',
      ],
    );
    assert.equal((await compare([OLD, SLOWER])).stderr, '');
  });

  test('rows that are slower by less than the least effect are not annotated, however many', async () => {
    const made = (/** @type {number} */ seed, speed = 1) => {
      const series = ['pipe/json', 'unix/json', 'tcp/json', 'zeromq/json', 'redis-pubsub/json'];
      const results = buildResults({ series, launches: 10, seed });
      for (const outcome of results.outcomes)
        if (outcome.status === 'measured')
          for (const { values } of outcome.launches)
            values.roundTripsPerSecond = speed * (values.roundTripsPerSecond ?? 0);
      return results;
    };
    const files = [saved('five-old.json', made(1)), saved('five-new.json', made(2, 0.7))];
    const annotated = async (/** @type {string} */ least) =>
      (await compare([...files, '--min-effect', least], { GITHUB_ACTIONS: 'true' })).stderr.match(/slower/g);
    assert.equal((await annotated('5%'))?.length, 4, 'three rows, and the number of others');
    assert.equal(await annotated('43%'), null);
  });

  test('no name from a results file becomes a command to the runner', async () => {
    const made = (/** @type {number} */ seed) => {
      const results = resultsOf(1, seed);
      results.outcomes[0].cell.transport = '::stop-commands::x';
      results.outcomes[1].cell.transport = '##[error]x';
      return results;
    };
    const files = [saved('command-old.json', made(1)), saved('command-new.json', made(2))];
    const { stdout } = await compare(files, { GITHUB_ACTIONS: 'true' });
    assert.match(stdout, /stop-commands/);
    assert.doesNotMatch(stdout, /^\s*::|##\[/m);
  });
});
