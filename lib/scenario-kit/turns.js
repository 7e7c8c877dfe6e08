// Who waits longest is next. It is asked as a list whose last is next would be, and stands for one.

/** @template T */
export class Turns {
  constructor() {
    /** @type {Set<T>} in the order in which they came */
    this.waiting = new Set();
  }

  get length() {
    return this.waiting.size;
  }

  /** @param {T} one @returns {number} */
  push(one) {
    return this.waiting.add(one).size;
  }

  /** @returns {T | undefined} */
  pop() {
    const { value, done } = this.waiting.values().next();
    if (done) return undefined;
    this.waiting.delete(value);
    return value;
  }

  /** @returns {T[]} all; nobody waits any more */
  splice() {
    const all = [...this.waiting];
    this.waiting.clear();
    return all;
  }
}
