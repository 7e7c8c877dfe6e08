// A launch of the suite: a listener in this process and its workers. It takes the same steps as a real launch, and records all
// errors.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveTraits } from '../../lib/cell/traits.js';
import { isFurther } from '../../lib/channels/admission.js';
import { startWorker } from '../../lib/launch/controller/start-worker.js';
import { ChannelEnd } from './channel-end.js';
import { block, within } from './deadline.js';
import { expectationsOf } from './expectations.js';
import { IS_LONG } from './long-form.js';
import { Group } from './processes-group.js';
import { Remote } from './remote.js';
import { describeWire, wireOf } from './wires.js';

/** @import { Channel, Listener, Transport } from '../../lib/types/index.js' */
/**
 * @typedef {object} Variant       of a transport: what a cell would fix
 * @property {string} url
 * @property {import('../../lib/types/messages.js').WireKind} wireKind
 * @property {string} codec
 * @property {Record<string, string | number | boolean>} settings
 * @property {string | null} brokerUrl
 * @property {string} scratchDir   for the scratch folders of its launches
 * @property {boolean} hasIntruders    the uninvited knock at its main launch
 */
/** @typedef {{ workerId: string, remote: import('./remote.js').Seat, end: ChannelEnd }} Guest */

const WORKER_PATH = fileURLToPath(new URL('echo-worker.js', import.meta.url));
const TALK_DEADLINE_MS = 45_000; // less than that of a test
const STEP_DEADLINE_MS = 10_000;

export class Launch {
  /**
   * @param {Transport} transport
   * @param {Variant} variant
   * @param {{ name: string, workers: number, maxMessageBytes: number, bindAddress?: string }} size
   * @param {Group} [group]     that others use as well; absent: one of its own
   */
  constructor(transport, variant, { name, workers, maxMessageBytes, bindAddress }, group) {
    this.transport = transport;
    this.variant = variant;
    this.name = name;
    this.workerIds = Array.from({ length: workers }, (_, index) => `w${index}`);
    const { wireKind, codec, settings, brokerUrl } = variant;
    this.expected = expectationsOf(resolveTraits(transport, settings));
    this.context = {
      wireKind,
      codec,
      settings,
      brokerUrl,
      maxMessageBytes,
      token: randomBytes(16).toString('hex'),
      launchId: randomBytes(8).toString('hex'),
    };
    this.scratchDir = '';
    this.bindAddress = bindAddress;
    /** @type {string[]} */
    this.rejectedConnections = [];
    this.onRejected = () => {};
    this.firstRejection = new Promise((resolve) => {
      this.onRejected = () => resolve(undefined);
    });
    /** @type {string[]} */
    this.faults = [];
    /** @type {Map<string, ChannelEnd>} */
    this.ends = new Map();
    /** @type {ChannelEnd[]} beside the first of each worker */
    this.further = [];
    this.group = group ?? new Group();
    this.hasOwnGroup = group === undefined;
    /** @type {Map<string, import('./remote.js').Seat>} */
    this.seats = new Map();
    /** @type {Listener | undefined} */
    this.listener = undefined;
    this.onEnd = () => {};
  }

  async open() {
    this.scratchDir = await mkdtemp(join(this.variant.scratchDir, 'l-'));
    const allThere = new Promise((resolve) => {
      this.onEnd = () => this.ends.size === this.workerIds.length && resolve(undefined);
    });
    const listening = this.transport.listen({
      ...this.context,
      scratchDir: this.scratchDir,
      bindAddress: this.bindAddress,
      workers: this.workerIds.length,
      onChannel: (channel, workerId) => this.receive(channel, workerId),
      onRejected: (what) => {
        this.rejectedConnections.push(what);
        this.onRejected();
      },
      onError: (error) => this.faults.push(`onError was called: ${error.message}`),
    });
    this.listener = await within(STEP_DEADLINE_MS, 'listen()', listening);
    const usesHandles = this.listener.fork !== undefined || this.listener.adopt !== undefined;
    if (usesHandles !== (resolveTraits(this.transport, this.variant.settings).usesForkHandles === true))
      this.faults.push(
        'traits.usesForkHandles has to be true if the listener has fork or adopt, and only then',
      );
    await Promise.all(
      this.workerIds.map(async (workerId) => {
        const remote = this.group.member(workerId, () => this.forkWorker(workerId));
        this.openListener().adopt?.(remote.line, workerId, remote.worker.streams);
        const seat = remote.seat(this.context.launchId);
        this.seats.set(workerId, seat);
        await seat.ask('connect', this.guestDetails(workerId), STEP_DEADLINE_MS);
      }),
    );
    await within(STEP_DEADLINE_MS, `onChannel for each of ${this.workerIds.join(', ')}`, allThere);
    return this;
  }

