// Runs at night.
// The fairness contract on the wire: one write per message in the default profile, and no delay at either end; and what
// the settings make of it that are there to be compared with it.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { HEADER_BYTES } from '../../lib/channels/framing.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { sharedNowMs } from '../../lib/machine/clock.js';
import { callsPerProcess } from '../../lib/run/diagnostics/strace.js';
import { launchCell } from '../fixtures/launch-cell.js';

const strace = findOnPath('strace') ?? '';
const WITH_STRACE = { skip: strace === '' ? 'no strace on PATH' : false };
const SELDOM = 0.2; // per round trip, as are all numbers of calls
const TURN_MS = 10; // so often a blocking end hears its orders
// Of each loop: what is counted for each of them does not depend on how many others compute meanwhile.
const MESSAGES = 250;
const LARGE_MESSAGES = 25;
// What strace does not stop at costs next to nothing. Not every machine has all of these calls.
const TRACED = [
  ...['write', 'writev', 'sendmsg', 'sendto', 'read', 'epoll_wait', 'epoll_pwait', 'setsockopt'],
  ...['clone', 'clone3', 'fork', 'vfork'],
].map((name) => `?${name}`);
const EDGES = 0.03; // the window is known to a millisecond

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipcb-strace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * @param {Parameters<typeof launchCell>[0]} wish
 */
async function tracedLaunch(wish) {
  const isLarge = Number(wish.cell?.payloadBytes) >= 1_000_000;
  const { end, spec } = await launchCell({
    timing: { warmupMs: 100, messages: isLarge ? LARGE_MESSAGES : MESSAGES },
    deadlines: { replyMs: 20_000, finishMs: 30_000 },
    ...wish,
    wrap: ({ command, args }) => ({
      command: strace,
      args: [
        ...['-ff', '--seccomp-bpf', '-ttt', '-s', '0', '-e', 'signal=none'],
        ...['-e', `trace=${TRACED.join()}`, '-o', join(folder, 'log')],
        ...['--', command, ...args],
      ],
    }),
  });
  assert.ok(end.kind === 'done', JSON.stringify(end));
  const logs = readdirSync(folder).map((name) => ({
    threadId: Number(name.slice('log.'.length)),
    text: readFileSync(join(folder, name), 'latin1'),
  }));
  const { openMs, windowMs, operations } = end.fields;
  const fromMs = openMs + wallClockAheadMs();
  const window = { fromMs, toMs: fromMs + windowMs, operations };
  const { payloadBytes, loops } = spec.cell;
  return {
    logs,
    processes: callsPerProcess(withoutWakeUps(logs, payloadBytes), window),
    heads: callsPerProcess(onlyHeads(logs), window),
    // Round trips that an end of the window cuts in two.
    edges: EDGES + loops / operations,
    turns: windowMs / TURN_MS / operations,
  };
}

/** @returns {number} of the clock that the processes share; others may compute between two readings, seldom between all */
function wallClockAheadMs() {
  const readings = Array.from({ length: 50 }, () => {
    const beforeMs = sharedNowMs();
    const aheadMs = Date.now() - beforeMs;
    return { aheadMs, tookMs: sharedNowMs() - beforeMs };
  });
  return readings.reduce((best, each) => (each.tookMs < best.tookMs ? each : best)).aheadMs;
}

const WRITES = ['write', 'writev', 'sendmsg', 'sendto'];

/** @param {Record<string, number>} calls */
const writesIn = (calls) => WRITES.reduce((sum, name) => sum + (calls[name] ?? 0), 0);

/**
 * @param {{ threadId: number, text: string }[]} logs
 * @param {number} payloadBytes
 * @returns {typeof logs} without the few bytes with which V8's threads wake each other
 */
const withoutWakeUps = (logs, payloadBytes) =>
  logs.map(({ threadId, text }) => ({
    threadId,
    text: text.replaceAll(/^.* write\(\d+, ""\.\.\., (\d+)\).*$/gm, (line, bytes) =>
      Number(bytes) < payloadBytes && Number(bytes) !== HEADER_BYTES ? '' : line,
    ),
  }));

/**
 * @param {{ threadId: number, text: string }[]} logs
 * @returns {typeof logs} only what wrote the head of a frame and nothing else
 */
