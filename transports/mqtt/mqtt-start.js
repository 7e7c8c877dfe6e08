// Starts a private mosquitto or aedes, on a unix socket that only its owner can open, or on a port with a password.

import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bindAddressOf, hostAndPort } from '../../lib/channels/addresses.js';
import {
  freePort,
  makePassword,
  startPrivately,
  writeConfig,
} from '../../lib/channels/brokers/private-server.js';
import { socketPath } from '../../lib/channels/sockets.js';
import { readBrokerVersion } from './mqtt-client.js';

/** @import { BrokerStart } from '../../lib/types/index.js' */

/**
 * @typedef {object} MqttAddress
 * @property {string} url
 * @property {{ path: string } | { host: string, port: number }} listen
 * @property {{ user: string, password: string } | null} credentials    null for a unix socket
 */

/** @param {string} folder @param {import('../../lib/types/transports.js').BrokerStart} start @returns {Promise<MqttAddress>} */
async function chooseAddress(folder, start) {
  if (start.settings.net === 'unix') {
    const path = socketPath({ scratchDir: folder, launchId: '', token: '' }, 'mqtt.sock');
    const url = `mqtt+unix://${path.split('/').map(encodeURIComponent).join('/')}`;
    return { url, listen: { path }, credentials: null };
  }
  const credentials = { user: 'ipc-bench', password: makePassword() };
  const host = bindAddressOf(start);
  const listen = { host, port: await freePort(host) };
  const url = `mqtt://${credentials.user}:${credentials.password}@${hostAndPort(host, listen.port)}`;
  return { url, listen, credentials };
}

const PASSWORDS = 'passwords';
// Keeps everything in memory, and sets no limit that would drop messages of slow clients.
// Source: https://mosquitto.org/man/mosquitto-conf-5.html
const MOSQUITTO_CONFIG = {
  persistence: 'false',
  // 0 means no limit; by default, mosquitto drops messages for a client once 1,000 are queued.
  max_queued_messages: '0',
  max_queued_bytes: '0',
  // Publishes counters only at the start, since these messages would disturb a measurement.
  sys_interval: '65535',
};
// The hash of mosquitto_passwd (src/password_mosq.c). The password is random, so few rounds suffice.
const HASH_ROUNDS = 101;
const HASH_BYTES = 64;
const SALT_BYTES = 12;

/** @param {string} command @param {BrokerStart} start */
export function startMosquitto(command, start) {
  const { settings } = start;
  return startPrivately(start, 'mosquitto', async (folder) => {
    const { url, listen, credentials } = await chooseAddress(folder, start);
    if (credentials !== null) {
      await writeFile(join(folder, PASSWORDS), passwordLine(credentials), { mode: 0o600 });
    }
    const config = {
      ...MOSQUITTO_CONFIG,
      max_inflight_messages: String(settings.inflight),
      ...('port' in listen && { set_tcp_nodelay: String(settings.noDelay) }),
    };
    const hidden = {
      // The socket is named without its folder, since mosquitto cuts a path at the first space.
      listener: 'port' in listen ? `${listen.port} ${listen.host}` : `0 ${basename(listen.path)}`,
      ...(credentials === null
        ? { allow_anonymous: 'true' }
        : { allow_anonymous: 'false', password_file: PASSWORDS }),
      // If root starts mosquitto, it switches to another user by default, which cannot read this folder.
      ...(process.getuid?.() === 0 && { user: 'root' }),
      log_dest: 'stderr',
    };
    const configPath = join(folder, 'mosquitto.conf');
    await writeConfig(configPath, { ...hidden, ...config });
    return {
      server: { command, args: ['-c', configPath], folder },
      readyLine: /mosquitto version \S+ running/,
      ...checking(url),
      config,
    };
  });
}

/** @param {string} url */
function checking(url) {
  return { url, secrets: [url], check: async () => ({ version: await readBrokerVersion(url) }) };
}

/** @param {{ user: string, password: string }} credentials */
function passwordLine({ user, password }) {
  const salt = randomBytes(SALT_BYTES);
  const hash = pbkdf2Sync(password, salt, HASH_ROUNDS, HASH_BYTES, 'sha512');
  return `${user}:$7$${HASH_ROUNDS}$${salt.toString('base64')}$${hash.toString('base64')}\n`;
}

const SERVER_PATH = fileURLToPath(new URL('aedes-server.js', import.meta.url));
const AEDES_CONFIG = { persistence: 'memory', drainTimeout: '0', maxInflightInbound: '0' };

/** Runs aedes in a separate process, so that it is pinned, measured and killed like other brokers. @param {BrokerStart} start */
export function startAedes(start) {
  const { noDelay } = start.settings;
  return startPrivately(start, 'aedes', async (folder) => {
    const { url, listen, credentials } = await chooseAddress(folder, start);
    const optionsPath = join(folder, 'aedes.json');
    await writeFile(optionsPath, JSON.stringify({ listen, credentials, noDelay }), { mode: 0o600 });
    return {
      server: { command: process.execPath, args: [SERVER_PATH, optionsPath] },
      readyLine: /^listening$/m,
      ...checking(url),
      config: { ...AEDES_CONFIG, ...('port' in listen && { noDelay: String(noDelay) }) },
    };
  });
}
