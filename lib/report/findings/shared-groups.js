// Launches of several rows that ran in the same groups: disturbances of a group cancel in their ratios and differences.

/** @import { MeasuredLaunch } from '../../types/index.js' */

/**
 * @template T
 * @param {readonly { launches: readonly MeasuredLaunch[] }[]} rows   at least one
 * @param {(launch: MeasuredLaunch) => T | null} read   null leaves the launch out
 * @returns {T[][]} the values of each row in the groups that all of them have, in the same order
 */
export function valuesOfSharedGroups(rows, read) {
  const byGroup = rows.map(
    ({ launches }) =>
      new Map(
        launches.flatMap((launch) => {
          const value = read(launch);
          return value === null ? [] : [[launch.group, value]];
        }),
      ),
  );
  const groups = [...byGroup[0].keys()].filter((group) => byGroup.every((values) => values.has(group)));
  return byGroup.map((values) => groups.map((group) => /** @type {T} */ (values.get(group))));
}
