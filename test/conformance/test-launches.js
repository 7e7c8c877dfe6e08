// The launches of the suite: the main launch, which all tests share, further ones for single tests, and unauthenticated peers, which
// connect in the background, since it takes time to reject them.

import { resolveTraits } from '../../lib/cell/traits.js';
import { connectSilently, listSocketAddresses } from './intruders.js';
import { Launch } from './launch.js';
import { Group } from './processes-group.js';
import { wireOf } from './wires.js';

/** @import { Transport } from '../../lib/types/index.js' */
/** @import { Variant } from './launch.js' */
/** @import { SocketAddress } from './intruders.js' */
/** @typedef {{ name: string, workers: number, maxMessageBytes?: number, bindAddress?: string }} LaunchSize */
/** @typedef {(launches: TestLaunches) => Promise<string | void>} Test     resolves with a reason if it does not apply */
/**
 * @typedef {object} MainLaunch
 * @property {Launch} launch
 * @property {SocketAddress[]} socketAddresses             to which any process can connect
 * @property {Promise<void>} impostor     resolves when it is rejected, and its process has ended if it has one
 * @property {Promise<boolean>} impostorIsCounted
 * @property {Promise<void>} silentOnes   resolves when they are rejected
 */

const MAX_BYTES = 16_777_216; // 16 MiB
const VALUE_ENVELOPE_BYTES = 1_024; // upper bound of the overhead of a serialising channel
const WRONG_TOKEN = '0'.repeat(32);
const WELCOME_MS = 8_000; // a worker waits some seconds for the welcome
const TURNED_AWAY_MS = 2_000;

/** @type {Pick<MainLaunch, 'impostor' | 'impostorIsCounted' | 'silentOnes'>} */
const NO_INTRUDERS = {
  impostor: Promise.resolve(),
  impostorIsCounted: Promise.resolve(false),
  silentOnes: Promise.resolve(),
};

export class TestLaunches {
  /**
   * @param {Transport} transport
   * @param {Variant} variant
   * @param {Group} [group]     of workers that remain from earlier launches
   */
  constructor(transport, variant, group = new Group()) {
    this.transport = transport;
    this.variant = variant;
    this.group = group;
    const { greatestMessageBytes, reconnects } = resolveTraits(transport, variant.settings);
    this.greatestBytes = Math.min(MAX_BYTES, greatestMessageBytes);
    this.reconnects = reconnects === true;
    /** @type {Promise<MainLaunch> | null} */
    this.opened = null;
    /** @type {Map<string, Promise<Launch>>} by name */
    this.others = new Map();
  }

  /**
   * @param {Test} test
   * @returns {Promise<string | void>}
   */
  async run(test) {
    try {
      const reason = await test(this);
      if (this.opened !== null) assertNoFaults((await this.opened).launch);
      for (const other of this.others.values()) assertNoFaults(await other);
      return reason;
    } catch (error) {
      // Messages that are left in the channels must not fail the next test.
      await this.clear().catch(() => {});
      throw error;
    }
  }

  /** @returns {Promise<MainLaunch>} */
  main() {
    this.opened ??= this.openMain();
    return this.opened;
  }

  /** @returns {Promise<MainLaunch>} */
  async openMain() {
    const launch = await opening(this.newLaunch({ name: 'the main launch', workers: 2 }));
    const { address } = launch.openListener();
    // Connections to a broker are not those of the transport.
    const socketAddresses =
      this.transport.broker === undefined ? await listSocketAddresses(address, launch.scratchDir) : [];
    if (!this.variant.hasIntruders) return { ...NO_INTRUDERS, launch, socketAddresses };
    const impostor = sendImpostor(launch, this.reconnects);
    // Awaited by the tests about it, perhaps much later.
    impostor.catch(() => {});
    // The impostor connects alone, or others might be counted in its place.
    const impostorIsCounted = Promise.race([launch.firstRejection, impostor.catch(() => {})]).then(
      () => launch.rejectedConnections.length > 0,
    );
    const silentOnes = impostorIsCounted.then(async () => {
      await Promise.all(socketAddresses.map(connectSilently));
    });
    silentOnes.catch(() => {});
    return { launch, socketAddresses, impostor, impostorIsCounted, silentOnes };
  }

  /**
   * @param {LaunchSize} size
   * @returns {Promise<Launch>} a further launch, which tests share by its name
   */
  beside(size) {
    const opened = this.others.get(size.name) ?? opening(this.newLaunch(size));
    this.others.set(size.name, opened);
    return opened;
  }

  /** @param {LaunchSize} size */
  newLaunch({ name, workers, maxMessageBytes, bindAddress }) {
    const envelopeBytes = this.variant.wireKind === 'value' ? VALUE_ENVELOPE_BYTES : 0;
    const size = {
      name,
      workers,
      bindAddress,
      maxMessageBytes: maxMessageBytes ?? this.greatestBytes + envelopeBytes,
    };
    return new Launch(this.transport, this.variant, size, this.reconnects ? this.group : undefined);
  }

  /** Ends all launches and workers; the next test gets new ones. */
  async clear() {
    const [launches] = await Promise.allSettled([this.endLaunches()]);
    await this.group.leave();
    if (launches.status === 'rejected') throw launches.reason;
  }

  /** Keeps workers that may connect again. */
  async endLaunches() {
    const opened = this.opened;
    this.opened = null;
    const [others] = await Promise.allSettled([this.endOthers()]);
    if (opened !== null) {
      const { launch, silentOnes, impostor } = await opened;
      await launch.end().finally(() => Promise.allSettled([silentOnes, impostor]));
    }
    if (others.status === 'rejected') throw others.reason;
  }

  /** All but the main one. */
  async endOthers() {
    const others = [...this.others.values()];
    this.others.clear();
    const endings = await Promise.allSettled(others.map(async (other) => (await other).end()));
    for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
  }

  /** @param {string} content */
  wire(content) {
    return wireOf(this.variant.wireKind, content);
  }
}

/** @param {Launch} launch @returns {Promise<Launch>} */
async function opening(launch) {
  try {
    return await launch.open();
  } catch (error) {
    await launch.end().catch(() => {});
    throw error;
  }
}

/** @param {Launch} launch */
function assertNoFaults(launch) {
  if (launch.faults.length > 0) throw new Error(`in ${launch.name}, ${launch.faults.slice(0, 3).join('; ')}`);
}

/**
 * A peer that knows the address but not the token, with the name w0: in a process of its own, or in that of a worker that may connect
 * again.
 * @param {Launch} launch
 * @param {boolean} reconnects
 */
async function sendImpostor(launch, reconnects) {
  // Only child processes have a fork channel.
  if (launch.openListener().adopt !== undefined) return;
  const [member] = reconnects ? launch.group.remotes.values() : [];
  if (member !== undefined) return assertRejected(launch, member);
  const remote = launch.forkWorker('an impostor');
  try {
    await assertRejected(launch, remote);
  } finally {
    await remote.leave();
  }
}

/**
 * @param {Launch} launch
 * @param {import('./remote.js').Remote} remote
 */
async function assertRejected(launch, remote) {
  const impostor = remote.seat('an impostor');
  const fate = await impostor.ask('intrude', launch.guestDetails('w0', WRONG_TOKEN), WELCOME_MS);
  if (fate !== 'has a channel') return;
  const isAway = await impostor.ask('closed', { deadlineMs: TURNED_AWAY_MS }).then(
    () => true,
    () => false,
  );
  await impostor.ask('close');
  if (!isAway) throw new Error('a peer without the token got a channel, and kept it');
}
