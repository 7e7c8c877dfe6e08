// The two ends of gRPC, with a unary method and a method with a bidirectional stream of requests and responses. Their messages are the
// wires, without a .proto file.

import { createServer } from 'node:net';
import { connectOptions } from '../../lib/channels/addresses.js';
import { joiningMs } from '../../lib/channels/admission.js';
import { ConnectionGuard, listenForRequests } from '../../lib/channels/http/request-server.js';
import { acceptRequesters, connectRequester, encodeCredentials } from '../../lib/channels/request-reply.js';
import { asBuffer } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';

/** @import { GuestContext, HostContext, Listener } from '../../lib/types/index.js' */
/** @import { Client, Metadata } from '@grpc/grpc-js' */
/** @import { RequestChannel, RequestSender, ResponseChannel } from '../../lib/channels/request-reply.js' */

/** @typedef {ResponseChannel<any>} AnswerChannel */
/** @typedef {(wire: any) => void} Reply */

const PREFACE_BYTES = 24; // at the beginning of each HTTP/2 connection: RFC 9113, 3.4

/** @param {Buffer} bytes */
const asItIs = (bytes) => bytes;
const MESSAGES = {
  requestSerialize: asBuffer,
  requestDeserialize: asItIs,
  responseSerialize: asBuffer,
  responseDeserialize: asItIs,
};
export const METHODS = {
  unary: { path: '/ipcbench.Exchange/Ask', requestStream: false, responseStream: false, ...MESSAGES },
  stream: { path: '/ipcbench.Exchange/AskAll', requestStream: true, responseStream: true, ...MESSAGES },
};

/** Options of both ends. The channels limit the size of messages, and a retried call would hide the loss of a connection. */
export const GRPC_OPTIONS = Object.freeze({
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0, // variables such as http_proxy would send a loopback connection through a proxy
});

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function respondOverGrpc(host) {
  const { Server, ServerCredentials, ServerInterceptingCall, status } = await import('@grpc/grpc-js');
  const requesters = await acceptRequesters(host, (/** @type {Reply} */ reply, wire) => reply(wire));
  const refused = { code: status.RESOURCE_EXHAUSTED, details: 'the message is empty or too large' };
  const unknown = { code: status.UNAUTHENTICATED, details: 'the token of the launch is missing' };
  /** Channels of authenticated calls. @type {WeakMap<Metadata, AnswerChannel>} */
  const channels = new WeakMap();
  /** @param {{ metadata: Metadata }} call */
  const channelOf = ({ metadata }) => /** @type {AnswerChannel} */ (channels.get(metadata));
  // Called before the body is read: the handler of a unary call gets the metadata with the whole message, whose size is not limited.
  /** @type {import('@grpc/grpc-js').ServerInterceptor} */
  const authenticate = (_descriptor, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, receive) {
            const channel = requesters.channelOf(metadata.get('authorization').at(0)?.toString());
            if (channel === undefined) return call.sendStatus(unknown);
            channels.set(metadata, channel);
            receive(metadata);
          },
        }),
    });
  const grpc = new Server({ ...GRPC_OPTIONS, interceptors: [authenticate] });
  grpc.addService(METHODS, {
    /** @type {import('@grpc/grpc-js').handleUnaryCall<Buffer, any>} */
    unary(call, callback) {
      /** @type {Reply} */
      const reply = (wire) => callback(null, wire);
      if (!channelOf(call).receive(/** @type {Buffer} */ (call.request), reply)) callback(refused);
    },
    /** @type {import('@grpc/grpc-js').handleBidiStreamingCall<Buffer, any>} */
    stream(call) {
      call.on('error', () => {}); // the presence reports the disconnection
      const channel = channelOf(call);
      /** @type {Reply} */
      const reply = (wire) => void call.write(wire);
      call.on('data', (/** @type {Buffer} */ bytes) => channel.receive(bytes, reply));
      call.on('end', () => call.end());
    },
  });
  // The listener of the library gives no access to its sockets, so silent connections could not be cut.
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const guard = new ConnectionGuard(host);
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    guard.watch(socket, () => socket.bytesRead >= PREFACE_BYTES);
    injector.injectConnection(socket);
  });
  const hangUp = () => {
    guard.close();
    injector.destroy();
    grpc.forceShutdown();
  };
  return listenForRequests(host, server, { requesters, hangUp });
}

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
      ? requestByStream(client, channel, metadata)
      : requestByCalls(client, channel, metadata);
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

/** @param {Client} client @param {RequestChannel} channel @param {Metadata} metadata @returns {RequestSender} */
function requestByCalls(client, channel, metadata) {
  const { path, requestSerialize, responseDeserialize } = METHODS.unary;
  /** @param {Error} error */
  const failed = (error) => channel.fail(error);
  /** @type {Set<import('@grpc/grpc-js').ClientUnaryCall>} */
  const calls = new Set();
  return {
    send(wire) {
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        wire,
        metadata,
        (error, response) => {
          calls.delete(call);
          if (response === undefined) failed(error ?? new Error('neither an answer nor an error'));
          else channel.deliver(response, wire);
        },
      );
      calls.add(call);
    },
    release() {
      for (const call of calls) call.cancel(); // an open call would keep the process alive
      client.close();
    },
  };
}

/** @param {Client} client @param {RequestChannel} channel @param {Metadata} metadata @returns {RequestSender} */
function requestByStream(client, channel, metadata) {
  const { path, requestSerialize, responseDeserialize } = METHODS.stream;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  /** Responses arrive in the order of the requests. @type {(string | Uint8Array)[]} */
  const pendingRequests = [];
  stream.on('error', (/** @type {Error} */ error) => channel.fail(error));
  stream.on('data', (/** @type {Buffer} */ response) => {
    const request = pendingRequests.shift();
    if (request !== undefined) channel.deliver(response, request);
  });
  return {
    send(wire) {
      pendingRequests.push(wire);
      stream.write(wire);
    },
    release() {
      stream.cancel();
      client.close();
    },
  };
}
