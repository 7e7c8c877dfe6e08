// Which cells of a plan are not measured, and why. Cells that make no sense on any machine are said once. Cells that are only
// missing on this machine stay a visible gap in the reports.

import { transportLabel } from '../cell/labels.js';
import { furtherProcesses } from '../cell/launch-roles.js';
import { defaultsOf, traitsOf } from '../cell/traits.js';
import { formatCount } from '../words/numbers.js';
import { whyNoLine, whyNotOverNetwork } from './why-no-line.js';
import { whyNoRoom } from './why-no-room.js';
import { whyNoSpinning } from './why-no-spinning.js';
import { whyNotAcross } from './why-not-across.js';
import { whyNotCarried } from './why-not-carried.js';
import { whyNotOnRuntimes, whyUnknownRole } from './why-not-on-runtime.js';

/** @import { Cell, Codec, Options, Scenario, Transport, ValueSchema } from '../types/index.js' */
/** @import { Onward } from '../plugins/plugins.js' */
/** @import { Choice } from './transport-choices.js' */
/** @typedef {Pick<import('../types/plans.js').PlannedCell, 'skip' | 'isImpossible' | 'isContradiction'>} Skip */

/** The rate of a cell that a sweep is still to find: it is open load all the same. */
const TO_BE_FOUND = 1;

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
 * @param {object} parts
 * @param {Transport} parts.transport
 * @param {Codec} parts.codec
 * @param {Scenario} parts.scenario
 * @param {Cell} parts.cell
 * @param {Pick<Options, 'messages' | 'messageFile'> & Partial<Options>} parts.options
 * @param {ValueSchema | null} parts.schema   of the objects of a file; null: it has none
 * @param {Onward} [parts.onward]          absent: the master is reached over the same transport
 * @param {import('./why-not-on-runtime.js').Runtimes} [parts.runtimes]   absent: this Node plays all
 * @param {import('../machine/placement.js').CpusToPlan | null} cpus   null: whatever spins is planned, and any number of connections
 * @returns {Skip}
 */
export function skipOfCell(skip, parts, cpus) {
  const { transport, codec, scenario, cell, options, schema, onward, runtimes } = parts;
  if (skip.isImpossible) return skip;
  const contradiction = whyContradicted(scenario, cell, options) ?? whyUnknownRole(runtimes, scenario, cell);
  if (contradiction !== undefined) {
    return { skip: contradiction, isImpossible: true, isContradiction: true };
  }
  const never =
    whyNotAsked(scenario, transport, cell, options) ??
    whyNotOverNetwork(transport, cell, options.brokerUrls, onward?.plugin) ??
    whyNotCarried(scenario, transport, codec, schema) ??
    whyNotOnward(scenario, onward, { codec, cell, options }) ??
    whyNotOnRuntimes(runtimes, parts);
  if (never !== undefined) return { skip: never, isImpossible: true };
  if (skip.skip !== null) return skip;
  const across = whyNotAcross(transport, cell, scenario, options, onward);
  if (across !== null) return { skip: across };
  if (runtimes?.choice.unavailable) return { skip: runtimes.choice.unavailable };
  if (onward?.unavailable) return { skip: `${scenario.name}: ${onward.unavailable}` };
  const between = furtherProcesses(scenario).length;
  const spinning =
    whyNoSpinning(transport, cell, cpus, between) ??
    (onward && whyNoSpinning(onward.plugin, { ...cell, settings: onward.settings }, cpus, between)) ??
    null;
  return { skip: whyNoLine(cell, cpus) ?? spinning ?? whyNoRoom(transport, cell, cpus?.room) };
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
 * @param {Cell} cell
 * @param {Pick<Options, 'messages'> & Partial<Options>} options
 * @returns {string | undefined}
 */
function whyContradicted({ name, loads, isByTime, isOverConnections }, cell, { messages, open }) {
  const isOpen = Boolean(open?.slo) || cell.ratePerSecond !== undefined;
  if (isOpen && loads?.includes('open') === false)
    return `${name} has no open load: leave out --rate and --sweep`;
  if (isByTime && messages !== null) return `${name} goes on until its time is over: leave out --messages`;
  if (cell.connections !== undefined && !isOverConnections)
    return `${name} takes one connection of each worker: leave out --connections`;
  return undefined;
}

/**
 * @param {Scenario} scenario
 * @param {Transport} transport
 * @param {Cell} planned
 * @param {Pick<Options, 'messages' | 'messageFile'> & Partial<Options>} options
 * @returns {string | undefined}
 */
function whyNotAsked(scenario, transport, planned, options) {
  const { name, whyNot, chosen = {} } = scenario;
  const cell = options.open?.slo ? { ...planned, ratePerSecond: TO_BE_FOUND } : planned;
  const over = whyNotOver(transport, cell);
  if (over !== undefined) return over;
  const why = whyNot?.(traitsOf(transport, cell.settings), chosen, cell) ?? null;
  return why === null
    ? whyTooGreat(transport, cell, options)
    : `${transportLabel(cell)} has no ${name}: ${why}`;
}

/**
 * @param {Scenario} scenario
 * @param {Onward | undefined} onward
 * @param {{ codec: Codec, cell: Cell, options: Pick<Options, 'messageFile'> }} load
 * @returns {string | undefined}
 */
function whyNotOnward(scenario, onward, { codec, cell, options }) {
  if (onward === undefined) return undefined;
  const { plugin, settings } = onward;
  const hop = { ...cell, transport: plugin.name, settings };
  const name = transportLabel(hop);
  const { ridesOnStart, loss } = traitsOf(plugin, settings);
  const reasons = [
    ridesOnStart && `${name} rides on the start of its workers, and who relays is none of them`,
    loss === 'possible' && `${name} may lose messages, and nobody could tell on which hop`,
    whyNotTogether(plugin, codec) ?? whyImpossible(plugin, settings),
    whyTooGreat(plugin, hop, options),
  ];
  const why = reasons.find((reason) => reason);
  return why ? `${scenario.name} cannot be asked: ${why}` : undefined;
}

/** @param {Transport} transport @param {Cell} cell @returns {string | undefined} */
function whyNotOver(transport, cell) {
  if (cell.connections === undefined) return undefined;
  if (traitsOf(transport, cell.settings).reconnects) return undefined;
  return `a worker has one connection over ${transportLabel(cell)}, made when it is started: there are no more --connections`;
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
  return `${transportLabel(cell)} carries at most ${formatCount(greatestMessageBytes)} bytes in a message`;
}
