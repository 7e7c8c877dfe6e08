// Wrappers for a function that runs on failure, and for one that runs only once.

/**
 * Calls `undo` if `make` fails, for example to close a connection, which would keep the process alive.
 * @template Made
 * @param {() => unknown} undo
 * @param {() => Promise<Made> | Made} make
 */
export async function withRollback(undo, make) {
  try {
    return await make();
  } catch (error) {
    await undo();
    throw error;
  }
}

/** @template {any[]} Args @param {(...args: Args) => void} act @returns {(...args: Args) => void} */
export function onlyOnce(act) {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    act(...args);
  };
}
