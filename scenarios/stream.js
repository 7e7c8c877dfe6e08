// A stream of messages without responses: one end sends as fast as the other receives. Sent and delivered messages are counted separately.
// The difference is in flight, in a buffer, or lost.

import { planProblem } from '../lib/workload/endpoints/stream-parts.js';
import { greatestBacklog, sentPerSecond, transitTimes } from '../lib/workload/measures/stream-measures.js';
import { operationsPerSecond, usualMeasures } from '../lib/workload/measures/usual-measures.js';

const OPERATION = Object.freeze({ one: 'message', many: 'messages', done: 'delivered' });
const [RATE, , PAYLOAD] = usualMeasures(OPERATION);

/** @type {import('../lib/types/scenarios.js').Scenario} */
export default {
  name: 'stream',
  summary: 'one way: one end sends as fast as the other receives, without responses',
  operation: OPERATION,
  measures: [
    RATE,
    {
      name: 'timeInTransit',
      title: 'time in transit',
      unit: 'µs',
      better: 'lower',
      kind: 'times',
      read: transitTimes,
    },
    {
      name: 'sentPerSecond',
      title: 'sent per second',
      unit: 'per second',
      better: null,
      kind: 'value',
      beside: RATE.name,
      read: sentPerSecond,
    },
    {
      name: 'greatestBacklog',
      title: 'backlog',
      unit: 'count',
      better: null,
      kind: 'value',
      read: greatestBacklog,
    },
    {
      ...PAYLOAD, // counts each message once, since there are no responses
      read: (reports, { payloadBytes }) => (payloadBytes * operationsPerSecond(reports)) / 1e6,
    },
  ],
  roundTrips: null,
  isByTime: true,
  isOverConnections: true,
  settings: {
    direction: {
      summary: 'which end receives; both: each end sends and receives',
      default: 'to-master',
      choices: ['to-master', 'to-worker', 'both'],
    },
    handle: {
      summary: 'how long each message keeps the event loop of its receiver busy',
      default: 0,
      min: 0,
      max: 1e6,
      unit: 'µs',
    },
  },
  isPacedByMaster: ({ direction }) => direction === 'to-worker',
  skipReason(traits, { direction }, cell) {
    if (traits.direction === 'request-reply')
      return 'its master only responds to requests, and its workers wait for responses';
    if (traits.blocksForResponses && direction !== 'to-worker')
      return 'its workers wait for a response to each message: use stream:direction=to-worker';
    return direction === 'both' && cell.ratePerSecond !== undefined
      ? 'a rate is that of one direction: leave out direction=both, or --rate and --sweep'
      : planProblem(cell);
  },
  endpoints: { master: ['consumer', 'producer', 'duplex'], worker: ['consumer', 'producer', 'duplex'] },
  endpoint(role, kit) {
    const { direction, handle } = kit.settings;
    const handleMs = Number(handle) / 1_000;
    if (direction === 'both') return kit.duplex(role, handleMs);
    return (direction === 'to-master') === (role === 'master') ? kit.consumer(handleMs) : kit.producer();
  },
};
