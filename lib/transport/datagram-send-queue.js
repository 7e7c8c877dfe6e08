// The way to one peer over UDP. A message is sent once, and what becomes of it nobody knows. A note is repeated until
// something comes back.

import { BenchError } from '../errors.js';
import { formatCount } from '../format/numbers.js';

/** @import { Outlet } from './message-channel.js' */
/** @import { Socket } from 'node:dgram' */

// 65,535 less the headers of IPv4 (20) and UDP (8), RFC 768; macOS sets a lower limit: sysctl net.inet.udp.maxdgram
export const GREATEST_DATAGRAM_BYTES = process.platform === 'darwin' ? 9_216 : 65_507;
const UTF8_BYTES_PER_UNIT = 3; // at most
const REPEAT_MS = 100;

/** @implements {Outlet} */
export class DatagramSendQueue {
  /**
   * @param {(note: string) => void} say    once
   * @param {Socket} socket                 connected before the first message
   * @param {(reason: BenchError) => void} refused   PROTOCOL: no datagram holds a message. The socket would drop it without a word
   */
  constructor(say, socket, refused) {
    this.say = say;
    this.socket = socket;
    this.refused = refused;
    /** @type {NodeJS.Timeout | undefined} */
    this.repeating = undefined;
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    const mayBeTooLong = wire.length * UTF8_BYTES_PER_UNIT > GREATEST_DATAGRAM_BYTES;
    const misfit = mayBeTooLong ? sizeError(wire) : null;
    if (misfit === null) this.socket.send(wire);
    else this.refused(misfit);
  }

  /** @param {string} note   repeated until `quiet` */
  sendNote(note) {
    this.quiet();
    this.say(note);
    this.repeating = setInterval(() => this.say(note), REPEAT_MS);
  }

  /** Something came from the peer. */
  quiet() {
    if (this.repeating === undefined) return;
    clearInterval(this.repeating);
    this.repeating = undefined;
  }

  /** @returns {Promise<void>} */
  release() {
    this.quiet();
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** @param {string | Uint8Array} wire @returns {BenchError | null} null: a datagram holds it */
function sizeError(wire) {
  const bytes = typeof wire === 'string' ? Buffer.byteLength(wire) : wire.length;
  if (bytes <= GREATEST_DATAGRAM_BYTES) return null;
  const [given, greatest] = [bytes, GREATEST_DATAGRAM_BYTES].map(formatCount);
  return new BenchError(
    'PROTOCOL',
    `a message of ${given} bytes exceeds the greatest datagram (${greatest} bytes): choose a smaller --payload`,
  );
}
