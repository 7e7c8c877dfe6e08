// What a transport's listener is given by a real launch, and what becomes of what it tells.

import { parseWorkerId } from '../cell/connections.js';
import { BenchError } from '../errors.js';
import { endContext } from './assignment.js';

// What a worker sent, and what a broker refused to this end: the worker only misses an answer.
const TOLD_HERE_ONLY = ['PROTOCOL', 'BROKER'];

/**
 * @param {import('./assignment.js').Assignment} assignment
 * @param {import('../types/scenarios.js').Endpoint} endpoint   of the process that listens
 * @param {string} role        that it plays
 */
export function hostContext(assignment, endpoint, role) {
  const { scratchDir, bindAddress, cell } = assignment;
  const host = {
    strangers: 0,
    /** @type {((error: Error) => void) | undefined} */
    onTrouble: undefined,
    /** Told why this end hung up on a worker. @type {((workerId: string, error: Error) => void) | undefined} */
    onHangUp: undefined,
    /** @type {import('../types/transports.js').HostContext} */
    context: {
      ...endContext(assignment),
      scratchDir,
      bindAddress,
      workers: cell.workers,
      onChannel(channel, workerId) {
        endpoint.serve?.(channel, workerId);
        channel.onClose = (reason) => {
          // For any other cause the worker’s own report, or its exit code, says more than we could.
          if (reason instanceof BenchError && TOLD_HERE_ONLY.includes(reason.code)) {
            const message = `the ${role} hung up on ${workerId}: ${reason.message}`;
            host.onHangUp?.(parseWorkerId(workerId), new BenchError(reason.code, message, { cause: reason }));
          }
        };
      },
      onStranger() {
        host.strangers += 1;
      },
      onError: (error) => host.onTrouble?.(error),
    },
  };
  return host;
}
