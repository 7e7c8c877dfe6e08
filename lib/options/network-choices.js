// Text → the networks that cells are measured over: a round-trip time, and a rate where packets take time of their own.

import { quoted } from '../format/quoted.js';
import { parseQuantity, refuse, splitList, unique } from './quantities.js';

/** @import { Quantity, Source } from './quantities.js' */
/** @import { NetworkWish } from '../machine/delay-line.js' */

export const NO_NETWORK = 'none';
/** @type {Quantity} */
const ROUND_TRIP = {
  units: { us: 1, ms: 1e3 },
  noun: 'a round-trip time',
  examples: '500us or 1ms, and +100mbit or +1gbit behind it for a rate',
  limitUnit: 'us',
};
/** @type {Quantity} */
const RATE = {
  units: { kbit: 1e3, mbit: 1e6, gbit: 1e9 },
  noun: 'a rate',
  examples: '500kbit, 100mbit or 1gbit',
  limitUnit: 'bit',
};
const ROUND_TRIP_US = { min: 10, max: 500_000 }; // launches have deadlines of some seconds, of several round trips
const BITS_PER_SECOND = { min: 64_000, max: 100e9 };
/** @type {Source} */
const CELL = { label: 'network', code: 'BAD_ARGUMENT' };

/** @param {string[]} texts   '1ms', '1ms+100mbit', 'none' @param {Source} source @returns {string[]} each as it is always written */
export function parseNetworks(texts, source) {
  return unique(texts.flatMap((text) => networksIn(text, source)).map((text) => canonical(text, source)));
}

/**
 * A rate is no network by itself: behind a comma it belongs to the time before it, '1ms,1gbit'.
 * @param {string} list
 * @param {Source} source
 */
function networksIn(list, source) {
  /** @type {string[]} */
  const networks = [];
  for (const text of splitList([list], source)) {
    const last = networks.at(-1) ?? NO_NETWORK;
    if (isRate(text) && last !== NO_NETWORK && !last.includes('+')) networks.splice(-1, 1, `${last}+${text}`);
    else networks.push(text);
  }
  return networks;
}

/** @param {string} text @returns {boolean} or it was meant to be one */
const isRate = (text) => /^[^+]*bit$/i.test(text);

/** @param {string} text    of a cell @returns {NetworkWish} */
export function parseNetworkWish(text) {
  return parseNetwork(text, CELL);
}

/** @param {string} text @param {Source} source */
function canonical(text, source) {
  if (text === NO_NETWORK) return text;
  const { roundTripUs, bitsPerSecond } = parseNetwork(text, source);
  const time = inGreatestUnit(roundTripUs, ROUND_TRIP);
  return bitsPerSecond === null ? time : `${time}+${inGreatestUnit(bitsPerSecond, RATE)}`;
}

/** @param {string} text @param {Source} source @returns {NetworkWish} */
function parseNetwork(text, source) {
  const [time, rate, ...more] = text.split('+');
  if (more.length > 0)
    refuse(source, `${quoted(text)} has more than a round-trip time and a rate; write 1ms+100mbit`);
  if (isRate(time)) {
    refuse(source, `${quoted(text)} begins with a rate; write the round-trip time first, as in 1ms+${time}`);
  }
  return {
    roundTripUs: parseQuantity(time, ROUND_TRIP, ROUND_TRIP_US, source),
    bitsPerSecond: rate === undefined ? null : parseQuantity(rate, RATE, BITS_PER_SECOND, source),
  };
}

/** @param {number} value @param {Quantity} quantity @returns {string} without a fraction where a smaller unit has none */
function inGreatestUnit(value, { units }) {
  const [unit, factor] = Object.entries(units).findLast(([, size]) => Number.isInteger(value / size)) ?? [
    '',
    1,
  ];
  return `${value / factor}${unit}`;
}
