// Which processes a launch is made of, by the roles of its scenario: one for each role, and of workers as many as the cell has.

/** @import { Role, Scenario } from '../types/index.js' */
/** @typedef {Pick<Scenario, 'roles'>} Cast */

/** The role that leads. */
export const CONTROLLER = 'master';

/** The role of which there are as many as the cell has. */
export const WORKER = 'worker';

/** Values of a setting that could be the name of a transport. */
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

/** @param {Cast} scenario @returns {readonly Role[]} that processes play, the controller's included */
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
 * @returns {string | null} the transport that reaches the master, as written: 'tcp:flush=tick'; null for that of the cell
 */
export function transportToMaster({ roles = USUAL_ROLES, chosen = {} }) {
  const { over = '' } = roles[1];
  const written = chosen[over] ?? SAME;
  return written === SAME ? null : String(written);
}

// How the runtimes of a cell are written: 'bun' for all of its processes, 'master:node@22+worker:bun' for some of them. This
// Node is 'node', and goes without saying.

/** All roles that have no runtime of their own. */
export const EVERY = 'every';
/** The one that this program runs on. */
export const THIS_NODE = 'node';

/** Of a role, before its runtime; a drive of Windows has one letter. */
export const ROLE = /^(?!file:)([a-z][a-z-]+):/;
export const BETWEEN_ROLES = /\+(?=[a-z][a-z-]+:)/;

/** @typedef {Record<string, string>} RuntimesByRole   EVERY alone, or roles */

/**
 * @param {string} name     'node', 'node@22 --max-semi-space-size=64'
 * @returns {{ program: string, flags: string[] }}   flags: for its command line
 */
export function withoutFlags(name) {
  const [program, ...flags] = name.trim().split(/ +(?=--)/);
  return { program, flags };
}

/**
 * @param {import('../types/runtimes.js').FoundRuntime} found
 * @param {'early' | 'usual'} [tierUp]
 * @returns {string[]} that stand before a module on its command line
 */
export function runtimeArgs({ runtime, path, version, flags = [] }, tierUp) {
  return [...runtime.args({ path, version, tierUp }), ...flags];
}

/** @param {string} text @returns {RuntimesByRole} */
export function runtimesByRole(text) {
  const parts = text.split(BETWEEN_ROLES);
  return Object.fromEntries(
    parts.map((part) => {
      const [before = '', role = EVERY] = ROLE.exec(part) ?? [];
      return [role, part.slice(before.length)];
    }),
  );
}

/** @param {RuntimesByRole} byRole @returns {string} one spelling of the same */
export function runtimeText(byRole) {
  const { [EVERY]: every, ...roles } = byRole;
  if (every !== undefined) return every;
  const unusual = Object.entries(roles).filter(([, name]) => name !== THIS_NODE);
  if (unusual.length === 0) return THIS_NODE;
  const names = new Set(unusual.map(([, name]) => name));
  if (unusual.length === 2 && names.size === 1 && CONTROLLER in roles && WORKER in roles)
    return unusual[0][1];
  return unusual
    .sort(([one], [other]) => roleRank(one) - roleRank(other) || one.localeCompare(other, 'en'))
    .map(([role, name]) => `${role}:${name}`)
    .join('+');
}

/**
 * @param {Pick<import('../types/runtimes.js').RuntimeChoice, 'every' | 'byRole'>} runtimes
 * @param {string} role
 * @returns {import('../types/runtimes.js').FoundRuntime | null} null for this Node
 */
export function findRuntime({ every, byRole }, role) {
  return byRole[role] ?? every;
}

/** @param {string} role */
function roleRank(role) {
  return role === CONTROLLER ? 0 : 1;
}
