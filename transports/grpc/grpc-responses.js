// The master's end of gRPC: a method that is called for each question, and one that is called once for a stream of them.
// Their messages are the wires themselves, without a .proto file.

import { createServer } from 'node:net';
import { asBuffer } from '../../lib/codecs/buffer-view.js';
import { ConnectionGuard } from '../../lib/transport/http/connection-guard.js';
import { listenForRequests } from '../../lib/transport/http/listen-at.js';
import { acceptRequesters } from '../../lib/transport/liveness.js';

/** @import { HostContext } from '../../lib/types/index.js' */
/** @import { Metadata } from '@grpc/grpc-js' */
/** @typedef {import('../../lib/transport/response-channel.js').ResponseChannel<any>} AnswerChannel */
/** @typedef {(wire: any) => void} Reply */

const PREFACE_BYTES = 24; // that each connection of HTTP/2 begins with: RFC 9113, 3.4

const asItIs = (/** @type {Buffer} */ bytes) => bytes;
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

/**
 * Of either end: the core has its own limit for messages, and a connection that came back inside a launch would hide
 * that it was lost.
 */
export const GRPC_OPTIONS = Object.freeze({
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
});

/** @param {HostContext} host @returns {Promise<import('../../lib/types/transports.js').Listener>} */
export async function respondOverGrpc(host) {
  const { Server, ServerCredentials, status } = await import('@grpc/grpc-js');
  const requesters = await acceptRequesters(host, (/** @type {Reply} */ reply, wire) => reply(wire));
  const channelOf = (/** @type {Metadata} */ metadata) =>
    requesters.channelOf(metadata.get('authorization').at(0)?.toString());
  const refused = { code: status.RESOURCE_EXHAUSTED, details: 'the message is empty or too large' };
  const unknown = { code: status.UNAUTHENTICATED, details: 'the token of the launch is missing' };
  const grpc = new Server(GRPC_OPTIONS);
  grpc.addService(METHODS, {
    /** @type {import('@grpc/grpc-js').handleUnaryCall<Buffer, any>} */
    unary(call, callback) {
      const channel = channelOf(call.metadata);
      if (channel === undefined) return callback(unknown);
      const reply = (/** @type {any} */ wire) => callback(null, wire);
      if (!channel.hear(/** @type {Buffer} */ (call.request), reply)) callback(refused);
    },
    /** @type {import('@grpc/grpc-js').handleBidiStreamingCall<Buffer, any>} */
    stream(call) {
      call.on('error', () => {}); // who asked has left: its presence tells
      const channel = channelOf(call.metadata);
      if (channel === undefined) return void call.emit('error', unknown);
      const reply = (/** @type {any} */ wire) => void call.write(wire);
      call.on('data', (/** @type {Buffer} */ bytes) => channel.hear(bytes, reply));
      call.on('end', () => call.end());
    },
  });
  // The server's own listening shows no sockets, so nobody could be turned away who says nothing.
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
