// The parts of which the endpoints of streams, queues and tasks are made.

/** @import { Channel, Codec, QueuePromise } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */
/**
 * What an end of a stream needs besides the cell and the codec. Some parts exist only in the master.
 * @typedef {object} StreamParts
 * @property {Meter} meter
 * @property {Record<string, Channel>} channels      of the worker; the master has none before its workers connect
 * @property {(workerId: string) => any[]} payloadsOf   payloads of a stream: texts, or objects for a pool
 * @property {any[] | null} [responses]   recorded results of tasks. Without them, results are payloads
 * @property {(got: any, expected: any) => boolean} [isSame]   compares payloads that are objects
 * @property {() => Pick<Channel, 'send' | 'drained'> | null} [publisher]   channel to all workers, or null if the transport has none
 * @property {() => Pick<Channel, 'send' | 'drained'> | null} [queue]   channel to any free worker, or null if the transport has none
 * @property {Pick<Codec, 'encode' | 'decode'>} [receiptCodec]   for acknowledgements, which are always texts; the codec of the jobs
 *                                   by default
 * @property {QueuePromise} [promise]   delivery guarantee for the jobs of a worker that dies; at least once by default
 * @property {number} replyMs
 * @property {import('./request-endpoint.js').OpenPart | null} [open]   schedule of this process. Without it, it sends as fast as it can
 * @property {number} [timedEvery]   one of so many messages is timed; a power of two
 * @property {string} [transport]    its name, for error messages
 * @property {() => import('../../types/index.js').TaskPool | null} [pool]   the pool of the transport, or null if it is not one
 * @property {boolean} [isPool]      the transport starts its workers itself
 * @property {() => { fromMs: number, toMs: number }} [opening]   when the master began and ended to open its transport
 * @property {import('../messages/tasks.js').TaskPlan | null} [taskPlan]   only for scenarios with tasks
 * @property {boolean} [mayLose]     messages may get lost, so the wait for the rest is short
 */

/** Name of a stream to all workers. Its payloads differ from those of each worker. */
export const ALL = 'all';

/**
 * @param {Pick<import('../../types/plans.js').Cell, 'hosts' | 'ratePerSecond'>} cell
 * @returns {string | null} why messages without a response have no open load
 */
export function planProblem({ hosts, ratePerSecond }) {
  return hosts === undefined || ratePerSecond === undefined
    ? null
    : 'under open load its times are from one process to another, and clocks of several hosts are not exact enough: leave out --rate and --sweep';
}
