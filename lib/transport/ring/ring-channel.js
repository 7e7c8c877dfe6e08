// A Channel over two rings, one each way. What rings cannot do, waking an end that sleeps and telling that one has left,
// is a link's. Before an end sleeps it says so in the memory, and looks once more: then no message is overlooked, and none
// wakes an end that is awake.

import { US_PER_MS } from '../../format/units.js';
import { BaseChannel } from '../base-channel.js';
import { carryMessages, FrameError, makeFrameReader } from '../framing.js';
import { RingReader, RingWriter } from './ring.js';

/** @import { Channel, EndContext } from '../../types/index.js' */
/** @import { RingPlace } from './ring.js' */
/** @import { Bell, Spinner } from './ring-end.js' */
/**
 * @typedef {object} Link
 * @property {() => void} hangUp      the other end has all that was sent, once it knows
 * @property {() => void} cut         at once
 */

/** @implements {Channel} */
export class RingChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   * @param {{ incoming: RingPlace, outgoing: RingPlace }} places
   * @param {object} [waiting]
   * @param {() => void} [waiting.yieldCpu]       before each further look of an end that will sleep soon
   * @param {Spinner | null} [waiting.spinner]    of an end that never sleeps
   */
  constructor(end, { incoming, outgoing }, { yieldCpu = () => {}, spinner = null } = {}) {
    super();
    this.yieldCpu = yieldCpu;
    this.spinner = spinner;
    this.incoming = new RingReader(incoming);
    this.outgoing = new RingWriter(outgoing);
    this.backlog = new RingSendQueue(this.outgoing);
    this.patience = new AdaptiveSpin(Number(end.settings.spinUs));
    this.isTick = end.settings.flush === 'tick';
    this.isRingScheduled = false;
    this.isAsleep = false;
    /** @type {Bell & Link} */
    this.link = { ring() {}, sleep() {}, hangUp() {}, cut() {} };
    this.frames = makeFrameReader(end, (wire) => this.onMessage(wire));
    this.turn = this.turn.bind(this);
    this.wake = this.wake.bind(this);
    this.ringOnce = this.ringOnce.bind(this);
  }

  /** @param {Bell & Link} link */
  start(link) {
    this.link = link;
    // At the next turn the core has its handlers in place.
    if (this.spinner === null) setImmediate(this.turn);
    else this.spinner.join(this);
  }

  /** @type {NonNullable<Channel['carry']>} */
  carry(codec) {
    return carryMessages(codec, this.outgoing, this.frames);
  }

  /** @param {any} wire   or a message, once it carries those */
  send(wire) {
    if (!this.isOpen) return false;
    const { backlog } = this;
    try {
      if (!backlog.isEmpty() || !this.outgoing.append(wire)) this.queue(wire);
    } catch (error) {
      this.breakOff(error);
    }
    if (!this.isTick) this.ringOnce();
    else if (!this.isRingScheduled) {
      this.isRingScheduled = true;
      process.nextTick(this.ringOnce);
    }
    return backlog.isEmpty();
  }

  /** @param {any} wire   as send() takes it */
  queue(wire) {
    this.backlog.add(this.outgoing.framing.whole(wire));
    // The reader does not know yet that somebody waits for room: it is told before this end sleeps again.
    if (!this.backlog.isEmpty()) this.stayAwake();
  }

  ringOnce() {
    this.isRingScheduled = false;
    if (this.isOpen && this.outgoing.takesReaderOutOfSleep()) this.link.ring();
  }

  /** The other end has rung, or may have. */
  wake() {
    if (!this.isAsleep) return;
    this.isAsleep = false;
    this.turn();
  }

  stayAwake() {
    if (!this.isAsleep) return;
    this.isAsleep = false;
    setImmediate(this.turn);
  }

  turn() {
    if (!this.isOpen) return;
    if (this.patience.isTrying) this.yieldCpu();
    if (this.patience.isSpent(this.look())) this.fallAsleep();
    else setImmediate(this.turn);
  }

  /** @returns {boolean} something came */
  look() {
    if (!this.isOpen) return false;
    let came = false;
    try {
      came = this.incoming.drain(this.frames);
      if (came && this.incoming.takesWriterOutOfSleep()) this.link.ring();
      if (!this.backlog.isEmpty()) {
        this.backlog.pump();
        this.ringOnce();
      }
    } catch (error) {
      this.breakOff(error);
    }
    return came;
  }

  fallAsleep() {
    const { incoming, outgoing } = this;
    const isFull = !this.backlog.isEmpty();
    this.isAsleep = true;
    incoming.say(true);
    outgoing.say(isFull);
    if (incoming.isEmpty() && !(isFull && outgoing.hasRoom(1))) return this.link.sleep();
    incoming.say(false);
    outgoing.say(false);
    this.stayAwake();
  }

  drained() {
    return this.isOpen ? this.backlog.gone() : Promise.resolve();
  }

  /** @override */
  async leave() {
    this.drained().then(() => this.isOpen && this.link.hangUp());
    await this.closedInTime(() => this.link.cut());
  }

  /** @param {unknown} error   FrameError: the other end counts or announces what cannot be */
  breakOff(error) {
    if (!(error instanceof FrameError)) throw error;
    this.reason ??= error;
    this.frames.stop();
    this.link.cut();
  }

  /** The link is gone. What the other end sent before it left is still delivered. @param {Error} [reason] */
  finish(reason) {
    if (!this.isOpen) return;
    this.look();
    this.reason ??= reason ?? this.frames.cutOff();
    this.spinner?.leave(this);
    this.frames.stop();
    this.backlog.release();
    this.settle();
  }
}

