// The conformance suite finds the faults it is there for: each faulty transport fails the test that is about its fault.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { IS_LONG } from '../conformance/long-form.js';

const FOLDER = new URL('../fixtures/transports/', import.meta.url);
const RUN_PATH = fileURLToPath(new URL('../fixtures/conformance-run.js', import.meta.url));

/** @type {Record<string, [title: string, message: RegExp][]>} */
const FAULTS = {
  // First, because it takes longest.
  'trusts-everybody': [
    ['carries any content unchanged', /is not what was sent/],
    [
      'turns unauthenticated peers away who say nothing in time',
      /turning away an unauthenticated peer .* did not happen/,
    ],
    ['turns an impostor away', /an impostor was given a channel/],
  ],
  'allows-any-size': [
    ['refuses a message from a worker that is larger', /refusing a message that is too large did not happen/],
    ['refuses a message from the host that is larger', /onClose did not happen/],
  ],
  'delivers-to-all': [
    ['gives each worker a channel of its own', /what was not meant for it was heard|is not what was sent/],
  ],
  'dies-of-intruders': [
    ['goes on unharmed when unauthenticated peers send garbage', /the host ended with exit code/],
  ],
  'drops-messages': [['keeps boundaries, and order unless it says otherwise', /is not what was sent/]],
  'keeps-a-timer': [['lets the host end by itself', /exit code 70: .* kept alive by: .*Timeout/]],
  'keeps-the-end-secret': [
    ['tells the host once, within a second, when a worker hangs up', /onClose of the host did not happen/],
    ['lets workers connect again and again', /\d+ channels whose end was not told/],
  ],
  'leaves-a-file': [['leaves no file, no port and no process', /the file master\.lock/]],
  'leaves-a-port': [
    ['can be reached from this machine only', /listen on every interface/],
    ['leaves no file, no port and no process', /the port \d+/],
  ],
  'never-asks-to-wait': [['asks to wait while the other end reads nothing', /never said false/]],
  'outlives-its-channel': [
    ['lets workers connect again and again', /w0: \d+ more of Timeout/],
    ['lets each worker end by itself', /exit code 70: .* kept alive by: .*Timeout/],
  ],
  'reorders-messages': [['keeps boundaries, and order unless it says otherwise', /is not what was sent/]],
  'tells-the-end-twice': [
    ['tells the host once, within a second, when a worker hangs up', /calls of onClose in the host/],
  ],
};

// What each of them fails, another one fails as well.
const LATER = ['leaves-a-file', 'reorders-messages', 'tells-the-end-twice'];
const isMet = (/** @type {string} */ name) => IS_LONG || !LATER.includes(name);

/**
 * @param {string} name         of a transport among the fixtures
 * @param {string[]} titles     of the tests to run; none: all
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<{ failed: boolean, output: string }>}
 */
function runSuite(name, titles, environment = {}) {
  const patterns = titles.map((title) => `--test-name-pattern=${title}`);
  const args = ['--test-reporter=tap', ...patterns, RUN_PATH, fileURLToPath(new URL(`${name}.js`, FOLDER))];
  // Under NODE_TEST_CONTEXT the child would report to our own runner.
  const { NODE_TEST_CONTEXT, CI, ...inherited } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...inherited, ...environment } }, (error, output) =>
      resolve({ failed: error !== null, output }),
    );
  });
}

/**
 * @param {string} output     in TAP
 * @param {string} title      the beginning of it
 * @returns {string} what is told of this failed test, '' if it did not fail
 */
function failureOf(output, title) {
  const [, details = ''] = output.split(new RegExp(`^ *not ok \\d+ - ${title}`, 'm'));
  return details.split(/^ *\.\.\.$/m)[0];
}

// They wait for deadlines most of the time.
describe('the conformance suite', { concurrency: 5 }, () => {
  for (const [name, failures] of Object.entries(FAULTS).filter(([name]) => isMet(name))) {
    it(`finds the fault of ${name}`, async () => {
      const { failed, output } = await runSuite(
        name,
        failures.map(([title]) => title),
      );
      assert.ok(failed, output);
      for (const [title, message] of failures) assert.match(failureOf(output, title), message);
    });
  }

  it('skips, by name, transports that are unavailable on this machine', async () => {
    const { failed, output } = await runSuite('lacks-a-library', []);
    assert.ok(!failed, output);
    assert.match(output, /# SKIP libmissing is missing/);
  });

  it('fails in CI if a transport is unavailable', async () => {
    const { failed, output } = await runSuite('lacks-a-library', [], { CI: '1' });
    assert.ok(failed, output);
    assert.match(output, /libmissing is missing/);
  });

  it('is tested with every faulty transport', () => {
    const files = readdirSync(FOLDER).map((file) => file.replace(/\.js$/, ''));
    assert.deepEqual(files.sort(), [...Object.keys(FAULTS), 'lacks-a-library'].sort());
  });
});
