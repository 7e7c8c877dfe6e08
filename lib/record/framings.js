// Where messages begin and end in a stream of bytes: of protocols that begin in a way of their own, and of two framings that many
// programs use.

/**
 * The frame that begins at a place. `isMessage`: with it a message is complete; its size is `size`, or else the length of its body.
 * @typedef {{ length: number, bodyAt: number, bodyLength: number, isMessage: boolean, size?: number, isText?: boolean, isOpaque?: boolean, maskAt?: number, command?: string }} Frame
 */
/** @typedef {(bytes: Buffer, at: number) => Frame | null | undefined} ReadFrame   null: more bytes are needed; undefined: it is no frame */
/**
 * @typedef {object} Protocol
 * @property {import('./heard-link.js').SocketMechanism} mechanism
 * @property {(head: Buffer) => boolean} begins   as one of its ends begins
 * @property {() => () => ReadFrame} open         for a connection, and then for each of its directions
 */
/** @typedef {'text' | 'bytes' | 'value'} Kind   value: it begins as JSON does */
/** @typedef {(size: number, kind: Kind, readBody: (() => string | Buffer) | null, command?: string) => void} OnMessage */

const MOST_FRAME = 2 ** 31;
const MOST_PREFIXED = 2 ** 30; // four letters are more
const MOST_HELD = 65_536;
const MOST_BODY = 2 ** 20;
const MOST_NUMBERS = 24; // characters of them
const SPACE = 0x20;
const CR = 0x0d;
const LF = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Finds the frames of a stream in its chunks. */
export class FrameReader {
  /** @param {ReadFrame} read @param {OnMessage} onMessage */
  constructor(read, onMessage) {
    this.read = read;
    this.onMessage = onMessage;
    this.left = 0; // of the frame that an earlier chunk began
    this.held = EMPTY;
    /** @type {{ frame: Frame, parts: Buffer[] | null } | null} */
    this.pending = null;
  }

  /** @param {Buffer} chunk @returns {boolean} false: it is no sequence of frames */
  feed(chunk) {
    let bytes = chunk;
    let at = 0;
    if (this.left > 0) {
      at = Math.min(this.left, bytes.length);
      this.left -= at;
      this.pending?.parts?.push(bytes.subarray(0, at));
      if (this.left > 0) return true;
      this.complete();
    }
    if (this.held.length > 0) {
      bytes = Buffer.concat([this.held, bytes.subarray(at)]);
      at = 0;
      this.held = EMPTY;
    }
    while (at < bytes.length) {
      const frame = this.read(bytes, at);
      if (frame === undefined) return false;
      if (frame === null) {
        if (bytes.length - at > MOST_HELD) return false;
        this.held = Buffer.from(bytes.subarray(at));
        return true;
      }
      // The other end may send anything.
      if (frame.bodyLength < 0 || frame.length > MOST_FRAME) return false;
      const end = at + frame.length;
      if (end > bytes.length) {
        this.left = end - bytes.length;
        if (frame.isMessage)
          this.pending = { frame, parts: mayBeRead(frame, bytes, at) ? [bytes.subarray(at)] : null };
        return true;
      }
      if (frame.isMessage) this.emit(frame, bytes, at);
      at = end;
    }
    return true;
  }

  complete() {
    if (this.pending === null) return;
    const { frame, parts } = this.pending;
    this.pending = null;
    if (parts === null)
      this.onMessage(frame.size ?? frame.bodyLength, frame.isText ? 'text' : 'bytes', null, frame.command);
    else this.emit(frame, parts.length === 1 ? parts[0] : Buffer.concat(parts), 0);
  }

  /** @param {Frame} frame @param {Buffer} bytes @param {number} at */
  emit(frame, bytes, at) {
    const { bodyAt, bodyLength, maskAt, command } = frame;
    const size = frame.size ?? bodyLength;
    const kind = frame.isText ? 'text' : 'bytes';
    if (frame.isOpaque || bodyLength === 0) return this.onMessage(size, kind, null, command);
    const readBody = () => {
      const body = bytes.subarray(at + bodyAt, at + bodyAt + bodyLength);
      return maskAt === undefined ? body : unmasked(body, bytes.subarray(at + maskAt, at + maskAt + 4));
    };
    const jsonAt = findJson(bodyLength, byteOf(frame, bytes, at));
    if (jsonAt !== -1) return this.onMessage(size, 'value', () => readBody().subarray(jsonAt), command);
    return this.onMessage(size, kind, kind === 'text' ? readBody : null, command);
  }
}

/** @param {Frame} frame @param {Buffer} bytes @param {number} at @returns {boolean} its parts are worth keeping */
function mayBeRead(frame, bytes, at) {
  const { length, bodyAt, isOpaque, isText } = frame;
  if (isOpaque || length > MOST_BODY) return false;
  if (isText) return true;
  const left = bytes.length - at - bodyAt;
  return left <= MOST_NUMBERS || findJson(left, byteOf(frame, bytes, at)) !== -1;
}

