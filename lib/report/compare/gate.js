// Decides whether a build passes, after a comparison or a run with a limit: the exit code, and sentences with the reason.

import { isSweep } from '../../cell/axes.js';
import { sloLabel } from '../../cell/labels.js';
import { exitCode } from '../../errors.js';
import { counted, groupedBy, listed } from '../../format/lists.js';
import { isNoise } from '../../format/result-flags.js';
import { FAIL_REASONS } from '../../options/flags.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { placeNamer } from '../findings/groups.js';
import { judgeResponseTime } from '../findings/response-times.js';
import { formatRowName } from '../text/names.js';
import { detectedText, minEffectText } from '../text/phrases/comparison-phrases.js';
import { reasonText } from '../text/reasons.js';
import { responseTimeText } from '../text/time-words.js';

/** @import { FailReason } from '../../options/flags.js' */
/** @import { Comparison, Kept, Results } from '../../types/index.js' */

/** @type {Readonly<Record<FailReason, string>>} */
const EXIT_NAMES = Object.freeze({ slower: 'slower', missing: 'failed', inconclusive: 'inconclusive' });

// Of simulated builds of 24 rows that do not differ, with two launches a side, up to 4 % would fail; with three, less than 1 %.
const LEAST_TO_FAIL = 3;

/**
 * Runs that were made one after another on different machines also differ by their machines, so rows that are slower count as
 * inconclusive without --force. So does a row that is slower while other load disturbed its launches, which is a reason to repeat, or whose
 * separate runs have two launches each.
 * @param {Comparison} comparison
 * @param {readonly FailReason[]} failOn
 * @returns {{ exitCode: number, why: string | null }} why: why the build fails, or what a pass leaves open; null if there is nothing to say
 */
export function evaluateGate(comparison, failOn) {
  const { rows, missing, design, machineDifferences, isForced } = comparison;
  const slowerRows = rows.filter(({ verdict, isBeyond }) => verdict === 'slower' && isBeyond);
  const slower = slowerRows.length;
  const mustNotFail = design === 'separate' && machineDifferences.length > 0 && !isForced;
  const judged = mustNotFail ? [] : slowerRows;
  const isDisturbed = (/** @type {Comparison['rows'][number]} */ { flags }) =>
    [...flags.old, ...flags.new].some(isNoise);
  const disturbed = judged.filter(isDisturbed).length;
  const few = judged.filter(
    (row) => design === 'separate' && row.ratio.n < LEAST_TO_FAIL && !isDisturbed(row),
  ).length;
  const doubtful = disturbed + few;
  const counts = {
    slower: judged.length - doubtful,
    missing: missing.length,
    inconclusive:
      rows.filter(({ verdict }) => verdict === 'inconclusive').length + (mustNotFail ? slower : doubtful),
  };
  const isWatched = failOn.includes('slower');
  const failure =
    FAIL_REASONS.find((reason) => failOn.includes(reason) && counts[reason] > 0) ??
    (isWatched && doubtful > 0 ? 'inconclusive' : undefined);
  const refused =
    mustNotFail && slower > 0 && isWatched
      ? `No failure for what is slower: the runs were not interleaved and come from different machines (${listed(machineDifferences, 2)}). Run both on one machine, or add --force.`
      : null;
  const missed = isWatched || failure === 'inconclusive' ? missedSentence(comparison) : null;
  const cells = rows.length + missing.length;
  const concerned = (/** @type {number} */ count) =>
    `${count} of ${counted(cells, 'cell', 'cells')} ${count === 1 ? 'is' : 'are'}`;
  const code = failure === undefined ? 0 : exitCode(EXIT_NAMES[failure]);
  const doubted =
    isWatched && disturbed > 0
      ? `No failure for ${counted(disturbed, 'cell', 'cells')} that ${disturbed === 1 ? 'is' : 'are'} slower: other load disturbed the launches. Repeat the comparison; ipc-bench doctor says what disturbs this machine.`
      : null;
  const tooFew =
    isWatched && few > 0
      ? `No failure for ${counted(few, 'cell', 'cells')} that ${few === 1 ? 'is' : 'are'} slower: fewer than ${LEAST_TO_FAIL} launches a side. Add --launches.`
      : null;
  const outcome =
    failure !== undefined
      ? `Failed with exit code ${code}: --fail-on ${failOn.includes(failure) ? failure : 'slower'}, and ${concerned(counts[failure])}${failOn.includes(failure) ? '' : ' inconclusive'}.`
      : missed === null
        ? null
        : `Passed undecided: ${concerned(counts.inconclusive)} inconclusive, which --fail-on slower,inconclusive makes a failure.`;
  const doubt = failure === undefined || failure === 'inconclusive' ? missed : null;
  return {
    exitCode: code,
    why: [outcome, doubt, doubted, tooFew, refused].filter(Boolean).join(' ') || null,
  };
}

