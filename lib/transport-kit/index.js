// All that a transport may import from the house, also published as `ipc-bench/transport-kit`.

export { whyNotLoadable } from '../machine/package-check.js';
export { startGuarded } from '../processes/guarded-server.js';
export { joinByDatagrams, listenForDatagrams } from './datagram-joining.js';
export { GREATEST_DATAGRAM_BYTES } from './datagram-outlet.js';
export { adoptFork, joinFork } from './fork-channel.js';
export { MessageChannel } from './message-channel.js';
export { joinMaster, receiveWorkers } from './message-joining.js';
export { credentialsOf, joinToAsk, receiveAskers } from './presence.js';
export { bufferSettings } from './socket-buffers.js';
export { connectTo, listenOn, socketPath } from './sockets.js';
export { StreamChannel, streamSettings } from './stream-channel.js';
