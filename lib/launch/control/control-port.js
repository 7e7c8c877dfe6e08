// Where the workers of a launch that are on other hosts come to its controller: each over one connection, which is sealed with the key
// of the launch. To the group they are started workers like all others.

import { BenchError } from '../../errors.js';
import { listenOn } from '../../transport/sockets.js';
import { StreamChannel } from '../../transport/stream-channel.js';
import { makePortable } from '../portable-spec.js';
import { deriveGreeting, sealControlChannel } from './control-seal.js';
import { LINE, TcpControlChannel } from './tcp-control-channel.js';

/** @import { HostContext } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { StartedWorker, WorkerEnd } from '../controller/start-worker.js' */
/** @typedef {Awaited<ReturnType<typeof openControlPort>>} ControlPort */

/** Of a launch as a transport sees it: the line has nothing of that. */
const NO_LAUNCH = { codec: '', launchId: '', brokerUrl: null, scratchDir: '', workers: 0 };

/** What its worker is told is about another host. */
class ControllerTcpChannel extends TcpControlChannel {
  /** @type {TcpControlChannel['send']} */
  send(value, callback) {
    const told = value.control === 'join' ? { ...value, spec: makePortable(value.spec) } : value;
    return super.send(told, callback);
  }
}

/**
 * @param {Pick<LaunchSpec, 'bindAddress'> & { hosts: NonNullable<LaunchSpec['hosts']> }} spec
 * @param {string} lineKey
 * @param {(error: Error) => void} onError   the port itself is broken
 */
export async function openControlPort({ bindAddress, hosts }, lineKey, onError) {
  /** @type {Map<string, TcpControlChannel>} of those that may come, by id */
  const lines = new Map(Object.keys(hosts).map((id) => [id, new ControllerTcpChannel()]));
  // Each comes once.
  const awaited = (/** @type {string} */ id) => lines.get(id)?.line === null;
  let rejectedConnections = 0;
  const onRejected = () => {
    rejectedConnections += 1;
  };
  const context = /** @type {HostContext} */ ({
    ...LINE,
    ...NO_LAUNCH,
    token: deriveGreeting(lineKey),
    onChannel: (channel, id) =>
      sealControlChannel(
        channel,
        { lineKey, id, end: 'controller' },
        (line) => (awaited(id) ? lines.get(id)?.attach(line) : onRejected()),
        onRejected,
      ),
    onRejected,
    onError,
  });
  const { address, close } = await listenOn(
    { host: bindAddress, port: 0 },
    context,
    { noDelay: true },
    (id, socket) => (awaited(id) ? new StreamChannel(socket, context) : null),
  ).catch((cause) => {
    const next = 'start its agent with --bind and an address of its host';
    throw new BenchError('HOST', `cannot listen on ${bindAddress}: ${cause.message}; ${next}`, { cause });
  });
  return {
    address,
    /** @param {string} id @returns {StartedWorker | null} null: it is started here */
    start: (id) => (Object.hasOwn(hosts, id) ? remoteWorker(hosts[id], lines.get(id)) : null),
    rejectedConnections: () => rejectedConnections,
    async close() {
      for (const line of lines.values()) line.disconnect();
      await close();
    },
  };
}

/** @param {string} host   its name @param {TcpControlChannel} [line] */
function remoteWorker(host, line = new ControllerTcpChannel()) {
  /** @type {Promise<WorkerEnd>} */
  const ended = new Promise((resolve) => {
    line.on('agent', (message) => {
      if (message.agent === 'started') worker.identity = `pid ${message.pid} on host ${host}`;
      if (message.agent !== 'ended') return;
      const { code, how, why } = message;
      resolve({ code, how, why });
    });
    line.on('disconnect', (/** @type {string | null} */ why) => {
      const what = why === null ? `the agent on host ${host} hung up` : `host ${host}: ${why}`;
      resolve({ code: null, how: `is gone: ${what}` });
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
