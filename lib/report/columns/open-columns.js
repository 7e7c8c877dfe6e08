// The columns of the table of open load, and what stands below it. Response time, service time and send lag are three
// columns; where the plan was not kept there is no response time.

import { commonOperation, findMainTimes, readHeadline, SERVICE_TIME } from '../../cell/headline.js';
import { formatCount, formatNumber, formatPercent, NOTHING, orNothing } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { formatRowName, isMeasured, isOpen, sharedFlags } from '../text/groups.js';
import { measureTitle } from '../text/measure-words.js';
import { readResponseTime, responseTimeText } from '../text/response-times.js';
import { closedColumns, intervalTitle, shownColumns } from './columns.js';
import { cpuColumns } from './cost-columns.js';
import { flagsColumn } from './flags-column.js';
import { valueColumns } from './measure-columns.js';

/** @import { FurtherColumn, MeasuredOutcome, OpenSummary, Outcome, Results } from '../../types/index.js' */
/** @import { Choice, Column } from './columns.js' */
/** @typedef {MeasuredOutcome & { open: OpenSummary }} OpenOutcome */

const PACINGS = Object.freeze({
  spin: 'pacing spin: event loops of workers never sleep, and their CPU time is mostly that of the pacing',
  tick: 'pacing tick: timers of about 1 ms, most of the send lag is theirs',
});

/** @param {MeasuredOutcome} outcome @returns {OpenSummary} */
function readOpen(outcome) {
  return /** @type {OpenOutcome} */ (outcome).open;
}

/**
 * @param {Results} results
 * @param {readonly FurtherColumn[]} [further]    beside those of a first look; left out: all columns
 * @returns {(group: import('../text/groups.js').Group) => Choice[]} of its scenario and model: two of either share no
 *   columns, and all groups of one do
 */
export function columnsOfGroups(results, further) {
  const { outcomes } = results;
  /** @type {Map<string, Choice[]>} */
  const known = new Map();
  const shared = sharedFlags(outcomes);
  return ({ cell }) => {
    const isAlike = (/** @type {Outcome} */ other) =>
      other.cell.scenario === cell.scenario && isOpen(other) === isOpen({ cell });
    const key = `${isOpen({ cell })} ${cell.scenario}`;
    const columns = known.get(key) ?? columnsOf(outcomes.filter(isAlike));
    known.set(key, columns);
    return columns;
  };

  /** @param {Outcome[]} alike */
  function columnsOf(alike) {
    const choices = alike.every(isOpen)
      ? openColumns(alike, shared)
      : closedColumns({ ...results, outcomes: alike }, shared);
    return shownColumns(choices, further);
  }
}

/** @param {'p50' | 'p99'} percentile @param {string} interval @returns {Column} */
function responseColumn(percentile, interval) {
  return {
    span: 'response time µs',
    title: `${percentile}${interval}`,
    align: 'first word',
    text: (outcome) => {
      const time = readResponseTime(outcome, percentile);
      return time === null ? NOTHING : responseTimeText(time);
    },
    value: (outcome) => readResponseTime(outcome, percentile)?.us.estimate ?? null,
  };
}

/**
 * @param {string} span
 * @param {FurtherColumn} further
 * @param {(outcome: MeasuredOutcome) => { p50: number, p99: number | null } | null} timesOf
 * @returns {Choice[]}
 */
function timeColumns(span, further, timesOf) {
  return [
    {
      span,
      further,
      title: 'p50',
      align: 'right',
      text: (outcome) => orNothing(timesOf(outcome)?.p50 ?? null),
      value: (outcome) => timesOf(outcome)?.p50,
    },
    {
      span,
      further,
      title: 'p99',
      align: 'right',
      text: (outcome) => orNothing(timesOf(outcome)?.p99 ?? null),
      value: (outcome) => timesOf(outcome)?.p99,
    },
  ];
}

/**
 * @param {'late' | 'missed' | 'dropped'} kind
 * @param {(outcome: MeasuredOutcome) => number} value
 * @param {(value: number) => string} format
 * @returns {Choice}
 */
function sendsColumn(kind, value, format = formatCount) {
  return {
    span: 'sends',
    title: kind,
    further: 'sends',
    align: 'right',
    text: (outcome) => format(value(outcome)),
    value,
  };
}

/** @param {MeasuredOutcome[]} measured   of one scenario @returns {string} what the times from the real send are called */
function timesTitle(measured) {
  const main = measured.map(findMainTimes).find((times) => times !== null);
  return main === undefined || main === null || main.name === SERVICE_TIME
    ? 'service time µs'
    : printable(measureTitle(main));
}

/** @param {Outcome[]} outcomes   under open load @param {ReadonlySet<string>} shared   flags of all rows @returns {Choice[]} */
function openColumns(outcomes, shared) {
  const measured = outcomes.filter(isMeasured);
  const has = (/** @type {(outcome: MeasuredOutcome) => boolean} */ isThere) => measured.some(isThere);
  const interval = intervalTitle(measured);
  const { one, many } = commonOperation(measured);
  return [
    // With its rate: it begins every panel, and tells the rows apart.
    { span: '', title: 'transport/codec, plan', align: 'left', text: ({ cell }) => formatRowName(cell) },
    {
      span: printable(many),
      title: 'per second',
      align: 'right',
      text: (outcome) => formatNumber(readHeadline(outcome).estimate),
      value: (outcome) => readHeadline(outcome).estimate,
    },
    responseColumn('p50', interval),
    responseColumn('p99', interval),
    flagsColumn(has, shared),
    ...timeColumns(timesTitle(measured), 'service', findMainTimes),
    ...timeColumns('send lag µs', 'lag', (outcome) => readOpen(outcome).sendLagUs),
    sendsColumn(
      'late',
      (outcome) => {
        const { late, due } = readOpen(outcome);
        return due === 0 ? 0 : late / due;
      },
      formatPercent,
    ),
    {
      ...sendsColumn('missed', (outcome) => readOpen(outcome).missed),
      isShown: has((outcome) => !readOpen(outcome).catchesUp),
    },
    sendsColumn('dropped', (outcome) => readOpen(outcome).dropped),
    ...valueColumns(measured).filter(({ further }) => further === undefined),
    ...cpuColumns(`CPU µs per ${printable(one)}`, measured),
  ];
}

/** @param {Outcome[]} outcomes @returns {string[]} what the columns of open load mean; nothing where there is none */
export function openNotes(outcomes) {
  const measured = outcomes.filter(isMeasured).filter(isOpen);
  if (measured.length === 0) return [];
  const arrivals = new Set(measured.map((outcome) => readOpen(outcome).arrivals));
  const pacings = new Set(measured.map((outcome) => PACINGS[readOpen(outcome).pacing]));
  const isGivenUp = measured.some((outcome) => !readOpen(outcome).catchesUp);
  const isBound = measured.some(({ open }) => (open?.responseUs.perLaunch.atLeast ?? []).length > 0);
  const lost = 'dropped: never sent until the end of the launch';
  return [
    'Response time: from the planned instant to the answer, the delivery or the acknowledgement. Service time: from the real send. Send lag: between the two.',
    `Open load, ${[...arrivals].join(' and ')} arrivals; ${[...pacings].join('; ')}.`,
    `late: no loop was free, or the channel took nothing, when it was due; ${isGivenUp ? 'missed: given up because it was late; ' : ''}${lost}.`,
    ...(isBound
      ? [
          '> x: at least x. So much had no answer when the window closed, sent or not, that more is not known.',
        ]
      : []),
  ];
}
