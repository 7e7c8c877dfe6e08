// Measures the work of event-loop iterations before and after their last write, after which the receiver of the message works in parallel.
// Watching slows down the event loop.

import { performance } from 'node:perf_hooks';

export class IterationWatch {
  constructor() {
    /** Work until the last write, summed over all iterations with a write. */
    this.onTheWayMs = 0;
    /** Work after the last write, summed over the same iterations. */
    this.afterMs = 0;
    this.hasWritten = false;
    this.written = readWorkMs();
    this.marked = this.written;
    this.mark = this.mark.bind(this);
  }

  begin() {
    this.hasWritten = false;
    this.marked = readWorkMs();
    // Runs after the poll phase of each iteration. Unreferenced, so that the poll phase can block.
    setImmediate(this.mark).unref();
  }

  onWrite() {
    this.hasWritten = true;
    this.written = readWorkMs();
  }

  mark() {
    const now = readWorkMs();
    if (this.hasWritten) {
      this.onTheWayMs += this.written - this.marked;
      this.afterMs += now - this.written;
      this.hasWritten = false;
    }
    this.marked = now;
    setImmediate(this.mark).unref();
  }
}

/** @returns ms in which this event loop did not wait, with an arbitrary zero */
function readWorkMs() {
  return performance.now() - performance.nodeTiming.idleTime;
}
