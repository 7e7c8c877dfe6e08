// The endpoints that send streams: one stream over each channel, or one to all workers. A closed load sends as fast as the channel accepts:
// one message per loop in each iteration of the event loop, and none while the channel is full. An open load sends on its schedule.

import { NS_PER_MS } from '../../format/units.js';
import { NO_SLOT } from '../../measure/meter.js';
import { sumBy } from '../../statistics/sum.js';
import { idAt, noteSighting, TIMED_EVERY } from '../messages/message-ids.js';
import { effectiveCodec, waitForRoom } from './exchange.js';
import { ALL } from './stream-parts.js';

/** @import { OpenLoad } from '../../measure/open-load.js' */
/** @import { Cell, Channel, Endpoint, EndpointReport, MessageCodec, TimestampSample } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */
/** @import { StreamParts } from './stream-parts.js' */

const LAST = 2;

export class Producer {
  /**
   * @param {object} parts
   * @param {Pick<Channel, 'send' | 'drained' | 'carry'>} parts.channel
   * @param {MessageCodec} parts.codec
   * @param {string[]} parts.payloads
   * @param {number} parts.loops      messages per iteration of the event loop
   * @param {Meter} parts.meter
   * @param {number} [parts.timedEvery]   interval of timed messages; a power of two
   * @param {string} [parts.transport]
   */
  constructor({ channel, codec, payloads, loops, meter, timedEvery = TIMED_EVERY, transport }) {
    this.transport = transport;
    this.channel = channel;
    this.codec = effectiveCodec(channel, codec);
    this.payloads = payloads;
    this.loops = loops;
    this.meter = meter;
    this.timedMask = timedEvery - 1;
    this.sent = 0;
    this.nextPayload = 0;
    this.waits = 0;
    this.isWaiting = false;
    this.finish = () => {};
    /** @type {TimestampSample[]} */
    this.sightings = [];
  }

  /** @returns {Promise<void>} resolves when the load is over */
  run() {
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      const turn = () => {
        if (this.meter.isOver && this.isWaiting) return; // finished in the meantime
        this.isWaiting = !this.sendTurn();
        if (this.isWaiting) {
          this.waits += 1;
          // A channel may have room again at once. Without setImmediate(), the event loop would be blocked.
          this.room().then(() => setImmediate(turn), reject);
        } else if (this.meter.isOver) resolve(this.sendLast());
        else setImmediate(turn);
      };
      turn();
    });
  }

  /** @returns {Promise<void>} resolves when the channel has room */
  room() {
    return waitForRoom(this.channel, this.transport);
  }

  /** Ends without waiting for a full channel. */
  end() {
    if (this.isWaiting) this.finish();
  }

  /** Sends further messages after the load, so that the receiver detects the loss of the last message of the load. */
  sendLast() {
    for (let more = 0; more < LAST; more += 1) this.sendOne();
  }

  /** Sends one message for each loop. @returns {boolean} false if the channel is full */
  sendTurn() {
    const { meter } = this;
    meter.isFresh = false;
    meter.stamp();
    for (let loop = 0; loop < this.loops && !meter.isOver; loop += 1) {
      if (!this.sendOne()) return false;
    }
    return true;
  }

  /** Records when the message with this index is sent. @param {number} index */
  note(index) {
    noteSighting(this.sightings, index);
  }

  /** Sends the next message. @returns {boolean} false if the channel is full */
  sendOne() {
    const { payloads, sent: count } = this;
    if ((count & this.timedMask) === 0) this.note(count);
    const payload = payloads[this.nextPayload];
    this.nextPayload = this.nextPayload + 1 === payloads.length ? 0 : this.nextPayload + 1;
    this.sent = count + 1;
    this.meter.tally();
    return this.channel.send(this.codec.encode({ id: idAt(count), payload }));
  }
}

// The sending end of a stream under open load: it sends each message when it is due, or as soon as the channel accepts it.

// Greatest number of messages per iteration of the event loop, which a schedule that is too fast would otherwise block.
const MAX_PER_ITERATION = 1_000;

class ScheduledProducer extends Producer {
  /** @param {ConstructorParameters<typeof Producer>[0] & { openLoad: OpenLoad }} parts */
  constructor({ openLoad, ...parts }) {
    super(parts);
    this.openLoad = openLoad;
    /** Time from the scheduled instant of the message that is being sent. */
    this.lagMs = 0;
    this.leftInIteration = MAX_PER_ITERATION;
    /** @type {(reason: unknown) => void} */
    this.fail = () => {};
  }

