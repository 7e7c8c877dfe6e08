// Output, error messages, signals and colours for all commands.

import { constants, fstatSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { BenchError, canvasFault, exitCode, isOutOfFiles } from '../errors.js';
import { printable } from '../format/printable.js';
import { unwritableReason } from '../format/unwritable-reason.js';
import { TOOL } from '../machine/packages.js';

/** @import { OutputStream } from './main.js' */

const STDERR = 2;

/** Streams that have failed. @type {WeakSet<OutputStream>} */
const broken = new WeakSet();

/**
 * @param {OutputStream & { fd?: number }} stream
 * @param {string | Uint8Array} content
 * @returns {Promise<void>} Resolves once everything is written, and at once for a stream that has failed. A closed pipe, as by `| head -1`,
 *   and failures of stderr are not errors.
 * @throws {BenchError} OUTPUT_UNWRITABLE, once for each stream
 */
export async function writeOut(stream, content) {
  if (broken.has(stream)) return;
  try {
    if (isFile(stream)) writeWhole(Number(stream.fd), content);
    else await written(stream, content);
  } catch (error) {
    broken.add(stream);
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE' || stream.fd === STDERR) return;
    const message = `stdout cannot be written, ${unwritableReason(error)}.`;
    throw new BenchError('OUTPUT_UNWRITABLE', message, { cause: error });
  }
}

/** @param {OutputStream & { fd?: number }} stream @returns {boolean} true for a regular file, or a device other than a terminal */
function isFile({ fd, isTTY }) {
  if (fd === undefined || isTTY) return false;
  try {
    const found = fstatSync(fd);
    return found.isFile() || found.isCharacterDevice();
  } catch {
    return false; // a handle of Windows that fstat() rejects
  }
}

/**
 * Loops, because on a full disk writeSync() writes what fits and reports no error.
 * @param {number} fd
 * @param {string | Uint8Array} content
 */
function writeWhole(fd, content) {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/**
 * Node replaces a closed stdout by /dev/null, opened for reading and writing; a shell that discards stdout opens it for writing only. A
 * parent process may also have opened it for reading and writing, so a caller may only warn.
 * @returns {boolean} true if stdout is /dev/null, opened as Node does it; false also on systems without /proc
 */
export function isStdoutClosed() {
  try {
    if (readlinkSync('/proc/self/fd/1') !== devNull) return false;
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/1', 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & constants.O_RDWR) !== 0;
  } catch {
    return false;
  }
}

/** @param {OutputStream} stream @param {string | Uint8Array} content @returns {Promise<void>} */
function written(stream, content) {
  return new Promise((resolve, reject) => {
    stream.write(content, (error) => (error ? reject(error) : resolve()));
  });
}

/** @param {unknown} error @returns {string} For stderr: a message for errors that the user can act on, a stack for bugs. */
export function errorText(error) {
  if (error instanceof BenchError) {
    // A line may quote text from outside, so it is made printable.
    return `ipc-bench: ${error.message.split('\n').map(indented).join('\n')}`;
  }
  if (isOutOfFiles(error)) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    return `ipc-bench: no more files can be opened (${code}): raise the limit of open files, as with ulimit -n 1024`;
  }
  const why = canvasFault(error);
  if (why !== null) {
    const next =
      'run npm ci on this machine, or write pictures with --svg or --html, which need none (--no-charts leaves PNG files out)';
    return `ipc-bench: no PNG files can be drawn, since @napi-rs/canvas does not load (${printable(why)}): ${next}`;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  const versions = `ipc-bench ${TOOL.version}, Node ${process.version}, ${process.platform} ${process.arch}`;
  return `ipc-bench: unexpected error, please report it with the following lines.\n${versions}\n${stack}`;
}

/** @param {Pick<import('./main.js').Host, 'stderr'>} host @returns {(doubt: import('../results/read.js').FileWarning) => void} */
export function doubtWriter({ stderr }) {
  return ({ text }) => void stderr.write(`ipc-bench: ${text}\n`);
}

/** @param {string} line */
function indented(line) {
  const [indent] = /^ */.exec(line) ?? [''];
  return indent + printable(line).trim();
}

/** Signal → name of the exit code. @type {Readonly<Partial<Record<NodeJS.Signals, string>>>} */
const ENDINGS = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'terminated' };

/**
 * Aborts `signal` at the first SIGINT, SIGTERM or SIGHUP and keeps its exit code. A second one ends the process at once.
 * @param {Pick<import('./main.js').Host, 'stderr' | 'exitNow'>} host
 * @param {object} [how]
 * @param {() => void} [how.onStop]   called before the message is written
 * @param {() => string} [how.kept]   returns what remains of the results
 * @returns {{ signal: AbortSignal, exitCode: () => number | null, release: () => void }}
 */
export function stopSignal({ stderr, exitNow }, { onStop = () => {}, kept = () => '' } = {}) {
  const controller = new AbortController();
  /** @type {number | null} */
  let stoppedWith = null;
  const onSignal = (/** @type {NodeJS.Signals} */ name) => {
    const code = exitCode(ENDINGS[name] ?? 'unexpected');
    if (stoppedWith !== null) {
      exitNow(code);
      return;
    }
    stoppedWith = code;
    onStop();
    stderr.write(`\n${name}: stopping; ${kept()}. Once more ends at once.\n`);
    controller.abort(new Error(`stopped by ${name}`));
  };
  return { signal: controller.signal, exitCode: () => stoppedWith, release: onEnding(onSignal) };
}

/**
 * Ends the process at a SIGINT, SIGTERM or SIGHUP during work that leaves nothing to undo.
 * @param {Pick<import('./main.js').Host, 'stderr' | 'exitNow'>} host
 * @param {string} text   what is left undone, and what to do next
 * @returns {() => void} removes the handler
 */
export function endAtSignal({ stderr, exitNow }, text) {
  return onEnding((name) => {
    stderr.write(`\n${name}: ${text}\n`);
    exitNow(exitCode(ENDINGS[name] ?? 'unexpected'));
  });
}

/** @param {(name: NodeJS.Signals) => void} handler @returns {() => void} removes the handler */
function onEnding(handler) {
  const names = /** @type {NodeJS.Signals[]} */ (Object.keys(ENDINGS));
  for (const name of names) process.on(name, handler);
  return () => {
    for (const name of names) process.off(name, handler);
  };
}

/** Many functions of Node fail without a working directory. @throws {BenchError} BAD_ARGUMENT */
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

/**
 * FORCE_COLOR takes precedence over NO_COLOR, as in Node. An empty variable counts as unset.
 * Sources: no-color.org; force-color.org.
 * @param {{ isTTY?: boolean }} stream
 * @param {Record<string, string | undefined>} environment
 */
export function wantsColour(stream, environment) {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = environment;
  if (forced) return !['0', 'false'].includes(forced);
  return stream.isTTY === true && !refused && terminal !== 'dumb';
}

const MIN_COLUMNS = 20; // some pseudo-terminals report 0
const USUAL_COLUMNS = 80;

/**
 * @param {Pick<OutputStream, 'columns'>} stream
 * @param {number} [greatest]   maximum, also for streams that are not terminals
 */
export function readColumns({ columns = Infinity }, greatest = Infinity) {
  return Math.min(columns >= MIN_COLUMNS ? columns : USUAL_COLUMNS, greatest);
}

/**
 * Checks `--json FILE` for commands without reports. It imports the modules that write files only if a file is named.
 * @param {Record<string, any>} argv
 * @param {string} [flag]
 * @param {readonly string[]} [inputs]   paths that the command reads
 * @returns {Promise<string | undefined>} a writable path, or '-' for stdout
 */
export async function openDocument(argv, flag = 'json', inputs = []) {
  if (argv[flag] === undefined) return undefined;
  const { argumentReader } = await import('../options/layers.js');
  /** @type {string} */
  const path = argumentReader(argv, { [flag]: { summary: '', value: 'FILE' } })(flag);
  if (path === '-') return path;
  const { refuseInput } = await import('../results/claim-outputs.js');
  const { assertWritable } = await import('../results/write.js');
  await refuseInput(path, `--${flag}`, inputs);
  await assertWritable(path, { overwrite: argv.force === true });
  return path;
}

/**
 * @param {string} text
 * @param {string} document   saved to `path`, or printed instead of the text if `path` is '-'
 * @param {string | undefined} path
 * @param {OutputStream} stdout
 */
export async function showText(text, document, path, stdout) {
  await writeOut(stdout, path === '-' ? document : text);
  if (path === undefined || path === '-') return;
  const { writeDocument } = await import('../results/write.js');
  await writeDocument(path, document);
  await writeOut(stdout, `Saved ${printable(path)}\n`);
}
