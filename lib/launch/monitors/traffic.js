// Counts the messages and bytes that pass a broker per operation, and the packets that the delay line of an emulated network carries in the
// window. The traffic of a broker is counted over the whole load, or over the warm-up of a launch in slices, so that the end of a window
// cuts no operation.

import { readFileSync } from 'node:fs';
import { withDeadline } from '../../children/with-deadline.js';
import { NS_PER_US } from '../../format/units.js';
import { cpuMsUsed } from '../../machine/process-cost.js';
import { sum } from '../../statistics/sum.js';

/** @import { TrafficGauge, BrokerTraffic, Monitor, NetworkUse, Transport } from '../../types/index.js' */
/** @import { NetworkFacts } from '../../machine/delay-line.js' */
/** @import { LaunchNetwork } from '../launch-spec.js' */

// Limits each call that reads the counters of the broker. After it, the traffic is unknown, which is no error: if the broker hangs, the
// launch fails anyway, since messages are missing.
const ANSWER_DEADLINE_MS = 2_000;

/** @implements {Monitor<BrokerTraffic | null>} */
export class TrafficMonitor {
  /**
   * @param {Transport} transport
   * @param {string | null} brokerUrl   null for transports without a broker
   * @param {() => number} readOperations   returns the number of operations so far
   */
  constructor({ broker }, brokerUrl, readOperations) {
    this.open = async () => (brokerUrl === null ? undefined : broker?.openGauge?.(brokerUrl));
    this.readOperations = readOperations;
    /** Reads the counters of the broker; null if closed or unreadable, undefined without one. @type {TrafficGauge | null | undefined} */
    this.gauge = null;
    this.operationsBefore = 0;
    /** Traffic per operation; null before `end` has read it. @type {BrokerTraffic | null} */
    this.traffic = null;
  }

  async begin() {
    const opening = this.open();
    // The user of an external broker may lack the right to read its counters, which the launch does not need.
    this.gauge = await inTime(opening);
    if (this.gauge === null) opening.then((late) => late?.close()).catch(() => {});
    this.operationsBefore = this.readOperations();
  }

  /** Reads the counters and closes the connection of the gauge, which would keep the process alive. Further calls have no effect. */
  async end() {
    const { gauge } = this;
    this.gauge = null;
    const operations = this.readOperations() - this.operationsBefore;
    const passed = await inTime(gauge?.passed());
    gauge?.close().catch(() => {});
    if (passed === null || operations === 0) return;
    const { published, delivered, bytes } = passed;
    this.traffic = {
      published: published / operations,
      delivered: delivered === null ? null : delivered / operations,
      bytes: bytes / operations,
    };
  }

  /** @returns traffic per operation; null without operations or readable counters */
  report() {
    return this.traffic;
  }
}

/**
 * @template T
 * @param {Promise<T> | undefined} answer
 * @returns {Promise<T | null>} null if there is no answer, or if it fails or takes longer than ANSWER_DEADLINE_MS
 */
async function inTime(answer) {
  if (answer === undefined) return null;
  return withDeadline(
    answer.catch(() => null),
    ANSWER_DEADLINE_MS,
    () => null,
  );
}

/**
 * @typedef {{ atMs: number, cpuMs: number | null, counters: number[] }} NetworkReading   cpuMs: CPU time of the delay line so far; null if
 *   unknown
 */

const COUNTER_BYTES = 8;
// Layout of the counters in delay-line.c: carried packets, dropped packets, total lateness in ns, and the number of packets for each step
// of 5 µs of lateness.
const SUMS = 3;
const STEP_US = 5;
const HIGH = 0.99; // quantile of the lateness

/** @param {Pick<LaunchNetwork, 'pid' | 'countersPath'>} network @returns {NetworkReading} */
export function readNetwork({ pid, countersPath }) {
  const bytes = readFileSync(countersPath);
  const counters = Array.from({ length: bytes.length / COUNTER_BYTES }, (_, index) =>
    Number(bytes.readBigUInt64LE(index * COUNTER_BYTES)),
  );
  return { atMs: performance.now(), cpuMs: cpuMsUsed(pid), counters };
}

/**
 * @param {NetworkFacts} facts
 * @param {NetworkReading | null} from
 * @param {NetworkReading | null} to
 * @returns {NetworkUse | undefined} undefined without both readings
 */
export function networkUse(facts, from, to) {
  if (from === null || to === null) return undefined;
  const passed = to.counters.map((count, index) => count - from.counters[index]);
  const [carriedPackets, droppedPackets, lateNs] = passed;
  const late = passed.slice(SUMS);
  const packets = Math.max(1, sum(late));
  let below = 0;
  const step = late.findIndex((count) => {
    below += count;
    return below >= HIGH * packets;
  });
  const cpuMs = from.cpuMs === null || to.cpuMs === null ? 0 : to.cpuMs - from.cpuMs;
  return {
    ...facts,
    carriedPackets,
    droppedPackets,
    meanLateUs: lateNs / packets / NS_PER_US,
    p99LateUs: (step + 1) * STEP_US,
    share: cpuMs / (to.atMs - from.atMs),
  };
}
