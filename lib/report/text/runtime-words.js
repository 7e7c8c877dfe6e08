// Sentences that compare runtimes: each row of one runtime with the same row of another.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { THIS_NODE } from '../../cell/launch-roles.js';
import { counted, groupedBy, ifAny } from '../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { groupRows, isOpen } from './groups.js';
import { comparativesFor } from './measure-words.js';
import { NO_DIFFERENCE, TALLIED } from './ranking.js';
import { judgeIn } from './verdicts.js';

/** @import { Cell, Estimate, MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Verdict } from './verdicts.js' */
/** @typedef {{ runtime: string, base: string, first: MeasuredOutcome, rows: { ratio: Estimate, verdict: Verdict }[] }} Tally */

const FEWEST_ROWS = 2; // the ranking describes a single row
const MOST_GROUPS = 2;

/** @param {{ cell: { runtime?: string } }} outcome @returns {string} */
export function runtimeOfRow({ cell: { runtime = THIS_NODE } }) {
  return runtime;
}

/** @param {{ cell: Cell }} outcome @returns {string} label of the row without its runtime */
function rowOnAny({ cell }) {
  return seriesLabel({ ...cell, runtime: undefined });
}

/**
 * @param {MeasuredOutcome[]} measured   all of one group
 * @returns {Tally[]} one for each runtime with rows that the base has too. The base is the Node.js of ipc-bench, or else the first runtime
 */
function runtimeTallies(measured) {
  const byRuntime = groupedBy(measured, runtimeOfRow);
  const judge = judgeIn(measured);
  const [base, ...others] = byRuntime.has(THIS_NODE)
    ? [THIS_NODE, ...[...byRuntime.keys()].filter((name) => name !== THIS_NODE)]
    : byRuntime.keys();
  return others.flatMap((runtime) => {
    const own = byRuntime.get(runtime) ?? [];
    const rows = own.flatMap((outcome) => {
      const same = byRuntime.get(base)?.find((other) => rowOnAny(other) === rowOnAny(outcome));
      if (same === undefined) return [];
      const { ratio, verdict } = judge(outcome, same);
      return ratio === null ? [] : [{ ratio, verdict }];
    });
    return rows.length === 0 ? [] : [{ runtime, base, first: own[0], rows }];
  });
}

/** @param {Tally} tally @returns {string} 'bun is faster in 3 of 4 rows (1.21–1.48×), no clear difference in 1 (0.97×)' */
function tallyText({ runtime, first, rows }) {
  const { better, worse } = comparativesFor(headlineMeasure(first));
  const words = { better: `is ${better}`, worse: `is ${worse}`, unclear: NO_DIFFERENCE, none: 'no verdict' };
  const byVerdict = groupedBy(rows, ({ verdict }) => verdict);
  const texts = TALLIED.flatMap((verdict) => {
    const estimates = byVerdict.get(verdict)?.map(({ ratio }) => ratio.estimate);
    if (estimates === undefined) return [];
    const [least, greatest] = [Math.min(...estimates), Math.max(...estimates)];
    const span = least === greatest ? formatRatio(least) : formatRatioRange(least, greatest);
    return [{ words: `${words[verdict]} in ${estimates.length}`, span }];
  });
  const all = ` of ${counted(rows.length, 'row', 'rows')}`;
  return `${printable(runtime)} ${texts.map(({ words: claim, span }, place) => `${claim}${place === 0 ? all : ''} (${span})`).join(', ')}`;
}

/** @param {Tally[]} tallies @returns {Tally[]} one for each runtime, with its rows from all tallies that have the base of the first one */
function mergedTallies(tallies) {
  const alike = tallies.filter(({ base }) => base === tallies[0].base);
  const byRuntime = [...groupedBy(alike, ({ runtime }) => runtime).values()];
  return byRuntime.map((own) => ({ ...own[0], rows: own.flatMap(({ rows }) => rows) }));
}

/** @param {Results} results @returns {string[]} for each scenario a sentence per group, or one sentence if it has many groups */
export function runtimeSentences(results) {
  const groups = groupRows(results).flatMap((group) => {
    const tallies = isOpen(group) ? [] : runtimeTallies(group.measured);
    return tallies.length === 0
      ? []
      : [{ where: ` at ${group.place}`, scenario: group.cell.scenario, tallies }];
  });
  return [...groupedBy(groups, ({ scenario }) => scenario).values()].flatMap((own) => {
    const all = { where: ` in ${own.length} groups of rows`, tallies: own.flatMap(({ tallies }) => tallies) };
    return (own.length > MOST_GROUPS ? [all] : own).flatMap(({ where, tallies }) => {
      const judged = mergedTallies(tallies).filter(
        ({ rows }) => rows.length >= FEWEST_ROWS && rows.some(({ verdict }) => verdict !== 'none'),
      );
      return ifAny(
        judged,
        ([{ base }]) =>
          `Runtimes${where}, compared with ${printable(base)}: ${judged.map(tallyText).join('; ')}.`,
      );
    });
  });
}
