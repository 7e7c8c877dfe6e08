// Converts results to the formats of other tools.
//
// The text format of Go's benchmarks, which benchstat and similar tools read, has one line per launch, since these tools compute their own
// statistics. The format has no flags, so rows with a fault that makes their level untrue are omitted.
// Source: the Go proposal "Go Benchmark Data Format" (14313), and "testing: benchmark unit properties" (43744).

import { AXES, axesIn, isUsual } from '../../cell/axes.js';
import { headlineMeasure, isHigherBetter, readHeadline } from '../../cell/headline.js';
import { cellLabel, transportLabel } from '../../cell/labels.js';
import { counted } from '../../format/lists.js';
import { formatInterval, hasRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { isOpen } from '../findings/groups.js';
import { hasUntrueLevel } from '../findings/row-verdicts.js';

/** @import { Cell, MeasuredLaunch, MeasuredOutcome, MeasureFacts, Results } from '../../types/index.js' */
/** @import { Axis } from '../../cell/axes.js' */

/** Replaces characters that separate names and their parts. @param {string} text @returns {string} */
function namePart(text) {
  return printable(text).replace(/[\s/]/g, '_');
}

/**
 * @param {Cell} cell
 * @param {readonly Axis[]} [axes]
 * @returns {string} never ends in a hyphen and a number, such as '-8', which would be read as a number of CPUs
 */
export function benchmarkName(cell, axes = AXES) {
  // The format requires a capital letter.
  const subject = namePart(cell.scenario).replace(/(?:^|[^a-z0-9]+)([a-z0-9]?)/gi, (_, first) =>
    first.toUpperCase(),
  );
  const named = axesIn(['payload', 'shape', 'load', 'manner'], axes).filter((axis) => !isUsual(axis, cell));
  // The placement is the last part, because its values end in a letter.
  /** @param {Axis} axis */
  const isLast = ({ name }) => Number(name === 'placement');
  const parts = [
    ['transport', transportLabel(cell)],
    ['codec', cell.codec],
    ...(cell.runtime === undefined ? [] : [['runtime', cell.runtime]]),
    ...named.toSorted((one, other) => isLast(one) - isLast(other)).map(({ name, of }) => [name, of(cell)]),
  ];
  const written = parts.map(([key, value]) => `/${key}=${namePart(value)}`);
  return `Benchmark${subject}${written.join('')}`;
}

/**
 * @param {MeasuredOutcome['measures']} measures
 * @returns {{ measure: MeasureFacts, unit: string }[]} the measures that every table shows, each with its unit in this format
 */
function units(measures) {
  /** @type {MeasureFacts[]} */
  const all = Object.values(measures);
  return all.flatMap((measure) => {
    if (measure.column !== undefined) return [];
    const { title, unit, kind } = measure;
    const what = namePart(title.replace(/ per second$/, ''))
      .replaceAll('_', '')
      .toLowerCase();
    if (kind === 'times') return [{ measure, unit: `${what}-ns` }];
    return [{ measure, unit: unit === 'per second' ? `${what}/s` : `${what}-${namePart(unit)}` }];
  });
}

/** @param {MeasuredLaunch} launch @param {MeasureFacts} measure @returns {number | null} mean in ns for times */
function valueIn({ values, times }, { name, kind }) {
  return kind === 'times' ? (times[name]?.meanNs ?? null) : (values[name] ?? null);
}

/**
 * @param {Results} results
 * @param {Record<string, string>} [marks] further lines of configuration: { side: 'old' } for benchstat -col side
 */
export function benchstatText({ outcomes, environment, tool }, marks = {}) {
  const configuration = {
    ...marks,
    pkg: `ipc-bench@${tool.version}`,
    goos: environment.platform,
    goarch: environment.arch,
    cpu: environment.cpuModel ?? 'unknown',
    node: environment.node,
  };
  const sound = outcomes.filter(isMeasured).filter((outcome) => !hasUntrueLevel(outcome));
  const lines = sound.flatMap(({ cell, launches, measures }) =>
    launches.map((launch) => {
      const values = units(measures).flatMap(({ measure, unit }) => {
        const value = valueIn(launch, measure);
        return value === null ? [] : [`${value} ${unit}`];
      });
      return [benchmarkName(cell), Math.max(1, launch.operations), ...values].join('\t');
    }),
  );
  const used = new Map(
    outcomes
      .filter(isMeasured)
      .flatMap(({ measures }) => units(measures).map((one) => [one.unit, one.measure.better])),
  );
  return [
    ...Object.entries(configuration).map(([key, value]) => `${key}: ${printable(value)}`),
    ...[...used].flatMap(([unit, better]) => (better === null ? [] : [`Unit ${unit} better=${better}`])),
    '',
    ...lines,
    '',
  ].join('\n');
}

// The list of cells that github-action-benchmark reads with `tool: customBiggerIsBetter`.
// Source: the README of benchmark-action/github-action-benchmark, "customBiggerIsBetter".

/** @param {MeasuredOutcome} outcome @returns {string} 'round trips/s' */
function formatUnit(outcome) {
  const { title, unit } = headlineMeasure(outcome);
  return printable(unit === 'per second' ? title.replace(/ per second$/, '/s') : `${title} ${unit}`);
}

/**
 * @param {Pick<Results, 'outcomes'>} results
 * @param {(cell: Cell) => string | null} [remarkOn] further text about a cell
 * @returns {string} JSON. It omits open load, whose rate is planned, rows whose headline is better if it is lower, and rows with a fault
 *   that makes their level untrue, such as a warm-up that was too short
 */
export function githubActionBenchmarkText({ outcomes }, remarkOn = () => null) {
  const entries = outcomes.filter(isMeasured).flatMap((outcome) => {
    // The tool treats greater values as better in all entries.
    if (isOpen(outcome) || hasUntrueLevel(outcome) || !isHigherBetter(headlineMeasure(outcome))) return [];
    const { cell, flags } = outcome;
    const rate = readHeadline(outcome);
    const kind = rate.level === null ? 'range' : `${rate.level * 100} % interval`;
    const launches = counted(rate.n, 'launch', 'launches');
    const source = hasRange(rate) ? `${kind} of ${launches}` : launches;
    const remark = remarkOn(cell);
    const extra = [
      `${formatInterval(rate)}, ${source}`,
      ...(flags.length === 0 ? [] : [`flags: ${flags.map(({ code }) => printable(code)).join(', ')}`]),
      ...(remark === null ? [] : [remark]),
    ];
    return [
      {
        name: printable(cellLabel(cell)),
        unit: formatUnit(outcome),
        value: rate.estimate,
        // The tool reads the number after the sign.
        ...(rate.method !== 'unknown' && { range: `± ${((rate.high - rate.low) / 2).toFixed(1)}` }),
        extra: extra.join('\n'),
      },
    ];
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
