// What a transport did about a taker that was slower than its sender, read in what the roles of a stream handed in and in
// how their processes grew. Facts only: the words are lib/verdicts/backpressure-words.js's.

import { backlogsOf, endsOf } from '../scenario-kit/stream-measures.js';
import { ALL } from '../scenario-kit/stream-parts.js';

/** @import { Backpressure, BufferPlace, Cell, Losses, ProcessCost, RoleReport } from '../types/index.js' */

const MS_PER_SECOND = 1_000;
const LEAST_BYTES = 1e6; // processes grow by as much for reasons of their own
const MOST_OF_IT = 0.5; // of the bytes of the backlog: a message in memory takes more than its payload, never less

/**
 * @param {readonly RoleReport[]} reports
 * @param {{ costs: readonly ProcessCost[], losses?: Losses | null, cell: Pick<Cell, 'payloadBytes'> }} launch
 * @returns {Backpressure | null} null: nothing streams, or each message goes to several takers
 */
export function backpressureOf(reports, { costs, losses, cell }) {
  const { senders, takers } = endsOf(reports);
  const streams = senders.flatMap(({ streams = {} }) => Object.keys(streams));
  if (takers.length === 0 || streams.length === 0 || streams.includes(ALL)) return null;
  const backlogs = backlogsOf(reports);
  const windowMs = Math.max(...reports.map((report) => report.windowMs));
  const grown = backlogs[backlogs.length - 1] - backlogs[0];
  return {
    waits: senders.reduce((sum, { values }) => sum + (values.waits ?? 0), 0),
    backlog: Math.max(0, ...backlogs),
    backlogPerSecond: (grown * MS_PER_SECOND) / windowMs,
    lostShare: losses && losses.asked > 0 ? losses.lost / losses.asked : 0,
    grownIn: grownIn(costs, grown * cell.payloadBytes, { senders, takers }),
  };
}

/**
 * @param {readonly ProcessCost[]} costs
 * @param {number} bytes   of the backlog that came in the window
 * @param {{ senders: RoleReport[], takers: RoleReport[] }} ends
 * @returns {BufferPlace | null}
 */
function grownIn(costs, bytes, ends) {
  if (bytes < LEAST_BYTES) return null;
  /** @type {Map<string, number>} */
  const byRole = new Map();
  for (const cost of costs) {
    byRole.set(cost.role, (byRole.get(cost.role) ?? 0) + (cost.grownRssBytes ?? 0));
  }
  const [most] = [...byRole].sort(([, one], [, other]) => other - one);
  return most === undefined || most[1] < MOST_OF_IT * bytes ? null : placeOf(most[0], ends);
}

/**
 * @param {string} role
 * @param {{ senders: RoleReport[], takers: RoleReport[] }} ends
 * @returns {BufferPlace | null}
 */
function placeOf(role, { senders, takers }) {
  if (role === 'broker') return role;
  const has = (/** @type {RoleReport[]} */ ends) => ends.some((end) => end.role === role);
  if (has(senders) && has(takers)) return role === 'master' ? role : 'worker';
  return has(senders) ? 'sender' : has(takers) ? 'taker' : null;
}
