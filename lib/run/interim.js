// What a run has measured so far: finished launches, and of those under way the slices that they have. It has the form of the results,
// so that the model of the results estimates it.

import { groupLabel } from '../cell/labels.js';
import { MS_PER_S } from '../format/units.js';
import { hasRate } from '../results/failed-outcome.js';
import { sum } from '../statistics/sum.js';
import { findReference } from './stop-rule.js';

/** @import { Cell, MeasuredLaunch, MeasureFacts, Progress, Slices } from '../types/index.js' */
/** @import { Entry, Side } from './blocks.js' */
/** @import { GroupStep, LaunchTurns } from './launch-groups.js' */

/** @typedef {Pick<MeasuredLaunch, 'block' | 'values' | 'slices'>} InterimLaunch   what the model of launches reads */
/**
 * @typedef {object} InterimRow
 * @property {Cell} cell
 * @property {string | null} variant     of a run of two; null: there is one
 * @property {MeasureFacts} headline
 * @property {InterimLaunch[]} launches  with the one under way, if it has slices that count
 * @property {boolean} hasFailed
 * @property {number | null} reference   the place of the row that it is compared with; null: there is none, or it is the row itself
 */
/**
 * @typedef {object} Interim
 * @property {Progress} progress
 * @property {GroupStep | null} step    null: a group has ended
 * @property {InterimRow[]} rows        of the tables to which the group under way belongs
 * @property {import('./stop-rule.js').SettlingNeeds} needed   for a row to be settled
 */

/**
 * @param {Side[]} sides
 * @param {Entry[]} entries           of all sides
 * @param {Entry[]} group             those that are under way, or were last
 * @returns {InterimRow[]}
 */
export function interimRows(sides, entries, group) {
  const tables = new Set(group.map(({ cell }) => groupLabel(cell)));
  const shown = entries.filter(({ cell }) => tables.has(groupLabel(cell)));
  return shown.map((entry) => {
    const { side, cell, launches, underWay } = entry;
    const reference = findReference(entry, sides, entries);
    const place = reference === undefined || reference === entry ? -1 : shown.indexOf(reference);
    const [headline] = side.results.scenarios[cell.scenario].measures;
    const finished = launches.filter(hasRate);
    const table = shown.filter((other) => groupLabel(other.cell) === groupLabel(cell));
    const scale = rateScale([entry, ...table], headline);
    const partial = underWay === undefined ? null : partialLaunch(underWay, headline, scale);
    return {
      cell,
      variant: side.results.variant?.name ?? null,
      headline,
      launches: [...finished, ...(partial === null ? [] : [partial])],
      hasFailed: launches.some((launch) => !hasRate(launch)),
      reference: place === -1 ? null : place,
    };
  });
}

/**
 * @param {{ block: number, turns: LaunchTurns }} underWay
 * @param {MeasureFacts} headline
 * @param {number} scale
 * @returns {InterimLaunch | null} null: it has no slice that counts, or its slices do not tell its headline
 */
function partialLaunch({ block, turns }, { name, unit }, scale) {
  const slices = turns.sliced();
  if (slices === null || unit !== 'per second') return null;
  return { block, slices, values: { [name]: scale * ratePerSecond(slices) } };
}

/** @param {Slices} slices @returns {number} operations per second, at least one operation */
function ratePerSecond({ operations, windowMs }) {
  return (Math.max(1, sum(operations)) * MS_PER_S) / sum(windowMs);
}

/**
 * A headline is in proportion to the operations per second; how often it counts each, finished launches tell.
 * @param {Entry[]} entries
 * @param {MeasureFacts} headline
 * @returns {number}
 */
function rateScale(entries, { name }) {
  for (const { launches } of entries) {
    for (const launch of launches) {
      if (!hasRate(launch) || launch.status !== 'measured' || launch.slices === undefined) continue;
      const scale = Number(launch.values[name]) / ratePerSecond(launch.slices);
      if (scale > 0) return scale;
    }
  }
  return 1;
}