  /** @returns {Promise<void>} resolves when the load is over */
  run() {
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
      this.goOn();
    });
  }

  /** Sends overdue messages first, and then each message when it is due. */
  goOn() {
    const { openLoad } = this;
    if (openLoad.isOver) return; // finished in the meantime
    this.isWaiting = false;
    this.leftInIteration = MAX_PER_ITERATION;
    openLoad.offer(this);
  }

  /** @param {number} startMs   NO_SLOT if the load is over */
  take(startMs) {
    const { meter, openLoad } = this;
    meter.isFresh = false;
    const nowMs = startMs === NO_SLOT ? NO_SLOT : meter.stamp();
    if (nowMs === NO_SLOT || meter.isOver) {
      this.sendLast();
      this.finish();
      return;
    }
    this.lagMs = nowMs - startMs;
    if (openLoad.noteSent(startMs, nowMs)) openLoad.sendLags.record(Math.round(this.lagMs * NS_PER_MS));
    if (!this.sendOne()) this.waitForRoom();
    else if (this.leftInIteration > 1) {
      this.leftInIteration -= 1;
      openLoad.offer(this);
    } else {
      this.isWaiting = true;
      setImmediate(() => this.goOn());
    }
  }

  waitForRoom() {
    this.waits += 1;
    this.isWaiting = true;
    this.room().then(() => setImmediate(() => this.goOn()), this.fail);
  }

  /** @param {number} count */
  note(count) {
    noteSighting(this.sightings, count, this.lagMs);
  }
}

// The endpoint that sends streams, in any role: one stream over each channel.

const SIGHTINGS_UNDER_WAY = 5_000;

/** @implements {Endpoint} */
export class ProducerEndpoint {
  /** @param {Pick<Cell, 'loops'>} cell @param {MessageCodec} codec @param {StreamParts} parts */
  constructor({ loops }, codec, parts) {
    this.loops = loops;
    this.codec = codec;
    this.parts = parts;
    this.meter = parts.meter;
    /** @type {Map<string, Producer>} by stream */
    this.senders = new Map();
    this.openLoad = parts.open ? new parts.open.OpenLoad({ meter: parts.meter, ...parts.open }) : null;
    this.sentAtOpen = 0;
    for (const [workerId, channel] of Object.entries(parts.channels)) this.serve(channel, workerId);
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    channel.onMessage = () => {};
    this.sendOver(channel, workerId);
  }

  /** @param {Pick<Channel, 'send' | 'drained' | 'carry'>} channel @param {string} name */
  sendOver(channel, name) {
    const { codec, loops, openLoad } = this;
    const { meter, payloadsOf, timedEvery, transport } = this.parts;
    const parts = { channel, codec, payloads: payloadsOf(name), loops, meter, timedEvery, transport };
    this.senders.set(
      name,
      openLoad === null ? new Producer(parts) : new ScheduledProducer({ ...parts, openLoad }),
    );
  }

  /** @param {number} atMs */
  async run(atMs) {
    const { openLoad } = this;
    if (this.senders.size > 1) openLoad?.takeTurns();
    const ends = [...this.senders.values()].map((sender) => sender.run());
    openLoad?.begin(atMs);
    await Promise.all(ends);
  }

  sent() {
    return sumBy(this.senders.values(), ({ sent }) => sent);
  }

  progress() {
    return this.sent();
  }

  opened() {
    this.sentAtOpen = this.sent();
    // Keeps the newest timestamps, since messages that were sent shortly before the window opens may arrive in it.
    for (const { sightings } of this.senders.values())
      sightings.splice(0, Math.max(0, sightings.length - SIGHTINGS_UNDER_WAY));
  }

  closed() {
    this.openLoad?.end();
    for (const sender of this.senders.values()) sender.end();
  }

  /** @returns {EndpointReport} */
  report() {
    const senders = [...this.senders];
    return {
      bins: this.parts.meter.bins,
      requests: this.progress(),
      streams: Object.fromEntries(senders.map(([id, { sent }]) => [id, sent])),
      values: { atOpen: this.sentAtOpen, waits: sumBy(this.senders.values(), ({ waits }) => waits) },
      sightings: Object.fromEntries(senders.map(([id, { sightings }]) => [id, sightings])),
      open: this.openLoad?.report() ?? null,
      mistakes: {},
    };
  }
}

/** A channel that sends to several channels. @param {Channel[]} channels @returns {Pick<Channel, 'send' | 'drained' | 'carry'>} */
function toEach(channels) {
  return {
    carry: (codec) => channels.filter((channel) => channel.carry?.(codec)).length === channels.length,
    send(wire) {
      let hasRoom = true;
      for (const channel of channels) hasRoom = channel.send(wire) && hasRoom;
      return hasRoom;
    },
    async drained() {
      for (const channel of channels) await channel.drained();
    },
  };
}

/** Sends each message to all workers: with one publication if the transport and the scenario support it, otherwise one by one. */
export class PublisherEndpoint extends ProducerEndpoint {
  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    channel.onMessage = () => {};
    this.parts.channels[workerId] = channel;
  }

  /** @param {number} atMs */
  run(atMs) {
    const { channels, publisher } = this.parts;
    this.sendOver(publisher?.() ?? toEach(Object.values(channels)), ALL);
    return super.run(atMs);
  }

  /** Counts each message once for each worker. */
  progress() {
    return this.sent() * Object.keys(this.parts.channels).length;
  }
}
