// All that a transport may import from the house, also published as `ipc-bench/transport-kit`.

export { adoptFork, joinFork } from './fork-channel.js';
export { startGuarded } from './guarded-server.js';
export { MessageChannel } from './message-channel.js';
export { joinMaster, receiveWorkers } from './message-joining.js';
export { whyNotLoadable } from './package-check.js';
export { connectTo, listenOn, socketPath } from './sockets.js';
export { StreamChannel, streamSettings } from './stream-channel.js';
