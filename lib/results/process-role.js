// What a process of a launch was there for. It is noted with its costs and its work; files of earlier versions have its
// name only, and this is the one place that knows what names meant in them.

/** @import { ProcessCost } from '../types/index.js' */

/** @param {Pick<ProcessCost, 'name' | 'role'>} process @returns {NonNullable<ProcessCost['role']>} */
export function roleOf({ name, role }) {
  if (role !== undefined) return role;
  if (name === 'master' || name === 'helpers') return name;
  return /^w\d+$/.test(name) ? 'worker' : 'broker';
}

/** @type {readonly string[]} */
const USUAL_ROLES = Object.freeze(['workers', 'master', 'broker']);

/**
 * @param {readonly { cpuUsPerOperation: Record<string, number | null> }[]} measured
 * @returns {string[]} the keys of their costs, in the order of columns; where nothing was measured the usual ones
 */
export function rolesOf(measured) {
  const roles = new Set(measured.flatMap(({ cpuUsPerOperation }) => Object.keys(cpuUsPerOperation)));
  return roles.size === 0 ? [...USUAL_ROLES] : [...roles];
}
