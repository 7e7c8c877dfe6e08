// The end of a child process that has so long to live: it is told to leave, then killed.

const GRACE_MS = 1_000; // to clean up when it is told to leave, before it is killed

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {object} terms
 * @param {number} terms.lifeMs
 * @param {AbortSignal} terms.signal      it is not wanted any more
 * @param {() => void} terms.dismiss      tells it to leave, by whatever it takes for that
 * @param {Promise<string>} terms.ended   how it ended
 * @returns {Promise<string | null>} how; null: it was told to leave because its time was over
 */
export async function endInTime(child, { lifeMs, signal, dismiss, ended }) {
  let isLate = false;
  /** @type {NodeJS.Timeout | undefined} */
  let killing;
  const stop = () => {
    if (killing !== undefined) return; // its time was over, and it is not wanted any more: once is enough
    dismiss();
    killing = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  const deadline = setTimeout(() => {
    isLate = true;
    stop();
  }, lifeMs);
  signal.addEventListener('abort', stop, { once: true });
  const how = await ended;
  clearTimeout(deadline);
  clearTimeout(killing);
  signal.removeEventListener('abort', stop);
  return isLate ? null : how;
}
