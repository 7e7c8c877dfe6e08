// How long an end that finds its ring empty goes on looking before it sleeps. Whether that pays is learned from how the
// last tries ended, as KVM does for idle CPUs (Linux, Documentation/virt/kvm/halt-polling.rst): where no message ever
// comes in time, hardly anything is tried any more.

const MOST_SKIPS = 1_024; // a try of 200 µs costs 0.2 µs a wait then

export class Patience {
  /** @param {number} spinUs     0: sleeps as soon as nothing is there */
  constructor(spinUs) {
    this.spinMs = spinUs / 1_000;
    this.isTrying = false;
    this.endMs = 0;
    this.failures = 0;
    this.skips = 0;
  }

  /**
   * Asked once per turn of the event loop.
   * @param {boolean} came     something was there
   * @returns {boolean} it is time to sleep
   */
  isSpent(came) {
    if (came) {
      if (this.isTrying) this.failures = 0;
      this.isTrying = false;
      return false; // what was given to loops may have made them send: the answer can be there already
    }
    if (this.spinMs === 0) return true;
    if (this.isTrying) return this.isTryOver();
    if (this.skips > 0) {
      this.skips -= 1;
      return true;
    }
    this.isTrying = true;
    this.endMs = performance.now() + this.spinMs;
    return false;
  }

  isTryOver() {
    if (performance.now() < this.endMs) return false;
    this.isTrying = false;
    this.failures += 1;
    this.skips = Math.min(2 ** this.failures, MOST_SKIPS);
    return true;
  }
}
