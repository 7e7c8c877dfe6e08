// `ipc-bench record`: starts a program with the recorder preloaded into it, and joins what its processes and threads wrote.

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
import { counted, listed } from '../format/lists.js';
import { formatCount } from '../format/numbers.js';
import { printable, quoted } from '../format/printable.js';
import { TOOL } from '../machine/packages.js';
import { argumentReader } from '../options/layers.js';
import { RECORD_TABLE } from '../options/option-table.js';
import { joinParts } from '../record/join-parts.js';
import { NameReplacer } from '../record/message-shape.js';
import { trafficText } from '../record/traffic-file.js';
import { tryToWrite, writeAtomically } from '../results/atomic-file.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Part } from '../record/preload.js' */
/** @import { Host } from './main.js' */

const PRELOAD = new URL('../record/preload.js', import.meta.url);
const GRACE_MS = 5_000; // between SIGTERM and SIGKILL
const SETTLE_MS = 1_000; // for child processes that end after the program
const LOOK_EACH_MS = 20;
const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const UNHEARD_SHOWN = 5;
const IS_NODE = /^node(js)?(\.exe)?$/i;

/** @param {Record<string, any>} argv   `program`: the command and its arguments @param {Host} host @returns {Promise<number>} the exit code of the program */
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
  await tryToWrite(path);
  const folder = mkdtempSync(join(tmpdir(), 'ipc-bench-record-'));
  const key = randomBytes(16).toString('hex');
  if (hasContents)
    host.stderr.write(
      `ipc-bench: --contents: ${printable(path)} will hold REAL MESSAGES of the program, with all that is secret in them.\n`,
    );
  try {
    const code = await runProgram(program, { folder, key, hasContents, forMs: read('for') }, host);
    await settled(folder);
    await save({ folder, key, hasContents, program, path }, host);
    return code;
  } finally {
    await removeFolder(folder);
  }
}

/**
 * @param {string[]} program
 * @param {{ folder: string, key: string, hasContents: boolean, forMs?: number }} how
 * @param {Host} host
 */
async function runProgram([command, ...args], { folder, key, hasContents, forMs }, host) {
  const options = nodeOptions({ folder, key, hasContents }, host);
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...host.environment, NODE_OPTIONS: options },
  });
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

/** @param {{ folder: string, key: string, hasContents: boolean }} how @param {Pick<Host, 'environment'>} host @returns {string} NODE_OPTIONS of a program that is heard */
export function nodeOptions({ folder, key, hasContents }, { environment }) {
  const url = new URL(PRELOAD);
  url.searchParams.set('to', folder);
  url.searchParams.set('key', key);
  if (hasContents) url.searchParams.set('contents', '1');
  return [`--import=${url.href}`, environment.NODE_OPTIONS ?? ''].join(' ').trim();
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
      reject(
        new BenchError('BAD_ARGUMENT', `record: ${quoted(command)} cannot be started: ${why}`, { cause }),
      );
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** @param {ChildProcess} child @returns {() => void} */
function forwardSignals(child) {
  const listeners = FORWARDED.map((signal) => {
    const listener = () => {
      // A terminal sends Ctrl-C to the program as well.
      if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
    };
    process.on(signal, listener);
    return /** @type {const} */ ([signal, listener]);
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/** Child processes write what they heard as they end. @param {string} folder */
async function settled(folder) {
  const pids = new Set(readdirSync(folder).map((name) => Number.parseInt(name, 10)));
  const untilMs = performance.now() + SETTLE_MS;
  while ([...pids].some(isThere) && performance.now() < untilMs) await sleep(LOOK_EACH_MS);
}

/** @param {string} folder @returns {Part[]} whole ones: a process that was killed may have left half of one */
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

/** @param {string[]} program @returns {string} names alone: what else stands in a command may be secret */
function programName([command, ...args]) {
  const name = basename(command);
  const script = IS_NODE.test(name) ? args.find((word) => !word.startsWith('-')) : undefined;
  return script === undefined || args[0] !== script ? name : `${name} ${basename(script)}`;
}

/**
 * @param {{ folder: string, key: string, hasContents: boolean, program: string[], path: string }} recording
 * @param {Host} host
 */
async function save({ folder, key, hasContents, program, path }, { stderr }) {
  const parts = readParts(folder);
  const say = (/** @type {string} */ text) => stderr.write(`ipc-bench: ${text}\n`);
  if (parts.length === 0) {
    say(
      `nothing was saved: ${quoted(basename(program[0]))} started no Node.js process that could be heard. Record a program that runs on Node.js 20.19 or later and keeps NODE_OPTIONS.`,
    );
    return;
  }
  const names = new NameReplacer(key);
  const joined = joinParts(parts, (name) => (hasContents ? name : names.replace(name)));
  const unheard = joined.notHeard.map(printable);
  if (joined.channels.length === 0) {
    const where = counted(joined.processes, 'process', 'processes');
    const others = unheard.length === 0 ? '' : ` Not heard: ${listed(unheard, UNHEARD_SHOWN)}.`;
    say(`nothing was saved: no messages of process.send() or threads in ${where} of Node.js.${others}`);
    return;
  }
  const traffic = {
    tool: TOOL.version,
    recordedAt: new Date().toISOString(),
    program: programName(program),
    hasContents,
    ...joined,
  };
  await writeAtomically(path, trafficText(traffic));
  const messages = joined.channels.reduce((sum, each) => sum + each.messages, 0);
  say(
    `${printable(path)}: ${counted(joined.channels.length, 'channel', 'channels')}, ${formatCount(messages)} messages${hasContents ? ', WITH THEIR CONTENTS' : ''}.`,
  );
  for (const each of unheard.slice(0, UNHEARD_SHOWN)) say(`not heard: ${each}`);
  if (unheard.length > UNHEARD_SHOWN) say(`not heard: ${unheard.length - UNHEARD_SHOWN} more`);
  if (joined.errors.length > 0)
    say(
      `the recorder itself failed in places, and some messages may be missing: ${joined.errors.map(printable).join('; ')}. Please report it.`,
    );
  say(`to see them: ${COMMAND} report ${shellWord(path)}`);
}
