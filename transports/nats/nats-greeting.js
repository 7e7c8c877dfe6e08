// Whether a NATS answers at all. The library must not find out: when nobody answers it in time, it forgets its socket
// without closing it, and the process would not end (https://github.com/nats-io/nats.js/issues/64).

import { connect } from 'node:net';
import { withoutBrackets } from '../../lib/transport/reach.js';

const DEFAULT_PORT = 4_222;
const GREETING = 'INFO ';

/**
 * @param {{ hostname: string, port: string }} url
 * @param {number} deadlineMs
 * @returns {Promise<void>} rejects when the first that it says, unasked, is not what a NATS says
 */
export function readInfo({ hostname, port }, deadlineMs) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: withoutBrackets(hostname), port: Number(port) || DEFAULT_PORT });
    socket.setTimeout(deadlineMs, () => socket.destroy(new Error(`no answer within ${deadlineMs} ms`)));
    socket.once('data', (chunk) => {
      const isNats = chunk.toString('latin1').startsWith(GREETING);
      socket.destroy(isNats ? undefined : new Error('it is no NATS'));
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (socket.bytesRead > 0) resolve();
      else reject(new Error('it hung up'));
    });
  });
}
