// Detects silence of the other end of a connection. A connection that is cut reports no error, and a stopped process keeps its connections
// open.

/**
 * After this silence an agent, a run or a Redis counts as gone. On a host that starts a hundred processes on two CPUs, an agent sometimes
 * does not run for 3 s.
 */
export const SILENCE_MS = 10_000;
const LOOK_MS = 500;

export class Heartbeat {
  /**
   * @param {() => void} probe   called every 500 ms; calls `beat` when the other end responds
   * @param {() => void} onSilence   called after each 10 s of silence, until `end`
   */
  constructor(probe, onSilence) {
    this.silentMs = 0;
    this.probing = setInterval(probe, LOOK_MS);
    let lastMs = performance.now();
    this.looking = setInterval(() => {
      const nowMs = performance.now();
      // At most 1 s of a pause of the event loop counts, since this process receives nothing meanwhile.
      this.silentMs += Math.min(nowMs - lastMs, 2 * LOOK_MS);
      lastMs = nowMs;
      if (this.silentMs < SILENCE_MS) return;
      this.silentMs = 0;
      onSilence();
    }, LOOK_MS);
    this.probing.unref();
    this.looking.unref();
  }

  beat() {
    this.silentMs = 0;
  }

  end() {
    clearInterval(this.probing);
    clearInterval(this.looking);
  }
}