/** @param {Frame} frame @param {Buffer} bytes @param {number} at @returns {(place: number) => number} a byte of its body */
function byteOf({ bodyAt, maskAt }, bytes, at) {
  return (place) =>
    bytes[at + bodyAt + place] ^ (maskAt === undefined ? 0 : bytes[at + maskAt + (place & 3)]);
}

/**
 * Where JSON begins in a body: at its beginning, or behind numbers, as in the packets of Socket.IO and in the replays of this program.
 * @param {number} length
 * @param {(place: number) => number} byteAt
 * @returns {number} -1: nowhere
 */
export function findJson(length, byteAt) {
  for (let place = 0; place < Math.min(length, MOST_NUMBERS); place += 1) {
    const byte = byteAt(place);
    if (isJsonStart(byte)) return place;
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (!isDigit && (byte !== SPACE || place === 0)) return -1;
  }
  return -1;
}

/** @param {number} code   of the first character */
export function isJsonStart(code) {
  return code === 0x7b || code === 0x5b;
}

/** @param {Buffer} body @param {Buffer} mask */
function unmasked(body, mask) {
  const plain = Buffer.allocUnsafe(body.length);
  for (let at = 0; at < body.length; at += 1) plain[at] = body[at] ^ mask[at & 3];
  return plain;
}

/** Finds lines, in texts as well. */
export class LineReader {
  /** @param {OnMessage} onMessage */
  constructor(onMessage) {
    this.onMessage = onMessage;
    /** @type {Buffer[]} */
    this.parts = [];
    this.pending = 0;
  }

  /** @param {string} text @returns {boolean} false: it is not one line, and has to be fed as bytes */
  feedText(text) {
    const end = text.length - 1;
    if (this.pending > 0 || text.charCodeAt(end) !== LF || text.indexOf('\n') !== end) return false;
    const kind = isJsonStart(text.charCodeAt(0)) ? 'value' : 'text';
    if (end > 0) this.onMessage(Buffer.byteLength(text) - 1, kind, () => text);
    return true;
  }

  /** @param {Buffer} bytes @returns {true} */
  feed(bytes) {
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(LF, at);
      if (end === -1) break;
      const size = this.pending + end - at;
      const { parts } = this;
      const line = bytes.subarray(at, end);
      if (size > 0)
        this.onMessage(
          size,
          isJsonStart((parts[0] ?? line)[0]) && size <= MOST_BODY ? 'value' : 'text',
          size > MOST_BODY ? null : () => (parts.length === 0 ? line : Buffer.concat([...parts, line])),
        );
      this.parts = [];
      this.pending = 0;
      at = end + 1;
    }
    if (at < bytes.length) {
      this.pending += bytes.length - at;
      if (this.pending <= MOST_BODY) this.parts.push(bytes.subarray(at));
    }
    return true;
  }
}

const WITHOUT_FLAG = 0x7fff_ffff;

/** @param {'readUInt32BE' | 'readUInt32LE'} readLength @param {number} [mask] @returns {ReadFrame} */
const lengthPrefix = (readLength, mask) => (bytes, at) => {
  if (bytes.length - at < 4) return null;
  const prefix = bytes[readLength](at);
  const bodyLength = mask === undefined ? prefix : prefix & mask;
  if (bodyLength > MOST_PREFIXED) return undefined;
  return { length: 4 + bodyLength, bodyAt: 4, bodyLength, isMessage: bodyLength > 0 };
};

/** Four bytes with the length of what follows. The highest bit is a flag of ASCII in the frames of this program, whose replays are heard. */
export const LENGTH_PREFIXES = [
  lengthPrefix('readUInt32BE'),
  lengthPrefix('readUInt32LE'),
  lengthPrefix('readUInt32BE', WITHOUT_FLAG),
];

/** @param {number} length @returns {Frame} one that is no message of the program */
const control = (length) => ({ length, bodyAt: 0, bodyLength: 0, isMessage: false });

// Redis: the serialisation protocol, versions 2 and 3. A message is a command, or a reply, of several frames.

const AGGREGATES = new Map([...'*~>'].map((type) => [type.charCodeAt(0), 1]));
AGGREGATES.set('%'.charCodeAt(0), 2);
const BLOBS = new Set([...'$=!'].map((type) => type.charCodeAt(0)));
const SIMPLE = new Set([...'+-:_#,('].map((type) => type.charCodeAt(0)));
// MESSAGE is the first word of what is delivered to a subscriber.
const COMMANDS =
  /^([PS]?SUBSCRIBE|MONITOR|S?PUBLISH|[PS]?MESSAGE|[LR]PUSHX?|B?[LR]POP|B?LMOVE|B?RPOPLPUSH|B?LMPOP|XADD|XREAD|XREADGROUP|XACK)$/i;

