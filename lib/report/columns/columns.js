// The columns of a table of results, for the terminal, Markdown and HTML.

import {
  commonOperation,
  findMainTimes,
  headlineMeasure,
  readHeadline,
  SERVICE_TIME,
  timesIn,
  valuesIn,
} from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy, shortened } from '../../format/lists.js';
import {
  formatCount,
  formatInterval,
  formatMemory,
  formatNumber,
  formatPercent,
  formatRatio,
  formatRatioEnds,
  formatRatioInterval,
  hasRange,
  NOTHING,
  orNothing,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import {
  cpuUsInAll,
  findFloorRow,
  floorCpuUs,
  harnessShare,
  netCpuUs,
  readFloor,
  shareOfFloor,
} from '../../results/calibration-rows.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { listRoles } from '../../results/summarise.js';
import { LONG_PAYLOAD_BYTES } from '../findings/blocking-findings.js';
import { groupRows, isOpen } from '../findings/groups.js';
import { sharedFaults } from '../findings/noise-findings.js';
import { readWakeUpShare } from '../findings/property-findings.js';
import { readResponseTime } from '../findings/response-times.js';
import { bestFirst } from '../findings/row-verdicts.js';
import { backpressureOfRow } from '../text/delivery-words.js';
import { measureTitle } from '../text/measure-words.js';
import { cellName, formatRowName } from '../text/names.js';
import { listRemarks } from '../text/remarks.js';
import { responseTimeText } from '../text/time-words.js';

/** @import { Estimate, FurtherColumn, MeasuredOutcome, Results, OpenSummary, Outcome, MeasureFacts, PercentileName } from '../../types/index.js' */
/** @import { WithFloor } from '../../results/calibration-rows.js' */
/** @import { RowGroup } from '../findings/groups.js' */

/**
 * @template [Row=MeasuredOutcome]
 * @typedef {object} Column
 * @property {string} span      title shared with neighbouring columns; '' if there is none
 * @property {string} title
 * @property {'left' | 'right' | 'first word'} align    'first word': estimates are aligned to the right, intervals to the left
 * @property {(row: Row) => string} text
 * @property {(row: Row) => number | null | undefined} [value]   sort key; the text by default
 * @property {true} [isRemarks]   the column may be printed below each row instead
 * @property {boolean} [isLessBetter]     the least value is the best
 */
/**
 * Determines when a column is shown.
 * @typedef {object} Visibility
 * @property {true} [isOptional]           shown only if a row has a value
 * @property {FurtherColumn} [further]     hidden by default; --columns adds it by this name
 * @property {true} [isSum]                the sum of other columns, not shown in a table that has all columns
 * @property {string} [short]              title in the default table, which has one line of titles
 */
/** @typedef {Column & Visibility} ColumnChoice */

const BEST = ' *'; // marks the name of the row with the best estimate
const MAX_TITLE_LABEL = 30;
const SHOWN_IF_LONG = ['mainCpu', 'longestBlock', 'timerDelay'];

/** @template Row @param {string} title @param {(row: Row) => string} text @returns {Column<Row>} */
export function textColumn(title, text) {
  return { span: '', title, align: 'left', text };
}

/**
 * @template [Row=MeasuredOutcome]
 * @param {string} span
 * @param {string} title
 * @param {(row: Row) => number | null | undefined} value
 * @param {(value: number) => string} [format]
 * @returns {Column<Row>}
 */
export function numberColumn(span, title, value, format) {
  /** @param {Row} row */
  const text = (row) => orNothing(value(row) ?? null, format);
  return { span, title, align: 'right', text, value, isLessBetter: true };
}

/**
 * @template [Row=MeasuredOutcome]
 * @param {string} span
 * @param {string} title
 * @param {(row: Row) => Estimate | null} read
 * @param {(estimate: Estimate) => string} [format]
 * @returns {Column<Row>}
 */
export function estimateColumn(span, title, read, format = formatInterval) {
  return {
    span,
    title,
    align: 'first word',
    text: (row) => {
      const estimate = read(row);
      return estimate === null ? NOTHING : format(estimate);
    },
    value: (row) => read(row)?.estimate,
  };
}

/** @param {MeasuredOutcome} outcome   under open load */
function readOpen({ open }) {
  return /** @type {OpenSummary} */ (open);
}

/**
 * @param {Results} results
 * @param {readonly FurtherColumn[]} [further]    columns that are added to the default table; if undefined, all columns except sums
 * @returns {(group: RowGroup) => ColumnChoice[]} the same for all groups of one scenario and load model
 */
export function columnsOfGroups(results, further) {
  const { outcomes } = results;
  /** @param {Pick<Outcome, 'cell'>} row */
  const modelOf = ({ cell }) => `${isOpen({ cell })} ${cell.scenario}`;
  const columns = new Map(
    [...groupedBy(outcomes, modelOf)].map(([model, alike]) => {
      const measured = alike.filter(isMeasured);
      const choices = alike.every(isOpen)
        ? openColumns(measured, outcomes)
        : closedColumns(measured, results);
      return [model, shownColumns(choices, measured, further)];
    }),
  );
  return (group) => columns.get(modelOf(group)) ?? [];
}

/** @param {RowGroup} group @returns {MeasuredOutcome | null} the row that the table marks as the best */
function findBest({ cell, measured }) {
  const [best, next] = bestFirst(measured);
  return isOpen({ cell }) || next === undefined || headlineMeasure(best).better === null ? null : best;
}

/** @param {RowGroup} group @returns {string} '; * = best', for the heading of its table */
export function bestLegend(group) {
  return findBest(group) === null ? '' : `;${BEST} = best`;
}

/** @param {ColumnChoice[]} choices @param {MeasuredOutcome[]} measured @param {readonly FurtherColumn[]} [further] */
function shownColumns(choices, measured, further) {
  const fitting = choices.filter(
    ({ isOptional, text }) =>
      isOptional === undefined || measured.some((outcome) => !['', NOTHING].includes(text(outcome))),
  );
  if (further === undefined) return fitting.filter(({ isSum }) => isSum === undefined);
  return fitting
    .filter((choice) => choice.further === undefined || further.includes(choice.further))
    .map((choice) =>
      choice.short === undefined || further.length > 0
        ? choice
        : { ...choice, span: '', title: choice.short },
    );
}

/**
 * @param {MeasuredOutcome[]} measured   in closed loops, of one scenario
 * @param {Results} results
 * @returns {ColumnChoice[]}
 */
function closedColumns(measured, results) {
  const { reference, controls } = results;
  const best = new Set(groupRows(results).map(findBest));
  const headlines = measured.map(readHeadline);
  const measure = measured.length === 0 ? null : headlineMeasure(measured[0]);
  const headline = measure === null ? '' : printable(measureTitle(measure));
  const short = (measure === null ? '' : rateTitle(measure)) + levelTitle(headlines, '');
  const ratioTitle = `ratio to ${shortened(printable(reference), MAX_TITLE_LABEL)}`;
  const cpu = `CPU µs per ${printable(commonOperation(measured).one)}`;
  return [
    textColumn('transport/codec', (outcome) => cellName(outcome.cell) + (best.has(outcome) ? BEST : '')),
    {
      ...estimateColumn(headline, `estimate${levelTitle(headlines)}`, readHeadline),
      short,
      isLessBetter: measure?.better === 'lower',
    },
    {
      span: headline,
      title: ratioTitle,
      short: ratioTitle,
      align: 'first word',
      text: ({ cell, ratio }) => {
        if (ratio === null) return NOTHING;
        return seriesLabel(cell) === reference ? '1× (reference)' : formatRatioInterval(ratio);
      },
      value: ({ ratio }) => ratio?.estimate,
      isOptional: true,
    },
    ...floorColumns(measured, results),
    ...mainTimeColumns(measured),
    ...valueColumns(measured),
    ...timeColumns(measured),
    {
      ...textColumn('backpressure', (outcome) => backpressureOfRow(outcome) ?? NOTHING),
      isOptional: true,
    },
    {
      ...numberColumn(cpu, 'in all', ({ cpuUsPerOperation }) => cpuUsInAll(cpuUsPerOperation)),
      // Beside a rate, the CPU time is that of one counted operation. Beside another headline, such as the first answer, the title names
      // the operation.
      short: measure?.unit === 'per second' ? 'CPU µs' : cpu,
      isSum: true,
    },
    ...cpuColumns(cpu, measured),
    {
      ...numberColumn(cpu, 'net of codec', (outcome) => netCpuUs(outcome, controls)?.us),
      text: (outcome) => netText(outcome, controls) ?? NOTHING,
      further: 'net',
      isOptional: true,
    },
    {
      ...numberColumn('memory', 'peak', ({ peakRssBytes }) => peakRssBytes, formatMemory),
      further: 'memory',
      isOptional: true,
    },
    ...propertyColumns(results),
    remarksColumn(results.outcomes),
  ];
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results['controls']} controls
 * @returns {string | null} '18.2'; '≤ 1.40' if the difference is within its uncertainty; null if unknown
 */
export function netText(outcome, controls) {
  const net = netCpuUs(outcome, controls);
  if (net === null) return null;
  const { us, halfWidthUs, wholeUs } = net;
  if (us > halfWidthUs) return formatNumber(us);
  return `≤ ${formatNumber(Math.min(wholeUs, Math.max(0, us) + halfWidthUs))}`;
}

/** @param {Results} results @returns {ColumnChoice[]} busiest process, share of the harness, and share of wake-ups */
function propertyColumns(results) {
  /** @param {FurtherColumn} name @param {(outcome: MeasuredOutcome) => number | null} shareOf */
  const percentColumn = (name, shareOf) => ({
    ...numberColumn('', name, shareOf, formatPercent),
    further: name,
    isOptional: /** @type {const} */ (true),
  });
  return [
    {
      ...textColumn('busiest process', ({ busiest }) =>
        busiest === null ? NOTHING : `${printable(busiest.name)} ${formatPercent(busiest.share)}`,
      ),
      value: ({ busiest }) => busiest?.share,
      further: 'busiest',
      isOptional: true,
    },
    percentColumn('harness', (outcome) => harnessShare(outcome, results.controls)),
    percentColumn('wake-ups', (outcome) => readWakeUpShare(outcome, results)),
  ];
}

/** @param {Estimate[]} estimates @param {string} [what]    name of an interval @returns {string} ' (95 % interval)' or ' [range]' */
function levelTitle(estimates, what = ' interval') {
  const levels = new Set(estimates.filter(hasRange).map(({ level }) => level));
  const ranges = levels.has(null) ? ['[range]'] : [];
  const percents = [...levels].filter((level) => level !== null).map((level) => `(${level * 100} %${what})`);
  const titles = [...percents, ...ranges];
  return titles.length === 0 ? '' : ` ${titles.join(' or ')}`;
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {WithFloor} results
 * @returns {ColumnChoice[]} each rate as a share of the rate of the native baseline (--floor)
 */
function floorColumns(measured, results) {
  /** @param {MeasuredOutcome} outcome */
  const shareOf = (outcome) => shareOfFloor(outcome, results);
  if (measured.every((outcome) => shareOf(outcome) === null)) return [];
  const span = 'of the floor in C';
  return [
    {
      ...numberColumn(span, 'share', (outcome) => shareOf(outcome)?.estimate, formatRatio),
      short: 'of floor',
      isLessBetter: false,
    },
    {
      span,
      title: 'its interval',
      further: 'floor',
      align: 'left',
      text: (outcome) => {
        const share = shareOf(outcome);
        return share !== null && hasRange(share) ? formatRatioEnds(share) : NOTHING;
      },
    },
    {
      ...estimateColumn(span, 'per second in C', ({ cell }) => readFloor(results.floor, cell)),
      further: 'floor',
    },
    {
      ...numberColumn(span, 'CPU µs of C', ({ cell }) => {
        const row = findFloorRow(results.floor, cell);
        return row === null ? null : floorCpuUs(row);
      }),
      further: 'floor',
    },
  ];
}

/** @param {Outcome[]} outcomes   in all tables @returns {ColumnChoice} column for the faults that are not common to most rows */
function remarksColumn(outcomes) {
  const shared = sharedFaults(outcomes.filter(isMeasured));
  return {
    ...textColumn('remarks', (outcome) => listRemarks(outcome, shared).join('; ')),
    isOptional: true,
    isRemarks: true,
  };
}

/** @param {MeasureFacts} measure @returns {string} 'sent/s' */
function rateTitle(measure) {
  const title = printable(measureTitle(measure));
  return measure.unit === 'per second' ? title.replace(/ per second$/, '/s') : title;
}

/** @param {MeasuredOutcome[]} measured @returns {ColumnChoice[]} */
function mainTimeColumns(measured) {
  const main = measured.map(findMainTimes).find((times) => times !== null);
  if (main === undefined) return [];
  const span = printable(measureTitle(main));
  const columns = [...percentileColumns(span, findMainTimes), ...furtherTimeColumns(span)];
  return [
    ...columns.map((column) => ({ ...column, short: `${column.title} µs` })),
    ...intervalColumns(span, measured),
  ];
}

/** @param {string} span @returns {ColumnChoice[]} columns for statistics that other tools print */
function furtherTimeColumns(span) {
  const titles = /** @type {const} */ ({ mean: 'mean', p999: 'p99.9', max: 'max' });
  return Object.entries(titles).map(([name, title]) => ({
    ...numberColumn(
      span,
      title,
      (outcome) => findMainTimes(outcome)?.[/** @type {keyof typeof titles} */ (name)],
    ),
    further: /** @type {const} */ ('times'),
    isOptional: /** @type {const} */ (true),
  }));
}

/**
 * @param {string} span
 * @param {MeasuredOutcome[]} measured
 * @returns {ColumnChoice[]} percentiles with launches as samples, since percentiles of all round trips together have no interval
 */
function intervalColumns(span, measured) {
  return /** @type {const} */ (['p50', 'p99']).flatMap((percentile) => {
    /** @param {MeasuredOutcome} outcome */
    const timesOf = (outcome) => findMainTimes(outcome)?.perLaunch[percentile] ?? null;
    const known = measured.map(timesOf).filter((time) => time !== null);
    if (!known.some(hasRange)) return [];
    return {
      ...estimateColumn(span, `${percentile} per launch${levelTitle(known, '')}`, timesOf),
      further: /** @type {const} */ ('intervals'),
      isLessBetter: true,
    };
  });
}

/** @param {string} span @param {(outcome: MeasuredOutcome) => { p50: number, p99: number | null } | null} timesOf */
function percentileColumns(span, timesOf) {
  return /** @type {const} */ (['p50', 'p99']).map((percentile) =>
    numberColumn(span, percentile, (outcome) => timesOf(outcome)?.[percentile]),
  );
}

/** @param {MeasuredOutcome[]} measured @returns {ColumnChoice[]} */
function valueColumns(measured) {
  const values = new Map(measured.flatMap((row) => valuesIn(row).map((value) => [value.name, value])));
  const isLong = measured.some(({ cell }) => cell.payloadBytes >= LONG_PAYLOAD_BYTES);
  return [...values.values()].map((measure) => {
    const { name, unit, of = '', column } = measure;
    // A count whose estimate is a whole number has no decimals.
    /** @param {number} estimate */
    const format = (estimate) =>
      unit === 'count' && Number.isInteger(estimate) ? formatCount(estimate) : formatNumber(estimate);
    /** @param {MeasuredOutcome} outcome */
    const estimateIn = ({ measures }) => {
      const own = measures[name];
      return own?.kind === 'value' ? own.estimate : null;
    };
    return {
      ...numberColumn(printable(of), printable(measureTitle(measure)), estimateIn, format),
      short: rateTitle(measure),
      isLessBetter: measure.better === 'lower',
      ...(column && !(isLong && SHOWN_IF_LONG.includes(name)) && { further: column }),
    };
  });
}

/** @param {MeasuredOutcome[]} measured @returns {ColumnChoice[]} columns for the medians of further times of the scenario */
function timeColumns(measured) {
  const further = measured.flatMap((row) => timesIn(row).slice(1));
  const titles = new Map(further.map(({ name, title }) => [name, printable(title)]));
  return [...titles].map(([name, title]) => ({
    ...numberColumn(
      'median µs',
      title,
      (outcome) => timesIn(outcome).find((times) => times.name === name)?.p50,
    ),
    short: `${title} µs`,
  }));
}

/** @param {string} span @param {MeasuredOutcome[]} measured @returns {ColumnChoice[]} */
function cpuColumns(span, measured) {
  return listRoles(measured).map((role) => ({
    ...numberColumn(span, printable(role), ({ cpuUsPerOperation }) => cpuUsPerOperation[role]),
    further: 'cpu',
    isOptional: true,
  }));
}

/** @param {MeasuredOutcome[]} measured   under open load @param {Outcome[]} outcomes   in all tables @returns {ColumnChoice[]} */
function openColumns(measured, outcomes) {
  const interval = levelTitle(measured.map(readHeadline));
  const { one, many } = commonOperation(measured);
  const main = measured.map(findMainTimes).find((times) => times !== null);
  const ofTimes =
    main === undefined || main.name === SERVICE_TIME ? 'service time µs' : printable(measureTitle(main));
  /** @type {(further: FurtherColumn, columns: Column[]) => ColumnChoice[]} */
  const named = (further, columns) => columns.map((column) => ({ ...column, further }));
  return [
    // This column begins every panel, so it contains the planned rate, which distinguishes rows.
    textColumn('transport/codec at rate', ({ cell }) => formatRowName(cell)),
    {
      ...numberColumn(printable(many), 'per second', (outcome) => readHeadline(outcome).estimate),
      isLessBetter: false,
    },
    responseColumn('p50', `p50${interval}`),
    responseColumn('p99', `p99${interval}`),
    ...named('times', [responseColumn('p999', 'p99.9'), responseColumn('max', 'max')]),
    ...named('service', percentileColumns(ofTimes, findMainTimes)),
    ...named(
      'lag',
      percentileColumns('schedule delay µs', (outcome) => readOpen(outcome).sendLagUs),
    ),
    ...named('sends', sendsColumns()),
    ...valueColumns(measured).filter(({ further }) => further === undefined || further === 'blocking'),
    ...cpuColumns(`CPU µs per ${printable(one)}`, measured),
    remarksColumn(outcomes),
  ];
}

/** @param {PercentileName | 'max'} percentile @param {string} title @returns {Column} */
function responseColumn(percentile, title) {
  return {
    span: 'response time µs',
    title,
    align: 'first word',
    text: (outcome) => {
      const time = readResponseTime(outcome, percentile);
      return time === null ? NOTHING : responseTimeText(time);
    },
    value: (outcome) => readResponseTime(outcome, percentile)?.us.estimate,
    isLessBetter: true,
  };
}

/** @returns {Column[]} */
function sendsColumns() {
  /** @param {OpenSummary} summary */
  const lateShare = ({ late, due }) => (due === 0 ? 0 : late / due);
  return [
    numberColumn('sends', 'late', (outcome) => lateShare(readOpen(outcome)), formatPercent),
    numberColumn('sends', 'dropped', (outcome) => readOpen(outcome).dropped, formatCount),
  ];
}
