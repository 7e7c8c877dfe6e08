/**
 * A promise that its owner settles, as from Promise.withResolvers(), which Node.js has from 22 on.
 * @template T
 */
export class Deferred {
  constructor() {
    /** @type {(value: T) => void} */
    this.resolve = () => {};
    /** @type {(reason: unknown) => void} */
    this.reject = () => {};
    /** @type {Promise<T>} */
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
