// The folder that a command was started in may have been removed since: Node then fails wherever it is asked for.

import { BenchError } from '../errors.js';

/** @throws {BenchError} BAD_ARGUMENT */
export function refuseRemovedFolder() {
  try {
    process.cwd();
  } catch (cause) {
    throw new BenchError(
      'BAD_ARGUMENT',
      'the working directory was removed; change to one that exists, and start again',
      { cause },
    );
  }
}
