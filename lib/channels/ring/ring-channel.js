// A Channel over two rings, one per direction. A link wakes an end that sleeps and shows that an end has disconnected. Before an end
// sleeps, it sets a flag in the memory and checks the rings once more, so that no message is missed and an awake end is not woken.

import { US_PER_MS } from '../../format/units.js';
import { BaseChannel } from '../base-channel.js';
import { carryMessages, FrameError, makeFrameReader } from '../framing.js';
import { RingReader, RingWriter } from './ring.js';

/** @import { Channel, EndContext } from '../../types/index.js' */
/** @import { RingMemory } from './ring.js' */
/** @import { Notifier, Spinner } from './ring-end.js' */
/**
 * @typedef {object} RingLink
 * @property {() => void} hangUp      disconnects; the other end then reads the remaining bytes
 * @property {() => void} cut         disconnects at once
 */

/** @implements {Channel} */
export class RingChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   * @param {{ incoming: RingMemory, outgoing: RingMemory }} rings
   * @param {object} [waiting]
   * @param {() => void} [waiting.yieldCpu]       called before each further poll of an end that will sleep soon
   * @param {Spinner | null} [waiting.spinner]    set if the end never sleeps
   */
  constructor(end, { incoming, outgoing }, { yieldCpu = () => {}, spinner = null } = {}) {
    super();
    this.yieldCpu = yieldCpu;
    this.spinner = spinner;
    this.incoming = new RingReader(incoming);
    this.outgoing = new RingWriter(outgoing);
    this.backlog = new RingSendQueue(this.outgoing);
    this.spin = new AdaptiveSpin(Number(end.settings.spinUs));
    this.isTick = end.settings.flush === 'tick';
    this.isNotifyScheduled = false;
    this.isAsleep = false;
    /** @type {Notifier & RingLink} */
    this.link = { notify() {}, sleep() {}, hangUp() {}, cut() {} };
    this.frames = makeFrameReader(end, (wire) => this.onMessage(wire));
    this.pollTurn = this.pollTurn.bind(this);
    this.wake = this.wake.bind(this);
    this.notifyOnce = this.notifyOnce.bind(this);
  }

  /** @param {Notifier & RingLink} link */
  start(link) {
    this.link = link;
    // The core has set its handlers by the next iteration of the event loop.
    if (this.spinner === null) setImmediate(this.pollTurn);
    else this.spinner.join(this);
  }

  /** @type {NonNullable<Channel['carry']>} */
  carry(codec) {
    return carryMessages(codec, this.outgoing, this.frames);
  }

  /** @param {any} wire   a wire, or a message after `carry` */
  send(wire) {
    if (!this.isOpen) return false;
    const { backlog } = this;
    try {
      if (!backlog.isEmpty() || !this.outgoing.append(wire)) this.queue(wire);
    } catch (error) {
      this.breakOff(error);
    }
    if (!this.isTick) this.notifyOnce();
    else if (!this.isNotifyScheduled) {
      this.isNotifyScheduled = true;
      process.nextTick(this.notifyOnce);
    }
    return backlog.isEmpty();
  }

  /** @param {any} wire   as in send() */
  queue(wire) {
    this.backlog.add(this.outgoing.framing.whole(wire));
    // Polls once more: fallAsleep() then sets the flag that makes the reader wake this end when there is room.
    if (!this.backlog.isEmpty()) this.stayAwake();
  }

  notifyOnce() {
    this.isNotifyScheduled = false;
    if (this.isOpen && this.outgoing.shouldWakeReader()) this.link.notify();
  }

  /** Resumes polling. Called after a notification of the other end, which may be spurious. */
  wake() {
    if (!this.isAsleep) return;
    this.isAsleep = false;
    this.pollTurn();
  }

  stayAwake() {
    if (!this.isAsleep) return;
    this.isAsleep = false;
    setImmediate(this.pollTurn);
  }

  pollTurn() {
    if (!this.isOpen) return;
    if (this.spin.isTrying) this.yieldCpu();
    if (this.spin.countPoll(this.poll())) this.fallAsleep();
    else setImmediate(this.pollTurn);
  }

  /** @returns {boolean} true if something was read */
  poll() {
    if (!this.isOpen) return false;
    let came = false;
    try {
      came = this.incoming.drain(this.frames);
      if (came && this.incoming.shouldWakeWriter()) this.link.notify();
      if (!this.backlog.isEmpty()) {
        this.backlog.pump();
        this.notifyOnce();
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
    incoming.setAsleep(true);
    outgoing.setAsleep(isFull);
    if (incoming.isEmpty() && !(isFull && outgoing.hasRoom(1))) return this.link.sleep();
    incoming.setAsleep(false);
    outgoing.setAsleep(false);
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

  /** @param {unknown} error   rethrown unless it is a FrameError, which the other end causes */
  breakOff(error) {
    if (!(error instanceof FrameError)) throw error;
    this.reason ??= error;
    this.frames.stop();
    this.link.cut();
  }

  /** Called when the link is closed; delivers what the other end has sent before. @param {Error} [reason] */
  finish(reason) {
    if (!this.isOpen) return;
    this.poll();
    this.reason ??= reason ?? this.frames.cutOff();
    this.spinner?.leave(this);
    this.frames.stop();
    this.backlog.release();
    this.settle();
  }
}

const MAX_SKIPS = 1_024; // most waits without a try after failed tries: a try of 200 µs in 1,024 waits costs 0.2 µs per wait

/**
 * Decides how long an end with an empty ring polls before it sleeps. Like KVM for idle CPUs (Linux,
 * Documentation/virt/kvm/halt-polling.rst), it adapts to the last tries: if no message arrives in time, tries become rare.
 */
export class AdaptiveSpin {
  /** @param {number} spinUs     0 sleeps as soon as the ring is empty */
  constructor(spinUs) {
    this.spinMs = spinUs / US_PER_MS;
    this.isTrying = false;
    this.endMs = 0;
    this.failures = 0;
    this.skips = 0;
  }

  /**
   * Counts a poll. Must be called once per iteration of the event loop.
   * @param {boolean} hasRead   true if the poll read something
   * @returns {boolean} true if the end should sleep
   */
  countPoll(hasRead) {
    if (hasRead) {
      if (this.isTrying) this.failures = 0;
      this.isTrying = false;
      return false; // the loops may have sent messages whose responses have arrived already
    }
    if (this.spinMs === 0) return true;
    if (this.isTrying) return this.giveUpInTime();
    if (this.skips > 0) {
      this.skips -= 1;
      return true;
    }
    this.isTrying = true;
    this.endMs = performance.now() + this.spinMs;
    return false;
  }

  /** @returns {boolean} true if the try has failed; the next waits, twice as many after each failure, then begin without a try */
  giveUpInTime() {
    if (performance.now() < this.endMs) return false;
    this.isTrying = false;
    this.failures += 1;
    this.skips = Math.min(2 ** this.failures, MAX_SKIPS);
    return true;
  }
}

/** Frames that wait for room in a ring, in order. */
export class RingSendQueue {
  /** @param {RingWriter} ring */
  constructor(ring) {
    this.ring = ring;
    /** @type {Buffer[]} */
    this.frames = [];
    this.firstWritten = 0; // bytes of the first frame that have been written to the ring
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

  /** Writes as much as the ring has room for. */
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

  /** @returns {Promise<void>} resolves when it is empty, or released */
  gone() {
    if (this.isEmpty()) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  release() {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
