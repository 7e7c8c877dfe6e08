// Core NATS, over topics (see over-topics.js), without JetStream. The same connection publishes and subscribes; the library encodes texts.

import {
  brokerTraits,
  endsOverTopics,
  findServer,
  howToInstall,
  serverProgram,
} from '../../lib/channels/brokers/broker-transport.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @import { Broker, Transport } from '../../lib/types/index.js' */

/** The default of the server is 1 MiB; above 8 MiB it warns, and may refuse the value in future versions (server/const.go). */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

const SERVER = 'nats-server';
const PACKAGES = { apt: SERVER, apk: SERVER, pacman: SERVER, brew: SERVER, winget: 'NATSAuthors.NATSServer' };
const GIVE_URL = 'give --broker-url nats=nats://HOST:PORT';

/** @type {Broker} */
export const natsBroker = {
  name: 'nats',
  packages: PACKAGES,
  urlSchemes: ['nats', 'tls'],
  openGauge: async (url) => (await import('./nats-traffic.js')).openNatsGauge(url),
  describe: async (url) => (await import('./nats-traffic.js')).describeNats(url),
  ...serverProgram({
    find: () => findServer(SERVER),
    missing: `no ${SERVER} found: ${howToInstall(PACKAGES)}, or ${GIVE_URL}`,
    start: async (command, start) =>
      (await import('./nats-start.js')).startNats(command, start, MAX_PAYLOAD_BYTES),
  }),
};

/** @type {Transport} */
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