  /** @param {string} name */
  forkWorker(name) {
    const forkOptions = this.openListener().fork ?? {};
    return new Remote(
      startWorker(WORKER_PATH, { forkOptions, hasOwnStderr: true }),
      `${name} of ${this.name}`,
    );
  }

  /**
   * @param {string} workerId
   * @param {string} [token]
   */
  guestDetails(workerId, token = this.context.token) {
    const { address } = this.openListener();
    return { url: this.variant.url, guest: { ...this.context, token, address, workerId } };
  }

  /** @returns {Listener} */
  openListener() {
    if (this.listener === undefined) throw new Error(`${this.name} has no listener yet`);
    return this.listener;
  }

  /**
   * @param {Channel} channel
   * @param {string} workerId
   */
  receive(channel, workerId) {
    const { wireKind } = this.variant;
    if (isFurther(workerId)) return void this.further.push(new ChannelEnd(channel, wireKind));
    if (!this.workerIds.includes(workerId) || this.ends.has(workerId)) {
      this.faults.push(`onChannel was called for ${workerId}, which was not expected`);
    }
    const noteWire = (/** @type {any} */ wire) =>
      this.faults.push(`${workerId} was heard out of turn: ${describeWire(wire)}`);
    const whenIdle = this.expected.onlyResponds ? undefined : noteWire;
    this.ends.set(workerId, new ChannelEnd(channel, wireKind, whenIdle));
    this.onEnd();
  }

  /** @returns {Guest[]} */
  guests() {
    return this.workerIds.map((workerId) => ({
      workerId,
      remote: /** @type {import('./remote.js').Seat} */ (this.seats.get(workerId)),
      end: /** @type {ChannelEnd} */ (this.ends.get(workerId)),
    }));
  }

  /** @returns {Guest[]} */
  talkers() {
    const guests = this.guests();
    return this.expected.isCostly && !IS_LONG ? guests.slice(0, 1) : guests;
  }

  /**
   * Sends one message there and back, starting at the end that may send first.
   * @param {Guest} guest
   * @param {string} content
   */
  async echo({ remote, end }, content) {
    if (this.expected.onlyResponds) await remote.ask('echo', { content });
    else await end.echo(wireOf(this.variant.wireKind, content));
  }

  /**
   * Both ends of each channel send at once, or the workers send requests if this end only responds.
   * @param {import('./wires.js').Recipe} recipe
   * @param {{ blockMs?: number, greatestBytes?: number, guests?: Guest[] }} [how]    blockMs: those who are to be waited for
   *     read nothing at first: the workers, or this end where it only answers; guests: who talks,
   *     absent: all, or the first one where messages are costly
   * @returns {Promise<number>} how often send() asked to wait, at the end that was not blocked
   */
  async talk(
    recipe,
    { blockMs = 0, greatestBytes = this.context.maxMessageBytes, guests = this.talkers() } = {},
  ) {
    const { expected } = this;
    const talks = guests.map(async ({ workerId, remote, end }) => {
      const self = `host of ${this.name} to ${workerId}`;
      const peer = `${workerId} of ${this.name}`;
      const talk = { recipe, self, peer, greatestBytes, expected };
      const run = expected.onlyResponds ? end.prepareResponses(talk) : end.prepare(talk);
      await remote.ask('prepare', { ...talk, self: peer, peer: self });
      const asking = remote.ask('talk', { blockMs: expected.onlyResponds ? 0 : blockMs }, TALK_DEADLINE_MS);
      if (expected.onlyResponds) block(blockMs);
      const [own, theirs] = await Promise.all([run(), asking]);
      return expected.onlyResponds ? theirs : own;
    });
    return (await Promise.all(talks)).reduce((sum, pauses) => sum + pauses, 0);
  }

  async closeListener() {
    await within(STEP_DEADLINE_MS, 'close() of the listener', this.listener?.close() ?? Promise.resolve());
  }

  async closeChannels() {
    const closings = [...this.ends.values()].map(({ channel }) => channel.close());
    await within(STEP_DEADLINE_MS, 'close() of each channel', Promise.all(closings));
  }

  /** Closes all open channels, and waits until each worker has ended by itself. */
  async endWorkers() {
    await this.closeChannels();
    await this.group.leave();
  }

  /** Closes everything, even after a failure. */
  async end() {
    const [workers] = await Promise.allSettled([this.hasOwnGroup ? this.endWorkers() : this.closeChannels()]);
    const [listener] = await Promise.allSettled([this.closeListener()]);
    await rm(this.scratchDir, { recursive: true, force: true });
    for (const ending of [workers, listener]) if (ending.status === 'rejected') throw ending.reason;
  }
}
