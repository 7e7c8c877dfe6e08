// The texts of --help around yargs' list of options: examples first, exit codes last.

import { EXIT_CODES } from '../errors.js';

const EXAMPLES = `Which way should your Node.js processes talk? Measures it here, with your sizes, and says how sure it is.

Examples:
  ipc-bench                                       pipe, sockets, ZeroMQ, Redis; 2 workers x 4 loops, 1000 bytes
  ipc-bench --quick                               a first look, in seconds
  ipc-bench --workers 1x1,2x4 --payload 10..100k*10
  ipc-bench --transport pipe,unix:flush=tick --codec json,string,binary
  ipc-bench --transport all --quick               every method that this machine has, by class
  ipc-bench --preset node-ipc-2016 --dry-run      what would be measured, and how long it takes
  ipc-bench list                                  what there is, and how to get what is missing
  ipc-bench doctor                                whether this machine is fit to measure on
  ipc-bench report results.json --markdown -      draws saved results again
  ipc-bench compare old.json new.json             tells faster, slower or the same, and fails a build`;

/** @returns {string} one line per exit code; docs/usage.md shows the same */
export function exitCodeLines() {
  return EXIT_CODES.map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
}

/**
 * @param {string} options   yargs' own part: usage, commands, options
 * @returns {string}
 */
export function helpText(options) {
  return `${EXAMPLES}

${options}

An option may also stand in the environment (IPC_BENCH_WORKERS=1x1) or in the file of --config
({ "workers": "1x1" }). Flags count more than the environment, then the file, the preset, the default.

Exit codes:
${exitCodeLines()}
`;
}
