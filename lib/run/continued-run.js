// Checks that an interrupted run can be resumed on this machine, and reads its results. The remaining order follows from the seed, as
// in run-groups.js.

import { isDeepStrictEqual } from 'node:util';
import { cellLabel } from '../cell/labels.js';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { savedOptions } from '../options/written-options.js';
import { detectNet } from '../plan/skip-reasons.js';
import { readResults } from '../results/read.js';
import { aspectText, isOfMeasuring, resumeProblem, SURROUNDINGS } from '../results/run-aspects.js';
import { isNotLaunched } from '../results/summarise.js';
import { newResults } from '../results/write.js';
import { SavedOptions } from '../types/plans.js';

/** @import { Environment, Options, Outcome, PlannedCell, Results } from '../types/index.js' */
/**
 * @typedef {{ options: Options, plan: PlannedCell[], environment: Environment, hosts?: Results['hosts'] }} Current
 *   hosts: set for a run on several hosts
 */

const ORIGINS = Object.freeze({ private: 'a private one', url: 'given by its URL' });

/**
 * @param {string} path
 * @param {Current} current
 * @returns {Promise<Results>} with the status 'running'
 * @throws {BenchError} BAD_RESULTS_FILE; BAD_ARGUMENT if it cannot be resumed; NOT_COMPARABLE
 */
export async function continuedResults(path, current) {
  let isEdited = false;
  const results = await readResults(path, (doubt) => {
    isEdited ||= doubt.isEdited;
  });
  const fault = isEdited ? 'was changed after it was saved. Measure again.' : resumeProblem(results);
  if (fault !== null) throw new BenchError('BAD_ARGUMENT', `--resume: ${printable(path)} ${fault}`);
  const differences = listDifferences(results, current);
  if (differences.length > 0) {
    const list = differences.map((difference) => `\n  - ${difference}`).join('');
    const next = 'Launches of two kinds would be mixed. Fix this, or measure again without --resume.';
    throw new BenchError('NOT_COMPARABLE', `${printable(path)} cannot be continued:${list}\n${next}`);
  }
  results.continuedAt = [...(results.continuedAt ?? []), new Date().toISOString()];
  return { ...results, status: 'running' };
}

/** @param {Results} results @param {Current} current @returns sentences without a full stop */
export function listDifferences(results, { options, plan, environment, hosts = {} }) {
  const fresh = newResults({ options: savedOptions(options), environment, reference: '', published: null });
  /** @type {[string, unknown, unknown][]} */
  const pairs = [];
  const [before, now] = [results.options, fresh.options].map(asSaved);
  // The file of an earlier state of this version may have options that were dropped since.
  for (const name of Object.keys(SavedOptions.entries).filter(isOfMeasuring)) {
    pairs.push([`option ${name}`, before[name], now[name]]);
  }
  for (const [name, read] of Object.entries(SURROUNDINGS)) {
    pairs.push([name, read(results.environment), read(environment)]);
  }
  for (const [host, { role, environment: was }] of Object.entries(results.hosts ?? {})) {
    // The environment of the run is that of the master, and the list of hosts is an option.
    if (role === 'master' || !Object.hasOwn(hosts, host)) continue;
    for (const [name, read] of Object.entries(SURROUNDINGS)) {
      pairs.push([`${name} of host ${host}`, read(was), read(hosts[host].environment)]);
    }
  }
  for (const [name, { origin, config }] of Object.entries(results.environment.brokers)) {
    const now = Object.hasOwn(options.brokerUrls, name) ? 'url' : 'private';
    pairs.push([`broker ${name}`, ORIGINS[origin], ORIGINS[now]]);
    if (origin === now && now === 'url' && config.net !== undefined) {
      pairs.push([`net of broker ${name}`, config.net, detectNet(options.brokerUrls[name])]);
    }
  }
  const differing = pairs.filter(([, was, is]) => !isDeepStrictEqual(was, is));
  return [
    ...differing.map(([what, was, is]) => `${what} was ${aspectText(was)}, is ${aspectText(is)}`),
    ...cellDifferences(results, plan),
  ];
}

/** @param {Results} results @param {PlannedCell[]} plan */
function cellDifferences({ outcomes }, plan) {
  if (outcomes.length === 0) return []; // The run stopped before its first launch.
  const wasSkipped = new Map(outcomes.map((outcome) => [cellLabel(outcome.cell), isSkipped(outcome)]));
  const planned = new Set(plan.map(({ cell }) => cellLabel(cell)));
  const gone = [...wasSkipped.keys()].filter((label) => !planned.has(label));
  const changed = plan.flatMap(({ cell, skip }) => {
    const label = cellLabel(cell);
    const was = wasSkipped.get(label);
    if (was === undefined) return [`${label} was not in the plan, and is`];
    if (was === (skip !== null)) return [];
    return [was ? `${label} was skipped, and can be measured now` : `${label} is skipped now: ${skip}`];
  });
  const all = [...gone.map((label) => `${label} was in the plan, and is not`), ...changed];
  if (all.length > 0) return all.map(printable);
  const isSameOrder = isDeepStrictEqual([...wasSkipped.keys()], [...planned]);
  return isSameOrder ? [] : ['the cells were planned in another order'];
}

/**
 * @param {Outcome} outcome
 * @returns true if the plan skipped the cell; false if it was launched, or if the run ended before its first launch
 */
function isSkipped(outcome) {
  return outcome.status === 'skipped' && !isNotLaunched(outcome);
}

/** Drops undefined properties, which a results file does not contain. @param {unknown} value @returns {any} */
function asSaved(value) {
  return JSON.parse(JSON.stringify(value));
}
