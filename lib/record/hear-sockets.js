// Hears local sockets: unix sockets, named pipes, and TCP within this host. Both directions are heard, since the other end may
// not be: what a socket writes is seen where Node.js hands it to the system, what it reads where it enters the stream.

import diagnostics from 'node:diagnostics_channel';
import net from 'node:net';
import { US_PER_MS } from '../format/units.js';
import {
  afterUpgrade,
  FrameReader,
  isHttp,
  LENGTH_PREFIXES,
  LineReader,
  openWebSocket,
  PROTOCOLS,
} from './framings.js';
import { now, replace } from './recorder.js';

/** @import { Framing, HeardLink, SocketMechanism, SocketPeer } from './heard-link.js' */
/** @import { ReadFrame } from './framings.js' */
/** @import { Recorder } from './recorder.js' */

/** @typedef {SocketPeer & { openedMs: number }} HeardSocket */
/** @typedef {{ free: HeardLink[], all: HeardLink[], next: number }} LinkPool   of the connections of an endpoint */

export const MOST_SOCKETS = 2_000;
const MOST_LINKS_OF_ENDPOINT = 32;
const MOST_HELD_BYTES = 2 ** 20;
const MOST_HELD_CHUNKS = 64;
const MOST_OPEN_COMMANDS = 10_000;
const UNORDERED = /SUBSCRIBE|MONITOR/;
const HEAD_BYTES = 16;

const { apply } = Reflect;
const { Socket } = net;
const parentOfSocket = Object.getPrototypeOf(Socket.prototype);

export class SocketEar {
  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.recorder = recorder;
    /** @type {HeardSocket[]} */
    this.list = [];
    /** @type {WeakMap<object, Connection | null>} null: not local */
    this.connections = new WeakMap();
    /** @type {WeakMap<object, { path?: string, openedMs: number }>} */
    this.opened = new WeakMap();
    /** @type {Map<string, LinkPool>} by mechanism and endpoint */
    this.pools = new Map();
    /** @type {WeakMap<HeardLink, LinkPool>} */
    this.poolOf = new WeakMap();
    /** @type {Set<Direction>} whose framing is not known yet */
    this.learning = new Set();
    recorder.endings.push(() => {
      for (const direction of this.learning) direction.settle(null);
    });
  }

  hear() {
    this.hearOpening();
    this.hearWrites();
    this.hearReads();
    const { connections, recorder } = this;
    replace(
      Socket.prototype,
      '_destroy',
      (destroy) =>
        function (...args) {
          recorder.guard(() => connections.get(this)?.close());
          return apply(destroy, this, args);
        },
    );
  }

  hearOpening() {
    const { opened, connections, recorder } = this;
    replace(
      Socket.prototype,
      'connect',
      (connect) =>
        function (...args) {
          recorder.guard(() => {
            opened.set(this, { path: pathIn(args), openedMs: now() });
            connections.delete(this); // it may be connected once more
          });
          return apply(connect, this, args);
        },
    );
    diagnostics.subscribe('net.server.socket', (message) =>
      recorder.guard(() => opened.set(/** @type {any} */ (message).socket, { openedMs: now() })),
    );
  }

  hearWrites() {
    const ear = this;
    replace(
      Socket.prototype,
      '_writeGeneric',
      (write) =>
        function (...args) {
          // What is written before there is a connection comes here once more.
          const connection = this.connecting ? null : ear.find(this);
          if (connection === null) return apply(write, this, args);
          const ms = now();
          const result = apply(write, this, args);
          const endMs = connection.out.isTimed() ? now() : 0;
          try {
            connection.wrote(args[0], args[1], args[2], ms, endMs);
          } catch (error) {
            ear.recorder.keepError(error);
          }
          return result;
        },
    );
  }

  hearReads() {
    const ear = this;
    const { push } = parentOfSocket;
    replace(
      Socket.prototype,
      'push',
      () =>
        function (...args) {
          const [chunk] = args;
          if (chunk !== null) {
            try {
              ear.find(this)?.read(chunk, now());
            } catch (error) {
              ear.recorder.keepError(error);
            }
          }
          return apply(push, this, args);
        },
    );
  }

  /** @param {any} socket @returns {Connection | null} null: it is not local, or no socket of two processes */
  find(socket) {
    const known = this.connections.get(socket);
    if (known !== undefined) return known;
    let connection = null;
    try {
      const facts = this.readPeer(socket);
      if (facts !== null) connection = new Connection(this, facts.peer, facts.mechanism);
    } catch (error) {
      this.recorder.keepError(error);
    }
    this.connections.set(socket, connection);
    return connection;
  }

  /** @param {any} socket @returns {{ peer: SocketPeer, mechanism: SocketMechanism } | null} */
  readPeer(socket) {
    const { server } = socket;
    const isServer = server !== undefined && server !== null;
    const opened = this.opened.get(socket);
    const openedMs = opened?.openedMs ?? now();
    const address = isServer && typeof server.address === 'function' ? server.address() : undefined;
    const path = opened?.path ?? (typeof address === 'string' ? address : undefined);
    /** @type {SocketPeer} */
    let peer;
    /** @type {SocketMechanism} */
    let mechanism;
    if (path !== undefined) {
      peer = { path, isServer, number: this.list.length };
      mechanism = path.startsWith('\\\\') ? 'named pipe' : 'unix';
    } else {
      const { remoteAddress, localAddress, localPort, remotePort } = socket;
      if (remoteAddress === undefined || localPort === undefined) return null;
      if (remoteAddress !== localAddress && !isLoopback(remoteAddress)) return null;
      peer = { tcp: [localPort, remotePort], isServer };
      mechanism = socket.encrypted ? 'TLS' : 'TCP';
    }
    if (this.list.length < MOST_SOCKETS) this.list.push({ ...peer, openedMs });
    return { peer, mechanism };
  }

  /**
   * @param {SocketPeer} peer
   * @param {SocketMechanism} mechanism
   * @param {boolean} isIncoming
   * @param {Framing} [framing]
   * @returns {HeardLink | null} of a connection that was closed, where there is one; null: there are too many
   */
  acquire(peer, mechanism, isIncoming, framing) {
    const key = JSON.stringify([mechanism, framing, isIncoming, endpointOf(peer)]);
    const pool = this.pools.get(key) ?? { free: [], all: [], next: 0 };
    this.pools.set(key, pool);
    const free = pool.free.pop();
    if (free !== undefined) return free;
    if (pool.all.length < MOST_LINKS_OF_ENDPOINT) {
      const link = this.recorder.addLink({
        mechanism,
        serialisation: 'json',
        peer,
        ...(framing && { framing }),
        ...(isIncoming && { isIncoming }),
      });
      if (link !== null) {
        pool.all.push(link);
        this.poolOf.set(link, pool);
      }
      if (link !== null || pool.all.length === 0) return link;
    }
    pool.next += 1;
    return pool.all[pool.next % pool.all.length];
  }

  /** @param {HeardLink | null} link */
  release(link) {
    if (link === null) return;
    const pool = this.poolOf.get(link);
    if (pool === undefined || pool.free.includes(link)) return;
    link.forgetOpen();
    pool.free.push(link);
  }
}

