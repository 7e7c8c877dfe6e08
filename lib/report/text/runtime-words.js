// How runtimes compare: each row of one is compared with the same row of the other.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { THIS_NODE } from '../../cell/launch-roles.js';
import { counted, groupedBy } from '../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { groupRows, isOpen } from './groups.js';
import { comparativesFor } from './measure-words.js';
import { NO_DIFFERENCE, TALLIED } from './ranking.js';
import { judgeIn } from './verdicts.js';

/** @import { Cell, Estimate, MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Verdict } from './verdicts.js' */
/** @typedef {{ ratio: Estimate, verdict: Verdict, why: string }} Held   why: there is no verdict */
/** @typedef {{ runtime: string, base: string, first: MeasuredOutcome, rows: Held[] }} Tally */

const FEWEST_ROWS = 2; // one row alone is told like any other
const GREATEST_GROUPS_TOLD = 2;

/** @param {{ cell: { runtime?: string } }} outcome @returns {string} as it is written: this Node is one as well */
export function runtimeOfRow({ cell: { runtime = THIS_NODE } }) {
  return runtime;
}

/** @param {{ cell: Cell }} outcome @returns {string} its row, on whichever runtime */
function rowOnAny({ cell }) {
  return seriesLabel({ ...cell, runtime: undefined });
}

/**
 * @param {MeasuredOutcome[]} measured   of one group
 * @returns {Tally[]} one for each runtime beside the first
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
      const same = byRuntime.get(base)?.find((each) => rowOnAny(each) === rowOnAny(outcome));
      if (same === undefined) return [];
      const { ratio, verdict, why } = judge(outcome, same);
      return ratio === null ? [] : [{ ratio, verdict, why }];
    });
    return rows.length === 0 ? [] : [{ runtime, base, first: own[0], rows }];
  });
}

/** @param {Tally} tally @returns {string} 'bun is faster in 3 of 4 rows (1.21–1.48×), no clear difference in 1 (0.97×)' */
function tallyText({ runtime, first, rows }) {
  const { better, worse } = comparativesFor(headlineMeasure(first));
  const words = { better: `is ${better}`, worse: `is ${worse}`, unclear: NO_DIFFERENCE, none: 'no verdict' };
  const parts = TALLIED.flatMap((verdict) => {
    const some = rows.filter((row) => row.verdict === verdict);
    return some.length === 0 ? [] : [{ word: words[verdict], some }];
  });
  const texts = parts.map(
    ({ word, some }, place) =>
      `${word} in ${some.length}${place === 0 ? ` of ${counted(rows.length, 'row', 'rows')}` : ''} (${formatSpan(some)})`,
  );
  return `${printable(runtime)} ${texts.join(', ')}`;
}

/** @param {Tally[]} tallies   at least one @returns {string} 'compared with node: bun is faster in 4 of 4 rows (1.21–1.48×); deno is slower in ...' */
function talliesText(tallies) {
  return `compared with ${printable(tallies[0].base)}: ${tallies.map(tallyText).join('; ')}`;
}

/** @param {Held[]} rows @returns {string} from the least to the greatest estimate */
function formatSpan(rows) {
  const estimates = rows.map(({ ratio }) => ratio.estimate);
  const [least, greatest] = [Math.min(...estimates), Math.max(...estimates)];
  return least === greatest ? formatRatio(least) : formatRatioRange(least, greatest);
}

/** @param {Tally[]} tallies @returns {Tally[]} one for each runtime beside the base of the first: all its rows together */
function mergedTallies(tallies) {
  const alike = tallies.filter(({ base }) => base === tallies[0].base);
  const byRuntime = [...groupedBy(alike, ({ runtime }) => runtime).values()];
  return byRuntime.map((some) => ({ ...some[0], rows: some.flatMap(({ rows }) => rows) }));
}

/** @param {Tally} tally @returns {boolean} some row has a verdict */
function hasVerdict({ rows }) {
  return rows.some(({ verdict }) => verdict !== 'none');
}

/** @param {Results} results @returns {string[]} how the runtimes compare; a sentence for each of a few groups, one for many */
export function runtimeSentences(results) {
  const groups = groupRows(results).flatMap((group) => {
    const tallies = isOpen(group) ? [] : runtimeTallies(group.measured);
    return tallies.length === 0
      ? []
      : [{ where: ` at ${group.place}`, scenario: group.cell.scenario, tallies }];
  });
  return [...groupedBy(groups, ({ scenario }) => scenario).values()].flatMap((some) => {
    const all = {
      where: ` in ${some.length} groups of rows`,
      tallies: some.flatMap(({ tallies }) => tallies),
    };
    const told = some.length > GREATEST_GROUPS_TOLD ? [all] : some;
    return told.flatMap(({ where, tallies }) => {
      const sayable = mergedTallies(tallies).filter(
        (tally) => tally.rows.length >= FEWEST_ROWS && hasVerdict(tally),
      );
      return sayable.length === 0 ? [] : [`Runtimes${where}, ${talliesText(sayable)}.`];
    });
  });
}
