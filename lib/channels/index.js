// Published as `ipc-bench/transport`: the common parts of transports. Each file of this folder is published under its own name too, such
// as `ipc-bench/transport/framing` or `ipc-bench/transport/brokers/redis-queues`.
//
// Built-in transports import single files: with this one, every process of a launch would load twice as many modules.

export { startGuarded } from '../children/guarded-server.js';
export { findOnPath } from '../children/launcher.js';
export { withDeadline } from '../children/with-deadline.js';
export { BenchError } from '../errors.js';
export { redactText } from '../format/redact.js';
export { parsedUrl, parseSocketPath } from '../format/socket-url.js';
export { packageProblem } from '../machine/packages.js';
export {
  bindAddressOf,
  connectOptions,
  hostAndPort,
  isLoopback,
  LOOPBACK,
  withoutBrackets,
} from './addresses.js';
export { isFurther, isSameToken, joiningMs } from './admission.js';
export {
  BaseChannel,
  CLOSE_DEADLINE_MS,
  MESSAGE_OVERHEAD_BYTES,
  WINDOW_BYTES,
  waitForDrain,
} from './base-channel.js';
export { brokerTraits, netSetting } from './brokers/broker-transport.js';
export { redisTraits } from './brokers/redis-broker.js';
export {
  joinByDatagrams,
  listenForDatagrams,
  MAX_DATAGRAM_BYTES,
} from './datagrams.js';
export { adoptFork, forkSettings, givePort, joinFork, takePort } from './fork-channel.js';
export { acceptHandshake, sendHandshake } from './handshake.js';
export {
  beginsLikeControlFrame,
  joinMaster,
  MAX_CONTROL_BYTES,
  MessageChannel,
  publishedTo,
  receiveWorkers,
} from './message-channel.js';
export * from './pools.js';
export {
  acceptRequesters,
  connectRequester,
  encodeCredentials,
  RequestChannel,
  ResponseChannel,
} from './request-reply.js';
export * from './shared-traits.js';
export { bufferSettings, buffersProblem } from './socket-buffers.js';
export { connectTo, listenOn, socketPath } from './sockets.js';
export { StreamChannel } from './stream-channel.js';
export { onlyOnce, withRollback } from './with-rollback.js';
