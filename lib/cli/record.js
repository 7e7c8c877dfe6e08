// `ipc-bench record`: starts a program with the recorder preloaded, and joins the recordings of its processes and threads.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forwardSignals } from '../children/forward-signals.js';
import { findOnPath } from '../children/launcher.js';
import { isRunning } from '../children/process-owner.js';
import { namesIn, openScratch } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { COMMAND, shellWord } from '../format/flag-text.js';
import { counted } from '../format/lists.js';
import { formatBytes } from '../format/numbers.js';
import { printable, quoted } from '../format/printable.js';
import { shownPaths } from '../format/redact.js';
import { TOOL } from '../machine/packages.js';
import { argumentReader } from '../options/layers.js';
import { RECORD_TABLE } from '../options/option-table.js';
import { CAP } from '../record/fact-format.js';
import { joinParts } from '../record/join-parts.js';
import { NameReplacer } from '../record/message-shape.js';
import { isNode, programLabel } from '../record/program-label.cjs';
import { readRecording } from '../record/read-recording.js';
import { findObstacle, recordingEnvironment } from '../record/recording-environment.js';
import { trafficText } from '../record/saved-traffic.js';
import { lengthText } from '../report/text/quantity-words.js';
import { writeAtomically } from '../results/atomic-file.js';
import { withClaims } from '../results/claim-outputs.js';
import { assertWritable } from '../results/write.js';
import { sumBy } from '../statistics/sum.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { ReadRecording } from '../record/read-recording.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { RecordingSettings } from '../record/recording-environment.js' */
/** @import { Host } from './main.js' */

const GRACE_MS = 5_000; // wait between SIGTERM and SIGKILL
const SETTLE_MS = 1_000; // longest wait for child processes that end after the program
const POLL_MS = 20;
const UNRECORDED_SHOWN = 5;

/**
 * @param {Record<string, any>} argv   `program` is the command with its arguments
 * @param {Host} host
 * @returns {Promise<number>} the exit code of the program; 128 plus the number of the signal that ended it; 0 after the time of --for
 */
export function record(argv, host) {
  return withClaims((claims) => recordProgram(argv, host, claims));
}

/** @param {Record<string, any>} argv @param {Host} host @param {OutputClaims} claims @returns {Promise<number>} as of record() */
async function recordProgram(argv, host, claims) {
  const read = argumentReader(argv, RECORD_TABLE);
  /** @type {string[]} */
  const program = argv.program ?? [];
  const path = String(read('out'));
  const hasContents = argv.contents === true;
  if (program.length === 0) {
    const next = `write it behind --, as in ${COMMAND} record -- node server.js`;
    throw new BenchError('BAD_ARGUMENT', `record needs the command of a program; ${next}`);
  }
  if (existsSync(path) && !argv.force) {
    const next = 'name another file with --out, or overwrite it with --force';
    throw new BenchError('OUTPUT_EXISTS', `${printable(path)} exists; ${next}`);
  }
  claims.protect(program);
  await assertWritable(path, { overwrite: true, kind: 'recorded traffic' });
  await claims.add(path, '--out');
  const scratch = await openScratch(tmpdir());
  const folder = scratch.path;
  const key = randomBytes(16).toString('hex');
  if (hasContents)
    host.stderr.write(
      `ipc-bench: --contents: ${printable(path)} will hold REAL MESSAGES of the program, with all that is secret in them.\n`,
    );
  try {
    const settings = { folder, key, hasContents, mostBytes: Number(read('limit')) };
    const [command, ...args] = program;
    const { NODE_OPTIONS = '' } = host.environment;
    const obstacle = findObstacle(isNode(command) ? args : [], NODE_OPTIONS);
    const added = obstacle === null ? recordingEnvironment(settings, host.environment) : {};
    const code = await runProgram(program, { ...host.environment, ...added }, read('for'));
    try {
      await save({ ...settings, program, path, obstacle, running: await settled(folder) }, host);
    } catch (error) {
      // The exit code remains that of the program.
      host.stderr.write(`ipc-bench: nothing was saved: ${/** @type {Error} */ (error).message}\n`);
    }
    return code;
  } finally {
    await scratch.remove();
  }
}

/** @param {string[]} program @param {Record<string, string | undefined>} environment @param {number} [forMs] */
async function runProgram([command, ...args], environment, forMs) {
  // The handlers precede the program: a signal that it receives must not end this process before them.
  const release = forwardSignals((signal) => child.kill(signal));
  const child = spawn(command, args, { stdio: 'inherit', env: environment });
  let isOurStop = false;
  /** @type {NodeJS.Timeout[]} */
  const timers = [];
  const stop = () => {
    isOurStop = true;
    child.kill('SIGTERM');
    timers.push(setTimeout(() => child.kill('SIGKILL'), GRACE_MS));
  };
  if (forMs !== undefined) timers.push(setTimeout(stop, forMs));
  try {
    const { code, signal } = await endOf(child, command);
    if (isOurStop) return 0;
    return signal === null ? Number(code) : 128 + constants.signals[signal];
  } finally {
    release();
    for (const timer of timers) clearTimeout(timer);
  }
}

