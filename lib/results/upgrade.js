// Results of version 1, in which every scenario was one of loops that ask and wait, as results of version 2: the same
// numbers, under the names that measures have now.

import { payloadRate, ROUND_TRIP, SERVICE_TIME, usualFacts } from '../cell/headline.js';

/** @import { Results, ScenarioFacts } from '../types/index.js' */

/** @param {any} facts   of version 1 @returns {ScenarioFacts} */
function scenarioFacts({ operation = ROUND_TRIP, times = {} } = {}) {
  const { measures } = usualFacts(operation);
  const further = Object.entries(times).map(([name, title]) => ({
    ...{ name, title: String(title) },
    ...{ unit: /** @type {const} */ ('µs'), better: /** @type {const} */ ('lower') },
    kind: /** @type {const} */ ('times'),
  }));
  const [rate, serviceTime, payload] = measures;
  return { operation, measures: [rate, serviceTime, ...further, payload] };
}

/** @param {any} warmup */
function upgradedWarmup({ roundTrips, ...warmup }) {
  return { ...warmup, operations: roundTrips };
}

/** @param {any} launch @param {ScenarioFacts} facts @param {number} payloadBytes */
function upgradedLaunch(launch, { measures: [rate] }, payloadBytes) {
  if (launch.status !== 'measured') return launch;
  const { roundTrips, roundTripsPerSecond, latency, times = {}, warmup, ...rest } = launch;
  const megabytesPerSecond = payloadRate(payloadBytes, roundTripsPerSecond);
  return {
    ...rest,
    operations: roundTrips,
    values: { [rate.name]: roundTripsPerSecond, megabytesPerSecond },
    times: { [SERVICE_TIME]: latency, ...times },
    warmup: upgradedWarmup(warmup),
  };
}

/** @param {any} outcome @param {ScenarioFacts} facts */
function upgradedOutcome(outcome, facts) {
  if (outcome.status === 'skipped') return outcome;
  const { payloadBytes } = outcome.cell;
  const launches = outcome.launches.map((/** @type {any} */ launch) =>
    upgradedLaunch(launch, facts, payloadBytes),
  );
  if (outcome.status === 'failed') return { ...outcome, launches };
  const {
    roundTripsPerSecond,
    latencyUs,
    timesUs = {},
    megabytesPerSecond,
    cpuUsPerRoundTrip,
    ...rest
  } = outcome;
  const { low, high } = roundTripsPerSecond;
  const found = {
    [facts.measures[0].name]: roundTripsPerSecond,
    [SERVICE_TIME]: latencyUs,
    ...timesUs,
    megabytesPerSecond: {
      ...roundTripsPerSecond,
      estimate: megabytesPerSecond,
      low: payloadRate(payloadBytes, low),
      high: payloadRate(payloadBytes, high),
    },
  };
  const measures = facts.measures.flatMap((measure) =>
    Object.hasOwn(found, measure.name) ? [[measure.name, { ...found[measure.name], ...measure }]] : [],
  );
  return {
    ...rest,
    ...{ operation: facts.operation, headline: facts.measures[0].name },
    measures: Object.fromEntries(measures),
    cpuUsPerOperation: cpuUsPerRoundTrip,
    launches,
  };
}

/** @param {any} document    that holds to the schema of version 1 @returns {Results} */
export function upgraded(document) {
  const names = new Set(document.outcomes.map((/** @type {any} */ { cell }) => cell.scenario));
  const scenarios = Object.fromEntries(
    [...names].map((name) => [name, scenarioFacts(document.scenarios?.[name])]),
  );
  const { syscalls } = document;
  return {
    ...document,
    schemaVersion: 2,
    scenarios,
    outcomes: document.outcomes.map((/** @type {any} */ outcome) =>
      upgradedOutcome(outcome, scenarios[outcome.cell.scenario]),
    ),
    ...(syscalls && {
      syscalls: syscalls.map((/** @type {any} */ { roundTrips, ...counts }) => ({
        ...counts,
        operations: roundTrips,
      })),
    }),
  };
}
