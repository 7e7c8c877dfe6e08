// Where a private MQTT broker listens: on a unix socket that nobody else can open, or on loopback with a password.

import { randomBytes } from 'node:crypto';
import { freePort } from '../../lib/brokers/free-port.js';
import { socketPath } from '../../lib/transport-kit/sockets.js';

/**
 * @typedef {object} MqttPlace
 * @property {string} url
 * @property {{ path: string } | { host: string, port: number }} listen
 * @property {{ user: string, password: string } | null} credentials    null: the socket is the owner's alone
 */

/** @param {string} folder @param {string | number | boolean} net    'unix' or 'tcp' @returns {Promise<MqttPlace>} */
export async function mqttPlace(folder, net) {
  if (net === 'unix') {
    const path = socketPath({ scratchDir: folder, launchId: '', token: '' }, 'mqtt.sock');
    const url = `mqtt+unix://${path.split('/').map(encodeURIComponent).join('/')}`;
    return { url, listen: { path }, credentials: null };
  }
  const credentials = { user: 'ipc-bench', password: randomBytes(24).toString('hex') };
  const listen = { host: '127.0.0.1', port: await freePort() };
  const url = `mqtt://${credentials.user}:${credentials.password}@${listen.host}:${listen.port}`;
  return { url, listen, credentials };
}
