// What extra launches showed of the processes, and where the time of a round trip goes.

/** @import { Name, NonNegative, Positive, Several } from './scalars.js' */
/** @import { Estimate } from './launches.js' */
/** @import { Cell } from './plans.js' */

/**
 * A part of a round trip.
 * @typedef {object} ExplainedPart
 * @property {Name} name
 * @property {Name} title                 'codec in the worker'
 * @property {NonNegative | null} us      of a round trip; null: it could not be found, and is within the remainder
 * @property {string} found               how; where it could not be found, why
 */

/**
 * What an extra launch showed of one process, in µs of a round trip.
 * @typedef {object} InsideFacts
 * @property {Name} name                  'master', 'w0'
 * @property {'master' | 'worker'} role
 * @property {NonNegative} activeUs       its event loop did not wait: the median of slices of the window
 * @property {number} onTheWayUs          of that, until the last write of a turn of the event loop, likewise
 * @property {number} afterUs             of that, in the same turns, after the last write
 * @property {NonNegative} cpuUs          CPU time of the thread that runs JavaScript, likewise
 * @property {NonNegative} userShare      of the CPU time of its process, not in the kernel
 * @property {NonNegative} collectingUs   garbage, on the thread that runs JavaScript
 * @property {NonNegative} codecUs        the next three by samples of functions
 * @property {NonNegative} transportUs
 * @property {NonNegative} harnessUs
 * @property {NonNegative} samples        of the window
 */

/**
 * Of one cell, by an extra launch with instruments; never of a measured one, which they would slow down.
 * @typedef {object} Explanation
 * @property {Cell} cell
 * @property {Estimate} wholeUs           the median round trip of the measured launches
 * @property {number} explainedUs         that of the extra launch
 * @property {Several} [underWay]         round trips at once; absent: one
 * @property {ExplainedPart[]} parts      in the order of the path
 * @property {number} remainderUs         of the whole, beyond all parts; less than 0: parts that ran at the same time. With others under
 *                                        way it is waiting for them
 * @property {NonNegative} [besideUs]     what both ends did while others worked, and is in no part
 * @property {InsideFacts[]} processes
 */

/**
 * Of one extra launch under strace, in its window; never of a measured one, since tracing slows everything.
 * @typedef {object} SyscallCounts
 * @property {Cell} cell
 * @property {Positive} operations
 * @property {{ name: Name, calls: Record<string, NonNegative> }[]} processes   per operation, by system call
 */

/**
 * Of one extra launch with V8's sampling profiler on, while it was under load.
 * @typedef {object} CpuProfile
 * @property {Cell} cell
 * @property {Name} process               'master', 'w0', ...
 * @property {Name} file                  name of its .cpuprofile
 * @property {{ name: Name, share: NonNegative }[]} heaviest   of the time in which it was not idle
 */

/**
 * An extra launch that was to be looked into, and showed nothing.
 * @typedef {object} FailedLook
 * @property {Cell} cell
 * @property {'syscalls' | 'profile' | 'explain'} look   as its option is called
 * @property {Name} code
 * @property {string} message
 */

export {};
