// Leads one launch from connect to drain: gives all others their orders, waits for them with deadlines, and puts together
// what all roles counted. It touches no message: that is the business of the halves.

import { sharedNowMs, toOwnMs } from '../machine/clock.js';
import { readOwnCost, readThreadCost } from '../machine/process-cost.js';
import { withValues } from '../scenario-kit/memory-per-connection.js';
import { keepTurning } from './busy-poll.js';
import { clocksOf } from './clock-comparison.js';
import { bringTogether, handedIn, part } from './gathering.js';
import { growConnections } from './grow-connections.js';
import { Killing } from './killing.js';
import { watchMemory } from './memory-watch.js';
import { networkUse, readNetwork } from './network-use.js';
import { profileFrom } from './profile.js';
import { watchStalls } from './stall.js';
import { takePlaces } from './take-places.js';
import { checkIntegrity, costs, masterReport, readBrokers, summed, workOf } from './tally.js';
import { watchTraffic } from './traffic.js';
import { watchWarmUp, watchWork } from './warm-up-watch.js';

/** @import { Half, LoadClock, Role } from '../types/scenarios.js' */
/** @import { Listener, Traits, Transport } from '../types/transports.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { Crew } from './crew.js' */
/** @import { LaunchReport, PhaseNews } from './protocol.js' */
/** @typedef {PhaseNews['phase']} Phase */

const START_MARGIN_MS = 20; // for the order to reach all workers before the instant it names
const WINDOW_MARGIN_MS = 50; // the same under load

/**
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {object} parts
 * @param {Listener} parts.listener
 * @param {Transport} parts.transport              of the cell
 * @param {Traits} parts.traits                   of all hops
 * @param {Half} parts.half                       of this process
 * @param {readonly Role[]} parts.roles           of the others
 * @param {(phase: Phase) => void} parts.enter    told at the start of each phase
 * @returns {Promise<Omit<LaunchReport, 'strangers'>>}
 */
export async function lead(assignment, crew, { listener, transport, traits, half, roles, enter }) {
  const { cell, deadlines, brokerUrl } = assignment;
  enter('connect');
  for (const { id, line, worker } of crew.members) listener.adopt?.(line, id, worker.streams);
  await bringTogether(assignment, crew, roles, listener.address);
  const endWatch = watchMemory(assignment, crew, half);
  const { connections } = cell;
  const values = connections === undefined ? {} : await growConnections(assignment, crew, connections);
  takePlaces(crew);

  const traffic = await watchTraffic(transport, brokerUrl);
  const answeredBefore = half.progress();
  const letSleep = cell.poll === 'busy' ? keepTurning() : undefined;
  const saveProfile = profileFrom(assignment.profileDir);
  /** @type {Awaited<ReturnType<typeof load>>} */
  let loaded;
  let perOperation = null;
  try {
    loaded = await load(assignment, crew, half, enter).finally(letSleep);
    saveProfile('master');
    enter('drain');
    perOperation = await traffic.perOperation(half.progress() - answeredBefore);
  } finally {
    traffic.close();
  }
  const { warmup, from, to, reports, stallMs, killed } = loaded;
  if (half.settled !== undefined) await Promise.race([half.settled(reports), crew.trouble]);
  endWatch();
  await part(crew, roles, deadlines.exitMs);
  const all = [...reports, masterReport(withValues(half.report(), values), reports)];
  const losses = checkIntegrity(all, traits);
  return {
    warmup,
    ...summed(all),
    reports: all,
    costs: costs(assignment, from, to, reports, killed),
    stallMs,
    traffic: perOperation,
    losses,
    ...(assignment.network && { network: networkUse(assignment.network.facts, from.network, to.network) }),
    threadIds: crew.threadIds(),
    ...clocksOf(crew.members),
  };
}

/**
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {Half} half
 * @param {(phase: Phase) => void} enter
 */
