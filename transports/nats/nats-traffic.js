// The traffic of a NATS server, read from its monitoring port, outside of the measured connections. The URL of a server contains the
// monitoring port as ?monitor=PORT, or as ?monitor=HOST:PORT if the port has another address.

import { get } from 'node:http';
import { BenchError } from '../../lib/errors.js';
import { openNats } from './nats-client.js';

/** @import { Broker, TrafficGauge } from '../../lib/types/index.js' */
/** @typedef {{ published: number, delivered: number, bytes: number }} NatsCounters   counters since the start of the server */

const ANSWER_DEADLINE_MS = 2_000;

/** @param {string} url @returns {Promise<TrafficGauge>} */
export async function openNatsGauge(url) {
  const from = await readTraffic(url);
  return {
    async passed() {
      const to = await readTraffic(url);
      return {
        published: to.published - from.published,
        delivered: to.delivered - from.delivered,
        bytes: to.bytes - from.bytes,
      };
    },
    async close() {},
  };
}

/** @param {string} url @returns {Promise<NatsCounters>} */
async function readTraffic(url) {
  const { hostname, searchParams } = new URL(url);
  const monitor = searchParams.get('monitor');
  if (monitor === null) throw new BenchError('BROKER', 'the monitoring port of this NATS is unknown');
  const host = /^\d+$/.test(monitor) ? `${hostname}:${monitor}` : monitor;
  const { in_msgs, out_msgs, out_bytes } = JSON.parse(await fetchBody(`http://${host}/varz`));
  return { published: in_msgs, delivered: out_msgs, bytes: out_bytes };
}

/** @param {string} url @returns {Promise<string>} */
function fetchBody(url) {
  return new Promise((resolve, reject) => {
    // `agent: false` closes the connection after the response, instead of keeping it in the global agent.
    const request = get(url, { agent: false, timeout: ANSWER_DEADLINE_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve(body));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_DEADLINE_MS} ms`)));
    request.on('error', reject);
  });
}

/** @type {NonNullable<Broker['describe']>} */
export async function describeNats(url) {
  const { connection, close } = await openNats(url, () => {});
  const { info } = connection;
  await close();
  // A client can read no other settings of the server that affect results.
  const config = {
    max_payload: String(info?.max_payload),
    tls: String(info?.tls_required ?? false),
    jetstream: String(info?.jetstream ?? false),
  };
  return { version: `nats-server ${info?.version}`, config };
}
