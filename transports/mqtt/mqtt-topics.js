// Topics of an MQTT broker over one connection, all with the same QoS, since MQTT keeps the order only among messages of one QoS.

import { textOrBuffer } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';
import { openMqtt } from './mqtt-client.js';

/** @type {import('../../lib/channels/brokers/over-topics.js').OpenTopics} */
export async function openTopics(url, onLost, { settings }) {
  const qos = /** @type {0 | 1 | 2} */ (settings.qos);
  /** @type {string | Uint8Array} */
  let largestSent = '';
  let largestReceived = 0;
  /** @param {BenchError} reason */
  const lost = (reason) =>
    onLost(largestSent.length > largestReceived ? withSizeHint(reason, largestSent) : reason);
  const { client, connection, close } = await openMqtt(url, lost, Number(settings.inflight));
  const options = { qos };
  /** @type {Map<string, (bytes: Buffer) => void>} */
  const listeners = new Map();
  client.on('message', (topic, payload) => {
    if (payload.length > largestReceived) largestReceived = payload.length;
    listeners.get(topic)?.(payload);
  });
  return {
    close,
    async subscribe(topic, onBytes) {
      listeners.set(topic, onBytes);
      const grants = await client.subscribeAsync(topic, options).catch((error) => {
        throw connection.failure('cannot subscribe at', error);
      });
      const granted = grants[0]?.qos;
      if (granted !== qos) throw qosError(qos, granted);
    },
    unsubscribe(topic) {
      listeners.delete(topic);
      // Unsubscribing fails only if the connection is lost, which ends the subscription.
      client.unsubscribe(topic, () => {});
    },
    publisher(topic, refused) {
      // QoS 0 has no acknowledgements, and with a callback the library would add a listener for each message while its socket is full.
      const acknowledged = qos === 0 ? undefined : settled;
      /** @param {Error | undefined} error */
      function settled(error) {
        // `onLost` reports a lost connection.
        if (error && client.connected) refused(publishError(error));
      }
      return (wire) => {
        if (wire.length > largestSent.length) largestSent = wire;
        client.publish(topic, textOrBuffer(wire), options, acknowledged);
      };
    },
  };
}

/** @param {number} qos @param {number | undefined} granted */
function qosError(qos, granted) {
  return new BenchError('BROKER', `the MQTT broker grants QoS ${granted} where ${qos} was requested`);
}

/** @param {Error} error */
function publishError({ message }) {
  return new BenchError('BROKER', `the MQTT broker did not accept a message: ${message}`);
}

/**
 * In MQTT 3.1.1, a broker disconnects without a reason if a message is too large.
 * @param {BenchError} reason
 * @param {string | Uint8Array} wire   the largest sent message, if it is larger than all received ones
 */
function withSizeHint({ message }, wire) {
  const bytes = Buffer.byteLength(wire).toLocaleString('en');
  const next = 'raise its limit (max_packet_size of mosquitto), or choose a smaller --payload';
  return new BenchError('BROKER', `${message}; if a message of ${bytes} bytes is too large for it, ${next}`);
}
