// Reads single keys from a terminal. In raw mode the terminal sends no signal for Ctrl-C, Ctrl-Z and Ctrl-\, so this module
// sends these signals to the process group. Node restores the terminal when the process exits.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @type {Readonly<Record<string, NodeJS.Signals>>} */
const SIGNALS = { '\u0003': 'SIGINT', '\u001a': 'SIGTSTP', '\u001c': 'SIGQUIT' };
const PS_DEADLINE_MS = 1_000;

/**
 * @param {Pick<NodeJS.ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>} stdin
 * @param {{ onKey: (key: string) => void, onStop: () => void }} handlers   Ctrl-Z and Ctrl-\ call `onStop` before their signal
 * @param {{ isInForeground: () => boolean, kill: (signal: NodeJS.Signals) => void }} [system]
 * @returns {{ listen: () => boolean, close: () => void }} `listen` reads keys again after a stop, and
 *   returns false if it does not, because the process is in the background
 */
export function openKeys(stdin, { onKey, onStop }, system = { isInForeground, kill: killGroup }) {
  let isOpen = false;
  const onData = (/** @type {Buffer | string} */ data) => {
    for (const key of String(data)) {
      const signal = SIGNALS[key];
      if (signal === undefined) {
        onKey(key);
        continue;
      }
      // SIGINT ends the run, which then closes the keys.
      if (signal !== 'SIGINT') {
        close();
        onStop();
      }
      system.kill(signal);
    }
  };
  const listen = () => {
    // In the background, changing the terminal would stop this process.
    if (isOpen || !system.isInForeground()) return isOpen;
    isOpen = true;
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
    return true;
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    stdin.off('data', onData);
    stdin.pause();
    try {
      stdin.setRawMode(false);
    } catch {
      // The terminal no longer exists.
    }
  };
  listen();
  return { listen, close };
}

/** @param {NodeJS.Signals} signal */
function killGroup(signal) {
  // On Windows, process.kill() would end this process at once.
  if (process.platform === 'win32') process.emit(signal);
  else process.kill(0, signal);
}

/** @returns {boolean} False if it cannot be determined. */
export function isInForeground() {
  if (process.platform === 'win32') return true;
  try {
    const [group, foreground] = readProcessGroups();
    return group === foreground;
  } catch {
    return false;
  }
}

/** @returns {number[]} The process group, and the foreground group of the terminal. Source: proc(5), fields 5 and 8. */
function readProcessGroups() {
  if (process.platform === 'linux') {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [Number(fields[2]), Number(fields[5])];
  }
  const args = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  const text = execFileSync('ps', args, { encoding: 'utf8', timeout: PS_DEADLINE_MS });
  return text.trim().split(/\s+/).map(Number);
}
