// How this program starts a process: on which CPUs, and so that it ends with the process that started it. Both are done by
// util-linux in front of the command (`taskset`, `setpriv`), where it is there; elsewhere the command stays as it is. On Windows a
// process is moved to its CPUs as soon as it runs.

import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { windowsAffinity } from './windows-affinity.js';

/**
 * @typedef {object} Placing
 * @property {number[] | null} [cpus]       to be pinned to; null: free
 * @property {boolean} [dieWithParent]      killed by the kernel when the process that starts it ends in any way
 * @property {string[]} [before]             words of a command that runs it at another place, and replaces itself by it
 */

/** @typedef {{ command: string, args: string[] }} ModuleRunner   what stands before the path of a module */

/** @type {{ taskset: string | undefined, setpriv: string | undefined } | undefined} */
let knownTools;

/**
 * @param {string} name          of a program, without folder and without `.exe`
 * @param {string} [searchPath]
 * @returns the absolute path of the first one that can be executed
 */
export function findOnPath(name, searchPath = process.env.PATH ?? '') {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name;
  // A relative entry would let the working directory decide what is run.
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, fileName)).find(isExecutable);
}

/** @returns `cpus` will be respected */
export function canPin() {
  return tools().taskset !== undefined || windowsAffinity() !== null;
}

/** @returns `dieWithParent` will be respected */
export function canDieWithParent() {
  return tools().setpriv !== undefined;
}

/**
 * For `spawn(command, args)`, before `placeStarted`. The pid of what is spawned is the pid of the command itself: the tools in front
 * replace themselves by what follows them.
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
 * What `pinnedCommand` could not put in front of the command.
 * @param {number | undefined} pid   of what was spawned; undefined: it could not be started
 * @param {number[] | null | undefined} cpus
 */
export function placeStarted(pid, cpus) {
  if (pid === undefined || !cpus || cpus.length === 0) return;
  try {
    windowsAffinity()?.moveProcess(pid, cpus);
  } catch {
    // It has just ended, and the code that waits for it says why.
  }
}

/** @param {string[]} [nodeFlags]   besides its own; what this process was given counts more @returns {ModuleRunner} this Node */
export function thisProgram(nodeFlags = []) {
  return { command: process.execPath, args: [...nodeFlags, ...process.execArgv] };
}

/**
 * Where no file can be opened any more, Node.js returns a child without streams, and emits its error later: code that uses a stream
 * would fail first, and leave that error without a listener.
 * @template {import('node:child_process').ChildProcess} Child
 * @param {Child} child     just spawned
 * @returns {Child} with its streams
 * @throws {NodeJS.ErrnoException} EMFILE
 */
export function withStreams(child) {
  if (child.stdio !== undefined) return child;
  child.on('error', () => {}); // it has the same cause
  throw Object.assign(new Error('no process can be started: too many open files'), { code: 'EMFILE' });
}

/**
 * Starts a module in a process of its own with a line to it, as fork does. Fork itself would put words of its own in front of
 * what another runtime needs.
 * @param {string} path     of the module
 * @param {string[]} args   of the module
 * @param {object} how
 * @param {ModuleRunner} [how.program]      absent: this Node
 * @param {Placing} how.placing
 * @param {(words: ModuleRunner) => ModuleRunner} [how.wrap]   puts another program in front
 * @param {('pipe' | 'ignore' | 'ipc' | number)[]} how.stdio   the line included
 * @param {'json' | 'advanced'} [how.serialization]
 * @param {Record<string, string>} [how.tells]   variables that it has besides those of any child
 */
export function spawnModule(path, args, { program = thisProgram(), placing, wrap, tells, ...options }) {
  const pinned = pinnedCommand(program.command, [...program.args, path, ...args], placing);
  const words = wrap?.(pinned) ?? pinned;
  const env = childEnvironment(tells);
  const child = spawn(words.command, words.args, { serialization: 'json', env, ...options });
  placeStarted(child.pid, placing.cpus);
  return child;
}

/**
 * Moves a running process with its threads to other CPUs; nothing where `canPin()` is false.
 * @param {number} pid
 * @param {number[]} cpus
 * @param {number[]} [without]    threads that stay where they are; on Windows there are none
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
      // One that has just ended needs no place. The main thread, of the same id as its process, is missed.
      if (Number(thread) === pid || existsSync(`${folder}/${thread}`)) throw error;
    }
  }
}

/** Whether the threads that V8 and libuv start keep all CPUs of a launch, when the thread of messages is moved. */
export const LEAVES_HELPERS = process.platform === 'linux';

/**
 * Moves one thread, and no other of its process, to other CPUs; nothing where `canPin()` is false.
 * @param {number} threadId     by which the system knows it
 * @param {number[]} cpus
 */
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
  // Busybox has tools of the same names: its setpriv knows no --pdeathsig, older ones of its taskset no list of CPUs.
  return path === undefined || basename(realpathSync(path)) === 'busybox' ? undefined : path;
}

/** @param {string} path @returns of a program */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const OWN = /^IPC_BENCH_/;
/** Of random length: processes of one launch have it in common, down to the last. */
const PADDING = 'IPC_BENCH_PADDING';

/**
 * URLs with passwords and the secret of agents may stand in variables of ipc-bench. Only the command itself reads those.
 * @param {Record<string, string>} [more]   that the child is told besides
 * @returns {NodeJS.ProcessEnv} the one of this process, without them
 */
export function childEnvironment(more = {}) {
  const own = Object.entries(process.env).filter(([name]) => name === PADDING || !OWN.test(name));
  return { ...Object.fromEntries(own), ...more };
}
