// One launch on several hosts, in place of runLaunch: its leader is started by one agent, its workers by others. It counts whole or
// fails whole, with the first cause that is known, and nobody works on at a launch that has failed.

import { randomBytes } from 'node:crypto';
import { BenchError } from '../errors.js';
import { builtins } from '../plugins/builtins.js';
import { codeOf } from './code-facts.js';

/** @import { LaunchEnd } from '../conductor/launch.js' */
/** @import { ProcessCost } from '../types/launches.js' */
/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Engine, HostNoise, LeadOrder, News, Order, OrderEnd, Plugins, Start, GivenOrder } from '../types/hosts.js' */
/** @import { HostChoice } from '../types/plans.js' */
/** @typedef {Extract<OrderEnd, { status: 'led' }>} Led */
/** @typedef {Extract<OrderEnd, { status: 'worked' }>} Worked */
/** @typedef {Extract<LaunchEnd, { kind: 'failed' }>['phase']} Phase */

const SLACK_MS = 15_000; // for orders, their ends, and what an agent does before and after a launch
const BROKERS_START_MS = 60_000; // each has a deadline of its own
const LEADER_NOTICED_MS = 3_700; // all of it is told within 4 s
const LAST_WORDS_MS = 2_000; // for the agents of the workers, once the leader has ended

/** @param {'transport' | 'codec' | 'scenario'} kind @param {string} url @returns {string} */
function nameOf(kind, url) {
  const [name] = Object.entries(builtins(kind)).find(([, own]) => own === url) ?? [];
  if (name === undefined)
    throw new BenchError('HOST', `agents run no ${kind} of ${url}: only those that are built in`);
  return name;
}

/** @param {Assignment} assignment @returns {Plugins} */
function pluginsOf({ transportUrl, codecUrl, scenarioUrl, toMaster }) {
  return {
    transport: nameOf('transport', transportUrl),
    codec: codecUrl === null ? null : nameOf('codec', codecUrl),
    scenario: nameOf('scenario', scenarioUrl),
    toMaster: toMaster && nameOf('transport', toMaster.transportUrl),
  };
}

/** @param {Pick<HostChoice, 'workers'>} hosts @param {number} count @returns {Record<string, string>} host of each worker, in turn */
function hostsOfWorkers({ workers }, count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`w${index}`, workers[index % workers.length]]),
  );
}

/** @param {HostNoise[]} all   of each host @returns {HostNoise} of the one that was disturbed most, reading by reading */
function worstOf(all) {
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

/** @param {ProcessCost} cost @param {Record<string, number[] | null>} cpus   of workers on other hosts @returns {ProcessCost} */
function withCpus(cost, cpus) {
  if (!Object.hasOwn(cpus, cost.name)) return cost;
  const { helperCpus: _ofTheLeader, ...own } = cost;
  return { ...own, cpus: cpus[cost.name] };
}

class LaunchAcross {
  /** @param {Engine} engine @param {HostChoice} choice @param {Assignment} assignment @param {Start & Pick<LeadOrder, 'run'>} start */
  constructor(engine, choice, assignment, { run, ...start }) {
    this.run = run;
    this.engine = engine;
    this.choice = choice;
    this.assignment = assignment;
    this.hosts = hostsOfWorkers(choice, assignment.cell.workers);
    this.plugins = pluginsOf(assignment);
    this.base = { ...codeOf(this.plugins), ...start };
    /** @type {Phase} */
    this.phase = 'start';
    /** @type {GivenOrder[]} */
    this.works = [];
    /** @type {Promise<Worked & { host: string }>[]} */
    this.worked = [];
    /** Rejects with what was known first. */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // it is raised where the end of the leader is waited for
  }

  /** @param {string} agent @param {Order} order @param {(news: News) => void} [onNews] @returns {Promise<any>} how it ended */
  async hand(agent, order, onNews = () => {}) {
    const work = this.engine.hand(agent, this.assignment.launchId, order, onNews);
    this.works.push(work);
    const end = await work.ended;
    if (end.status !== 'refused') return end;
    // The leader's agent may be gone, which explains it better and is about to be noticed.
    if (end.isHangUp) await new Promise((resolve) => setTimeout(resolve, LEADER_NOTICED_MS).unref());
    throw new BenchError('HOST', `host ${agent}: ${end.message}`);
  }

  /** @param {(phase: Phase) => void} [onPhase] @returns {Promise<Led>} */
  lead(onPhase) {
    const { base, run, plugins, hosts, assignment, choice } = this;
    const between = Object.keys(assignment.cpus?.others ?? {});
    return this.hand(
      choice.master,
      { ...base, kind: 'lead', run, assignment, plugins, hosts, between },
      (news) => {
        if (news.news === 'port') this.startWorkers(news);
        else {
          this.phase = /** @type {Phase} */ (news.phase);
          onPhase?.(this.phase);
        }
      },
    );
  }

  /** @param {{ address: string, folder: string }} leader   its control port, and its folder */
  startWorkers({ address, folder }) {
    // News may come twice, orders may not be given twice.
    if (this.worked.length > 0) return;
    const { base, hosts, assignment, choice } = this;
    for (const host of choice.workers) {
      const ids = Object.keys(hosts).filter((id) => hosts[id] === host);
      if (ids.length === 0) continue;
      const { token, cell } = assignment;
      const isPinned = cell.placement !== 'free';
      const shared = choice.sharesFolder ? { folder } : {};
      const ended = this.hand(host, { ...base, kind: 'work', address, token, ids, isPinned, ...shared });
      const named = ended.then((end) => ({ ...end, host }));
      named.catch(this.fail);
      this.worked.push(named);
    }
  }

  /** @param {Led} led @returns {Promise<LaunchEnd>} with what the agents of the workers had to say */
  async whole({ end, noise }) {
    const late = new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS, null).unref());
    const settled = await Promise.all(this.worked.map((one) => Promise.race([one.catch(() => null), late])));
    const worked = settled.filter((one) => one !== null);
    if (end.kind === 'failed')
      return { ...end, stderr: [...end.stderr, ...worked.flatMap(({ stderr }) => stderr)] };
    const toLeader = Object.fromEntries(worked.map(({ host, roundTripUs }) => [host, { roundTripUs }]));
    const cpus = Object.assign({}, ...worked.map((each) => each.cpus));
    const costs = end.fields.costs.map((/** @type {ProcessCost} */ cost) => withCpus(cost, cpus));
    return {
      ...end,
      fields: { ...end.fields, costs, toLeader },
      noise: worstOf([noise, ...worked.map((each) => each.noise)]),
    };
  }

  stop() {
    for (const work of this.works) work.stop();
  }
}

/**
 * @param {Engine} engine
 * @param {HostChoice} choice
 * @param {'early' | 'usual'} tierUp   when V8 optimises there
 * @returns {typeof import('../conductor/launch.js').runLaunch}
 */
export function launchAcross(engine, choice, tierUp) {
  const run = randomBytes(8).toString('hex');
  return async (assignment, { padding, signal, onPhase, startsBrokers }) => {
    signal.throwIfAborted();
    const launch = new LaunchAcross(engine, choice, assignment, { padding, tierUp, run });
    const endMs = assignment.deadlines.lifeMs + SLACK_MS + (startsBrokers ? BROKERS_START_MS : 0);
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
