// Core NATS, over topics as over-topics.js has them: no JetStream, which would need a package of its own and answers
// another question. One connection per process both publishes and subscribes; text goes as the library encodes it.

import { packageProblem } from '../../lib/machine/packages.js';
import { brokerTraits } from '../../lib/transport/brokers/broker-traits.js';
import { endsOverTopics } from '../../lib/transport/brokers/ends-over-topics.js';
import { MAX_PAYLOAD_BYTES } from './max-payload.js';
import { natsBroker } from './nats-broker.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'nats',
  summary: 'core NATS (@nats-io/transport-node, TCP)',
  traits: {
    ...brokerTraits,
    publishes: true,
    queues: 'at most once',
    guarantee: 'at most once, in order; memory only, no acknowledgement',
    greatestMessageBytes: MAX_PAYLOAD_BYTES,
    broker: 'nats',
    packages: ['@nats-io/transport-node'],
    sources: [
      'https://docs.nats.io/nats-concepts/core-nats/pubsub',
      'https://docs.nats.io/nats-concepts/core-nats/queue',
      'https://docs.nats.io/reference/config/max_payload.md',
      'https://docs.nats.io/running-a-nats-service/nats_admin/slow_consumers',
      'https://github.com/nats-io/nats-server/blob/main/server/const.go',
      'https://github.com/nats-io/nats.js/blob/main/core/README.md',
    ],
  },
  look: { hue: 'ochre', marker: 'circle' },
  carries: ['text', 'bytes'],
  broker: natsBroker,
  whyUnavailable: (_, isGlance) => packageProblem('@nats-io/transport-node', isGlance),
  ...endsOverTopics('.', () => import('./nats-topics.js')),
};
