// The machine's monotonic clock, which all processes share, and this process's own, in which all differences are taken.

/** @returns {number} milliseconds of the machine's monotonic clock */
export function sharedNowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** When this process, or thread, loaded this file: of the clock that all share. */
export const FIRST_READ_MS = sharedNowMs();

const OWN_ZERO_MS = FIRST_READ_MS - performance.now();

/**
 * @param {number} sharedMs
 * @returns {number} the same instant as `performance.now()` of this process gives it
 */
export function toOwnMs(sharedMs) {
  return sharedMs - OWN_ZERO_MS;
}

/**
 * @param {number} ownMs
 * @returns {number} the same instant on the machine's monotonic clock
 */
export function toSharedMs(ownMs) {
  return ownMs + OWN_ZERO_MS;
}
