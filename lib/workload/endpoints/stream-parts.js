// Parameters of the endpoints of streams, queues and tasks.

/** @import { Cell, Channel, Codec, QueuePromise, TaskPool } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */
/**
 * Parameters of these endpoints besides the cell and the codec. Some are set only in the master.
 * @typedef {object} StreamParts
 * @property {Meter} meter
 * @property {Record<string, Channel>} channels      channels of a worker; empty in the master, whose workers connect later
 * @property {(workerId: string) => any[]} payloadsOf   payloads of a stream: texts, or objects for a pool
 * @property {any[] | null} [responses]   recorded results of tasks; by default, results are payloads
 * @property {(got: any, expected: any) => boolean} [isSame]   compares payloads that are objects
 * @property {() => Pick<Channel, 'send' | 'drained'> | null} [publisher]   channel to all workers, or null if the master sends to each
 *   worker separately
 * @property {() => Pick<Channel, 'send' | 'drained'> | null} [queue]   shared queue, or null if the master sends to each worker
 * @property {Pick<Codec, 'encode' | 'decode'>} [receiptCodec]   codec of acknowledgements, which are always texts; the codec of the jobs
 *                                   by default
 * @property {QueuePromise} [promise]   delivery guarantee for the jobs of a worker that dies; at least once by default
 * @property {number} replyMs
 * @property {import('./request-endpoint.js').OpenPart | null} [open]   schedule of this process; by default, it sends as fast as possible
 * @property {number} [timedEvery]   interval of timed messages; a power of two
 * @property {string} [transport]
 * @property {() => TaskPool | null} [pool]   null if the transport is not a pool
 * @property {boolean} [isPool]      true if the transport starts its workers itself
 * @property {() => { fromMs: number, toMs: number }} [opening]   start and end of opening the transport in the master
 * @property {import('../messages/tasks.js').TaskPlan | null} [taskPlan]   only for scenarios with tasks
 * @property {boolean} [mayLose]     true if messages may get lost, so a receiver waits only briefly for missing ones
 */

/** Name of the stream to all workers, and of the payloads of jobs and tasks. */
export const ALL = 'all';

/**
 * @param {Pick<Cell, 'hosts' | 'ratePerSecond'>} cell
 * @returns {string | null} why the cell cannot have open load, or null
 */
export function planProblem({ hosts, ratePerSecond }) {
  return hosts === undefined || ratePerSecond === undefined
    ? null
    : 'under open load its times span two processes, and the clocks of several hosts are not exact enough: leave out --rate and --sweep';
}
