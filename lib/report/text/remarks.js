// The flags of rows: faults in the last column of their rows, and properties, which are not faults, in sentences.

import { commonOperation, findMainTimes, hasServiceTimes } from '../../cell/headline.js';
import { seriesLabel, shapeLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, listed } from '../../format/lists.js';
import {
  formatBytes,
  formatCount,
  formatPercent,
  formatRate,
  pauseText,
  spanText,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import {
  faultText,
  faultTexts,
  findFlag,
  isFault,
  isNoise,
  WARM_OPERATIONS,
} from '../../format/result-flags.js';
import { harnessShare, hasDoubtfulControl } from '../../results/calibration-rows.js';
import { countConcerned, isDisturbed, wakeUpShare } from '../../results/cell-flags.js';
import { crowdText, findCrowd } from '../../results/crowd.js';
import { BOTTLENECK_SHARE, LEAST_LEAD_OF_NULL } from '../../results/thresholds.js';
import { cellName, formatRowName, isMeasured, isOpen, placeNamer } from './groups.js';
import { applyRules, rule } from './rules.js';
import { transportFacts } from './transport-kinds.js';

/** @import { Busiest, Cell, Flag, MeasuredLaunch, MeasuredOutcome, Outcome, Results } from '../../types/index.js' */
/** @import { Crowd } from '../../results/crowd.js' */
/** @import { Facts } from './rules.js' */

const MOST_EXCEPTED = 12; // greatest number of rows that a sentence names as exceptions

/** @param {MeasuredOutcome} outcome @returns {string[]} */
const faultsOf = ({ flags, operation }) =>
  faultTexts(
    flags.map(({ code }) => code),
    operation,
  );

/**
 * @param {Outcome[]} outcomes
 * @returns {Map<string, string>} 'all rows' or 'all rows but unix/json' by the text of a fault that all or most rows have. A sentence then
 *   replaces the remarks in these rows
 */
export function sharedFaults(outcomes) {
  const measured = outcomes.filter(isMeasured);
  if (measured.length < 2) return new Map();
  const placeOf = placeNamer(measured);
  const haveOnePlace = isOnePlace(measured);
  const nameOf = (/** @type {MeasuredOutcome} */ { cell }) =>
    formatRowName(cell) + (haveOnePlace ? '' : ` at ${placeOf(cell)}`);
  const faults = measured.map(faultsOf);
  return new Map(
    [...new Set(faults.flat())].flatMap((text) => {
      const others = measured.filter((_, row) => !faults[row].includes(text));
      const isMost = measured.length >= LEAST_WITH_EXCEPTIONS && 2 * others.length < measured.length;
      if (others.length > 0 && (!isMost || others.length > MOST_EXCEPTED)) return [];
      const but = others.length === 0 ? '' : ` but ${listed(others.map(nameOf), MOST_EXCEPTED)}`;
      return [[text, `all rows${but}`]];
    }),
  );
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {{ has: (text: string) => boolean }} shared    faults of most rows, which a sentence lists
 * @returns {string[]} 'may still be warming up', 'not stable in 2 launches'; the faults that prevent a ranking come first
 */
export function listRemarks({ flags, launches, operation }, shared) {
  const faults = flags.filter(({ code }) => isFault(code) && !shared.has(faultText(code, operation)));
  const isUnranked = (/** @type {Flag} */ { code }) => findFlag(code)?.unranked !== undefined;
  const ordered = faults.toSorted((one, other) => Number(isUnranked(other)) - Number(isUnranked(one)));
  const texts = ordered.map(({ code }) => {
    const count = isNoise(code) ? launches.filter(isDisturbed).length : countConcerned(launches, code);
    // A flag that no launch has belongs to the cell as a whole.
    const isOfSome = count > 0 && count < launches.length;
    return (
      faultText(code, operation) + (isOfSome ? ` in ${count} ${count === 1 ? 'launch' : 'launches'}` : '')
    );
  });
  return [...new Set(texts)];
}

// Properties have one sentence for all rows concerned. --columns shows their numbers as columns.

const SHOWN_IN_BRIEF = 3; // further sentences are in --notes
const NAMES_SHOWN = 4;
const SHARES_NAMED = 5;

/** @type {(code: string) => (facts: Facts) => MeasuredOutcome[]} */
const flagged =
  (code) =>
  ({ measured }) =>
    measured.filter(({ flags }) => flags.some((flag) => flag.code === code));

/** The most important first. */
const PROPERTIES = [
  rule({
    when: ({ measured, results }) =>
      measured.filter((outcome) => waitsForAcknowledgements(outcome, transportFacts(results, outcome.cell))),
    say: (rows, { measured }) =>
      `Medians of 40 or 80 ms may be delayed acknowledgements of TCP: ${scopeText(measured, rows)}. If an end uses Nagle's algorithm, it holds small writes back; TCP_NODELAY switches that off, in mosquitto set_tcp_nodelay true.`,
  }),
  rule({ when: limitsOfRows, say: (limits, { measured }) => limitSentences(limits, measured) }),
  rule({
    when: (facts) =>
      flagged('oversubscribed')(facts).flatMap((row) => {
        const crowds = crowdsOf(row, facts.results);
        return crowds.length === 0 ? [] : { row, crowds };
      }),
    say: (found, { measured }) => {
      const rows = found.map(({ row }) => row);
      const crowds = found.flatMap((one) => one.crowds);
      return `${crowdText(crowds)} in ${scopeText(measured, rows)}: with more CPUs, ratios may differ.`;
    },
  }),
  rule({
    // Where several processes work at the same time, codec and harness may be a smaller share of CPU time than of elapsed
    // time.
    when: (facts) =>
      flagged('harness-limited')(facts).filter(
        (outcome) =>
          !hasDoubtfulControl(facts.results.controls, outcome.cell) &&
          (harnessShare(outcome, facts.results.controls) ?? 1) >= 1 / LEAST_LEAD_OF_NULL,
      ),
    say: (rows, { measured, results }) =>
      `Codec and harness are part of the CPU time in ${sharesText(measured, rows, (outcome) => harnessShare(outcome, results.controls))}: transports alone differ more.`,
  }),
  rule({
    when: flagged('blocked'),
    say: (rows, { measured }) =>
      `Code of the master blocks its event loop, and requests wait for it: ${scopeText(measured, rows, { nameOf: blockedName })}.`,
  }),
  rule({
    when: flagged('wake-up'),
    say: (rows, { measured, results }) =>
      `Waking sleeping CPUs is most of the median latency in ${sharesText(measured, rows, (outcome) => readWakeUpShare(outcome, results))}.`,
  }),
  rule({
    when: flagged('low-rate'),
    say: (rows, { measured }) =>
      `Fewer than ${formatCount(WARM_OPERATIONS)} ${commonOperation(rows).many} per worker before the window, so V8 may still interpret part of the code: ${scopeText(measured, rows)}.`,
  }),
  rule({
    when: flagged('free'),
    say: (rows, { measured }) => `Processes could not be pinned to CPUs: ${scopeText(measured, rows)}.`,
  }),
];

const ACKNOWLEDGED_AFTER_US = 40_000; // delay with which Linux acknowledges a single segment
const GREATEST_WITHHELD_BYTES = 64 * 1024;
const FEW_LOOPS = 4;

/**
 * @param {MeasuredOutcome} outcome
 * @param {Partial<import('../../types/index.js').TransportFacts>} facts
 * @returns {boolean} true for round trips that may use TCP and whose median is about one or two delays of an acknowledgement
 */
function waitsForAcknowledgements(outcome, { class: kind = 'other' }) {
  const { scenario, payloadBytes, loops, network, transport } = outcome.cell;
  if (transport === 'unix' || ['pipe', 'memory', 'thread'].includes(kind)) return false;
  if (
    scenario !== 'round-trip' ||
    payloadBytes > GREATEST_WITHHELD_BYTES ||
    loops > FEW_LOOPS ||
    network !== undefined
  )
    return false;
  const delays = (findMainTimes(outcome)?.p50 ?? 0) / ACKNOWLEDGED_AFTER_US;
  return [1, 2].some((each) => delays >= 0.98 * each && delays <= 1.2 * each);
}

/** Printed wherever latencies of closed loops are shown. */
export const CLOSED_LOOP_SENTENCES = Object.freeze({
  brief: 'Closed loop: p99 is service time (coordinated omission). Use --rate for response times.',
  full: 'Closed loop: each loop waits for the response before it sends the next request, so latencies are service times and p99 understates what real traffic sees (coordinated omission). Use --rate for response times.',
});

const CLOSED_LOOP = rule({
  when: ({ measured }) => measured.some((outcome) => !isOpen(outcome) && hasServiceTimes(outcome)),
  say: () => CLOSED_LOOP_SENTENCES.full,
  brief: () => CLOSED_LOOP_SENTENCES.brief,
});

/**
 * @param {Facts} facts
 * @param {boolean} isBrief    the most important ones only
 * @returns {string[]} sentences on the properties of rows, and on the times of closed loops
 */
export function propertySentences(facts, isBrief) {
  const sentences = applyRules(PROPERTIES, facts, isBrief);
  const shown = isBrief ? sentences.slice(0, SHOWN_IN_BRIEF) : sentences;
  return [...shown, ...applyRules([CLOSED_LOOP], facts, isBrief)];
}

/** @param {MeasuredOutcome} outcome @param {Pick<Results, 'machine'>} results @returns {number | null} share of the median, if known */
export function readWakeUpShare(outcome, { machine }) {
  const medianUs = findMainTimes(outcome)?.p50 ?? null;
  return wakeUpShare(outcome.cell, outcome.launches, medianUs, machine?.wakeUp?.costUs ?? null);
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} rows      a subset, at least one
 * @param {(outcome: MeasuredOutcome) => number | null} shareOf
 * @returns {string} 'pipe/json (46 %), tcp/json (35 %)', 'all of 2x4 (11 to 46 %)', '9 of 24 rows (11 to 46 %, most in pipe/json)'
 */
function sharesText(measured, rows, shareOf) {
  const ordered = rows.toSorted((one, other) => (shareOf(other) ?? 0) - (shareOf(one) ?? 0));
  const shares = ordered.flatMap((outcome) => shareOf(outcome) ?? []);
  const nameOf = (/** @type {MeasuredOutcome} */ outcome) => {
    const share = shareOf(outcome);
    return share === null ? cellName(outcome.cell) : `${cellName(outcome.cell)} (${formatPercent(share)})`;
  };
  const scope = scopeText(
    measured,
    ordered,
    isOnePlace(measured) ? { nameOf, mostNames: SHARES_NAMED } : { nameOf },
  );
  if (shares.length === 0 || scope.endsWith(' %)')) return scope;
  const most =
    scope.endsWith(' rows') && scope !== 'all rows' ? `, most in ${cellName(ordered[0].cell)}` : '';
  return `${scope} (${percentsText(shares)}${most})`;
}

/** @param {number[]} shares @returns {string} '11 to 46 %' */
function percentsText(shares) {
  const percents = shares.map((share) => Math.round(100 * share));
  return `${spanText(percents, ' to ', formatCount)} %`;
}

/**
 * @typedef {object} Limit
 * @property {string} by   a process or a window of acknowledgements
 * @property {string} name   name of the row
 * @property {number | null} share   of a core
 * @property {boolean} hasFreeCpu   the machine has CPUs that the launch does not use
 */

/** @param {Facts} facts @returns {Limit[]} */
function limitsOfRows({ measured, results }) {
  return measured.flatMap((outcome) => {
    const { busiest, cell } = outcome;
    const name = cellName(cell);
    if (busiest !== null && busiest.share >= BOTTLENECK_SHARE)
      return {
        by: limitingProcess(busiest),
        name,
        share: busiest.share,
        hasFreeCpu: hasFreeCpu(outcome, results),
      };
    const window = limitingWindow(outcome, results);
    const by = `the window of acknowledgements (${window})`;
    return window === null ? [] : { by, name, share: null, hasFreeCpu: false };
  });
}

const WORKER_PROCESS = 'a worker process';

/** @param {MeasuredOutcome} outcome @param {Results} results @returns {boolean} false if unknown */
function hasFreeCpu({ launches }, { environment }) {
  const used = new Set(launches.flatMap(({ costs }) => costs.flatMap(({ cpus }) => cpus ?? [])));
  const usable = environment.usableCpus?.length ?? environment.logicalCpus;
  return used.size > 0 && used.size < usable;
}

/** @param {MeasuredOutcome} outcome @returns {string} 'slow/json (for 301 ms)' */
function blockedName({ cell, launches }) {
  const longestMs = Math.max(...launches.map(({ blockedMaster }) => blockedMaster?.longestMs ?? 0));
  return `${cellName(cell)} (for ${pauseText(longestMs)})`;
}

/** @param {Busiest} busiest @returns {string} 'the master process', 'redis' */
function limitingProcess({ role, name }) {
  if (role === 'worker') return WORKER_PROCESS;
  return role === 'master' ? 'the master process' : printable(name);
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @returns {string | null} 'inflight=1', the window of acknowledgements that the senders of a stream wait for; null if something else may
 *   limit it
 */
function limitingWindow({ cell, backpressure, busiest, flags, launches }, results) {
  const window = transportFacts(results, cell).acknowledgementWindow;
  if (window === undefined || busiest === null || !(Number(backpressure?.waits) > 0)) return null;
  // A rate that is sustained limits the row, and so may the rate of an emulated network: '1ms+100mbit'.
  const isSustained =
    cell.ratePerSecond !== undefined && flags.every(({ code }) => code !== 'generator-limited');
  if (isSustained || cell.network?.includes('+')) return null;
  if (launches.some((launch) => greatestCpuLoad(launch) >= BOTTLENECK_SHARE)) return null;
  return printable(`${window.setting}=${window.messages}`);
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @returns {number} load of the busiest CPU; unknown CPUs count as one */
function greatestCpuLoad({ costs }) {
  /** @type {Map<number | null, number>} */
  const loads = new Map();
  for (const { cpus, share } of costs) {
    const placed = cpus ?? [null];
    for (const cpu of placed) loads.set(cpu, (loads.get(cpu) ?? 0) + share / placed.length);
  }
  return Math.max(0, ...loads.values());
}

/** @param {Limit[]} limits @param {MeasuredOutcome[]} measured @returns {string[]} */
function limitSentences(limits, measured) {
  return [...groupedBy(limits, ({ by }) => by)].map(([by, rows]) => {
    const shares = rows.flatMap(({ share }) => share ?? []);
    const isAll = rows.length === measured.length && rows.length > 1;
    const names = isAll ? 'all rows' : listed([...new Set(rows.map(({ name }) => name))], NAMES_SHOWN);
    const mayHelp = by === WORKER_PROCESS && rows.every((row) => row.hasFreeCpu);
    const next = mayHelp ? 'more workers may help' : 'more workers add little';
    return shares.length === 0
      ? `${capitalised(by)} may limit ${names}: senders wait for acknowledgements, and no process is busy.`
      : `${capitalised(by)} (${percentsText(shares)} of a core) limits ${names}: ${next}.`;
  });
}

/** @param {MeasuredOutcome} outcome @param {Results} results @returns {Crowd[]} one for each launch whose processes used the CPUs almost completely */
function crowdsOf({ cell, launches }, { environment, hosts }) {
  if (hosts !== undefined) return [];
  const usableCpus = environment.usableCpus?.length ?? environment.logicalCpus;
  return launches.flatMap(({ costs, isSpinning }) => {
    const neverSleeps = cell.poll === 'busy' || isSpinning === true;
    return findCrowd(costs, { usableCpus, neverSleeps }) ?? [];
  });
}

// Names the rows that share a property in few words: all, all with one concurrency, payload, rate or codec, all but two, or a few by
// name.

const LEAST_OF_GROUP = 3; // fewer rows are named one by one
const GROUPS_SHOWN = 6;
const MOST_EXCEPTIONS = 2;
const LEAST_WITH_EXCEPTIONS = 6;
const NAMES_OF_PLACE = 3; // at several places, a name does not identify a row

/** Parts of a place, each in a few words. @type {((cell: Cell) => string)[]} */
export const PLACES = [
  shapeLabel,
  ({ payloadBytes }) => formatBytes(payloadBytes),
  ({ ratePerSecond = 0 }) => formatRate(ratePerSecond),
];

/** @type {((cell: Cell) => string)[]} */
const SERIES = [({ codec }) => `codec ${printable(codec)}`, (cell) => printable(seriesLabel(cell))];

/** @param {MeasuredOutcome[]} measured @returns {boolean} true if all rows have the same shape, payload size and rate */
function isOnePlace(measured) {
  return PLACES.every((placeOf) => new Set(measured.map(({ cell }) => placeOf(cell))).size === 1);
}

/** @param {MeasuredOutcome[]} measured @param {Set<MeasuredOutcome>} concerned @returns {string | null} 'all of 2x4'; null if they are not whole groups */
function wholeGroups(measured, concerned) {
  for (const placeOf of [...PLACES, ...SERIES]) {
    const groups = [...groupedBy(measured, ({ cell }) => placeOf(cell))];
    const whole = groups.filter(
      ([, rows]) => rows.length >= LEAST_OF_GROUP && rows.every((outcome) => concerned.has(outcome)),
    );
    const covered = whole.flatMap(([, rows]) => rows);
    if (covered.length === concerned.size && whole.length <= GROUPS_SHOWN)
      return `all of ${listed(whole.map(([name]) => name))}`;
  }
  return null;
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {MeasuredOutcome[]} rows      a subset, at least one
 * @param {{ nameOf?: (outcome: MeasuredOutcome) => string, mostNames?: number }} [names]    mostNames: more rows are only counted
 * @returns {string} 'all rows', 'all of 2x4', 'all but unix/json', 'pipe/json (46 %), tcp/json (35 %)', '9 of 24 rows'
 */
export function scopeText(
  measured,
  rows,
  { nameOf = ({ cell }) => cellName(cell), mostNames = isOnePlace(measured) ? NAMES_OF_PLACE : 1 } = {},
) {
  const concerned = new Set(rows);
  const others = measured.filter((outcome) => !concerned.has(outcome));
  if (measured.length > 1 && others.length === 0) return 'all rows';
  const groups = wholeGroups(measured, concerned);
  if (groups !== null) return groups;
  if (isOnePlace(measured) && others.length <= MOST_EXCEPTIONS && rows.length >= LEAST_WITH_EXCEPTIONS)
    return `all but ${listed(others.map(({ cell }) => cellName(cell)))}`;
  const names = [...new Set(rows.map(nameOf))];
  if (rows.length <= mostNames) return listed(names);
  return `${rows.length} of ${measured.length} rows`;
}
