// Text that the kernel shows as files: /proc, /sys, /etc. Readers are functions from a path to a text or null, so that
// everything parsed from it can be tested with samples captured on other machines.

import { readFileSync } from 'node:fs';

/** @typedef {(path: string) => string | null} SystemFileReader */

/**
 * @type {SystemFileReader}
 * Null where the file is absent, forbidden or not of this platform: a reading that fails costs nothing but itself.
 */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
