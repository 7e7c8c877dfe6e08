// The meter as an requester sees it whose answers are no operations of their own: their loop counts those itself.

/** @import { Meter } from '../load/meter.js' */

class ResponseClock {
  /** @param {Meter} meter */
  constructor(meter) {
    this.meter = meter;
    this.isFresh = false;
  }

  get isOver() {
    return this.meter.isOver;
  }

  stamp() {
    return performance.now();
  }

  count() {}
}

/** @param {Meter} meter @returns {Meter} which no answer is counted by */
export function responseClock(meter) {
  return /** @type {Meter} */ (/** @type {unknown} */ (new ResponseClock(meter)));
}
