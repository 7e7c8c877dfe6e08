// `ipc-bench record`: starts a program with the recorder preloaded, and joins the recordings of its processes and threads.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath } from '../children/launcher.js';
import { isThere } from '../children/process-owner.js';
import { removeFolder } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { COMMAND, shellWord } from '../format/flag-text.js';
import { counted } from '../format/lists.js';
import { formatCount } from '../format/numbers.js';
import { printable, quoted } from '../format/printable.js';
import { shownPaths } from '../format/redact.js';
import { TOOL } from '../machine/packages.js';
import { argumentReader } from '../options/layers.js';
import { RECORD_TABLE } from '../options/option-table.js';
import { joinParts } from '../record/join-parts.js';
import { NameReplacer } from '../record/message-shape.js';
import { isNode, programLabel } from '../record/program-label.cjs';
import { findObstacle, recordingEnvironment } from '../record/recording-environment.js';
import { trafficText } from '../record/saved-traffic.js';
import { writeAtomically } from '../results/atomic-file.js';
import { refuseInput } from '../results/claim-outputs.js';
import { assertWritable } from '../results/write.js';
import { sumBy } from '../statistics/sum.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Part } from '../record/recorder.js' */
/** @import { Settings } from '../record/recording-environment.js' */
/** @import { Host } from './main.js' */

const GRACE_MS = 5_000; // between SIGTERM and SIGKILL
const SETTLE_MS = 1_000; // for child processes that end after the program
const POLL_MS = 20;
const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const UNRECORDED_SHOWN = 5;

/**
 * @param {Record<string, any>} argv   `program` is the command with its arguments
 * @param {Host} host
 * @returns {Promise<number>} the exit code of the program; 128 plus the number of the signal that ended it; 0 after the time of --for
 */
export async function record(argv, host) {
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
  await refuseInput(path, '--out', program);
  await assertWritable(path, { overwrite: true, kind: 'recorded traffic' });
  const folder = mkdtempSync(join(tmpdir(), 'ipc-bench-record-'));
  const key = randomBytes(16).toString('hex');
  if (hasContents)
    host.stderr.write(
      `ipc-bench: --contents: ${printable(path)} will hold REAL MESSAGES of the program, with all that is secret in them.\n`,
    );
  try {
    const settings = { folder, key, hasContents };
    const [command, ...args] = program;
    const { NODE_OPTIONS = '' } = host.environment;
    const obstacle = findObstacle(isNode(command) ? args : [], NODE_OPTIONS);
    const added = obstacle === '' ? recordingEnvironment(settings, host.environment) : {};
    const code = await runProgram(program, { ...host.environment, ...added }, read('for'));
    await save({ ...settings, program, path, obstacle, running: await settled(folder) }, host);
    return code;
  } finally {
    await removeFolder(folder);
  }
}

/** @param {string[]} program @param {Record<string, string | undefined>} environment @param {number} [forMs] */
async function runProgram([command, ...args], environment, forMs) {
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
  const release = forwardSignals(child);
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
      const why =
        code === 'ENOENT' && findOnPath(command) === undefined
          ? 'there is no such program on PATH; check the command behind --'
          : `${code}; check the command behind --, and whether it may be executed`;
      // A variable or a whole command line in place of the program may be secret.
      const name = quoted(command.replace(/[\s=].*/s, '…'));
      reject(new BenchError('BAD_ARGUMENT', `record: ${name} cannot be started: ${why}`, { cause }));
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** @param {ChildProcess} child @returns {() => void} */
function forwardSignals(child) {
  const listeners = FORWARDED.map((signal) => {
    const listener = () => {
      // A terminal sends Ctrl-C to the program itself.
      if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
    };
    process.on(signal, listener);
    return /** @type {const} */ ([signal, listener]);
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/**
 * Waits at most SETTLE_MS for processes to exit, since they write their whole recordings then.
 * @param {string} folder
 * @returns {Promise<number[]>} pids still running
 */
async function settled(folder) {
  const pids = [...new Set(readdirSync(folder).map((name) => Number.parseInt(name, 10)))];
  const untilMs = performance.now() + SETTLE_MS;
  while (pids.some(isThere) && performance.now() < untilMs) await sleep(POLL_MS);
  return pids.filter(isThere);
}

/** Skips the incomplete files of killed processes. @param {string} folder @returns {Part[]} */
export function readParts(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(folder, name), 'utf8'))];
      } catch {
        return [];
      }
    });
}

/** @param {string[]} program @returns {string} 'node server.js' */
function programName([command, ...args]) {
  const label = programLabel(command, args);
  return !isNode(command) || /^node( -e)?$/.test(label) ? label : `${basename(command)} ${label}`;
}

/**
 * @param {Settings & { program: string[], path: string, obstacle: string, running: number[] }} recording
 * @param {Host} host
 */
async function save({ folder, key, hasContents, program, path, obstacle, running }, { stderr }) {
  const parts = readParts(folder);
  const say = (/** @type {string} */ text) => stderr.write(`ipc-bench: ${text}\n`);
  const names = new NameReplacer(key);
  const joined = joinParts(
    parts,
    (name) => (hasContents ? name : names.replace(name)),
    (pid) => running.includes(pid),
  );
  const { channels, notRecorded, processes } = joined;
  for (const text of notRecorded.slice(0, UNRECORDED_SHOWN)) say(`not recorded: ${printable(text)}`);
  if (notRecorded.length > UNRECORDED_SHOWN)
    say(`not recorded: ${notRecorded.length - UNRECORDED_SHOWN} more`);
  if (channels.length === 0) {
    const where = counted(processes, 'process', 'processes');
    const none = `${quoted(basename(program[0]))} started no Node.js process that could be recorded. Record a program that runs on Node.js 20.19 or later, keeps NODE_OPTIONS, and is not under the permission model`;
    const silent = `no messages of process.send() or threads in ${where} of Node.js`;
    const prevented = `${programName(program)}: ${obstacle}`;
    say(`nothing was saved: ${obstacle !== '' ? prevented : processes === 0 ? none : silent}.`);
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
  const messages = sumBy(channels, (channel) => channel.messages);
  say(
    `${printable(path)}: ${counted(channels.length, 'channel', 'channels')}, ${formatCount(messages)} messages${hasContents ? ', WITH THEIR CONTENTS' : ''}.`,
  );
  if (joined.errors.length > 0)
    say(
      `the recorder itself failed in places, and some messages may be missing: ${joined.errors.map(printable).join('; ')}. Please report it.`,
    );
  say(`to see them: ${COMMAND} report ${shellWord(shownPaths(path))}`);
}
