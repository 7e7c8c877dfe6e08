// How long a launch may wait for each thing that it waits for, by what its cell is.

import { furtherConnections, loopsInAll } from '../cell/connections.js';
import { START_MS_PER_WORKER } from '../transport-kit/joining-time.js';

/** @import { Deadlines } from '../launch/assignment.js' */
/** @import { Cell, Timing } from '../types/index.js' */

const CONNECT_DEADLINE_MS = 15_000; // a fork takes 60 to 140 ms on a quiet core, many times that on a crowded one
const REPLY_DEADLINE_MS = 10_000; // autocannon gives a request as long
// A lost answer costs its loop as much. On one machine an answer comes some thousand times as fast.
const LOSSY_REPLY_DEADLINE_MS = 500;
const EXIT_DEADLINE_MS = 5_000;
const SLOW_CONNECTION_MS = 10; // a further one is made within 1 ms, and so many at once

const SLOW_BYTES_PER_MS = 5_000; // 5 MB/s: what even a loaded machine encodes, moves and verifies of large payloads
const SLOWEST_MESSAGE_MS = 50; // per loop: Nagle with delayed acknowledgements makes 40

/**
 * @param {Cell} cell
 * @param {Timing} timing
 * @param {{ mayLose: boolean, slowestOperationMs: number }} load   mayLose: messages may get lost; slowestOperationMs: that an operation
 *   takes at the least, if it rests in between
 * @returns {Deadlines}
 */
export function deadlinesOf(cell, timing, { mayLose, slowestOperationMs }) {
  const inFlightMs = (loopsInAll(cell) * cell.payloadBytes) / SLOW_BYTES_PER_MS;
  const replyMs = (mayLose ? LOSSY_REPLY_DEADLINE_MS : REPLY_DEADLINE_MS) + inFlightMs;
  const furtherMs = furtherConnections(cell) * SLOW_CONNECTION_MS;
  const connectMs = CONNECT_DEADLINE_MS + cell.workers * START_MS_PER_WORKER + inFlightMs + furtherMs;
  const exitMs = EXIT_DEADLINE_MS + furtherMs;
  const finishMs = replyMs + EXIT_DEADLINE_MS;
  const windowMs =
    timing.messages === null
      ? timing.measureMs
      : timing.messages * (Math.max(SLOWEST_MESSAGE_MS, slowestOperationMs) + inFlightMs);
  const warmupMs = timing.warmupMs ?? timing.maxWarmupMs;
  return {
    connectMs,
    replyMs,
    finishMs,
    exitMs,
    lifeMs: Math.ceil(connectMs + warmupMs + windowMs + finishMs + 2 * exitMs),
  };
}
