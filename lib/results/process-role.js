// What a process of a launch was there for. It is noted with its costs and its work; files of earlier versions have its
// name only, and this is the one place that knows what names meant in them.

/** @import { ProcessCost } from '../types/launches.js' */

/**
 * @param {Pick<ProcessCost, 'name' | 'role'>} process
 * @returns {NonNullable<ProcessCost['role']>}
 */
export function roleOf({ name, role }) {
  if (role !== undefined) return role;
  if (name === 'master' || name === 'helpers') return name;
  return /^w\d+$/.test(name) ? 'worker' : 'broker';
}
