// Ids for messages of QoS 1 and 2, of which only so many are in use at once: what is behind them waits in the library,
// in order, until one is acknowledged. MQTT 3.1.1 does not tell a client how much a broker takes, and one that takes no
// more hangs up. The library's own providers end at 65,535, or give ids that are still in use.

/** @typedef {NonNullable<import('mqtt').IClientOptions['messageIdProvider']>} MessageIdProvider */

const GREATEST_ID = 65_535;

/** @implements {MessageIdProvider} */
export class MessageIdWindow {
  /** @param {number} size */
  constructor(size) {
    this.size = size;
    this.isUsed = new Uint8Array(GREATEST_ID + 1);
    this.used = 0;
    this.last = 0;
  }

  allocate() {
    if (this.used >= this.size) return null;
    // Not the lowest: a broker may still be busy with the end of the last message of that id.
    do this.last = (this.last % GREATEST_ID) + 1;
    while (this.isUsed[this.last] === 1);
    this.register(this.last);
    return this.last;
  }

  getLastAllocated() {
    return this.last === 0 ? null : this.last;
  }

  /** @param {number} id */
  register(id) {
    if (this.isUsed[id] === 1) return false;
    this.isUsed[id] = 1;
    this.used += 1;
    return true;
  }

  /** @param {number} id */
  deallocate(id) {
    this.used -= this.isUsed[id];
    this.isUsed[id] = 0;
  }

  clear() {
    this.isUsed.fill(0);
    this.used = 0;
  }
}
