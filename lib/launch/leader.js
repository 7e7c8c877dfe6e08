// Leads one launch from connect to drain: gives all others their orders, waits for them with deadlines, and puts together
// what all roles counted. It touches no message: that is the business of the halves.

import { BenchError } from '../errors.js';
import { sharedNowMs, toOwnMs } from '../machine/clock.js';
import { withValues } from '../scenario-kit/memory-per-connection.js';
import { instrumentsOf } from './assignment.js';
import { keepTurning } from './busy-poll.js';
import { clocksOf, slowestExchangeMs } from './clock-comparison.js';
import { prepareEngine } from './engine.js';
import { bringTogether, part } from './gathering.js';
import { growConnections } from './grow-connections.js';
import { thisProcess } from './master-process.js';
import { watchMemory } from './memory-watch.js';
import { networkUse } from './network-use.js';
import { takePlaces } from './take-places.js';
import { checkIntegrity, costs, masterReport, summed, workOf } from './tally.js';
import { watchTraffic } from './traffic.js';
import { watchWarmUp, watchWork } from './warm-up-watch.js';
import { REHEARSALS, rehearse, watchWindow } from './window-watch.js';

/** @import { Half, Listener, LoadClock, Role, Traits, Transport } from '../types/index.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { Crew } from './crew.js' */
/** @import { MasterProcess } from './master-process.js' */
/** @import { PeerMaster } from './peer-master.js' */
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
 * @param {Half} parts.half                       of the master
 * @param {PeerMaster | null} parts.peer          that plays it; null: this process does
 * @param {readonly Role[]} parts.roles           of the others
 * @param {import('./memory-watch.js').Conductor} parts.conductor
 * @param {(phase: Phase) => void} parts.enter    told at the start of each phase
 * @returns {Promise<Omit<LaunchReport, 'strangers'>>}
 */
export async function lead(assignment, crew, parts) {
  const { listener, transport, traits, half, peer, roles, conductor, enter } = parts;
  const { cell, deadlines, brokerUrl } = assignment;
  const instruments = peer === null ? await instrumentsOf(assignment) : null;
  instruments?.watchServed(half);
  enter('connect');
  for (const { id, line, worker } of crew.members) listener.adopt?.(line, id, worker.streams);
  // With the ends of its workers: before they join.
  const master = (await peer?.open(crew.members)) ?? thisProcess(crew);
  await bringTogether(assignment, crew, roles, listener.address).catch((error) => {
    throw withUnread(error, peer === null ? half : null);
  });
  const endWatch = watchMemory(assignment, crew, { half, master, conductor });
  const { connections } = cell;
  const values =
    connections === undefined ? {} : await growConnections(assignment, crew, connections, master);
  takePlaces(crew, master);

  const traffic = await watchTraffic(transport, brokerUrl);
  const answeredBefore = half.progress();
  const letSleep = cell.poll === 'busy' ? keepTurning() : undefined;
  instruments?.begin(() => half.progress());
  /** @type {Awaited<ReturnType<typeof load>>} */
  let loaded;
  let perOperation = null;
  try {
    loaded = await load(assignment, crew, { half, master, enter }).finally(letSleep);
    instruments?.save('master');
    enter('drain');
    perOperation = await traffic.perOperation(half.progress() - answeredBefore);
  } finally {
    traffic.close();
  }
  const { warmup, from, to, reports, stallMs, killed } = loaded;
  if (half.settled !== undefined) await Promise.race([half.settled(reports), crew.trouble]);
  endWatch();
  await part(crew, roles, deadlines.exitMs);
  await peer?.end();
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
 * Who waits for the answer to a question that could not be read is late, and cannot know why.
 * @param {any} error   for which the launch ends before its load
 * @param {Half | null} half   of the master; null: another program plays it
 */
function withUnread(error, half) {
  const unread = half?.report().mistakes?.corrupt ?? 0;
  if (error.code !== 'DEADLINE' || unread === 0) return error;
  return new BenchError(
    'INTEGRITY',
    `the codec could not decode ${unread} of the first questions: ${error.message}`,
  );
}

/**
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {{ half: Half, master: MasterProcess, enter: (phase: Phase) => void }} parts
 */
async function load(assignment, crew, { half, master, enter }) {
  const { timing } = assignment;
  prepareEngine(assignment);
  enter('warm-up');
  const farthestMs = slowestExchangeMs(crew.members);
  const startMs = sharedNowMs() + START_MARGIN_MS + farthestMs;
  crew.tellAll({ control: 'start', atMs: startMs });
  half.run?.(toOwnMs(startMs)).catch(crew.fail);
  // The window is announced while the loops warm up, so that a fixed warm-up is exactly as long as it was asked to be.
  const marginMs = Math.min(WINDOW_MARGIN_MS + farthestMs, timing.warmupMs ?? Number.POSITIVE_INFINITY);
  const answered = () => half.progress();
  const work = watchWork(assignment, master, answered);
  const isWarm = () => work.every((watch) => watch.isWarm) && crew.haveAllSaid('warm');
  const watched = {
    answered,
    isWarm,
    trouble: crew.trouble,
    onBin: (/** @type {number} */ bins) => bins <= REHEARSALS && rehearse(assignment, crew, master),
  };
  const warmup = await watchWarmUp(watched, timing, marginMs).finally(() => {
    for (const watch of work) watch.end();
  });
  const fromMs = Math.max(sharedNowMs() + marginMs, startMs + (timing.warmupMs ?? 0));
  warmup.ms = fromMs - startMs;
  const toMs = timing.messages === null ? fromMs + timing.measureMs : null;
  crew.tellAll({ control: 'measure', fromMs });
  if (half.meter !== undefined) scheduleOwn(half, half.meter, { fromMs, toMs, binMs: timing.binMs });
  enter('measure'); // said before the window opens: the conductor has to be asleep by then
  const { workAtOpen, ...measured } = await watchWindow(
    assignment,
    crew,
    { half, master, work },
    { fromMs, toMs },
  );
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
