// Where the server programs of this machine are.

import { delimiter } from 'node:path';
import { findOnPath } from '../../children/launcher.js';

// Debian has brokers there, and not on the PATH of its ordinary users.
const ADMINISTRATORS_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/opt/homebrew/sbin'];

/**
 * @param {...string} names     the first that is there counts
 * @returns {string | undefined}   its absolute path; nothing is found where PATH is empty
 */
export function findServer(...names) {
  const { PATH = '' } = process.env;
  if (PATH === '') return undefined;
  const folders = [PATH, ...ADMINISTRATORS_FOLDERS].join(delimiter);
  return names.map((name) => findOnPath(name, folders)).find((path) => path !== undefined);
}
