// Watches the turns of an event loop, for how long it is at work until the last write of a turn, and for how long beyond: by
// then the message is on its way, and whoever it wakes works at the same time. It slows down what it watches.

import { performance } from 'node:perf_hooks';
import { noteSocketWrites } from '../transport-kit/socket-writes.js';

/** @import { Channel } from '../types/transports.js' */

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

  /** Transports may write later in the turn in which they are asked to send. */
  begin() {
    noteSocketWrites(() => this.noteWrite());
    this.hasWritten = false;
    this.marked = atWork();
    // After what has come is dealt with, and without keeping the event loop from its sleep.
    setImmediate(this.mark).unref();
  }

  /** @param {Pick<Channel, 'send'>} channel   from now on each message that is sent by it is noted */
  watch(channel) {
    const send = channel.send.bind(channel);
    channel.send = (wire) => {
      const goesOn = send(wire);
      this.noteWrite();
      return goesOn;
    };
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

/** @returns {number} ms for which this event loop did not wait so far, counted from an instant of no meaning */
function atWork() {
  return performance.now() - performance.nodeTiming.idleTime;
}
