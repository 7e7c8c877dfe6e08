// A process of a launch never outlives the one that started it. Where the kernel can see to that (pdeathsig, set at
// the fork) even a blocked process ends; these are the other means: the end of the fork channel, and a life span.

const CLEAN_UP_DEADLINE_MS = 1_000;

/**
 * @param {object} settings
 * @param {number} settings.lifeMs                  a process that is older ends itself
 * @param {() => Promise<unknown> | undefined} [settings.cleanUp]   what would stay behind otherwise; given a second
 * @returns {() => void} to be called when this process is about to leave in good order
 */
export function endWithParent({ lifeMs, cleanUp }) {
  const end = async () => {
    await Promise.race([cleanUp?.(), new Promise((resolve) => setTimeout(resolve, CLEAN_UP_DEADLINE_MS))]);
    // Nobody is left to read an exit code, and a handle that still waits must not keep this process.
    process.kill(process.pid, 'SIGKILL');
  };
  process.on('disconnect', end);
  const life = setTimeout(end, lifeMs);
  life.unref();
  return () => {
    process.off('disconnect', end);
    clearTimeout(life);
  };
}
