// By which programs the roles of a cell are started, where not all of them are this Node.

import { allRoles, CONTROLLER } from '../cell/launch-roles.js';
import { findRuntime, runtimeArgs, THIS_NODE } from '../cell/runtime-text.js';

/** @import { LoadedPlugins } from '../plugins/plugins.js' */
/** @import { Cell, FoundRuntime, Options, Program, Scenario } from '../types/index.js' */

/**
 * @param {Cell} cell
 * @param {LoadedPlugins['runtimes']} runtimes
 * @param {Scenario} scenario
 * @param {Options['tierUp']} tierUp   as asked
 * @returns {{ programs?: Record<string, Program>, tierUp?: Options['tierUp'], peer?: import('../types/peers.js').PeerProgram }} programs:
 *   by role; tierUp: of the process that takes longest to get warm; peer: it plays the master, which this Node leads then
 */
export function selectPrograms({ runtime = THIS_NODE }, runtimes, scenario, tierUp) {
  const choice = runtimes?.choices.find((each) => each.runtime === runtime);
  if (runtimes === undefined || choice === undefined) return {};
  const playing = (/** @type {string} */ role) => findRuntime(choice, role) ?? runtimes.thisNode;
  const { peer } = playing(CONTROLLER);
  const controller = peer === undefined ? playing(CONTROLLER) : runtimes.thisNode;
  const ends = allRoles(scenario).map(({ name }) => ({
    role: name,
    found: name === CONTROLLER ? controller : playing(name),
  }));
  const programs = ends.map(({ role, found }) => [role, makeProgram(found, controller, tierUp)]);
  const isAsAsked = ends.every(({ found }) => found.runtime.tiersUpEarly);
  return {
    programs: Object.fromEntries(programs),
    ...(!isAsAsked && { tierUp: 'usual' }),
    ...(peer && { peer: peer.program }),
  };
}

/**
 * @param {Cell} cell
 * @param {LoadedPlugins['runtimes']} runtimes
 * @returns {string | null} its controller, where its clock is not that of the machine; null: it is
 */
export function controllerWithOwnClock({ runtime = THIS_NODE }, runtimes) {
  const choice = runtimes?.choices.find((each) => each.runtime === runtime);
  const controller = choice === undefined ? null : findRuntime(choice, CONTROLLER);
  // A peer is led by this Node.
  return controller === null || controller.peer || controller.runtime.hasSystemClock ? null : controller.name;
}

/**
 * @param {Cell} cell
 * @param {LoadedPlugins['runtimes']} runtimes
 * @returns {string | null} a program in another language that plays its master; null: none does
 */
export function peerOfCell({ runtime = THIS_NODE }, runtimes) {
  const choice = runtimes?.choices.find((each) => each.runtime === runtime);
  return (choice && findRuntime(choice, CONTROLLER)?.peer?.program.name) ?? null;
}

/** @param {FoundRuntime} found @param {FoundRuntime} controller @param {Options['tierUp']} tierUp @returns {Program} */
function makeProgram(found, controller, tierUp) {
  const sharesClock = found.runtime.hasSystemClock === true && controller.runtime.hasSystemClock === true;
  return { command: found.path, args: runtimeArgs(found, tierUp), sharesClock };
}
