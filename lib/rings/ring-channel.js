// A Channel over two rings, one each way. What rings cannot do, waking an end that sleeps and telling that one has left,
// is a link's. Before an end sleeps it says so in the memory, and looks once more: then no message is overlooked, and none
// wakes an end that is awake.

import { FrameError } from '../transport-kit/framing.js';
import { carryMessages, frameReaderOf } from '../transport-kit/framings.js';
import { RingReader, RingWriter } from './ring.js';
import { RingBacklog } from './ring-backlog.js';
import { Patience } from './ring-patience.js';

/** @import { Channel, EndContext } from '../types/index.js' */
/** @import { RingPlace } from './ring.js' */
/** @import { Spinner } from './spinner.js' */
/** @import { Bell } from './word-bell.js' */
/**
 * @typedef {object} Link
 * @property {() => void} hangUp      the other end has all that was sent, once it knows
 * @property {() => void} cut         at once
 */

const CLOSE_DEADLINE_MS = 1_000; // as for streams: after that the other end has stopped reading

/** @implements {Channel} */
export class RingChannel {
  /**
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   * @param {{ incoming: RingPlace, outgoing: RingPlace }} places
   * @param {object} [waiting]
   * @param {() => void} [waiting.yieldCpu]       before each further look of an end that will sleep soon
   * @param {Spinner | null} [waiting.spinner]    of an end that never sleeps
   */
  constructor(end, { incoming, outgoing }, { yieldCpu = () => {}, spinner = null } = {}) {
    this.yieldCpu = yieldCpu;
    this.spinner = spinner;
    this.incoming = new RingReader(incoming);
    this.outgoing = new RingWriter(outgoing);
    this.backlog = new RingBacklog(this.outgoing);
    this.patience = new Patience(Number(end.settings.spinUs));
    this.isTick = end.settings.flush === 'tick';
    this.isRingScheduled = false;
    this.isAsleep = false;
    this.isClosed = false;
    /** @type {Error | undefined} */
    this.reason = undefined;
    /** @type {Bell & Link} */
    this.link = { ring() {}, sleep() {}, hangUp() {}, cut() {} };
    /** @type {Promise<void> | undefined} */
    this.leaving = undefined;
    this.settleClosed = () => {};
    /** @type {Promise<void>} */
    this.closed = new Promise((resolve) => {
      this.settleClosed = resolve;
    });
    /** @type {(wire: any) => void} */
    this.onMessage = () => {};
    /** @type {(reason?: Error) => void} */
    this.onClose = () => {};
    this.frames = frameReaderOf(end, (wire) => this.onMessage(wire));
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

  /** @param {any} wire   or a message, once it carries those @returns {boolean} */
  send(wire) {
    if (this.isClosed) return false;
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
    if (!this.isClosed && this.outgoing.takesReaderOutOfSleep()) this.link.ring();
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
    if (this.isClosed) return;
    if (this.patience.isTrying) this.yieldCpu();
    if (this.patience.isSpent(this.look())) this.fallAsleep();
    else setImmediate(this.turn);
  }

  /** @returns {boolean} something came */
  look() {
    if (this.isClosed) return false;
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
    return this.isClosed ? Promise.resolve() : this.backlog.gone();
  }

  close() {
    this.leaving ??= this.leave();
    return this.leaving;
  }

  async leave() {
    const deadline = setTimeout(() => this.link.cut(), CLOSE_DEADLINE_MS);
    await this.drained();
    if (!this.isClosed) this.link.hangUp();
    await this.closed;
    clearTimeout(deadline);
  }

  /** @param {unknown} error   FrameError: the other end counts or announces what cannot be */
  breakOff(error) {
    if (!(error instanceof FrameError)) throw error;
    this.reason ??= error;
    this.frames.stop();
    this.link.cut();
  }

  /**
   * The link is gone. What the other end sent before it left is still delivered.
   * @param {Error} [reason]
   */
  finish(reason) {
    if (this.isClosed) return;
    this.look();
    this.reason ??= reason ?? this.frames.cutOff();
    this.isClosed = true;
    this.spinner?.leave(this);
    this.frames.stop();
    this.backlog.release();
    this.onClose(this.reason);
    this.onClose = () => {};
    this.onMessage = () => {};
    this.settleClosed();
  }
}
