// Runs in CI.
// The comparisons with independent programs, whose numbers `npm run bench:others` measures on a quiet machine.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const OTHERS = fileURLToPath(new URL('../bench/others.js', import.meta.url));
const SHORT = ['--pairs', '1', '--loops', '2', '--measure', '80', '--warmup', '50', '--payload', '100'];

/** @param {string[]} args */
const runOthers = (...args) => spawnSync(process.execPath, [OTHERS, ...args], { encoding: 'utf8' });

test('a row is measured beside a plain loop, and the table has both rates and their ratio', () => {
  const { stdout, stderr, status } = runOthers(...SHORT, '--only', 'process.send, pipe/json');
  assert.equal(status, 0, stderr);
  const row = stdout.split('\n').find((line) => line.includes('per second')) ?? '';
  const [ours, theirs, ratio] = row
    .split('|')
    .slice(-4, -1)
    .map((cell) => Number.parseFloat(cell.replaceAll(',', '')));
  for (const number of [ours, theirs, ratio]) assert.ok(number > 0, stdout);
});

test('a comparison whose tool is missing is skipped by name, with the remedy', () => {
  const { stdout, status } = spawnSync(process.execPath, [OTHERS, '--only', 'sockperf'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: '/nowhere' },
  });
  assert.equal(status, 0);
  assert.match(stdout, /sockperf.*skipped: .*apt install sockperf/);
});

test('options that select nothing or are no number are refused', () => {
  for (const [args, named] of /** @type {[string[], RegExp][]} */ ([
    [['--only', 'no such tool'], /--only no such tool/],
    [['--pairs', 'many'], /--pairs many/],
    [['--loops', '0'], /--loops 0/],
  ])) {
    const { stderr, status } = runOthers(...args);
    assert.equal(status, 2);
    assert.match(stderr, named);
  }
});
