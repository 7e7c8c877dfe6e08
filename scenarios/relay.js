// A round trip over two hops: a process such as a proxy, a gateway or a bus is between the clients and the server. A setting decides
// whether this process decodes and encodes each message or passes it on unchanged.

import { SAME } from '../lib/cell/launch-roles.js';
import { cpuUsPerOperation, usualMeasures } from '../lib/workload/measures/usual-measures.js';

const OPERATION = Object.freeze({ one: 'round trip', many: 'round trips', done: 'answered' });

/** @type {import('../lib/types/scenarios.js').Scenario} */
export default {
  name: 'relay',
  summary:
    'a round trip over two hops: a proxy forwards the requests of workers and the responses of the master',
  operation: OPERATION,
  measures: [
    ...usualMeasures(OPERATION),
    {
      name: 'relayCpu',
      title: 'relay CPU',
      unit: 'µs',
      better: 'lower',
      kind: 'value',
      read: (reports, _cell, costs) =>
        cpuUsPerOperation(
          reports,
          costs.filter(({ role }) => role === 'relay'),
        ),
    },
  ],
  roundTrips: 2,
  // With another transport, a broker of the cell's transport carries only one of the two hops.
  ofSettings: ({ to }) => (to === SAME ? {} : { roundTrips: null }),
  addsTo: 'round-trip',
  codings: ({ way }) => (way === 'encoded' ? 2 : 1),
  settings: {
    way: {
      summary:
        'untouched: messages are passed on as they are; encoded: each is decoded and encoded anew, with the codec of both hops',
      default: 'untouched',
      choices: ['untouched', 'encoded'],
    },
    to: {
      summary:
        'the transport between relay and master, as in to=tcp or to=tcp:flush=tick+noDelay=false; same: that of the workers',
      default: SAME,
    },
  },
  roles: [
    { name: 'master', leads: true, listens: true },
    { name: 'relay', listens: true, connectsTo: 'master', over: 'to' },
    { name: 'worker', count: 'workers', connectsTo: 'relay' },
  ],
  skipReason({ usesForkHandles, answersAtOnce }) {
    if (usesForkHandles) return 'it connects a process only to those that it starts, and a relay starts none';
    return answersAtOnce
      ? 'its master responds to each request before it reads the next, and the proxy has no response yet'
      : null;
  },
  canPause: true,
  endpoints: { master: ['responder'], relay: ['proxy'], worker: ['requester'] },
  endpoint(role, kit) {
    if (role === 'master') return kit.responder();
    if (role === 'relay') return kit.proxy(kit.settings.way === 'encoded');
    return kit.requester();
  },
};
