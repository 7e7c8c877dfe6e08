// How a private RabbitMQ is started: on one address only, with a user of its own, without plug-ins, and without the Erlang
// distribution and its port mapper, which would outlive it.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindAddressOf, hostAndPort, LOOPBACK } from '../../lib/transport/admission.js';
import {
  freePort,
  makePassword,
  startPrivately,
  writeConfig,
} from '../../lib/transport/brokers/private-server.js';
import { openRabbitmq } from './rabbitmq-connection.js';

/** @import { Broker, BrokerPlace } from '../../lib/types/index.js' */

const START_DEADLINE_MS = 60_000; // 6 s on two idle cores, of Erlang loading its code
const USER = 'ipc-bench';
// Version 4 has a lower limit; what fits must not depend on which one is installed.
const SHOWN = { plugins: 'none', max_message_size: String(128 * 1024 * 1024) };

/** @param {string} command @param {BrokerPlace} place */
export function startRabbitmq(command, place) {
  const address = bindAddressOf(place);
  return startPrivately(place, 'rabbitmq', async (folder) => {
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
    return {
      server: { command, args: [], env: environmentIn(folder, await freePort(LOOPBACK)) },
      deadlineMs: START_DEADLINE_MS,
      secrets: [url, password],
      url,
      ask: async () => ({ version: (await describeRabbitmq(url)).version }),
      config: { 'listeners.tcp': address, ...SHOWN },
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
 * All that the server knows of the world: variables of the user's own could lead it to another folder.
 * @param {string} folder
 * @param {number} distributionPort
 * @returns {NodeJS.ProcessEnv}
 */
function environmentIn(folder, distributionPort) {
  const node = `ipc-bench-${randomBytes(8).toString('hex')}@localhost`;
  const erlangFlags = [
    // A node that has its name already is not given one by RabbitMQ, which would start a port mapper for it.
    ...['-sname', node, '-start_epmd', 'false'],
    ...['-dist_listen', 'false'],
    // For an Erlang older than 25, which listens in spite of it; the port also keeps it from asking a port mapper.
    ...['-erl_epmd_port', String(distributionPort), '-kernel', 'inet_dist_use_interface', '{127,0,0,1}'],
  ];
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: folder, // with the cookie of Erlang
    // Else the script stays as the parent of the server.
    RUNNING_UNDER_SYSTEMD: 'true',
    RABBITMQ_NODENAME: node,
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'), // the default one may hold settings of the user's own server
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
