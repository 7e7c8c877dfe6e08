// What a scenario's half is made of, in one process of one launch. What it has for the path of a message is the same few
// classes in every scenario, so that V8 sees one shape of each.

import { LatencyCounts } from '../statistics/latency-counts.js';
import { ConsumerEndpoint } from './endpoints/consumer-endpoint.js';
import { DuplexEndpoint } from './endpoints/duplex-endpoint.js';
import { IdleEndpoint } from './endpoints/idle-endpoint.js';
import { JobConsumer } from './endpoints/job-consumer.js';
import { JobProducer } from './endpoints/job-producer.js';
import { ProducerEndpoint, PublisherEndpoint } from './endpoints/producer-endpoint.js';
import { ProxyEndpoint } from './endpoints/proxy.js';
import { ReconnectEndpoint } from './endpoints/reconnect-endpoint.js';
import { RequestEndpoint } from './endpoints/request-endpoint.js';
import { Responder } from './endpoints/responder.js';
import { Meter } from './load/meter.js';
import { timedEvery } from './messages/integrity.js';
import { valueMessages } from './messages/value-messages.js';

/** @import { Cell, Codec, LoopHandle, Message, QueueTerms, ScenarioKit as Kit, Times, ValueSchema } from '../types/index.js' */
/** @import { RequestParts } from './endpoints/request-endpoint.js' */
/** @import { ProxyParts } from './endpoints/proxy.js' */
/** @import { StreamParts } from './endpoints/stream-parts.js' */

/** @param {Message} question */
const repeat = (question) => question;

/** @typedef {Pick<Codec, 'encode' | 'decode'> & Partial<Pick<Codec, 'produces' | 'values' | 'inPlace'>>} KitCodec   what else it can, where a scenario needs it */

/** @param {LoopHandle} handle */
async function askOn(handle) {
  while (handle.shouldContinue()) await handle.request();
}

/** @implements {Kit} */
export class ScenarioKit {
  /**
   * @param {Cell} cell
   * @param {KitCodec} codec
   * @param {object} [parts]
   * @param {number} [parts.seed]                of the launch
   * @param {Kit['settings']} [parts.settings]   of the scenario
   * @param {RequestParts | null} [parts.asking]   null: nobody here asks
   * @param {Omit<StreamParts, 'meter'> & Partial<Pick<StreamParts, 'meter'>>} [parts.stream]   absent: nothing streams
   * @param {ProxyParts} [parts.relaying]   absent: it stands between nobody
   */
  constructor(
    cell,
    codec,
    { seed = 0, settings = {}, asking: requester = null, stream, relaying: proxy } = {},
  ) {
    this.cell = cell;
    this.codec = codec;
    this.seed = seed;
    this.settings = settings;
    this.parts = requester;
    this.stream = stream;
    this.between = proxy;
  }

  /**
   * @param {(handle: LoopHandle) => Promise<void>} [loop]   called once for each loop of the cell; absent: it asks again and again
   * @param {Record<string, Times>} [times]   what the loops time besides
   */
  requester(loop = askOn, times) {
    return new RequestEndpoint(this.cell, this.codec, this.ownParts(), loop, times);
  }

  get meter() {
    return this.ownParts().meter;
  }

  times() {
    return new LatencyCounts();
  }

  reconnectingRequester() {
    return new ReconnectEndpoint(this.cell, this.codec, this.ownParts());
  }

  /** @param {readonly number[]} pausesMs   in turn */
  idleRequester(pausesMs) {
    return new IdleEndpoint(this.cell, this.codec, this.ownParts(), pausesMs);
  }

  producer() {
    return new ProducerEndpoint(this.cell, this.codec, this.streamParts());
  }

  /** @param {number} handleMs */
  consumer(handleMs) {
    return new ConsumerEndpoint(this.codec, this.streamParts(), handleMs);
  }

  /** @param {string} role @param {number} handleMs */
  duplex(role, handleMs) {
    return new DuplexEndpoint(role, this.cell, this.codec, this.streamParts(), handleMs);
  }

  publisher() {
    return new PublisherEndpoint(this.cell, this.codec, this.streamParts());
  }

  subscriber() {
    return new ConsumerEndpoint(this.codec, this.streamParts(), 0, true);
  }

  /** @param {QueueTerms} terms */
  jobProducer(terms) {
    return new JobProducer(this.cell, this.codec, this.streamParts(), terms);
  }

  /** @param {number} handleMs */
  jobConsumer(handleMs) {
    return new JobConsumer(this.codec, this.streamParts(), handleMs);
  }

  /** @param {readonly any[]} values @param {ValueSchema} schema @param {{ isUntouched?: boolean }} [how] */
  carriedValues(values, schema, how) {
    const { produces = 'value', values: carried } = this.codec;
    return valueMessages(values, schema, { produces, values: carried }, how);
  }

  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {string[]} payloads   of questions
   * @returns {ScenarioKit} whose endpoints speak so
   */
  withCodec(codec, payloads) {
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

  /** @param {(question: Message) => Message} [answer]   absent: the question itself */
  responder(answer = repeat) {
    return new Responder(this.codec, answer);
  }

  /** @param {boolean} isEncoded */
  proxy(isEncoded) {
    if (this.between === undefined) throw new TypeError('only a role between master and workers relays');
    return new ProxyEndpoint(this.codec, this.between, isEncoded);
  }
}
