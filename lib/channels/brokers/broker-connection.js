// The state of one connection to a broker, with the errors that name the broker. No error message contains a password.

import { BenchError } from '../../errors.js';
import { redactText } from '../../format/redact.js';

export class BrokerConnection {
  /**
   * @param {string} broker    'Redis'
   * @param {string} url
   * @param {(reason: BenchError) => void} onLost     called at most once, and not after `isClosing` is set
   * @param {Record<string, string>} [texts]   texts for error messages of the library, which are the keys
   */
  constructor(broker, url, onLost, texts = {}) {
    this.broker = broker;
    this.url = url;
    this.onLost = onLost;
    this.texts = texts;
    this.isClosing = false;
    /** @type {(Error & { code?: string | number }) | undefined} */
    this.error = undefined;
  }

  /** Keeps the first error, since errors that follow from it are less useful. @param {Error | undefined} error */
  noteError(error) {
    this.error ??= error;
  }

  /** @param {string} what     'cannot use' @param {typeof this.error} [later]   the cause if there was no error before */
  failure(what, later) {
    const error = this.error ?? later;
    const message = error?.message ?? '';
    const why = this.texts[message] ?? (message || error?.code || 'the connection was closed');
    const secrets = this.url.includes('://') ? [this.url] : [];
    // No `cause`: ioredis attaches the failed command to its errors, and the command AUTH contains the password.
    return new BenchError('BROKER', redactText(`${what} ${this.broker} at ${this.url}: ${why}`, secrets));
  }

  /** Reports the loss, unless this process closes the connection. @param {string} [what] */
  lose(what = 'lost the connection to') {
    if (!this.isClosing) this.onLost(this.failure(what));
  }
}
