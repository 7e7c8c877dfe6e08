// Which blocks of a run a shard makes, and what a results file says of the shards that it is made of.

/** @import { Environment, Options, Results, Shard } from '../types/index.js' */

/** In one pass over the cells, a reference that is launched in several groups has blocks so far apart. */
const CHUNK_BLOCKS = 1_000;

/** @param {number} pass   over all cells, from 0 @param {number} chunk   of a table that makes several groups, from 0 @returns {number} */
export function blockOf(pass, chunk) {
  return chunk * CHUNK_BLOCKS + pass;
}

/** @param {number} block @returns {number} */
export function passOf(block) {
  return block % CHUNK_BLOCKS;
}

/** @param {Shard | undefined} shard   absent: the whole run @param {number} block from 0 */
export function isOwnBlock(shard, block) {
  return shard === undefined || passOf(block) % shard.count === shard.index - 1;
}

/** @param {Pick<Options, 'launches' | 'shard'>} options @returns {number} launches of each cell, in this shard */
export function plannedLaunches({ launches, shard }) {
  return shard === undefined ? launches : Math.ceil((launches - shard.index + 1) / shard.count);
}

/** @param {Pick<Options, 'shard'>} options @returns {boolean} what is done once in a run, beside its blocks, is done here */
export function isFirstShard({ shard }) {
  return shard === undefined || shard.index === 1;
}

/** @param {Shard} shard @returns {string} 'shard 2 of 4' */
export function shardText({ index, count }) {
  return `shard ${index} of ${count}`;
}

/** @param {readonly Shard[]} shards   of one run, at least one @returns {number[]} indices of those that are not among them */
export function missingShards(shards) {
  const [{ count }] = shards;
  const all = Array.from({ length: count }, (_, place) => place + 1);
  return all.filter((index) => !shards.some((shard) => shard.index === index));
}

/** @param {Pick<Results, 'environment' | 'shards'>} results @returns {Environment[]} of all that they were measured in */
export function listEnvironments({ environment, shards }) {
  return shards === undefined ? [environment] : shards.map((shard) => shard.environment);
}
