// How a thread of the master gets a MessagePort of its own, and what else is shared with it, over its line.

import { MessageChannel } from 'node:worker_threads';
import { BenchError } from '../errors.js';

/** @import { ForkLine } from '../types/index.js' */
/** @import { MessagePort } from 'node:worker_threads' */

/**
 * In the master.
 * @param {ForkLine} line
 * @param {Record<string, unknown>} shared          beside the port
 * @param {(port: MessagePort) => void} onPort      when the thread is there
 */
export function givePort(line, shared, onPort) {
  line.onValue = () => {
    line.onValue = () => {};
    const { port1, port2 } = new MessageChannel();
    line.transfer?.({ ...shared, port: port2 }, [port2]);
    onPort(port1);
  };
}

/**
 * In the thread. The master cannot speak first: nobody listens before this.
 * @param {ForkLine} line
 * @returns {Promise<{ port: MessagePort } & Record<string, any>>}   with what else is shared
 */
export function takePort(line) {
  return new Promise((resolve, reject) => {
    line.onDisconnect = () =>
      reject(new BenchError('TRANSPORT', 'the master cut the line before it gave a port'));
    line.onValue = resolve;
    line.send({ wants: 'a port' });
  });
}
