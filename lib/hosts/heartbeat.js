// Periodic checks whether an agent, a run or a Redis is alive. Missed heartbeats are counted and not timed, since a process receives nothing
// during a pause of its own.

/**
 * After this time without a heartbeat an agent, a run or a Redis counts as gone. On a host that starts a hundred processes on two CPUs, an
 * agent sometimes does not run for 3 s.
 */
export const HEARTBEAT_TIMEOUT_MS = 10_000;
export const HEARTBEAT_MS = 1_000;
export const CHECK_MS = 500;

/**
 * @param {number} intervalMs
 * @param {() => Promise<boolean>} check   called every `intervalMs`; returns whether there was a heartbeat. A rejection counts as none
 * @param {() => void} onTimeout   called after each HEARTBEAT_TIMEOUT_MS without a heartbeat
 * @returns {() => void} stops the checks
 */
export function watchHeartbeat(intervalMs, check, onTimeout) {
  let missed = 0;
  const timer = setInterval(async () => {
    missed += 1;
    if (missed % (HEARTBEAT_TIMEOUT_MS / intervalMs) === 0) onTimeout();
    if (await check().catch(() => false)) missed = 0;
  }, intervalMs);
  return () => clearInterval(timer);
}
