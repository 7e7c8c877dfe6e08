// What is true of rows and no fault, in one sentence for all rows that it concerns: which process limits them, how much of the
// time codec and harness take, and how many processes share the CPUs. The numbers are columns too (--columns).

import { findMainTimes } from '../../cell/headline.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatPercent, spanText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { harnessShare } from '../../results/calibration-rows.js';
import { wakeUpShare } from '../../results/cell-flags.js';
import { BOTTLENECK_SHARE, LEAST_LEAD_OF_NULL } from '../../results/thresholds.js';
import { cellName, isMeasured } from './groups.js';
import { scopeText } from './scopes.js';

/** @import { Busiest, MeasuredOutcome, Results } from '../../types/index.js' */

const TOLD_IN_BRIEF = 3; // the rest is in --notes
const NAMES_SHOWN = 4;
// As crowdProblem of lib/run/flags/launch-flags.js writes it.
const CROWD = /\((\d+) processes(?: that never sleep)? on (\d+) CPUs\)$/;

/** @param {MeasuredOutcome} outcome @param {Pick<Results, 'machine'>} results @returns {number | null} of the median; null: unknown */
export function readWakeUpShare(outcome, { machine }) {
  const medianUs = findMainTimes(outcome)?.p50 ?? null;
  return wakeUpShare(outcome.cell, outcome.launches, medianUs, machine?.wakeUp?.costUs ?? null);
}

/** @param {MeasuredOutcome[]} measured @param {string} code @returns {MeasuredOutcome[]} */
function rowsWith(measured, code) {
  return measured.filter(({ flags }) => flags.some((flag) => flag.code === code));
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} some     of them, at least one
 * @param {(outcome: MeasuredOutcome) => number | null} shareOf
 * @returns {string} 'pipe/json (46 %), tcp/json (35 %)', 'all of 2x4 (11 to 46 %)'
 */
function sharesText(measured, some, shareOf) {
  const ordered = some.toSorted((one, other) => (shareOf(other) ?? 0) - (shareOf(one) ?? 0));
  const withShare = (/** @type {MeasuredOutcome} */ outcome) => {
    const share = shareOf(outcome);
    const name = cellName(outcome.cell);
    return share === null ? name : `${name} (${formatPercent(share)})`;
  };
  const shares = ordered.flatMap((outcome) => shareOf(outcome) ?? []);
  const scope = scopeText(measured, ordered, { nameOf: withShare });
  if (shares.length === 0 || scope.endsWith(' %)')) return scope;
  return `${scope} (${percentsText(shares)})`;
}

/** @param {number[]} shares @returns {string} '11 to 46 %' */
function percentsText(shares) {
  const percents = shares.map((share) => Math.round(100 * share));
  return `${spanText(percents, ' to ', formatCount)} %`;
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function quickSentences(measured) {
  const quick = rowsWith(measured, 'quick');
  return quick.length === 0 ? [] : ['A quick run has too few launches for a verdict.'];
}

/** @param {Busiest} busiest @returns {string} 'the master process', 'redis' */
function limitingProcess({ role, name }) {
  if (role === 'worker') return 'a worker process';
  return role === 'master' ? 'the master process' : printable(name);
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {{ isBrief?: boolean }} detail    brief: without the names of the rows, which a column has
 * @returns {string[]} one for each kind of process that limits some rows
 */
function bottleneckSentences(measured, { isBrief = false }) {
  const limited = measured.flatMap(({ busiest, cell }) =>
    busiest === null || busiest.share < BOTTLENECK_SHARE
      ? []
      : [{ by: limitingProcess(busiest), name: cellName(cell), share: busiest.share }],
  );
  return [...groupedBy(limited, ({ by }) => by)].map(([by, some]) => {
    const names = some.map(({ name }) => name);
    const busy = percentsText(some.map(({ share }) => share));
    const limits = `limited by ${by} (${busy} of a core), not by the transport`;
    if (names.length === 1) return `${names[0]} is ${limits}.`;
    const rows = names.length === measured.length ? 'All rows' : `${names.length} of ${measured.length} rows`;
    const unique = [...new Set(names)];
    return `${rows}${isBrief ? '' : ` (${listed(unique, NAMES_SHOWN)})`} are ${limits}.`;
  });
}

/** @param {MeasuredOutcome[]} some @returns {string} ' (3 to 4 on 2)'; nothing where they are on machines of several sizes, or nobody says */
function crowdText(some) {
  const counts = some
    .flatMap(({ flags }) => flags.filter(({ code }) => code === 'oversubscribed'))
    .map(({ message }) => CROWD.exec(message))
    .filter((found) => found !== null);
  const cpus = new Set(counts.map(([, , count]) => count));
  if (cpus.size !== 1) return '';
  return ` (${spanText(
    counts.map(([, processes]) => Number(processes)),
    ' to ',
    formatCount,
  )} on ${[...cpus][0]})`;
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function crowdSentences(measured) {
  const some = rowsWith(measured, 'oversubscribed');
  if (some.length === 0) return [];
  return [`More busy processes than CPUs${crowdText(some)}: ${scopeText(measured, some)}.`];
}

/** @param {MeasuredOutcome[]} measured @param {Results} results @returns {string[]} */
function wakeUpSentences(measured, results) {
  const some = rowsWith(measured, 'wake-up');
  if (some.length === 0) return [];
  const where = sharesText(measured, some, (outcome) => readWakeUpShare(outcome, results));
  return [`Waking sleeping CPUs is most of the median latency: ${where}.`];
}

/** @param {MeasuredOutcome[]} measured @param {Results} results @returns {string[]} */
function harnessSentences(measured, results) {
  const shareOf = (/** @type {MeasuredOutcome} */ outcome) => harnessShare(outcome, results.controls);
  // Of several processes at work at the same time, it may be less of the CPU time than of the time.
  const some = rowsWith(measured, 'harness-limited').filter(
    (outcome) => (shareOf(outcome) ?? 1) >= 1 / LEAST_LEAD_OF_NULL,
  );
  if (some.length === 0) return [];
  return [`Codec and harness are much of the CPU time: ${sharesText(measured, some, shareOf)}.`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function rateSentences(measured) {
  const some = rowsWith(measured, 'low-rate');
  if (some.length === 0) return [];
  return [`The rate is too low for V8 to compile all of the code: ${scopeText(measured, some)}.`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function placementSentences(measured) {
  const some = rowsWith(measured, 'free');
  if (some.length === 0) return [];
  return [`Processes could not be pinned to CPUs: ${scopeText(measured, some)}.`];
}

/**
 * @param {Results} results
 * @param {{ isBrief?: boolean }} [detail]    brief: the most important ones only
 * @returns {string[]}
 */
export function propertySentences(results, { isBrief = false } = {}) {
  const measured = results.outcomes.filter(isMeasured);
  const sentences = [
    ...quickSentences(measured),
    ...bottleneckSentences(measured, { isBrief }),
    ...crowdSentences(measured),
    ...harnessSentences(measured, results),
    ...wakeUpSentences(measured, results),
    ...rateSentences(measured),
    ...placementSentences(measured),
  ];
  return isBrief ? sentences.slice(0, TOLD_IN_BRIEF) : sentences;
}
