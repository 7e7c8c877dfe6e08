// One message to all workers, like updates of caches, configurations or prices. Its cost grows with the number of subscribers, in the
// master, the broker or the kernel, whichever sends to each subscriber.

import { planProblem } from '../lib/workload/endpoints/stream-parts.js';
import { sentPerSecond, transitTimes, untilLastTimes } from '../lib/workload/measures/stream-measures.js';
import { usualMeasures } from '../lib/workload/measures/usual-measures.js';

const OPERATION = Object.freeze({ one: 'delivery', many: 'deliveries', done: 'made', toAll: 'message' });
const [RATE] = usualMeasures(OPERATION);

/** @type {import('../lib/types/scenarios.js').Scenario} */
export default {
  name: 'fan-out',
  summary: 'the master publishes as fast as all workers take, and each of them gets every message',
  operation: OPERATION,
  measures: [
    RATE,
    {
      name: 'timeUntilLast',
      title: 'time to the last worker',
      unit: 'µs',
      better: 'lower',
      kind: 'times',
      read: untilLastTimes,
    },
    {
      name: 'timeInTransit',
      title: 'time in transit',
      unit: 'µs',
      better: 'lower',
      kind: 'times',
      read: transitTimes,
    },
    {
      name: 'publishedPerSecond',
      title: 'published per second',
      unit: 'per second',
      better: null,
      kind: 'value',
      read: sentPerSecond,
    },
    {
      name: 'brokerBytesPerDelivery',
      title: 'from the broker',
      unit: 'bytes',
      better: 'lower',
      kind: 'value',
      column: 'mb',
      read: (_reports, _cell, _costs, traffic) => traffic?.bytes ?? null,
    },
  ],
  roundTrips: null,
  isByTime: true,
  settings: {
    way: {
      summary:
        'each: the master sends to one worker after the other; native: it sends once, and the transport delivers to all',
      default: 'each',
      choices: ['each', 'native'],
    },
  },
  isPublished: ({ way }) => way === 'native',
  isPacedByMaster: () => true,
  skipReason({ direction, publishes }, { way }, cell) {
    if (direction === 'request-reply') return 'its master only responds to requests';
    return way === 'native' && !publishes
      ? 'none of its messages reaches several workers: use way=each'
      : planProblem(cell);
  },
  endpoints: { master: ['publisher'], worker: ['subscriber'] },
  endpoint: (role, kit) => (role === 'master' ? kit.publisher() : kit.subscriber()),
};
