// What a recorded program would gain: whether its replay represents it, and what other rows would save of a core at its rate.

import { findMainTimes } from '../../cell/headline.js';
import { unmetNeed } from '../../cell/needs.js';
import { US_PER_S } from '../../format/units.js';
import { estimateRatio, estimateTypical } from '../../statistics/estimate.js';
import { LEAST_LAUNCHES } from '../../statistics/log-model.js';
import { sumBy } from '../../statistics/sum.js';
import { claimDirection } from '../../statistics/verdict.js';
import { cellName, hasResponseTimes, isMeasured, isOpen } from '../text/groups.js';
import { readResponseTime, withoutInterval } from '../text/response-times.js';
import { unrankedBy } from '../text/verdicts.js';
import { readCpuUs } from './cpu-cost.js';

/** @import { Conversation } from '../../record/traffic-costs.js' */
/** @import { Cell, Estimate, Interval, KnownTraits, MeasuredOutcome, ReplaySizes, Results } from '../../types/index.js' */
/** @import { ResponseTime } from '../text/response-times.js' */
/** @typedef {{ name: string, cell: Cell, traits: KnownTraits, outcome: MeasuredOutcome }} Candidate */
/** @typedef {{ candidates: Candidate[] }} Evidence */
/** @typedef {'option' | 'codec' | 'mechanism' | 'threads'} Effort   what has to be changed, the least first */
/**
 * The replay of the present way against the program: the same recorder timed both.
 * @typedef {object} ReplayCheck
 * @property {number} programUs     of a message with its response: sending and deserialising, at both ends
 * @property {Estimate} replayUs    launches as samples
 * @property {Estimate} ratio       of replay to program
 * @property {boolean} isAlike      within 20 %, and known well enough
 * @property {boolean} isNoisy      its interval is too wide to tell
 */
/**
 * A row at the recorded rate and arrivals.
 * @typedef {object} GainRow
 * @property {string} name
 * @property {Cell} cell
 * @property {number | null} share          of a core, all processes; null: not told
 * @property {(Estimate & { simultaneous?: Interval }) | null} ratio   of its CPU time to that of the present way; null: it is the present way, or has no interval
 * @property {Interval & { estimate: number } | null} saved   of a core; the interval holds for all rows of the channel together
 * @property {boolean} isCheaper            it is proven
 * @property {ResponseTime | null} p99      from when a message was due, in closed loops from when it was sent
 * @property {boolean} isLate               its messages were not sent at the recorded arrivals
 * @property {Effort | null} effort         null: the present way
 * @property {string} kind                  in what its transport differs, '' where it does not
 */
/**
 * @typedef {object} ChannelGain
 * @property {Conversation} conversation
 * @property {string} why                why nothing is said of it; '': something is
 * @property {string} reference          the present way
 * @property {ReplaySizes[]} sizes       of the messages, and of their responses; empty: there is no replay, or no size is known
 * @property {ReplayCheck | null} check
 * @property {GainRow[]} rows            the present way first, then the cheapest first; empty: nothing was cheaper in closed loops
 * @property {string[]} others           rows that were not clearly cheaper in closed loops
 */

const ALIKE = 0.2;
const LEAST_SAVED = 0.05; // of the CPU time: less is not worth another measurement
const MOST_ROWS = 2; // each more takes a quarter of a minute
const SENT_LATE = 'generator-limited';
const WIDEST = 2; // its upper end, times the lower one
const OWN_FORMATS = ['json', 'v8']; // of process.send: an option of fork()
/** @type {readonly Effort[]} the least first */
const EFFORTS = ['option', 'codec', 'mechanism', 'threads'];

/** @param {number} programUs @param {number[]} replayUs   of launches, at least one @returns {ReplayCheck} */
export function checkReplay(programUs, replayUs) {
  const estimate = estimateTypical(replayUs);
  const times = (/** @type {number} */ us) => us / programUs;
  const ratio = {
    ...estimate,
    estimate: times(estimate.estimate),
    low: times(estimate.low),
    high: times(estimate.high),
  };
  const isNoisy = ratio.level === null || ratio.high / ratio.low > WIDEST;
  return {
    programUs,
    replayUs: estimate,
    ratio,
    isNoisy,
    isAlike: !isNoisy && Math.abs(ratio.estimate - 1) <= ALIKE,
  };
}