async function load(assignment, crew, half, enter) {
  const { timing } = assignment;
  enter('warm-up');
  const startMs = sharedNowMs() + START_MARGIN_MS;
  crew.tellAll({ control: 'start', atMs: startMs });
  half.run?.(toOwnMs(startMs)).catch(crew.fail);
  // The window is announced while the loops warm up, so that a fixed warm-up is exactly as long as it was asked to be.
  const marginMs = Math.min(WINDOW_MARGIN_MS, timing.warmupMs ?? WINDOW_MARGIN_MS);
  const answered = () => half.progress();
  const work = watchWork(assignment, crew.areThreads, answered);
  const isWarm = () => work.every((watch) => watch.isWarm) && crew.haveAllSaid('warm');
  const watched = { answered, isWarm, trouble: crew.trouble, onBin: () => rehearse(assignment, crew) };
  const warmup = await watchWarmUp(watched, timing, marginMs).finally(() => {
    for (const watch of work) watch.end();
  });
  const fromMs = Math.max(sharedNowMs() + marginMs, startMs + (timing.warmupMs ?? 0));
  warmup.ms = fromMs - startMs;
  const toMs = timing.messages === null ? fromMs + timing.measureMs : null;
  crew.tellAll({ control: 'measure', fromMs });
  if (half.meter !== undefined) scheduleOwn(half, half.meter, { fromMs, toMs, binMs: timing.binMs });
  enter('measure'); // said before the window opens: the conductor has to be asleep by then
  const { workAtOpen, ...measured } = await watchWindow(assignment, crew, half, work, { fromMs, toMs });
  const [own, ...ofBroker] = workAtOpen;
  return { warmup: { ...warmup, work: workOf(own, measured.reports, ofBroker) }, ...measured };
}

/**
 * Of a master that has a load of its own: a half that only answers has none, and nothing is scheduled for it.
 * @param {Half} half
 * @param {LoadClock} meter
 * @param {{ fromMs: number, toMs: number | null, binMs: number }} window
 */
function scheduleOwn(half, meter, { fromMs, toMs, binMs }) {
  const ends = { fromMs: toOwnMs(fromMs), toMs: toMs === null ? Infinity : toOwnMs(toMs) };
  meter.schedule({ ...ends, binMs, onOpen: () => half.opened?.(), onClose: () => half.closed?.() });
  // Without a message nobody would look at the clock.
  for (const atMs of Object.values(ends)) {
    if (atMs !== Infinity) meter.tickAt(atMs);
  }
}

/**
 * Does during warm-up what opens a window: an order to all, a reading of costs. V8 compiles the code that they share
 * with the messages for what it has seen, and would throw it away in the first moment of the window: a fifth of the first
 * 80 ms was lost by it.
 * @param {Assignment} assignment
 * @param {Crew} crew
 */
function rehearse(assignment, crew) {
  // Of the same fields as the order that it stands for: over `pipe` it is one more message of the measured channel.
  crew.tellAll({ control: 'rehearse', fromMs: sharedNowMs() });
  readCosts(assignment, crew);
}

/**
 * The master's own cost, and that of a broker, are read at the two ends of the window; nothing else happens here
 * while it is open.
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {Half} half
 * @param {import('./work-watch.js').WorkWatch[]} work    of the processes that the master looks after
 * @param {{ fromMs: number, toMs: number | null }} window
 */
async function watchWindow(assignment, crew, half, work, { fromMs, toMs }) {
  const { deadlines, kills } = assignment;
  const killing = new Killing(kills, crew);
  const read = () => {
    const costs = readCosts(assignment, crew);
    return { ...costs, own: killing.without(costs.own) };
  };
  const stalls = watchStalls();
  await Promise.race([waitUntil(fromMs), crew.trouble]);
  stalls.open();
  const workAtOpen = work.map((watch) => watch.end());
  const from = read();
  /** @type {Promise<void> | null} */
  let killed = null;
  if (kills > 0 && toMs !== null) {
    killing.open();
    await Promise.race([waitUntil((fromMs + toMs) / 2), crew.trouble]);
    killed = killing.kill(half);
  }
  if (toMs !== null) await Promise.race([waitUntil(toMs), crew.trouble]);
  const close = () => ({ to: read(), stallMs: stalls.close() });
  const closed = toMs === null ? null : close();
  const reports = await handedIn(crew, toMs === null ? deadlines.lifeMs : deadlines.finishMs);
  await Promise.race([killed, crew.trouble]);
  return { from, reports, workAtOpen, killed: killing.costs, ...(closed ?? close()) };
}

/** @param {Assignment} assignment @param {Crew} crew @returns {import('./tally.js').Readings} */
function readCosts({ network, ...assignment }, crew) {
  return {
    own: readOwnCost(),
    thread: crew.areThreads ? readThreadCost() : undefined,
    brokers: readBrokers(assignment),
    network: network === null ? null : readNetwork(network),
  };
}

/** @param {number} sharedMs */
function waitUntil(sharedMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, toOwnMs(sharedMs) - performance.now()));
    timer.unref(); // a launch that failed meanwhile must not wait for the end of its window
  });
}
