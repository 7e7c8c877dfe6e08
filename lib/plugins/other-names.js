// What people call transports, codecs and scenarios elsewhere: names of Node's modules, of npm packages, of mechanisms and of
// workloads. They are suggested where one of them is written, and never taken for the name itself.

/** @import { Kind } from './builtins.js' */

/** @type {Readonly<Partial<Record<Kind, Record<string, string[]>>>>} by kind: name → what else people call it, in small letters with hyphens */
const ELSEWHERE = {
  transport: {
    command: ['exec'],
    fifo: ['mkfifo', 'named-pipe', 'named-pipes'],
    http: ['fetch', 'rest'],
    http2: ['h2', 'http/2'],
    https: ['tls'],
    mqtt: ['mosquitto'],
    pipe: ['child-process', 'cluster', 'fork', 'ipc', 'process.send'],
    rabbitmq: ['amqp', 'amqplib', 'rmq'],
    'redis-list': ['ioredis', 'valkey'],
    'redis-pubsub': ['ioredis', 'pubsub', 'valkey'],
    'redis-streams': ['ioredis', 'valkey'],
    'shared-memory': ['mmap', 'shm'],
    stdio: ['spawn', 'stdin', 'stdout'],
    tcp: ['net', 'socket'],
    'threads-message': ['messagechannel', 'messageport', 'postmessage', 'thread', 'worker', 'worker-threads'],
    'threads-shared': ['atomics', 'sab', 'sharedarraybuffer', 'thread', 'worker', 'worker-threads'],
    udp: ['datagram', 'dgram'],
    unix: ['af-unix', 'domain-socket', 'ipc', 'net', 'socket', 'uds', 'unix-domain-socket', 'unix-socket'],
    websocket: ['socket', 'socket.io', 'ws'],
    zeromq: ['0mq', 'nng', 'zmq'],
  },
  codec: {
    binary: ['buffer', 'raw'],
    json: ['ndjson'],
    'json-schema': ['ajv', 'fast-json-stringify'],
    msgpack: ['messagepack', 'msgpackr'],
    protobuf: ['pb', 'proto', 'protobufjs', 'protocol-buffers'],
    string: ['plain', 'text'],
    v8: ['structured-clone', 'structuredclone'],
  },
  scenario: {
    connect: ['handshake', 'reconnect'],
    'fan-out': ['broadcast', 'pubsub'],
    'first-answer': ['cold', 'cold-start', 'startup'],
    queue: ['jobs', 'work-queue'],
    relay: ['proxy'],
    'round-trip': ['echo', 'ping-pong', 'pingpong', 'request-response', 'rpc'],
    stream: ['one-way', 'throughput'],
  },
};

/** @param {Kind} kind @returns {Record<string, string[]>} what people call them elsewhere → their names */
export function otherNames(kind) {
  /** @type {Record<string, string[]>} */
  const names = {};
  for (const [name, others] of Object.entries(ELSEWHERE[kind] ?? {})) {
    for (const other of others) names[other] = [...(names[other] ?? []), name];
  }
  return names;
}
