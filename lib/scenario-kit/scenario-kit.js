// What a scenario's half is made of, in one process of one launch. What it has for the path of a message is the same few
// classes in every scenario, so that V8 sees one shape of each.

import { LatencyCounts } from '../statistics/latency-counts.js';
import { Answerer } from './answerer.js';
import { AskingHalf } from './asking-half.js';
import { ConnectingHalf } from './connecting-half.js';
import { RestingHalf } from './resting-half.js';

/** @import { Codec, Message } from '../types/messages.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { ScenarioKit as Kit, LoopHandle, Times } from '../types/scenarios.js' */
/** @import { AskingParts } from './asking-half.js' */

/** @param {Message} question */
const repeat = (question) => question;

/** @implements {Kit} */
export class ScenarioKit {
  /**
   * @param {Cell} cell
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {AskingParts | null} [parts]   null: nobody here asks
   */
  constructor(cell, codec, parts = null) {
    this.cell = cell;
    this.codec = codec;
    this.parts = parts;
  }

  /**
   * @param {(handle: LoopHandle) => Promise<void>} loop   called once for each loop of the cell
   * @param {Record<string, Times>} [times]   what the loops time besides
   * @returns {AskingHalf}
   */
  asking(loop, times) {
    return new AskingHalf(this.cell, this.codec, this.ownParts(), loop, times);
  }

  get meter() {
    return this.ownParts().meter;
  }

  times() {
    return new LatencyCounts();
  }

  /** @returns {ConnectingHalf} */
  connecting() {
    return new ConnectingHalf(this.cell, this.codec, this.ownParts());
  }

  /** @param {readonly number[]} pausesMs   in turn @returns {RestingHalf} */
  resting(pausesMs) {
    return new RestingHalf(this.cell, this.codec, this.ownParts(), pausesMs);
  }

  ownParts() {
    if (this.parts === null) throw new TypeError('only a worker asks: the master has no channel of its own');
    return this.parts;
  }

  /**
   * @param {(question: Message) => Message} [answer]   absent: the question itself
   * @returns {Answerer}
   */
  answering(answer = repeat) {
    return new Answerer(this.codec, answer);
  }
}
