// One process of a launch, as its controller sees it.

/** @import { ClockComparison, ForkLine } from '../../types/index.js' */
/** @import { FromWorker, ToWorker } from '../control/protocol.js' */
/** @import { StartedWorker } from './start-worker.js' */

/**
 * @typedef {object} GroupMember
 * @property {string} id
 * @property {string} role
 * @property {StartedWorker} worker
 * @property {ForkLine} line
 * @property {(message: ToWorker) => void} tell
 * @property {number} forkedMs                     of the clock that all processes share
 * @property {ClockComparison | null} clock        null: it is this process's own
 * @property {Map<string, FromWorker>} said     by kind
 * @property {boolean} isGone
 * @property {boolean} isVictim                    it was killed as the scenario asks for: nobody waits for it
 * @property {boolean} isCutOff                    the controller hung up on it for what it sent
 */

/** @param {Pick<GroupMember, 'id' | 'role'>} member @returns {string} for messages: 'worker w0', 'the relay' */
export function memberName({ id, role }) {
  return id === role ? `the ${role}` : `${role} ${id}`;
}