// How long an end that finds its ring empty goes on looking before it sleeps. Whether that pays is learned from how the
// last tries ended, as KVM does for idle CPUs (Linux, Documentation/virt/kvm/halt-polling.rst): where no message ever
// comes in time, hardly anything is tried any more.
const MOST_SKIPS = 1_024; // a try of 200 µs costs 0.2 µs a wait then

export class AdaptiveSpin {
  /** @param {number} spinUs     0: sleeps as soon as nothing is there */
  constructor(spinUs) {
    this.spinMs = spinUs / US_PER_MS;
    this.isTrying = false;
    this.endMs = 0;
    this.failures = 0;
    this.skips = 0;
  }

  /**
   * Asked once per turn of the event loop.
   * @param {boolean} came     something was there
   * @returns {boolean} it is time to sleep
   */
  isSpent(came) {
    if (came) {
      if (this.isTrying) this.failures = 0;
      this.isTrying = false;
      return false; // what was given to loops may have made them send: the answer can be there already
    }
    if (this.spinMs === 0) return true;
    if (this.isTrying) return this.isTryOver();
    if (this.skips > 0) {
      this.skips -= 1;
      return true;
    }
    this.isTrying = true;
    this.endMs = performance.now() + this.spinMs;
    return false;
  }

  isTryOver() {
    if (performance.now() < this.endMs) return false;
    this.isTrying = false;
    this.failures += 1;
    this.skips = Math.min(2 ** this.failures, MOST_SKIPS);
    return true;
  }
}

// Frames that found no room in a ring, in the order in which they have to go.
export class RingSendQueue {
  /** @param {RingWriter} ring */
  constructor(ring) {
    this.ring = ring;
    /** @type {Buffer[]} */
    this.frames = [];
    this.firstWritten = 0; // bytes of the first one that lie in the ring already
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  isEmpty() {
    return this.frames.length === 0;
  }

  /** @param {Buffer} frame */
  add(frame) {
    this.frames.push(frame);
    this.pump();
  }

  /** Writes what there is room for. */
  pump() {
    const { frames } = this;
    while (frames.length > 0) {
      this.firstWritten += this.ring.write(frames[0], this.firstWritten);
      if (this.firstWritten < frames[0].length) return;
      frames.shift();
      this.firstWritten = 0;
    }
    this.release();
  }

  /** @returns {Promise<void>} resolves when it is empty, or given up */
  gone() {
    if (this.isEmpty()) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Nobody waits any longer. */
  release() {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