/** @param {SocketPeer} peer @returns {string} what the connections of an endpoint have in common */
export function endpointOf(peer) {
  const where = 'zeromq' in peer ? peer.zeromq : 'path' in peer ? peer.path : peer.tcp[peer.isServer ? 0 : 1];
  return `${peer.isServer ? 'at' : 'to'} ${where}`;
}

/** @param {any[]} args   of connect() @returns {string | undefined} */
function pathIn([first]) {
  const options = Array.isArray(first) ? first[0] : first;
  if (typeof options === 'object' && options !== null) {
    const found = Object.getOwnPropertyDescriptor(options, 'path')?.value;
    return typeof found === 'string' ? found : undefined;
  }
  return typeof options === 'string' && Number.isNaN(Number(options)) ? options : undefined;
}

/** @param {string} address */
function isLoopback(address) {
  return /^(?:::ffff:)?127\./.test(address) || address === '::1';
}

/** A local socket of this process. */
export class Connection {
  /** @param {SocketEar} ear @param {SocketPeer} peer @param {SocketMechanism} mechanism */
  constructor(ear, peer, mechanism) {
    this.ear = ear;
    this.peer = peer;
    this.mechanism = mechanism;
    this.carrier = mechanism;
    this.isHttp = false;
    /** @type {(() => ReadFrame) | null} of a protocol that was recognised */
    this.openReader = null;
    this.out = new Direction(this, false);
    this.in = new Direction(this, true);
    /** @type {{ out: HeardLink | null, in: HeardLink | null } | null} */
    this.http = null;
    /** @type {{ out: HeardLink | null, in: HeardLink | null } | null} of all connections of this process to its endpoint */
    this.clientHttp = null;
    /** @type {number[] | null} when those of Redis were sent that have no reply yet; null: they do not come in order */
    this.commands = null;
    this.httpWriteUs = 0;
    this.readBytes = 0;
  }

  /** @param {boolean} isMany @param {any} data @param {string} encoding @param {number} ms @param {number} endMs */
  wrote(isMany, data, encoding, ms, endMs) {
    if (!isMany) this.hear(this.out, data, encoding, ms);
    else for (const part of data) this.hear(this.out, part.chunk ?? part, part.encoding ?? 'buffer', ms);
    if (endMs === 0) this.out.ended = 0;
    else if (this.isHttp) this.httpWriteUs += (endMs - ms) * US_PER_MS;
    else this.out.took((endMs - ms) * US_PER_MS);
  }

