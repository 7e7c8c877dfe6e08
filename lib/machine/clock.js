// The monotonic clock that the processes of a launch share, which is its controller's, and this process's own, in which all
// differences are taken.

import { NS_PER_MS } from '../format/units.js';

let shiftMs = 0;

// A process that is starting may lose its CPU between two of them.
const READINGS = 5;

/** When this process, or thread, loaded this file: of its own system's clock. */
const FIRST_READ_MS = systemNowMs();

const OWN_ZERO_MS = zeroOfOwn();

/** @returns this system's clock at the zero of `performance.now()`: of several readings the one that nothing came between */
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

/** @returns milliseconds that this system shows: of the machine in Node, since its own start in other runtimes */
export function systemNowMs() {
  return Number(process.hrtime.bigint()) / NS_PER_MS;
}

/** @param {number} ms   to be added to this system's clock: the controller's is another one, and was compared with it */
export function shiftToShared(ms) {
  shiftMs = ms;
}

/** @returns milliseconds of the clock that the processes of a launch share */
export function sharedNowMs() {
  return systemNowMs() + shiftMs;
}

/** @returns when this process, or thread, loaded this file: of the clock that all share */
export function firstReadMs() {
  return FIRST_READ_MS + shiftMs;
}

/** @param {number} sharedMs @returns the same instant as `performance.now()` of this process gives it */
export function toOwnMs(sharedMs) {
  return sharedMs - shiftMs - OWN_ZERO_MS;
}

/** @param {number} ownMs @returns the same instant of the clock that all share */
export function toSharedMs(ownMs) {
  return ownMs + OWN_ZERO_MS + shiftMs;
}
