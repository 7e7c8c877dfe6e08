// A private MQTT broker for one run: mosquitto, or aedes where none is installed. Neither counts messages exactly enough
// for a gauge: mosquitto tells its counters once a second at most, and that telling is counted as well.

import { findServer } from '../../lib/brokers/find-server.js';
import { inOwnFolder } from '../../lib/brokers/own-folder.js';
import { BenchError } from '../../lib/errors.js';
import { whyNotLoadable } from '../../lib/machine/package-check.js';
import { startAedes } from './aedes.js';
import { startMosquitto } from './mosquitto.js';
import { describeMqtt } from './mqtt-version.js';

const MISSING =
  'no mosquitto found: apt install mosquitto / brew install mosquitto, or choose mqtt:broker=aedes, or give --broker-url mqtt=mqtt://HOST:PORT';

/** @type {import('../../lib/types/transports.js').Broker} */
export const mqttBroker = {
  name: 'mqtt',
  urlSchemes: ['mqtt', 'mqtts', 'unix', 'mqtt+unix'],
  describe: describeMqtt,
  whyUnavailable,
  async start(place) {
    const reason = await whyUnavailable(place.settings);
    if (reason !== undefined) throw new BenchError('BROKER', reason);
    const mosquitto = place.settings.broker === 'aedes' ? undefined : findServer('mosquitto');
    return mosquitto === undefined
      ? inOwnFolder(place.scratchDir, 'aedes', (folder) => startAedes(folder, place))
      : inOwnFolder(place.scratchDir, 'mosquitto', (folder) => startMosquitto(folder, mosquitto, place));
  },
};

/** @type {import('../../lib/types/transports.js').Broker['whyUnavailable']} */
async function whyUnavailable({ broker = 'auto' } = {}) {
  if (broker !== 'aedes' && findServer('mosquitto') !== undefined) return undefined;
  if (broker === 'mosquitto') return MISSING;
  const reason = await whyNotLoadable('aedes');
  return reason === undefined || broker === 'aedes' ? reason : `${MISSING}; ${reason}`;
}
