// Seals the line between a controller and a worker on another host: AES-256-GCM over the frames of a channel. TLS with a pre-shared key
// would do the same, but Bun and Deno, in which a controller may run, have none.
//
// Both ends hold a key that came in their orders. Each says a nonce that it has drawn; from the key, both nonces and the id of the
// worker they derive a key for each direction, by HKDF. The nonce of a frame is its number. So a frame that was changed, left out,
// repeated, recorded earlier, or sent back to who sent it, is no valid next frame, and ends the line.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { BenchError } from '../../errors.js';

/** @import { Channel } from '../../types/index.js' */
/** @typedef {'controller' | 'agent'} End */
/** @typedef {Pick<Channel, 'send' | 'close' | 'onMessage' | 'onClose'>} Line */

const CIPHER = 'aes-256-gcm';
const HASH = 'sha256';
const KEY_BYTES = 32;
const SAID_BYTES = 32;
const IV_BYTES = 12;
const COUNTER_BYTES = 6; // of the IV, at its end: more frames than any launch has
const TAG_BYTES = 16;
const MEET_DEADLINE_MS = 20_000; // an agent stands still while it starts its workers, up to a second each on a crowded host
const NOTHING = Buffer.alloc(0);

/** @returns for all lines of one launch */
export function drawControlKey() {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** @param {string} lineKey @returns that a worker's agent greets the controller with: it keeps unauthenticated peers from the line, and proves nothing */
export function deriveGreeting(lineKey) {
  return derived(lineKey, NOTHING, 'greeting').toString('hex');
}

/** @param {string} lineKey @param {Uint8Array} salt @param {string} purpose @returns {Buffer} */
function derived(lineKey, salt, purpose) {
  const key = Buffer.from(lineKey, 'base64');
  if (key.length !== KEY_BYTES)
    throw new BenchError('HOST', 'the key of the control channel has the wrong length');
  return Buffer.from(hkdfSync(HASH, key, salt, `ipc-bench line: ${purpose}`, KEY_BYTES));
}

/** One direction of a line: seals the frames that go it, or opens those that come. */
class Direction {
  /** @param {Buffer} key */
  constructor(key) {
    this.key = key;
    this.iv = Buffer.alloc(IV_BYTES);
    this.frames = 0;
  }

  nextIv() {
    this.iv.writeUIntBE(this.frames, IV_BYTES - COUNTER_BYTES, COUNTER_BYTES);
    this.frames += 1;
    return this.iv;
  }

  /** @param {string} text @returns {Buffer} */
  seal(text) {
    const cipher = createCipheriv(CIPHER, this.key, this.nextIv(), { authTagLength: TAG_BYTES });
    const body = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([cipher.getAuthTag(), ...body]);
  }

  /** @param {Uint8Array} frame @returns null: it is not the next one of the other end */
  open(frame) {
    if (frame.length < TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.key, this.nextIv(), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(frame.subarray(0, TAG_BYTES));
    const body = decipher.update(frame.subarray(TAG_BYTES));
    try {
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}

/** @implements {Line} */
class SealedLine {
  /** @param {Channel} channel   that carries bytes @param {{ out: Direction, in: Direction }} directions */
  constructor(channel, { out, in: into }) {
    this.channel = channel;
    this.out = out;
    /** @type {(text: string) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    channel.onMessage = (/** @type {Uint8Array} */ frame) => {
      const text = into.open(frame);
      if (text === null) this.breakOff();
      else this.onMessage(text);
    };
    channel.onClose = (reason) => this.onClose(reason);
  }

  /** @param {string} text */
  send(text) {
    return this.channel.send(this.out.seal(text));
  }

  breakOff() {
    const why = 'a frame of its line was changed, left out or repeated on its way';
    this.channel.onMessage = () => {};
    this.channel.onClose = () => {};
    this.channel.close();
    this.onClose(new BenchError('PROTOCOL', why));
  }

  close() {
    return this.channel.close();
  }
}

/**
 * @param {Channel} channel   just made; it carries bytes
 * @param {{ lineKey: string, id: string, end: End }} seal   id: of the worker; end: which one this is
 * @param {(line: Line) => void} onLine   the other end has proved that it holds the key. Told before anything that it says
 * @param {(error: BenchError) => void} onFailure   it has not, or is gone; the channel is closed
 */
export function sealControlChannel(channel, { lineKey, id, end }, onLine, onFailure) {
  const said = randomBytes(SAID_BYTES);
  const fail = (/** @type {string} */ why) => {
    clearTimeout(deadline);
    channel.onMessage = () => {};
    channel.onClose = () => {};
    channel.close();
    onFailure(new BenchError('TRANSPORT', `the other end of the control channel of ${id} ${why}`));
  };
  const deadline = setTimeout(() => fail('did not authenticate in time'), MEET_DEADLINE_MS);
  channel.onClose = () => fail('disconnected before it authenticated');
  channel.onMessage = (/** @type {Uint8Array} */ heard) => {
    if (heard.length !== SAID_BYTES) return fail('said something else than a nonce');
    const salt = Buffer.concat(end === 'controller' ? [said, heard] : [heard, said]);
    const from = (/** @type {End} */ sender) => new Direction(derived(lineKey, salt, `${id} from ${sender}`));
    const directions = { out: from(end), in: from(end === 'controller' ? 'agent' : 'controller') };
    channel.send(directions.out.seal(''));
    channel.onMessage = (/** @type {Uint8Array} */ proof) => {
      if (directions.in.open(proof) !== '') return fail('holds another key');
      clearTimeout(deadline);
      onLine(new SealedLine(channel, directions));
    };
  };
  channel.send(said);
}
