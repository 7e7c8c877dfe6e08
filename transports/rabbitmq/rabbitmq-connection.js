// One connection to a RabbitMQ server. It fails fast and does not reconnect, which would hide lost messages in a measured launch. No
// error message contains a password.

import { BrokerConnection } from '../../lib/channels/brokers/broker-connection.js';

/** @import { ChannelModel } from 'amqplib' */
/** @import { BenchError } from '../../lib/errors.js' */
/** @typedef {Awaited<ReturnType<typeof openRabbitmq>>} OpenedRabbitmq */

const CONNECT_DEADLINE_MS = 5_000;
/** Texts for timeouts of the library. A key is an error message of the library. @type {Record<string, string>} */
const DEADLINES = {
  'connect ETIMEDOUT': `no answer within ${CONNECT_DEADLINE_MS} ms`,
  'Heartbeat timeout': 'no heartbeat within the interval of amqplib; the broker or this process was stopped',
};
const CLOSE_DEADLINE_MS = 1_000; // a server usually responds within milliseconds

/**
 * @param {string} url       amqp:// or amqps://
 * @param {(reason: BenchError) => void} onLost     called at most once, and not after `close`
 * @param {{ noDelay?: boolean }} [socket]
 * @throws {BenchError} BROKER
 */
export async function openRabbitmq(url, onLost, { noDelay = true } = {}) {
  const connection = new BrokerConnection('RabbitMQ', url, onLost, DEADLINES);
  const model = await connected(url, noDelay).catch((error) => {
    throw connection.failure('cannot use', error);
  });
  model.on('error', (error) => connection.noteError(error));
  const ended = new Promise((resolve) => {
    model.once('close', (error) => {
      connection.noteError(error);
      resolve(undefined);
      connection.lose();
    });
  });
  const close = async () => {
    if (!connection.isClosing) {
      connection.isClosing = true;
      endConnection(model, ended);
    }
    await ended;
  };
  // A broker that is short of memory or disk blocks publishers without a time limit.
  model.once('blocked', (reason) => {
    connection.noteError(new Error(`it accepts no more messages (${reason})`));
    connection.lose('cannot continue with');
    close();
  });
  return { model, server: formatServer(model), connection, close };
}

/** @param {string} url @param {boolean} noDelay */
async function connected(url, noDelay) {
  const { connect } = await import('amqplib');
  const clientProperties = { connection_name: 'ipc-bench' };
  return connect(url, { noDelay, timeout: CONNECT_DEADLINE_MS, clientProperties });
}

/** @param {ChannelModel} model @param {Promise<unknown>} ended */
function endConnection(model, ended) {
  // Without an error, amqplib would wait for the response and keep its heartbeat running.
  const giveUp = () => findSocket(model).destroy(new Error('it does not answer'));
  const deadline = setTimeout(giveUp, CLOSE_DEADLINE_MS);
  ended.then(() => clearTimeout(deadline));
  model.close().catch(() => {}); // rejects if the connection was lost, which also resolves `ended`
}

/**
 * @param {ChannelModel} model
 * @returns {import('node:net').Socket}   a private property, since the public interface cannot destroy the socket
 */
function findSocket(model) {
  return /** @type {any} */ (model.connection).stream;
}

/** @param {ChannelModel} model @returns {string} such as 'RabbitMQ 3.10.8' */
function formatServer(model) {
  const { product, version } = model.connection.serverProperties;
  return `${product} ${version}`;
}
