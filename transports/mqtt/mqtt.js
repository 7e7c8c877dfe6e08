// MQTT 3.1.1, over topics (see over-topics.js). The same connection publishes and subscribes, with a clean session and the library's
// keep-alive of a minute.

import { brokerTraits, endsOverTopics, netSetting } from '../../lib/channels/brokers/broker-transport.js';
import { reachTraits } from '../../lib/channels/shared-traits.js';
import { packageProblem } from '../../lib/machine/packages.js';
import { mqttBroker } from './mqtt-broker.js';

const GUARANTEES = [
  'at most once, in order; memory only, no acknowledgement',
  'at least once as long as the connections last, in order; memory only, each hop acknowledged',
  'exactly once as long as the connections last, in order; memory only, each hop a handshake of four packets',
];

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'mqtt',
  summary: 'MQTT 3.1.1 (mqtt.js) with mosquitto or aedes',
  traits: {
    ...brokerTraits,
    publishes: true,
    guarantee: GUARANTEES[0],
    greatestMessageBytes: 268_435_455 - 1_024, // the limit of a packet minus room for topic and id
    broker: 'mqtt',
    packages: ['mqtt'],
    sources: [
      'https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html',
      'https://mosquitto.org/man/mosquitto-conf-5.html',
      'https://github.com/mqttjs/MQTT.js/blob/main/README.md',
      'https://github.com/moscajs/aedes/blob/main/docs/Aedes.md',
    ],
  },
  look: { hue: 'ochre', marker: 'diamond' },
  carries: ['text', 'bytes'],
  settings: {
    qos: {
      summary:
        '0: no acknowledgement; 1: each hop acknowledged; 2: each hop a handshake, so that nothing arrives twice',
      default: 0,
      choices: [0, 1, 2],
      changesRoute: [2], // the handshake has two acknowledgements, so the tests of 2 cover 1
    },
    inflight: {
      summary:
        'from qos=1 on: number of messages that wait for their acknowledgement, in each direction to and from the broker',
      default: 20, // default of mosquitto and of the clients of Eclipse
      min: 1,
      max: 65_535,
      unit: 'messages',
    },
    net: netSetting,
    noDelay: {
      summary:
        'a private broker over tcp sends at once; false is the default of mosquitto: 44 ms more from qos=1 on',
      default: true,
      ofPrivateServer: true,
    },
    broker: {
      summary:
        'the private broker; auto: mosquitto where it is installed, else aedes, a broker written for Node',
      default: 'auto',
      choices: ['auto', 'mosquitto', 'aedes'],
      ofPrivateServer: true,
      changesRoute: ['aedes'],
    },
  },
  traitsOf: ({ qos, net, inflight }) => ({
    ...reachTraits({ net }),
    guarantee: GUARANTEES[Number(qos)],
    ...(Number(qos) > 0 && { acknowledgementWindow: { setting: 'inflight', messages: Number(inflight) } }),
  }),
  broker: mqttBroker,
  whyUnavailable: (_, isGlance) => packageProblem('mqtt', isGlance),
  ...endsOverTopics('/', () => import('./mqtt-topics.js')),
};
