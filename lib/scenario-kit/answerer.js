// The answering end: decodes each question, lets the scenario answer, encodes the answer anew. The hot path of the
// master.

/** @import { Codec } from '../types/messages.js' */
/** @import { Scenario } from '../types/scenarios.js' */
/** @import { Channel } from '../types/transports.js' */

export class Answerer {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {Scenario} scenario
   */
  constructor(codec, scenario) {
    this.codec = codec;
    this.answer = scenario.answer;
    this.answered = 0;
    this.undecodable = 0;
  }

  /** @param {Channel} channel */
  serve(channel) {
    // Answers do not wait for backpressure. The worker has at most as many questions open as it has loops, and that
    // bounds what can queue here.
    channel.onMessage = (wire) => {
      let question;
      try {
        question = this.codec.decode(wire);
      } catch {
        this.undecodable += 1;
        return;
      }
      channel.send(this.codec.encode(this.answer(question)));
      this.answered += 1;
    };
  }
}
