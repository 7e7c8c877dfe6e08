// The end of a stream that sends, in whichever role: to the one at its other end, to several, or to all at once.

import { sumBy } from '../../statistics/sum.js';
import { OpenLoad } from '../load/open-load.js';
import { Producer } from './producer.js';
import { ScheduledProducer } from './scheduled-producer.js';
import { ALL } from './stream-parts.js';

/** @import { Cell, Channel, Codec, Endpoint, EndpointReport } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

const SIGHTINGS_UNDER_WAY = 5_000;

/** @implements {Endpoint} */
export class ProducerEndpoint {
  /** @param {Pick<Cell, 'loops'>} cell @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec @param {StreamParts} parts */
  constructor({ loops }, codec, parts) {
    this.loops = loops;
    this.codec = codec;
    this.parts = parts;
    this.meter = parts.meter;
    /** @type {Map<string, Producer>} by the worker at one of its ends */
    this.senders = new Map();
    this.openLoad = parts.open ? new OpenLoad({ meter: parts.meter, ...parts.open }) : null;
    this.sentAtOpen = 0;
    for (const [workerId, channel] of Object.entries(parts.channels)) this.serve(channel, workerId);
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    channel.onMessage = () => {};
    this.sendOver(channel, workerId);
  }

  /** @param {Pick<Channel, 'send' | 'drained' | 'carry'>} channel @param {string} name   of the stream */
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
    // What was sent before may be taken in the window, if it was not long before.
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
      asked: this.progress(),
      streams: Object.fromEntries(senders.map(([id, { sent }]) => [id, sent])),
      values: { atOpen: this.sentAtOpen, waits: sumBy(this.senders.values(), ({ waits }) => waits) },
      sightings: Object.fromEntries(senders.map(([id, { sightings }]) => [id, sightings])),
      open: this.openLoad?.report() ?? null,
      mistakes: {},
    };
  }
}

/**
 * What goes to each of several channels, as if it were one.
 * @param {Channel[]} channels
 * @returns {Pick<Channel, 'send' | 'drained' | 'carry'>}
 */
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

/** Sends each message to all workers: at once where the transport can, and the scenario asks for it; else to one after the other. */
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

  /** Each message is one for each worker: any of them may miss it. */
  progress() {
    return this.sent() * Object.keys(this.parts.channels).length;
  }
}
