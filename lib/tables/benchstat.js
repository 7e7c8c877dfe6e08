// Launches in the text format of Go's benchmarks, which benchstat and its relatives read: one line per launch, so that
// they do their own statistics. They know no flags, so that rows that were still warming up are left out.
// Source: the Go proposal "Go Benchmark Data Format" (14313), and "testing: benchmark unit properties" (43744).

import { AXES, axesIn } from '../cell/axes.js';
import { isUsual } from '../cell/axis.js';
import { transportLabel } from '../cell/labels.js';
import { isMeasured } from '../verdicts/groups.js';
import { isCold } from '../verdicts/verdicts.js';
import { printable } from '../words/printable.js';

/** @import { Cell } from '../types/plans.js' */
/** @import { Results } from '../types/results-file.js' */
/** @import { Axis } from '../cell/axis.js' */

/** @param {string} text @returns {string} without what would end a name or begin a new part of it */
function namePart(text) {
  return printable(text).replace(/[\s/]/g, '_');
}

/**
 * @param {Cell} cell
 * @param {readonly Axis[]} [axes]
 * @returns {string} never with '-8' at the end, which would be read as a number of CPUs
 */
export function benchmarkName(cell, axes = AXES) {
  // What is tested begins with a capital letter.
  const subject = namePart(cell.scenario).replace(/(?:^|[^a-z0-9]+)([a-z0-9]?)/gi, (_, first) =>
    first.toUpperCase(),
  );
  const said = axesIn(['payload', 'shape', 'load', 'manner'], axes).filter((axis) => !isUsual(axis, cell));
  // Its values are words that end in a letter.
  const isLast = (/** @type {Axis} */ { name }) => Number(name === 'placement');
  const parts = [
    ['transport', transportLabel(cell)],
    ['codec', cell.codec],
    ...said.toSorted((one, other) => isLast(one) - isLast(other)).map(({ name, of }) => [name, of(cell)]),
  ];
  const written = parts.map(([key, value]) => `/${key}=${namePart(value)}`);
  return `Benchmark${subject}${written.join('')}`;
}

/**
 * @param {Results} results
 * @param {Record<string, string>} [marks] further lines of configuration: { side: 'old' } for benchstat -col side
 * @returns {string}
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
  const warm = outcomes.filter(isMeasured).filter((outcome) => !isCold(outcome));
  const lines = warm.flatMap(({ cell, launches }) =>
    launches.map(({ roundTrips, roundTripsPerSecond, latency }) => {
      const values = `${roundTripsPerSecond} roundtrips/s\t${latency.meanNs} latency-ns`;
      return `${benchmarkName(cell)}\t${Math.max(1, Math.round(roundTrips))}\t${values}`;
    }),
  );
  return [
    ...Object.entries(configuration).map(([key, value]) => `${key}: ${printable(value)}`),
    'Unit roundtrips/s better=higher',
    'Unit latency-ns better=lower',
    '',
    ...lines,
    '',
  ].join('\n');
}
