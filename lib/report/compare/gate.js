// Decides whether a build passes, after a comparison or a run with a limit: the exit code, and findings with the reason.

import { isSweep } from '../../cell/axes.js';
import { seriesLabel, sloLabel } from '../../cell/labels.js';
import { exitCode } from '../../errors.js';
import { groupedBy, ifAny, listed } from '../../format/lists.js';
import { findFlag, isNoise } from '../../format/result-flags.js';
import { FAIL_REASONS } from '../../options/flags.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { makeFinding } from '../findings/finding.js';
import { judgeResponseTime } from '../findings/response-times.js';
import { rowNamer } from '../findings/scope.js';
import { phrase } from '../text/phrase-table.js';

/** @import { FailReason } from '../../options/flags.js' */
/** @import { Comparison, Finding, Kept, Results, RowVerdict } from '../../types/index.js' */

/** @type {Readonly<Record<FailReason, string>>} */
const EXIT_NAMES = Object.freeze({ slower: 'slower', missing: 'failed', inconclusive: 'inconclusive' });

// Launches a side that a row of two separate runs needs to fail a build. Of simulated builds of 24 rows that do not differ, with two
// launches a side, up to 4 % would fail; with three, less than 1 %.
const MIN_TO_FAIL = 3;

/**
 * @param {Comparison} comparison
 * @param {readonly FailReason[]} failOn
 * @returns {{ exitCode: number, why: string | null }} why: why the build fails, or what a pass leaves open; null if it passes and leaves nothing open
 */
export function evaluateGate(comparison, failOn) {
  const finding = gateFinding(comparison, failOn);
  return { exitCode: Number(finding.numbers.exitCode), why: phrase(finding, false).join(' ') || null };
}

/**
 * Separate runs on different machines also differ by their machines, so slower rows count as inconclusive without --force. A slower row
 * also counts as inconclusive if other load disturbed its launches, which is a reason to repeat, or if it has fewer than MIN_TO_FAIL
 * launches a side in separate runs. If a control differs, no row passes or fails.
 * @param {Comparison} comparison
 * @param {readonly FailReason[]} failOn
 * @returns {Finding}
 */
export function gateFinding(comparison, failOn) {
  const { rows, controls, missing, design, machineDifferences, isForced, minEffect } = comparison;
  const slower = rows.filter(({ verdict, isBeyond }) => verdict === 'slower' && isBeyond);
  const mustNotFail = design === 'separate' && machineDifferences.length > 0 && !isForced;
  const judged = mustNotFail ? [] : slower;
  /** @param {Comparison['rows'][number]} row */
  const isDisturbed = ({ flags }) => [...flags.old, ...flags.new].some(isNoise);
  const disturbed = judged.filter(isDisturbed).length;
  const few = judged.filter(
    (row) => design === 'separate' && row.ratio.n < MIN_TO_FAIL && !isDisturbed(row),
  ).length;
  const doubtful = disturbed + few;
  const unjudged = controls.filter(({ why }) => why !== null).length;
  const counts = {
    slower: judged.length - doubtful,
    missing: missing.length,
    inconclusive:
      rows.filter(({ verdict }) => verdict === 'inconclusive').length +
      unjudged +
      (mustNotFail ? slower.length : doubtful),
  };
  // A missing row does not depend on times, so it fails nevertheless.
  const isMissing = failOn.includes('missing') && counts.missing > 0;
  const moved = controls.filter(({ isBeyond }) => isBeyond);
  if (moved.length > 0 && failOn.length > 0 && !isMissing) {
    return makeFinding('gate', {
      verdict: 'unclear',
      numbers: { exitCode: exitCode('inconclusive') },
      names: {
        reason: 'control',
        rows: listed(
          moved.map(({ cell }) => seriesLabel(cell)),
          2,
        ),
      },
    });
  }
  const isWatched = failOn.includes('slower');
  const failure =
    FAIL_REASONS.find((reason) => failOn.includes(reason) && counts[reason] > 0) ??
    (isWatched && doubtful > 0 ? 'inconclusive' : undefined);
  const missed = isWatched || failure === 'inconclusive' ? missedRatio(comparison) : null;
  const isUndecided = failure === undefined && missed !== null;
  const isLeftOpen = missed !== null && (failure === undefined || failure === 'inconclusive');
  return makeFinding('gate', {
    verdict: failure !== undefined ? 'worse' : isUndecided ? 'unclear' : 'better',
    ...(isLeftOpen && rows.some(lacksLaunches) && { remedy: 'add-launches' }),
    numbers: {
      exitCode: failure === undefined ? 0 : exitCode(EXIT_NAMES[failure]),
      cells: rows.length + missing.length + unjudged,
      concerned: counts[failure ?? 'inconclusive'],
      minEffect,
      leastLaunches: MIN_TO_FAIL,
      disturbed: isWatched ? disturbed : 0,
      fewLaunches: isWatched ? few : 0,
      ...(isLeftOpen && { missedRatio: Number.isFinite(missed) ? missed : null }),
    },
    names: {
      ...(failure !== undefined && {
        reason: failure,
        failOn: failOn.includes(failure) ? failure : 'slower',
      }),
      ...(mustNotFail && slower.length > 0 && isWatched && { machines: listed(machineDifferences, 2) }),
    },
  });
}

