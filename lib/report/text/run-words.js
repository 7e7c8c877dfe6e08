// Why an adaptive run ended, when an interrupted one continued, and which shards were joined.

import { isDeepStrictEqual } from 'node:util';
import { counted, formatRanges, groupedBy, listed } from '../../format/lists.js';
import { durationText, formatPercent } from '../../format/numbers.js';
import { HARDWARE, softwareIn } from '../../results/run-aspects.js';
import { listEnvironments, missingShards, plannedLaunches, shardText } from '../../results/shards.js';

/** @import { Results, Environment, JoinedShard } from '../../types/index.js' */
/** @import { Aspects } from '../../results/run-aspects.js' */

/** @param {Results} results @returns {string[]} one line where the run was adaptive */
function stopLines({ stopRule, options: { stop } }) {
  if (stopRule === undefined || stop === undefined) return [];
  const { endedBy, widest, blocks } = stopRule;
  const target = `± ${formatPercent(stop.targetError, 2)}`;
  const width =
    widest === null
      ? 'not every row has an interval'
      : `the widest interval is ± ${formatPercent(widest, 2)}`;
  const isAuto = stop.mostLaunches !== undefined;
  const goal = isAuto
    ? `every ratio was clear of 1 or within ${target}`
    : `every interval was within ${target}`;
  const before = `before ${goal}: ${width}`;
  const reasons = {
    target: `every interval is within ${target} of its estimate`,
    settled: `every ratio is clear of 1 or within ${target}`,
    time: `${isAuto ? 'its time' : '--max-time'} (${durationText(stop.maxTimeMs)}) was over ${before}`,
    blocks: `that is the greatest number of a run, ${before}`,
    failures: 'every row had failed',
  };
  const reason = endedBy === null ? `it was interrupted ${before}` : reasons[endedBy];
  return [`ended after ${blocks} blocks because ${reason}`];
}

/** @param {Results} results @returns {string[]} one line where the run had been interrupted */
function continuedLines({ continuedAt = [] }) {
  if (continuedAt.length === 0) return [];
  const times = continuedAt.map((time) => `${time.slice(0, 16).replace('T', ' ')} UTC`);
  return [`interrupted, and continued at ${times.join(', ')}`];
}

/** @param {Results} results @returns {string[]} */
export function runLengthLines(results) {
  return [...stopLines(results), ...continuedLines(results), ...shardLines(results)];
}

// The shards of results: which were joined, which one this is, and which are missing.

/** @param {readonly number[]} indices @returns {string} 'shard 2', 'shards 1, 3–4' */
function shardsText(indices) {
  return `${indices.length === 1 ? 'shard' : 'shards'} ${formatRanges(indices)}`;
}

/**
 * @param {Pick<Results, 'environment' | 'shards'>} results
 * @param {(environment: Environment) => string} read
 * @returns {string[]} one text where it is the same everywhere; else each with its shards in front
 */
export function textsByShard({ environment, shards }, read) {
  const groups = groupedBy(shards ?? [], (shard) => read(shard.environment));
  if (groups.size < 2) return [read(environment)];
  return [...groups].map(([text, some]) => `${shardsText(some.map(({ index }) => index))}: ${text}`);
}

/** @param {Pick<Results, 'environment' | 'shards'>} results @param {Aspects} aspects @returns {string[]} those that differ */
function unlikeAspects(results, aspects) {
  return Object.entries(aspects).flatMap(([what, read]) => {
    const [first, ...rest] = listEnvironments(results)
      .map(read)
      .filter((value) => value !== undefined);
    return rest.every((value) => isDeepStrictEqual(value, first)) ? [] : [what];
  });
}

/** @param {JoinedShard[]} shards @returns {string[]} what there would have been besides */
function gapTexts(shards) {
  const { count } = shards[0];
  const missing = missingShards(shards);
  const unfinished = shards.filter(({ status }) => status !== 'complete').map(({ index }) => index);
  return [
    ...(missing.length > 0 ? [`${shardsText(missing)} of ${count} missing`] : []),
    ...(unfinished.length > 0 ? [`${shardsText(unfinished)} not finished`] : []),
  ];
}

/** @param {Results} results @returns {string[]} one line where they were joined, or are of one shard, and what is wrong with it */
function shardLines(results) {
  const { options, shards } = results;
  if (options.shard !== undefined) {
    const launches = `${plannedLaunches(options)} of ${counted(options.launches, 'launch', 'launches')} per row`;
    return [`${shardText(options.shard)}, with ${launches}; ipc-bench merge joins them`];
  }
  if (shards === undefined) return [];
  const hardware = unlikeAspects(results, HARDWARE);
  const software = unlikeAspects(results, softwareIn(listEnvironments(results)));
  const where = hardware.length === 0 ? '' : ` on different machines (${listed(hardware)})`;
  const joined = [`joined from ${counted(shards.length, 'shard', 'shards')}${where}`, ...gapTexts(shards)];
  return [
    shards.length === 1
      ? joined.join(', ')
      : `${joined.join(', ')}: ratios pair launches of the same machine, rates include all shards`,
    ...(software.length === 0 ? [] : [`joined by --force although these differ: ${listed(software)}`]),
  ];
}

/** @param {Results} results @returns {string[]} the same in a few words, for the foot of a chart */
export function briefShardTexts(results) {
  const { options, shards } = results;
  if (options.shard !== undefined) return [`only ${shardText(options.shard)}`];
  if (shards === undefined) return [];
  return [[`joined from ${counted(shards.length, 'shard', 'shards')}`, ...gapTexts(shards)].join(', ')];
}
