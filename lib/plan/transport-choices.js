// Transports as they were asked for → the plug-ins, and their settings as values. A setting is checked here and nowhere else.

import { checkedSettings } from '../cell/settings.js';

/** @import { Cell, Transport, TransportChoice } from '../types/index.js' */
/**
 * @template T
 * @typedef {{ plugin: T, askedAs: string[] }} Named
 */
/**
 * @typedef {object} Choice
 * @property {Transport} transport
 * @property {Cell['settings']} settings     what differs from the defaults
 * @property {string | null} unavailable     reason and remedy; null: it can be measured here
 */

/**
 * @param {readonly TransportChoice[]} chosen
 * @param {Map<string, Named<Transport>>} transports
 * @returns {(Omit<Choice, 'unavailable'> & { written: TransportChoice['settings'] })[]}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function transportChoices(chosen, transports) {
  return chosen.map(({ name, settings: written }) => {
    const transport = requirePlugin(transports, name);
    return { transport, settings: checkedSettings(transport, written), written };
  });
}

/**
 * @template T
 * @param {Map<string, Named<T>>} loaded
 * @param {string} askedAs
 * @returns {T}
 */
export function requirePlugin(loaded, askedAs) {
  const found = [...loaded.values()].find((each) => each.askedAs.includes(askedAs));
  if (found === undefined) throw new Error(`${askedAs} was not loaded`);
  return found.plugin;
}
