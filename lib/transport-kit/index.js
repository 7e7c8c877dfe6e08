// All that a transport may import from the house, also published as `ipc-bench/transport-kit`.

export { joinByDatagrams, listenForDatagrams } from './datagram-joining.js';
export { GREATEST_DATAGRAM_BYTES } from './datagram-outlet.js';
export { adoptFork, joinFork } from './fork-channel.js';
export { startGuarded } from './guarded-server.js';
export { MessageChannel } from './message-channel.js';
export { joinMaster, receiveWorkers } from './message-joining.js';
export { whyNotLoadable } from './package-check.js';
export { credentialsOf, joinToAsk, receiveAskers } from './presence.js';
export { bufferSettings } from './socket-buffers.js';
export { connectTo, listenOn, socketPath } from './sockets.js';
export { StreamChannel, streamSettings } from './stream-channel.js';
