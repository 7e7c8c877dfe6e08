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
