// Text of --shard → which part of a run is made here. The jobs of a run cannot talk with each other, so that its length
// and its order must be known to all of them beforehand.

import { quoted } from '../format/quoted.js';
import { isOn } from './output-options.js';
import { refuse } from './quantities.js';

/** @import { Shard } from '../types/index.js' */
/** @import { Find } from './output-options.js' */

/**
 * @param {Find} find
 * @param {number} launches
 * @returns {{ shard: Shard } | {}} nothing: the whole run
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function shardOption(find, launches) {
  const given = find('shard');
  if (given === undefined) return {};
  const { texts, source } = given;
  const [text] = texts;
  const [, index, count] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || index > count) {
    refuse(source, `${quoted(text)} is no shard; write the number of this one / how many there are, as 2/4`);
  }
  if (launches < count) {
    const next = `give --launches ${count} or more, or make fewer shards`;
    refuse(
      source,
      `--launches ${launches} are too few for ${count} shards, each of which needs one; ${next}`,
    );
  }
  const adaptive = ['target-error', 'max-time'].find((flag) => find(flag) !== undefined);
  if (isOn(find('sweep'))) {
    refuse(source, 'goes without --sweep: a search takes each step by what the one before has shown');
  }
  if (adaptive !== undefined) {
    const why = 'how many launches there will be is not known before all shards have ended';
    refuse(source, `goes without --${adaptive}: ${why}; give --launches`);
  }
  if (find('seed') === undefined) {
    const next = 'give all shards the same one, such as the number of the build, and each build another one';
    refuse(source, `needs a --seed, since it decides the order of the whole run; ${next}`);
  }
  return { shard: { index, count } };
}
