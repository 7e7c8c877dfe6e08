// The first words on a byte stream: a worker says the launch's token, the master welcomes it. Everybody else is a
// unauthenticated peer: bounded in bytes and time, counted, and turned away without harm. How the two meet is sockets.js' business.

import { BenchError } from '../errors.js';
import { isSameToken, joiningMs } from './admission.js';
import { encodeFrame, FrameError, FrameReader } from './framing.js';
import { StreamChannel } from './stream-channel.js';

/** @import { Channel, GuestContext, HostContext } from '../types/index.js' */
/** @import { Sink } from './stream-channel.js' */
/** @import { Socket } from 'node:net' */
/**
 * What is made of a stream on which the right words have come.
 * @typedef {(workerId: string, socket: Socket) => Channel | null} MakeChannel   null: turned away
 */

const HELLO_DEADLINE_MS = 2_000; // NATS gives as long for its AUTH (server/const.go: AUTH_TIMEOUT)
const HELLO_MAX_BYTES = 1_024;
const WELCOME = 'welcome';

/**
 * In the master: gives the host a channel when the right words come.
 * @param {Socket} source
 * @param {HostContext} host
 * @param {Socket} [sink]      where there is a stream for each direction
 * @param {MakeChannel} [makeChannel]
 */
export function acceptHandshake(
  source,
  host,
  sink = source,
  makeChannel = () => new StreamChannel(source, host, sink),
) {
  let isDecided = false;
  const turnAway = (/** @type {string} */ why) => {
    if (isDecided) return;
    isDecided = true;
    clearTimeout(deadline);
    source.destroy();
    sink.destroy();
    host.onRejected(why);
  };
  const deadline = setTimeout(() => turnAway('said nothing in time'), HELLO_DEADLINE_MS);
  const onData = (/** @type {Buffer} */ chunk) => {
    try {
      hello.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      turnAway('sent something that is no frame');
    }
  };
  const onError = () => turnAway('broke the connection');
  const onClose = () => turnAway('left without a word');
  const hello = new FrameReader({
    kind: 'text',
    maxBodyBytes: HELLO_MAX_BYTES,
    onFrame(/** @type {string} */ text) {
      const [token, workerId, ...rest] = text.split(' ');
      if (rest.length > 0 || workerId === undefined || !isSameToken(token, host.token)) {
        return turnAway('did not know the token');
      }
      if (isDecided) return;
      const channel = makeChannel(workerId, source);
      if (channel === null) return turnAway('said that it is a worker that cannot be');
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
 * In a worker: sends the token as soon as the stream is connected.
 * @param {Socket} source
 * @param {GuestContext} guest
 * @param {object} [parts]
 * @param {Sink} [parts.sink]                        where there is a stream for each direction
 * @param {() => Channel} [parts.makeChannel]        called when the master has welcomed us
 * @returns {Promise<Channel>} which begins to read when the core, which gets it in this turn, has its handlers in
 *                                   place. Rejects with BenchError TRANSPORT; the streams are destroyed then
 */
export function introduce(
  source,
  guest,
  { sink = source, makeChannel = () => new StreamChannel(source, guest, sink) } = {},
) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why, /** @type {unknown} */ cause) => {
      clearTimeout(deadline);
      source.destroy();
      sink.destroy();
      const what = `${guest.workerId} could not connect to the master`;
      reject(new BenchError('TRANSPORT', `${what}: ${why}`, { cause }));
    };
    const onError = (/** @type {Error} */ error) => fail(error.message, error);
    const onClose = () => fail('it disconnected before its welcome', undefined);
    const deadlineMs = joiningMs(guest);
    const late = `no welcome within ${deadlineMs} ms`;
    const deadline = setTimeout(() => fail(late, undefined), deadlineMs);
    const welcome = encodeFrame(WELCOME);
    let received = Buffer.alloc(0);
    const onData = (/** @type {Buffer} */ chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < welcome.length) return;
      if (!received.subarray(0, welcome.length).equals(welcome)) {
        return fail('it did not respond with a welcome', undefined);
      }
      source.pause();
      source.off('data', onData);
      for (const stream of [source, sink]) stream.off('error', onError).off('close', onClose);
      clearTimeout(deadline);
      // What came behind the welcome goes back into the stream, to be read once the core has its handlers in place.
      if (received.length > welcome.length) source.unshift(received.subarray(welcome.length));
      try {
        resolve(makeChannel());
      } catch (error) {
        return fail(/** @type {Error} */ (error).message, error);
      }
      source.pause(); // the channel's listener may have made it flow
      setImmediate(() => source.resume());
    };
    source.on('data', onData);
    for (const stream of [source, sink]) stream.on('error', onError).on('close', onClose);
    sink.write(encodeFrame(`${guest.token} ${guest.workerId}`));
  });
}
