// The cost of a connection: each loop opens a connection, sends a single request, and closes the connection. A program that calls a
// service once, or starts a process for each job, has this cost every time.

import { timesNamed, usualMeasures } from '../lib/workload/measures/usual-measures.js';

const OPERATION = Object.freeze({ one: 'connection', many: 'connections', done: 'made' });
const [RATE, SERVICE_TIME] = usualMeasures(OPERATION);

/** @type {import('../lib/types/scenarios.js').Scenario} */
export default {
  name: 'connect',
  summary: 'each loop connects, waits for one verified response, disconnects, and connects again',
  operation: OPERATION,
  measures: [
    RATE,
    SERVICE_TIME,
    timesNamed('timeToConnect', 'connect'),
    timesNamed('timeToFirstAnswer', 'first answer'),
  ],
  loads: ['closed'],
  roundTrips: null,
  skipReason: ({ reconnects }) =>
    reconnects ? null : 'its workers connect once, when they start, and cannot connect again',
  endpoints: { master: ['responder'], worker: ['reconnectingRequester'] },
  endpoint: (role, kit) => (role === 'master' ? kit.responder() : kit.reconnectingRequester()),
};
