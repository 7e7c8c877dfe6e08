// Phrases on what disturbed a run, on faults that most rows share, and on groups without ratios.

import { capitalised, counted, listed } from '../../../format/lists.js';
import { formatCount, pauseText } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { faultText, findFlag } from '../../../format/result-flags.js';
import { scopeText } from './limit-phrases.js';

const MAX_HEADINGS = 2;

/** Reasons why a reference gives no ratios, by the status of its rows. @type {Readonly<Record<string, string>>} */
const NO_RATE = {
  failed: 'failed',
  skipped: 'was not measured',
  measured: 'has no launch that can be compared',
};

/** @param {Record<string, number | null>} counts @returns {string} '1 of 24 launches was disturbed' */
export function disturbedText({ launches, disturbed }) {
  return `${disturbed} of ${counted(Number(launches), 'launch', 'launches')} ${disturbed === 1 ? 'was' : 'were'} disturbed`;
}

/** @param {string} code @returns {string} 'other programs' */
const causeName = (code) => findFlag(code)?.brief ?? printable(code);

/** @param {readonly (readonly [code: string, launches: number])[]} causes @returns {string} 'other programs 12, a slower CPU 3' */
export function causesText(causes) {
  return listed(
    causes.map(([code, count]) => (causes.length === 1 ? causeName(code) : `${causeName(code)} ${count}`)),
  );
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const NOISE_PHRASES = {
  'no-ratios'({ rows, why, numbers }) {
    const headings = rows.flatMap(({ heading }) => heading ?? []);
    const which =
      headings.length > MAX_HEADINGS
        ? ` in ${headings.length} of ${formatCount(Number(numbers.tables))} groups`
        : ` at ${headings.join(' and at ')}`;
    const where = headings.length === numbers.tables ? '' : which;
    const code = why?.code ?? 'skipped';
    return code === 'quick'
      ? [`No ratios${where}: one launch per row is too few for a ratio; measure without --quick.`]
      : [`No ratios${where}: the reference ${printable(rows[0].row)} ${NO_RATE[code] ?? ''}.`];
  },

  'shared-fault'(finding) {
    const { names, operation } = finding;
    const texts = names.codes.split(' ').map((code) => faultText(code, operation ?? { one: '', many: '' }));
    return [`${capitalised(scopeText(finding))}: ${[...new Set(texts)].join(', ')}.`];
  },

  disturbed(finding, isBrief) {
    const { verdict, numbers, scope, remedy } = finding;
    const { launches, disturbed, longestStallMs, ...counts } = numbers;
    const what = disturbedText({ launches, disturbed });
    const where = scope === undefined ? '' : scopeText(finding);
    if (verdict === null) return [`${what}, in ${where}.`];
    const causes = Object.entries(counts).map(
      ([code, count]) => /** @type {const} */ ([code, Number(count)]),
    );
    const details = [
      ...(longestStallMs === undefined
        ? []
        : [`the master stood still for up to ${pauseText(longestStallMs ?? 0)}`]),
      ...(['', 'all rows'].includes(where) ? [] : [where]),
    ].join('; ');
    if (isBrief) {
      const most = causes.filter(([, count]) => count === causes[0][1]).map(([code]) => causeName(code));
      const of = details === '' ? '' : ` (${details})`;
      return [`Unreliable: ${what}, most often by: ${listed(most)}${of}. Run ipc-bench doctor.`];
    }
    const next = remedy === 'doctor' ? 'Run ipc-bench doctor' : 'Stop other programs, run ipc-bench doctor';
    const of = [causesText(causes), details].filter(Boolean).join('; ');
    return [`Unreliable on this machine: ${what} (${of}). ${next}, and measure again.`];
  },

  'nothing-measured': () => ['Nothing was measured.'],
  unfinished: () => ['The run was not finished: rows have fewer launches or slices than planned.'],
};
