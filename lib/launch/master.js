// Entry point of a master process: listens, forks its workers, answers their questions through warm-up and window, and
// hands the launch to the conductor as plain data.

import { BenchError } from '../errors.js';
import { Answerer } from './answerer.js';
import { endContext, loadParts } from './assignment.js';
import { sharedNowMs, toOwnMs } from './clock.js';
import { costBetween, readCostOf, readOwnCost } from './cost.js';
import { Crew } from './crew.js';
import { openForkLine } from './fork-line.js';
import { endWithParent } from './orphan.js';
import { watchWarmUp } from './warm-up-watch.js';

/** @typedef {import('./assignment.js').Assignment} Assignment */
/** @typedef {import('../types.js').Listener} Listener */

const START_MARGIN_MS = 20; // for the order to reach all workers before the instant it names
const WINDOW_MARGIN_MS = 50; // the same under load

const { sendControl } = openForkLine(process, (message) => {
  if (message.control === 'launch') launch(message.assignment);
});

let phase = 'start';
/** @param {string} name */
function enter(name) {
  phase = name;
  sendControl({ control: 'phase', phase });
}

/** @param {Assignment} assignment */
async function launch(assignment) {
  /** @type {Crew | undefined} */
  let crew;
  /** @type {Listener | undefined} */
  let listener;
  const leaveInPeace = endWithParent({
    lifeMs: assignment.deadlines.lifeMs,
    cleanUp: () => listener?.close(),
  });
  try {
    const { transport, codec, scenario } = await loadParts(assignment);
    const answerer = new Answerer(codec, scenario);
    const host = hostContext(assignment, answerer);
    listener = await transport.listen(host.context);
    crew = new Crew({
      workers: assignment.cell.workers,
      cpus: assignment.cpus?.workers ?? null,
      serialization: listener.fork?.serialization ?? 'json',
      phase: () => phase,
    });
    host.onTrouble = crew.fail;
    const fields = await conduct(assignment, crew, listener, answerer);
    await listener.close();
    sendControl({ control: 'done', ...fields, strangers: host.strangers });
  } catch (error) {
    const { code = 'TRANSPORT', message, integrity = null } = /** @type {any} */ (error);
    sendControl({ control: 'failed', code, message, phase, integrity });
    crew?.kill();
    await listener?.close();
  }
  leaveInPeace();
  process.disconnect();
}

/**
 * @param {Assignment} assignment
 * @param {Answerer} answerer
 */
function hostContext(assignment, answerer) {
  const { scratchDir, cell } = assignment;
  const host = {
    strangers: 0,
    /** @type {((error: Error) => void) | undefined} */
    onTrouble: undefined,
    /** @type {import('../types.js').HostContext} */
    context: {
      ...endContext(assignment),
      scratchDir,
      workers: cell.workers,
      onChannel: (channel) => answerer.serve(channel),
      onStranger() {
        host.strangers += 1;
      },
      onError: (error) => host.onTrouble?.(error),
    },
  };
  return host;
}

/**
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {Listener} listener
 * @param {Answerer} answerer
 */
async function conduct(assignment, crew, listener, answerer) {
  const { timing, deadlines } = assignment;
  enter('connect');
  for (const { id, line } of crew.members) listener.adopt?.(line, id);
  for (const { id, tell } of crew.members) {
    tell({ control: 'join', assignment, address: listener.address, workerId: id });
  }
  await crew.allSay('ready', deadlines.connectMs);

  enter('warm-up');
  const startMs = sharedNowMs() + START_MARGIN_MS;
  crew.tellAll({ control: 'start', atMs: startMs });
  // The window is announced while the loops warm up, so that a fixed warm-up is exactly as long as it was asked to be.
  const marginMs = Math.min(WINDOW_MARGIN_MS, timing.warmupMs ?? WINDOW_MARGIN_MS);
  const warmup = await watchWarmUp(() => answerer.answered, timing, marginMs, crew.trouble);
  const fromMs = Math.max(sharedNowMs() + marginMs, startMs + (timing.warmupMs ?? 0));
  warmup.ms = fromMs - startMs;
  const toMs = timing.messages === null ? fromMs + timing.measureMs : null;
  crew.tellAll({ control: 'measure', fromMs });
  const { from, to, reports } = await watchWindow(assignment, crew, fromMs, toMs);

  enter('drain');
  crew.dismiss();
  crew.tellAll({ control: 'leave' });
  await crew.allGone(deadlines.exitMs);
  checkIntegrity(reports, answerer);
  return { warmup, ...summed(reports), costs: costs(assignment, from, to, reports) };
}

