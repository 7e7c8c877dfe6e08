// Decodes each request, calls the scenario for the response, and encodes the response. This is the hot path of the master.

import { effectiveCodec } from './exchange.js';

/** @import { Channel, Codec, Endpoint, Message, MessageCodec } from '../../types/index.js' */

/** @implements {Endpoint} */
export class Responder {
  /** @param {MessageCodec} codec @param {(request: Message) => Message} respond */
  constructor(codec, respond) {
    this.codec = codec;
    this.respond = respond;
    this.responses = 0;
    this.undecodable = 0;
  }

  /** @param {Channel} channel */
  serve(channel) {
    const codec = effectiveCodec(channel, this.codec);
    // Responses do not wait for backpressure, since a worker has at most one open request per loop, which limits the queue.
    channel.onMessage = (wire) => {
      let request;
      try {
        request = codec.decode(wire);
      } catch {
        this.undecodable += 1;
        return;
      }
      channel.send(codec.encode(this.respond(request)));
      this.responses += 1;
    };
  }

  progress() {
    return this.responses;
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
    super(codec, (request) => request);
    this.values = values;
  }

  report() {
    return { ...super.report(), values: this.values };
  }
}
