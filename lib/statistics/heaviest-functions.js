// Where the time of a .cpuprofile went: functions by their own time, without what they called.
// Format: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile

const SHOWN = 5;
const NOT_BUSY = ['(idle)', '(root)'];

/**
 * @param {{ nodes: { id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[], samples: number[], timeDeltas: number[] }} profile
 * @returns {{ name: string, share: number }[]} the five heaviest; share: of the time in which it was not idle
 */
export function heaviestFunctions({ nodes, samples, timeDeltas }) {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, nameOfFrame(callFrame)]));
  /** @type {Map<string, number>} */
  const timeOf = new Map();
  let busyUs = 0;
  for (const [index, id] of samples.entries()) {
    // A sample holds until the next one is taken.
    const us = Math.max(0, timeDeltas[index + 1] ?? 0);
    const name = nameOf.get(id) ?? '(unknown)';
    if (NOT_BUSY.includes(name)) continue;
    busyUs += us;
    timeOf.set(name, (timeOf.get(name) ?? 0) + us);
  }
  const sorted = [...timeOf].sort(([, left], [, right]) => right - left).slice(0, SHOWN);
  return busyUs === 0 ? [] : sorted.map(([name, us]) => ({ name, share: us / busyUs }));
}

/** @param {{ functionName: string, url: string, lineNumber: number }} frame */
function nameOfFrame({ functionName, url, lineNumber }) {
  const name = functionName === '' ? '(anonymous)' : functionName;
  const file = url.slice(url.lastIndexOf('/') + 1);
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`;
}
