// Whether the other end of a line still lives: it says so once a second, and an end that is silent for three seconds is gone. A line that is
// cut says nothing, and a process that was stopped keeps its connections.

const BEAT_MS = 1_000;
const QUIET_MS = 3_000;
const LOOK_MS = 500;

export class Heartbeat {
  /**
   * @param {() => void} beat     tells the other end that this one lives, or asks whether it does
   * @param {() => void} onGone   each time that it has been quiet for so long, until `end`
   * @param {number} [beatMs]
   */
  constructor(beat, onGone, beatMs = BEAT_MS) {
    this.quietMs = 0;
    this.beats = setInterval(beat, beatMs);
    let lastMs = performance.now();
    this.looks = setInterval(() => {
      const nowMs = performance.now();
      // While this process itself stood still it heard nothing: that does not count.
      this.quietMs += Math.min(nowMs - lastMs, 2 * LOOK_MS);
      lastMs = nowMs;
      if (this.quietMs < QUIET_MS) return;
      this.quietMs = 0;
      onGone();
    }, LOOK_MS);
    this.beats.unref();
    this.looks.unref();
  }

  /** Whatever it was. */
  heard() {
    this.quietMs = 0;
  }

  end() {
    clearInterval(this.beats);
    clearInterval(this.looks);
  }
}
