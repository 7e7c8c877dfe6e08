// A worker's end of gRPC: a call for each question, or one call whose stream carries them all.

import { BenchError } from '../../lib/errors.js';
import { joiningMs } from '../../lib/transport/joining-time.js';
import { connectRequester, encodeCredentials } from '../../lib/transport/liveness.js';
import { connectOptions } from '../../lib/transport/reach.js';
import { GRPC_OPTIONS, METHODS } from './grpc-responses.js';

/** @import { Asking, RequestChannel } from '../../lib/transport/request-channel.js' */
/** @import { GuestContext } from '../../lib/types/index.js' */
/** @import { Client, Metadata } from '@grpc/grpc-js' */

/** @param {GuestContext} guest */
export function requestOverGrpc(guest) {
  const { presence, at } = JSON.parse(guest.address);
  return connectRequester(guest, presence, async (channel) => {
    const { Client, credentials, Metadata } = await import('@grpc/grpc-js');
    const target = 'path' in connectOptions(at) ? `unix:${at}` : at;
    const client = new Client(target, credentials.createInsecure(), GRPC_OPTIONS);
    await connected(client, joiningMs(guest));
    const metadata = new Metadata();
    metadata.set('authorization', encodeCredentials(guest));
    return guest.settings.call === 'stream'
      ? askByStream(client, channel, metadata)
      : askByCalls(client, channel, metadata);
  });
}

/** @param {Client} client @param {number} deadlineMs */
function connected(client, deadlineMs) {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + deadlineMs, (error) => {
      if (error === undefined || error === null) return resolve(undefined);
      client.close();
      reject(new BenchError('TRANSPORT', `no gRPC server answered: ${error.message}`, { cause: error }));
    });
  });
}

/** @param {Client} client @param {RequestChannel} channel @param {Metadata} metadata @returns {Asking} */
function askByCalls(client, channel, metadata) {
  const { path, requestSerialize, responseDeserialize } = METHODS.unary;
  const failed = (/** @type {Error} */ error) => channel.fail(error);
  /** @type {Set<import('@grpc/grpc-js').ClientUnaryCall>} */
  const calls = new Set();
  return {
    ask(wire) {
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        wire,
        metadata,
        (error, answer) => {
          calls.delete(call);
          if (answer === undefined) failed(error ?? new Error('neither an answer nor an error'));
          else channel.deliver(answer, wire);
        },
      );
      calls.add(call);
    },
    release() {
      for (const call of calls) call.cancel(); // one that nobody answers would keep the process from ending
      client.close();
    },
  };
}

/** @param {Client} client @param {RequestChannel} channel @param {Metadata} metadata @returns {Asking} */
function askByStream(client, channel, metadata) {
  const { path, requestSerialize, responseDeserialize } = METHODS.stream;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  /** Answers come in the order of the questions. @type {(string | Uint8Array)[]} */
  const unanswered = [];
  stream.on('error', (/** @type {Error} */ error) => channel.fail(error));
  stream.on('data', (/** @type {Buffer} */ answer) => {
    const question = unanswered.shift();
    if (question !== undefined) channel.deliver(answer, question);
  });
  return {
    ask(wire) {
      unanswered.push(wire);
      stream.write(wire);
    },
    release() {
      stream.cancel();
      client.close();
    },
  };
}
