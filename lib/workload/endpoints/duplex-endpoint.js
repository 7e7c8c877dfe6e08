// Sends and receives a stream over each channel, in any role. Sent messages have a separate meter, so that the two directions are
// counted separately.

import { Meter } from '../../measure/meter.js';
import { ConsumerEndpoint } from './consumer-endpoint.js';
import { ProducerEndpoint } from './producer-endpoint.js';

/** @import { Cell, Channel, Endpoint, EndpointReport, LoadClock, MessageCodec, MeterPlan } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

/** @param {string} id   connection @returns {string} name of the stream to the worker; differs from the id, so that an echo is detected */
const toWorker = (id) => `to ${id}`;

/** @implements {Endpoint} */
export class DuplexEndpoint {
  /**
   * @param {string} role
   * @param {Pick<Cell, 'loops'>} cell
   * @param {MessageCodec} codec
   * @param {StreamParts} parts   its meter counts received messages
   * @param {number} handleMs
   */
  constructor(role, cell, codec, { channels, ...parts }, handleMs) {
    this.isMaster = role === 'master';
    this.takenMeter = parts.meter;
    this.sentMeter = new Meter();
    this.sending = new ProducerEndpoint(cell, codec, { ...parts, channels: {}, meter: this.sentMeter });
    this.taking = new ConsumerEndpoint(codec, { ...parts, channels: {} }, handleMs);
    for (const [id, channel] of Object.entries(channels)) this.serve(channel, id);
  }

  /** @returns {LoadClock} */
  get meter() {
    const { takenMeter, sentMeter } = this;
    return {
      schedule: (plan) => takenMeter.schedule(plan),
      tickAt: (ms) => takenMeter.tickAt(ms),
      giveUp() {
        for (const meter of [takenMeter, sentMeter]) meter.giveUp();
      },
    };
  }

  /** @param {Channel} channel @param {string} id */
  serve(channel, id) {
    this.sending.serve(channel, this.isMaster ? toWorker(id) : id);
    this.taking.serve(channel, this.isMaster ? id : toWorker(id));
  }

  /** @param {number} atMs */
  async run(atMs) {
    await Promise.all([this.sending.run(atMs), this.taking.run()]);
  }

  progress() {
    return this.taking.progress() + this.sending.progress();
  }

  opened() {
    const { sentMeter } = this;
    sentMeter.schedule({ .../** @type {MeterPlan} */ (this.takenMeter.plan), onOpen() {}, onClose() {} });
    sentMeter.tick();
    this.sending.opened();
    this.taking.opened();
  }

  closed() {
    this.sentMeter.tick();
    this.sending.closed();
    this.taking.closed();
  }

  /** @param {readonly EndpointReport[]} reports */
  settled(reports) {
    return this.taking.settled(reports);
  }

  /** @returns {EndpointReport} */
  report() {
    const sent = this.sending.report();
    return { ...this.taking.report(), requests: sent.requests, streams: sent.streams, sent };
  }
}
