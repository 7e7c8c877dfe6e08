// What was opened before something failed is closed again: an open connection would keep the process from ending.

/**
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

// For what several ends may ask for, and only the first is to be done.

/**
 * @template {any[]} Args
 * @param {(...args: Args) => void} act
 * @returns {(...args: Args) => void}
 */
export function onlyOnce(act) {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    act(...args);
  };
}
