// What was built in when results were written that do not note it yet: the classes of transports, and how charts draw
// transports and codecs. This list does not grow: what comes later is noted in results.

/** @import { CodecLook, Hue, Marker, TransportLook } from '../types/index.js' */

/** @type {Readonly<Record<string, readonly [className: string, hue: Hue, marker: Marker]>>} the first of a hue owns it */
const TRANSPORTS = Object.freeze({
  pipe: ['pipe', 'violet', 'circle'],
  stdio: ['pipe', 'violet', 'square'],
  fifo: ['pipe', 'violet', 'triangle'],
  command: ['pipe', 'violet', 'diamond'],
  unix: ['socket', 'blue', 'square'],
  tcp: ['socket', 'green', 'triangle'],
  udp: ['socket', 'green', 'circle'],
  websocket: ['socket', 'blue', 'circle'],
  'shared-memory': ['memory', 'pink', 'diamond'],
  file: ['memory', 'pink', 'square'],
  'threads-message': ['thread', 'pink', 'circle'],
  'threads-shared': ['thread', 'pink', 'triangle'],
  zeromq: ['brokerless', 'ochre', 'triangle-down'],
  'redis-pubsub': ['broker', 'rust', 'diamond'],
  'redis-list': ['broker', 'rust', 'square'],
  'redis-streams': ['broker', 'rust', 'circle'],
  rabbitmq: ['broker', 'ochre', 'square'],
  nats: ['broker', 'ochre', 'circle'],
  mqtt: ['broker', 'ochre', 'diamond'],
  http: ['rpc', 'grey', 'circle'],
  http2: ['rpc', 'grey', 'square'],
  https: ['rpc', 'grey', 'triangle'],
  grpc: ['rpc', 'grey', 'diamond'],
});

/** @type {Readonly<Record<string, CodecLook>>} */
export const EARLIER_CODECS = Object.freeze({
  json: { fill: 'solid', dash: [] },
  string: { fill: 'tint', dash: [6, 3] },
  binary: { fill: 'diagonal', dash: [2, 2] },
  msgpack: { fill: 'horizontal', dash: [8, 3, 2, 3] },
  v8: { fill: 'dots', dash: [12, 3] },
  cbor: { fill: 'cross', dash: [8, 3, 2, 3, 2, 3] },
  protobuf: { fill: 'counter-diagonal', dash: [12, 3, 5, 3] },
  avro: { fill: 'vertical', dash: [5, 7] },
  flatbuffers: { fill: 'checks', dash: [12, 3, 2, 3, 2, 3, 2, 3] },
  'json-schema': { fill: 'lattice', dash: [22, 3] },
  none: { fill: 'empty', dash: [2, 6] },
});

/**
 * @param {string} transport
 * @returns {{ class: string, look: TransportLook } | null} null: it was nobody's of the house
 */
export function earlierTransport(transport) {
  if (!Object.hasOwn(TRANSPORTS, transport)) return null;
  const [className, hue, marker] = TRANSPORTS[transport];
  const owner = Object.keys(TRANSPORTS).find((name) => TRANSPORTS[name][1] === hue);
  return { class: className, look: { hue, marker, ...(owner === transport && { ownsHue: true }) } };
}
