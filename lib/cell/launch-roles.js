// Which processes a launch is made of, by the roles of its scenario: one for each role, and of workers as many as the cell has.

/** @import { Role, Scenario } from '../types/index.js' */
/** @typedef {Pick<Scenario, 'roles'>} Cast */

/** The role that leads. */
export const CONTROLLER = 'master';

/** The role of which there are as many as the cell has. */
export const WORKER = 'worker';

/** What a setting says that could name another transport. */
export const SAME = 'same';

/** Of a scenario that names none. @type {readonly Role[]} */
const USUAL_ROLES = Object.freeze([
  { name: CONTROLLER, listens: true, leads: true },
  { name: WORKER, count: 'workers', connectsTo: CONTROLLER },
]);

/** @param {Cast} scenario @returns {Role[]} that the controller starts, in the order in which they join: each after the one it connects to */
export function startedRoles({ roles = USUAL_ROLES }) {
  return roles.filter(({ leads }) => leads !== true);
}

/** @param {Cast} scenario @returns {readonly Role[]} that processes play, the leader's included */
export function allRoles({ roles = USUAL_ROLES }) {
  return roles;
}

/** @param {Cast} scenario @param {number} workers @returns {{ id: string, role: Role }[]} the processes that play them */
export function startedProcesses(scenario, workers) {
  return startedRoles(scenario).flatMap((role) =>
    role.count === 'workers'
      ? Array.from({ length: workers }, (_, index) => ({ id: `w${index}`, role }))
      : [{ id: role.name, role }],
  );
}

/** @param {Cast} scenario @returns {string[]} ids of the processes beside the master and its workers */
export function furtherProcesses(scenario) {
  return startedProcesses(scenario, 0).map(({ id }) => id);
}

/**
 * @param {Pick<Scenario, 'roles' | 'chosen'>} scenario
 * @returns {string | null} the transport by which the master is reached, as it was written: 'tcp:flush=tick'; null: that of the cell
 */
export function transportToMaster({ roles = USUAL_ROLES, chosen = {} }) {
  const { over = '' } = roles[1];
  const written = chosen[over] ?? SAME;
  return written === SAME ? null : String(written);
}
