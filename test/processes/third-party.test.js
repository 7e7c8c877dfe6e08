// Runs in CI.
// A package of somebody else's, in a folder of its own, with a transport, a codec, a scenario and a report: found by name
// or by path, measured, drawn, and proven by the same suites as ours. And nothing is loaded that nobody named.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codecLook } from '../../lib/report/charts/style/palette.js';
import { transportClass } from '../../lib/report/findings/transport-kinds.js';
import { readResults } from '../../lib/results/read.js';
import { callCli, makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { examplesOf, PAGES_WITH_EXAMPLES } from '../fixtures/refresh-docs.js';

const HOUSE = fileURLToPath(new URL('../..', import.meta.url));
const EXTRAS = fileURLToPath(new URL('../fixtures/extras', import.meta.url));
const QUICK =
  '--workers 1x2 --launches 1 --warmup 30ms --messages 100 --no-controls --placement free --seed 1';
const EXAMPLE_MAX_LINES = 70;
// Some of each suite: ours are proven by all of it.
const PROVEN =
  'codec commas|carries any content|larger than the cell|own channel|channel of its own|leaves no file|states what it is|by itself';

const workspace = makeWorkspace();
after(() => workspace.remove());
const modules = join(workspace.folder, 'node_modules');
mkdirSync(modules);
symlinkSync(HOUSE, join(modules, 'ipc-bench'));
cpSync(EXTRAS, join(modules, 'ipc-bench-extras'), { recursive: true });
cpSync(EXTRAS, join(workspace.folder, 'own parts'), { recursive: true });
// It ends whatever process loads it.
const bomb = join(modules, 'ipc-bench-bomb');
mkdirSync(bomb);
writeFileSync(
  join(bomb, 'package.json'),
  '{ "name": "ipc-bench-bomb", "main": "index.js", "keywords": ["ipc-bench"] }',
);
writeFileSync(join(bomb, 'index.js'), 'process.exit(99);');

/** @param {(part: string) => string} name @param {string} [ours]   transports that go beside */
const naming = (name, ours = '') => [
  ...['--transport', `${ours}${name('transport')}`, '--codec', name('codec')],
  ...['--scenario', name('scenario'), '--report', `${name('report')}=lines.txt`],
];

/** @param {string} test   text of a module @param {string} [pattern]   of the names of tests @returns {Promise<string>} TAP */
async function runSuite(test, pattern = '') {
  writeFileSync(join(workspace.folder, 'suite.test.mjs'), test);
  // With NODE_TEST_CONTEXT it would report to the test runner around it.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const args = ['--test-reporter=tap', '--test-name-pattern', pattern, 'suite.test.mjs'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: workspace.folder, env }).catch(
    (failure) => failure,
  );
  return stdout;
}

