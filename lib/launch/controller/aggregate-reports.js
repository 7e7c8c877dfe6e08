// Aggregates mistakes, operations and costs from the reports of the processes of a launch.

import { assignedBrokers, CONTROLLER, UNDIVIDED, WORKER } from '../../cell/launch-roles.js';
import { LEAVES_HELPERS } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';
import { costWithin } from '../../machine/process-cost.js';
import { sum, sumBy } from '../../statistics/sum.js';
import { summedMistakes } from '../../workload/messages/mistakes.js';
import { wholeReport } from '../control/protocol.js';
import { allCpus, assignedCpus } from '../launch-spec.js';
import { joinCounts } from './measured-slices.js';

/** @import { Readings } from '../monitors/cost-readings.js' */
/** @import { EndpointReport, Losses, MeasuredLaunch, ProcessCost, RoleReport, Traits, WatchedWork, Work } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @typedef {{ name: string, cost: ProcessCost | null }} NamedCost   null if it is unknown */

/** @type {Pick<ProcessCost, 'name' | 'role'>} */
const MASTER = { name: CONTROLLER, role: CONTROLLER };

/**
 * @param {RoleReport[]} reports
 * @param {Traits} traits   violations of guarantees that the transport does not give are not mistakes
 * @returns {Losses | null}   null if the transport guarantees delivery
 * @throws {BenchError} INTEGRITY if any mistake remains; its `integrity` has the counts
 */
