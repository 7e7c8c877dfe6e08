// The shards of one run → the results that the whole run would have given: the same launches in the same blocks, and all
// that follows from them computed anew.

import { isDeepStrictEqual } from 'node:util';
import { cellLabel } from '../cell/labels.js';
import { BenchError } from '../errors.js';
import { COMMAND, shellWord } from '../format/flag-text.js';
import { listed } from '../format/lists.js';
import { printable } from '../format/printable.js';
import { joinedControls, joinedWakeUp } from './calibration-rows.js';
import { isOfMeasuring, softwareIn, valueText } from './run-aspects.js';
import { isOwnBlock, missingShards, passOf, shardText } from './shards.js';
import { isNotLaunched, summariseResults } from './summarise.js';

/** @import { Environment, Floor, JoinedShard, Launch, Outcome, PlannedCell, Results, Shard } from '../types/index.js' */

/** @import { Aspects } from './run-aspects.js' */
/** @typedef {Results & { options: { shard: Shard } }} ShardResults */

/**
 * @param {ShardResults[]} parts   of one run, each once, in any order; some may be missing
 * @returns {Results} the same bytes for the same parts: its times are theirs
 */
export function joinShards(parts) {
  const shards = parts.toSorted((one, other) => one.options.shard.index - other.options.shard.index);
  // One that was stopped before its first launch had ended does not know its cells.
  const first = shards.find(({ outcomes }) => outcomes.length > 0) ?? shards[0];
  const { continuedAt: _times, ...facts } = first;
  const { shard, ...options } = first.options;
  const isWhole = shards.length === shard.count && shards.every(({ status }) => status === 'complete');
  const instants = shards.flatMap(({ startedAt, updatedAt }) => [startedAt, updatedAt]).sort();
  const wakeUp = joinedWakeUp(shards.map(({ machine }) => machine?.wakeUp));
  const controls = joinedControls(shards.flatMap((each) => each.controls ?? []));
  const { launches: plannedLaunches, quick } = options;
  const { scenarios, reference } = first;
  const circumstances = { plannedLaunches, quick, wakeUpUs: wakeUp?.costUs ?? null, controls, scenarios };
  return {
    ...facts,
    status: isWhole ? 'complete' : 'interrupted',
    startedAt: instants[0],
    updatedAt: instants[instants.length - 1],
    environment: { ...first.environment, brokers: mergeBrokers(shards) },
    options,
    ...(first.machine && { machine: { wakeUp } }),
    ...(controls && { controls }),
    ...(first.floor && { floor: joinedFloor(shards, first.floor) }),
    outcomes: summariseResults(recoverPlan(first), launchesByCell(shards), reference, circumstances),
    shards: shards.map(joinedShard),
  };
}

/** @param {ShardResults} results @returns {JoinedShard} what stays its own */
function joinedShard({ options: { shard }, status, startedAt, updatedAt, ...results }) {
  const { continuedAt, environment, machine, controls } = results;
  return {
    ...shard,
    status,
    startedAt,
    updatedAt,
    environment,
    ...(continuedAt && { continuedAt }),
    ...(machine && { machine }),
    ...(controls && { controls }),
  };
}

/** @param {Results} results @returns {PlannedCell[]} that its outcomes are of */
function recoverPlan({ outcomes }) {
  return outcomes.map((outcome) =>
    outcome.status === 'skipped' && !isNotLaunched(outcome)
      ? { cell: outcome.cell, skip: outcome.reason, ...(outcome.isImpossible && { isImpossible: true }) }
      : { cell: outcome.cell, skip: null },
  );
}

/** @param {Results[]} shards @returns {Map<string, Launch[]>} by cellLabel, in the order of the blocks */
function launchesByCell(shards) {
  /** @type {Map<string, Launch[]>} */
  const byCell = new Map();
  for (const outcome of shards.flatMap(({ outcomes }) => outcomes)) {
    const label = cellLabel(outcome.cell);
    const own = outcome.status === 'skipped' ? [] : outcome.launches;
    byCell.set(label, [...(byCell.get(label) ?? []), ...own]);
  }
  for (const launches of byCell.values()) launches.sort((one, other) => one.block - other.block);
  return byCell;
}

/** @param {Results[]} shards @returns {Results['environment']['brokers']} those that any of them had */
function mergeBrokers(shards) {
  return Object.assign({}, ...shards.toReversed().map(({ environment }) => environment.brokers));
}

