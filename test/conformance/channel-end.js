// One end of a channel under test, the same in the host and in the worker: assigns both handlers once, checks the
// messages that arrive, and counts calls of onClose.

import { startDeadline, within } from './deadline.js';
import { describeWire, isSameWire, wiresOf } from './wires.js';

/** @import { Channel, Wire, WireKind } from '../../lib/types/index.js' */
/** @import { Expectations } from './expectations.js' */
/**
 * @typedef {object} Talk
 * @property {import('./wires.js').Recipe} recipe
 * @property {string} self
 * @property {string} peer
 * @property {number} greatestBytes
 * @property {import('./expectations.js').Expectations} expected
 */

/** @param {Partial<Expectations>} expected @returns {string} the traits that would permit what has happened */
function lossRemedy({ keepsOrder = true, pushesBack, onlyResponds }) {
  const remedies = [
    ...(keepsOrder ? ["order: 'free' if messages may overtake each other"] : []),
    ...(pushesBack ? ["loss: 'possible' if they may get lost"] : []),
    ...(onlyResponds === false ? ["direction: 'request-reply' if the master can only respond"] : []),
  ];
  return remedies.length === 0 ? '' : `; declare in traits ${remedies.join(', ')}`;
}

const DRAIN_DEADLINE_MS = 10_000;
const STALL_MS = 15_000; // a message may start a process on a busy machine

export class ChannelEnd {
  /**
   * @param {Channel} channel           just received
   * @param {WireKind} kind
   * @param {(wire: any) => void} [whenIdle]   gets what arrives outside of a talk; absent: it is sent back
   */
  constructor(channel, kind, whenIdle) {
    this.channel = channel;
    this.kind = kind;
    this.heardWhileIdle = 0;
    this.whenIdle =
      whenIdle ??
      ((wire) => {
        this.heardWhileIdle += 1;
        this.sendBack(wire);
      });
    /** @type {(wire: any) => void} */
    this.hear = this.whenIdle;
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
   * Checks messages from now on.
   * @param {Talk} talk
   * @returns {() => Promise<number>} says its own part and waits for the other's; resolves with the number of times
   *                                  that send() returned false
   */
  prepare({ recipe, self, peer, greatestBytes, expected }) {
    const { kind } = this;
    const { share } = expected;
    const wires = (/** @type {string} */ speaker) => wiresOf({ recipe, kind, speaker, greatestBytes, share });
    const outgoing = wires(self);
    const heard = this.expect(wires(peer), expected);
    return async () => {
      const [pauses] = await Promise.all([this.sendAll(outgoing), heard]);
      return pauses;
    };
  }

  /**
   * The host's part of an exchange in which it only responds: checks messages and sends them back.
   * @param {Talk} talk
   * @returns {() => Promise<number>} waits until all has been heard; 0: an answer never asks to wait
   */
  prepareResponses({ recipe, peer, greatestBytes, expected }) {
    const { kind } = this;
    const wires = wiresOf({ recipe, kind, speaker: peer, greatestBytes, share: expected.share });
    const heard = this.expect(wires, { ...expected, onEach: (wire) => this.sendBack(wire) });
    return () => heard.then(() => 0);
  }

  /**
   * The worker's part of such an exchange.
   * @param {Talk} talk
   * @returns {() => Promise<number>} asks, and waits for all to come back; resolves as that of `prepare`
   */
  prepareRequests({ recipe, self, greatestBytes, expected }) {
    const { share, window } = expected;
    const wires = wiresOf({ recipe, kind: this.kind, speaker: self, greatestBytes, share });
    let answered = 0;
    let makeRoom = () => {};
    const heard = this.expect(wires, {
      ...expected,
      onEach() {
        answered += 1;
        makeRoom();
      },
    });
    const hasRoom = (/** @type {number} */ asked) =>
      asked - answered < window ||
      new Promise((resolve) => {
        makeRoom = () => resolve(undefined);
      });
    return async () => {
      const [pauses] = await Promise.all([this.sendAll(wires, hasRoom), heard]);
      return pauses;
    };
  }

  /** @param {any} wire */
  sendBack(wire) {
    // Bytes are only valid until the handler returns, and send() may still need them then.
    this.channel.send(wire instanceof Uint8Array ? Buffer.from(wire) : wire);
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
   * @param {Partial<Expectations> & { onEach?: (wire: any) => void }} [how]   onEach: of each that is right
   * @returns {Promise<void>} when they have all arrived, unchanged, and in this order if it is kept
   */
  expect(wires, how) {
    const heard = this.hearAll(wires, how);
    // Nobody may await it yet, or any more, when it fails.
    heard.catch(() => {});
    return heard;
  }

  /**
   * @param {Wire[]} wires
   * @param {Partial<Expectations> & { onEach?: (wire: any) => void }} [how]
   */
  async hearAll(wires, how = {}) {
    const { keepsOrder = true, stallMs = STALL_MS, onEach = () => {} } = how;
    const missing = [...wires];
    let received = 0;
    /** @type {(mistake: string) => void} */
    let settle = () => {};
    /** @type {Promise<string>} */
    const settled = new Promise((resolve) => {
      settle = resolve;
    });
    const stall = startDeadline(stallMs, () =>
      settle(
        `${received} of ${wires.length} messages arrived, then none for ${stallMs} ms${lossRemedy(how)}`,
      ),
    );
    this.closed.then(() => {
      const why = this.closeReason?.message ?? 'no reason given';
      settle(`the channel closed after ${received} of ${wires.length} messages: ${why}`);
    });
    this.hear = (wire) => {
      const index = keepsOrder ? 0 : missing.findIndex((each) => isSameWire(this.kind, wire, each));
      const [expected] = missing.splice(Math.max(0, index), 1);
      received += 1;
      stall.restart();
      const isRight = isSameWire(this.kind, wire, expected);
      if (isRight) onEach(wire);
      if (!isRight) {
        const difference = `expected ${describeWire(expected)}, got ${describeWire(wire)}`;
        const isElsewhere = missing.some((each) => isSameWire(this.kind, wire, each));
        const remedy = isElsewhere ? lossRemedy(how) : '';
        settle(`message ${received} of ${wires.length} is not what was sent: ${difference}${remedy}`);
      } else if (received === wires.length) {
        this.hear = this.whenIdle;
        settle('');
      }
    };
    const mistake = await settled;
    stall.stop();
    // After a mistake nothing is sent back, which the other end would report in place of the cause.
    this.hear = mistake === '' ? this.whenIdle : () => {};
    if (mistake !== '') throw new Error(mistake);
  }

  /**
   * @param {Wire[]} wires
   * @param {(sent: number) => true | Promise<unknown>} [hasRoom]   resolves when one more may be under way
   */
  async sendAll(wires, hasRoom = () => true) {
    let pauses = 0;
    for (const [sent, wire] of wires.entries()) {
      const room = hasRoom(sent);
      if (room !== true) await room; // otherwise all is sent in one iteration
      if (this.channel.send(wire)) continue;
      pauses += 1;
      await within(DRAIN_DEADLINE_MS, 'drained() after send() said false', this.channel.drained());
    }
    return pauses;
  }
}
