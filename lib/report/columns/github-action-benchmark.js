// Cells as the list that github-action-benchmark reads with `tool: customBiggerIsBetter`.
// Source: the README of benchmark-action/github-action-benchmark, "customBiggerIsBetter".

import { headlineMeasure, isHigherBetter, readHeadline } from '../../cell/headline.js';
import { cellLabel } from '../../cell/labels.js';
import { formatInterval, hasRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isMeasured, isOpen } from '../text/groups.js';
import { hasUntrueLevel } from '../text/verdicts.js';

/** @import { Cell, MeasuredOutcome, Results } from '../../types/index.js' */

/** @param {MeasuredOutcome} outcome @returns {string} 'round trips/s' */
function formatUnit(outcome) {
  const { title, unit } = headlineMeasure(outcome);
  return printable(unit === 'per second' ? title.replace(/ per second$/, '/s') : `${title} ${unit}`);
}

/**
 * @param {Pick<Results, 'outcomes'>} results
 * @param {(cell: Cell) => string | null} [remarkOn] further text about a cell
 * @returns {string} JSON; nothing of open load, whose rate is planned, and of what was still warming up: a chart over
 *   commits would take it for slow
 */
export function githubActionBenchmarkText({ outcomes }, remarkOn = () => null) {
  const entries = outcomes.filter(isMeasured).flatMap((outcome) => {
    // The tool takes one direction for all: less of these is better.
    if (isOpen(outcome) || hasUntrueLevel(outcome) || !isHigherBetter(headlineMeasure(outcome))) return [];
    const { cell, flags } = outcome;
    const rate = readHeadline(outcome);
    const kind = rate.level === null ? 'range' : `${rate.level * 100} % interval`;
    const source = hasRange(rate) ? `${kind} of ${rate.n} launches` : '1 launch';
    const remark = remarkOn(cell);
    const extra = [
      `${formatInterval(rate)}, ${source}`,
      ...(flags.length === 0 ? [] : [`flags: ${flags.map(({ code }) => printable(code)).join(', ')}`]),
      ...(remark === null ? [] : [remark]),
    ];
    return [
      {
        name: printable(cellLabel(cell)),
        unit: formatUnit(outcome),
        value: rate.estimate,
        // Read back as a number behind the sign.
        range: `± ${((rate.high - rate.low) / 2).toFixed(1)}`,
        extra: extra.join('\n'),
      },
    ];
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
