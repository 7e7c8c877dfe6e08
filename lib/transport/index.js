// Published as `ipc-bench/transport`: what transports are made of. Each file of this folder is published by its own name as well, as
// `ipc-bench/transport/framing` or `ipc-bench/transport/brokers/redis-queue`.
//
// Built-ins import single files: through this one, every process of a launch would load twice as many modules.

export { startGuarded } from '../children/guarded-server.js';
export { findOnPath } from '../children/launcher.js';
export { withDeadline } from '../children/with-deadline.js';
export { BenchError } from '../errors.js';
export { redactText } from '../format/redact.js';
export { parsedUrl, parseSocketPath } from '../format/socket-url.js';
export { packageProblem } from '../machine/packages.js';
export { BaseChannel, CLOSE_DEADLINE_MS } from './base-channel.js';
export { beginsLikeControlFrame } from './control-frame.js';
export { joinByDatagrams, listenForDatagrams } from './datagram-joining.js';
export { GREATEST_DATAGRAM_BYTES } from './datagram-send-queue.js';
export { adoptFork, forkSettings, joinFork } from './fork-channel.js';
export { acceptHandshake, introduce } from './handshake.js';
export { isFurther } from './is-further.js';
export { joiningMs } from './joining-time.js';
export { acceptRequesters, connectRequester, encodeCredentials } from './liveness.js';
export { MessageChannel } from './message-channel.js';
export { joinMaster, receiveWorkers } from './message-joining.js';
export { onlyOnce } from './once.js';
export { publishedTo } from './published-to.js';
export {
  bindAddressOf,
  connectOptions,
  hostAndPort,
  isLoopback,
  LOOPBACK,
  reachTraits,
  withoutBrackets,
} from './reach.js';
export { RequestChannel } from './request-channel.js';
export { ResponseChannel } from './response-channel.js';
export { bufferSettings } from './socket-buffers.js';
export { connectTo, listenOn, socketPath } from './sockets.js';
export { StreamChannel, streamSettings } from './stream-channel.js';
export { coalescingOf, streamTraits } from './stream-traits.js';
export { givePort, takePort } from './thread-port.js';
export { isSameToken } from './token.js';
export { waitForDrain } from './wait-for-drain.js';
export { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './window-bytes.js';
export { withRollback } from './with-rollback.js';