export function checkIntegrity(reports, traits) {
  const total = summedMistakes(reports.map(({ mistakes }) => mistakes));
  const losses = traits.loss === 'possible' ? countLosses(reports, total) : null;
  if (losses !== null) {
    total.lost = 0;
    total.duplicate -= losses.late;
  }
  if (traits.order === 'free') total.outOfOrder = 0;
  const found = Object.entries(total).filter(([, count]) => count > 0);
  if (found.length === 0) return losses;
  const message = `wrong responses: ${found.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
  throw Object.assign(new BenchError('INTEGRITY', message), { integrity: total });
}

/**
 * @param {RoleReport[]} reports   reports of all roles
 * @param {{ lost: number, duplicate: number, outOfOrder: number }} total   lost: requests without a response
 * @returns {Losses}
 */
function countLosses(reports, total) {
  // A response that arrives after its loop stopped waiting for it looks like a duplicate.
  const late = Math.min(total.lost, total.duplicate);
  const requests = sumBy(reports, (report) => report.requests);
  return { requests, lost: total.lost - late, late, reordered: total.outOfOrder };
}

/**
 * @param {WatchedWork[]} watched   work of the master, then of brokers
 * @param {RoleReport[]} reports   reports of the other roles
 * @returns work of each process that was watched, with its role
 */
export function listWork([master, ...brokers], reports) {
  return [
    { ...master, role: CONTROLLER },
    ...reports.flatMap(({ work, role }) => (work === null ? [] : { ...work, role })),
    ...brokers.map((work) => /** @type {Work} */ ({ ...work, role: 'broker' })),
  ];
}

/** @param {RoleReport[]} all @returns totals over the roles that count operations */
export function sumReports(all) {
  const reports = all.filter(({ operations }) => operations !== null);
  const bins = Array.from({ length: Math.max(...reports.map((report) => report.bins.length)) }, (_, bin) =>
    sumBy(reports, (report) => report.bins[bin] ?? 0),
  );
  const openMs = reports.map((report) => report.openMs); // on the shared clock
  const closedMs = reports.map((report) => report.openMs + report.windowMs);
  const whole = reports.flatMap((report) => report.whole ?? []);
  const { windowMs, completed } = joinCounts(whole, Math.max(...closedMs) - Math.min(...openMs));
  return {
    operations: sumBy(reports, ({ operations }) => operations ?? 0),
    windowMs,
    ...(whole.length > 0 && {
      completed,
      loopsMs: sumBy(whole, ({ loopsMs }) => loopsMs),
    }),
    openMs: Math.min(...openMs),
    bins,
  };
}

/**
 * @param {EndpointReport} report
 * @param {RoleReport[]} reports   reports of the other roles; their window is also the master's
 * @param {{ openMs: number, windowMs: number }} window   window of the controller, used if there are no other roles
 * @returns {RoleReport}
 */
export function masterReport(report, reports, window) {
  const isAlone = reports.length === 0;
  const openMs = isAlone ? window.openMs : Math.min(...reports.map((other) => other.openMs));
  const windowMs = isAlone ? window.windowMs : Math.max(...reports.map((other) => other.windowMs));
  return {
    ...wholeReport(report),
    role: CONTROLLER,
    id: CONTROLLER,
    openMs,
    windowMs: report.whole?.windowMs ?? windowMs,
    arrival: report.arrival ?? null,
    work: null,
    cost: null,
  };
}

/**
 * Returns costs only if the costs of all processes are known, since a partial sum would make the launch look cheaper. The unknown cost of a
 * thread does not matter, since the cost of its process includes it.
 * @param {LaunchSpec} spec
 * @param {{ from: Readings, to: Readings, spanMs: number }} readings   spanMs: total length of the slices; a cost whose two readings lie
 *   further apart or closer is unknown
 * @param {RoleReport[]} reports   reports of all roles
 * @param {ProcessCost[]} [killed]   costs of killed workers, which send no report
 * @returns {Pick<MeasuredLaunch, 'costs' | 'unknownCosts'>}
 */
export function costs({ cpus, ...hops }, { from, to, spanMs }, reports, killed = []) {
  /** @type {NamedCost[]} */
  const workers = [
    ...reports
      .filter(({ id }) => id !== CONTROLLER)
      .map((report) => {
        const { cost, role, id } = report;
        const placed = cost && { ...cost, role, cpus: (cpus && assignedCpus(cpus, id)) ?? null };
        return { name: id, cost: placed && withoutPacing(placed, [report]) };
      }),
    ...killed.map((cost) => ({ name: cost.name, cost })),
    ...(from.pool ?? []).map((begin, index) => {
      const name = `w${index}`;
      const assigned = cpus?.workers[index % cpus.workers.length] ?? null;
      const end = to.pool?.[index];
      return { name, cost: costWithin(spanMs, { name, role: WORKER }, begin, end, assigned) };
    }),
  ];
  const areThreads = from.thread !== undefined && to.thread !== undefined;
  const masterCpus = areThreads ? cpus && allCpus(cpus) : (cpus?.master ?? null);
  const masterReports = reports.filter(({ id }) => id === CONTROLLER);
  const whole = costWithin(spanMs, MASTER, from.own, to.own, masterCpus);
  const master = whole && withoutPacing(whole, areThreads ? reports : masterReports);
  const brokers = assignedBrokers(hops).map(({ name, cpus: brokerCpus }, index) => {
    const [begin, end] = [from.brokers[index], to.brokers[index]];
    return { name, cost: costWithin(spanMs, { name, role: 'broker' }, begin, end, brokerCpus) };
  });
  // The cost of a process includes the costs of its threads.
  const processes = [{ name: CONTROLLER, cost: master }, ...(areThreads ? [] : workers), ...brokers];
  const unknown = processes.flatMap(({ name, cost }) => (cost === null ? name : []));
  if (master === null || unknown.length > 0) return { costs: [], unknownCosts: unknown };
  const known = knownIn(brokers);
  if (areThreads) {
    const thread = costWithin(spanMs, MASTER, from.thread, to.thread, cpus?.master ?? null);
    const main = thread && withoutPacing(thread, masterReports);
    const threads = [{ name: CONTROLLER, cost: main }, ...workers];
    const unread = threads.flatMap(({ name, cost }) => (cost === null ? name : []));
    const divided = threadCosts(
      master,
      main,
      workers.map(({ cost }) => cost),
    );
    return { costs: [...divided, ...known], ...(unread.length > 0 && { unknownCosts: unread }) };
  }
  const helpers = LEAVES_HELPERS && cpus && { helperCpus: allCpus(cpus) };
  const nodes = [master, ...knownIn(workers)].map((cost) => ({ ...cost, ...helpers }));
  return { costs: [...nodes, ...known] };
}

/** @param {NamedCost[]} all @returns {ProcessCost[]} */
function knownIn(all) {
  return all.flatMap(({ cost }) => cost ?? []);
}

/**
 * @param {ProcessCost} cost
 * @param {RoleReport[]} reports   sent by that process or thread
 * @returns {ProcessCost} without the CPU time spent on waiting for scheduled sends
 */
function withoutPacing(cost, reports) {
  const pacingUs = sumBy(reports, ({ open }) => open?.pacingCpuUs ?? 0);
  const totalUs = cost.userUs + cost.systemUs;
  if (pacingUs === 0 || totalUs === 0) return cost;
  const left = Math.max(0, 1 - pacingUs / totalUs);
  const { userUs, systemUs, share, mainShare } = cost;
  return {
    ...cost,
    userUs: userUs * left,
    systemUs: systemUs * left,
    share: share * left,
    ...(mainShare !== undefined && { mainShare: Math.max(0, mainShare - share * (1 - left)) }),
  };
}

/**
 * Divides the cost of a launch whose workers are threads of its master among rows that add up to it: the main thread, the thread of each
 * worker, and the helper threads of V8 and libuv. If the cost of a thread is unknown, one row contains all threads but the main thread, and
 * the main thread too if its own cost is unknown.
 * @param {ProcessCost} whole   cost of the process, named 'master'
 * @param {ProcessCost | null} main   cost of its main thread; null if unknown
 * @param {(ProcessCost | null)[]} workers   costs of their threads; null if unknown
 * @returns {ProcessCost[]}
 */
export function threadCosts(whole, main, workers) {
  const undivided = { name: 'threads', role: UNDIVIDED };
  if (main === null) return [{ ...whole, ...undivided }];
  const threads = workers.filter((cost) => cost !== null);
  const isDivided = threads.length === workers.length;
  const { peakRssBytes, grownRssBytes } = whole; // memory belongs to the process, and is counted once
  const parts = (isDivided ? [main, ...threads] : [main]).map((cost) => ({
    ...cost,
    peakRssBytes: null,
    grownRssBytes: null,
  }));
  return [
    { ...parts[0], peakRssBytes, grownRssBytes },
    ...parts.slice(1).map(asPartOfMaster),
    asPartOfMaster({
      ...subtractParts(whole, parts),
      ...(isDivided ? { name: 'helpers', role: 'helpers' } : undivided),
    }),
  ];
}

/** @param {ProcessCost} cost @returns {ProcessCost} */
function asPartOfMaster(cost) {
  return { ...cost, partOf: 'master' };
}

/** @param {ProcessCost} whole @param {ProcessCost[]} parts @returns {ProcessCost} */
function subtractParts(whole, parts) {
  /** @param {(cost: ProcessCost) => number | null | undefined} quantity */
  const less = (quantity) => {
    const counts = [whole, ...parts].map(quantity);
    if (counts.some((count) => count === null || count === undefined)) return null;
    const [all, ...others] = /** @type {number[]} */ (counts);
    // The parts may add up to more than the whole, since the windows of workers may open and close a few ms later than the master's.
    return Math.max(0, all - sum(others));
  };
  const totalUs = Number(less(({ userUs, systemUs }) => userUs + systemUs));
  // User and system times of a thread have a resolution of 10 ms, so the difference of user times may exceed the total.
  const userUs = Math.min(totalUs, Number(less((cost) => cost.userUs)));
  return {
    ...whole,
    userUs,
    systemUs: totalUs - userUs,
    share: Number(less(({ share }) => share)),
    voluntarySwitches: less((cost) => cost.voluntarySwitches),
    involuntarySwitches: less((cost) => cost.involuntarySwitches),
    peakRssBytes: null,
    grownRssBytes: null,
  };
}
