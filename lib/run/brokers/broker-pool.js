// The private brokers of a run. A broker starts with the first launch that needs it, in a separate folder and pinned to its CPUs. It serves
// later launches too, is replaced if it dies, and ends with the pool. The pool is in the process that starts the brokers: the runner, an
// agent, or a process in the network of a launch. Also determines the brokers of a launch, and records them in the results.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_VARIABLE } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { loadTransport } from '../../launch/launch-spec.js';
import { detectNet } from '../../plan/skip-reasons.js';

/** @import { LaunchSpec, AssignedBroker } from '../../launch/launch-spec.js' */
/** @import { Broker, BrokerStart, Environment, Options, RunningBroker, Settings, Transport } from '../../types/index.js' */
/** @import { NetworkOfLaunch, PreparedRun } from '../cell-runner.js' */
/**
 * @typedef {RunningBroker & { name: string, cpus: number[] | null, causeOfDeath: string | null, deaths: string[] }} PooledBroker
 *   cpus: null if it is not pinned; causeOfDeath: null while it runs; deaths: causes of death of the brokers that it replaces, until
 *   they are recorded in the results
 */
/**
 * @typedef {Pick<PooledBroker, 'name' | 'pid' | 'cpus'> & { causeOfDeath: () => string | null }} PrivateBroker   causeOfDeath: returns null
 *   while it runs
 */
/**
 * @typedef {{ brokerUrl: string | null, broker: PrivateBroker | null }} HopBroker   brokerUrl: null without a broker, or if
 *   another host starts it; broker: null unless this host started it
 */
/**
 * @typedef {{ transport: Pick<Transport, 'broker'>, settings: Settings, brokerUrl: string | null, cpus: number[] | null }} Hop
 *   brokerUrl: the URL that the user gave, or null; cpus: of a private broker, null if it is not pinned
 */
/**
 * The brokers of a launch as plain data. `noted`: entries for the environment of the results; `brokers`: the private broker of each hop,
 * null for a hop without one.
 * @typedef {{ noted: Environment['brokers'], brokers: (AssignedBroker | null)[] }} Served
 */
/** @typedef {Pick<LaunchSpec, 'transportUrl' | 'settings' | 'brokerUrl' | 'toMaster'>} LaunchHops */

const FULL = ['ENOSPC', 'EDQUOT', 'EROFS']; // errors that contain no path if they come from an open file
const SUFFIX_TO_MASTER = '-to-master'; // for the name of the second broker of a relay
const BETWEEN = ' / ';

export class BrokerPool {
  /**
   * @param {string} scratchPath
   * @param {{ signal?: AbortSignal, bindAddress?: string }} [options]   `signal` cancels starts; `bindAddress` is for brokers with a port
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
   * @param {Hop[]} hops
   * @param {Environment['brokers']} [noted]   entries of brokers, to which those of the private brokers are added
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
      broker.deaths = []; // Deaths are recorded once, with the next launch.
      const name = `${broker.name}${suffix}`;
      served.push({
        brokerUrl: broker.url,
        broker: { ...broker, name, causeOfDeath: () => broker.causeOfDeath },
      });
    }
    return { hops: served, served: { noted, brokers: served.map((hop) => assignedHop(hop).broker) } };
  }

  /**
   * @param {Broker} broker
   * @param {Settings} settings
   * @param {number[] | null} cpus   null if it is not pinned
   * @param {string} [hop]   Different hops get different brokers.
   * @returns a broker that is alive
   */
  async acquire(broker, settings, cpus, hop = '') {
    const key = JSON.stringify([broker.name, settingsOfStart(broker, settings), cpus, hop]);
    // Several launches may need the broker at the same time. The first one starts it, and the others wait for that start.
    const starting = this.replaceDead(this.running.get(key), (deaths) =>
      this.start(broker, settings, cpus, deaths),
    );
    this.running.set(key, starting);
    starting.catch(() => this.running.get(key) === starting && this.running.delete(key));
    return starting;
  }

  /** @param {Promise<PooledBroker> | undefined} starting @param {(deaths: string[]) => Promise<PooledBroker>} start */
  async replaceDead(starting, start) {
    const running = await starting;
    if (running !== undefined && running.causeOfDeath === null) return running;
    return start(running === undefined ? [] : [String(running.causeOfDeath)]);
  }

  /** @param {Broker} broker @param {Settings} settings @param {number[] | null} cpus @param {string[]} deaths */
  async start(broker, settings, cpus, deaths) {
    const scratchDir = join(this.scratchPath, `b${this.started}`);
    this.started += 1;
    const { bindAddress, starts } = this;
    const start = { scratchDir, settings, cpus, bindAddress, signal: starts.signal };
    const running = await startIn(broker, start);
    /** @type {PooledBroker} */
    const pooled = { ...running, name: broker.name, cpus, causeOfDeath: null, deaths };
    running.died.then((cause) => {
      pooled.causeOfDeath = cause;
    });
    return pooled;
  }

