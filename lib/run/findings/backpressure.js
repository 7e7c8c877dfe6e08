// Determines what a slow consumer causes in a launch of streams: whether senders wait, and where messages pile up.

import { MS_PER_S } from '../../format/units.js';
import { sumBy } from '../../statistics/sum.js';
import { ALL } from '../../workload/endpoints/stream-parts.js';
import { computeBacklogs, splitEnds } from '../../workload/measures/stream-measures.js';

/** @import { Backpressure, BufferOwner, Cell, Losses, ProcessCost, RoleReport } from '../../types/index.js' */

const MIN_BYTES = 1e6; // Processes grow by this much without a backlog.
// The memory of a role has to grow by this share of the backlog's bytes. A message in memory takes at least its payload.
const MAX_OF_IT = 0.5;

/**
 * @param {readonly RoleReport[]} reports
 * @param {{ costs: readonly ProcessCost[], losses?: Losses | null, cell: Pick<Cell, 'payloadBytes'> }} launch   losses: null
 *   for transports that lose no messages
 * @returns {Backpressure | null} null without streams, or if a message has several consumers
 */
export function computeBackpressure(reports, { costs, losses, cell }) {
  const { senders, takers } = splitEnds(reports);
  const streams = senders.flatMap(({ streams = {} }) => Object.keys(streams));
  if (takers.length === 0 || streams.length === 0 || streams.includes(ALL)) return null;
  const backlogs = computeBacklogs(reports);
  const windowMs = Math.max(...reports.map((report) => report.windowMs));
  const grown = backlogs[backlogs.length - 1] - backlogs[0];
  return {
    waits: sumBy(senders, ({ values }) => values.waits ?? 0),
    backlog: Math.max(0, ...backlogs),
    backlogPerSecond: (grown * MS_PER_S) / windowMs,
    lostShare: losses && losses.requests > 0 ? losses.lost / losses.requests : 0,
    grownIn: grownIn(costs, grown * cell.payloadBytes, { senders, takers }),
  };
}

/**
 * @param {readonly ProcessCost[]} costs
 * @param {number} bytes   growth of the backlog in the window
 * @param {{ senders: RoleReport[], takers: RoleReport[] }} ends
 * @returns {BufferOwner | null} the process whose memory holds the backlog; null if memory grew nowhere by at least MAX_OF_IT of these bytes,
 *   or the backlog by less than MIN_BYTES
 */
function grownIn(costs, bytes, ends) {
  if (bytes < MIN_BYTES) return null;
  /** @type {Map<string, number>} */
  const byRole = new Map();
  for (const cost of costs) {
    byRole.set(cost.role, (byRole.get(cost.role) ?? 0) + (cost.grownRssBytes ?? 0));
  }
  const [most] = [...byRole].sort(([, one], [, other]) => other - one);
  return most === undefined || most[1] < MAX_OF_IT * bytes ? null : locateBuffer(most[0], ends);
}

/**
 * @param {string} role
 * @param {{ senders: RoleReport[], takers: RoleReport[] }} ends
 * @returns {BufferOwner | null} null for a role at neither end
 */
function locateBuffer(role, { senders, takers }) {
  if (role === 'broker') return role;
  /** @param {RoleReport[]} ends */
  const has = (ends) => ends.some((end) => end.role === role);
  if (has(senders) && has(takers)) return role === 'master' ? role : 'worker';
  return has(senders) ? 'sender' : has(takers) ? 'taker' : null;
}
