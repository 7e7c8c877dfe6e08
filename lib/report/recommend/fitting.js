// Traits of measured rows, and the transports that meet the needs, with the required settings: some queues are durable only with a setting.

import { unmetNeed } from '../../cell/needs.js';
import { resolveTraits, settingDefaults } from '../../cell/traits.js';
import { transportFacts } from '../findings/transport-kinds.js';

/** @import { Cell, KnownTraits, Results, Setting, Transport } from '../../types/index.js' */
/** @typedef {Record<string, string | number | boolean>} Settings */
/** @typedef {{ transport: Transport, settings: Settings }} Fitting */

const MAX_SETTINGS = 2; // greatest number of settings that differ from the defaults

/**
 * Recorded traits take precedence.
 * @param {Results} results
 * @param {Cell} cell
 * @param {ReadonlyMap<string, { plugin: Transport }>} transports   loaded ones, by name
 * @returns {KnownTraits}
 */
export function knownTraits(results, cell, transports) {
  const transport = transports.get(cell.transport)?.plugin;
  return /** @type {KnownTraits} */ ({
    ...(transport && resolveTraits(transport, cell.settings)),
    ...transportFacts(results, cell),
  });
}

/**
 * @param {Transport} transport
 * @param {readonly string[]} needs   values of --need
 * @returns {Settings | null} as few settings as possible, in the order of the transport; null if none meet the needs
 */
export function fittingSettings(transport, needs) {
  const defaults = settingDefaults(transport);
  /** @param {Settings} settings */
  const isFit = (settings) =>
    (transport.whyImpossible?.({ ...defaults, ...settings }) ?? null) === null &&
    unmetNeed(resolveTraits(transport, settings), needs) === null;
  if (isFit({})) return {};
  if (transport.traitsOf === undefined) return null;
  const single = Object.entries(transport.settings ?? {}).flatMap(([key, setting]) =>
    otherChoices(setting).map((value) => ({ [key]: value })),
  );
  let tried = single;
  for (let count = 1; count <= MAX_SETTINGS; count++) {
    const found = tried.find(isFit);
    if (found !== undefined) return found;
    tried = tried.flatMap((settings) =>
      single
        .filter((one) => !Object.hasOwn(settings, Object.keys(one)[0]))
        .map((one) => ({ ...settings, ...one })),
    );
  }
  return null;
}

/** @param {Setting} setting @returns {(string | number | boolean)[]} choices other than the default; empty for numbers and texts without `choices` */
function otherChoices({ default: usual, choices }) {
  const all = choices ?? (typeof usual === 'boolean' ? [true, false] : []);
  return all.filter((value) => value !== usual);
}

/** @param {readonly Transport[]} transports @param {readonly string[]} needs @returns {Fitting[]} */
export function fittingTransports(transports, needs) {
  return transports.flatMap((transport) => {
    const settings = fittingSettings(transport, needs);
    return settings === null ? [] : { transport, settings };
  });
}
