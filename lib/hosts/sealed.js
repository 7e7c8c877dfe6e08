// What conductor and agents say to each other by way of a server that others may read and write: sealed with the secret of the
// run, so that nobody else can read it, forge it, or pass it off for something else.

import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SALT = 'ipc-bench agents'; // a secret that is worth guessing is as long as it should be

export class Seal {
  /** @param {string} secret */
  constructor(secret) {
    this.key = scryptSync(secret, SALT, KEY_BYTES);
  }

  /** @param {unknown} value @param {string} purpose   what it is, and for whom @returns {string} */
  close(value, purpose) {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(gzipSync(JSON.stringify(value))), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /** @param {unknown} text @param {string} purpose @returns {any} undefined: it was sealed with another secret, or for something else */
  open(text, purpose) {
    const bytes = Buffer.from(String(text), 'base64');
    if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, IV_BYTES))
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
