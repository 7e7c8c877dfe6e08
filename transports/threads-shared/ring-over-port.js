// Ties a ring channel to a MessagePort between its threads, over which nothing goes: it tells when one has left. The
// memory and the port reach the thread over its line.

import { MessageChannel } from 'node:worker_threads';
import { BenchError } from '../../lib/errors.js';

/** @import { RingChannel } from '../../lib/rings/ring-channel.js' */
/** @import { ForkLine } from '../../lib/types/transports.js' */
/** @import { MessagePort } from 'node:worker_threads' */
/** @typedef {{ memory: SharedArrayBuffer, port: MessagePort }} Share */

const ASLEEP = { ring() {}, sleep() {} }; // an end that never sleeps needs no bell

/**
 * In the master.
 * @param {ForkLine} line
 * @param {ArrayBuffer | SharedArrayBuffer} memory
 * @param {(port: MessagePort) => void} onPort    when the thread is there
 */
export function shareMemory(line, memory, onPort) {
  line.onValue = () => {
    line.onValue = () => {};
    const { port1, port2 } = new MessageChannel();
    line.transfer?.({ memory, port: port2 }, [port2]);
    onPort(port1);
  };
}

/**
 * In the thread. The master cannot speak first: nobody listens before this.
 * @param {ForkLine} line
 * @returns {Promise<Share>}
 */
export function receiveMemory(line) {
  return new Promise((resolve, reject) => {
    line.onDisconnect = () =>
      reject(new BenchError('TRANSPORT', 'the master cut the line before it shared memory'));
    line.onValue = resolve;
    line.send({ wants: 'memory' });
  });
}

/**
 * @param {MessagePort} port
 * @param {ReturnType<import('../../lib/rings/ring-end.js').RingEnd['open']>} opened
 * @returns {RingChannel}
 */
export function ringOverPort(port, { channel, bell, leave }) {
  port.on('message', () => {}); // keeps a thread that waits for memory alone from ending
  port.on('close', () => {
    leave();
    channel.finish();
  });
  const close = () => port.close();
  channel.start({ ...(bell ?? ASLEEP), hangUp: close, cut: close });
  return channel;
}
