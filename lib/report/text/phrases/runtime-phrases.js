// Phrases that compare runtimes.

import { counted, groupedBy } from '../../../format/lists.js';
import { formatRatioRange } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { readMeasure } from '../measure-words.js';
import { atHeading, TALLIED, verdictWords } from './ranking-phrases.js';

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const RUNTIME_PHRASES = {
  /** 'bun compared with node at 1,000 B, 2x4: faster in 3 of 4 rows (1.21–1.48×), no clear difference in 1 (0.97×).' */
  runtimes(finding) {
    const { rows, against } = finding;
    const words = verdictWords(readMeasure(finding));
    return [...groupedBy(rows, ({ names }) => String(names?.runtime))].map(([runtime, own]) => {
      const byVerdict = groupedBy(own, ({ verdict }) => verdict);
      const texts = TALLIED.flatMap((verdict) => {
        const estimates = byVerdict.get(verdict)?.map(({ ratio }) => Number(ratio?.estimate));
        return estimates
          ? [[`${words[verdict]} in ${estimates.length}`, `(${formatRatioRange(estimates)})`]]
          : [];
      });
      const [[first, range], ...others] = texts;
      const tally = [
        `${first} of ${counted(own.length, 'row', 'rows')} ${range}`,
        ...others.map((text) => text.join(' ')),
      ];
      return `${printable(runtime)} compared with ${printable(against ?? '')}${atHeading(finding)}: ${tally.join(', ')}.`;
    });
  },
};
