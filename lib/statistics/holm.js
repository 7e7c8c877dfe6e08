// Many comparisons at once: each p made as large as it must be for the chance of any false alarm to stay at the level.

/**
 * Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979).
 * @param {readonly number[]} ps
 * @returns {number[]} adjusted, in the same order
 */
export function holmAdjusted(ps) {
  const ascending = ps.map((p, index) => ({ p, index })).sort((left, right) => left.p - right.p);
  const adjusted = [...ps];
  let greatest = 0;
  for (const [step, { p, index }] of ascending.entries()) {
    greatest = Math.max(greatest, Math.min(1, (ps.length - step) * p));
    adjusted[index] = greatest;
  }
  return adjusted;
}
