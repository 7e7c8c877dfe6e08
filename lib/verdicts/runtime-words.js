// What the same rows say of two runtimes: each row of one is held against the same row of the other.

import { headlineMeasureOf } from '../cell/headline.js';
import { seriesLabel } from '../cell/labels.js';
import { THIS_NODE } from '../cell/runtime-text.js';
import { counted, groupedBy } from '../words/lists.js';
import { formatRatio, formatRatioRange } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { groupsOf, isOpen } from './groups.js';
import { comparativesOf, comparedNoun } from './measure-words.js';
import { heldAgainst } from './verdicts.js';

/** @import { Estimate } from '../types/launches.js' */
/** @import { MeasuredOutcome } from '../types/outcomes.js' */
/** @import { Results } from '../types/results-file.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Verdict } from './verdicts.js' */
/** @typedef {{ ratio: Estimate, verdict: Verdict }} Held */
/** @typedef {{ runtime: string, base: string, first: MeasuredOutcome, rows: Held[] }} Tally */

const FEWEST_ROWS = 2; // one row alone is told like any other
const ORDER = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);

/** @param {{ cell: { runtime?: string } }} outcome @returns {string} as it is written: this Node is one as well */
export function runtimeOfRow({ cell: { runtime = THIS_NODE } }) {
  return runtime;
}

/** @param {{ cell: Cell }} outcome @returns {string} its row, on whichever runtime */
export function rowOnAny({ cell }) {
  return seriesLabel({ ...cell, runtime: undefined });
}

/**
 * @param {MeasuredOutcome[]} measured   of one group
 * @returns {Tally[]} one for each runtime beside the first
 */
export function runtimeTallies(measured) {
  const byRuntime = groupedBy(measured, runtimeOfRow);
  const [base, ...others] = byRuntime.has(THIS_NODE)
    ? [THIS_NODE, ...[...byRuntime.keys()].filter((name) => name !== THIS_NODE)]
    : byRuntime.keys();
  return others.flatMap((runtime) => {
    const own = byRuntime.get(runtime) ?? [];
    const rows = own.flatMap((outcome) => {
      const same = byRuntime.get(base)?.find((each) => rowOnAny(each) === rowOnAny(outcome));
      if (same === undefined) return [];
      const { ratio, verdict } = heldAgainst(outcome, same);
      return ratio === null ? [] : [{ ratio, verdict }];
    });
    return rows.length === 0 ? [] : [{ runtime, base, first: own[0], rows }];
  });
}

/** @param {Tally} tally @returns {string} 'bun more round trips in 3 of 4 rows (1.21–1.48×), cannot tell in 1 (0.97×)' */
function tallyText({ runtime, first, rows }) {
  const { better, worse } = comparativesOf(headlineMeasureOf(first));
  const noun = comparedNoun(first);
  const words = { better: better + noun, worse: worse + noun, unclear: 'cannot tell', none: 'no verdict' };
  const parts = ORDER.flatMap((verdict) => {
    const some = rows.filter((row) => row.verdict === verdict);
    return some.length === 0 ? [] : [{ word: words[verdict], some }];
  });
  const texts = parts.map(
    ({ word, some }, place) =>
      `${word} in ${some.length}${place === 0 ? ` of ${counted(rows.length, 'row', 'rows')}` : ''} (${spanOf(some)})`,
  );
  return `${printable(runtime)} ${texts.join(', ')}`;
}

/** @param {Tally[]} tallies   at least one @returns {string} 'beside node: bun more round trips in 4 of 4 rows (1.21–1.48×); deno fewer in ...' */
export function talliesText(tallies) {
  return `beside ${printable(tallies[0].base)}: ${tallies.map(tallyText).join('; ')}`;
}

/** @param {Held[]} rows @returns {string} from the least to the greatest estimate */
function spanOf(rows) {
  const estimates = rows.map(({ ratio }) => ratio.estimate);
  const [least, greatest] = [Math.min(...estimates), Math.max(...estimates)];
  return least === greatest ? formatRatio(least) : formatRatioRange(least, greatest);
}

/** @param {Results} results @returns {string[]} one for each group of rows that several runtimes played */
export function runtimeSentences(results) {
  return groupsOf(results).flatMap((group) => {
    if (isOpen(group)) return [];
    const tallies = runtimeTallies(group.measured).filter(({ rows }) => rows.length >= FEWEST_ROWS);
    return tallies.length === 0 ? [] : [`Across runtimes at ${group.place}, ${talliesText(tallies)}.`];
  });
}