  /** @param {any} chunk @param {number} ms */
  read(chunk, ms) {
    this.readBytes += chunk.length;
    this.hear(this.in, chunk, 'buffer', ms);
  }

  /** @param {Direction} direction @param {string | Uint8Array} data @param {string} encoding @param {number} ms */
  hear(direction, data, encoding, ms) {
    const chunk =
      typeof data === 'string' || Buffer.isBuffer(data)
        ? data
        : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (!this.isHttp) direction.hear(chunk, encoding, ms);
    if (!this.isHttp) return;
    const rest = afterUpgrade(chunk);
    if (rest === null) return;
    this.isHttp = false;
    this.recognise('WebSocket', openWebSocket);
    if (rest.length > 0) direction.hear(rest, 'buffer', ms);
  }

  /** The messages of HTTP are heard where its parser has them. */
  becomeHttp() {
    if (this.isHttp || this.openReader !== null) return;
    this.isHttp = true;
    for (const direction of [this.out, this.in]) direction.drop();
  }

  /** @param {SocketMechanism} mechanism @param {() => ReadFrame} openReader */
  recognise(mechanism, openReader) {
    this.mechanism = mechanism;
    this.openReader = openReader;
    if (mechanism === 'Redis' && !this.peer.isServer) this.commands = [];
    for (const direction of [this.out, this.in]) direction.settle(openReader());
  }

  /** @returns {{ out: HeardLink | null, in: HeardLink | null }} of its HTTP messages */
  httpLinks() {
    const mechanism = this.mechanism === 'TLS' ? 'HTTPS' : 'HTTP';
    this.http ??= {
      out: this.ear.acquire(this.peer, mechanism, false),
      in: this.ear.acquire(this.peer, mechanism, true),
    };
    return this.http;
  }

  /** Replies of Redis come in the order of commands, but for those to subscribers. @param {boolean} isReply @param {string | undefined} command @param {number} ms */
  pairCommands(isReply, command, ms) {
    const { commands, out } = this;
    if (commands === null) return;
    if (isReply) {
      const sentMs = commands.shift();
      if (sentMs !== undefined) out.link?.pairs.answered((ms - sentMs) * US_PER_MS);
    } else if (UNORDERED.test(command ?? '') || commands.length === MOST_OPEN_COMMANDS) this.commands = null;
    else {
      commands.push(ms);
      out.link?.pairs.asked(commands.length);
    }
  }

  /** @returns {number} that writing took since it was asked last */
  takeHttpUs() {
    const us = this.httpWriteUs;
    this.httpWriteUs = 0;
    return us;
  }

  close() {
    if (this.http) for (const link of [this.http.out, this.http.in]) this.ear.release(link);
    this.http = null;
    for (const direction of [this.out, this.in]) {
      direction.settle(null);
      this.ear.release(direction.link);
      direction.link = null;
    }
  }
}

/** What a socket sends, or what it receives. */
class Direction {
  /** @param {Connection} connection @param {boolean} isIncoming */
  constructor(connection, isIncoming) {
    this.connection = connection;
    this.isIncoming = isIncoming;
    this.isLearning = true;
    /** @type {{ bytes: Buffer, ms: number }[]} */
    this.held = [];
    this.heldBytes = 0;
    /** @type {FrameReader | LineReader | null} null: each write is a message */
    this.reader = null;
    /** @type {HeardLink | null} */
    this.link = null;
    this.ms = 0;
    this.ended = 0; // messages in the writes since the last one that was timed
    this.untimedUs = 0; // of writes without the end of a message
  }

  /** @returns {boolean} whether the next write is timed */
  isTimed() {
    return this.link?.isTimed() ?? true;
  }

  /** @param {number} us   the last write */
  took(us) {
    this.untimedUs += us;
    if (this.link === null || this.ended === 0) return;
    this.link.tookUs(this.untimedUs / this.ended);
    this.untimedUs = 0;
    this.ended = 0;
  }

  /** @param {string | Buffer} chunk @param {string} encoding @param {number} ms */
  hear(chunk, encoding, ms) {
    this.ms = ms;
    if (this.isLearning) return this.learn(toBytes(chunk, encoding), ms);
    const { reader } = this;
    if (reader === null) return this.hearWrite(chunk, encoding, ms);
    if (
      typeof chunk === 'string' &&
      reader instanceof LineReader &&
      encoding !== 'latin1' &&
      reader.feedText(chunk)
    )
      return;
    if (reader.feed(toBytes(chunk, encoding))) return;
    this.loseFraming();
    this.hearWrite(chunk, encoding, ms);
  }

