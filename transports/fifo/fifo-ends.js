// Connects a worker and the master over named pipes, which have no connections: the worker creates two pipes with a random name, opens
// them, and writes their name into a third pipe that all workers share. The handshake of sockets follows.
//
// Before the welcome, the worker has both ends of both pipes open, so that no open() fails and no end reads an early EOF. After the
// welcome it closes the ends of the master: from then on, each process reads EOF when the other dies. The master unlinks the pipes as
// soon as it has opened them.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { acceptHandshake, sendHandshake } from '../../lib/channels/handshake.js';
import { StreamChannel } from '../../lib/channels/stream-channel.js';
import { withRollback } from '../../lib/channels/with-rollback.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { BenchError } from '../../lib/errors.js';
import { BlockingChannel, BlockingSink } from './blocking-channel.js';

/** @import { GuestContext, HostContext, Listener } from '../../lib/types/index.js' */

/** @typedef {{ toMaster: string, toWorker: string }} FifoPair */

const NAME_BYTES = 8;
const NAME = /^[0-9a-f]{16}$/;

/** @param {string} folder @param {string} name */
function makePair(folder, name) {
  return { toMaster: join(folder, `${name}.to-master`), toWorker: join(folder, `${name}.to-worker`) };
}

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function listenOverFifos(host) {
  const address = join(host.scratchDir, 'master.fifo');
  await makeFifos([address]);
  const listener = openStream(openToRead(address), 'read');
  // An open writer in this process prevents EOF when the last worker closes the pipe.
  const holder = openToWrite(address);
  /** @type {Set<import('node:net').Socket>} */
  const streams = new Set();
  /** @param {string} name */
  const admit = (name) => {
    const pair = makePair(host.scratchDir, name);
    const [source, sink] = openPair(pair);
    for (const stream of [source, sink]) {
      streams.add(stream);
      stream.on('close', () => streams.delete(stream));
    }
    unlinkPair(pair).catch((error) => host.onError(error));
    acceptHandshake(source, host, sink);
  };
  let rest = '';
  listener.on('data', (chunk) => {
    const names = (rest + chunk.toString('latin1')).split('\n');
    rest = (names.pop() ?? '').slice(0, 2 * NAME_BYTES + 1); // one character more than a name, which suffices to reject a longer line
    for (const name of names.filter((each) => each !== '')) {
      try {
        if (NAME.test(name)) admit(name);
        else host.onRejected('sent an invalid FIFO name');
      } catch {
        host.onRejected('sent a name whose FIFOs could not be opened');
      }
    }
  });
  listener.on('error', (error) => host.onError(error));
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    for (const stream of [listener, ...streams]) stream.destroy();
    closeSync(holder);
    await rm(address, { force: true });
  };
  return { address, close };
}

/** Opens the master's ends. @param {FifoPair} pair @returns {[source: import('node:net').Socket, sink: import('node:net').Socket]} */
function openPair({ toMaster, toWorker }) {
  const source = openStream(openToRead(toMaster), 'read');
  try {
    return [source, openStream(openToWrite(toWorker), 'write')];
  } catch (error) {
    source.destroy();
    throw error;
  }
}

/** @param {FifoPair} pair */
async function unlinkPair({ toMaster, toWorker }) {
  for (const path of [toMaster, toWorker]) await rm(path, { force: true });
}

/** @param {GuestContext} guest */
export async function connectOverFifos(guest) {
  const name = randomBytes(NAME_BYTES).toString('hex');
  const pair = makePair(dirname(guest.address), name);
  await makeFifos([pair.toMaster, pair.toWorker]);
  // On success, the master unlinks the pipes.
  return withRollback(
    () => unlinkPair(pair),
    () => connectPair(guest, name, pair),
  );
}

/** @param {GuestContext} guest @param {string} name @param {FifoPair} pair */
async function connectPair(guest, name, { toMaster, toWorker }) {
  const source = openStream(openToRead(toWorker), 'read');
  const holders = [openToWrite(toWorker), openToRead(toMaster)];
  const isBlocking = guest.settings.blocking === true;
  const readerFd = isBlocking ? openSync(toWorker, constants.O_RDONLY) : null;
  const sink = isBlocking
    ? new BlockingSink(openSync(toMaster, constants.O_WRONLY))
    : openStream(openToWrite(toMaster), 'write');
  try {
    sendName(guest.address, name);
    return await sendHandshake(source, guest, {
      sink,
      makeChannel: () =>
        readerFd === null
          ? new StreamChannel(source, guest, sink)
          : new BlockingChannel(source, guest, sink, readerFd),
    });
  } catch (error) {
    source.destroy();
    sink.destroy();
    if (readerFd !== null) closeSync(readerFd);
    throw error;
  } finally {
    for (const fd of holders) closeSync(fd);
  }
}

/** @param {string} address @param {string} name */
function sendName(address, name) {
  let listener;
  try {
    listener = openToWrite(address);
  } catch (cause) {
    throw new BenchError('TRANSPORT', `the master has ended: no process reads ${address}`, { cause });
  }
  // A write of this length is atomic. The first line break ends a line that an unauthenticated peer may have begun.
  writeSync(listener, `\n${name}\n`);
  closeSync(listener);
}

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
const MAKE_DEADLINE_MS = 5_000;

/** Creates named pipes that only this user can open. Runs the program mkfifo, since Node has no API for it. @param {string[]} paths */
export async function makeFifos(paths) {
  const mkfifo = findOnPath('mkfifo') ?? 'mkfifo';
  try {
    await promisify(execFile)(mkfifo, ['-m', '600', ...paths], { timeout: MAKE_DEADLINE_MS });
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new BenchError('TRANSPORT', `no named pipes could be made: ${message}`, { cause });
  }
}

/** Opens a pipe for reading without waiting for a writer. @param {string} path @returns {number} */
export function openToRead(path) {
  return openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
}

/** Opens a pipe for writing; throws ENXIO if no process has it open for reading. @param {string} path @returns {number} */
export function openToWrite(path) {
  return openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
}

/**
 * Opens a Socket, since each pending read of an fs stream occupies one of the four threads of libuv's pool.
 * @param {number} fd     closed on failure, for example if it is not a pipe
 * @param {'read' | 'write'} way
 */
export function openStream(fd, way) {
  try {
    return new Socket({ fd, readable: way === 'read', writable: way === 'write' });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
