// A private NATS for one run. What starts it and reads it is loaded when it is needed: master and workers import this file
// too.

import { findServer } from '../../lib/transport/brokers/find-server.js';
import { howToInstall } from '../../lib/transport/brokers/how-to-install.js';
import { serverProgram } from '../../lib/transport/brokers/server-program.js';

/** @import { Broker } from '../../lib/types/index.js' */

const SERVER = 'nats-server';
const PACKAGES = { apt: SERVER, apk: SERVER, pacman: SERVER, brew: SERVER };
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
    start: async (command, place) => (await import('./nats-start.js')).startNats(command, place),
  }),
};