describe('a package of somebody else', () => {
  const byName = naming((part) => `ipc-bench-extras/${part}`, 'unix,');
  const byPath = naming((part) => `./own parts/${part}.js`);
  for (const [how, named, expected] of /** @type {[string, string[], string[]][]} */ ([
    ['beside ours when it is named', byName, ['unix/commas', 'mine/commas']],
    ['by itself when its files are named', [...byPath, '--no-charts'], ['mine/commas']],
  ])) {
    it(`is measured ${how}`, async () => {
      const more = `${QUICK} --reference ${expected[0]} --out out --force`;
      const { code, stdout, stderr } = await startCli([...named, ...more.split(' ')], workspace).ended;
      assert.equal(code, 0, stderr);
      for (const name of ['mine', 'commas', 'pairs', 'lines']) {
        assert.match(stderr, new RegExp(`^${name} is loaded from file://`, 'm'));
      }
      assert.match(stdout, /mine\/commas/);
      const lines = readFileSync(join(workspace.folder, 'lines.txt'), 'utf8').trimEnd().split('\n');
      const rows = lines.map((line) => line.split(' ')[0]);
      assert.deepEqual(rows, expected);
      for (const line of lines) assert.match(line, / \d+$/);
      const results = await readResults(join(workspace.folder, 'out', 'results.json'));
      assert.equal(transportClass(results, { transport: 'mine', settings: {} }), 'socket');
      assert.deepEqual(codecLook(results, 'commas'), { fill: 'bricks', dash: [4, 2] });
      assert.deepEqual(workspace.leftovers(), []);
    });
  }

  it('is told what is wrong with a report before anything is measured', async () => {
    writeFileSync(join(workspace.folder, 'bad.js'), 'export default { name: "bad" };\n');
    const wrong = await callCli(`${QUICK} --transport unix --report ./bad.js=x --out never`, workspace);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /report \.\/bad\.js .*\n.*summary is missing[\s\S]*render is missing/);
    assert.ok(!existsSync(join(workspace.folder, 'never')));
    for (const [value, why] of [
      ['./bad.js', /is not a report and its path; write \.\/mine\.js=FILE/],
      ['csv=x', /csv is built in; write --csv x/],
      ['./none.js=x', /there is no file/],
    ]) {
      const refused = await callCli(`${QUICK} --report ${value} --out never`, workspace);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /** @type {RegExp} */ (why));
    }
  });

  it('is proven by the suites that ours are proven by', async () => {
    const test = `import { describeCodec } from 'ipc-bench/conformance/codec';
      import { describeTransport } from 'ipc-bench/conformance/transport';
      import codec from 'ipc-bench-extras/codec';
      await describeCodec(codec);
      for (const name of ['transport', 'ndjson'])
        await describeTransport(new URL(import.meta.resolve('ipc-bench-extras/' + name)));`;
    const stdout = await runSuite(test, PROVEN);
    assert.match(stdout, /^# fail 0$/m);
    assert.match(stdout, /^# pass (1[5-9]|[2-9]\d)$/m);
  });

  it('reads which property a codec without lengths has to declare', async () => {
    const test = `import { describeCodec } from 'ipc-bench/conformance/codec';
      import { checkedMessage } from 'ipc-bench/codec';
      const codec = {
        name: 'spaces', summary: 'id and payload', produces: 'text', encode: ({ id, payload }) => id + ' ' + payload,
        decode(wire) {
          const [, id, payload] = /^(\\d{1,10}) (.*)$/s.exec(wire) ?? [];
          return checkedMessage(Number(id), payload);
        },
      };
      await describeCodec(codec);
      await describeCodec({ ...codec, name: 'declared', trustsLength: true });`;
    const stdout = await runSuite(test, 'truncated|after a wire');
    assert.match(stdout, /^# fail 2$/m);
    assert.equal(stdout.match(/error: .* declare trustsLength: true/g)?.length, 2, stdout);
  });

  it('proves its pool by the suite of pools', async () => {
    const test = `import { describePool } from 'ipc-bench/conformance/pool';
      await describePool(import.meta.resolve('ipc-bench-extras/pool'));`;
    const stdout = await runSuite(test);
    assert.match(stdout, /^# fail 0$/m);
    assert.match(stdout, /^# pass [1-9]\d$/m);
  });
});

describe('the worked examples', () => {
  it('stand in README.md and docs/ as they are tested', () => {
    const pages = PAGES_WITH_EXAMPLES.map(examplesOf);
    for (const { shown, refreshed } of pages) {
      assert.equal(shown, refreshed, 'an example is of yesterday: run node test/fixtures/refresh-docs.js');
    }
    const parts = ['transport', 'ndjson', 'codec', 'scenario', 'report'];
    assert.deepEqual(
      pages.flatMap(({ files }) => files),
      parts.map((part) => `test/fixtures/extras/${part}.js`),
    );
  });

  it('are short', () => {
    for (const name of readdirSync(EXTRAS)) {
      const lines = readFileSync(join(EXTRAS, name), 'utf8').trimEnd().split('\n');
      assert.ok(lines.length <= EXAMPLE_MAX_LINES, name);
    }
  });
});
