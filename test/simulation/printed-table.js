// The tables of `npm run simulate`.

/** @param {number} share @param {number} [digits] */
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

/** @param {string} title @param {string[]} head @param {string[][]} rows */
export function print(title, head, rows) {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length)));
  const lineOf = (/** @type {string[]} */ texts) =>
    texts
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  console.log(`${[title, '', lineOf(head), ...rows.map(lineOf)].join('\n')}\n`);
}
