// Which cells of a plan are not measured, and why. Cells that make no sense on any machine are said once. Cells that are only
// missing on this machine stay a visible gap in the reports.

import { transportLabel } from '../cell/labels.js';
import { defaultsOf, traitsOf } from '../cell/traits.js';
import { whyNoSpinning } from './why-no-spinning.js';

/** @import { Codec, ValueSchema } from '../types/messages.js' */
/** @import { Cell, Options } from '../types/plans.js' */
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
 * @param {{ transport: Transport, codec: Codec, scenario: Scenario, cell: Cell, options: Pick<Options, 'messages' | 'messageFile'>,
 *   schema: ValueSchema | null }} parts   schema: of the objects of a file; null: it has none
 * @param {import('../machine/placement.js').CpusToPlan | null} cpus   null: whatever spins is planned
 * @returns {Skip}
 */
export function skipOfCell(skip, { transport, codec, scenario, cell, options, schema }, cpus) {
  const never = skip.isImpossible
    ? undefined
    : (whyNotAsked(scenario, transport, cell, options) ?? whyNotCarried(scenario, transport, codec, schema));
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
 * @param {Pick<Options, 'messages' | 'messageFile'>} options
 * @returns {string | undefined}
 */
function whyNotAsked({ name, loads, isByTime, whyNot, chosen = {} }, transport, cell, options) {
  if (cell.ratePerSecond !== undefined && loads?.includes('open') === false) {
    return `${name} has no open load: leave out --rate and --sweep`;
  }
  if (isByTime && options.messages !== null)
    return `${name} goes on until its time is over: leave out --messages`;
  const why = whyNot?.(traitsOf(transport, cell.settings), chosen) ?? null;
  return why === null
    ? whyTooGreat(transport, cell, options)
    : `${transportLabel(cell)} has no ${name}: ${why}`;
}

/**
 * @param {Scenario} scenario
 * @param {Transport} transport
 * @param {Codec} codec
 * @param {ValueSchema | null} ofFile
 * @returns {string | undefined} of objects and lists
 */
function whyNotCarried({ name, carries, chosen = {} }, transport, codec, ofFile) {
  if (carries === undefined) {
    // Of a file, a codec without objects gets the texts.
    if (ofFile === null || transport.serialises?.includes(codec.name)) return undefined;
    const why = codec.values?.whyNot?.(ofFile);
    return why && `${codec.name} has no schema for the messages of the file: ${why}`;
  }
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

/** @param {Cell} cell @param {Pick<Options, 'messageFile'>} options @returns {number} of all its messages */
export function greatestPayloadBytes({ content, payloadBytes }, { messageFile }) {
  return content !== undefined && content === messageFile?.content
    ? messageFile.bytes.greatest
    : payloadBytes;
}

/** @param {Transport} transport @param {Cell} cell @param {Pick<Options, 'messageFile'>} options @returns {string | undefined} */
function whyTooGreat(transport, cell, options) {
  const { greatestMessageBytes } = traitsOf(transport, cell.settings);
  if (greatestPayloadBytes(cell, options) <= greatestMessageBytes) return undefined;
  return `${transportLabel(cell)} carries at most ${greatestMessageBytes.toLocaleString('en')} bytes in a message`;
}
