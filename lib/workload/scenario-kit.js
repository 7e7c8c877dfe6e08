// Creates the endpoints of a scenario in one process of a launch, and loads only the modules of the endpoints that the role declares.

import { Meter } from '../measure/meter.js';
import { LatencyCounts } from '../statistics/latency-counts.js';
import { payloadIndex } from './messages/jobs.js';
import { timedEvery } from './messages/message-ids.js';

/** @import { Cell, Codec, LoopHandle, Message, QueueTerms, Scenario, ScenarioKit as Kit, TimeRecorder, ValueSchema } from '../types/index.js' */
/** @import { RequestParts } from './endpoints/request-endpoint.js' */
/** @import { ProxyParts } from './endpoints/proxy.js' */
/** @import { StreamParts } from './endpoints/stream-parts.js' */

const MODULES = {
  requester: () => import('./endpoints/request-endpoint.js'),
  reconnectingRequester: () => import('./endpoints/reconnect-endpoint.js'),
  idleRequester: () => import('./endpoints/idle-endpoint.js'),
  producer: () => import('./endpoints/producer-endpoint.js'),
  consumer: () => import('./endpoints/consumer-endpoint.js'),
  duplex: () => import('./endpoints/duplex-endpoint.js'),
  publisher: () => import('./endpoints/producer-endpoint.js'),
  subscriber: () => import('./endpoints/consumer-endpoint.js'),
  jobProducer: () => import('./endpoints/job-producer.js'),
  jobConsumer: () => import('./endpoints/job-consumer.js'),
  responder: () => import('./endpoints/responder.js'),
  proxy: () => import('./endpoints/proxy.js'),
  carriedValues: () => import('./messages/value-messages.js'),
  taskProducer: () => import('./endpoints/task-endpoint.js'),
  taskWorker: () => import('./endpoints/task-endpoint.js'),
  idleTasks: () => import('./endpoints/idle-task-endpoint.js'),
};
/** @typedef {keyof typeof MODULES} EndpointName */
/** @typedef {{ [Name in EndpointName]: Awaited<ReturnType<typeof MODULES[Name]>> }} EndpointModules */

/** @type {Partial<EndpointModules>} */
const loaded = {};

/**
 * Loads the modules of the endpoints of a role, before the scenario creates an endpoint.
 * @param {Pick<Scenario, 'endpoints'>} scenario   without a declaration for the role, all modules are loaded
 * @param {string} role
 */
export async function loadEndpoints({ endpoints = {} }, role) {
  const names = /** @type {EndpointName[]} */ (endpoints[role] ?? Object.keys(MODULES));
  const modules = await Promise.all(names.map(async (name) => [name, await MODULES[name]()]));
  Object.assign(loaded, Object.fromEntries(modules));
}

/** @template {EndpointName} Name @param {Name} name @returns {EndpointModules[Name]} */
function requireModule(name) {
  const module = loaded[name];
  if (module === undefined)
    throw new TypeError(`the scenario does not declare that this role calls ${name} of the kit`);
  return module;
}

/** @param {Message} request */
const repeat = (request) => request;

/** @param {string[]} responses @returns {(request: Message) => Message} */
const respondWith =
  (responses) =>
  ({ id }) => ({ id, payload: responses[payloadIndex(id, responses.length)] });

/**
 * @typedef {Pick<Codec, 'encode' | 'decode'> & Partial<Pick<Codec, 'produces' | 'values' | 'bytes' | 'inPlace'>>} KitCodec   only some scenarios use
 *   the optional properties
 */

/** @param {LoopHandle} handle */
async function requestRepeatedly(handle) {
  while (handle.shouldContinue()) await handle.request();
}

/** @implements {Kit} */
export class ScenarioKit {
  /**
   * @param {Cell} cell
   * @param {KitCodec} codec
   * @param {object} [parts]
   * @param {number} [parts.seed]
   * @param {Kit['settings']} [parts.settings]
   * @param {RequestParts | null} [parts.requesting]   null except in workers
   * @param {Omit<StreamParts, 'meter'> & Partial<Pick<StreamParts, 'meter'>>} [parts.stream]
   * @param {string[] | null} [parts.responses]   chosen by the id of the request; by default, each response repeats its request
   * @param {ProxyParts} [parts.relaying]   set in a role between workers and master
   */
  constructor(
    cell,
    codec,
    { seed = 0, settings = {}, requesting = null, stream, responses = null, relaying } = {},
  ) {
    this.cell = cell;
    this.codec = codec;
    this.seed = seed;
    this.settings = settings;
    this.parts = requesting;
    this.stream = stream;
    this.responses = responses;
    this.between = relaying;
  }

