// A private aedes, for where no mosquitto is installed: in a process of its own, so that it is placed, measured and killed
// as any other broker.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startResponding } from '../../lib/transport/brokers/responding.js';
import { mqttPlace } from './mqtt-place.js';
import { readBrokerVersion } from './mqtt-version.js';

const SERVER_PATH = fileURLToPath(new URL('aedes-server.js', import.meta.url));
const START_DEADLINE_MS = 10_000; // another Node, which takes some 200 ms, and more on a busy machine
const CONFIG = { persistence: 'memory', drainTimeout: '0', maxInflightInbound: '0' };

/**
 * @param {string} folder
 * @param {import('../../lib/types/brokers.js').BrokerPlace} place
 * @returns {Promise<import('../../lib/types/brokers.js').RunningBroker>}
 */
export async function startAedes(folder, place) {
  const { settings, cpus } = place;
  const { url, listen, credentials } = await mqttPlace(folder, place);
  const optionsPath = join(folder, 'aedes.json');
  const { noDelay } = settings;
  await writeFile(optionsPath, JSON.stringify({ listen, credentials, noDelay }), { mode: 0o600 });
  const { pid, answer, died, end } = await startResponding(
    {
      command: process.execPath,
      args: [SERVER_PATH, optionsPath],
      cpus,
      logPath: join(folder, 'aedes.log'),
    },
    { deadlineMs: START_DEADLINE_MS, secrets: [url], ask: () => readBrokerVersion(url) },
  );
  const config = 'port' in listen ? { ...CONFIG, noDelay: String(noDelay) } : CONFIG;
  return { url, pid, version: answer, config, died, close: end };
}
