// Workers on other hosts, with the interface of local workers. The agent that started the controller carries the messages between the
// controller and these workers.

import { RemoteControlChannel } from '../control/control-channel.js';
import { makePortable } from '../portable-spec.js';

/** @import { AgentMessage } from '../control/control-channel.js' */
/** @import { StartedWorker, WorkerEnd } from './start-worker.js' */

export class RemoteWorkers {
  /**
   * @param {Record<string, string>} hosts   names of hosts by worker id
   * @param {(id: string, message: any) => void} carry   sends a message to a worker
   */
  constructor(hosts, carry) {
    this.hosts = hosts;
    /** @type {Map<string, RemoteControlChannel>} by worker id */
    this.channels = new Map(
      Object.keys(hosts).map((id) => [
        id,
        // The spec in a `join` message contains paths of this host, which must not reach another one.
        new RemoteControlChannel((message) =>
          carry(id, message.control === 'join' ? { ...message, spec: makePortable(message.spec) } : message),
        ),
      ]),
    );
  }

  /** @param {string} id   worker id @param {any} message   received from the worker */
  receive(id, message) {
    this.channels.get(id)?.receive(message);
  }

  /** @param {string} id @returns {StartedWorker | null} null if it runs on this host */
  start(id) {
    const channel = this.channels.get(id);
    return channel === undefined ? null : remoteWorker(this.hosts[id], channel);
  }
}

/** @param {string} host   name of the host @param {RemoteControlChannel} channel @returns {StartedWorker} */
function remoteWorker(host, channel) {
  /** @type {Promise<WorkerEnd>} */
  const ended = new Promise((resolve) => {
    channel.on('agent', (/** @type {AgentMessage} */ message) => {
      if (message.agent === 'started') worker.identity = `pid ${message.pid} on host ${host}`;
      if (message.agent !== 'ended') return;
      const { code, how, why } = message;
      resolve({ code, how, why });
    });
    channel.on('disconnect', () => resolve({ code: null, how: 'is gone' }));
  });
  /** @type {StartedWorker} */
  const worker = {
    port: channel,
    streams: null,
    stderr: null,
    sharesClock: false,
    identity: `on host ${host}`,
    pid: null,
    systemThreadId: null,
    // The agent selects CPUs of the worker's host.
    pin: (_cpus, helpers) => void channel.send({ agent: 'pin', helpers }),
    kill: () => {
      channel.send({ agent: 'kill' });
      channel.disconnect();
    },
    ended,
  };
  return worker;
}
