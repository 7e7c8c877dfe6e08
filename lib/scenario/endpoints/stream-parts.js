// The parts of which the endpoints of streams, queues and tasks are made.

/** @import { Channel, Codec, QueuePromise } from '../../types/index.js' */
/** @import { Meter } from '../load/meter.js' */
/**
 * What an end of a stream needs beside the cell and the codec.
 * @typedef {object} StreamParts
 * @property {Meter} meter
 * @property {Record<string, Channel>} channels      of the worker itself; of the master none before its workers come
 * @property {(workerId: string) => any[]} payloadsOf   that one of the two ends of its stream sends: texts, or objects for a pool
 * @property {any[] | null} [responses]   of a file: results of tasks; null, or absent: they are as the payloads
 * @property {(got: any, expected: any) => boolean} [isSame]   of payloads that are objects
 * @property {() => Pick<Channel, 'send' | 'drained'> | null} [publisher]   in the master: one way to all workers; null: there is none
 * @property {() => Pick<Channel, 'send' | 'drained'> | null} [queue]   in the master: one way to whichever worker is free; null: there
 *                                   is none
 * @property {Pick<Codec, 'encode' | 'decode'>} [receiptCodec]   of acknowledgements, which are texts whatever the jobs are; absent: that of
 *                                   the jobs
 * @property {QueuePromise} [promise]   of the jobs of a worker that dies; absent: at least once, since who offers keeps it
 * @property {number} replyMs
 * @property {import('./request-endpoint.js').OpenPart | null} [open]   of what this process sends; null, or absent: as fast as it can
 * @property {number} [timedEvery]   messages of which one is timed, a power of two; absent: as in closed loops
 * @property {string} [transport]    its name, for error messages
 * @property {() => import('../../types/index.js').TaskPool | null} [pool]   in the master of tasks: that starts its own workers; null: there is none
 * @property {boolean} [isPool]      in the master: the transport starts its workers itself
 * @property {() => { fromMs: number, toMs: number }} [opening]   in the master: when it began to open its transport, and when it had
 * @property {import('../messages/tasks.js').TaskPlan | null} [taskPlan]   null, or absent: there are no tasks
 * @property {boolean} [mayLose]     messages may get lost, so that nobody waits long for the rest
 */

/** The name of a stream that all workers hear: its payloads are those of no worker. */
export const ALL = 'all';

/**
 * @param {Pick<import('../../types/plans.js').Cell, 'hosts' | 'ratePerSecond'>} cell
 * @returns {string | null} why what is not answered has no open load there
 */
export function planProblem({ hosts, ratePerSecond }) {
  return hosts === undefined || ratePerSecond === undefined
    ? null
    : 'under open load its times are from one process to another, and clocks of several hosts are not exact enough: leave out --rate and --sweep';
}