/** @param {Comparison['rows'][number]} row @returns {boolean} true if it is undecided and has no fault that more launches would have too */
function lacksLaunches({ verdict, why }) {
  return verdict === 'inconclusive' && (why === null || findFlag(why.code) === null);
}

/**
 * @param {Comparison} comparison
 * @returns {number | null} the smallest slowdown that would have been detected in every undecided row; null if it is at most the least
 *   effect of interest
 */
function missedRatio({ rows, minEffect }) {
  const undecided = rows.filter(({ verdict }) => verdict === 'inconclusive');
  const effects = undecided.map(({ detectableRatio }) => detectableRatio ?? Number.POSITIVE_INFINITY);
  const greatest = Math.max(1, ...effects);
  return greatest <= 1 + minEffect ? null : greatest;
}

/** The worst first. @type {readonly [kept: Kept['verdict'], verdict: RowVerdict, code: number][]} */
const LIMIT_VERDICTS = [
  ['no', 'worse', exitCode('slower')],
  ['unclear', 'unclear', exitCode('inconclusive')],
  ['yes', 'better', 0],
];

/**
 * Evaluates the limit of `run --rate --slo`: the percentile of each row, with its interval, has to be below the limit.
 * @param {Pick<Results, 'options' | 'outcomes'>} results
 * @returns {{ exitCode: number, findings: Finding[], lines: string[] }} no findings without a limit or in a sweep
 */
export function evaluateLimit({ options: { open }, outcomes }) {
  if (open === undefined || open.slo === null || isSweep(open))
    return { exitCode: 0, findings: [], lines: [] };
  const { slo } = open;
  const measured = outcomes.filter(isMeasured);
  const nameRow = rowNamer(measured);
  const judged = measured.map((outcome) => {
    const { verdict, number, why } = judgeResponseTime(outcome, slo);
    return { verdict, row: { ...nameRow(outcome), ...(number ? { value: number } : { why }) } };
  });
  const names = { limit: sloLabel(slo) };
  const byVerdict = groupedBy(judged, ({ verdict }) => verdict);
  const judgements = LIMIT_VERDICTS.flatMap(([kept, verdict]) => {
    const rows = (byVerdict.get(kept) ?? []).map(({ row }) => row);
    return ifAny(rows, () => makeFinding('response-limit', { rows, verdict, names }));
  });
  const [worst] = judgements;
  const code = LIMIT_VERDICTS.find(([, verdict]) => verdict === worst?.verdict)?.[2] ?? 0;
  const numbers = { exitCode: code, concerned: worst?.rows.length, rows: judged.length };
  const findings = [
    ...judgements,
    ...(code === 0 ? [] : [makeFinding('limit-gate', { verdict: worst.verdict, names, numbers })]),
  ];
  return { exitCode: code, findings, lines: findings.flatMap((finding) => phrase(finding, false)) };
}
