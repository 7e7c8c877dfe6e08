// What is still to be done when this process, or the thread that calls, ends without having done it in good order: at a
// second Ctrl-C, by process.exit or by an error that nobody caught. All of it has to be synchronous.

/** @type {Set<() => void>} */
const works = new Set();

/** @param {() => void} work @returns {() => void} takes it back: it was done in good order */
export function atExit(work) {
  if (works.size === 0) process.on('exit', workOff);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off('exit', workOff);
  };
}

function workOff() {
  for (const work of works) {
    try {
      work();
    } catch {
      // What is left is removed by the next run.
    }
  }
}
