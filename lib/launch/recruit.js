// How the processes of a launch are started: here, in front of another program or in another runtime, or by the agent of another host.

import { WORKER } from '../cell/launch-roles.js';
import { startWorker, WORKER_PATH } from './start-worker.js';

/** @import { ForkWishes } from '../types/index.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { ControlPort } from './control-port.js' */
/** @import { StartedWorker } from './start-worker.js' */
/** @typedef {(id: string, role: string, cpus: number[] | null) => StartedWorker} Recruit */

/**
 * @param {Pick<Assignment, 'programs' | 'network'>} assignment
 * @param {ForkWishes} wishes
 * @param {ControlPort | null} controlPort   null: none comes from another host
 * @returns {Recruit}
 */
export function recruiterOf({ programs, network }, wishes, controlPort) {
  return (id, role, cpus) =>
    controlPort?.start(id) ??
    startWorker(WORKER_PATH, {
      role,
      wishes,
      cpus,
      dieWithParent: true,
      before: role === WORKER ? network?.beforeWorkers : undefined,
      program: programs?.[role],
    });
}
