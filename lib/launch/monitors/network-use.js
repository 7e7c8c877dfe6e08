// What the delay line of a launch has done, read at the two ends of its window: what it carried, how late it was, and what it
// took of a core.

import { readFileSync } from 'node:fs';
import { NS_PER_US } from '../../format/units.js';
import { cpuMsUsed } from '../../machine/cpu-time.js';
import { sum } from '../../statistics/sum.js';

/** @import { NetworkFacts } from '../../machine/delay-line.js' */
/** @import { NetworkUse } from '../../types/index.js' */
/** @import { LaunchNetwork } from '../assignment.js' */
/** @typedef {{ atMs: number, cpuMs: number | null, counters: number[] }} NetworkReading */

const COUNTER_BYTES = 8;
// As delay-line.c lays them out: carried, dropped, lateness in all, and packets by steps of their lateness.
const SUMS = 3;
const STEP_US = 5;
const HIGH = 0.99;

/** @param {Pick<LaunchNetwork, 'pid' | 'countersPath'>} network @returns {NetworkReading} */
export function readNetwork({ pid, countersPath }) {
  const bytes = readFileSync(countersPath);
  const counters = Array.from({ length: bytes.length / COUNTER_BYTES }, (_, place) =>
    Number(bytes.readBigUInt64LE(place * COUNTER_BYTES)),
  );
  return { atMs: performance.now(), cpuMs: cpuMsUsed(pid), counters };
}

/**
 * @param {NetworkFacts} facts
 * @param {NetworkReading | null} from
 * @param {NetworkReading | null} to
 * @returns {NetworkUse | undefined}
 */
export function networkUse(facts, from, to) {
  if (from === null || to === null) return undefined;
  const passed = to.counters.map((count, place) => count - from.counters[place]);
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
