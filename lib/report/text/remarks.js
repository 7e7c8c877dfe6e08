// What is said of the flags of rows: faults in the last column of their rows, and properties, which are no faults, in sentences.

import { findMainTimes } from '../../cell/headline.js';
import { seriesLabel, shapeLabel } from '../../cell/labels.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatBytes, formatCount, formatPercent, spanText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { DISTURBED, faultText, faultTexts, findFlag, isFault } from '../../format/result-flags.js';
import { harnessShare } from '../../results/calibration-rows.js';
import { countConcerned, isDisturbed, wakeUpShare } from '../../results/cell-flags.js';
import { BOTTLENECK_SHARE, LEAST_LEAD_OF_NULL } from '../../results/thresholds.js';
import { cellName, isMeasured } from './groups.js';
import { transportFacts } from './transport-kinds.js';

/** @import { Flag, MeasuredLaunch, MeasuredOutcome, Outcome, Busiest, Results, Cell } from '../../types/index.js' */

/** @param {Outcome[]} outcomes @returns {Set<string>} in words, the faults of all of several rows: said once, not in each */
export function sharedFaults(outcomes) {
  const measured = outcomes.filter(isMeasured);
  if (measured.length < 2) return new Set();
  const [first, ...rest] = measured.map(
    ({ flags, operation }) =>
      new Set(
        faultTexts(
          flags.map(({ code }) => code),
          operation,
        ),
      ),
  );
  return new Set([...first].filter((text) => rest.every((own) => own.has(text))));
}

