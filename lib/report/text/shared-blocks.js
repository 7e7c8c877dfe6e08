// Launches of several rows that ran in the same blocks: disturbances of a block cancel in their ratios and differences.

/** @import { MeasuredLaunch } from '../../types/index.js' */

/**
 * @template T
 * @param {readonly { launches: readonly MeasuredLaunch[] }[]} rows   at least one
 * @param {(launch: MeasuredLaunch) => T | null} read   null leaves the launch out
 * @returns {T[][]} the values of each row in the blocks that all of them have, in the same order
 */
export function valuesOfSharedBlocks(rows, read) {
  const byBlock = rows.map(
    ({ launches }) =>
      new Map(
        launches.flatMap((launch) => {
          const value = read(launch);
          return value === null ? [] : [/** @type {[number, T]} */ ([launch.block, value])];
        }),
      ),
  );
  const blocks = [...byBlock[0].keys()].filter((block) => byBlock.every((values) => values.has(block)));
  return byBlock.map((values) => blocks.map((block) => /** @type {T} */ (values.get(block))));
}
