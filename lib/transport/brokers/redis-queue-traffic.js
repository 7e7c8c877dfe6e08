// What passes a Redis in queues: the calls of commands that give it a message, or take one.

import { sumBy } from '../../statistics/sum.js';
import { openRedisGauge } from './redis-gauge.js';

const GIVING = ['lpush', 'xadd'];
const TAKING = ['brpop', 'blmove'];
const TAKING_MANY = ['blmpop', 'xread', 'xreadgroup']; // one call, however much it took

/** @param {string} url */
export function openQueueGauge(url) {
  return openRedisGauge(url, toReading, passedBetween);
}

/** @param {import('./redis-gauge.js').Counters} counters */
function toReading({ stat, calls, replyBytes }) {
  const callsOf = (/** @type {string[]} */ names) => sumBy(names, calls);
  return {
    given: callsOf(GIVING),
    taken: callsOf(TAKING),
    takenManyAtOnce: callsOf(TAKING_MANY),
    bytesOut: stat('total_net_output_bytes'),
    replyBytes,
  };
}

/**
 * @param {ReturnType<typeof toReading>} from
 * @param {ReturnType<typeof toReading>} to
 * @returns {import('../../types/brokers.js').Traffic}
 */
function passedBetween(from, to) {
  return {
    published: to.given - from.given,
    delivered: to.takenManyAtOnce > from.takenManyAtOnce ? null : to.taken - from.taken,
    bytes: to.bytesOut - from.bytesOut - from.replyBytes,
  };
}
