// The handshake of a byte stream: a worker sends the token of the launch, and the master responds with a welcome. Any other peer is
// unauthenticated: limited in bytes and time, counted, and disconnected.

import { BenchError } from '../errors.js';
import { isSameToken, joiningMs } from './admission.js';
import { encodeFrame, FrameError, FrameReader } from './framing.js';
import { StreamChannel } from './stream-channel.js';

/** @import { Channel, GuestContext, HostContext } from '../types/index.js' */
/** @import { Sink } from './stream-channel.js' */
/** @import { Socket } from 'node:net' */
/**
 * @typedef {(workerId: string, socket: Socket) => Channel | null} MakeChannel   called after a valid token; null rejects the worker
 */

const HELLO_DEADLINE_MS = 2_000; // the same as AUTH_TIMEOUT of NATS (server/const.go)
const HELLO_MAX_BYTES = 1_024;
const WELCOME = 'welcome';

/**
 * Called in the master: passes a channel to the host after the handshake.
 * @param {Socket} source
 * @param {HostContext} host
 * @param {Socket} [sink]      set if each direction has a separate stream
 * @param {MakeChannel} [makeChannel]
 */
export function acceptHandshake(
  source,
  host,
  sink = source,
  makeChannel = () => new StreamChannel(source, host, sink),
) {
  let isDecided = false;
  /** @param {string} why */
  const reject = (why) => {
    if (isDecided) return;
    isDecided = true;
    clearTimeout(deadline);
    source.destroy();
    sink.destroy();
    host.onRejected(why);
  };
  const deadline = setTimeout(() => reject('sent no handshake in time'), HELLO_DEADLINE_MS);
  /** @param {Buffer} chunk */
  const onData = (chunk) => {
    try {
      hello.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      reject('sent something that is not a frame');
    }
  };
  const onError = () => reject('broke the connection');
  const onClose = () => reject('disconnected before the handshake');
  const hello = new FrameReader({
    kind: 'text',
    maxBodyBytes: HELLO_MAX_BYTES,
    onFrame(text) {
      const [token, workerId, ...rest] = text.split(' ');
      if (rest.length > 0 || workerId === undefined || !isSameToken(token, host.token)) {
        return reject('sent no valid token');
      }
      if (isDecided) return;
      const channel = makeChannel(workerId, source);
      if (channel === null) return reject('sent an invalid worker id');
      isDecided = true;
      clearTimeout(deadline);
      hello.stop();
      source.off('data', onData);
      for (const stream of [source, sink]) stream.off('error', onError).off('close', onClose);
      sink.write(encodeFrame(WELCOME));
      host.onChannel(channel, workerId);
    },
  });
  source.on('data', onData);
  for (const stream of [source, sink]) stream.on('error', onError).on('close', onClose);
}

/**
 * Called in a worker: sends the token of the launch and the worker's id, and waits for the welcome.
 * @param {Socket} source
 * @param {GuestContext} guest
 * @param {object} [parts]
 * @param {Sink} [parts.sink]                        set if each direction has a separate stream
 * @param {() => Channel} [parts.makeChannel]        called after the welcome
 * @returns {Promise<Channel>} a channel that starts to read once the core has set its handlers; on failure, the streams are
 *                                   destroyed, and the promise rejects with BenchError TRANSPORT
 */
export function sendHandshake(
  source,
  guest,
  { sink = source, makeChannel = () => new StreamChannel(source, guest, sink) } = {},
) {
  return new Promise((resolve, reject) => {
    /** @param {string} why @param {unknown} cause */
    const fail = (why, cause) => {
      clearTimeout(deadline);
      source.destroy();
      sink.destroy();
      const what = `${guest.workerId} could not connect to the master`;
      reject(new BenchError('TRANSPORT', `${what}: ${why}`, { cause }));
    };
    /** @param {Error} error */
    const onError = (error) => fail(error.message, error);
    const onClose = () => fail('it disconnected before its welcome', undefined);
    const deadlineMs = joiningMs(guest);
    const late = `no welcome within ${deadlineMs} ms`;
    const deadline = setTimeout(() => fail(late, undefined), deadlineMs);
    const welcome = encodeFrame(WELCOME);
    let received = Buffer.alloc(0);
    /** @param {Buffer} chunk */
    const onData = (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < welcome.length) return;
      if (!received.subarray(0, welcome.length).equals(welcome)) {
        return fail('it did not respond with a welcome', undefined);
      }
      source.pause();
      source.off('data', onData);
      for (const stream of [source, sink]) stream.off('error', onError).off('close', onClose);
      clearTimeout(deadline);
      // Data after the welcome is put back into the stream and read once the core has set its handlers.
      if (received.length > welcome.length) source.unshift(received.subarray(welcome.length));
      try {
        resolve(makeChannel());
      } catch (error) {
        return fail(/** @type {Error} */ (error).message, error);
      }
      source.pause(); // a listener of the channel may have resumed it
      setImmediate(() => source.resume());
    };
    source.on('data', onData);
    for (const stream of [source, sink]) stream.on('error', onError).on('close', onClose);
    sink.write(encodeFrame(`${guest.token} ${guest.workerId}`));
  });
}
