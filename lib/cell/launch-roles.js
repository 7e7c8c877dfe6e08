// The processes of a launch and the runtimes that execute them. Each role of a scenario is one process, except for the worker role, which
// has as many processes as the cell has workers.

/** @import { FoundRuntime, Role, RuntimeChoice, Scenario } from '../types/index.js' */
/** @typedef {Pick<Scenario, 'roles'>} WithRoles */

/** The role that starts the others. */
export const CONTROLLER = 'master';

/** The role with as many processes as the cell has workers. */
export const WORKER = 'worker';

/** Role of a cost that several threads share, if the cost of each thread is unknown. */
export const UNDIVIDED = 'undivided';

/** Value of a setting that selects the transport of the cell. */
export const SAME = 'same';

/** Roles of scenarios that declare none. @type {readonly Role[]} */
const USUAL_ROLES = Object.freeze([
  { name: CONTROLLER, listens: true, leads: true },
  { name: WORKER, count: 'workers', connectsTo: CONTROLLER },
]);

/** @param {WithRoles} scenario @returns {Role[]} roles that the controller starts; a role follows the role that it connects to */
export function startedRoles({ roles = USUAL_ROLES }) {
  return roles.filter(({ leads }) => leads !== true);
}

/** @param {WithRoles} scenario @returns {readonly Role[]} */
export function allRoles({ roles = USUAL_ROLES }) {
  return roles;
}

/** @param {WithRoles} scenario @param {number} workers @returns {{ id: string, role: Role }[]} */
export function startedProcesses(scenario, workers) {
  return startedRoles(scenario).flatMap((role) =>
    role.count === 'workers'
      ? Array.from({ length: workers }, (_, index) => ({ id: `w${index}`, role }))
      : [{ id: role.name, role }],
  );
}

/** @param {WithRoles} scenario @returns {string[]} ids of the processes besides the master and its workers */
export function furtherProcesses(scenario) {
  return startedProcesses(scenario, 0).map(({ id }) => id);
}

/**
 * @param {Pick<Scenario, 'roles' | 'chosen'>} scenario
 * @returns {string | null} label of the transport to the master, such as 'tcp:flush=tick'; null for the transport of the cell
 */
export function transportToMaster({ roles = USUAL_ROLES, chosen = {} }) {
  const { over = '' } = roles[1];
  const written = chosen[over] ?? SAME;
  return written === SAME ? null : String(written);
}

/**
 * @template B
 * @param {{ broker: B | null, toMaster: { broker: B | null } | null }} launch
 * @returns {B[]} brokers of all hops
 */
export function assignedBrokers({ broker, toMaster }) {
  return [broker, toMaster?.broker ?? null].filter((assigned) => assigned !== null);
}

// The runtimes of a cell as text: 'bun' for all of its processes, 'master:node@22+worker:bun' for individual roles. 'node' is the Node that
// runs this program, and the default.

/** Key of a runtime for all roles. */
export const EVERY = 'every';
/** The runtime of this program. */
export const THIS_NODE = 'node';

/** The name of a role before its runtime. It has at least two letters, unlike a drive letter of Windows. */
export const ROLE = /^(?!file:)([a-z][a-z-]+):/;
export const BETWEEN_ROLES = /\+(?=[a-z][a-z-]+:)/;

/** @typedef {Record<string, string>} RuntimesByRole   the keys are either EVERY or names of roles */

/**
 * @param {string} name     'node', 'node@22 --max-semi-space-size=64'
 * @returns {{ program: string, flags: string[] }}
 */
export function withoutFlags(name) {
  const [program, ...flags] = name.trim().split(/ +(?=--)/);
  return { program, flags };
}

/**
 * @param {FoundRuntime} found
 * @returns {string[]} arguments before the module on the command line
 */
export function runtimeArgs({ runtime, path, version, flags = [] }) {
  return [...runtime.args({ path, version }), ...flags];
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

/** @param {RuntimesByRole} byRole @returns {string} canonical spelling */
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
 * @param {Pick<RuntimeChoice, 'every' | 'byRole'>} runtimes
 * @param {string} role
 * @returns {FoundRuntime | null} null for this Node
 */
export function findRuntime({ every, byRole }, role) {
  return byRole[role] ?? every;
}

/** @param {string} role */
function roleRank(role) {
  return role === CONTROLLER ? 0 : 1;
}
