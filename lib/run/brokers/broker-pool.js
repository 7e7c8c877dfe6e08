// The private brokers of a run: each is started when the first launch needs it, in a folder and on CPUs of its own, is kept for the
// launches that follow, is replaced when it has died, and ends with the pool. A pool runs where its brokers run: in the runner, in
// an agent, or in a process in the network of a launch.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_VARIABLE } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { loadTransport } from '../../launch/launch-spec.js';
import { detectNet } from '../../plan/skip-reasons.js';

/** @import { LaunchSpec, AssignedBroker } from '../../launch/launch-spec.js' */
/** @import { Broker, BrokerPlace, Environment, Options, RunningBroker, Transport } from '../../types/index.js' */
/** @import { NetworkOfLaunch, Prepared } from '../cell-runner.js' */
/** @typedef {Record<string, string | number | boolean>} Settings */
/**
 * @typedef {RunningBroker & { name: string, cpus: number[] | null, causeOfDeath: string | null, deaths: string[] }} PooledBroker
 *   deaths: why those died whose place it took, until that is recorded
 */
/** @typedef {Pick<PooledBroker, 'name' | 'pid' | 'cpus'> & { causeOfDeath: () => string | null }} OwnBroker */
/** @typedef {{ brokerUrl: string | null, broker: OwnBroker | null }} HopBroker   broker: null: there is none, or it is not ours */
/** @typedef {{ transport: Pick<Transport, 'broker'>, settings: Settings, brokerUrl: string | null, cpus: number[] | null }} Hop   brokerUrl: null: not given by the user */
/**
 * What served a launch, as plain data. noted: as the environment of the results has it; brokers: of its hops; null: there is none, or it
 * is not ours.
 * @typedef {{ noted: Environment['brokers'], brokers: (AssignedBroker | null)[] }} Served
 */
/** @typedef {Pick<LaunchSpec, 'transportUrl' | 'settings' | 'brokerUrl' | 'toMaster'>} LaunchHops */

const FULL = ['ENOSPC', 'EDQUOT', 'EROFS']; // what is written to an open file tells no path
const SUFFIX_TO_MASTER = '-to-master'; // of the name of the second broker of a relay
const BETWEEN = ' / ';

export class BrokerPool {
  /**
   * @param {string} scratchPath
   * @param {{ signal?: AbortSignal, bindAddress?: string }} [place]   signal: starts are given up; bindAddress: that what listens on a
   *   port binds to
   */
  constructor(scratchPath, { signal, bindAddress } = {}) {
    this.scratchPath = scratchPath;
    this.bindAddress = bindAddress;
    this.starts = new AbortController();
    this.started = 0;
    /** @type {Map<string, Promise<PooledBroker>>} */
    this.running = new Map();
    if (signal?.aborted) this.giveUp(signal.reason);
    else signal?.addEventListener('abort', () => this.giveUp(signal.reason), { once: true });
  }

  /**
   * @param {Hop[]} hops     of one launch: each has a broker of its own
   * @param {Environment['brokers']} [noted]   the private brokers are recorded here
   * @returns {Promise<{ hops: HopBroker[], served: Served }>}
   */
  async serve(hops, noted = {}) {
    /** @type {HopBroker[]} */
    const served = [];
    for (const [index, { transport, settings, brokerUrl, cpus }] of hops.entries()) {
      const definition = transport.broker;
      if (brokerUrl !== null || definition === undefined) {
        served.push({ brokerUrl, broker: null });
        continue;
      }
      const suffix = index === 0 ? '' : SUFFIX_TO_MASTER;
      const broker = await this.acquire(definition, settings, cpus, suffix);
      recordBroker(noted, broker);
      broker.deaths = []; // recorded once, whichever launch comes next
      const own = { ...broker, name: `${broker.name}${suffix}`, causeOfDeath: () => broker.causeOfDeath };
      served.push({ brokerUrl: broker.url, broker: own });
    }
    return { hops: served, served: { noted, brokers: served.map((hop) => assignedHop(hop).broker) } };
  }

  /**
   * @param {Broker} broker
   * @param {Settings} settings
   * @param {number[] | null} cpus
   * @param {string} [hop]   for which it is another one; absent: the usual
   * @returns one that lives
   */
  async acquire(broker, settings, cpus, hop = '') {
    const key = JSON.stringify([broker.name, settingsOfStart(broker, settings), cpus, hop]);
    // Several launches may ask at the same time: the first one starts it.
    const starting = this.living(this.running.get(key), (deaths) =>
      this.start(broker, settings, cpus, deaths),
    );
    this.running.set(key, starting);
    starting.catch(() => this.running.get(key) === starting && this.running.delete(key));
    return starting;
  }

