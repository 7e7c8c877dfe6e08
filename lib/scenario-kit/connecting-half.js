// The half of a scenario that connects again and again, in a worker: each loop makes a connection, waits for its first
// verified answer, and hangs up. Pairing and verification are the asker's, one for each loop.

import { LatencyCounts } from '../statistics/latency-counts.js';
import { answerClock } from './answer-clock.js';
import { Asker, LOST } from './asker.js';
import { firstAnswers } from './first-answers.js';
import { summedMistakes } from './mistakes.js';
import { sumOf } from './stream-parts.js';
import { sweptUntilDone } from './swept-until-done.js';

/** @import { Cell, Channel, Codec, Half } from '../types/index.js' */
/** @import { AskingParts } from './asking-half.js' */

const NS_PER_MS = 1e6;

/** @implements {Half} */
export class ConnectingHalf {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec
   * @param {AskingParts} parts     its channel proves that the two ends understand each other, and then stays idle
   */
  constructor({ loops }, codec, parts) {
    const { channel, payloads, meter, transport } = parts;
    this.parts = parts;
    // An answer is not yet the end of an operation.
    this.askers = Array.from(
      { length: loops },
      () => new Asker({ channel, codec, payloads, loops: 1, meter: answerClock(meter), transport }),
    );
    this.toConnect = new LatencyCounts();
    this.toFirstAnswer = new LatencyCounts();
  }

  async ready() {
    const [asker] = this.askers;
    this.hand(asker, this.parts.channel);
    asker.begin(0);
    await firstAnswers([asker], [asker.ask(0)]);
  }

  run() {
    const loops = this.askers.map((asker) => this.loop(asker));
    return sweptUntilDone(this.askers, this.parts.replyMs, loops);
  }

  /** @param {Asker} asker */
  async loop(asker) {
    const { meter } = this.parts;
    while (asker.goesOn(0)) {
      const beganMs = performance.now();
      const channel = await this.parts.connect();
      const connectedMs = performance.now();
      this.hand(asker, channel);
      asker.begin(0);
      const outcome = await asker.ask(0);
      const answeredMs = performance.now();
      await channel.close();
      meter.isFresh = false;
      const endedMs = meter.stamp();
      if (outcome === LOST) continue;
      meter.count(endedMs - beganMs);
      if (!meter.isOpen) continue;
      this.toConnect.record(Math.round((connectedMs - beganMs) * NS_PER_MS));
      this.toFirstAnswer.record(Math.round((answeredMs - beganMs) * NS_PER_MS));
    }
  }

  /** @param {Asker} asker @param {Channel} channel   that it asks on from now on */
  hand(asker, channel) {
    asker.speakOver(channel);
    channel.onClose = () => {}; // an answer that never comes is noticed by its deadline
  }

  progress() {
    return sumOf(this.askers, ({ asked }) => asked);
  }

  opened() {
    const { messages } = this.parts;
    if (messages === null) return;
    for (const asker of this.askers) asker.remaining.fill(messages);
  }

  report() {
    return {
      ...this.parts.meter.counted(),
      times: { timeToConnect: this.toConnect.toLatency(), timeToFirstAnswer: this.toFirstAnswer.toLatency() },
      asked: this.progress(),
      mistakes: summedMistakes(this.askers.map(({ integrity }) => integrity)),
    };
  }
}
