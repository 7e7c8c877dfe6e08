// What a scenario's half is made of, in one process of one launch. What it has for the path of a message is the same few
// classes in every scenario, so that V8 sees one shape of each.

import { LatencyCounts } from '../statistics/latency-counts.js';
import { Answerer } from './answerer.js';
import { AskingHalf } from './asking-half.js';
import { ConnectingHalf } from './connecting-half.js';
import { ExchangingHalf } from './exchanging-half.js';
import { Meter } from './meter.js';
import { OfferingHalf } from './offering-half.js';
import { RelayingHalf } from './relaying-half.js';
import { RestingHalf } from './resting-half.js';
import { PublishingHalf, SendingHalf } from './sending-half.js';
import { timedEvery } from './sequence.js';
import { TakingHalf } from './taking-half.js';
import { valueMessages } from './value-messages.js';
import { WorkingHalf } from './working-half.js';

/** @import { Cell, Codec, LoopHandle, Message, QueueTerms, ScenarioKit as Kit, Times, ValueSchema } from '../types/index.js' */
/** @import { AskingParts } from './asking-half.js' */
/** @import { RelayingParts } from './relaying-half.js' */
/** @import { StreamParts } from './stream-parts.js' */

/** @param {Message} question */
const repeat = (question) => question;

/** @typedef {Pick<Codec, 'encode' | 'decode'> & Partial<Pick<Codec, 'produces' | 'values' | 'inPlace'>>} KitCodec   what else it can, where a scenario needs it */

/** @param {LoopHandle} handle */
async function askOn(handle) {
  while (handle.goesOn()) await handle.ask();
}

/** @implements {Kit} */
export class ScenarioKit {
  /**
   * @param {Cell} cell
   * @param {KitCodec} codec
   * @param {object} [parts]
   * @param {number} [parts.seed]                of the launch
   * @param {Kit['settings']} [parts.settings]   of the scenario
   * @param {AskingParts | null} [parts.asking]   null: nobody here asks
   * @param {Omit<StreamParts, 'meter'> & Partial<Pick<StreamParts, 'meter'>>} [parts.stream]   absent: nothing streams
   * @param {RelayingParts} [parts.relaying]   absent: it stands between nobody
   */
  constructor(cell, codec, { seed = 0, settings = {}, asking = null, stream, relaying } = {}) {
    this.cell = cell;
    this.codec = codec;
    this.seed = seed;
    this.settings = settings;
    this.parts = asking;
    this.stream = stream;
    this.between = relaying;
  }

  /**
   * @param {(handle: LoopHandle) => Promise<void>} [loop]   called once for each loop of the cell; absent: it asks again and again
   * @param {Record<string, Times>} [times]   what the loops time besides
   * @returns {AskingHalf}
   */
  asking(loop = askOn, times) {
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

  /** @returns {SendingHalf} */
  sending() {
    return new SendingHalf(this.cell, this.codec, this.streamParts());
  }

  /** @param {number} handleMs @returns {TakingHalf} */
  taking(handleMs) {
    return new TakingHalf(this.codec, this.streamParts(), handleMs);
  }

  /** @param {string} role @param {number} handleMs @returns {ExchangingHalf} */
  exchanging(role, handleMs) {
    return new ExchangingHalf(role, this.cell, this.codec, this.streamParts(), handleMs);
  }

  /** @returns {PublishingHalf} */
  publishing() {
    return new PublishingHalf(this.cell, this.codec, this.streamParts());
  }

  /** @returns {TakingHalf} */
  hearing() {
    return new TakingHalf(this.codec, this.streamParts(), 0, true);
  }

  /** @param {QueueTerms} terms @returns {OfferingHalf} */
  offering(terms) {
    return new OfferingHalf(this.cell, this.codec, this.streamParts(), terms);
  }

  /** @param {number} handleMs @returns {WorkingHalf} */
  working(handleMs) {
    return new WorkingHalf(this.codec, this.streamParts(), handleMs);
  }

  /** @param {readonly any[]} values @param {ValueSchema} schema @param {{ isUntouched?: boolean }} [how] */
  carrying(values, schema, how) {
    const { produces = 'value', values: carried } = this.codec;
    return valueMessages(values, schema, { produces, values: carried }, how);
  }

  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {string[]} payloads   of questions
   * @returns {ScenarioKit} whose halves speak so
   */
  speaking(codec, payloads) {
    const { cell, seed, settings, parts, stream, between: relaying } = this;
    const asking = parts && { ...parts, payloads };
    return new ScenarioKit(cell, codec, { seed, settings, stream, relaying, asking });
  }

  /** @returns {StreamParts} */
  streamParts() {
    if (this.stream === undefined) throw new TypeError('a stream needs a launch: nothing streams here');
    // A worker has its meter already; a master that only answers needs none.
    const { meter = new Meter() } = this.stream;
    const { ratePerSecond, transport } = this.cell;
    return { ...this.stream, meter, transport, timedEvery: timedEvery(ratePerSecond) };
  }

  ownParts() {
    if (this.parts === null) throw new TypeError('only a worker asks: the master has no channel of its own');
    return this.parts;
  }

  /** @param {(question: Message) => Message} [answer]   absent: the question itself @returns {Answerer} */
  answering(answer = repeat) {
    return new Answerer(this.codec, answer);
  }

  /** @param {boolean} isEncoded @returns {RelayingHalf} */
  relaying(isEncoded) {
    if (this.between === undefined) throw new TypeError('only a role between master and workers relays');
    return new RelayingHalf(this.codec, this.between, isEncoded);
  }
}
