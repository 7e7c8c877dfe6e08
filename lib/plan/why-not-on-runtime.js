// Why the runtimes of a cell cannot play it: a role that nobody plays, threads of two runtimes, and what one of them lacks.

import { allRoles } from '../cell/launch-roles.js';
import { EVERY, runtimeOf, runtimesByRole } from '../cell/runtime-text.js';
import { defaultsOf } from '../cell/traits.js';
import { whyNoPeer } from './why-no-peer.js';

/** @import { Cell, Codec, FoundRuntime, RuntimeChoice, Scenario, Transport, ValueSchema } from '../types/index.js' */
/** @typedef {{ choice: RuntimeChoice, thisNode: FoundRuntime }} Runtimes   of a cell */

/**
 * @param {Runtimes | undefined} runtimes   undefined: this Node plays all
 * @param {Scenario} scenario
 * @param {Cell} cell
 * @returns {string | undefined}   where --runtime names a role that the scenario does not have
 */
export function whyUnknownRole(runtimes, scenario, cell) {
  if (runtimes === undefined) return undefined;
  // A cell does not name the Node that runs this, and a choice has no program that is missing here.
  const named = { ...runtimes.choice.byRole, ...runtimesByRole(cell.runtime ?? '') };
  const roles = allRoles(scenario).map(({ name }) => name);
  const unknown = Object.keys(named).find((name) => name !== EVERY && !roles.includes(name));
  if (unknown === undefined) return undefined;
  return `${scenario.name} has no ${unknown}: --runtime names a role of ${roles.join(', ')}`;
}

/**
 * @param {Runtimes | undefined} runtimes   undefined: this Node plays all
 * @param {{ transport: Transport, codec: Codec, scenario: Scenario, cell: Cell, schema: ValueSchema | null }} parts
 * @returns {string | undefined}   for ever, on whatever machine
 */
export function whyNotOnRuntimes(runtimes, parts) {
  const { transport, scenario, cell } = parts;
  if (cell.runtime === undefined || runtimes === undefined) return undefined;
  const { choice, thisNode } = runtimes;
  const roles = allRoles(scenario);
  const ends = roles.map(({ name }) => runtimeOf(choice, name) ?? thisNode);
  const programs = new Set(ends.map(({ path }) => path));
  if (transport.traits.class === 'thread' && programs.size > 1) {
    return `${transport.name} has the threads of one process, which has one runtime`;
  }
  const names = new Set(ends.map(({ runtime }) => runtime.name));
  const isOwnFormat = cell.codec !== 'json' && transport.serialises?.includes(cell.codec);
  if (isOwnFormat && names.size > 1) {
    return `${transport.name} serialises ${cell.codec} by its runtime, and ${[...names].join(' and ')} do not read each other`;
  }
  const settings = { ...defaultsOf(transport), ...cell.settings };
  for (const [place, { runtime, name, peer }] of ends.entries()) {
    const role = roles[place];
    const whyPeer = peer && whyNoPeer(peer, role.name, parts);
    const why = whyPeer ?? runtime.whyNot?.({ role, transport, settings, codec: cell.codec, scenario, ends });
    if (why) return `${role.name} on ${name}: ${why}`;
  }
  return undefined;
}
