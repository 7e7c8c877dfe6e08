// What extra launches showed of the processes, and where the time of a round trip goes.

/** @import { Estimate } from './launches.js' */
/** @import { Cell } from './plans.js' */

/**
 * A part of a round trip.
 * @typedef {object} ExplainedPart
 * @property {string} name
 * @property {string} title               'codec in the worker'
 * @property {number | null} us           of a round trip; null: it could not be found, and is within the remainder
 * @property {string} found               how; where it could not be found, why
 */

/**
 * What an extra launch showed of one process, in µs of a round trip.
 * @typedef {object} InsideFacts
 * @property {string} name                'master', 'w0'
 * @property {'master' | 'worker'} role
 * @property {number} activeUs            its event loop did not wait: the median of slices of the window
 * @property {number} onTheWayUs          of that, until the last write of a turn of the event loop, likewise
 * @property {number} afterUs             of that, in the same turns, after the last write
 * @property {number} cpuUs               CPU time of the thread that runs JavaScript, likewise
 * @property {number} userShare           of the CPU time of its process, not in the kernel
 * @property {number} collectingUs        garbage, on the thread that runs JavaScript
 * @property {number} codecUs             the next three by samples of functions
 * @property {number} transportUs
 * @property {number} harnessUs
 * @property {number} samples             of the window
 */

/**
 * Of one cell, by an extra launch with instruments; never of a measured one, which they would slow down.
 * @typedef {object} Explanation
 * @property {Cell} cell
 * @property {Estimate} wholeUs           the median round trip of the measured launches
 * @property {number} explainedUs         that of the extra launch
 * @property {number} [underWay]          round trips at once; absent: one
 * @property {ExplainedPart[]} parts      in the order of the path
 * @property {number} remainderUs         of the whole, beyond all parts; less than 0: parts that ran at the same time. With others under
 *                                        way it is waiting for them
 * @property {number} [besideUs]          what both ends did while others worked, and is in no part
 * @property {InsideFacts[]} processes
 */

/**
 * Of one extra launch under strace, in its window; never of a measured one, since tracing slows everything.
 * @typedef {object} SyscallCounts
 * @property {Cell} cell
 * @property {number} operations
 * @property {{ name: string, calls: Record<string, number> }[]} processes   per operation, by system call
 */

/**
 * Of one extra launch with V8's sampling profiler on, while it was under load.
 * @typedef {object} CpuProfile
 * @property {Cell} cell
 * @property {string} process             'master', 'w0', ...
 * @property {string} file                name of its .cpuprofile
 * @property {{ name: string, share: number }[]} heaviest   of the time in which it was not idle
 */

/**
 * An extra launch that was to be looked into, and showed nothing.
 * @typedef {object} FailedLook
 * @property {Cell} cell
 * @property {'syscalls' | 'profile' | 'explain'} look   as its option is called
 * @property {string} code
 * @property {string} message
 */

export {};