  /** @param {Promise<PooledBroker> | undefined} known @param {(deaths: string[]) => Promise<PooledBroker>} start   one in its place */
  async living(known, start) {
    const running = await known;
    if (running !== undefined && running.causeOfDeath === null) return running;
    return start(running === undefined ? [] : [String(running.causeOfDeath)]);
  }

  /** @param {Broker} broker @param {Settings} settings @param {number[] | null} cpus @param {string[]} deaths */
  async start(broker, settings, cpus, deaths) {
    const scratchDir = join(this.scratchPath, `b${this.started}`);
    this.started += 1;
    const { bindAddress, starts } = this;
    const place = { scratchDir, settings, cpus, bindAddress, signal: starts.signal };
    const running = await startIn(broker, place);
    /** @type {PooledBroker} */
    const pooled = { ...running, name: broker.name, cpus, causeOfDeath: null, deaths };
    running.died.then((cause) => {
      pooled.causeOfDeath = cause;
    });
    return pooled;
  }

  /** No broker starts any more: the launch that needs it is given up. @param {unknown} reason */
  giveUp(reason) {
    this.starts.abort(reason);
  }

  async close() {
    this.giveUp(new Error('its run is over'));
    const brokers = await Promise.allSettled(this.running.values());
    this.running.clear();
    await Promise.all(brokers.map((broker) => broker.status === 'fulfilled' && broker.value.close()));
  }
}

/** @param {Broker} broker @param {Settings} settings */
function settingsOfStart({ dependsOn }, settings) {
  return dependsOn === undefined ? settings : dependsOn.map((name) => settings[name]);
}

