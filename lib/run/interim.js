// Ranks the rows of a run in progress by the model that the results use. A current launch contributes the slices that are already
// measured.

import { headlineOfLaunch, isHigherBetter } from '../cell/headline.js';
import { groupLabel, seriesLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import { MS_PER_S } from '../format/units.js';
import { hasRate } from '../results/failed-outcome.js';
import { modelLaunches } from '../results/launch-model.js';
import { sum } from '../statistics/sum.js';
import { findReferenceEntry, isSettled, judgeRatio } from './stop-rule.js';

/** @import { ComparedEstimate } from '../results/launch-model.js' */
/** @import { Estimate, MeasuredLaunch, MeasureFacts, Progress, Slices } from '../types/index.js' */
/** @import { RunCell, RunSide } from './run-groups.js' */
/** @import { SettlingNeeds } from './stop-rule.js' */
/**
 * @typedef {object} InterimRow
 * @property {string} label
 * @property {Estimate | null} value          null before the first measurement
 * @property {ComparedEstimate | null} ratio   ratio to the reference; null if it is unknown, and for the reference itself
 * @property {boolean} isReference
 * @property {boolean} isSettled              true if the ratio is known well enough, or differs clearly from 1
 * @property {boolean} hasFailed
 */
/**
 * @typedef {object} InterimTable
 * @property {string} title
 * @property {MeasureFacts} headline
 * @property {string | null} reference   label of a row, or name of the first of two variants; null if there is none
 * @property {InterimRow[]} rows         The best is first, and rows without a value are last.
 */
/**
 * @typedef {object} Interim
 * @property {Progress} progress
 * @property {import('./launch-groups.js').GroupStep | null} step    null after the end of a group
 * @property {InterimTable[]} tables   tables of the current group
 */

/**
 * @param {RunSide[]} sides
 * @param {RunCell[]} entries
 * @param {RunCell[]} group             the current group
 * @param {SettlingNeeds} needed
 * @returns {InterimTable[]}
 */
export function interimTables(sides, entries, group, needed) {
  const tables = new Set(group.map(({ cell }) => groupLabel(cell)));
  const shown = [...groupedBy(entries, ({ cell }) => groupLabel(cell))].filter(([title]) =>
    tables.has(title),
  );
  return shown.map(([title, table]) => {
    const [{ side, cell }] = table;
    const [headline] = side.results.scenarios[cell.scenario].measures;
    const references = table.map((entry) => {
      const reference = findReferenceEntry(entry, sides, entries);
      return reference === undefined || reference === entry ? -1 : table.indexOf(reference);
    });
    const first = table[references.find((index) => index !== -1) ?? -1];
    return {
      title,
      headline,
      reference: first === undefined ? null : (first.side.results.variant?.name ?? rowLabel(first)),
      rows: rankRows(table, references, headline, needed),
    };
  });
}

/** @param {RunCell} entry @returns {string} for example 'unix/json', or 'A unix/json' with a variant */
function rowLabel({ side, cell }) {
  const variant = side.results.variant?.name;
  return variant === undefined ? seriesLabel(cell) : `${variant} ${seriesLabel(cell)}`;
}

/**
 * @param {RunCell[]} table
 * @param {number[]} references   for each row, the index of its reference, or -1
 * @param {MeasureFacts} headline
 * @param {SettlingNeeds} needed
 */
function rankRows(table, references, headline, needed) {
  const launches = table.map((entry) => launchesSoFar(entry, table, headline));
  const model = modelLaunches(launches, (launch) => headlineOfLaunch(headline, launch), {
    isRate: headline.unit === 'per second',
  });
  const compared = references.filter((index, row) => index !== -1 && launches[row].length > 0);
  const rows = table.map((entry, row) => {
    const value = launches[row].length === 0 ? null : model.valueOf(row);
    const ratio =
      references[row] === -1 || value === null
        ? null
        : model.ratioOf(row, references[row], Math.max(1, compared.length));
    return {
      label: rowLabel(entry),
      value,
      ratio,
      isReference: references.includes(row),
      isSettled: ratio !== null && isSettled(judgeRatio(ratio), needed),
      hasFailed: !entry.launches.every(hasRate),
    };
  });
  const sign = isHigherBetter(headline) ? 1 : -1;
  /** @param {InterimRow} row */
  const score = ({ value }) => (value === null ? -Infinity : sign * value.estimate);
  return rows.sort((one, other) => score(other) - score(one) || (one.label < other.label ? -1 : 1));
}

/**
 * Returns the completed launches that have a rate, and the current one, if it has slices, with only the fields that
 * the model reads.
 * @param {RunCell} entry
 * @param {RunCell[]} table
 * @param {MeasureFacts} headline
 * @returns {MeasuredLaunch[]}
 */
function launchesSoFar({ launches, underWay }, table, { name, unit }) {
  const finished = launches.filter(hasRate);
  const slices = underWay?.sliced.copySlices() ?? null;
  if (underWay === undefined || slices === null || unit !== 'per second') return finished;
  const scale = readScale([...launches, ...table.flatMap((other) => other.launches)], name);
  const partial = { group: underWay.group, slices, values: { [name]: scale * ratePerSecond(slices) } };
  // A resumed run replaces a launch that was cut short.
  const others = finished.filter(({ group }) => group !== underWay.group);
  return [...others, /** @type {MeasuredLaunch} */ (partial)];
}

/** Without an operation, one is counted, since a rate of 0 has no logarithm. @param {Slices} slices @returns {number} */
function ratePerSecond({ operations, windowMs }) {
  return (Math.max(1, sum(operations)) * MS_PER_S) / sum(windowMs);
}

/**
 * Finds the factor between operations per second and the headline, which are proportional, in a completed launch.
 * @param {RunCell['launches']} launches
 * @param {string} name
 */
function readScale(launches, name) {
  for (const launch of launches) {
    if (launch.status !== 'measured' || !hasRate(launch) || launch.slices === undefined) continue;
    const scale = Number(launch.values[name]) / ratePerSecond(launch.slices);
    if (scale > 0) return scale;
  }
  return 1;
}
