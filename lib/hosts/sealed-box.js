// What runner and agents say to each other by way of a server that others may read and write: sealed with the secret of the
// run, so that nobody else can read it, forge it, or pass it off for something else.

import { createCipheriv, createDecipheriv, randomBytes, scrypt, scryptSync } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const KEPT_KEYS = 1_024; // of ends that were heard last: a run has one for each agent, an agent one for each run

export class Seal {
  /** @param {string} secret   of runs and agents. Each of them draws a salt, and says it with all that it seals */
  constructor(secret) {
    this.secret = secret;
    this.salt = randomBytes(SALT_BYTES);
    /** @type {Map<string, Buffer>} by salt */
    this.keys = new Map();
    this.keep(this.salt, scryptSync(secret, this.salt, KEY_BYTES));
  }

  /** @param {Buffer} salt @param {Buffer} key */
  keep(salt, key) {
    this.keys.set(salt.toString('hex'), key);
    const [, oldest] = this.keys.keys();
    // The first one is its own.
    if (this.keys.size > KEPT_KEYS) this.keys.delete(oldest);
  }

  /** @param {unknown} value @param {string} purpose   what it is, and for whom @returns {string} */
  close(value, purpose) {
    const iv = randomBytes(IV_BYTES);
    const key = /** @type {Buffer} */ (this.keys.get(this.salt.toString('hex')));
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(gzipSync(JSON.stringify(value))), cipher.final()]);
    return Buffer.concat([this.salt, iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /**
   * @param {unknown} text
   * @param {string} purpose
   * @returns {Promise<any>} as `open`: of an end that was not heard before, whose key takes some 50 ms, away from the event loop
   */
  async openFirst(text, purpose) {
    const salt = Buffer.from(String(text), 'base64').subarray(0, SALT_BYTES);
    if (!this.keys.has(salt.toString('hex'))) this.keep(salt, await keyOf(this.secret, salt));
    return this.open(text, purpose);
  }

  /**
   * @param {unknown} text
   * @param {string} purpose
   * @returns {any} undefined: it was sealed with another secret, for something else, or by an end of which nothing was opened before
   */
  open(text, purpose) {
    const all = Buffer.from(String(text), 'base64');
    const key = this.keys.get(all.subarray(0, SALT_BYTES).toString('hex'));
    const bytes = all.subarray(SALT_BYTES);
    if (key === undefined || bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const body = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
      return JSON.parse(gunzipSync(Buffer.concat(body)).toString());
    } catch {
      return undefined;
    }
  }
}

/** @type {(secret: string, salt: Buffer) => Promise<Buffer>} */
const keyOf = (secret, salt) =>
  new Promise((resolve, reject) => {
    scrypt(secret, salt, KEY_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
  });
