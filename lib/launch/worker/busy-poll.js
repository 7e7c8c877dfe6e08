// How a process waits without sleeping: its event loop turns all the time, so that no message has to wake it. It takes
// a whole core, and what is left is the cost of the mechanism itself.

/** @returns {() => void} to be called when it may sleep again; until then the process cannot end by itself */
export function busyPollLoop() {
  let isTurning = true;
  const turn = () => {
    if (isTurning) setImmediate(turn);
  };
  turn();
  return () => {
    isTurning = false;
  };
}