/**
 * @param {Results} results
 * @param {number | null} ratePerSecond   null: closed loops
 * @param {(cell: Cell) => KnownTraits} traitsFor
 * @returns {Evidence}
 */
export function evidenceIn({ outcomes }, ratePerSecond, traitsFor) {
  const candidates = outcomes
    .filter(isMeasured)
    .filter(({ cell }) => cell.ratePerSecond === (ratePerSecond ?? undefined))
    .map((outcome) => ({
      name: cellName(outcome.cell),
      cell: outcome.cell,
      traits: traitsFor(outcome.cell),
      outcome,
    }));
  return { candidates };
}

/**
 * Of rows in closed loops that take less CPU time than the present way, by their estimates: the cheapest, and the one that takes
 * the least work. Other launches judge them.
 * @param {Evidence} evidence
 * @param {string} reference
 * @param {string[]} needs   words of --need
 * @returns {{ chosen: Candidate[], others: string[] }}
 */
export function chooseRows({ candidates }, reference, needs) {
  const present = candidates.find(({ name }) => name === reference);
  // Threads are another kind, which the answer says of its rows: who names no need may take them.
  const isFit = (/** @type {Candidate} */ { traits }) =>
    needs.length === 0 || unmetNeed(traits, needs) === '';
  const rivals = candidates.filter((each) => each !== present && isFit(each));
  if (present === undefined) return { chosen: [], others: rivals.map(({ name }) => name) };
  const ratioOf = (/** @type {Candidate} */ each) =>
    cpuRatio(each, present, rivals.length)?.estimate ?? Infinity;
  const cheaper = rivals
    .filter((each) => isRanked(each) && ratioOf(each) < 1 - LEAST_SAVED)
    .toSorted((one, other) => ratioOf(one) - ratioOf(other));
  /** @type {Candidate[]} */
  const chosen = [];
  let least = EFFORTS.length;
  for (const each of cheaper) {
    // What is dearer has to take less work.
    const effort = EFFORTS.indexOf(effortOf(each.cell, present.cell));
    if (effort >= least) continue;
    chosen.push(each);
    least = effort;
  }
  if (chosen.length > MOST_ROWS) chosen.splice(1, chosen.length - MOST_ROWS); // the cheapest, and the one of least work
  return { chosen, others: rivals.filter((each) => !cheaper.includes(each)).map(({ name }) => name) };
}

/**
 * @param {Evidence} evidence     at the recorded rate
 * @param {string} reference
 * @param {number} perSecond      of the program, over the whole recording
 * @param {(cell: Cell) => string} kindOf
 * @returns {GainRow[]} empty: the present way was not measured
 */
export function gainRows({ candidates }, reference, perSecond, kindOf) {
  const present = candidates.find(({ name }) => name === reference);
  if (present === undefined) return [];
  const rivals = candidates.filter((each) => each !== present);
  const presentShare = (cpuUs(present) * perSecond) / US_PER_S;
  const toRow = (/** @type {Candidate} */ candidate) => {
    const isPresent = candidate === present;
    const ratio = isPresent ? null : cpuRatio(candidate, present, rivals.length);
    const share = (cpuUs(candidate) * perSecond) / US_PER_S;
    return {
      name: candidate.name,
      cell: candidate.cell,
      share: Number.isFinite(share) ? share : null,
      ratio,
      saved: ratio === null ? null : savedBy(ratio, presentShare),
      isCheaper: ratio !== null && hasCpuTime(candidate) && claimDirection(ratio) < 0,
      p99: readP99(candidate),
      isLate: isLate(candidate),
      effort: isPresent ? null : effortOf(candidate.cell, present.cell),
      kind: isPresent ? '' : kindOf(candidate.cell),
    };
  };
  const rows = rivals
    .map(toRow)
    .toSorted((one, other) => (one.share ?? Infinity) - (other.share ?? Infinity));
  return [toRow(present), ...rows];
}