/** @returns {ReadFrame} */
function openRedis() {
  let left = 0;
  let size = 0;
  let isFirst = false;
  /** @type {string | undefined} */
  let command;
  return (bytes, at) => {
    const end = bytes.indexOf(CR, at + 1);
    if (end === -1 || end + 1 >= bytes.length) return null;
    const type = bytes[at];
    let length = end + 2 - at;
    const factor = AGGREGATES.get(type);
    let items = 0;
    if (factor !== undefined || BLOBS.has(type)) {
      const number = Number(bytes.toString('latin1', at + 1, end));
      if (!Number.isInteger(number)) return undefined;
      if (factor !== undefined) items = Math.max(0, number * factor);
      else if (number >= 0) length += number + 2;
    } else if (!SIMPLE.has(type)) return undefined;
    if (isFirst) command = commandIn(bytes, end + 2, length - (end + 2 - at) - 2);
    isFirst = left === 0 && items > 0;
    left += items - (left > 0 ? 1 : 0);
    size += length;
    if (left > 0) return control(length);
    const message = { length, bodyAt: 0, bodyLength: 0, isMessage: true, size, isText: true, command };
    size = 0;
    command = undefined;
    return message;
  };
}

/** @param {Buffer} bytes @param {number} at @param {number} length @returns {string | undefined} the name of a command of queues or of publish/subscribe, or of a delivery */
function commandIn(bytes, at, length) {
  if (length < 4 || length > 10 || at + length > bytes.length) return undefined;
  const word = bytes.toString('latin1', at, at + length);
  return COMMANDS.test(word) ? word.toUpperCase() : undefined;
}

// WebSocket: RFC 6455, section 5.2.

const FIRST_CONTROL = 8;

/** @returns {ReadFrame} */
export function openWebSocket() {
  let size = 0;
  let isText = false;
  return (bytes, at) => {
    if (bytes.length - at < 2) return null;
    const opcode = bytes[at] & 0x0f;
    const isLast = (bytes[at] & 0x80) !== 0;
    const isCompressed = (bytes[at] & 0x40) !== 0;
    const isMasked = (bytes[at + 1] & 0x80) !== 0;
    let bodyLength = bytes[at + 1] & 0x7f;
    let bodyAt = 2;
    if (bodyLength === 126) {
      if (bytes.length - at < 4) return null;
      bodyLength = bytes.readUInt16BE(at + 2);
      bodyAt = 4;
    } else if (bodyLength === 127) {
      if (bytes.length - at < 10) return null;
      bodyLength = Number(bytes.readBigUInt64BE(at + 2));
      bodyAt = 10;
    }
    const maskAt = isMasked ? bodyAt : undefined;
    if (isMasked) {
      bodyAt += 4;
      if (bytes.length - at < bodyAt) return null;
    }
    if (bodyLength > MOST_FRAME) return undefined;
    const length = bodyAt + bodyLength;
    if (opcode >= FIRST_CONTROL) return control(length);
    const isWhole = opcode !== 0 && isLast;
    if (opcode !== 0) {
      size = 0;
      isText = opcode === 1;
    }
    size += bodyLength;
    return {
      length,
      bodyAt,
      bodyLength,
      isMessage: isLast,
      size,
      isText,
      isOpaque: !isWhole || isCompressed,
      maskAt,
    };
  };
}

// MQTT 3.1.1 and 5. A message is a PUBLISH packet, its size that of the payload.

const CONNECT = 1;
const PUBLISH = 3;
const MQTT_5 = 5;

/** @returns {() => ReadFrame} */
function openMqtt() {
  let version = 4; // both directions have it of CONNECT
  return () => (bytes, at) => {
    const remaining = readVarint(bytes, at + 1);
    if (remaining === null) return null;
    const headerLength = 1 + remaining.bytes;
    const length = headerLength + remaining.value;
    const type = bytes[at] >> 4;
    const left = bytes.length - at - headerLength;
    if (type === 0 || length > MOST_FRAME) return undefined;
    if (type === CONNECT) {
      if (left < Math.min(7, remaining.value)) return null;
      version = bytes[at + headerLength + 6];
    }
    if (type !== PUBLISH) return control(length);
    if (left < 2) return null;
    const qosBytes = (bytes[at] & 0x06) === 0 ? 0 : 2;
    let bodyAt = headerLength + 2 + bytes.readUInt16BE(at + headerLength) + qosBytes;
    if (version === MQTT_5) {
      const properties = readVarint(bytes, at + bodyAt);
      if (properties === null) return null;
      bodyAt += properties.bytes + properties.value;
    }
    return { length, bodyAt, bodyLength: Math.max(0, length - bodyAt), isMessage: true };
  };
}

