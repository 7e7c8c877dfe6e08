// One connection to an MQTT broker over version 3.1.1. It fails fast and does not reconnect, which would hide lost messages in a measured
// launch. No error message contains a password.

import { randomBytes } from 'node:crypto';
import { withoutBrackets } from '../../lib/channels/addresses.js';
import { BrokerConnection } from '../../lib/channels/brokers/broker-connection.js';
import { parsedUrl, parseSocketPath } from '../../lib/format/socket-url.js';

/** @import { BenchError } from '../../lib/errors.js' */
/** @import { IClientOptions as ClientOptions, MqttClient } from 'mqtt' */

const CONNECT_DEADLINE_MS = 5_000;
const CLOSE_DEADLINE_MS = 1_000; // closing usually takes milliseconds
/** Texts for timeouts of the library. A key is an error message of the library. @type {Record<string, string>} */
const DEADLINES = {
  'connack timeout': `no answer within ${CONNECT_DEADLINE_MS} ms`,
  'Keepalive timeout': 'no answer to a ping within 60 s, the keepalive of the package mqtt',
};
const FEW = 10;
const CLIENT_ID_BYTES = 11; // 22 hexadecimal digits: brokers need not accept more than 23 (MQTT-3.1.3-5)

/**
 * @param {string} url       mqtt://, mqtts://, unix:// or mqtt+unix://
 * @param {(reason: BenchError) => void} onLost     called at most once, and not after `close`
 * @param {number} [inFlight]     limit of unacknowledged messages of QoS 1 and 2
 * @returns {Promise<{ client: MqttClient, connection: BrokerConnection, close: () => Promise<void> }>}
 */
export async function openMqtt(url, onLost, inFlight = FEW) {
  const connection = new BrokerConnection('the MQTT broker', url, onLost, DEADLINES);
  const { connect } = (await import('mqtt')).default;
  /** @type {MqttClient} */
  let client;
  try {
    client = connect({ ...connectOptions(url), messageIdProvider: new MessageIdWindow(inFlight) });
  } catch (error) {
    throw connection.failure('cannot read the address of', /** @type {Error} */ (error));
  }
  client.on('error', (error) => connection.noteError(error));
  const connected = new Promise((resolve) => client.once('connect', () => resolve(true)));
  const closed = new Promise((resolve) => client.once('close', () => resolve(false)));
  if (!(await Promise.race([connected, closed]))) throw connection.failure('cannot use');
  closed.then(() => connection.lose());
  const close = async () => {
    connection.isClosing = true;
    client.end();
    const deadline = setTimeout(() => client.stream.destroy(), CLOSE_DEADLINE_MS);
    await closed;
    clearTimeout(deadline);
  };
  return { client, connection, close };
}

/** @param {string} url @returns {ClientOptions} */
function connectOptions(url) {
  const { protocol, hostname, port, username, password } = parsedUrl(url) ?? new URL(url);
  const path = parseSocketPath(url);
  /** @type {ClientOptions} */
  const server =
    path !== null
      ? { protocol: 'mqtt', unixSocket: true, path }
      : {
          protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
          host: withoutBrackets(hostname),
          port: Number(port) || undefined,
        };
  return {
    ...server,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    clientId: randomBytes(CLIENT_ID_BYTES).toString('hex'),
    protocolVersion: 4,
    clean: true, // the broker keeps no session
    connectTimeout: CONNECT_DEADLINE_MS,
    reconnectPeriod: 0,
    queueQoSZero: false,
    socksProxy: '', // otherwise the library uses MQTTJS_SOCKS_PROXY, even for loopback
  };
}

// Many brokers publish their name in a retained message; the protocol has no field for it.
const TOPIC = '$SYS/broker/version';
const RETAINED_DEADLINE_MS = 500; // a retained message follows the acknowledgement of the subscription immediately

/** @param {string} url @returns {Promise<string>} such as 'mosquitto 2.0.11' */
export async function readBrokerVersion(url) {
  const { client, close } = await openMqtt(url, () => {});
  try {
    return (await readRetainedVersion(client)) ?? 'a broker that does not give its name';
  } finally {
    await close();
  }
}

/** @param {import('mqtt').MqttClient} client @returns {Promise<string | undefined>} */
function readRetainedVersion(client) {
  return new Promise((resolve) => {
    const deadline = setTimeout(resolve, RETAINED_DEADLINE_MS, undefined);
    /** @param {string | undefined} version */
    const settle = (version) => {
      clearTimeout(deadline);
      resolve(version);
    };
    client.on('message', (_, payload) => settle(payload.toString().replace(' version ', ' ')));
    client.subscribe(TOPIC, (error) => {
      if (error) settle(undefined);
    });
  });
}

/** @type {NonNullable<import('../../lib/types/transports.js').Broker['describe']>} */
export async function describeMqtt(url) {
  // MQTT clients cannot read the settings of a broker.
  return { version: await readBrokerVersion(url), config: {} };
}

/** @typedef {NonNullable<import('mqtt').IClientOptions['messageIdProvider']>} MessageIdProvider */

const MAX_ID = 65_535;

/**
 * Provides a limited number of ids for messages of QoS 1 and 2: further messages wait in the library, in order, until one is acknowledged.
 * MQTT 3.1.1 does not report the limit of a broker, which disconnects clients that exceed it. The library has two providers: one provides
 * up to 65,535 ids, the other also ids that are still in use.
 * @implements {MessageIdProvider}
 */
export class MessageIdWindow {
  /** @param {number} size */
  constructor(size) {
    this.size = size;
    this.isUsed = new Uint8Array(MAX_ID + 1);
    this.used = 0;
    this.last = 0;
  }

  allocate() {
    if (this.used >= this.size) return null;
    // Takes the next id instead of the lowest free one, whose last message the broker may not have finished.
    do this.last = (this.last % MAX_ID) + 1;
    while (this.isUsed[this.last] === 1);
    this.register(this.last);
    return this.last;
  }

  getLastAllocated() {
    return this.last === 0 ? null : this.last;
  }

  /** @param {number} id */
  register(id) {
    if (this.isUsed[id] === 1) return false;
    this.isUsed[id] = 1;
    this.used += 1;
    return true;
  }

  /** @param {number} id */
  deallocate(id) {
    this.used -= this.isUsed[id];
    this.isUsed[id] = 0;
  }

  clear() {
    this.isUsed.fill(0);
    this.used = 0;
  }
}