/** @param {Outcome[]} outcomes @returns {string[]} one sentence on the faults of all rows; that all were disturbed has a sentence of its own */
export function sharedFaultSentences(outcomes) {
  const texts = [...sharedFaults(outcomes)].filter((text) => text !== DISTURBED);
  return texts.length === 0 ? [] : [`All rows: ${texts.join(', ')}.`];
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {ReadonlySet<string>} shared    faults of all rows
 * @returns {string[]} 'still warming up', 'not stable in 2 launches'; those that keep it from being ranked first
 */
export function listRemarks({ flags, launches, operation }, shared) {
  const faults = flags.filter(({ code }) => isFault(code) && !shared.has(faultText(code, operation)));
  const isNoise = (/** @type {Flag} */ { code }) => findFlag(code)?.isNoise === true;
  const ordered = [
    ...faults.filter(({ code }) => findFlag(code)?.unranked !== undefined),
    ...faults.filter(({ code }) => findFlag(code)?.unranked === undefined),
  ];
  const texts = ordered.map((flag) => {
    const disturbed = launches.filter(isDisturbed).length;
    const count = isNoise(flag) ? disturbed : countConcerned(launches, flag.code);
    // A flag that no launch has is one of the cell as a whole.
    const isOfSome = count > 0 && count < launches.length;
    const where = isOfSome ? ` in ${count} ${count === 1 ? 'launch' : 'launches'}` : '';
    return faultText(flag.code, operation) + where;
  });
  return [...new Set(texts)];
}

// Properties: one sentence for all rows that have one. The numbers are columns too (--columns).

const TOLD_IN_BRIEF = 3; // the rest is in --notes
const NAMES_SHOWN = 4;
// As crowdProblem of lib/run/flags/launch-flags.js writes it.
const CROWD = /\((\d+) processes(?: that never sleep)? on (\d+) CPUs\)$/;

/** @param {MeasuredOutcome} outcome @param {Pick<Results, 'machine'>} results @returns {number | null} of the median; null: unknown */
export function readWakeUpShare(outcome, { machine }) {
  const medianUs = findMainTimes(outcome)?.p50 ?? null;
  return wakeUpShare(outcome.cell, outcome.launches, medianUs, machine?.wakeUp?.costUs ?? null);
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

/** @param {Busiest} busiest @returns {string} 'the master process', 'redis' */
function limitingProcess({ role, name }) {
  if (role === 'worker') return 'a worker process';
  return role === 'master' ? 'the master process' : printable(name);
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @returns {string | null} 'inflight=1', the window of acknowledgements for which the senders of a stream wait; null: something else may limit it
 */
function limitingWindow({ cell, backpressure, busiest, flags, launches }, results) {
  const window = transportFacts(results, cell).acknowledgementWindow;
  if (window === undefined || busiest === null || !(Number(backpressure?.waits) > 0)) return null;
  // The plan of an open load that is kept limits the row, and so may the rate of an emulated network: '1ms+100mbit'.
  const isPlanKept =
    cell.ratePerSecond !== undefined && flags.every(({ code }) => code !== 'generator-limited');
  if (isPlanKept || cell.network?.includes('+')) return null;
  if (launches.some((launch) => greatestCpuLoad(launch) >= BOTTLENECK_SHARE)) return null;
  return printable(`${window.setting}=${window.messages}`);
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @returns {number} of the CPU that its processes use most; those whose CPU is unknown may share one */
function greatestCpuLoad({ costs }) {
  /** @type {Map<number | null, number>} */
  const loads = new Map();
  for (const { cpus, share } of costs) {
    const own = cpus ?? [null];
    for (const cpu of own) loads.set(cpu, (loads.get(cpu) ?? 0) + share / own.length);
  }
  return Math.max(0, ...loads.values());
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {Results} results
 * @param {{ isBrief?: boolean }} detail    brief: without the names of the rows, which a column has
 * @returns {string[]} one for each kind of process, and for each window of acknowledgements, that limits some rows
 */
function limitSentences(measured, results, { isBrief = false }) {
  const limited = measured.flatMap((outcome) => {
    const { busiest, cell } = outcome;
    const name = cellName(cell);
    if (busiest !== null && busiest.share >= BOTTLENECK_SHARE)
      return { by: limitingProcess(busiest), name, share: busiest.share };
    const window = limitingWindow(outcome, results);
    return window === null ? [] : { by: `the window of acknowledgements (${window})`, name, share: null };
  });
  return [...groupedBy(limited, ({ by }) => by)].map(([by, some]) => {
    const names = some.map(({ name }) => name);
    const shares = some.flatMap(({ share }) => share ?? []);
    const limits =
      shares.length === 0
        ? `limited by ${by}: senders wait for acknowledgements, and no process is busy`
        : `limited by ${by} (${percentsText(shares)} of a core), not by the transport`;
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

/**
 * @param {Results} results
 * @param {{ isBrief?: boolean }} [detail]    brief: the most important ones only
 * @returns {string[]}
 */
export function propertySentences(results, { isBrief = false } = {}) {
  const measured = results.outcomes.filter(isMeasured);
  const harnessOf = (/** @type {MeasuredOutcome} */ outcome) => harnessShare(outcome, results.controls);
  const wakeUpOf = (/** @type {MeasuredOutcome} */ outcome) => readWakeUpShare(outcome, results);
  /** @type {(code: string, say: (some: MeasuredOutcome[]) => string, isMeant?: (outcome: MeasuredOutcome) => boolean) => string[]} */
  const onFlag = (code, say, isMeant = () => true) => {
    const flagged = measured.filter(({ flags }) => flags.some((flag) => flag.code === code));
    const some = flagged.filter(isMeant);
    return some.length === 0 ? [] : [say(some)];
  };
  const scope = (/** @type {MeasuredOutcome[]} */ some) => scopeText(measured, some);
  const sentences = [
    ...onFlag('quick', () => 'A quick run has too few launches for a verdict.'),
    ...limitSentences(measured, results, { isBrief }),
    ...onFlag('oversubscribed', (some) => `More busy processes than CPUs${crowdText(some)}: ${scope(some)}.`),
    ...onFlag(
      'harness-limited',
      (some) => `Codec and harness are much of the CPU time: ${sharesText(measured, some, harnessOf)}.`,
      // Of several processes at work at the same time, it may be less of the CPU time than of the time.
      (outcome) => (harnessOf(outcome) ?? 1) >= 1 / LEAST_LEAD_OF_NULL,
    ),
    ...onFlag(
      'wake-up',
      (some) =>
        `Waking sleeping CPUs is most of the median latency: ${sharesText(measured, some, wakeUpOf)}.`,
    ),
    ...onFlag('low-rate', (some) => `The rate is too low for V8 to compile all of the code: ${scope(some)}.`),
    ...onFlag('free', (some) => `Processes could not be pinned to CPUs: ${scope(some)}.`),
  ];
  return isBrief ? sentences.slice(0, TOLD_IN_BRIEF) : sentences;
}

// Of which rows something holds, in few words: of all, of all with one concurrency, payload, rate or codec, of all but two, or
// of a few by their names.

const LEAST_OF_GROUP = 3; // fewer are named
const GROUPS_SHOWN = 6;
const MOST_EXCEPTIONS = 2;
const LEAST_RULE = 6; // rows that a rule with exceptions is of
const NAMES_OF_PLACE = 3; // of one place; elsewhere a name alone does not say which row it is

/** What a place says of a cell, each in a few words. @type {((cell: Cell) => string)[]} */
export const PLACES = [
  shapeLabel,
  ({ payloadBytes }) => formatBytes(payloadBytes),
  ({ ratePerSecond = 0 }) => `${formatCount(ratePerSecond)}/s`,
];

/** @type {((cell: Cell) => string)[]} */
const SERIES = [({ codec }) => `codec ${printable(codec)}`, (cell) => printable(seriesLabel(cell))];

/** @param {MeasuredOutcome[]} measured @returns {boolean} they differ in nothing but their names */
function isOnePlace(measured) {
  return PLACES.every((placeOf) => new Set(measured.map(({ cell }) => placeOf(cell))).size === 1);
}

/** @param {MeasuredOutcome[]} measured @param {Set<MeasuredOutcome>} concerned @returns {string | null} 'all of 2x4'; null: they are no whole groups */
function wholeGroups(measured, concerned) {
  for (const placeOf of [...PLACES, ...SERIES]) {
    const groups = [...groupedBy(measured, ({ cell }) => placeOf(cell))];
    const whole = groups.filter(
      ([, own]) => own.length >= LEAST_OF_GROUP && own.every((outcome) => concerned.has(outcome)),
    );
    const covered = whole.flatMap(([, own]) => own);
    if (covered.length === concerned.size && whole.length <= GROUPS_SHOWN)
      return `all of ${listed(whole.map(([name]) => name))}`;
  }
  return null;
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} some     of them, at least one
 * @param {{ nameOf?: (outcome: MeasuredOutcome) => string, mostNames?: number }} [names]    mostNames: more are counted
 * @returns {string} 'all rows', 'all of 2x4', 'all but unix/json', 'pipe/json (46 %), tcp/json (35 %)', '9 of 24 rows'
 */
export function scopeText(
  measured,
  some,
  { nameOf = ({ cell }) => cellName(cell), mostNames = isOnePlace(measured) ? NAMES_OF_PLACE : 1 } = {},
) {
  const concerned = new Set(some);
  const others = measured.filter((outcome) => !concerned.has(outcome));
  if (measured.length > 1 && others.length === 0) return 'all rows';
  const groups = wholeGroups(measured, concerned);
  if (groups !== null) return groups;
  if (isOnePlace(measured) && others.length <= MOST_EXCEPTIONS && some.length >= LEAST_RULE)
    return `all but ${listed(others.map(({ cell }) => cellName(cell)))}`;
  const names = [...new Set(some.map(nameOf))];
  if (some.length <= mostNames) return listed(names);
  return `${some.length} of ${measured.length} rows`;
}