/** @param {ChildProcess} child @param {string} command @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} */
function endOf(child, command) {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
      // EACCES is also the error for a folder of PATH that this user may not search.
      const isMissing = code === 'ENOENT' || (code === 'EACCES' && basename(command) === command);
      const why =
        isMissing && findOnPath(command) === undefined
          ? 'there is no such program on PATH; check the command behind --'
          : `${code}; check the command behind --, and whether it may be executed`;
      // A variable or a whole command line in place of the program may be secret.
      const name = quoted(command.replace(/[\s=].*/s, '…'));
      reject(new BenchError('BAD_ARGUMENT', `record: ${name} cannot be started: ${why}`, { cause }));
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/**
 * Waits at most SETTLE_MS for processes to exit, since a process writes the end of its recording when it exits.
 * @param {string} folder
 * @returns {Promise<number[]>} pids still running
 */
async function settled(folder) {
  const pids = [...new Set(namesIn(folder).map((name) => Number.parseInt(name, 10)))].filter(Boolean);
  const untilMs = performance.now() + SETTLE_MS;
  while (pids.some(isRunning) && performance.now() < untilMs) await sleep(POLL_MS);
  return pids.filter(isRunning);
}

/**
 * @param {string} folder
 * @param {ReadRecording['stopped']} stopped
 * @returns {string | null} why facts could not be written, and the remedy; null if they could
 */
function folderProblem(folder, stopped) {
  const next = 'set TMPDIR to one that has space';
  const temporary = `the temporary folder ${printable(dirname(folder))}`;
  if (!existsSync(folder)) return `${printable(basename(folder))} was removed from ${temporary}`;
  let why = stopped === null || stopped.why === CAP ? null : stopped.why;
  try {
    if (why === null) writeFileSync(join(folder, 'probe'), 'x'.repeat(4_096));
  } catch (error) {
    why = String(/** @type {NodeJS.ErrnoException} */ (error).code);
  }
  if (why === null) return null;
  return why === 'ENOSPC'
    ? `${temporary} is full; ${next}`
    : `${temporary} cannot be written (${why}); ${next}`;
}

/** @param {string[]} program @returns {string} 'node server.js' */
function programName([command, ...args]) {
  const label = programLabel(command, args);
  return !isNode(command) || /^node( -e)?$/.test(label) ? label : `${basename(command)} ${label}`;
}

/**
 * @param {RecordingSettings & { mostBytes: number, program: string[], path: string, obstacle: string | null, running: number[] }} recording
 * @param {Host} host
 */
async function save({ folder, key, hasContents, program, path, obstacle, running, mostBytes }, { stderr }) {
  const { parts, stopped } = readRecording(folder);
  const say = (/** @type {string} */ text) => stderr.write(`ipc-bench: ${text}\n`);
  const names = new NameReplacer(key);
  const joined = joinParts(parts, {
    replaceName: (name) => (hasContents ? name : names.replace(name)),
    isRunning: (pid) => running.includes(pid),
  });
  const { channels, notRecorded, processes } = joined;
  for (const text of notRecorded.slice(0, UNRECORDED_SHOWN)) say(`not recorded: ${printable(text)}`);
  if (notRecorded.length > UNRECORDED_SHOWN)
    say(`not recorded: ${notRecorded.length - UNRECORDED_SHOWN} more`);
  if (channels.length === 0) {
    const where = counted(processes, 'process', 'processes');
    const none = `${quoted(basename(program[0]))} started no Node.js process that could be recorded. Record a program that runs on Node.js 20.19 or later, keeps NODE_OPTIONS, and is not under the permission model`;
    const silent = `no messages of process.send() or threads in ${where} of Node.js`;
    const prevented = `${programName(program)}: ${obstacle}`;
    const why =
      obstacle !== null ? prevented : (folderProblem(folder, stopped) ?? (processes === 0 ? none : silent));
    say(`nothing was saved: ${why}.`);
    return;
  }
  const traffic = {
    tool: TOOL.version,
    recordedAt: new Date().toISOString(),
    program: programName(program),
    hasContents,
    ...joined,
  };
  await writeAtomically(path, trafficText(traffic), { isPrivate: hasContents });
  if (joined.stopped !== undefined) {
    const why =
      joined.stopped.why === CAP
        ? `its facts reached ${formatBytes(mostBytes)}; --limit allows more`
        : folderProblem(folder, stopped);
    say(`the recording ended after ${lengthText(joined.stopped.ms)}: ${why}.`);
  }
  const sent = sumBy(channels, ({ messages, lost = 0 }) => messages + lost);
  say(
    `${printable(path)}: ${counted(channels.length, 'channel', 'channels')}, ${counted(sent, 'message', 'messages')}${hasContents ? ', WITH THEIR CONTENTS' : ''}.`,
  );
  if (joined.errors.length > 0)
    say(
      `the recorder itself failed in places, and some messages may be missing: ${joined.errors.map(printable).join('; ')}. Please report it.`,
    );
  say(`to see them: ${COMMAND} report ${shellWord(shownPaths(path))}`);
}
