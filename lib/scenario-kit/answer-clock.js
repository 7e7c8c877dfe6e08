// The meter as an asker sees it whose answers are no operations of their own: their loop counts those itself.

/** @import { Meter } from './meter.js' */

class AnswerClock {
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
export function answerClock(meter) {
  return /** @type {Meter} */ (/** @type {unknown} */ (new AnswerClock(meter)));
}
