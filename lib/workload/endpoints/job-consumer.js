// The endpoint of a worker that receives jobs: it verifies, processes and acknowledges each job.

import { makeReceipts, payloadIndex } from '../messages/jobs.js';
import { isMessageId } from '../messages/message-ids.js';
import { countWrongPayload, noMistakes } from '../messages/mistakes.js';
import { keepBusy, untilQuiet } from './exchange.js';
import { ALL } from './stream-parts.js';

/** @import { Channel, Codec, Endpoint, EndpointReport } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

/** @implements {Endpoint} */
export class JobConsumer {
  /** @param {Pick<Codec, 'encode' | 'decode'>} codec @param {StreamParts} parts @param {number} handleMs */
  constructor(codec, parts, handleMs) {
    this.codec = codec;
    this.parts = parts;
    this.receiptCodec = parts.receiptCodec ?? codec;
    this.meter = parts.meter;
    this.handleMs = handleMs;
    this.payloads = parts.payloadsOf(ALL);
    this.receipts = makeReceipts(this.payloads);
    this.done = 0;
    this.integrity = noMistakes();
    /** @type {() => void} */
    this.end = () => {};
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    for (const channel of Object.values(parts.channels)) {
      channel.onMessage = (wire) => this.work(wire, channel);
    }
  }

  /** @param {any} wire @param {Channel} channel */
  work(wire, channel) {
    let job;
    try {
      job = this.codec.decode(wire);
    } catch {
      this.integrity.corrupt += 1;
      return;
    }
    const { id } = job;
    if (!isMessageId(id)) {
      this.integrity.corrupt += 1;
      return;
    }
    const { meter, payloads } = this;
    meter.isFresh = false;
    meter.stamp();
    const index = payloadIndex(id, payloads.length);
    if (job.payload !== payloads[index]) countWrongPayload(this.integrity, payloads, job.payload);
    if (this.handleMs > 0) keepBusy(this.handleMs);
    this.done += 1;
    // Acknowledgements do not wait for backpressure, since the credits of a worker bound their number.
    channel.send(this.receiptCodec.encode({ id, payload: this.receipts[index] }));
  }

  /** Ends when the window is over and no more jobs arrive. */
  async run() {
    await this.over;
    await untilQuiet(() => this.done, this.parts.replyMs);
  }

  progress() {
    return this.done;
  }

  closed() {
    this.end();
  }

  /** @returns {EndpointReport} */
  report() {
    return { mistakes: this.integrity };
  }
}