/**
 * The master's own cost, and that of a broker, are read at the two ends of the window; nothing else happens here
 * while it is open.
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {number} fromMs
 * @param {number | null} toMs
 */
async function watchWindow({ broker, deadlines }, crew, fromMs, toMs) {
  const read = () => ({ own: readOwnCost(), broker: broker === null ? null : readCostOf(broker.pid) });
  enter('measure'); // said before the window opens: the conductor has to be asleep by then
  await Promise.race([waitUntil(fromMs), crew.trouble]);
  const from = read();
  if (toMs !== null) await Promise.race([waitUntil(toMs), crew.trouble]);
  let to = read();
  const reports = await crew.allSay('done', toMs === null ? deadlines.lifeMs : deadlines.finishMs);
  if (toMs === null) to = read();
  return { from, to, reports };
}

/** @param {number} sharedMs */
function waitUntil(sharedMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, toOwnMs(sharedMs) - performance.now()));
    timer.unref(); // a launch that failed meanwhile must not wait for the end of its window
  });
}

/**
 * @param {any[]} reports
 * @param {Answerer} answerer
 */
function checkIntegrity(reports, answerer) {
  const total = { lost: 0, duplicate: 0, swapped: 0, corrupt: answerer.undecodable, outOfOrder: 0 };
  for (const { integrity } of reports) {
    for (const [kind, count] of Object.entries(integrity))
      total[/** @type {keyof typeof total} */ (kind)] += count;
  }
  const found = Object.entries(total).filter(([, count]) => count > 0);
  if (found.length === 0) return;
  const message = `wrong answers: ${found.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
  throw Object.assign(new BenchError('INTEGRITY', message), { integrity: total });
}

/** @param {any[]} reports of the workers */
function summed(reports) {
  const bins = Array.from({ length: Math.max(...reports.map((report) => report.bins.length)) }, (_, bin) =>
    reports.reduce((sum, report) => sum + (report.bins[bin] ?? 0), 0),
  );
  const openMs = reports.map((report) => report.openMs);
  const closedMs = reports.map((report) => report.openMs + report.windowMs);
  return {
    roundTrips: reports.reduce((sum, report) => sum + report.roundTrips, 0),
    // Each worker's rate over its own window: two windows may be some µs apart.
    roundTripsPerSecond: reports.reduce(
      (sum, report) => sum + (report.roundTrips * 1_000) / report.windowMs,
      0,
    ),
    windowMs: Math.max(...closedMs) - Math.min(...openMs),
    bins,
    latencies: reports.map((report) => report.latency),
  };
}

/**
 * @param {Assignment} assignment
 * @param {{ own: any, broker: any }} from
 * @param {{ own: any, broker: any }} to
 * @param {any[]} reports
 */
function costs({ broker, cpus }, from, to, reports) {
  const all = [costBetween('master', from.own, to.own, cpus?.master ?? null)];
  reports.forEach((report, index) => {
    all.push({ ...report.cost, name: `w${index}`, cpus: cpus?.workers[index] ?? null });
  });
  if (from.broker !== null && to.broker !== null) {
    all.push(
      costBetween(/** @type {any} */ (broker).name, from.broker, to.broker, /** @type {any} */ (broker).cpus),
    );
  }
  return all;
}
