// Which MQTT broker answers: the protocol does not tell, many brokers do, by a retained message.

import { openMqtt } from './mqtt-client.js';

const TOPIC = '$SYS/broker/version';
const TELL_DEADLINE_MS = 500; // a retained message follows the acknowledgement of the subscription at once

/** @param {string} url @returns {Promise<string>} 'mosquitto 2.0.11' */
export async function readBrokerVersion(url) {
  const { client, close } = await openMqtt(url, () => {});
  try {
    return (await toldBy(client)) ?? 'a broker that does not tell its name';
  } finally {
    await close();
  }
}

/** @param {import('mqtt').MqttClient} client @returns {Promise<string | undefined>} */
function toldBy(client) {
  return new Promise((resolve) => {
    const deadline = setTimeout(resolve, TELL_DEADLINE_MS, undefined);
    const settle = (/** @type {string | undefined} */ version) => {
      clearTimeout(deadline);
      resolve(version);
    };
    client.on('message', (_, payload) => settle(payload.toString().replace(' version ', ' ')));
    client.subscribe(TOPIC, (error) => {
      if (error) settle(undefined);
    });
  });
}

/** @type {NonNullable<import('../../lib/types/brokers.js').Broker['describe']>} */
export async function describeMqtt(url) {
  // A client is not told of settings, neither by the protocol nor beside it.
  return { version: await readBrokerVersion(url), config: {} };
}
