// What of a source was executed, out of the coverage that V8 writes.

/** @typedef {{ ranges: { startOffset: number, endOffset: number, count: number }[] }} V8Function */

/** @param {V8Function[]} functions   of a file; inner ranges say more than outer ones @returns {[number, number][]} */
export function executedStretches(functions) {
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  /** @type {[number, number][]} */
  const stretches = [];
  /** @type {typeof ranges} */
  const open = [];
  let from = 0;
  const upTo = (/** @type {number} */ to) => {
    const count = open.at(-1)?.count ?? 0;
    const last = stretches.at(-1);
    if (count > 0 && to > from) {
      if (last?.[1] === from) last[1] = to;
      else stretches.push([from, to]);
    }
    from = Math.max(from, to);
  };
  for (const range of ranges) {
    while (open.length > 0 && /** @type {typeof range} */ (open.at(-1)).endOffset <= range.startOffset) {
      upTo(/** @type {typeof range} */ (open.at(-1)).endOffset);
      open.pop();
    }
    upTo(range.startOffset);
    open.push(range);
  }
  for (let range = open.at(-1); range !== undefined; range = open.at(-1)) {
    upTo(range.endOffset);
    open.pop();
  }
  return stretches;
}
