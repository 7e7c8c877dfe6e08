// Which cells of a plan are not measured, and why. What means nothing on any machine is told from what is only missing on
// this one: the first is said once, the second stays a visible gap in the reports.

import { transportLabel } from '../cell/labels.js';
import { defaultsOf, traitsOf } from '../cell/traits.js';
import { whyNoSpinning } from './why-no-spinning.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Transport } from '../types/transports.js' */
/** @import { Choice } from './transport-choices.js' */
/** @typedef {Pick<import('../types/plans.js').PlannedCell, 'skip' | 'isImpossible'>} Skip */

/**
 * @param {Choice} choice
 * @param {Codec} codec
 * @param {ReadonlyMap<string, string>} unavailableCodecs
 * @returns {Skip}
 */
export function skipOfPair({ transport, settings, unavailable }, codec, unavailableCodecs) {
  const never = whyNotTogether(transport, codec) ?? whyImpossible(transport, settings);
  if (never !== undefined) return { skip: never, isImpossible: true };
  return { skip: unavailable ?? whyNoCodec(transport, codec, unavailableCodecs) ?? null };
}

/**
 * @param {Skip} skip    of its pair
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {import('../machine/placement.js').CpusToPlan | null} cpus   null: whatever spins is planned
 * @returns {Skip}
 */
export function skipOfCell(skip, transport, cell, cpus) {
  const never = skip.isImpossible ? undefined : whyTooGreat(transport, cell);
  if (never !== undefined) return { skip: never, isImpossible: true };
  return skip.skip === null ? { skip: whyNoSpinning(transport, cell, cpus) } : skip;
}

/**
 * @param {Transport} transport
 * @param {Codec} codec
 * @param {ReadonlyMap<string, string>} unavailable
 * @returns {string | undefined} nothing where the channel serialises, since the codec is but a name there
 */
function whyNoCodec({ serialises }, codec, unavailable) {
  return serialises?.includes(codec.name) ? undefined : unavailable.get(codec.name);
}

/**
 * @param {Transport} transport
 * @param {Codec} codec
 * @returns {string | undefined}
 */
function whyNotTogether({ name, carries, serialises }, codec) {
  if (serialises?.includes(codec.name) || carries.includes(codec.produces)) return undefined;
  if (serialises) {
    return `${name} serialises by itself (${serialises.join(', ')}): ${codec.name} would be encoded twice`;
  }
  return `${name} carries ${carries.join(' and ')}, ${codec.name} produces ${codec.produces}`;
}

/**
 * @param {Transport} transport
 * @param {Cell['settings']} chosen
 * @returns {string | undefined}
 */
function whyImpossible(transport, chosen) {
  return transport.whyImpossible?.({ ...defaultsOf(transport), ...chosen });
}

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @returns {string | undefined}
 */
function whyTooGreat(transport, cell) {
  const { greatestMessageBytes } = traitsOf(transport, cell.settings);
  if (cell.payloadBytes <= greatestMessageBytes) return undefined;
  return `${transportLabel(cell)} carries at most ${greatestMessageBytes.toLocaleString('en')} bytes in a message`;
}