const onlyHeads = (logs) =>
  logs.map(({ threadId, text }) => ({
    threadId,
    text: text
      .split('\n')
      .filter(
        (line) =>
          / clone3?\(/.test(line) || new RegExp(` write\\(\\d+, ""\\.{3}, ${HEADER_BYTES}\\)`).test(line),
      )
      .join('\n'),
  }));

/** @type {[string, number][]} a pipe holds 64 KiB: larger messages need more writes */
const SMALL_ENOUGH = [
  ...['pipe', 'unix', 'tcp', 'fifo', 'websocket'].map(
    (name) => /** @type {[string, number]} */ ([name, 100]),
  ),
  ...['pipe', 'unix', 'tcp', 'websocket'].map((name) => /** @type {[string, number]} */ ([name, 60_000])),
];

describe('with flush=direct', () => {
  for (const [transport, payloadBytes] of SMALL_ENOUGH) {
    it(`${transport} writes once per message of ${payloadBytes} bytes`, WITH_STRACE, async () => {
      const { processes, edges } = await tracedLaunch({
        transport,
        cell: { payloadBytes, workers: 1, loops: 2 },
      });
      assert.deepEqual(
        processes.map(({ name }) => name),
        ['master', 'w0'],
      );
      for (const { name, calls } of processes) {
        assert.ok(Math.abs(writesIn(calls) - 1) < edges, `${name}: ${JSON.stringify(calls)}`);
      }
    });
  }
});

// Of large messages: a buffer that is nearly full takes one in two parts now and then.
const IN_PARTS = 0.2;

describe('with flush=split', () => {
  for (const transport of ['unix', 'tcp', 'fifo']) {
    for (const payloadBytes of [100, 60_000, 1_000_000]) {
      it(
        `${transport} writes the head of a message of ${payloadBytes} bytes by itself`,
        WITH_STRACE,
        async () => {
          const { processes, heads, edges } = await tracedLaunch({
            transport,
            cell: { payloadBytes, workers: 1, loops: 2, settings: { flush: 'split' } },
          });
          assert.equal(heads.length, 2);
          for (const { name, calls } of heads) {
            assert.ok(Math.abs(writesIn(calls) - 1) < edges, `heads of ${name}: ${JSON.stringify(calls)}`);
          }
          if (!SMALL_ENOUGH.some(([name, bytes]) => name === transport && bytes === payloadBytes)) return;
          // Each message that an end of the window cuts has two writes.
          for (const { name, calls } of processes) {
            const writes = writesIn(calls);
            assert.ok(
              writes > 2 - 2 * edges && writes < 2 + 2 * edges + IN_PARTS,
              `${name}: ${JSON.stringify(calls)}`,
            );
          }
        },
      );
    }
  }
});

describe('with blocking=true', () => {
  it(
    'the worker of fifo writes its requests and waits in read(), without its event loop',
    WITH_STRACE,
    async () => {
      const { processes, turns } = await tracedLaunch({
        transport: 'fifo',
        cell: { workers: 1, loops: 1, settings: { blocking: true } },
      });
      const { calls } = processes[1];
      const polls = (calls.epoll_wait ?? 0) + (calls.epoll_pwait ?? 0);
      assert.ok(polls < SELDOM + turns, JSON.stringify(calls));
      assert.ok(Math.abs(calls.read - 1) < SELDOM + turns, JSON.stringify(calls));
    },
  );
});

describe('TCP', () => {
  for (const [noDelay, ends] of /** @type {[string, number][]} */ ([
    ['true', 2],
    ['master', 1],
    ['worker', 1],
    ['false', 0],
  ])) {
    it(`sets TCP_NODELAY at ${ends} ends with noDelay=${noDelay}`, WITH_STRACE, async () => {
      const { logs } = await tracedLaunch({
        transport: 'tcp',
        cell: { workers: 1, loops: 1, settings: { noDelay } },
        timing: { messages: 10, warmupMs: 0 },
      });
      const setters = logs.filter(({ text }) => /setsockopt\(\d+, SOL_TCP, TCP_NODELAY, \[1\]/.test(text));
      assert.equal(setters.length, ends);
    });
  }
});
