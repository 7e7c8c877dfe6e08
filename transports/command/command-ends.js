// The two ends of the transport `command`. The worker starts a process for each request and reads the response from its stdout. The
// process connects to the master.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { acceptRequesters, connectRequester } from '../../lib/channels/request-reply.js';
import { listenOn, socketPath } from '../../lib/channels/sockets.js';
import { BenchError } from '../../lib/errors.js';

/** @import { RequestChannel, RequestSender } from '../../lib/channels/request-reply.js' */
/** @import { Channel, GuestContext, HostContext, Listener } from '../../lib/types/index.js' */

const PROGRAM_PATH = fileURLToPath(new URL('command-program.js', import.meta.url));
const STDERR_CHARACTERS = 300;

/** @param {GuestContext} guest */
export function requestByCommand(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, (channel) => new Commands(guest, channel, at));
}

/** @implements {RequestSender} */
class Commands {
  /** @param {GuestContext} guest @param {RequestChannel} channel @param {string} at */
  constructor({ token, workerId, maxMessageBytes, settings }, channel, at) {
    this.channel = channel;
    this.isByArgument = settings.via === 'argv';
    this.atOnce = Number(settings.atOnce);
    // The environment carries the token, since all users of this machine can read the arguments of a process.
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
    this.send = this.send.bind(this);
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
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
    child.stdin?.on('error', () => {}); // the exit code reports a failure
    if (!this.isByArgument) child.stdin?.end(wire);
  }

  /** @param {Error} error @param {Buffer} stdout @param {string} stderr */
  failed(error, stdout, stderr) {
    if (!this.channel.isOpen) return; // a closed channel has its own reason, and kills its processes
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      return this.channel.breakOff(this.channel.sizeError(stdout.length, ' or more'));
    const how = stderr.trim().slice(0, STDERR_CHARACTERS) || code || 'without a word';
    this.channel.breakOff(new BenchError('TRANSPORT', `a command failed: ${how}`));
  }

  async release() {
    const ends = [...this.running].map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of this.running) child.kill('SIGKILL');
    await Promise.all(ends);
  }
}

/**
 * Called in the master: each program connects, sends one request, and ends.
 * @param {HostContext} host
 * @returns {Promise<Listener>}
 */
export async function respondToCommands(host) {
  const requesters = await acceptRequesters(host, (/** @type {Channel} */ command, wire) => {
    command.send(typeof wire === 'string' ? Buffer.from(wire) : wire);
  });
  const at = socketPath(host, 'questions.sock');
  const commands = await listenOn(
    { path: at },
    {
      ...host,
      settings: {},
      wireKind: 'bytes', // `channel.receive` decodes the requests
      onChannel(command, workerId) {
        command.onMessage = (bytes) => {
          const channel = requesters.channelOf(`${host.token} ${workerId}`);
          if (channel === undefined || !channel.receive(bytes, command)) command.close();
        };
        command.onClose = (reason) => {
          // This end reports only errors that it has found itself. After any other error the program fails, which the worker reports.
          const isOurs = reason instanceof BenchError;
          if (isOurs) requesters.channelOf(`${host.token} ${workerId}`)?.breakOff(reason);
        };
      },
    },
  );
  const close = async () => {
    await requesters.close();
    await commands.close();
  };
  return { address: JSON.stringify({ presence: requesters.address, at }), close };
}
