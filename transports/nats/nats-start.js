// Starts a private NATS server: core NATS in memory, on one address, with a password and a separate folder.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindAddressOf, hostAndPort, isLoopback, LOOPBACK } from '../../lib/channels/addresses.js';
import { makePassword, startPrivately, writeConfig } from '../../lib/channels/brokers/private-server.js';
import { openNats } from './nats-client.js';

/** @import { BrokerStart } from '../../lib/types/index.js' */

const USER = 'ipc-bench';
const CONFIG = {
  // The server disconnects clients that exceed these limits. The defaults are too low: a hundred workers may send more than 64 MB while the
  // master is busy, and a process may be stopped for more than 10 s. The windows of the channels limit unread bytes instead.
  max_pending: String(64 * 1024 * 1024 * 1024),
  write_deadline: '1h',
};

/** @param {string} command @param {BrokerStart} start @param {number} maxPayloadBytes */
export function startNats(command, start, maxPayloadBytes) {
  const config = { max_payload: String(maxPayloadBytes), ...CONFIG };
  const host = bindAddressOf(start);
  const password = makePassword();
  return startPrivately(start, 'nats', async (folder) => {
    const configPath = join(folder, 'nats.conf');
    const hidden = {
      host,
      // The server chooses free ports and writes them to a file.
      port: '-1',
      // The monitoring port needs no password, so the server opens it only on this host. The names of topics that it shows are useless
      // without the password of the server.
      http: hostAndPort(isLoopback(host) ? host : LOOPBACK, -1),
      ports_file_dir: folder,
    };
    const quoted = Object.entries({ ...config, ...hidden }).map(([name, value]) => [name, written(value)]);
    const authorization = `{ user: "${USER}", password: "${password}" }`;
    await writeConfig(configPath, { ...Object.fromEntries(quoted), authorization }, ': ');
    return {
      server: { command, args: ['-c', configPath] },
      readyLine: /Server is ready/,
      secrets: [password],
      check: (pid) => urlAndVersion(folder, pid, password),
      config,
    };
  });
}

/** Quotes all values except integers, since a text that begins like a number must be quoted. @param {string} value */
function written(value) {
  return /^-?\d+$/.test(value) ? value : JSON.stringify(value);
}

/** @param {string} folder @param {number} pid @param {string} password */
async function urlAndVersion(folder, pid, password) {
  const ports = JSON.parse(await readFile(join(folder, `nats-server_${pid}.ports`), 'utf8'));
  const { host, hostname } = new URL(ports.nats[0]);
  const monitor = new URL(ports.monitoring[0]);
  const monitorHost = monitor.hostname === hostname ? monitor.port : monitor.host;
  const url = `nats://${USER}:${password}@${host}?monitor=${monitorHost}`;
  const { connection, close } = await openNats(url, () => {});
  const version = `nats-server ${connection.info?.version}`;
  await close();
  return { url, version };
}
