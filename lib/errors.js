// Failures that a user can act on, and the table of exit codes for the help, docs/usage.md and bin.

/** @type {readonly { code: number, name: string, meaning: string }[]} */
export const EXIT_CODES = Object.freeze([
  { code: 0, name: 'ok', meaning: 'everything that was planned was measured' },
  { code: 1, name: 'unexpected', meaning: 'a bug: please report it with the stack trace' },
  { code: 2, name: 'usage', meaning: 'an argument, the config file or an input file is not usable' },
  { code: 3, name: 'failed', meaning: 'at least one cell failed' },
  {
    code: 4,
    name: 'slower',
    meaning: 'compare: a cell is slower beyond --min-effect; --slo: a row exceeds it',
  },
  {
    code: 5,
    name: 'inconclusive',
    meaning: 'compare, --slo, recommend: the launches are inconclusive, or other load disturbed them',
  },
  {
    code: 6,
    name: 'unfit',
    meaning: 'doctor: the machine is not fit to measure on; --lock fail: another run is measuring on it',
  },
  {
    code: 7,
    name: 'nothing',
    meaning: 'nothing was measured: every cell was skipped, or --sweep found no rate; recommend: no evidence',
  },
  { code: 130, name: 'interrupted', meaning: 'stopped by Ctrl-C (SIGINT); what is measured is saved' },
  { code: 143, name: 'terminated', meaning: 'stopped by SIGTERM or SIGHUP; what is measured is saved' },
]);

/**
 * Codes of BenchError, each with the exit code of a command that ends with such an error. In results, the same codes mark failed launches.
 */
export const ERROR_CODES = Object.freeze({
  NOT_INSTALLED: 2,
  BAD_ARGUMENT: 2,
  BAD_CONFIG: 2,
  BAD_RESULTS_FILE: 2,
  BAD_PLUGIN: 2,
  OUTPUT_UNWRITABLE: 2,
  OUTPUT_EXISTS: 2,
  TOO_MANY_CELLS: 2,
  LOCKED: 6,
  NOTHING_TO_RUN: 7,
  NO_EVIDENCE: 7,
  NOT_COMPARABLE: 2,
  SCRATCH_UNUSABLE: 2,
  PATH_TOO_LONG: 2,
  PROCESS_DIED: 3,
  DEADLINE: 3,
  MEMORY: 3,
  INTEGRITY: 3,
  PROTOCOL: 3,
  TRANSPORT: 3,
  BROKER: 3,
  HOST: 3,
  NETWORK: 3,
  RUNNER_GONE: 3,
  INTERRUPTED: 130,
});

/** @typedef {keyof typeof ERROR_CODES} ErrorCode */

/** A failure that is not a bug. Its message contains the cause and, if there is one, a remedy. */
export class BenchError extends Error {
  /** @param {ErrorCode} code @param {string} message @param {{ cause?: unknown }} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}

/** @param {string} name   a name in EXIT_CODES */
export function exitCode(name) {
  const found = EXIT_CODES.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`there is no exit code ${name}`);
  return found.code;
}

/** @param {unknown} error @returns {number} the exit code of a program that ends with this error */
export function exitCodeFor(error) {
  if (isOutOfFiles(error) || canvasFault(error) !== null) return exitCode('usage');
  return error instanceof BenchError ? ERROR_CODES[error.code] : 1;
}

/** @param {any} error @returns {string | null} why @napi-rs/canvas cannot be loaded, or null for another failure */
export function canvasFault(error) {
  const isMissing = /^Cannot find module '@napi-rs\/canvas'/.test(error?.message);
  const isUnusable = /^Cannot find native binding/.test(error?.message) && error.stack.includes('canvas');
  if (!isMissing && !isUnusable) return null;
  const causes = [];
  for (let { cause } = error; cause instanceof Error; { cause } = cause) causes.push(cause);
  // The chain has one error per location of the binary, and most of these errors only mean that the binary is not there.
  const cause = causes.find((one) => /** @type {any} */ (one).code === 'ERR_DLOPEN_FAILED') ?? causes[0];
  return (cause ?? error).message.split('\n')[0];
}

/** @param {any} error @returns {boolean} true if this process or the system cannot open any more files */
export function isOutOfFiles(error) {
  return error?.code === 'EMFILE' || error?.code === 'ENFILE';
}