/** @param {Comparison} comparison @returns {string | null} null if no row may have missed the least effect of interest */
function missedSentence({ rows, minEffect }) {
  const undecided = rows.filter(({ verdict }) => verdict === 'inconclusive');
  const effects = undecided.map(({ detectableRatio }) => detectableRatio ?? Number.POSITIVE_INFINITY);
  const greatest = Math.max(1, ...effects);
  if (greatest <= 1 + minEffect) return null;
  return `A slowdown of ${minEffectText(minEffect)} may have been missed: ${detectedText(greatest)} would be detected (80 % power). Add --launches.`;
}

/** The worst first. @type {[verdict: Kept['verdict'], how: { code: number, claim: string, one: string, many: string }][]} */
const LIMIT_VERDICTS = [
  ['no', { code: exitCode('slower'), claim: 'Exceeds', one: 'exceeds it', many: 'exceed it' }],
  [
    'unclear',
    {
      code: exitCode('inconclusive'),
      claim: 'Unclear whether it meets',
      one: 'is unclear',
      many: 'are unclear',
    },
  ],
  ['yes', { code: 0, claim: 'Meets', one: 'meets it', many: 'meet it' }],
];

/**
 * Evaluates the limit of `run --rate --slo`: the percentile of each row, with its interval, has to be below the limit.
 * @param {Pick<Results, 'options' | 'outcomes'>} results
 * @returns {{ exitCode: number, lines: string[] }} no lines without a limit or in a sweep
 */
export function evaluateLimit({ options: { open }, outcomes }) {
  if (open === undefined || open.slo === null || isSweep(open)) return { exitCode: 0, lines: [] };
  const { slo } = open;
  const measured = outcomes.filter(isMeasured);
  const placeOf = placeNamer(measured);
  const hasPlaces = new Set(measured.map(({ cell }) => placeOf(cell))).size > 1;
  const judged = measured.map((outcome) => {
    const { verdict, number, why } = judgeResponseTime(outcome, slo);
    const found =
      number === null ? reasonText(why) : `${responseTimeText({ us: number, isAtLeast: false })} µs`;
    const place = hasPlaces ? `, ${placeOf(outcome.cell)}` : '';
    return { verdict, text: `${formatRowName(outcome.cell)}${place} (${found})` };
  });
  const byVerdict = groupedBy(judged, ({ verdict }) => verdict);
  const groups = LIMIT_VERDICTS.flatMap(([verdict, how]) => {
    const rows = byVerdict.get(verdict);
    return rows === undefined ? [] : [{ ...how, rows }];
  });
  const limit = sloLabel(slo);
  const lines = groups.map(
    ({ claim, rows }) => `${claim} ${limit}: ${rows.map(({ text }) => text).join('; ')}.`,
  );
  const [worst] = groups;
  if (worst === undefined || worst.code === 0) return { exitCode: 0, lines };
  const what = `${worst.rows.length} of ${counted(judged.length, 'row', 'rows')} ${worst.rows.length === 1 ? worst.one : worst.many}`;
  return {
    exitCode: worst.code,
    lines: [...lines, `Failed with exit code ${worst.code}: --slo ${limit}, and ${what}.`],
  };
}