  /**
   * @param {(handle: LoopHandle) => Promise<void>} [loop]   called for each loop of each connection, again in each slice; by default, it
   *   sends requests repeatedly
   * @param {Record<string, TimeRecorder>} [times]   further times that the loops record
   */
  requester(loop = requestRepeatedly, times) {
    return new (requireModule('requester').RequestEndpoint)(
      this.cell,
      this.codec,
      this.ownParts(),
      loop,
      times,
    );
  }

  get meter() {
    return this.ownParts().meter;
  }

  times() {
    return new LatencyCounts();
  }

  reconnectingRequester() {
    return new (requireModule('reconnectingRequester').ReconnectEndpoint)(
      this.cell,
      this.codec,
      this.ownParts(),
    );
  }

  /** @param {readonly number[]} pausesMs */
  idleRequester(pausesMs) {
    return new (requireModule('idleRequester').IdleEndpoint)(
      this.cell,
      this.codec,
      this.ownParts(),
      pausesMs,
    );
  }

  producer() {
    return new (requireModule('producer').ProducerEndpoint)(this.cell, this.codec, this.streamParts());
  }

  /** @param {number} handleMs */
  consumer(handleMs) {
    return new (requireModule('consumer').ConsumerEndpoint)(this.codec, this.streamParts(), handleMs);
  }

  /** @param {string} role @param {number} handleMs */
  duplex(role, handleMs) {
    return new (requireModule('duplex').DuplexEndpoint)(
      role,
      this.cell,
      this.codec,
      this.streamParts(),
      handleMs,
    );
  }

  publisher() {
    return new (requireModule('publisher').PublisherEndpoint)(this.cell, this.codec, this.streamParts());
  }

  subscriber() {
    return new (requireModule('subscriber').ConsumerEndpoint)(this.codec, this.streamParts(), 0, true);
  }

  /** @param {QueueTerms} terms */
  jobProducer(terms) {
    return new (requireModule('jobProducer').JobProducer)(this.cell, this.codec, this.streamParts(), terms);
  }

  /** @param {number} handleMs */
  jobConsumer(handleMs) {
    return new (requireModule('jobConsumer').JobConsumer)(this.codec, this.streamParts(), handleMs);
  }

  taskProducer() {
    return new (requireModule('taskProducer').TaskProducer)(this.cell, this.codec, this.streamParts());
  }

  /** @returns {boolean} true if the transport starts its workers itself */
  get isPool() {
    return this.stream?.isPool === true;
  }

  /** @param {readonly number[]} pausesMs */
  idleTasks(pausesMs) {
    const { IdleTaskEndpoint } = requireModule('idleTasks');
    return new IdleTaskEndpoint(this.cell, this.codec, this.streamParts(), pausesMs);
  }

  taskWorker() {
    return new (requireModule('taskWorker').TaskWorker)(this.codec, this.streamParts());
  }

  /** @param {readonly any[]} values @param {ValueSchema} schema @param {{ isUntouched?: boolean }} [how] */
  carriedValues(values, schema, how) {
    const { produces = 'value', values: carried } = this.codec;
    const { valueMessages } = requireModule('carriedValues');
    return valueMessages(values, schema, { produces, values: carried }, how);
  }

  /** @param {Pick<Codec, 'encode' | 'decode'>} codec @param {string[]} payloads @returns {ScenarioKit} */
  withCodec(codec, payloads) {
    const { cell, seed, settings, parts, stream, between: relaying } = this;
    // Recorded responses do not fit other payloads.
    const { responses: _recorded, ...others } = parts ?? {};
    const requesting = parts && { .../** @type {RequestParts} */ (others), payloads };
    return new ScenarioKit(cell, codec, { seed, settings, stream, relaying, requesting });
  }

  /** @returns {StreamParts} */
  streamParts() {
    if (this.stream === undefined) throw new TypeError('a stream needs a launch');
    // In a worker, `stream` contains a meter already.
    const { meter = new Meter() } = this.stream;
    const { ratePerSecond, transport } = this.cell;
    return { ...this.stream, meter, transport, timedEvery: timedEvery(ratePerSecond) };
  }

  ownParts() {
    if (this.parts === null)
      throw new TypeError('only workers send requests: the master has no channel of its own');
    return this.parts;
  }

  /** @param {(request: Message) => Message} [respond]   by default, returns a recorded response, or the request if there are none */
  responder(respond = this.responses === null ? repeat : respondWith(this.responses)) {
    return new (requireModule('responder').Responder)(this.codec, respond);
  }

  /** @param {boolean} isEncoded */
  proxy(isEncoded) {
    if (this.between === undefined) throw new TypeError('only a role between master and workers relays');
    return new (requireModule('proxy').ProxyEndpoint)(this.codec, this.between, isEncoded);
  }
}