/** @param {Results[]} shards @param {Floor} floor   of the first of them @returns {Floor} with the launches of all, in the order of the blocks */
function joinedFloor(shards, { rows, without }) {
  const all = shards.flatMap(({ floor }) => floor?.rows ?? []);
  return {
    rows: rows.map((row) => {
      const same = all.filter(({ cells }) => cells[0] === row.cells[0]);
      const launches = same.flatMap((other) => other.launches);
      return { ...row, launches: launches.sort((one, other) => one.block - other.block) };
    }),
    without,
  };
}

// Whether results are the shards of one run, all of them and each once. What was measured in another way is never joined;
// what is only missing, or was measured with other software, is joined by force, and the results tell of it.

/** @typedef {{ name: string, results: ShardResults }} Part   name: of its file */

const MOST_CELLS_NAMED = 5;

/**
 * @param {{ name: string, results: Results }[]} parts   at least one
 * @param {{ isForced: boolean }} rules
 * @returns {ShardResults[]}
 * @throws {BenchError} BAD_ARGUMENT, BAD_RESULTS_FILE or NOT_COMPARABLE
 */
export function shardsOfOneRun(parts, { isForced }) {
  const shards = parts.map((part) => asShard(part));
  const unlike = [...optionFaults(shards), ...cellFaults(shards)];
  if (unlike.length > 0) {
    throw refusal(
      unlike,
      'Launches of several kinds would be mixed. Measure all shards of a run in one way.',
    );
  }
  refuseTwins(shards);
  const unfit = [...softwareFaults(shards), ...gapFaults(shards)];
  if (unfit.length > 0 && !isForced) {
    const next = 'Mend that, or join what there is with --force: the results will tell of it.';
    throw refusal(unfit, next);
  }
  return shards.map(({ results }) => results);
}

/** @param {string[]} faults @param {string} next */
function refusal(faults, next) {
  const list = faults.map((fault) => `\n  - ${fault}`).join('');
  return new BenchError('NOT_COMPARABLE', `these cannot be joined:${list}\n${next}`);
}

/** @param {{ name: string, results: Results }} part @returns {Part} */
function asShard({ name, results }) {
  const { options, shards, outcomes } = results;
  const { shard } = options;
  const what = printable(name);
  if (shards !== undefined) {
    throw new BenchError('BAD_ARGUMENT', `${what} is joined already; name the results of its shards instead`);
  }
  if (shard === undefined) {
    const next = 'only the results of ipc-bench run --shard I/N are joined';
    throw new BenchError('BAD_ARGUMENT', `${what} is of a whole run, and no shard; ${next}`);
  }
  const launches = outcomes.flatMap((outcome) => (outcome.status === 'skipped' ? [] : outcome.launches));
  const strange = launches.find(
    ({ block }) => !isOwnBlock(shard, block) || passOf(block) >= options.launches,
  );
  if (strange !== undefined) {
    const why = `it has a launch of block ${strange.block}, which is not of ${shardText(shard)}`;
    const next = 'It was changed after it was saved, or a bug wrote it: measure again.';
    throw new BenchError('BAD_RESULTS_FILE', `${what} cannot be read as results: ${why}. ${next}`);
  }
  return { name, results: { ...results, options: { ...options, shard } } };
}

/**
 * @param {string} what
 * @param {Part[]} parts
 * @param {(results: ShardResults) => unknown} read
 * @param {(results: ShardResults) => string} [show]
 * @returns {string[]} nothing where all have the same
 */
function differencesIn(what, parts, read, show = (results) => valueText(read(results))) {
  /** @type {{ value: unknown, text: string, names: string[] }[]} */
  const groups = [];
  for (const { name, results } of parts) {
    const value = read(results);
    const known = groups.find((group) => isDeepStrictEqual(group.value, value));
    if (known) known.names.push(printable(name));
    else groups.push({ value, text: show(results), names: [printable(name)] });
  }
  if (groups.length < 2) return [];
  return [`${what} is ${groups.map(({ text, names }) => `${text} in ${listed(names)}`).join(', ')}`];
}

/** @param {Part[]} parts @returns {string[]} what is not as it was asked for elsewhere */
function optionFaults(parts) {
  const all = new Set(parts.flatMap(({ results }) => Object.keys(results.options)));
  const names = [...all].filter((name) => isOfMeasuring(name) && name !== 'shard');
  // Of shards that have begun: the others know none of their cells.
  const begun = parts.filter(({ results }) => results.outcomes.length > 0);
  return [
    ...differencesIn('ipc-bench', parts, ({ tool }) => tool.version),
    ...differencesIn('the number of shards', parts, ({ options }) => options.shard.count),
    ...names.flatMap((name) =>
      differencesIn(`option ${name}`, parts, (results) => readOption(results, name)),
    ),
    ...differencesIn('the reference', begun, ({ reference }) => reference),
    ...differencesIn('what the scenarios measure', begun, ({ scenarios }) => scenarios),
    ...differencesIn('what the transports promise', begun, ({ transports }) => transports),
  ];
}

