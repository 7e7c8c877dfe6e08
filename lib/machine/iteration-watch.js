// Measures how long an event loop works in its iterations, up to their last write and after it: by then the message is on its way, and its
// receiver works at the same time. It slows down the event loop.

import { performance } from 'node:perf_hooks';

export class IterationWatch {
  constructor() {
    /** Work until the last write, over all iterations with a write. */
    this.onTheWayMs = 0;
    /** Work after it, over the same iterations. */
    this.afterMs = 0;
    this.hasWritten = false;
    this.written = readWorkMs();
    this.marked = this.written;
    this.mark = this.mark.bind(this);
  }

  begin() {
    this.hasWritten = false;
    this.marked = readWorkMs();
    // At the end of an iteration, without keeping the event loop from waiting.
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

/** @returns ms that this event loop did not wait, from an arbitrary zero */
function readWorkMs() {
  return performance.now() - performance.nodeTiming.idleTime;
}
