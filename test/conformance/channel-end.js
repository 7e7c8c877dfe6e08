// One end of a channel under test, the same in the host and in the worker: assigns both handlers once, checks that what
// arrives is what the other end says, and counts how often it was told of the end.

import { startDeadline, within } from './deadline.js';
import { describeWire, isSameWire, wiresOf } from './wires.js';

/** @typedef {import('../../lib/types.js').Channel} Channel */
/** @typedef {import('../../lib/types.js').WireKind} WireKind */
/** @typedef {import('../../lib/types.js').Wire} Wire */
/** @typedef {{ recipe: import('./wires.js').Recipe, self: string, peer: string, greatestBytes: number }} Talk */

const DRAIN_DEADLINE_MS = 10_000;
const STALL_MS = 5_000; // no message at all for so long: what is missing does not come any more

export class ChannelEnd {
  /**
   * @param {Channel} channel           just received
   * @param {WireKind} kind
   * @param {(wire: any) => void} whenIdle   gets what arrives outside of a talk
   */
  constructor(channel, kind, whenIdle) {
    this.channel = channel;
    this.kind = kind;
    this.whenIdle = whenIdle;
    /** @type {(wire: any) => void} */
    this.hear = whenIdle;
    this.closings = 0;
    /** @type {Error | undefined} */
    this.closeReason = undefined;
    channel.onMessage = (wire) => this.hear(wire);
    this.closed = new Promise((resolve) => {
      channel.onClose = (reason) => {
        this.closings += 1;
        this.closeReason ??= reason;
        resolve(undefined);
      };
    });
  }

  /**
   * From now on what arrives is checked.
   * @param {Talk} talk
   * @returns {() => Promise<number>} says its own part and waits for the other's; resolves with the number of times
   *                                  that send() asked to wait
   */
  prepare({ recipe, self, peer, greatestBytes }) {
    const { kind } = this;
    const outgoing = wiresOf({ recipe, kind, speaker: self, greatestBytes });
    const heard = this.expect(wiresOf({ recipe, kind, speaker: peer, greatestBytes }));
    return async () => {
      const [pauses] = await Promise.all([this.sendAll(outgoing), heard]);
      return pauses;
    };
  }

  /**
   * @param {Wire} wire     the other end sends it back
   */
  async echo(wire) {
    const heard = this.expect([wire]);
    this.channel.send(wire);
    await heard;
  }

  /**
   * @param {Wire[]} wires
   * @returns {Promise<void>} when they have all arrived, unchanged and in this order
   */
  expect(wires) {
    const heard = this.hearAll(wires);
    // The one who waits for it may still be busy, or may have failed on its own, when this fails.
    heard.catch(() => {});
    return heard;
  }

  /** @param {Wire[]} wires */
  async hearAll(wires) {
    let received = 0;
    /** @type {(mistake: string) => void} */
    let settle = () => {};
    /** @type {Promise<string>} */
    const settled = new Promise((resolve) => {
      settle = resolve;
    });
    const stall = startDeadline(STALL_MS, () =>
      settle(`${received} of ${wires.length} messages arrived, then none for ${STALL_MS} ms`),
    );
    this.closed.then(() => {
      const why = this.closeReason?.message ?? 'no reason given';
      settle(`the channel closed after ${received} of ${wires.length} messages: ${why}`);
    });
    this.hear = (wire) => {
      const expected = wires[received];
      received += 1;
      stall.restart();
      if (!isSameWire(this.kind, wire, expected)) {
        const difference = `expected ${describeWire(expected)}, got ${describeWire(wire)}`;
        settle(`message ${received} of ${wires.length} is not what was sent: ${difference}`);
      } else if (received === wires.length) {
        this.hear = this.whenIdle;
        settle('');
      }
    };
    const mistake = await settled;
    stall.stop();
    this.hear = this.whenIdle;
    if (mistake !== '') throw new Error(mistake);
  }

  /** @param {Wire[]} wires */
  async sendAll(wires) {
    let pauses = 0;
    for (const wire of wires) {
      if (this.channel.send(wire)) continue;
      pauses += 1;
      await within(DRAIN_DEADLINE_MS, 'drained() after send() said false', this.channel.drained());
    }
    return pauses;
  }
}
