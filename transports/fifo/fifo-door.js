// How a worker and the master meet over named pipes, which know no connections: the worker makes two pipes with a name
// of its own, opens them, says its hello into one, and writes their name into a third that all share, the door. Then
// the greeting is that of sockets.
//
// While it waits, the worker has both ends of both pipes open, so that each open of either side finds its counterpart
// and nobody sees an end that is none. Once it is welcome it closes the two that are not its own: from then on the death
// of one process is the end of a pipe for the other. The master unlinks the pipes as soon as it has them open.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '../../lib/children/launcher.js';
import { BenchError } from '../../lib/errors.js';
import { acceptHandshake, introduce } from '../../lib/transport/handshake.js';
import { StreamChannel } from '../../lib/transport/stream-channel.js';
import { withRollback } from '../../lib/transport/with-rollback.js';
import { BlockingChannel, BlockingSink } from './blocking-channel.js';

/** @import { GuestContext, HostContext } from '../../lib/types/index.js' */

/** @typedef {{ toMaster: string, toWorker: string }} Pair */

const NAME_BYTES = 8;
const NAME = /^[0-9a-f]{16}$/;

/** @param {string} folder @param {string} name */
function makePair(folder, name) {
  return { toMaster: join(folder, `${name}.to-master`), toWorker: join(folder, `${name}.to-worker`) };
}

/** @param {HostContext} host @returns {Promise<import('../../lib/types/transports.js').Listener>} */
export async function listenAtDoor(host) {
  const address = join(host.scratchDir, 'door');
  await makeFifos([address]);
  const door = openStream(openToRead(address), 'read');
  // An own writer keeps the door open when a worker that knocked has left.
  const holder = openToWrite(address);
  /** @type {Set<import('node:net').Socket>} */
  const streams = new Set();
  const admit = (/** @type {string} */ name) => {
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
  door.on('data', (chunk) => {
    const names = (rest + chunk.toString('latin1')).split('\n');
    rest = (names.pop() ?? '').slice(0, 2 * NAME_BYTES + 1); // more is no name, and stays none when it is cut
    for (const name of names.filter((each) => each !== '')) {
      try {
        if (NAME.test(name)) admit(name);
        else host.onRejected('knocked with something that is no name');
      } catch {
        host.onRejected('knocked, and was not there');
      }
    }
  });
  door.on('error', (error) => host.onError(error));
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    for (const stream of [door, ...streams]) stream.destroy();
    closeSync(holder);
    await rm(address, { force: true });
  };
  return { address, close };
}

/** @param {Pair} pair @returns {[source: import('node:net').Socket, sink: import('node:net').Socket]} of the master */
function openPair({ toMaster, toWorker }) {
  const source = openStream(openToRead(toMaster), 'read');
  try {
    return [source, openStream(openToWrite(toWorker), 'write')];
  } catch (error) {
    source.destroy();
    throw error;
  }
}

/** @param {Pair} pair */
async function unlinkPair({ toMaster, toWorker }) {
  for (const path of [toMaster, toWorker]) await rm(path, { force: true });
}

/** @param {GuestContext} guest */
export async function enterByDoor(guest) {
  const name = randomBytes(NAME_BYTES).toString('hex');
  const pair = makePair(dirname(guest.address), name);
  await makeFifos([pair.toMaster, pair.toWorker]);
  // Else the master unlinks them, when it has come so far.
  return withRollback(
    () => unlinkPair(pair),
    () => enter(guest, name, pair),
  );
}

/** @param {GuestContext} guest @param {string} name @param {Pair} pair */
async function enter(guest, name, { toMaster, toWorker }) {
  const source = openStream(openToRead(toWorker), 'read');
  const holders = [openToWrite(toWorker), openToRead(toMaster)];
  const isBlocking = guest.settings.blocking === true;
  const readerFd = isBlocking ? openSync(toWorker, constants.O_RDONLY) : null;
  const sink = isBlocking
    ? new BlockingSink(openSync(toMaster, constants.O_WRONLY))
    : openStream(openToWrite(toMaster), 'write');
  try {
    knock(guest.address, name);
    return await introduce(source, guest, {
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
function knock(address, name) {
  let door;
  try {
    door = openToWrite(address);
  } catch (cause) {
    throw new BenchError('TRANSPORT', `the master is not there: no process reads ${address}`, { cause });
  }
  // So short a text is written as a whole, even if others write too. Its first line break ends what an unauthenticated peer began.
  writeSync(door, `\n${name}\n`);
  closeSync(door);
}

// Named pipes: made by the program mkfifo, since Node has no call for it, and opened so that no open and no read blocks.

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
const MAKE_DEADLINE_MS = 5_000;

/** For this user only. @param {string[]} paths */
export async function makeFifos(paths) {
  const mkfifo = findOnPath('mkfifo') ?? 'mkfifo';
  try {
    await promisify(execFile)(mkfifo, ['-m', '600', ...paths], { timeout: MAKE_DEADLINE_MS });
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new BenchError('TRANSPORT', `no named pipes could be made: ${message}`, { cause });
  }
}

/** @param {string} path @returns {number} a descriptor; opening does not wait for a writer */
export function openToRead(path) {
  return openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
}

/** @param {string} path @returns {number} a descriptor; throws ENXIO when nobody has it open to read */
export function openToWrite(path) {
  return openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
}

/**
 * A Socket and no fs stream, whose reads would each keep a thread of libuv's pool, and there are four.
 * @param {number} fd     closed when it is no pipe
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
