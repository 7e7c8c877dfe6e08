// Which cells of a plan are not measured, and why. Cells that make no sense on any machine are said once. Cells that are only
// missing on this machine stay a visible gap in the reports.

import { transportLabel } from '../cell/labels.js';
import { defaultsOf, traitsOf } from '../cell/traits.js';
import { whyNoSpinning } from './why-no-spinning.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Scenario } from '../types/scenarios.js' */
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
 * @param {{ transport: Transport, codec: Codec, scenario: Scenario, cell: Cell, messages: number | null }} parts   messages: of each loop; null:
 *   the clock decides
 * @param {import('../machine/placement.js').CpusToPlan | null} cpus   null: whatever spins is planned
 * @returns {Skip}
 */
export function skipOfCell(skip, { transport, codec, scenario, cell, messages }, cpus) {
  const never = skip.isImpossible
    ? undefined
    : (whyNotAsked(scenario, transport, cell, messages) ?? whyNotCarried(scenario, transport, codec));
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

/** @param {Transport} transport @param {Codec} codec @returns {string | undefined} */
function whyNotTogether({ name, carries, serialises }, codec) {
  if (serialises?.includes(codec.name) || carries.includes(codec.produces)) return undefined;
  if (serialises) {
    return `${name} serialises by itself (${serialises.join(', ')}): ${codec.name} would be encoded twice`;
  }
  return `${name} carries ${carries.join(' and ')}, ${codec.name} produces ${codec.produces}`;
}

/** @param {Transport} transport @param {Cell['settings']} chosen @returns {string | undefined} */
function whyImpossible(transport, chosen) {
  return transport.whyImpossible?.({ ...defaultsOf(transport), ...chosen });
}

/**
 * @param {Scenario} scenario
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {number | null} messages
 * @returns {string | undefined}
 */
function whyNotAsked({ name, loads, isByTime, whyNot, chosen = {} }, transport, cell, messages) {
  if (cell.ratePerSecond !== undefined && loads?.includes('open') === false) {
    return `${name} has no open load: leave out --rate and --sweep`;
  }
  if (isByTime && messages !== null) return `${name} goes on until its time is over: leave out --messages`;
  const why = whyNot?.(traitsOf(transport, cell.settings), chosen) ?? null;
  return why === null ? whyTooGreat(transport, cell) : `${transportLabel(cell)} has no ${name}: ${why}`;
}

/**
 * @param {Scenario} scenario
 * @param {Transport} transport
 * @param {Codec} codec
 * @returns {string | undefined} of objects and lists
 */
function whyNotCarried({ name, carries, chosen = {} }, transport, codec) {
  if (carries === undefined) return undefined;
  const { schema, isUntouched } = carries(chosen);
  if (transport.serialises?.includes(codec.name)) {
    return isUntouched
      ? `${transport.name} serialises by itself: nothing that is encoded already can be handed on`
      : undefined;
  }
  if (codec.values === undefined) return `${codec.name} carries texts, and ${name} sends objects`;
  const why = codec.values.whyNot?.(schema);
  return why === undefined ? undefined : `${codec.name} has no schema for what ${name} sends: ${why}`;
}

/** @param {Transport} transport @param {Cell} cell @returns {string | undefined} */
function whyTooGreat(transport, cell) {
  const { greatestMessageBytes } = traitsOf(transport, cell.settings);
  if (cell.payloadBytes <= greatestMessageBytes) return undefined;
  return `${transportLabel(cell)} carries at most ${greatestMessageBytes.toLocaleString('en')} bytes in a message`;
}
