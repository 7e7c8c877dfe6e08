// RabbitMQ over AMQP 0-9-1. Each direction of each worker has a separate queue, so a round trip is two publishes and two deliveries;
// `reply=direct` needs no queue for responses. rabbitmq-mail.js explains the guarantees.

import { dirname, join } from 'node:path';
import {
  brokerTraits,
  findServer,
  howToInstall,
  serverProgram,
} from '../../lib/channels/brokers/broker-transport.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { packageProblem } from '../../lib/machine/packages.js';
import { guaranteeTraits, PREFETCH, settingsProblem } from './rabbitmq-guarantees.js';

/** @import { Broker, Transport } from '../../lib/types/index.js' */

const SERVER = 'rabbitmq-server';
const GIVE_URL = 'give --broker-url rabbitmq=amqp://...';
const PACKAGES = {
  apt: SERVER,
  dnf: SERVER,
  apk: SERVER,
  zypper: SERVER,
  pacman: 'rabbitmq',
  brew: 'rabbitmq',
};
const MISSING = `no ${SERVER} found: ${howToInstall(PACKAGES)}, or ${GIVE_URL}`;
const NO_SCRIPT = `${SERVER} is not started privately on Windows: ${GIVE_URL}`;
const PACKAGE_FOLDER = '/usr/lib/rabbitmq/bin';

// RabbitMQ reserves files for other purposes: with a limit of 64 it accepted no connection, with 128 it served a launch (RabbitMQ 3.10).
const MIN_OPEN_FILES = 128;

/** @type {Broker} */
export const rabbitmqBroker = {
  name: 'rabbitmq',
  packages: PACKAGES,
  urlSchemes: ['amqp', 'amqps'],
  dependsOn: [],
  describe: async (url) => (await import('./rabbitmq-start.js')).describeRabbitmq(url),
  ...serverProgram({
    find: findScript,
    missing: process.platform === 'win32' ? NO_SCRIPT : MISSING,
    leastOpenFiles: MIN_OPEN_FILES,
    start: async (command, start) => (await import('./rabbitmq-start.js')).startRabbitmq(command, start),
  }),
};

function findScript() {
  const command = findServer(SERVER) ?? findOnPath(SERVER, PACKAGE_FOLDER);
  if (process.platform === 'win32' || command === undefined) return undefined;
  // Packages of Debian and RPM wrap the script in another script, which requires their user and folders.
  return findOnPath(SERVER, join(dirname(command), '../lib/rabbitmq/bin')) ?? command;
}

/** @type {Transport} */
export default {
  name: 'rabbitmq',
  summary: 'RabbitMQ queues, AMQP 0-9-1 (amqplib)',
  traits: {
    ...brokerTraits,
    queues: 'at most once',
    guarantee: 'at most once, in order; memory only, no acknowledgement',
    greatestMessageBytes: 128 * 1024 * 1024, // max_message_size of version 3; the default of version 4 is 16 MiB
    broker: 'rabbitmq',
    packages: ['amqplib'],
    sources: [
      'https://www.rabbitmq.com/docs/confirms',
      'https://www.rabbitmq.com/docs/consumer-prefetch',
      'https://www.rabbitmq.com/docs/direct-reply-to',
      'https://www.rabbitmq.com/docs/ttl#queue-ttl',
      'https://www.rabbitmq.com/docs/networking#intro',
      'https://amqp-node.github.io/amqplib/channel_api.html',
    ],
  },
  look: { hue: 'ochre', marker: 'square' },
  carries: ['text', 'bytes'],
  settings: {
    guarantee: {
      summary:
        'none: memory, no acknowledgements; confirm: publisher confirms and acks; durable: on disk as well',
      default: 'none',
      choices: ['none', 'confirm', 'durable'],
      changesRoute: ['durable'], // `durable` implies `confirm`, so its tests cover both
    },
    reply: {
      summary:
        'where responses go; queue: one per worker; direct: amq.rabbitmq.reply-to, with guarantee=none',
      default: 'queue',
      choices: ['queue', 'direct'],
      changesRoute: true,
    },
    queue: {
      summary: 'kind of the queues; quorum with guarantee=durable',
      default: 'classic',
      choices: ['classic', 'quorum'],
    },
    prefetch: {
      summary: 'messages that a consumer has not acknowledged yet; 0: any number',
      default: PREFETCH,
      min: 0,
      max: 65_535,
    },
    noDelay: {
      summary: 'TCP_NODELAY of the clients, which amqplib leaves off by default',
      default: true,
    },
  },
  traitsOf: guaranteeTraits,
  whyImpossible: settingsProblem,
  broker: rabbitmqBroker,
  whyUnavailable: (_, isGlance) => packageProblem('amqplib', isGlance),
  listen: async (host) => (await import('./rabbitmq-ends.js')).listenOverMail(host),
  connect: async (guest) => (await import('./rabbitmq-ends.js')).connectOverMail(guest),
};
