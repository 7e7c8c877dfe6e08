// A private RabbitMQ for one run. What starts it and reads it is loaded when it is needed: master and workers import this
// file too.

import { dirname, join } from 'node:path';
import { findOnPath } from '../../lib/children/launcher.js';
import { findServer } from '../../lib/transport/brokers/find-server.js';
import { howToInstall } from '../../lib/transport/brokers/how-to-install.js';
import { serverProgram } from '../../lib/transport/brokers/server-program.js';

/** @import { Broker } from '../../lib/types/index.js' */

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

// It sets files aside for other things than connections: with 64 it took none, with 128 it served a launch (RabbitMQ 3.10).
const LEAST_OPEN_FILES = 128;

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
    leastOpenFiles: LEAST_OPEN_FILES,
    start: async (command, place) => (await import('./rabbitmq-start.js')).startRabbitmq(command, place),
  }),
};

/** @returns {string | undefined} */
function findScript() {
  const command = findServer(SERVER) ?? findOnPath(SERVER, PACKAGE_FOLDER);
  if (process.platform === 'win32' || command === undefined) return undefined;
  // Debian and RPM put a script before the script, which insists on their user and their folders.
  return findOnPath(SERVER, join(dirname(command), '../lib/rabbitmq/bin')) ?? command;
}
