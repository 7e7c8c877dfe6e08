// A private mosquitto: memory only, and without the limits by which it drops messages for clients that fall behind.

import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startResponding } from '../../lib/transport/brokers/responding.js';
import { mqttPlace } from './mqtt-place.js';
import { readBrokerVersion } from './mqtt-version.js';

/** @import { BrokerPlace } from '../../lib/types/index.js' */

const START_DEADLINE_MS = 5_000; // it takes some 20 ms
const PASSWORDS = 'passwords';
// Source: https://mosquitto.org/man/mosquitto-conf-5.html
const CONFIG = {
  persistence: 'false',
  // None; by default what is behind the 1,000th for a client is dropped.
  max_queued_messages: '0',
  max_queued_bytes: '0',
  // At the start only: what it publishes about itself would disturb a measurement.
  sys_interval: '65535',
};
// As mosquitto_passwd hashes (src/password_mosq.c). The password is random: the rounds need not slow anybody down.
const HASH_ROUNDS = 101;
const HASH_BYTES = 64;
const SALT_BYTES = 12;

/**
 * @param {string} folder
 * @param {string} command
 * @param {BrokerPlace} place
 * @returns {Promise<import('../../lib/types/brokers.js').RunningBroker>}
 */
export async function startMosquitto(folder, command, place) {
  const { settings, cpus } = place;
  const { url, listen, credentials } = await mqttPlace(folder, place);
  if (credentials !== null) {
    await writeFile(join(folder, PASSWORDS), passwordLine(credentials), { mode: 0o600 });
  }
  const config = {
    ...CONFIG,
    max_inflight_messages: String(settings.inflight),
    ...('port' in listen ? { set_tcp_nodelay: String(settings.noDelay) } : {}),
  };
  const hidden = {
    // By its name alone: a path ends at its first blank.
    listener: 'port' in listen ? `${listen.port} ${listen.host}` : `0 ${basename(listen.path)}`,
    ...(credentials === null
      ? { allow_anonymous: 'true' }
      : { allow_anonymous: 'false', password_file: PASSWORDS }),
    // Else it would become another user, who cannot read our folder.
    ...(process.getuid?.() === 0 ? { user: 'root' } : {}),
    log_dest: 'stderr',
  };
  const configPath = join(folder, 'mosquitto.conf');
  const lines = Object.entries({ ...hidden, ...config }).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(configPath, lines.join(''), { mode: 0o600 });
  const { pid, answer, died, end } = await startResponding(
    { command, args: ['-c', configPath], cpus, folder, logPath: join(folder, 'mosquitto.log') },
    { deadlineMs: START_DEADLINE_MS, secrets: [url], ask: () => readBrokerVersion(url) },
  );
  return { url, pid, version: answer, config, died, close: end };
}

/** @param {{ user: string, password: string }} credentials */
function passwordLine({ user, password }) {
  const salt = randomBytes(SALT_BYTES);
  const hash = pbkdf2Sync(password, salt, HASH_ROUNDS, HASH_BYTES, 'sha512');
  return `${user}:$7$${HASH_ROUNDS}$${salt.toString('base64')}$${hash.toString('base64')}\n`;
}
