// One launch on several hosts, in place of runLaunch: its controller is started by one agent, its workers by others. It counts whole or
// fails whole, with the first cause that is known, and nobody works on at a launch that has failed.

import { randomBytes } from 'node:crypto';
import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { makePortable } from '../launch/portable-spec.js';
import { describeCode, Installation } from './installation.js';
import { packMessages } from './sent-messages.js';

/** @import { LaunchEnd } from '../run/launch.js' */
/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { Engine, GivenOrder, HostChoice, HostNoise, LaunchOrderBase, News, Order, OrderEnd, Plugins, ProcessCost } from '../types/index.js' */
/** @typedef {Extract<LaunchEnd, { kind: 'failed' }>['phase']} Phase */

const SLACK_MS = 15_000; // for orders, their ends, and what an agent does before and after a launch
const BROKERS_START_MS = 60_000; // each has a deadline of its own
const CONTROLLER_NOTICED_MS = 3_700; // all of it is told within 4 s
const LAST_WORDS_MS = 2_000; // for the agents of the workers, once the controller has ended

/** @param {LaunchSpec} spec @param {Installation} installation @returns {Plugins} */
function namePlugins({ transportUrl, codecUrl, scenarioUrl, toMaster }, installation) {
  return {
    transport: installation.nameOf('transport', transportUrl),
    codec: codecUrl === null ? null : installation.nameOf('codec', codecUrl),
    scenario: installation.nameOf('scenario', scenarioUrl),
    toMaster: toMaster && installation.nameOf('transport', toMaster.transportUrl),
  };
}

/** @param {Pick<HostChoice, 'workers'>} hosts @param {number} count @returns {Record<string, string>} host of each worker, in turn */
function hostsOfWorkers({ workers }, count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`w${index}`, workers[index % workers.length]]),
  );
}

class LaunchAcross {
  /**
   * @param {Engine} engine
   * @param {HostChoice} choice
   * @param {LaunchSpec} spec
   * @param {{ run: string, installation: Installation, padding: string }} start
   */
  constructor(engine, choice, spec, { run, installation, padding }) {
    this.run = run;
    this.engine = engine;
    this.choice = choice;
    this.hosts = hostsOfWorkers(choice, spec.cell.workers);
    this.spec = spec;
    const plugins = namePlugins(spec, installation);
    /** @type {LaunchOrderBase} */
    this.base = {
      ...describeCode(installation.partsOf(plugins)),
      ...packMessages(spec),
      padding,
      plugins,
      line: randomBytes(16).toString('hex'),
      spec: makePortable({ ...spec, hosts: this.hosts }),
    };
    /** @type {Phase} */
    this.phase = 'start';
    /** @type {GivenOrder[]} */
    this.works = [];
    /** @type {Promise<OfHost<Worked>>[]} */
    this.worked = [];
    /** Rejects with what was known first. */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // it is raised where the end of the controller is waited for
  }

  /** @param {string} agent @param {Order} order @param {(news: News) => void} [onNews] @returns {Promise<any>} how it ended */
  async hand(agent, order, onNews = () => {}) {
    const work = this.engine.hand(agent, this.spec.launchId, order, onNews);
    this.works.push(work);
    const end = await work.ended;
    if (end.status !== 'refused') return end;
    // The controller's agent may be gone, which explains it better and is about to be noticed.
    if (end.isHangUp) await new Promise((resolve) => setTimeout(resolve, CONTROLLER_NOTICED_MS).unref());
    throw new BenchError('HOST', `host ${agent}: ${end.message}`);
  }

  /** @param {(phase: Phase) => void} [onPhase] @returns {Promise<Led>} */
  lead(onPhase) {
    return this.hand(this.choice.master, { ...this.base, kind: 'lead', run: this.run }, (news) => {
      if (news.news === 'awaiting') this.startWorkers(news);
      else {
        this.phase = /** @type {Phase} */ (news.phase);
        onPhase?.(this.phase);
      }
    });
  }

