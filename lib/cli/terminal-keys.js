// Keys of a terminal, heard one by one while something is drawn on it. In this mode the terminal sends no signals for Ctrl-C and its
// kin: they are sent from here, to the whole group of processes, as the terminal does. The caller has to close what it opens; at the end
// of a process Node restores the terminal by itself.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @type {Readonly<Record<string, NodeJS.Signals>>} */
const SIGNALS = { '\u0003': 'SIGINT', '\u001a': 'SIGTSTP', '\u001c': 'SIGQUIT' };
const PS_DEADLINE_MS = 1_000;

/** @typedef {Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>} KeyStream */
/**
 * @typedef {object} KeyHandlers
 * @property {(key: string) => void} onKey
 * @property {() => void} onStop       the process is about to be stopped
 */
/**
 * @typedef {object} KeySystem   what a test replaces
 * @property {() => boolean} isInForeground
 * @property {(pid: number, signal: NodeJS.Signals) => void} kill
 */

/**
 * @param {KeyStream} stdin
 * @param {KeyHandlers} handlers
 * @param {KeySystem} [system]
 * @returns {{ listen: () => boolean, close: () => void }}   listen: whether keys are heard, and tries again where they are not: a process that is
 *   brought to the foreground is not always told
 */
export function openKeys(stdin, handlers, system = { isInForeground, kill: killProcess }) {
  let isOpen = false;
  const onData = (/** @type {Buffer | string} */ data) => {
    for (const key of String(data)) {
      const signal = SIGNALS[key];
      if (signal === undefined) handlers.onKey(key);
      else {
        if (signal === 'SIGQUIT') close();
        system.kill(0, signal);
      }
    }
  };
  const listen = () => {
    // In the background, a change of the terminal would stop this process.
    if (isOpen || !system.isInForeground()) return isOpen;
    isOpen = true;
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
    return isOpen;
  };
  const hush = () => {
    if (!isOpen) return;
    isOpen = false;
    stdin.off('data', onData);
    stdin.pause();
    try {
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  };
  const onStop = () => {
    hush();
    handlers.onStop();
    system.kill(process.pid, 'SIGSTOP');
  };
  const hasJobs = process.platform !== 'win32';
  if (hasJobs) process.on('SIGTSTP', onStop).on('SIGCONT', listen);
  const close = () => {
    if (hasJobs) process.off('SIGTSTP', onStop).off('SIGCONT', listen);
    hush();
  };
  listen();
  return { listen, close };
}

/** @param {number} pid   0: all of the group @param {NodeJS.Signals} signal */
function killProcess(pid, signal) {
  // Windows knows no such groups, and would end the process at once.
  if (process.platform === 'win32') process.emit(signal);
  else process.kill(pid, signal);
}

/** @returns {boolean} the terminal belongs to the group of this process; as good as unknown counts as no */
export function isInForeground() {
  if (process.platform === 'win32') return true;
  try {
    const [group, foreground] = process.platform === 'linux' ? readGroups() : askGroups();
    return group === foreground;
  } catch {
    return false;
  }
}

/** @returns {number[]} of this process, and of the foreground of its terminal. Source: proc(5), fields 5 and 8 */
function readGroups() {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [Number(fields[2]), Number(fields[5])];
}

/** @returns {number[]} the same */
function askGroups() {
  const args = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  const text = execFileSync('ps', args, { encoding: 'utf8', timeout: PS_DEADLINE_MS });
  return text.trim().split(/\s+/).map(Number);
}
