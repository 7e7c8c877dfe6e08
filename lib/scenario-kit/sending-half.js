// The end of a stream that sends, in whichever role: to the one at its other end, to several, or to all at once.

import { Sender } from './sender.js';
import { ALL, sumOf } from './stream-parts.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Half, HalfReport } from '../types/scenarios.js' */
/** @import { Channel } from '../types/transports.js' */
/** @import { StreamParts } from './stream-parts.js' */

const SIGHTINGS_UNDER_WAY = 5_000;

/** @implements {Half} */
export class SendingHalf {
  /** @param {Pick<Cell, 'loops'>} cell @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec @param {StreamParts} parts */
  constructor({ loops }, codec, parts) {
    this.loops = loops;
    this.codec = codec;
    this.parts = parts;
    this.meter = parts.meter;
    /** @type {Map<string, Sender>} by the worker at one of its ends */
    this.senders = new Map();
    this.sentAtOpen = 0;
    for (const [workerId, channel] of Object.entries(parts.channels)) this.serve(channel, workerId);
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    const { codec, loops } = this;
    const { meter, payloadsOf } = this.parts;
    channel.onMessage = () => {};
    this.senders.set(workerId, new Sender({ channel, codec, payloads: payloadsOf(workerId), loops, meter }));
  }

  async run() {
    await Promise.all([...this.senders.values()].map((sender) => sender.run()));
  }

  progress() {
    return sumOf(this.senders.values(), ({ sent }) => sent);
  }

  opened() {
    this.sentAtOpen = this.progress();
    // What was sent before may be taken in the window, if it was not long before.
    for (const { sightings } of this.senders.values())
      sightings.splice(0, Math.max(0, sightings.length - SIGHTINGS_UNDER_WAY));
  }

  closed() {
    for (const sender of this.senders.values()) sender.end();
  }

  /** @returns {HalfReport} */
  report() {
    const senders = [...this.senders];
    return {
      bins: this.parts.meter.bins,
      asked: this.progress(),
      streams: Object.fromEntries(senders.map(([id, { sent }]) => [id, sent])),
      values: { atOpen: this.sentAtOpen, waits: sumOf(this.senders.values(), ({ waits }) => waits) },
      sightings: Object.fromEntries(senders.map(([id, { sightings }]) => [id, sightings])),
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
export class PublishingHalf extends SendingHalf {
  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    channel.onMessage = () => {};
    this.parts.channels[workerId] = channel;
  }

  run() {
    const { meter, payloadsOf, channels, publisher } = this.parts;
    const channel = publisher?.() ?? toEach(Object.values(channels));
    const { codec, loops } = this;
    this.senders.set(ALL, new Sender({ channel, codec, payloads: payloadsOf(ALL), loops, meter }));
    return super.run();
  }

  /** Each message is one for each worker: any of them may miss it. */
  report() {
    const workers = Object.keys(this.parts.channels).length;
    return { ...super.report(), asked: this.progress() * workers };
  }
}
