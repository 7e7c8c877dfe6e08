// Publishing to and hearing from topics of an MQTT broker over one connection, all with one quality of service: order is
// kept among messages of the same one only.

import { textOrBuffer } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';
import { openMqtt } from './mqtt-client.js';

/** @type {import('../../lib/transport/brokers/over-topics.js').OpenTopics} */
export async function openTopics(url, onLost, { settings }) {
  const qos = /** @type {0 | 1 | 2} */ (settings.qos);
  /** @type {string | Uint8Array} */
  let largestSent = '';
  let largestHeard = 0;
  const lost = (/** @type {BenchError} */ reason) =>
    onLost(largestSent.length > largestHeard ? afterTooMuch(reason, largestSent) : reason);
  const { client, failure, close } = await openMqtt(url, lost, Number(settings.inflight));
  const options = { qos };
  /** @type {Map<string, (bytes: Buffer) => void>} */
  const listeners = new Map();
  client.on('message', (topic, payload) => {
    if (payload.length > largestHeard) largestHeard = payload.length;
    listeners.get(topic)?.(payload);
  });
  return {
    close,
    async subscribe(topic, onBytes) {
      listeners.set(topic, onBytes);
      const grants = await client.subscribeAsync(topic, options).catch((error) => {
        throw failure('cannot subscribe at', error);
      });
      const granted = grants[0]?.qos;
      if (granted !== qos) throw tooLittle(qos, granted);
    },
    unsubscribe(topic) {
      listeners.delete(topic);
      // It fails only with the connection, and with that the subscription is gone as well.
      client.unsubscribe(topic, () => {});
    },
    publisher(topic, refused) {
      // Without acknowledgements there is nothing to be told of, and with a callback the library would add a listener for
      // each message while its socket is full.
      const acknowledged = qos === 0 ? undefined : settled;
      function settled(/** @type {Error | undefined} */ error) {
        // `onLost` reports a lost connection, with its cause.
        if (error && client.connected) refused(notPublished(error));
      }
      return (wire) => {
        if (wire.length > largestSent.length) largestSent = wire;
        client.publish(topic, textOrBuffer(wire), options, acknowledged);
      };
    },
  };
}

/** @param {number} qos @param {number | undefined} granted */
function tooLittle(qos, granted) {
  return new BenchError('BROKER', `the MQTT broker grants QoS ${granted} where ${qos} was asked for`);
}

/** @param {Error} error */
function notPublished({ message }) {
  return new BenchError('BROKER', `the MQTT broker did not accept a message: ${message}`);
}

/**
 * A broker that refuses the size of a message hangs up without a word in this version of MQTT.
 * @param {BenchError} reason
 * @param {string | Uint8Array} wire   of the largest message; none of its size has come from the broker
 */
function afterTooMuch({ message }, wire) {
  const bytes = Buffer.byteLength(wire).toLocaleString('en');
  const next = 'raise its limit (max_packet_size of mosquitto), or choose a smaller --payload';
  return new BenchError('BROKER', `${message}; if a message of ${bytes} bytes is too large for it, ${next}`);
}
