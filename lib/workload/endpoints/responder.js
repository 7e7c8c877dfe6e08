// Decodes each request, calls the scenario for the response, and encodes the response. This is the hot path of the master.

import { effectiveCodec } from './exchange.js';

/** @import { Channel, Codec, Endpoint, Message } from '../../types/index.js' */

/** @implements {Endpoint} */
export class Responder {
  /** @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec @param {(question: Message) => Message} answer */
  constructor(codec, answer) {
    this.codec = codec;
    this.answer = answer;
    this.answered = 0;
    this.undecodable = 0;
  }

  /** @param {Channel} channel */
  serve(channel) {
    const codec = effectiveCodec(channel, this.codec);
    // Responses do not wait for backpressure, since a worker has at most one open request per loop, which limits the queue.
    channel.onMessage = (wire) => {
      let question;
      try {
        question = codec.decode(wire);
      } catch {
        this.undecodable += 1;
        return;
      }
      channel.send(codec.encode(this.answer(question)));
      this.answered += 1;
    };
  }

  progress() {
    return this.answered;
  }

  report() {
    return { mistakes: { corrupt: this.undecodable } };
  }
}

// Responds with lists, and reports their size.

export class RecordResponder extends Responder {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec   decodes requests and encodes lists
   * @param {Record<string, number>} values            reported for the measures
   */
  constructor(codec, values) {
    super(codec, (question) => question);
    this.values = values;
  }

  report() {
    return { ...super.report(), values: this.values };
  }
}
