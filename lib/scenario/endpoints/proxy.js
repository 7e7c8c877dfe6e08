// The endpoint between workers and the master: it forwards requests, and the responses come back. Each worker has a channel
// of its own to the master, as the clients of a proxy have, so that messages need no address. The hot path of a relay.

/** @import { Channel, Codec, Endpoint, WireKind } from '../../types/index.js' */
/**
 * @typedef {object} ProxyParts
 * @property {string[]} workerIds     that will come
 * @property {WireKind} wireKind
 * @property {(workerId: string) => Promise<Channel>} connect   onwards, in the name of a worker
 */

// What is received is only valid until the handler returns, and what is sent must not change afterwards: bytes, which may be
// a view of memory that is used again, are copied.
const copied = (/** @type {Uint8Array} */ wire) => Buffer.from(wire);
const asItIs = (/** @type {any} */ wire) => wire;

/** @implements {Endpoint} */
export class ProxyEndpoint {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {ProxyParts} parts
   * @param {boolean} isEncoded   each message is decoded and encoded anew
   */
  constructor(codec, { workerIds, wireKind, connect }, isEncoded) {
    const unchanged = wireKind === 'bytes' ? copied : asItIs;
    /** @type {(wire: any) => any} */
    this.change = isEncoded ? (wire) => codec.encode(codec.decode(wire)) : unchanged;
    this.workerIds = workerIds;
    this.connect = connect;
    /** @type {Map<string, Channel>} towards the master, by the worker for which each was made */
    this.onwards = new Map();
    this.relayed = 0;
    this.corrupt = 0;
  }

  async ready() {
    await Promise.all(
      this.workerIds.map(async (workerId) => {
        const onward = await this.connect(workerId);
        // A response before its worker has connected matches no request.
        onward.onMessage = () => {
          this.corrupt += 1;
        };
        this.onwards.set(workerId, onward);
      }),
    );
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    const onward = this.onwards.get(workerId);
    if (onward === undefined) return void channel.close();
    // Neither way waits for backpressure, as the responder does not: a worker has at most as many questions open as it has
    // loops, and that bounds what can queue here, on both ways together.
    channel.onMessage = (wire) => this.pass(wire, onward);
    onward.onMessage = (wire) => {
      this.pass(wire, channel);
      this.relayed += 1;
    };
  }

  /** @param {any} wire @param {Channel} channel   on which it goes on */
  pass(wire, channel) {
    let changed;
    try {
      changed = this.change(wire);
    } catch {
      this.corrupt += 1;
      return;
    }
    channel.send(changed);
  }

  progress() {
    return this.relayed;
  }

  report() {
    return { mistakes: { corrupt: this.corrupt } };
  }
}
