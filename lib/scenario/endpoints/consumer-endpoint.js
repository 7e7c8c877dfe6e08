// The end of a stream that takes what comes and verifies it, in whichever role. It counts the operations.

import { sum, sumBy } from '../../statistics/sum.js';
import { summedMistakes } from '../messages/integrity.js';
import { Consumer } from './consumer.js';
import { untilQuiet, untilSettled } from './settling.js';
import { ALL } from './stream-parts.js';

/** @import { Channel, Codec, Endpoint, EndpointReport } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

/** @implements {Endpoint} */
export class ConsumerEndpoint {
  /**
   * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec
   * @param {StreamParts} parts
   * @param {number} handleMs
   * @param {boolean} [hearsAll]   what is sent to all, and not to one
   */
  constructor(codec, parts, handleMs, hearsAll = false) {
    this.hearsAll = hearsAll;
    this.codec = codec;
    this.parts = parts;
    this.meter = parts.meter;
    this.handleMs = handleMs;
    /** @type {Map<string, Consumer>} by the worker at one of its ends */
    this.sinks = new Map();
    /** @type {Map<string, number>} by stream: what its sender said that it had sent */
    this.sentBy = new Map();
    this.takenAtOpen = 0;
    /** @type {() => void} */
    this.end = () => {};
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    for (const [workerId, channel] of Object.entries(parts.channels)) this.serve(channel, workerId);
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    const { codec, handleMs } = this;
    const { meter, payloadsOf, timedEvery } = this.parts;
    const name = this.hearsAll ? ALL : workerId;
    const payloads = payloadsOf(name);
    this.sinks.set(name, new Consumer({ channel, codec, payloads, meter, handleMs, timedEvery }));
  }

  /** Ends when its time is over and nothing comes any more: what was under way is taken, and verified, as well. */
  async run() {
    await this.over;
    await untilQuiet(() => this.progress(), this.parts.replyMs);
  }

  progress() {
    return sumBy(this.sinks.values(), ({ taken }) => taken);
  }

  opened() {
    this.takenAtOpen = this.progress();
    for (const { sightings } of this.sinks.values()) sightings.length = 0;
  }

  closed() {
    this.end();
  }

  /** @param {readonly EndpointReport[]} reports   of the workers */
  async settled(reports) {
    for (const { streams = {} } of reports) {
      for (const [id, sent] of Object.entries(streams)) this.sentBy.set(id, sent);
    }
    const isComplete = () => [...this.sinks].every(([id, { next }]) => next >= (this.sentBy.get(id) ?? 0));
    const { replyMs, mayLose } = this.parts;
    const progress = () => this.progress();
    const found = await untilSettled({ isComplete, progress, replyMs, mayLose, handleMs: this.handleMs });
    if (found === 'under way') this.sentBy.clear(); // and not lost
  }

  /** @returns {EndpointReport} */
  report() {
    const { bins } = this.parts.meter;
    const mistakes = [...this.sinks].map(([id, sink]) => sink.mistakes(this.sentBy.get(id)));
    return {
      operations: sum(bins),
      bins,
      values: { atOpen: this.takenAtOpen },
      sightings: Object.fromEntries([...this.sinks].map(([id, { sightings }]) => [id, sightings])),
      mistakes: summedMistakes(mistakes),
    };
  }
}
