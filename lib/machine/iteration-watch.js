// Watches the turns of an event loop, for how long it is at work until the last write of a turn, and for how long beyond: by
// then the message is on its way, and the process that it wakes works at the same time. It slows down what it watches.

import { performance } from 'node:perf_hooks';

export class TurnWatch {
  constructor() {
    /** At work until the last write, of all turns that wrote. */
    this.onTheWayMs = 0;
    /** At work beyond, of the same turns. */
    this.afterMs = 0;
    this.hasWritten = false;
    this.written = atWork();
    this.marked = this.written;
    this.mark = this.mark.bind(this);
  }

  begin() {
    this.hasWritten = false;
    this.marked = atWork();
    // After what has come is dealt with, and without keeping the event loop from its sleep.
    setImmediate(this.mark).unref();
  }

  noteWrite() {
    this.hasWritten = true;
    this.written = atWork();
  }

  mark() {
    const now = atWork();
    if (this.hasWritten) {
      this.onTheWayMs += this.written - this.marked;
      this.afterMs += now - this.written;
      this.hasWritten = false;
    }
    this.marked = now;
    setImmediate(this.mark).unref();
  }
}

/** @returns ms for which this event loop did not wait so far, counted from an instant of no meaning */
function atWork() {
  return performance.now() - performance.nodeTiming.idleTime;
}
