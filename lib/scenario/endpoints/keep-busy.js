// Work for a message, as the event loop feels it: nothing else runs meanwhile.

/** @param {number} ms */
export function keepBusy(ms) {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
