// A private MQTT broker for one run: mosquitto, or aedes if it is chosen or mosquitto is not installed. There is no traffic gauge:
// mosquitto publishes its counters at most once a second, and counts these messages too.

import { findServer, howToInstall } from '../../lib/channels/brokers/broker-transport.js';
import { BenchError } from '../../lib/errors.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @import { Broker } from '../../lib/types/transports.js' */

const SERVER = 'mosquitto';
const PACKAGES = {
  apt: SERVER,
  dnf: SERVER,
  apk: SERVER,
  pacman: SERVER,
  zypper: SERVER,
  brew: SERVER,
  winget: 'EclipseFoundation.Mosquitto',
};
const OTHERWISE = 'or choose mqtt:broker=aedes, or give --broker-url mqtt=mqtt://HOST:PORT';
const MISSING = `no ${SERVER} found: ${howToInstall(PACKAGES)}, ${OTHERWISE}`;

/** @type {Broker} */
export const mqttBroker = {
  name: 'mqtt',
  packages: PACKAGES,
  urlSchemes: ['mqtt', 'mqtts', 'unix', 'mqtt+unix'],
  describe: async (url) => (await import('./mqtt-client.js')).describeMqtt(url),
  whyUnavailable: unavailableReason,
  async start(start) {
    const reason = await unavailableReason(start.settings);
    if (reason !== null) throw new BenchError('BROKER', reason);
    const mosquitto = start.settings.broker === 'aedes' ? undefined : findServer(SERVER);
    const { startAedes, startMosquitto } = await import('./mqtt-start.js');
    return mosquitto === undefined ? startAedes(start) : startMosquitto(mosquitto, start);
  },
};

/** @type {Broker['whyUnavailable']} */
async function unavailableReason({ broker = 'auto' } = {}, isGlance = false) {
  if (broker !== 'aedes' && findServer(SERVER) !== undefined) return null;
  if (broker === 'mosquitto') return MISSING;
  const reason = await packageProblem('aedes', isGlance);
  return reason === null || broker === 'aedes' ? reason : `${MISSING}; ${reason}`;
}