/** @param {ShardResults} results @param {string} name @returns {unknown} a file of messages may lie elsewhere */
function readOption({ options }, name) {
  if (name !== 'messageFile') return Object.entries(options).find(([key]) => key === name)?.[1];
  const { path: _path, ...messages } = options.messageFile ?? { path: '' };
  return messages;
}

/** @param {Part[]} parts @returns {string[]} cells that are not planned, or not skipped, in all of them */
function cellFaults(parts) {
  const begun = parts.filter(({ results }) => results.outcomes.length > 0);
  const labels = new Set(begun.flatMap(({ results }) => results.outcomes.map(({ cell }) => cellLabel(cell))));
  const faults = [...labels].flatMap((label) => {
    const ofCell = (/** @type {Results} */ { outcomes }) =>
      outcomes.find(({ cell }) => cellLabel(cell) === label);
    return differencesIn(
      printable(label),
      begun,
      (results) => describePlan(ofCell(results)).state,
      (results) => planText(describePlan(ofCell(results))),
    );
  });
  const rest = faults.length - MOST_CELLS_NAMED;
  return rest > 1 ? [...faults.slice(0, MOST_CELLS_NAMED), `and so are ${rest} more cells`] : faults;
}

/** @param {Outcome | undefined} outcome @returns {{ state: 'absent' | 'planned' | 'skipped', why: string }} */
function describePlan(outcome) {
  if (outcome === undefined) return { state: 'absent', why: '' };
  if (outcome.status !== 'skipped' || isNotLaunched(outcome)) return { state: 'planned', why: '' };
  return { state: 'skipped', why: outcome.reason };
}

/** @param {ReturnType<typeof describePlan>} plan */
function planText({ state, why }) {
  return why === '' ? state : `${state} (${valueText(why)})`;
}

/** @param {Part[]} parts @throws {BenchError} */
function refuseTwins(parts) {
  for (const [place, { name, results }] of parts.entries()) {
    const { shard } = results.options;
    const twin = parts.slice(0, place).find((other) => other.results.options.shard.index === shard.index);
    if (twin === undefined) continue;
    const what = `${printable(twin.name)} and ${printable(name)} are both ${shardText(shard)}`;
    throw new BenchError('BAD_ARGUMENT', `${what}; name the results of each shard once`);
  }
}

/** @param {Part[]} parts @returns {string[]} with what they were measured: machines may differ, as jobs of a build do */
function softwareFaults(parts) {
  const [{ results: first }] = parts;
  return [
    ...softwareProblems('', parts, ({ environment }) => environment),
    // The same ones in all parts: which hosts there are is an option.
    ...(first.options.hosts?.workers ?? []).flatMap((host) =>
      softwareProblems(` of host ${printable(host)}`, parts, ({ hosts }) => hosts?.[host]?.environment),
    ),
  ];
}

/** @param {string} of   whose it is @param {Part[]} parts @param {(results: Results) => Environment | undefined} environmentIn */
function softwareProblems(of, parts, environmentIn) {
  const readIn = (/** @type {Results} */ results, /** @type {Aspects[string]} */ read) => {
    const environment = environmentIn(results);
    return environment && read(environment);
  };
  const environments = parts.flatMap(({ results }) => environmentIn(results) ?? []);
  return Object.entries(softwareIn(environments)).flatMap(([what, read]) => {
    const having = parts.filter(({ results }) => readIn(results, read) !== undefined);
    return differencesIn(`${what}${of}`, having, (results) => readIn(results, read));
  });
}

/** @param {Part[]} parts @returns {string[]} shards that are missing, or were not finished */
function gapFaults(parts) {
  const shards = parts.map(({ results }) => results.options.shard);
  const [{ count }] = shards;
  const unfinished = parts.filter((part) => part.results.status !== 'complete');
  return [
    ...missingShards(shards).map((index) => `${shardText({ index, count })} is missing`),
    ...unfinished.map(
      ({ name, results: { options } }) =>
        `${shardText(options.shard)} was not finished: ${COMMAND} run --resume ${printable(shellWord(name))} goes on with it`,
    ),
  ];
}