  /** @param {{ probeAddress: string, folder: string }} controller   folder: of the launch on its host */
  startWorkers({ probeAddress, folder }) {
    // News may come twice, orders may not be given twice.
    if (this.worked.length > 0) return;
    const { base, hosts, choice } = this;
    for (const host of choice.workers) {
      const ids = Object.keys(hosts).filter((id) => hosts[id] === host);
      if (ids.length === 0) continue;
      const shared = choice.sharesFolder ? { folder } : {};
      const work = { probeAddress, controller: choice.master, ids, ...shared };
      const ended = this.hand(host, { ...base, kind: 'work', ...work });
      const named = ended.then((end) => ({ ...end, host }));
      named.catch(this.fail);
      this.worked.push(named);
    }
  }

  /** @param {Led} led @returns {Promise<LaunchEnd>} with what the agents of the workers had to say */
  async whole(led) {
    const settled = await Promise.all(
      this.worked.map((one) =>
        withDeadline(
          one.catch(() => null),
          LAST_WORDS_MS,
          () => null,
        ),
      ),
    );
    return wholeEnd(
      { ...led, host: this.choice.master },
      settled.filter((one) => one !== null),
    );
  }

  stop() {
    for (const work of this.works) work.stop();
  }
}

/**
 * @param {Engine} engine
 * @param {HostChoice} choice
 * @param {Installation} [installation]   of this host
 * @returns {typeof import('../run/launch.js').runLaunch}
 */
export function launchAcross(engine, choice, installation = new Installation()) {
  const run = randomBytes(8).toString('hex');
  return async (spec, { padding, signal, onPhase, startsBrokers }) => {
    signal.throwIfAborted();
    const launch = new LaunchAcross(engine, choice, spec, { run, installation, padding });
    const endMs = spec.deadlines.lifeMs + SLACK_MS + (startsBrokers ? BROKERS_START_MS : 0);
    const deadline = setTimeout(() => {
      const message = `it did not finish within ${endMs} ms on its hosts: it hung during ${launch.phase}`;
      launch.fail(new BenchError('DEADLINE', message));
    }, endMs);
    const interrupt = () => launch.fail(new BenchError('INTERRUPTED', 'interrupted'));
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await launch.whole(await Promise.race([launch.lead(onPhase), launch.trouble]));
    } catch (error) {
      if (signal.aborted || !(error instanceof BenchError)) throw error;
      const { code, message } = error;
      return { kind: 'failed', code, message, phase: launch.phase, integrity: null, stderr: [] };
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', interrupt);
      launch.stop();
    }
  };
}

/** @typedef {Extract<OrderEnd, { status: 'led' }>} Led */
/** @typedef {Extract<OrderEnd, { status: 'worked' }>} Worked */
/**
 * @template T
 * @typedef {T & { host: string }} OfHost
 */

/** @param {HostNoise[]} all   of each host @returns {HostNoise} of the one that was disturbed most, reading by reading */
function selectWorst(all) {
  const most = (/** @type {keyof HostNoise} */ key) => {
    const known = all.map((noise) => noise[key]).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    othersShare: most('othersShare'),
    stealShare: most('stealShare'),
    pressureShare: most('pressureShare'),
    throttledPeriods: most('throttledPeriods'),
    spinRatio: Number(most('spinRatio')),
  };
}

/** @param {ProcessCost} cost @param {Record<string, number[] | null>} cpus   of workers on other hosts */
function withCpus(cost, cpus) {
  if (!Object.hasOwn(cpus, cost.name)) return cost;
  const { helperCpus: _ofTheController, ...own } = cost;
  return { ...own, cpus: cpus[cost.name] };
}

/**
 * @param {OfHost<Led>} led
 * @param {OfHost<Worked>[]} worked   those that had something to say in time
 * @returns {LaunchEnd}
 */
function wholeEnd(led, worked) {
  const { end } = led;
  if (end.kind === 'failed') {
    return { ...end, stderr: [...end.stderr, ...worked.flatMap(({ stderr }) => stderr)] };
  }
  const all = [led, ...worked];
  const cpus = Object.assign({}, ...worked.map((each) => each.cpus));
  return {
    ...end,
    fields: {
      ...end.fields,
      costs: end.fields.costs.map((/** @type {ProcessCost} */ cost) => withCpus(cost, cpus)),
      toController: Object.fromEntries(worked.map(({ host, roundTripUs }) => [host, { roundTripUs }])),
    },
    noise: {
      ...selectWorst(all.map(({ noise }) => noise)),
      hosts: Object.fromEntries(all.map(({ host, noise }) => [host, noise])),
    },
  };
}
