// Where a private MQTT broker listens: on a unix socket that nobody else can open, or on a port with a password.

import { randomBytes } from 'node:crypto';
import { freePort } from '../../lib/transport/brokers/free-port.js';
import { bindAddressOf, hostAndPort } from '../../lib/transport/reach.js';
import { socketPath } from '../../lib/transport/sockets.js';

/**
 * @typedef {object} MqttPlace
 * @property {string} url
 * @property {{ path: string } | { host: string, port: number }} listen
 * @property {{ user: string, password: string } | null} credentials    null: the socket is the owner's alone
 */

/** @param {string} folder @param {import('../../lib/types/brokers.js').BrokerPlace} place @returns {Promise<MqttPlace>} */
export async function mqttPlace(folder, place) {
  if (place.settings.net === 'unix') {
    const path = socketPath({ scratchDir: folder, launchId: '', token: '' }, 'mqtt.sock');
    const url = `mqtt+unix://${path.split('/').map(encodeURIComponent).join('/')}`;
    return { url, listen: { path }, credentials: null };
  }
  const credentials = { user: 'ipc-bench', password: randomBytes(24).toString('hex') };
  const host = bindAddressOf(place);
  const listen = { host, port: await freePort(host) };
  const url = `mqtt://${credentials.user}:${credentials.password}@${hostAndPort(host, listen.port)}`;
  return { url, listen, credentials };
}
