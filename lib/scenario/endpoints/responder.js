// The endpoint that responds: it decodes each request, lets the scenario answer, and encodes the response anew. This is the
// hot path of the master.

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
    // Answers do not wait for backpressure. The worker has at most as many questions open as it has loops, and that
    // bounds what can queue here.
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

// The endpoint that answers with lists, in the master: as the one that answers, with what a list is made of.

export class RecordResponder extends Responder {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec   reads questions and writes lists
   * @param {Record<string, number>} values            for measures to read
   */
  constructor(codec, values) {
    super(codec, (question) => question);
    this.values = values;
  }

  report() {
    return { ...super.report(), values: this.values };
  }
}