  /** Cancels current and future starts. @param {unknown} reason */
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

/** @param {Broker} broker @param {BrokerStart} start */
async function startIn(broker, start) {
  try {
    await mkdir(start.scratchDir, { mode: 0o700 });
    return await broker.start(start);
  } catch (cause) {
    const { code, path, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const isOfFiles = path?.startsWith(start.scratchDir) || FULL.includes(code ?? '');
    if (cause instanceof BenchError || !isOfFiles) throw cause;
    const what = `the private ${broker.name} cannot keep its files in ${start.scratchDir} (${message})`;
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

/** @param {LaunchHops} launch @returns how many private brokers the launch needs */
export async function countPrivate(launch) {
  const hops = await loadHops(launch, []);
  return hops.filter(({ transport, brokerUrl }) => brokerUrl === null && transport.broker !== undefined)
    .length;
}

/**
 * @param {LaunchHops} launch   a launch on another host or in another network
 * @param {number[][]} cpus     CPUs for its private brokers; empty if they are not pinned
 * @returns {Promise<Hop[]>}
 */
export function loadHops(launch, cpus) {
  const hops = listHops(launch).map(async ({ transportUrl, settings, brokerUrl }, index) => {
    const assigned = index === 0 ? cpus[0] : cpus.at(-1);
    return { transport: await loadTransport({ transportUrl }), settings, brokerUrl, cpus: assigned ?? null };
  });
  return Promise.all(hops);
}

/** Converts a hop to plain data. @param {HopBroker} hop @returns {Pick<LaunchSpec, 'brokerUrl' | 'broker'>} */
export function assignedHop({ brokerUrl, broker }) {
  return { brokerUrl, broker: broker && { name: broker.name, pid: broker.pid, cpus: broker.cpus } };
}

/** Adds the brokers of this host to a spec. @param {LaunchSpec} spec @param {HopBroker[]} hops @returns {LaunchSpec} */
export function withHops(spec, hops) {
  const [first, onward] = hops.map(assignedHop);
  const { toMaster } = spec;
  return { ...spec, ...first, toMaster: toMaster && { ...toMaster, ...onward } };
}

/** Adds brokers of other hosts to a spec. @param {LaunchSpec} spec @param {Served} served @returns {LaunchSpec} */
export function withBrokers(spec, { brokers: [broker, lastBroker = null] }) {
  const { toMaster } = spec;
  return { ...spec, broker, toMaster: toMaster && { ...toMaster, broker: lastBroker } };
}

/** @param {HopBroker[]} hops @returns pids, or null if the user started one of the brokers */
export function listBrokerPids(hops) {
  if (hops.some(({ brokerUrl, broker }) => brokerUrl !== null && broker === null)) return null;
  return hops.flatMap(({ broker }) => broker?.pid ?? []);
}

/**
 * Adds a private broker to the results. A name may belong to several servers of a run, which differ by the settings of cells.
 * @param {Environment['brokers']} brokers
 * @param {Pick<RunningBroker, 'version' | 'config'> & { name: string, deaths?: string[] }} started
 */
export function recordBroker(brokers, { name, version, config, deaths = [] }) {
  /** @type {Pick<Environment['brokers'][string], 'config' | 'deaths'>} */
  const earlier = Object.hasOwn(brokers, name) ? brokers[name] : { config: {} };
  const all = [...(earlier.deaths ?? []), ...deaths];
  brokers[name] = {
    version,
    config: joinConfigs(earlier.config, config),
    origin: 'private',
    ...(all.length > 0 && { deaths: all }),
  };
}

/**
 * @param {Record<string, string>} earlier
 * @param {Record<string, string>} config
 * @returns {Record<string, string>} All values of a setting are joined and sorted.
 */
function joinConfigs(earlier, config) {
  const entries = Object.entries(config).map(([key, value]) => {
    const values = Object.hasOwn(earlier, key) ? earlier[key].split(BETWEEN) : [];
    return [key, [...new Set([...values, ...value.split(BETWEEN)])].sort().join(BETWEEN)];
  });
  return { ...earlier, ...Object.fromEntries(entries) };
}

/**
 * @typedef {{ options: Pick<Options, 'brokerUrls'>, environment: Pick<Environment, 'brokers'>, brokers: BrokerPool | null }} BrokerRun
 *   brokers: null if other hosts start the private brokers
 */

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns the URL that the user gave, or null */
function givenUrl({ brokerUrls }, broker) {
  return broker !== undefined && Object.hasOwn(brokerUrls, broker.name) ? brokerUrls[broker.name] : null;
}

/** @param {Pick<Options, 'brokerUrls'>} options @param {Broker | undefined} broker @returns {boolean} true if the run starts the broker */
export function isPrivate(options, broker) {
  return broker !== undefined && givenUrl(options, broker) === null;
}

export class LaunchBrokers {
  /** @param {BrokerRun} run @param {AbortSignal} signal */
  constructor(run, signal) {
    this.run = run;
    this.signal = signal;
  }

  /** Opens the brokers of all hops. @param {PreparedRun} prepared @param {NetworkOfLaunch | null} network   null without an emulated one */
  async open({ spec, transport, transportToMaster, cpuSets, privateBrokers }, network) {
    const { settings, toMaster } = spec;
    const cpus = cpuSets?.brokers ?? [];
    if (network !== null && privateBrokers > 0) {
      const { hops, noted } = await network.serve({ launch: asPrivate(spec), cpus }, this.signal);
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
   * Returns a hop of a launch, and records a broker of the user once per run.
   * @param {Transport} transport
   * @param {Hop['settings']} settings
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

  /** @param {LaunchSpec} spec @param {Served} [served]   brokers on other hosts; undefined without any */
  added(spec, served) {
    if (served === undefined) return spec;
    this.note(served.noted);
    return withBrokers(spec, served);
  }

  /** @param {Served['noted']} brokers   started by other processes */
  note(brokers) {
    for (const [name, { version, config, deaths }] of Object.entries(brokers))
      recordBroker(this.run.environment.brokers, { name, version, config, deaths });
  }
}

/** Removes assigned brokers, so that private ones are started. @param {PreparedRun['spec']} spec @returns {LaunchHops} */
function asPrivate({ transportUrl, settings, toMaster }) {
  const none = { brokerUrl: null, broker: null };
  return { transportUrl, settings, ...none, toMaster: toMaster && { ...toMaster, ...none } };
}
