// Starts a private RabbitMQ: on one address only, with a separate user, without plug-ins, and without the port mapper of Erlang, which
// would outlive the server.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindAddressOf, hostAndPort, LOOPBACK } from '../../lib/channels/addresses.js';
import {
  freePort,
  makePassword,
  startPrivately,
  writeConfig,
} from '../../lib/channels/brokers/private-server.js';
import { openRabbitmq } from './rabbitmq-connection.js';

/** @import { Broker, BrokerStart } from '../../lib/types/index.js' */

const START_DEADLINE_MS = 60_000; // Erlang takes 6 s to load its code on two idle cores
const USER = 'ipc-bench';
// max_message_size is set explicitly, since version 4 has a lower default.
const SHOWN = { plugins: 'none', max_message_size: String(128 * 1024 * 1024) };

/** @param {string} command @param {BrokerStart} start */
export function startRabbitmq(command, start) {
  const address = bindAddressOf(start);
  return startPrivately(start, 'rabbitmq', async (folder) => {
    const port = await freePort(address);
    const password = makePassword();
    const url = `amqp://${USER}:${password}@${hostAndPort(address, port)}`;
    await writeConfig(
      join(folder, 'rabbitmq.conf'),
      {
        'listeners.tcp.1': `${address}:${port}`,
        max_message_size: SHOWN.max_message_size,
        default_user: USER,
        default_pass: password,
      },
      ' = ',
    );
    await writeFile(join(folder, 'enabled_plugins'), '[].\n', { mode: 0o600 });
    // Otherwise Erlang makes a cookie from the time, which another user could guess.
    await writeFile(join(folder, '.erlang.cookie'), randomBytes(16).toString('hex'), { mode: 0o400 });
    return {
      server: { command, args: [], env: environmentIn(folder, await freePort(LOOPBACK)) },
      deadlineMs: START_DEADLINE_MS,
      secrets: [url, password],
      url,
      readyLine: /started TCP listener on /i,
      check: async () => ({ version: (await describeRabbitmq(url)).version }),
      config: SHOWN,
    };
  });
}

/** @type {NonNullable<Broker['describe']>} */
export async function describeRabbitmq(url) {
  const { model, server, close } = await openRabbitmq(url, () => {});
  await close();
  return { version: server, config: { platform: String(model.connection.serverProperties.platform) } };
}

/**
 * Returns the complete environment of the server, since variables of the user could select another folder.
 * @param {string} folder
 * @param {number} distributionPort
 * @returns {NodeJS.ProcessEnv}
 */
function environmentIn(folder, distributionPort) {
  const node = `ipc-bench-${randomBytes(8).toString('hex')}@localhost`;
  const erlangFlags = [
    // Without a node name, RabbitMQ would start a port mapper.
    ...['-sname', node, '-start_epmd', 'false'],
    ...['-dist_listen', 'false'],
    // Erlang before 25 ignores dist_listen; with erl_epmd_port, it listens on that port without a port mapper.
    ...['-erl_epmd_port', String(distributionPort), '-kernel', 'inet_dist_use_interface', '{127,0,0,1}'],
  ];
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: folder, // contains the cookie of Erlang
    // With this variable, the script replaces itself by the server (exec) instead of staying as its parent.
    RUNNING_UNDER_SYSTEMD: 'true',
    RABBITMQ_NODENAME: node,
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'), // the default file may contain settings of another server
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'none.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    ERL_AFLAGS: erlangFlags.join(' '),
    ERL_CRASH_DUMP_SECONDS: '0',
  };
}
