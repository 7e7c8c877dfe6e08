// The fairness contract on the wire: one write per message in the default profile, and no delay at either end.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { callsPerProcess } from '../lib/conductor/strace-log.js';
import { sharedNowMs } from '../lib/launch/clock.js';
import { findOnPath } from '../lib/transport-kit/launcher.js';
import { launchCell } from './fixtures/launch-cell.js';

const strace = findOnPath('strace') ?? '';
const WITH_STRACE = { skip: strace === '' ? 'no strace on PATH' : false };
const EDGES = 0.03; // round trips that an end of the window cuts in two

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipcb-strace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * @param {Parameters<typeof launchCell>[0]} wish
 */
async function tracedLaunch(wish) {
  const { end, assignment } = await launchCell({
    ...wish,
    wrap: ({ execPath, execArgv }) => ({
      execPath: strace,
      execArgv: [
        '-ff',
        '-ttt',
        '-s',
        '0',
        '-e',
        'signal=none',
        '-o',
        join(folder, 'log'),
        '--',
        execPath,
        ...execArgv,
      ],
    }),
  });
  assert.ok(end.kind === 'done', JSON.stringify(end));
  const logs = readdirSync(folder).map((name) => ({
    threadId: Number(name.slice('log.'.length)),
    text: readFileSync(join(folder, name), 'latin1'),
  }));
  const { openMs, windowMs, roundTrips } = end.fields;
  const fromMs = openMs + Date.now() - sharedNowMs();
  const window = { fromMs, toMs: fromMs + windowMs, roundTrips };
  const { payloadBytes } = assignment.cell;
  return { logs, processes: callsPerProcess(withoutWakeUps(logs, payloadBytes), window) };
}

/** @param {Record<string, number>} calls */
const writesIn = (calls) =>
  ['write', 'writev', 'sendmsg', 'sendto'].reduce((sum, name) => sum + (calls[name] ?? 0), 0);

/**
 * @param {{ threadId: number, text: string }[]} logs
 * @param {number} payloadBytes
 * @returns {typeof logs} without the few bytes with which V8's threads wake each other
 */
const withoutWakeUps = (logs, payloadBytes) =>
  logs.map(({ threadId, text }) => ({
    threadId,
    text: text.replaceAll(/^.* write\(\d+, ""\.\.\., (\d+)\).*$/gm, (line, bytes) =>
      Number(bytes) < payloadBytes ? '' : line,
    ),
  }));

describe('with flush=direct', () => {
  for (const transport of ['pipe', 'unix', 'tcp']) {
    for (const payloadBytes of [100, 60_000]) {
      it(`${transport} writes once per message of ${payloadBytes} bytes`, WITH_STRACE, async () => {
        const { processes } = await tracedLaunch({
          transport: `../../transports/${transport}.js`,
          cell: { payloadBytes, workers: 1, loops: 2 },
        });
        assert.deepEqual(
          processes.map(({ name }) => name),
          ['master', 'w0'],
        );
        for (const { name, calls } of processes) {
          assert.ok(Math.abs(writesIn(calls) - 1) < EDGES, `${name}: ${JSON.stringify(calls)}`);
        }
      });
    }
  }
});

describe('TCP', () => {
  for (const [noDelay, ends] of /** @type {[boolean, number][]} */ ([
    [true, 2],
    [false, 0],
  ])) {
    it(`sets TCP_NODELAY at ${ends} ends with noDelay=${noDelay}`, WITH_STRACE, async () => {
      const { logs } = await tracedLaunch({
        transport: '../../transports/tcp.js',
        cell: { workers: 1, loops: 1, settings: { noDelay } },
      });
      const setters = logs.filter(({ text }) => /setsockopt\(\d+, SOL_TCP, TCP_NODELAY, \[1\]/.test(text));
      assert.equal(setters.length, ends);
    });
  }
});
