// Starts a private NATS: core NATS in memory, on one address, with a password, in a folder of its own.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindAddressOf, hostAndPort, isLoopback, LOOPBACK } from '../../lib/channels/admission.js';
import { makePassword, startPrivately, writeConfig } from '../../lib/channels/brokers/private-server.js';
import { openNats } from './nats-client.js';

/** @import { BrokerPlace } from '../../lib/types/index.js' */

const START_DEADLINE_MS = 5_000; // it takes some 30 ms
const USER = 'ipc-bench';
const CONFIG = {
  // The server disconnects a client that exceeds these. The defaults, 64 MB and 10 s, are less than a hundred workers may send while the
  // master is busy, and than a process may be stopped for; the windows of our channels are the bound.
  max_pending: String(64 * 1024 * 1024 * 1024),
  write_deadline: '1h',
};

/** @param {string} command @param {BrokerPlace} place @param {number} maxPayloadBytes */
export function startNats(command, place, maxPayloadBytes) {
  const config = { max_payload: String(maxPayloadBytes), ...CONFIG };
  const host = bindAddressOf(place);
  const password = makePassword();
  return startPrivately(place, 'nats', async (folder) => {
    const configPath = join(folder, 'nats.conf');
    const hidden = {
      host,
      // The server takes free ports, and writes them to a file.
      port: '-1',
      // Without a password, so only for this host.
      http: hostAndPort(isLoopback(host) ? host : LOOPBACK, -1),
      ports_file_dir: folder,
    };
    const quoted = Object.entries({ ...config, ...hidden }).map(([name, value]) => [name, written(value)]);
    const authorization = `{ user: "${USER}", password: "${password}" }`;
    await writeConfig(configPath, { ...Object.fromEntries(quoted), authorization }, ': ');
    return {
      server: { command, args: ['-c', configPath] },
      deadlineMs: START_DEADLINE_MS,
      secrets: [password],
      check: (pid) => urlAndVersion(folder, pid, password),
      config,
    };
  });
}

/** @param {string} value   of a setting; a text that begins like a number must be quoted */
function written(value) {
  return /^-?\d+$/.test(value) ? value : JSON.stringify(value);
}

/** @param {string} folder @param {number} pid @param {string} password */
async function urlAndVersion(folder, pid, password) {
  const ports = JSON.parse(await readFile(join(folder, `nats-server_${pid}.ports`), 'utf8'));
  const { host, hostname } = new URL(ports.nats[0]);
  const monitor = new URL(ports.monitoring[0]);
  const place = monitor.hostname === hostname ? monitor.port : monitor.host;
  const url = `nats://${USER}:${password}@${host}?monitor=${place}`;
  const { connection, close } = await openNats(url, () => {});
  const version = `nats-server ${connection.info?.version}`;
  await close();
  return { url, version };
}
