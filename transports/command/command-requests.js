// A worker's end of a command line: starts a process for each question, and takes what it prints for the answer.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../../lib/errors.js';
import { connectRequester } from '../../lib/transport/liveness.js';

/** @import { Asking, RequestChannel } from '../../lib/transport/request-channel.js' */
/** @import { GuestContext } from '../../lib/types/index.js' */

const PROGRAM_PATH = fileURLToPath(new URL('command-program.js', import.meta.url));
const STDERR_CHARACTERS = 300;

/** @param {GuestContext} guest */
export function requestByCommand(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, (channel) => new Commands(guest, channel, at));
}

/** @implements {Asking} */
class Commands {
  /** @param {GuestContext} guest @param {RequestChannel} channel @param {string} at */
  constructor({ token, workerId, maxMessageBytes, settings }, channel, at) {
    this.channel = channel;
    this.isByArgument = settings.via === 'argv';
    this.atOnce = Number(settings.atOnce);
    // Not among the arguments, which everybody on this machine may read.
    const identity = JSON.stringify({ at, token, workerId, maxMessageBytes });
    this.options = /** @type {const} */ ({
      encoding: 'buffer',
      maxBuffer: maxMessageBytes + 1,
      env: { ...process.env, IPC_BENCH_COMMAND: identity },
      windowsHide: true,
    });
    /** @type {Set<import('node:child_process').ChildProcess>} */
    this.running = new Set();
    /** @type {(string | Uint8Array)[]} */
    this.waiting = [];
    this.ask = this.ask.bind(this);
  }

  /** @param {string | Uint8Array} wire */
  ask(wire) {
    if (this.running.size < this.atOnce) this.start(wire);
    else this.waiting.push(wire);
  }

  /** @param {string | Uint8Array} wire */
  start(wire) {
    const words = this.isByArgument ? [Buffer.from(wire).toString('base64url')] : [];
    const child = execFile(
      process.execPath,
      [PROGRAM_PATH, ...words],
      this.options,
      (error, stdout, stderr) => {
        this.running.delete(child);
        const next = this.waiting.shift();
        if (next !== undefined && this.channel.isOpen) this.start(next);
        if (error === null) this.channel.deliver(stdout, wire);
        else this.failed(error, stdout, String(stderr));
      },
    );
    this.running.add(child);
    child.stdin?.on('error', () => {}); // its exit tells
    if (!this.isByArgument) child.stdin?.end(wire);
  }

  /** @param {Error} error @param {Buffer} stdout @param {string} stderr */
  failed(error, stdout, stderr) {
    if (!this.channel.isOpen) return; // the channel is closing, and that was reported already
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      return this.channel.breakOff(this.channel.misfit(stdout.length, ' or more'));
    const how = stderr.trim().slice(0, STDERR_CHARACTERS) || code || 'without a word';
    this.channel.breakOff(new BenchError('TRANSPORT', `a command failed: ${how}`));
  }

  async release() {
    const ends = [...this.running].map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of this.running) child.kill('SIGKILL');
    await Promise.all(ends);
  }
}
