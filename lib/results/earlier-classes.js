// The classes of transports in results that were written before classes were noted in them. This list does not grow.

const NAMES = Object.freeze({
  pipe: ['pipe', 'stdio', 'fifo', 'command'],
  socket: ['unix', 'tcp', 'udp', 'websocket'],
  memory: ['shared-memory', 'file'],
  thread: ['threads-message', 'threads-shared'],
  brokerless: ['zeromq'],
  broker: ['redis-pubsub', 'redis-list', 'redis-streams', 'rabbitmq', 'nats', 'mqtt'],
  rpc: ['http', 'http2', 'https', 'grpc'],
});
const CLASSES = new Map(
  Object.entries(NAMES).flatMap(([className, names]) => names.map((name) => [name, className])),
);

/**
 * @param {string} transport
 * @returns {string} 'other' for one that was nobody's of the house
 */
export function earlierClassOf(transport) {
  return CLASSES.get(transport) ?? 'other';
}