  /** @param {string | Buffer} chunk @param {string} encoding @param {number} ms */
  hearWrite(chunk, encoding, ms) {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.byteLength(chunk, /** @type {BufferEncoding} */ (encoding))
        : chunk.length;
    this.ended += 1;
    this.link?.heard(bytes, 'bytes', null, ms);
  }

  /** @param {Buffer} bytes @param {number} ms */
  learn(bytes, ms) {
    const { connection } = this;
    if (this.held.length === 0) {
      if (isHttp(bytes)) return connection.becomeHttp();
      connection.ear.learning.add(this);
    }
    // The program may write into its buffer again.
    this.held.push({ bytes: this.isIncoming ? bytes : Buffer.from(bytes), ms });
    this.heldBytes += bytes.length;
    const head = this.held.length === 1 ? bytes : Buffer.concat(this.held.map((each) => each.bytes));
    const protocol = PROTOCOLS.find(({ begins }) => begins(head));
    if (protocol !== undefined) return connection.recognise(protocol.mechanism, protocol.open());
    const lines = looksLikeLines(head);
    if (lines === true) return this.settle('lines');
    const prefixes = LENGTH_PREFIXES.map((read) => looksFramed(head, read));
    const found = prefixes.indexOf(true);
    if (found !== -1) return this.settle(LENGTH_PREFIXES[found]);
    const mayStill =
      (lines === null || prefixes.includes(null) || head.length < HEAD_BYTES / 4) &&
      this.held.length < MOST_HELD_CHUNKS &&
      this.heldBytes < MOST_HELD_BYTES;
    if (!mayStill) this.settle(null);
  }

  /** @param {ReadFrame | 'lines' | null} read   null: no framing is known */
  settle(read) {
    if (!this.isLearning) return;
    const { connection, held } = this;
    const { ear, peer, mechanism, openReader } = connection;
    this.stopLearning();
    if (read === null && held.length === 0) return;
    const framing =
      openReader !== null
        ? undefined
        : read === 'lines'
          ? 'JSON lines'
          : read === null
            ? 'writes'
            : 'length prefix';
    this.link = ear.acquire(peer, mechanism, this.isIncoming, framing);
    this.join();
    const onMessage = (
      /** @type {number} */ size,
      /** @type {'text' | 'bytes' | 'value'} */ kind,
      /** @type {(() => string | Buffer) | null} */ readBody,
      /** @type {string | undefined} */ command,
    ) => {
      this.ended += 1;
      this.link?.heard(size, kind, readBody, this.ms);
      if (command !== undefined) this.link?.countCommand(command);
      if (connection.commands !== null) connection.pairCommands(this.isIncoming, command, this.ms);
    };
    if (read === 'lines') this.reader = new LineReader(onMessage);
    else if (read !== null) this.reader = new FrameReader(read, onMessage);
    for (const { bytes, ms } of held) this.hear(bytes, 'buffer', ms);
  }

  /** From here on, each write is a message. */
  loseFraming() {
    const { ear, peer, carrier } = this.connection;
    ear.release(this.link);
    this.reader = null;
    this.link = ear.acquire(peer, carrier, this.isIncoming, 'writes');
    this.connection.commands = null;
    this.join();
  }

  join() {
    const { out, in: incoming } = this.connection;
    if (out.link === null || incoming.link === null) return;
    out.link.partner = incoming.link;
    incoming.link.partner = out.link;
  }

  /** What was heard belongs to a protocol that is heard elsewhere. */
  drop() {
    this.stopLearning();
    this.isLearning = true;
    this.reader = null;
  }

  stopLearning() {
    this.isLearning = false;
    this.held = [];
    this.heldBytes = 0;
    this.connection.ear.learning.delete(this);
  }
}

/** @param {string | Buffer} chunk @param {string} encoding */
function toBytes(chunk, encoding) {
  return typeof chunk === 'string' ? Buffer.from(chunk, /** @type {BufferEncoding} */ (encoding)) : chunk;
}

/** @param {Buffer} head @returns {boolean | null} null: more is needed */
function looksLikeLines(head) {
  const first = head[0];
  if (first !== 0x7b && first !== 0x5b) return false;
  const end = head.indexOf(0x0a);
  if (end === -1) return null;
  try {
    JSON.parse(head.toString('utf8', 0, end));
    return true;
  } catch {
    return false;
  }
}

/** @param {Buffer} head @param {ReadFrame} read @returns {boolean | null} true: its frames end where it ends; null: more is needed */
function looksFramed(head, read) {
  let at = 0;
  while (at < head.length) {
    const frame = read(head, at);
    if (frame === undefined || frame?.bodyLength === 0) return false;
    if (frame === null) return null;
    at += frame.length;
  }
  return at === head.length ? true : null;
}
