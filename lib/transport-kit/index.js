// The door of the kit, published as `ipc-bench/transport-kit`: what transports are made of. Each file of it is published
// by its own name as well, as `ipc-bench/transport-kit/framing`; so are those of lib/brokers, lib/rings, lib/http,
// lib/codec-kit and lib/scenario-kit. What a built-in imports, anybody can import.
//
// Built-ins import single files: through this one, every process of a launch would load twice as many modules.

export { BenchError } from '../errors.js';
export { whyNotLoadable } from '../machine/package-check.js';
export { startGuarded } from '../processes/guarded-server.js';
export { findOnPath } from '../processes/launcher.js';
export { redactText } from '../words/redact.js';
export { parsedUrl, socketPathOf } from '../words/socket-url.js';
export { AnswerChannel } from './answer-channel.js';
export { atMostOnce } from './at-most-once.js';
export { joinByDatagrams, listenForDatagrams } from './datagram-joining.js';
export { GREATEST_DATAGRAM_BYTES } from './datagram-outlet.js';
export { drainOf } from './drain-of.js';
export { adoptFork, forkSettings, joinFork } from './fork-channel.js';
export { greet, introduce } from './greeting.js';
export { isFurther } from './is-further.js';
export { joiningMs } from './joining-time.js';
export { MessageChannel } from './message-channel.js';
export { joinMaster, receiveWorkers } from './message-joining.js';
export { beginsLikeNote } from './note.js';
export { orUndo } from './or-undo.js';
export { credentialsOf, joinToAsk, receiveAskers } from './presence.js';
export { publishedTo } from './published-to.js';
export { QuestionChannel } from './question-channel.js';
export {
  bindAddressOf,
  hostAndPort,
  isLoopback,
  LOOPBACK,
  placeOf,
  reachOf,
  withoutBrackets,
} from './reach.js';
export { bufferSettings } from './socket-buffers.js';
export { connectTo, listenOn, socketPath } from './sockets.js';
export { StreamChannel, streamSettings } from './stream-channel.js';
export { coalescingOf, streamTraits } from './stream-traits.js';
export { givePort, takePort } from './thread-line.js';
export { isSameToken } from './token.js';
export { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from './window-bytes.js';
