// Converts between two clocks: the shared clock of a launch, which is the monotonic clock of its controller, and performance.now() of this
// process, with which differences are computed.

import { NS_PER_MS } from '../format/units.js';

let shiftMs = 0;

const READINGS = 5; // The fastest one counts, since a starting process may lose its CPU within others.

/** Instant at which this process or thread loaded this file, on the system's clock. */
const FIRST_READ_MS = systemNowMs();

const OWN_ZERO_MS = zeroOfOwn();

/** @returns the system's clock at the zero of `performance.now()`, from the fastest of several readings */
function zeroOfOwn() {
  let [leastMs, zeroMs] = [Infinity, 0];
  for (let reading = 0; reading < READINGS; reading += 1) {
    const beforeMs = performance.now();
    const systemMs = systemNowMs();
    const tookMs = performance.now() - beforeMs;
    if (tookMs < leastMs) [leastMs, zeroMs] = [tookMs, systemMs - beforeMs - tookMs / 2];
  }
  return zeroMs;
}

/** @returns milliseconds since the start of the machine in Node, or of the process in other runtimes */
export function systemNowMs() {
  return Number(process.hrtime.bigint()) / NS_PER_MS;
}

/** @param {number} ms   time of the controller's clock minus time of the clock of this process, if they differ */
export function shiftToShared(ms) {
  shiftMs = ms;
}

export function sharedNowMs() {
  return systemNowMs() + shiftMs;
}

/** @returns instant at which this process or thread loaded this file, on the shared clock */
export function firstReadMs() {
  return FIRST_READ_MS + shiftMs;
}

/** @param {number} sharedMs @returns the same instant on the clock of `performance.now()` */
export function toOwnMs(sharedMs) {
  return sharedMs - shiftMs - OWN_ZERO_MS;
}

/** @param {number} ownMs   on the clock of `performance.now()` @returns the same instant on the shared clock */
export function toSharedMs(ownMs) {
  return ownMs + OWN_ZERO_MS + shiftMs;
}
