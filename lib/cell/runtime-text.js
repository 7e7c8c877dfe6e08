// How the runtimes of a cell are written: 'bun' for all of its processes, 'master:node@22+worker:bun' for some of them. This
// Node is 'node', and goes without saying.

import { CONTROLLER, WORKER } from './launch-roles.js';

/** All roles that have no runtime of their own. */
export const EVERY = 'every';
/** The one that this program runs on. */
export const THIS_NODE = 'node';

/** @typedef {Record<string, string>} RuntimesByRole   EVERY alone, or roles */

/**
 * @param {string} name     'node', 'node@22 --max-semi-space-size=64'
 * @returns {{ program: string, flags: string[] }}   flags: for its command line
 */
export function withoutFlags(name) {
  const [program, ...flags] = name.trim().split(/ +(?=--)/);
  return { program, flags };
}

/**
 * @param {import('../types/runtimes.js').FoundRuntime} found
 * @param {'early' | 'usual'} [tierUp]
 * @returns {string[]} that stand before a module on its command line
 */
export function runtimeArgs({ runtime, path, version, flags = [] }, tierUp) {
  return [...runtime.args({ path, version, tierUp }), ...flags];
}

/** @param {string} text @returns {RuntimesByRole} */
export function runtimesByRole(text) {
  const parts = text.split(/\+(?=[a-z-]+:)/);
  return Object.fromEntries(
    parts.map((part) => {
      const [, role = EVERY, name] = /^(?:([a-z][a-z-]*):)?(.*)$/s.exec(part) ?? [];
      return [role, name];
    }),
  );
}

/** @param {RuntimesByRole} byRole @returns {string} one spelling of the same */
export function runtimeText(byRole) {
  const { [EVERY]: every, ...roles } = byRole;
  if (every !== undefined) return every;
  const unusual = Object.entries(roles).filter(([, name]) => name !== THIS_NODE);
  if (unusual.length === 0) return THIS_NODE;
  const names = new Set(unusual.map(([, name]) => name));
  if (unusual.length === 2 && names.size === 1 && CONTROLLER in roles && WORKER in roles)
    return unusual[0][1];
  return unusual
    .sort(([one], [other]) => roleRank(one) - roleRank(other) || one.localeCompare(other, 'en'))
    .map(([role, name]) => `${role}:${name}`)
    .join('+');
}

/**
 * @param {Pick<import('../types/runtimes.js').RuntimeChoice, 'every' | 'byRole'>} runtimes
 * @param {string} role
 * @returns {import('../types/runtimes.js').FoundRuntime | null} that plays it; null: this Node
 */
export function findRuntime({ every, byRole }, role) {
  return byRole[role] ?? every;
}

/** @param {string} role */
function roleRank(role) {
  return role === CONTROLLER ? 0 : 1;
}
