// The endpoint between workers and the master: it forwards requests and responses. It has a separate channel to the master for each
// worker, so that messages need no address. This is the hot path of a relay.

/** @import { Channel, Codec, Endpoint, WireKind } from '../../types/index.js' */
/**
 * @typedef {object} ProxyParts
 * @property {string[]} workerIds     workers that will connect
 * @property {WireKind} wireKind
 * @property {(workerId: string) => Promise<Channel>} connect   opens the channel of a worker to the master
 */

// Received bytes may be a view of reused memory and are valid only until the handler returns. Sent bytes must not change, so they are
// copied.
/** @param {Uint8Array} wire */
const copied = (wire) => Buffer.from(wire);
/** @param {any} wire */
const asItIs = (wire) => wire;

/** @implements {Endpoint} */
export class ProxyEndpoint {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {ProxyParts} parts
   * @param {boolean} isEncoded   true to decode and encode each message
   */
  constructor(codec, { workerIds, wireKind, connect }, isEncoded) {
    const unchanged = wireKind === 'bytes' ? copied : asItIs;
    /** @type {(wire: any) => any} */
    this.change = isEncoded ? (wire) => codec.encode(codec.decode(wire)) : unchanged;
    this.workerIds = workerIds;
    this.connect = connect;
    /** @type {Map<string, Channel>} channels to the master, by worker */
    this.onwards = new Map();
    this.relayed = 0;
    this.corrupt = 0;
  }

  async ready() {
    await Promise.all(
      this.workerIds.map(async (workerId) => {
        const onward = await this.connect(workerId);
        // A response that arrives before the worker has connected matches no request.
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
    // As in the responder, neither direction waits for backpressure, since the number of loops limits the open requests of a worker
    // and thereby the queue.
    channel.onMessage = (wire) => this.pass(wire, onward);
    onward.onMessage = (wire) => {
      this.pass(wire, channel);
      this.relayed += 1;
    };
  }

  /** @param {any} wire @param {Channel} channel */
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