/** @param {ChannelGain} gain @returns {GainRow | null} the cheapest that is proven to be cheaper, where its replay represents the program */
export function bestRow({ rows, check }) {
  return check?.isAlike === true ? (rows.find(({ isCheaper }) => isCheaper) ?? null) : null;
}

/** @param {ChannelGain[]} gains @returns {(Interval & { estimate: number }) | null} of a core, with the best row of each channel; null: none saves any */
export function savedInSum(gains) {
  const saved = gains.flatMap((gain) => bestRow(gain)?.saved ?? []);
  if (saved.length === 0) return null;
  return {
    estimate: sumBy(saved, ({ estimate }) => estimate),
    low: sumBy(saved, ({ low }) => low),
    high: sumBy(saved, ({ high }) => high),
  };
}

/** @param {Candidate} candidate @returns {number} CPU time of an operation, all processes; NaN: not told */
function cpuUs({ outcome }) {
  const costs = outcome.launches.map(readCpuUs).filter(isCost);
  return costs.length === 0 ? Number.NaN : estimateTypical(costs).estimate;
}

/** @param {Candidate} candidate @returns {boolean} its CPU time may be compared: also that of messages which were sent late */
function hasCpuTime({ outcome: { flags, launches } }) {
  const codes = flags.map(({ code }) => code).filter((code) => code !== SENT_LATE);
  return launches.length >= LEAST_LAUNCHES && unrankedBy(codes) === null;
}

/** @param {Candidate} candidate @returns {boolean} */
function isRanked({ outcome: { flags, launches } }) {
  return launches.length >= LEAST_LAUNCHES && unrankedBy(flags.map(({ code }) => code)) === null;
}

/** @param {Candidate} candidate @returns {ResponseTime | null} in closed loops from sending */
function readP99({ outcome }) {
  if (isOpen(outcome)) return readResponseTime(outcome, 'p99');
  const us = findMainTimes(outcome)?.p99 ?? null;
  return us === null ? null : { us: withoutInterval(us), isAtLeast: false };
}

/** @param {Candidate} candidate */
function isLate({ outcome }) {
  return isOpen(outcome) && !hasResponseTimes(outcome);
}

/** @param {Candidate} one @param {Candidate} present @param {number} comparisons */
function cpuRatio(one, present, comparisons) {
  const byBlock = new Map(present.outcome.launches.map((launch) => [launch.block, readCpuUs(launch)]));
  const pairs = one.outcome.launches
    .map((launch) => ({ cost: readCpuUs(launch), other: byBlock.get(launch.block) ?? Number.NaN }))
    .filter(({ cost, other }) => isCost(cost) && isCost(other));
  if (pairs.length === 0) return null;
  const costs = pairs.map(({ cost }) => cost);
  return estimateRatio(
    costs,
    pairs.map(({ other }) => other),
    comparisons,
  );
}

/** @param {number} us @returns {boolean} it is known */
function isCost(us) {
  return us > 0 && us < Infinity;
}

/** @param {Estimate & { simultaneous?: Interval }} ratio @param {number} presentShare */
function savedBy(ratio, presentShare) {
  const { low, high } = ratio.simultaneous ?? ratio;
  return {
    estimate: presentShare * (1 - ratio.estimate),
    low: presentShare * (1 - high),
    high: presentShare * (1 - low),
  };
}

/** @param {Cell} cell @param {Cell} present @returns {Effort} */
function effortOf({ transport, codec }, present) {
  if (transport !== present.transport) {
    const isThread = (/** @type {string} */ name) => name.startsWith('threads-');
    return isThread(transport) && !isThread(present.transport) ? 'threads' : 'mechanism';
  }
  return codec === present.codec || (transport === 'pipe' && OWN_FORMATS.includes(codec))
    ? 'option'
    : 'codec';
}