/** @param {Broker} broker @param {BrokerPlace} place   whose folder is made */
async function startIn(broker, place) {
  try {
    await mkdir(place.scratchDir, { mode: 0o700 });
    return await broker.start(place);
  } catch (cause) {
    const { code, path, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const isOfFiles = path?.startsWith(place.scratchDir) || FULL.includes(code ?? '');
    if (cause instanceof BenchError || !isOfFiles) throw cause;
    const what = `the private ${broker.name} cannot keep its files in ${place.scratchDir} (${message})`;
    throw new BenchError(
      'SCRATCH_UNUSABLE',
      `${what}: set ${TEMPORARY_VARIABLE} to a folder that can be written`,
      {
        cause,
      },
    );
  }
}

/** @param {LaunchHops} launch @returns {Pick<LaunchSpec, 'transportUrl' | 'settings' | 'brokerUrl'>[]} */
function listHops({ toMaster, ...first }) {
  return toMaster === null ? [first] : [first, toMaster];
}

/** @param {LaunchHops} launch @returns how many private brokers it needs */
export async function countPrivate(launch) {
  const hops = await loadHops(launch, []);
  return hops.filter(({ transport, brokerUrl }) => brokerUrl === null && transport.broker !== undefined)
    .length;
}

/**
 * @param {LaunchHops} launch   of a runner elsewhere
 * @param {number[][]} cpus     of its private brokers; none: they are not pinned
 * @returns {Promise<Hop[]>}
 */
export function loadHops(launch, cpus) {
  const hops = listHops(launch).map(async ({ transportUrl, settings, brokerUrl }, index) => {
    const own = index === 0 ? cpus[0] : cpus.at(-1);
    return { transport: await loadTransport({ transportUrl }), settings, brokerUrl, cpus: own ?? null };
  });
  return Promise.all(hops);
}

/** @param {HopBroker} hop @returns {Pick<LaunchSpec, 'brokerUrl' | 'broker'>} as plain data */
export function assignedHop({ brokerUrl, broker }) {
  return { brokerUrl, broker: broker && { name: broker.name, pid: broker.pid, cpus: broker.cpus } };
}

/** @param {LaunchSpec} spec @param {HopBroker[]} hops @returns {LaunchSpec} with them */
export function withHops(spec, hops) {
  const [first, onward] = hops.map(assignedHop);
  const { toMaster } = spec;
  return { ...spec, ...first, toMaster: toMaster && { ...toMaster, ...onward } };
}

/** @param {LaunchSpec} spec @param {Served} served @returns {LaunchSpec} with the brokers that served it elsewhere */
export function withBrokers(spec, { brokers: [broker, ofLast = null] }) {
  const { toMaster } = spec;
  return { ...spec, broker, toMaster: toMaster && { ...toMaster, broker: ofLast } };
}

/** @param {HopBroker[]} hops @returns of their brokers; null: one of them is not ours, and nobody can tell what it uses */
export function listBrokerPids(hops) {
  if (hops.some(({ brokerUrl, broker }) => brokerUrl !== null && broker === null)) return null;
  return hops.flatMap(({ broker }) => broker?.pid ?? []);
}

/**
 * What the results say of a private broker. One name may stand for several servers of a run, since a cell's settings can make a
 * broker another one: durable, or reached another way.
 * @param {Environment['brokers']} brokers
 * @param {Pick<RunningBroker, 'version' | 'config'> & { name: string, deaths?: string[] }} started
 */
export function recordBroker(brokers, { name, version, config, deaths = [] }) {
  /** @type {Pick<Environment['brokers'][string], 'config' | 'deaths'>} */
  const known = Object.hasOwn(brokers, name) ? brokers[name] : { config: {} };
  const all = [...(known.deaths ?? []), ...deaths];
  const own = { version, config: joined(known.config, config), origin: /** @type {const} */ ('private') };
  brokers[name] = { ...own, ...(all.length > 0 && { deaths: all }) };
}

/**
 * @param {Record<string, string>} known
 * @param {Record<string, string>} config
 * @returns {Record<string, string>} with all values that a setting had, in an order that is not that of the launches
 */
function joined(known, config) {
  const entries = Object.entries(config).map(([key, value]) => {
    const values = Object.hasOwn(known, key) ? known[key].split(BETWEEN) : [];
    return [key, [...new Set([...values, ...value.split(BETWEEN)])].sort().join(BETWEEN)];
  });
  return { ...known, ...Object.fromEntries(entries) };
}

/** @typedef {{ options: Pick<Options, 'brokerUrls'>, environment: Pick<Environment, 'brokers'>, brokers: BrokerPool | null }} Run   brokers: null: private ones are started elsewhere */

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns given by the user */
function givenUrl({ brokerUrls }, broker) {
  return broker !== undefined && Object.hasOwn(brokerUrls, broker.name) ? brokerUrls[broker.name] : null;
}

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns a private one has to be started */
export function isPrivate(options, broker) {
  return broker !== undefined && givenUrl(options, broker) === null;
}

export class LaunchBrokers {
  /** @param {Run} run @param {AbortSignal} signal */
  constructor(run, signal) {
    this.run = run;
    this.signal = signal;
  }

  /** @param {Prepared} prepared @param {NetworkOfLaunch | null} network @returns of its transport, and of that by which the master is reached */
  async open({ spec, transport, transportToMaster, places, privateBrokers }, network) {
    const { settings, toMaster } = spec;
    const cpus = places?.brokers ?? [];
    if (network !== null && privateBrokers > 0) {
      const { hops, noted } = await network.serve({ launch: asLaunch(spec), cpus }, this.signal);
      this.note(noted);
      return hops;
    }
    const hops = [await this.hopOver(transport, settings, cpus[0])];
    if (transportToMaster !== null && toMaster !== null)
      hops.push(await this.hopOver(transportToMaster, toMaster.settings, cpus.at(-1)));
    const { brokers, environment } = this.run;
    if (brokers === null) return hops.map(({ brokerUrl }) => ({ brokerUrl, broker: null }));
    return (await brokers.serve(hops, environment.brokers)).hops;
  }

  /**
   * A broker of the user's own is asked once in a run what it is.
   * @param {Transport} transport
   * @param {Hop['settings']} settings   all of them
   * @param {number[] | null} [cpus]
   * @returns {Promise<Hop>}
   */
  async hopOver(transport, settings, cpus = null) {
    const { options, environment } = this.run;
    const { broker } = transport;
    const brokerUrl = givenUrl(options, broker);
    if (broker !== undefined && brokerUrl !== null && environment.brokers[broker.name] === undefined) {
      const described = await broker.describe?.(brokerUrl).catch(() => null);
      if (described) {
        const hasNet = Object.hasOwn(transport.settings ?? {}, 'net');
        const config = hasNet ? { net: detectNet(brokerUrl), ...described.config } : described.config;
        environment.brokers[broker.name] = { ...described, config, origin: 'url' };
      }
    }
    return { transport, settings, brokerUrl, cpus };
  }

  /** @param {LaunchSpec} spec @param {Served} [served]   elsewhere; absent: by those that it says @returns with those that there were */
  added(spec, served) {
    if (served === undefined) return spec;
    this.note(served.noted);
    return withBrokers(spec, served);
  }

  /** @param {Served['noted']} brokers   that were started elsewhere */
  note(brokers) {
    for (const [name, { version, config, deaths }] of Object.entries(brokers))
      recordBroker(this.run.environment.brokers, { name, version, config, deaths });
  }
}

/** @param {Prepared['spec']} spec @returns {LaunchHops} of which all brokers are private ones */
function asLaunch({ transportUrl, settings, toMaster }) {
  const none = { brokerUrl: null, broker: null };
  return { transportUrl, settings, ...none, toMaster: toMaster && { ...toMaster, ...none } };
}
