// Starts processes that are pinned to CPUs and that end with their parent, and moves running processes and threads to other CPUs. If
// `taskset` and `setpriv` of util-linux are installed, they are prefixes of the command. On Windows a process is moved to its CPUs as soon
// as it runs.

import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { windowsAffinity } from './windows-affinity.js';

/**
 * @typedef {object} Placing
 * @property {number[] | null} [cpus]   CPUs to which the process is pinned
 * @property {boolean} [dieWithParent]   the kernel kills the process when its parent ends for any reason
 * @property {string[]} [before]   prefix that executes the command in the same process, such as nsenter
 */

/** @typedef {{ command: string, args: string[] }} ModuleRunner   command line before the path of a module */

/** @type {{ taskset: string | undefined, setpriv: string | undefined } | undefined} */
let knownTools;

/**
 * @param {string} name   name of a program, without folder and without `.exe`
 * @param {string} [searchPath]
 * @returns absolute path of the first executable program with this name; undefined if there is none
 */
export function findOnPath(name, searchPath = process.env.PATH ?? '') {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name;
  // With a relative entry, the working directory would determine the program.
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, fileName)).find(isExecutable);
}

/** Whether `cpus` of a Placing has an effect. */
export function canPin() {
  return tools().taskset !== undefined || windowsAffinity() !== null;
}

/** Whether `dieWithParent` of a Placing has an effect. */
export function canDieWithParent() {
  return tools().setpriv !== undefined;
}

/**
 * Returns arguments of `spawn`. Call `placeStarted` afterwards. Each prefixed tool executes the command in its own process, so the command
 * has the pid of the child.
 * @param {string} command
 * @param {string[]} args
 * @param {Placing} placing
 */
export function pinnedCommand(command, args, { cpus = null, dieWithParent = false, before = [] }) {
  const { taskset, setpriv } = tools();
  const words = [command, ...args];
  if (cpus !== null && cpus.length > 0 && taskset !== undefined) {
    words.unshift(taskset, '-c', cpus.join(','));
  }
  if (dieWithParent && setpriv !== undefined) {
    words.unshift(setpriv, '--pdeathsig', 'KILL');
  }
  words.unshift(...before);
  return { command: words[0], args: words.slice(1) };
}

/**
 * On Windows, pins a process that was just spawned.
 * @param {number | undefined} pid   undefined if the process could not be started
 * @param {number[] | null | undefined} cpus
 */
export function placeStarted(pid, cpus) {
  if (pid === undefined || !cpus || cpus.length === 0) return;
  try {
    windowsAffinity()?.moveProcess(pid, cpus);
  } catch {
    // The process may have just ended, and its parent reports the cause.
  }
}

/** @param {string[]} [nodeFlags]   overridden by the flags of this process @returns {ModuleRunner} command line of this Node */
export function nodeCommand(nodeFlags = []) {
  return { command: process.execPath, args: [...nodeFlags, ...process.execArgv] };
}

/**
 * If no file can be opened any more, Node.js returns a child without streams and emits the error later. Code that uses a stream would fail
 * earlier, and the error would have no listener.
 * @template {import('node:child_process').ChildProcess} Child
 * @param {Child} child   just spawned
 * @returns {Child}
 * @throws {NodeJS.ErrnoException} EMFILE
 */
export function withStreams(child) {
  if (child.stdio !== undefined) return child;
  child.on('error', () => {}); // an 'error' event with the same cause follows
  throw Object.assign(new Error('no process can be started: too many open files'), { code: 'EMFILE' });
}

/**
 * Starts a module in a process with an IPC channel. Replaces fork(), which does not support the command lines of other runtimes.
 * @param {string} path
 * @param {string[]} args
 * @param {object} how
 * @param {ModuleRunner} [how.program]   this Node by default
 * @param {Placing} how.placing
 * @param {(words: ModuleRunner) => ModuleRunner} [how.wrap]   prefixes the command with another program
 * @param {('pipe' | 'ignore' | 'ipc' | number)[]} how.stdio
 * @param {'json' | 'advanced'} [how.serialization]
 * @param {Record<string, string>} [how.variables]   further environment variables
 */
export function spawnModule(path, args, { program = nodeCommand(), placing, wrap, variables, ...options }) {
  const pinned = pinnedCommand(program.command, [...program.args, path, ...args], placing);
  const words = wrap?.(pinned) ?? pinned;
  const env = childEnvironment(variables);
  const child = spawn(words.command, words.args, { serialization: 'json', env, ...options });
  placeStarted(child.pid, placing.cpus);
  return child;
}

/**
 * Moves a running process with its threads to other CPUs if `canPin()`.
 * @param {number} pid
 * @param {number[]} cpus
 * @param {number[]} [without]   system ids of threads that are not moved; ignored on Windows
 */
export function movePinned(pid, cpus, without = []) {
  if (!canPin()) return;
  const affinity = windowsAffinity();
  if (affinity !== null) return affinity.moveProcess(pid, cpus);
  const folder = `/proc/${pid}/task`;
  for (const thread of readdirSync(folder)) {
    if (without.includes(Number(thread))) continue;
    try {
      movePinnedThread(Number(thread), cpus);
    } catch (error) {
      // A thread may have just ended; the end of the main thread is an error.
      if (Number(thread) === pid || existsSync(`${folder}/${thread}`)) throw error;
    }
  }
}

/** Whether helper threads of V8 and libuv keep all CPUs of a launch when the main thread is moved. */
export const LEAVES_HELPERS = process.platform === 'linux';

/** Moves one thread to other CPUs if `canPin()`. @param {number} threadId   system id @param {number[]} cpus */
export function movePinnedThread(threadId, cpus) {
  windowsAffinity()?.moveThread(threadId, cpus);
  const { taskset } = tools();
  if (taskset !== undefined)
    execFileSync(taskset, ['-p', '-c', cpus.join(','), String(threadId)], { stdio: 'ignore' });
}

function tools() {
  knownTools ??= { taskset: linuxTool('taskset'), setpriv: linuxTool('setpriv') };
  return knownTools;
}

/** @param {string} name */
function linuxTool(name) {
  const path = process.platform === 'linux' ? findOnPath(name) : undefined;
  // Busybox has tools of the same names: its setpriv has no --pdeathsig, and its older taskset takes no list of CPUs.
  return path === undefined || basename(realpathSync(path)) === 'busybox' ? undefined : path;
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const OF_COMMAND = /^IPC_BENCH_/;
/** Variable with a text of random length, equal for all processes of a launch. */
const PADDING = 'IPC_BENCH_PADDING';

/**
 * Returns the environment with PADDING but without other variables of ipc-bench, which only the command reads and which may contain
 * passwords and the secret of agents.
 * @param {Record<string, string>} [more]
 * @returns {NodeJS.ProcessEnv}
 */
export function childEnvironment(more = {}) {
  const passed = Object.entries(process.env).filter(([name]) => name === PADDING || !OF_COMMAND.test(name));
  return { ...Object.fromEntries(passed), ...more };
}
