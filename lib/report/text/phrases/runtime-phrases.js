// Phrases that compare runtimes.

import { counted, groupedBy } from '../../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { comparativesFor, readMeasure } from '../measure-words.js';
import { NO_DIFFERENCE, TALLIED } from './ranking-phrases.js';

/** @import { FoundRow, MeasureFacts } from '../../../types/index.js' */

/**
 * @param {string} runtime
 * @param {FoundRow[]} rows
 * @param {MeasureFacts} measure
 * @returns {string} 'bun is faster in 3 of 4 rows (1.21–1.48×), no clear difference in 1 (0.97×)'
 */
function tallyText(runtime, rows, measure) {
  const { better, worse } = comparativesFor(measure);
  const words = { better: `is ${better}`, worse: `is ${worse}`, unclear: NO_DIFFERENCE, none: 'no verdict' };
  const byVerdict = groupedBy(rows, ({ verdict }) => verdict);
  const texts = TALLIED.flatMap((verdict) => {
    const estimates = byVerdict.get(verdict)?.map(({ ratio }) => Number(ratio?.estimate));
    if (estimates === undefined) return [];
    const [least, greatest] = [Math.min(...estimates), Math.max(...estimates)];
    const span = least === greatest ? formatRatio(least) : formatRatioRange(least, greatest);
    return [{ claim: `${words[verdict]} in ${estimates.length}`, span }];
  });
  const all = ` of ${counted(rows.length, 'row', 'rows')}`;
  return `${printable(runtime)} ${texts.map(({ claim, span }, index) => `${claim}${index === 0 ? all : ''} (${span})`).join(', ')}`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const RUNTIME_PHRASES = {
  /** 'Runtimes at 1,000 B, 2x4, compared with node: bun is faster in 3 of 4 rows (1.21–1.48×).' */
  runtimes({ group, rows, against, measure }) {
    const where = group === null ? '' : ` at ${group.heading},`;
    const byRuntime = groupedBy(rows, ({ names }) => String(names?.runtime));
    const texts = [...byRuntime].map(([runtime, own]) => tallyText(runtime, own, readMeasure({ measure })));
    return [`Runtimes${where} compared with ${printable(against ?? '')}: ${texts.join('; ')}.`];
  },
};
