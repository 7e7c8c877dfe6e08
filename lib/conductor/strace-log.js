// What strace wrote about a launch (`-ff -ttt`: a file for each thread, wall-clock times) → calls per round trip of the
// master and of each worker, within the window.

/** @typedef {{ threadId: number, text: string }} ThreadLog */

const CALL = /^(\d+\.\d+) (\w+)\(/;
const BIRTH = /^\d+\.\d+ (?:clone3?|v?fork)\((.*)\) += (\d+)/gm;

/**
 * @param {ThreadLog[]} logs
 * @param {{ fromMs: number, toMs: number, roundTrips: number }} window   of the wall clock
 * @returns {import('../types.js').SyscallCounts['processes']} the master first, then its workers in the order of their start
 */
export function callsPerProcess(logs, { fromMs, toMs, roundTrips }) {
  const births = logs.flatMap(({ threadId, text }) =>
    [...text.matchAll(BIRTH)].map(([line, how, child]) => ({
      ...{ parent: threadId, child: Number(child), at: Number.parseFloat(line) },
      isThread: how.includes('CLONE_THREAD'),
    })),
  );
  const birthOf = new Map(births.map((birth) => [birth.child, birth]));
  const processOf = (/** @type {number} */ threadId) => {
    let id = threadId;
    for (let birth = birthOf.get(id); birth?.isThread; birth = birthOf.get(id)) id = birth.parent;
    return id;
  };
  const workers = births.filter(({ isThread }) => !isThread).sort((left, right) => left.at - right.at);
  const names = new Map(workers.map(({ child }, index) => [child, `w${index}`]));
  /** @type {Map<string, Map<string, number>>} */
  const counts = new Map(['master', ...names.values()].map((name) => [name, new Map()]));
  for (const { threadId, text } of logs) {
    const calls = /** @type {Map<string, number>} */ (counts.get(names.get(processOf(threadId)) ?? 'master'));
    for (const line of text.split('\n')) {
      const [, at, call] = CALL.exec(line) ?? [];
      if (call === undefined || Number(at) * 1_000 < fromMs || Number(at) * 1_000 >= toMs) continue;
      calls.set(call, (calls.get(call) ?? 0) + 1);
    }
  }
  // What only helped to start the launch, behind its workers, has ended before the window.
  const present = [...counts].filter(([, calls]) => calls.size > 0);
  return present.map(([name, calls]) => ({
    name,
    calls: Object.fromEntries(
      [...calls]
        .sort(([, left], [, right]) => right - left)
        .map(([call, count]) => [call, count / roundTrips]),
    ),
  }));
}
