// Encrypts the contents of all messages over the Redis of the commands, which others may read and write. The key and the purpose of a
// message are part of the encryption, so that a message cannot be read, forged, or used for another purpose.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const SALT_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + 16; // salt and authentication tag
// Shorter texts, such as most control messages, are not compressed, because compression takes 20 times as long as encryption.
const MIN_PACKED_BYTES = 1_024;
const GZIP_MARK = 0x1f; // the first byte of gzip; JSON never begins with it

/** @type {(secret: string, salt: string, bytes: number) => Promise<Buffer>} */
const stretch = promisify(scrypt);

export class Seal {
  /** @param {Uint8Array} key   KEY_BYTES long */
  constructor(key) {
    this.key = key;
  }

  /**
   * Derives the key from a secret, which takes 50 ms of CPU time on a thread of the pool.
   * @param {string} secret
   * @param {string} salt   public; with one for all agents, a list of likely secrets could be tried on all of them at once
   */
  static async derive(secret, salt) {
    return new Seal(await stretch(secret, salt, KEY_BYTES));
  }

  static makeKey() {
    return randomBytes(KEY_BYTES);
  }

  /** @param {Uint8Array} salt @returns {[Buffer, Buffer]} key and nonce of one message */
  keysOf(salt) {
    const bytes = Buffer.from(hkdfSync('sha256', this.key, salt, '', KEY_BYTES + IV_BYTES));
    return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
  }

  /** @param {unknown} value @param {string} purpose   such as 'presence of a1' */
  close(value, purpose) {
    const salt = randomBytes(SALT_BYTES);
    const cipher = createCipheriv(CIPHER, ...this.keysOf(salt)).setAAD(Buffer.from(purpose));
    const text = Buffer.from(JSON.stringify(value));
    const packed = text.length < MIN_PACKED_BYTES ? text : gzipSync(text);
    const body = [cipher.update(packed), cipher.final()];
    return Buffer.concat([salt, cipher.getAuthTag(), ...body]).toString('base64');
  }

  /**
   * @param {unknown} text
   * @param {string} purpose
   * @returns {any} undefined if it was encrypted with another key or for another purpose, or was changed
   */
  open(text, purpose) {
    const bytes = Buffer.from(String(text), 'base64');
    if (bytes.length <= HEAD_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, ...this.keysOf(bytes.subarray(0, SALT_BYTES)))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(SALT_BYTES, HEAD_BYTES));
    try {
      const packed = Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]);
      const plain = packed[0] === GZIP_MARK ? gunzipSync(packed) : packed;
      return JSON.parse(plain.toString());
    } catch {
      return undefined;
    }
  }
}
