// Whether the other end of a connection still lives: an end that is silent for three seconds is gone. A connection that is cut does not
// report it, and a process that was stopped keeps its connections.

const QUIET_MS = 3_000;
const LOOK_MS = 500;

export class Heartbeat {
  /**
   * @param {() => void} ask      whether the other end lives
   * @param {() => void} onGone   each time that it has been quiet for so long, until `end`
   */
  constructor(ask, onGone) {
    this.quietMs = 0;
    this.asking = setInterval(ask, LOOK_MS);
    let lastMs = performance.now();
    this.looking = setInterval(() => {
      const nowMs = performance.now();
      // While this process itself stood still it received nothing: that does not count.
      this.quietMs += Math.min(nowMs - lastMs, 2 * LOOK_MS);
      lastMs = nowMs;
      if (this.quietMs < QUIET_MS) return;
      this.quietMs = 0;
      onGone();
    }, LOOK_MS);
    this.asking.unref();
    this.looking.unref();
  }

  /** Call it for each sign of life. */
  heard() {
    this.quietMs = 0;
  }

  end() {
    clearInterval(this.asking);
    clearInterval(this.looking);
  }
}
