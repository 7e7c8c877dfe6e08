// Runs at night.
// Tests that the conformance suite detects faults: each faulty transport fails the tests of its fault.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FAULTS } from '../fixtures/faulty-unix.js';

const FAULTY_URL = new URL('../fixtures/faulty-unix.js', import.meta.url);
const RUN_PATH = fileURLToPath(new URL('../fixtures/conformance-run.js', import.meta.url));

/** @type {Record<string, [title: string, message: RegExp][]>} */
const EXPECTED = {
  // First, because it takes the longest.
  'checks-no-token': [
    ['carries any content unchanged', /is not what was sent/],
    [
      'rejects unauthenticated peers that send nothing in time',
      /the rejection of an unauthenticated peer .* did not happen/,
    ],
    ['rejects and counts a peer without the token', /a peer without the token got a channel/],
  ],
  'accepts-any-size': [
    [
      'rejects a message from a worker that is larger',
      /the rejection of a message that is too large did not happen .*; compare each message with maxMessageBytes/,
    ],
    [
      'rejects a message from the host that is larger',
      /onClose did not happen .*; compare each message with maxMessageBytes/,
    ],
  ],
  'delivers-to-all': [
    ['gives each worker a channel of its own', /a message for another channel arrived|is not what was sent/],
  ],
  'fails-after-noise': [['continues when unauthenticated peers send noise', /the host ended with exit code/]],
  'drops-messages': [
    ['preserves boundaries, and order unless declared otherwise', /is not what was sent.* loss: 'possible'/],
  ],
  'keeps-master-alive': [['does not keep the host alive', /exit code 70: .* kept alive by: .*Timeout/]],
  'never-closes': [
    [
      'closes the end of the host once, within a second, when a worker closes twice',
      /onClose of the host did not happen/,
    ],
    ['permits several connections of a worker at once', /\d+ channels whose end was reported never or twice/],
  ],
  'leaves-a-file': [['leaves no file, port or process', /the file master\.lock/]],
  'leaves-a-port': [
    ['is reachable from this machine only', /listen on every interface/],
    ['leaves no file, port or process', /the port \d+/],
  ],
  'never-full': [
    [
      'reports backpressure while the other end reads nothing',
      /never returned false; .* traits\.loss: 'possible'/,
    ],
  ],
  'keeps-worker-alive': [
    ['permits several connections of a worker at once', /w0: \d+ more of Timeout/],
    ['does not keep a worker alive', /exit code 70: .* kept alive by: .*Timeout/],
  ],
  'reorders-messages': [
    ['preserves boundaries, and order unless declared otherwise', /is not what was sent.* order: 'free'/],
  ],
  'closes-twice': [
    [
      'closes the end of the host once, within a second, when a worker closes twice',
      /calls of onClose in the host/,
    ],
  ],
};

/**
 * @param {string} name         of a fault
 * @param {string[]} titles     of the tests to run; none: all
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<{ failed: boolean, output: string }>}
 */
function runSuite(name, titles, environment = {}) {
  const patterns = titles.map((title) => `--test-name-pattern=${title}`);
  const args = ['--test-reporter=tap', ...patterns, RUN_PATH, `${FAULTY_URL.href}?fault=${name}`];
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
 * @returns {string} the report of this failed test, '' if it did not fail
 */
function failureOf(output, title) {
  const [, details = ''] = output.split(new RegExp(`^ *not ok \\d+ - ${title}`, 'm'));
  return details.split(/^ *\.\.\.$/m)[0];
}

// Most of their time is spent waiting for deadlines.
describe('the conformance suite', { concurrency: 5 }, () => {
  for (const [name, failures] of Object.entries(EXPECTED)) {
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
    const { failed, output } = await runSuite('unavailable', []);
    assert.ok(!failed, output);
    assert.match(output, /# SKIP libmissing is missing/);
  });

  it('fails in CI if a transport is unavailable', async () => {
    const { failed, output } = await runSuite('unavailable', [], { CI: '1' });
    assert.ok(failed, output);
    assert.match(output, /libmissing is missing/);
  });

  it('is tested with every faulty transport', () => {
    assert.deepEqual(Object.keys(FAULTS).sort(), [...Object.keys(EXPECTED), 'unavailable'].sort());
  });
});
