// Where the server programs of this machine are.

import { delimiter } from 'node:path';
import { findOnPath } from '../processes/launcher.js';

// Debian has brokers there, and not on the PATH of its ordinary users.
const ADMINISTRATORS_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/opt/homebrew/sbin'];

/**
 * @param {string} name
 * @returns {string | undefined}   its absolute path; nothing is found where PATH is empty
 */
export function findServer(name) {
  const { PATH = '' } = process.env;
  return PATH === '' ? undefined : findOnPath(name, [PATH, ...ADMINISTRATORS_FOLDERS].join(delimiter));
}
