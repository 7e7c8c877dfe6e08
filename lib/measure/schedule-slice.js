// Schedules a slice of the load of one process: the meter opens and closes at its ends, and the functions of `ends` and of the endpoint are
// called at these instants.

/** @import { Endpoint, LoadClock } from '../types/index.js' */

/**
 * @param {LoadClock} meter
 * @param {{ fromMs: number, toMs: number, binMs: number }} window   on the clock of this process
 * @param {Pick<Endpoint, 'opened' | 'closed'>} endpoint   of this process
 * @param {{ onOpen: () => void, onCounted: () => void, onClose: () => void }} ends
 */
export function scheduleSlice(meter, window, endpoint, { onOpen, onCounted, onClose }) {
  meter.schedule({
    ...window,
    onOpen() {
      onOpen();
      endpoint.opened?.();
    },
    onCounted,
    onClose() {
      onClose();
      endpoint.closed?.();
    },
  });
  // If no message arrives at an end of the slice, nothing else reads the clock at that time.
  for (const atMs of [window.fromMs, window.toMs]) if (atMs !== Infinity) meter.tickAt(atMs);
}
