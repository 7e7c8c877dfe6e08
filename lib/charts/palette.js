// One fixed look per transport and codec, for every chart and both themes. Hue says transport, and is shared within a
// class where there are more transports than hues that everybody can tell apart; marker and outline say which of them;
// fill and dash say codec. Contrast and colour-vision distances are asserted in the tests.

import { seedFrom } from '../statistics/random.js';

/** @typedef {'light' | 'dark'} Theme */
/** @typedef {'blue' | 'rust' | 'green' | 'pink' | 'ochre' | 'violet' | 'grey'} Hue */
/** @typedef {'circle' | 'square' | 'triangle' | 'diamond' | 'triangle-down' | 'star'} Marker */
/**
 * @typedef {'solid' | 'tint' | 'diagonal' | 'horizontal' | 'dots' | 'cross' | 'counter-diagonal' | 'vertical' | 'checks' |
 *   'lattice' | 'empty' | 'bricks'} Fill
 */
/** @typedef {{ background: string, ink: string, mutedInk: string, grid: string, hues: Record<Hue, string> }} Colours */

/** @type {Readonly<Record<Theme, Colours>>} */
export const COLOURS = Object.freeze({
  light: {
    background: '#ffffff',
    ink: '#1b1f27',
    mutedInk: '#565e6b',
    grid: '#e4e7eb',
    hues: {
      blue: '#1a80e5',
      rust: '#9c3a00',
      green: '#0f7a55',
      pink: '#cf5f9f',
      ochre: '#a5902a',
      violet: '#4b0f87',
      grey: '#3a3d44',
    },
  },
  dark: {
    background: '#14181f',
    ink: '#eceff4',
    mutedInk: '#a7afbc',
    grid: '#2c333d',
    hues: {
      blue: '#3ca0f0',
      rust: '#e07a55',
      green: '#3fe3b4',
      pink: '#a85a80',
      ochre: '#f0d03c',
      violet: '#6a5fd0',
      grey: '#b4b9c0',
    },
  },
});

/** @typedef {{ hue: Hue, marker: Marker }} TransportLook */

/** @type {Readonly<Record<string, readonly [hue: Hue, marker: Marker]>>} the transports of the house */
const KNOWN = Object.freeze({
  pipe: ['violet', 'circle'],
  stdio: ['violet', 'square'],
  fifo: ['violet', 'triangle'],
  command: ['violet', 'diamond'],
  unix: ['blue', 'square'],
  tcp: ['green', 'triangle'],
  udp: ['green', 'circle'],
  websocket: ['blue', 'circle'],
  'shared-memory': ['pink', 'diamond'],
  file: ['pink', 'square'],
  'threads-message': ['pink', 'circle'],
  'threads-shared': ['pink', 'triangle'],
  zeromq: ['ochre', 'triangle-down'],
  'redis-pubsub': ['rust', 'diamond'],
  'redis-list': ['rust', 'square'],
  'redis-streams': ['rust', 'circle'],
  rabbitmq: ['ochre', 'square'],
  nats: ['ochre', 'circle'],
  mqtt: ['ochre', 'diamond'],
  http: ['grey', 'circle'],
  http2: ['grey', 'square'],
  https: ['grey', 'triangle'],
  grpc: ['grey', 'diamond'],
});

const HUES = /** @type {Hue[]} */ (Object.keys(COLOURS.light.hues));
/** @type {readonly Marker[]} */
const MARKERS = ['star', 'triangle-down', 'diamond', 'triangle', 'square', 'circle'];
/** @typedef {{ fill: Fill, dash: number[] }} CodecLook   dash: at most 34 px long, a legend's sample of a line */

/** @type {Readonly<Record<string, CodecLook>>} */
const CODECS = Object.freeze({
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
const STRANGE = /** @type {CodecLook} */ ({ fill: 'bricks', dash: [4, 2, 1, 2, 1, 2] });
const CODEC_LOOKS = [...Object.values(CODECS), STRANGE];

/**
 * @param {string} transport
 * @returns {TransportLook}
 */
export function transportLook(transport) {
  const known = Object.hasOwn(KNOWN, transport) ? KNOWN[transport] : null;
  if (known !== null) return { hue: known[0], marker: known[1] };
  const number = seedFrom(transport); // a strange name keeps its look for ever
  return {
    hue: HUES[number % HUES.length],
    marker: MARKERS[Math.floor(number / HUES.length) % MARKERS.length],
  };
}

/** @returns {string[]} every transport whose look is settled */
export function knownTransports() {
  return Object.keys(KNOWN);
}

/**
 * @param {string} transport
 * @returns {boolean} another transport has the hue first, so that bars of this one need an outline
 */
export function sharesHue(transport) {
  const { hue } = transportLook(transport);
  const owner = Object.keys(KNOWN).find((name) => KNOWN[name][0] === hue);
  return owner !== transport;
}

/**
 * @param {string} codec
 * @returns {CodecLook} of a strange name always the same
 */
export function codecLook(codec) {
  return Object.hasOwn(CODECS, codec) ? CODECS[codec] : CODEC_LOOKS[seedFrom(codec) % CODEC_LOOKS.length];
}

/** @returns {string[]} every codec whose look is settled */
export function knownCodecs() {
  return Object.keys(CODECS);
}
