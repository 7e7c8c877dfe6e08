// What stands on stderr when the program ends by an error: a sentence for what the user can act on, a stack for bugs.

import { BenchError, isOutOfFiles } from '../errors.js';
import { printable } from '../format/printable.js';
import { TOOL } from '../machine/packages.js';

/** @param {unknown} error @returns {string} */
export function errorText(error) {
  if (error instanceof BenchError) {
    // The lines are ours; what is quoted within one may come from anywhere.
    return `ipc-bench: ${error.message.split('\n').map(indented).join('\n')}`;
  }
  if (isOutOfFiles(error)) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    return `ipc-bench: no more files can be opened (${code}): raise the limit of open files, as with ulimit -n 1024`;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  const place = `ipc-bench ${TOOL.version}, Node ${process.version}, ${process.platform} ${process.arch}`;
  return `ipc-bench: unexpected error, please report it with the following lines.\n${place}\n${stack}`;
}

/** @param {string} line @returns {string} */
function indented(line) {
  const [indent] = /^ */.exec(line) ?? [''];
  return indent + printable(line).trim();
}
