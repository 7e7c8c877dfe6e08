// The conclusions in a few sentences: ranking, growth, response times, failures, and the limits of the numbers. The answer comes first.

import { seriesLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, listed, shortened, unended } from '../../format/lists.js';
import { formatRatioInterval, pauseText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { DISTURBED } from '../../format/result-flags.js';
import { shareOfFloor } from '../../results/calibration-rows.js';
import { TOLERATED_LAUNCHES } from '../../results/thresholds.js';
import { promiseSentences } from './delivery-words.js';
import { gapNotes } from './gaps.js';
import { cellName, formatRowName } from './groups.js';
import { growthSentences } from './growth.js';
import { disturbances, disturbedText, STALLED } from './machine-words.js';
import { OPEN_RULES } from './open-conclusion.js';
import { rankingSentences } from './ranking.js';
import { sharedFaults } from './remarks.js';
import { applyRules, readFacts, rule } from './rules.js';
import { runtimeSentences } from './runtime-words.js';
import { unequalSentence, unequalSleeps } from './sleep-words.js';
import { addedSentences, breakEvenSentences, payloadCostSentences } from './task-words.js';
import { hasUntrueLevel } from './verdicts.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../types/index.js' */
/** @import { Group } from './groups.js' */
/** @import { Facts } from './rules.js' */

const MOST_PLACES = 2;
const MOST_FAILURES = 2;
const MOST_NAMES = 4;
const GREATEST_MESSAGE_LENGTH = 160;

/** @type {Readonly<Record<Outcome['status'], string>>} reasons why a reference gives no ratios */
const NO_RATE = {
  failed: 'failed',
  skipped: 'was not measured',
  measured: 'has no launch that can be compared',
};

export const UNFINISHED = 'The run was not finished: rows have fewer launches or slices than planned.';

const BASELINE = 'the native baseline (C), the same bytes over the same mechanism';

/** The sentences under the table, the most important first. */
const CONCLUSION = [
  rule({
    when: ({ closed }) => closed,
    say: (_groups, facts) => rankingSentences(facts, false),
    brief: (_groups, facts) => rankingSentences(facts, true),
  }),
  rule({
    when: unequalSleeps,
    say: (rows) => unequalSentence(rows, false),
    brief: (rows) => unequalSentence(rows, true),
  }),
  rule({ when: ({ results }) => results, say: runtimeSentences }),
  rule({
    when: ({ results }) => results,
    say: (results) => growthSentences(results, false),
    brief: (results) => growthSentences(results, true),
  }),
  rule({ when: ({ results }) => results, say: breakEvenSentences }),
  rule({ when: ({ results }) => results, say: payloadCostSentences }),
  ...OPEN_RULES,
  rule({ when: ({ measured }) => measured, say: promiseSentences }),
  rule({
    when: ({ closed }) => closed,
    say: (_groups, facts) => addedSentences(facts, false),
    brief: (_groups, facts) => addedSentences(facts, true),
  }),
  rule({
    when: sharesOfBaseline,
    say: ([least, ...more]) =>
      more.length === 0
        ? `${least.name} reaches ${formatRatioInterval(least.share)} of ${BASELINE}.`
        : `Throughput relative to ${BASELINE}: from ${least.text} to ${more[more.length - 1].text}.`,
  }),
  rule({ when: ({ measured }) => measured.length === 0, say: () => 'Nothing was measured.' }),
  rule({
    when: ({ results, closed }) => closed.filter((group) => hasNoRatios(group, results)),
    say: missingReferenceSentence,
  }),
  rule({
    // Disturbed rows have a separate sentence.
    when: ({ measured }) => [...sharedFaults(measured)].filter(([text]) => text !== DISTURBED),
    say: (faults) =>
      [...groupedBy(faults, ([, where]) => where)].map(
        ([where, some]) => `${capitalised(where)}: ${some.map(([text]) => text).join(', ')}.`,
      ),
  }),
  rule({
    when: ({ measured }) => measured,
    say: (measured) => disturbedSentences(measured),
    brief: (measured) => disturbedSentences(measured, { isBrief: true }),
  }),
  rule({
    when: ({ measured }) => measured.some(({ flags }) => flags.some(({ code }) => code === 'wake-up')),
    say: () =>
      'A program that mostly waits sees the latencies of wake-ups, but they hide differences between transports. Use --placement same or --poll busy to compare transports without wake-ups.',
    brief: null,
  }),
  rule({
    when: ({ measured }) => measured.some(({ cell }) => cell.poll === 'busy'),
    say: () =>
      'poll=busy: master and workers never sleep and use a core each. These rows show what a mechanism costs without wake-ups; a program that waits for events will not see these numbers.',
    brief: null, // the settings of the rows show it
  }),
  rule({
    when: ({ results }) => results,
    say: ({ outcomes }) => failureSentences(outcomes),
    brief: (results) => gapNotes(results, 'failed'),
  }),
  rule({ when: ({ results }) => results.status !== 'complete', say: () => UNFINISHED }),
];

/**
 * @param {Results} results
 * @param {{ isBrief?: boolean }} [detail]   isBrief: only the sentences of the default output
 * @returns {string[]} sentences, the most important first
 */
export function conclusions(results, { isBrief = false } = {}) {
  return applyRules(CONCLUSION, readFacts(results), isBrief);
}

/** @param {Facts} facts @returns {{ name: string, share: import('../../types/index.js').Estimate, text: string }[]} ascending */
function sharesOfBaseline({ results, closed }) {
  const rows = closed.flatMap(({ place, measured }) =>
    measured.flatMap((outcome) => {
      const share = hasUntrueLevel(outcome) ? null : shareOfFloor(outcome, results);
      return share === null ? [] : [{ share, name: cellName(outcome.cell), place }];
    }),
  );
  const hasPlaces = new Set(rows.map(({ place }) => place)).size > 1;
  return rows
    .sort((left, right) => left.share.estimate - right.share.estimate)
    .map(({ share, name, place }) => ({
      share,
      name,
      text: `${formatRatioInterval(share)} (${name}${hasPlaces ? ` at ${place}` : ''})`,
    }));
}

/** @param {Group} group @param {Results} results @returns {boolean} true if the rows have no ratios to the reference */
function hasNoRatios({ measured }, { reference }) {
  const others = measured.filter(({ cell }) => seriesLabel(cell) !== reference);
  return (others.length > 0 ? others : measured).every(({ ratio }) => ratio === null);
}

/** @param {Group[]} without   groups without ratios @param {Facts} facts @returns {string} */
function missingReferenceSentence(without, { results, closed }) {
  const places = without.map(({ place }) => place);
  const which =
    places.length > MOST_PLACES
      ? ` in ${places.length} of ${closed.length} groups`
      : ` at ${places.join(' and at ')}`;
  const where = places.length === closed.length ? '' : which;
  const reference = without
    .flatMap(({ outcomes }) => outcomes)
    .find(({ cell }) => seriesLabel(cell) === results.reference);
  const { status = 'skipped' } = reference ?? {};
  return status === 'measured' && results.options.quick
    ? `No ratios${where}: one launch per row is too few for a ratio; measure without --quick.`
    : `No ratios${where}: the reference ${printable(results.reference)} ${NO_RATE[status]}.`;
}

/** @param {MeasuredOutcome[]} measured @param {{ isBrief?: boolean }} [detail] @returns {string[]} */
export function disturbedSentences(measured, { isBrief = false } = {}) {
  const { launches, disturbed, by, most, isStallAlone } = disturbances(measured);
  const what = disturbedText({ launches, disturbed });
  const where = sharedFaults(measured).get(DISTURBED);
  if (disturbed <= TOLERATED_LAUNCHES * launches) return where === undefined ? [] : [`${what}, in ${where}.`];
  const stalled = measured
    .filter(({ flags }) => flags.some(({ code }) => code === STALLED))
    .map((outcome) => {
      const longestMs = Math.max(...outcome.launches.map(({ noise }) => noise?.masterStallMs ?? 0));
      return `${formatRowName(outcome.cell)} (for ${pauseText(longestMs)})`;
    });
  const but = where === undefined || where === 'all rows' ? '' : where;
  const next = isStallAlone ? 'Run ipc-bench doctor' : 'Stop other programs, run ipc-bench doctor';
  return [
    ...(stalled.length === 0
      ? []
      : [
          `The master was stopped, or waited for a CPU, and the responses waited for it: ${listed(stalled, MOST_NAMES)}.`,
        ]),
    isBrief
      ? `Unreliable: ${what}, most often by: ${most}${but === '' ? '' : ` (${but})`}. Run ipc-bench doctor.`
      : `Unreliable on this machine: ${what} (${by}${but === '' ? '' : `; ${but}`}). ${next}, and measure again.`,
  ];
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function failureSentences(outcomes) {
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [outcome] : []));
  const byMessage = groupedBy(failed, ({ message, code }) => {
    const text = unended(shortened(printable(message), GREATEST_MESSAGE_LENGTH));
    return `${text} (${printable(code)})`;
  });
  const sentences = [...byMessage].map(([message, rows]) => {
    const names = [...new Set(rows.map(({ cell }) => cellName(cell)))];
    return `Failed: ${listed(names, MOST_NAMES)}: ${message}.`;
  });
  const rest = sentences.length - MOST_FAILURES;
  return rest <= 0
    ? sentences
    : [
        ...sentences.slice(0, MOST_FAILURES),
        `${rest === 1 ? '1 more failure is' : `${rest} more failures are`} listed with the table.`,
      ];
}