/** @param {Buffer} bytes @param {number} at @returns {{ value: number, bytes: number } | null} null: more bytes are needed */
function readVarint(bytes, at) {
  let value = 0;
  for (let place = 0; place < 4; place += 1) {
    if (at + place >= bytes.length) return null;
    value += (bytes[at + place] & 0x7f) * 128 ** place;
    if (bytes[at + place] < 128) return { value, bytes: place + 1 };
  }
  return { value: MOST_FRAME, bytes: 4 };
}

// AMQP 0-9-1. A message is complete with the last frame of its body.

const AMQP_HEADER = 'AMQP';
const HEADER_FRAME = 2;
const BODY_FRAME = 3;

/** @returns {ReadFrame} */
function openAmqp() {
  /** @type {Map<number, { left: number, size: number }>} by channel */
  const open = new Map();
  return (bytes, at) => {
    if (bytes.length - at < 8) return null;
    if (bytes.toString('latin1', at, at + 4) === AMQP_HEADER) return control(8);
    const type = bytes[at];
    const channel = bytes.readUInt16BE(at + 1);
    const bodyLength = bytes.readUInt32BE(at + 3);
    const length = 7 + bodyLength + 1;
    if (type === 0 || type > 8 || bodyLength > MOST_FRAME) return undefined;
    if (type === HEADER_FRAME) {
      if (bytes.length - at < 19) return null;
      const size = Number(bytes.readBigUInt64BE(at + 11));
      if (size > 0) open.set(channel, { left: size, size });
      return { ...control(length), isMessage: size === 0, size };
    }
    const message = open.get(channel);
    if (type !== BODY_FRAME || message === undefined) return control(length);
    message.left -= bodyLength;
    if (message.left > 0) return control(length);
    open.delete(channel);
    return {
      length,
      bodyAt: 7,
      bodyLength,
      isMessage: true,
      size: message.size,
      isOpaque: message.size !== bodyLength,
    };
  };
}

// NATS: lines, some of which have a payload behind them.

const LONGEST_LINE = 65_536;

/** @type {ReadFrame} */
const readNats = (bytes, at) => {
  const end = bytes.indexOf(LF, at);
  if (end === -1) return bytes.length - at > LONGEST_LINE ? undefined : null;
  const lineLength = end + 1 - at;
  const verb = bytes.toString('latin1', at, at + 5).toUpperCase();
  const hasHeaders = verb.startsWith('HPUB ') || verb.startsWith('HMSG ');
  if (!hasHeaders && !verb.startsWith('PUB ') && !verb.startsWith('MSG ')) return control(lineLength);
  const words = bytes.toString('latin1', at, end).trim().split(/\s+/);
  const total = Number(words.at(-1));
  const headers = hasHeaders ? Number(words.at(-2)) : 0;
  if (!Number.isInteger(total) || !Number.isInteger(headers)) return undefined;
  return {
    length: lineLength + total + 2,
    bodyAt: lineLength + headers,
    bodyLength: total - headers,
    isMessage: true,
  };
};

/** @param {Buffer} head @param {number} length */
const startOf = (head, length) => head.toString('latin1', 0, Math.min(length, head.length));

/** @param {string} text @returns {(head: Buffer) => boolean} */
const beginsWith = (text) => (head) => startOf(head, text.length) === text;

/** @type {readonly Protocol[]} */
export const PROTOCOLS = [
  {
    mechanism: 'Redis',
    begins: (head) => /^\*\d+\r\n\$\d+\r\n/.test(startOf(head, 32)),
    open: () => openRedis,
  },
  {
    mechanism: 'MQTT',
    begins: (head) => head[0] === 0x10 && startOf(head, 11).includes('\u0004MQTT'),
    open: openMqtt,
  },
  { mechanism: 'AMQP', begins: beginsWith('AMQP\0'), open: () => openAmqp },
  { mechanism: 'NATS', begins: beginsWith('INFO {'), open: () => () => readNats },
];

const HTTP = /^(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) \S|HTTP\/1\.)/;
const UPGRADED = 'HTTP/1.1 101';

/** @param {Buffer} head @returns {boolean} of a request or a response */
export function isHttp(head) {
  return HTTP.test(startOf(head, 16));
}

/** @param {string | Buffer} chunk @returns {Buffer | null} what follows the response that makes an HTTP connection one of WebSocket */
export function afterUpgrade(chunk) {
  const start = typeof chunk === 'string' ? chunk.slice(0, UPGRADED.length) : startOf(chunk, UPGRADED.length);
  if (start !== UPGRADED) return null;
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1 || !/\r\nupgrade: *websocket/i.test(bytes.toString('latin1', 0, end))) return null;
  return bytes.subarray(end + 4);
}
