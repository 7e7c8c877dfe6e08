// The raw numbers of a measured row by the names that spreadsheets and data frames see. Units are in the names; those of
// measures, operations and roles are the scenario's.

import { commonOperation, findMainTimes, readHeadline, timesIn, valuesIn } from '../../lib/cell/headline.js';
import { camelCase, pascalCase } from '../../lib/format/code-names.js';
import { listRoles } from '../../lib/results/summarise-costs.js';

/** @import { Estimate, LatencySummary, MeasuredOutcome } from '../../lib/types/index.js' */
/** @typedef {string | number | null | undefined} Value */

/** @param {string} name @param {Estimate | null} estimate @returns {Record<string, Value>} */
export function estimateFields(name, estimate) {
  return {
    [name]: estimate?.estimate,
    [`${name}Low`]: estimate?.low,
    [`${name}High`]: estimate?.high,
    [`${name}Level`]: estimate?.level,
    [`${name}Method`]: estimate?.method,
  };
}

/**
 * What the rows of a file have together: scenarios may differ in all of it.
 * @typedef {object} Shared
 * @property {{ one: string, many: string }} operation
 * @property {string[]} headlines      names of measures
 * @property {string[]} values         beside the headlines
 * @property {string[]} times          beside the first of each scenario
 * @property {string[]} roles
 */

/** @param {MeasuredOutcome[]} measured @returns {Shared} */
export function sharedBy(measured) {
  const unique = (/** @type {string[]} */ names) => [...new Set(names)];
  const namesOf = (/** @type {{ name: string }[]} */ measures) => measures.map(({ name }) => name);
  return {
    operation: commonOperation(measured),
    headlines: unique(measured.map(({ headline }) => headline)),
    values: unique(measured.flatMap((outcome) => namesOf(valuesIn(outcome)))),
    times: unique(measured.flatMap((outcome) => namesOf(timesIn(outcome).slice(1)))),
    roles: listRoles(measured),
  };
}

/** @param {MeasuredOutcome | null} outcome @param {string[]} names @returns {Record<string, Value>} */
function valueFields(outcome, names) {
  const estimateIn = (/** @type {string} */ name) => {
    const measure = outcome?.measures[name];
    return measure?.kind === 'value' ? measure.estimate : null;
  };
  return Object.fromEntries(names.map((name) => [name, estimateIn(name)]));
}

/** @param {MeasuredOutcome | null} outcome @param {string[]} names @returns {Record<string, Value>} */
function timeFields(outcome, names) {
  return Object.fromEntries(
    names.flatMap((name) => {
      const measure = outcome?.measures[name];
      return Object.entries(percentileFields(name, measure?.kind === 'times' ? measure : undefined));
    }),
  );
}

/**
 * @param {string} name
 * @param {Pick<LatencySummary, 'p50' | 'p90' | 'p99' | 'p999' | 'max'>} [times]
 * @returns {Record<string, Value>}
 */
export function percentileFields(name, times) {
  return {
    [`${name}P50Us`]: times?.p50,
    [`${name}P90Us`]: times?.p90,
    [`${name}P99Us`]: times?.p99,
    [`${name}P999Us`]: times?.p999,
    [`${name}MaxUs`]: times?.max,
  };
}

/**
 * @param {MeasuredOutcome | null} outcome    null gives the names, without values
 * @param {Shared} shared
 * @returns {Record<string, Value>}
 */
export function measuredFields(outcome, { headlines, values, times, roles, operation: { one, many } }) {
  const latency = outcome && findMainTimes(outcome);
  const ownHeadline = (/** @type {string} */ name) =>
    estimateFields(name, outcome?.headline === name ? readHeadline(outcome) : null);
  return {
    launches: outcome?.launches.length,
    ...Object.assign({}, ...headlines.map(ownHeadline)),
    ...estimateFields('ratio', outcome?.ratio ?? null),
    ratioTo: outcome?.ratio?.to,
    [camelCase(many)]: outcome?.launches.reduce((sum, { operations }) => sum + operations, 0),
    minUs: latency?.min,
    meanUs: latency?.mean,
    p50Us: latency?.p50,
    p90Us: latency?.p90,
    p99Us: latency?.p99,
    p999Us: latency?.p999,
    maxUs: latency?.max,
    ...estimateFields('p50PerLaunchUs', latency?.perLaunch.p50 ?? null),
    ...estimateFields('p99PerLaunchUs', latency?.perLaunch.p99 ?? null),
    ...timeFields(outcome, times),
    ...valueFields(outcome, values),
    ...Object.fromEntries(
      roles.map((role) => [
        `cpuUsPer${pascalCase(one)}${pascalCase(role)}`,
        outcome?.cpuUsPerOperation[role] ?? null,
      ]),
    ),
    peakRssBytes: outcome?.peakRssBytes,
    busiestProcess: outcome?.busiest?.name,
    busiestShare: outcome?.busiest?.share,
    flags: outcome?.flags.map(({ code }) => code).join(' '),
  };
}
