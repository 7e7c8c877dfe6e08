// Where the workers of a launch that are on other hosts come to its leader: each over one connection that begins with the token
// of the launch. To the crew they are started workers like all others.

import { BenchError } from '../errors.js';
import { listenOn } from '../transport-kit/sockets.js';
import { StreamChannel } from '../transport-kit/stream-channel.js';
import { LINE, LinePort } from './line-port.js';

/** @import { HostContext } from '../types/index.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { StartedWorker, WorkerEnd } from './start-worker.js' */
/**
 * @typedef {object} ControlPort
 * @property {string} address
 * @property {(id: string) => StartedWorker | null} start   null: it is started here
 * @property {() => number} strangers
 * @property {() => Promise<void>} close
 */

/** Of a launch as a transport sees it: the line has nothing of that. */
const NO_LAUNCH = { codec: '', launchId: '', brokerUrl: null, scratchDir: '', workers: 0 };

/**
 * @param {Pick<Assignment, 'token' | 'bindAddress'> & { hosts: NonNullable<Assignment['hosts']> }} assignment
 * @param {(error: Error) => void} onError   the port itself is broken
 * @returns {Promise<ControlPort>}
 */
export async function openControlPort({ token, bindAddress, hosts }, onError) {
  /** @type {Map<string, LinePort>} of those that may come, by id */
  const lines = new Map(Object.keys(hosts).map((id) => [id, new LinePort()]));
  let strangers = 0;
  const context = /** @type {HostContext} */ ({
    ...LINE,
    ...NO_LAUNCH,
    token,
    onChannel: (channel, id) => lines.get(id)?.attach(channel),
    onStranger() {
      strangers += 1;
    },
    onError,
  });
  const { address, close } = await listenOn(
    { host: bindAddress, port: 0 },
    context,
    { noDelay: true },
    // Each comes once.
    (id, socket) => (lines.get(id)?.channel === null ? new StreamChannel(socket, context) : null),
  ).catch((cause) => {
    const next = 'start its agent with --bind and an address of its host';
    throw new BenchError('HOST', `cannot listen on ${bindAddress}: ${cause.message}; ${next}`, { cause });
  });
  return {
    address,
    start: (id) => (Object.hasOwn(hosts, id) ? remoteWorker(hosts[id], lines.get(id)) : null),
    strangers: () => strangers,
    async close() {
      for (const line of lines.values()) line.disconnect();
      await close();
    },
  };
}

/** @param {string} host   its name @param {LinePort} [line] @returns {StartedWorker} */
function remoteWorker(host, line = new LinePort()) {
  /** @type {Promise<WorkerEnd>} */
  const ended = new Promise((resolve) => {
    line.on('agent', (message) => {
      if (message.agent === 'started') worker.identity = `pid ${message.pid} on host ${host}`;
      if (message.agent !== 'ended') return;
      const { code, how, why } = message;
      resolve({ code, how, why });
    });
    line.on('disconnect', (isSilent) => {
      const silent = `is gone: host ${host} has not been heard for 3 s, its agent hangs or it is off the net`;
      resolve({ code: null, how: isSilent ? silent : `is gone: the agent on host ${host} hung up` });
    });
  });
  /** @type {StartedWorker} */
  const worker = {
    port: line,
    streams: null,
    stderr: null,
    sharesClock: false,
    identity: `on host ${host}`,
    pid: null,
    systemThreadId: null,
    // Which CPU it is moved to is its agent's business, who knows the CPUs of its host.
    pin: (_cpus, helpers) => line.tell({ agent: 'pin', helpers }),
    kill: () => {
      line.tell({ agent: 'kill' });
      line.disconnect();
    },
    ended,
  };
  return worker;
}
