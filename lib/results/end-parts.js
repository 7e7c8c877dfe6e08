// What the two ends of a round trip do on the threads that run JavaScript, as parts of it. What an end does while another
// process is at work on the way is in none of them.

import { estimateMean } from '../statistics/estimate.js';
import { sumBy } from '../statistics/sum.js';

/** @import { ExplainedPart, InsideFacts } from '../types/index.js' */
/**
 * @typedef {object} Ends
 * @property {InsideFacts[]} processes               one master, and workers
 * @property {boolean} serialisesItself              the transport does the work of the codec
 * @property {(facts: InsideFacts) => number} besideOf   µs of its time at work that are not on the way
 */
/** @typedef {ReturnType<typeof divided>} Divided */

const PROFILE = 'CPU profile, by the file of each function';
const ROLES = /** @type {const} */ (['worker', 'master']);

/** @param {Ends} ends @returns {ExplainedPart[]} */
export function endParts(ends) {
  const sum = makeSums(ends);
  const beside = sum('beside') > 0 ? ', and what runs beside the way' : '';
  return [
    ...ROLES.map((role) => codecPart(role, sum('codec', role), ends.serialisesItself)),
    { name: 'harness', title: 'harness', us: sum('harness'), found: PROFILE },
    {
      name: 'transport',
      title: 'transport',
      us: sum('transport'),
      found: `${PROFILE}: its own files and those of its packages`,
    },
    {
      name: 'loop',
      title: 'event loop and callbacks',
      us: sum('loop'),
      found: `CPU time outside of the kernel, less the parts above${beside}: Node.js and libuv`,
    },
    { name: 'collection', title: 'garbage collection', us: sum('collection'), found: 'PerformanceObserver' },
    {
      name: 'systemCalls',
      title: 'system calls',
      us: sum('systemCalls'),
      found: 'time in which the event loop did not wait, less CPU time outside of the kernel',
    },
  ];
}

/** @param {Ends} ends @returns {number} µs of both that are not on the way */
export function besideUs(ends) {
  return makeSums(ends)('beside');
}

/** @param {Ends} ends @returns {(part: keyof Divided, role?: InsideFacts['role']) => number} of the master and of a typical worker; of one of them */
function makeSums({ processes, besideOf }) {
  const all = processes.map((facts) => ({ role: facts.role, ...divided(facts, besideOf(facts)) }));
  return (part, role) => {
    const ofRoles = ROLES.filter((own) => role === undefined || own === role).map((own) =>
      all.filter((facts) => facts.role === own).map((facts) => facts[part]),
    );
    return sumBy(ofRoles, (ofRole) => (ofRole.length === 0 ? 0 : estimateMean(ofRole).estimate));
  };
}

/** @param {'worker' | 'master'} role @param {number} us @param {boolean} serialisesItself @returns {ExplainedPart} */
function codecPart(role, us, serialisesItself) {
  const part = { name: `${role}Codec`, title: `codec in the ${role}` };
  if (us > 0) return { ...part, us, found: PROFILE };
  const found = serialisesItself
    ? 'the transport serialises by itself, in functions of no file'
    : 'not one sample of the CPU profile met it';
  return { ...part, us: null, found };
}

/** @param {InsideFacts} facts @param {number} notOnTheWayUs @returns µs of one process; all together they are its time at work */
function divided(
  { activeUs, cpuUs, userShare, collectingUs, codecUs, transportUs, harnessUs },
  notOnTheWayUs,
) {
  // Blocked in a call, or without a CPU, an event loop does not wait either.
  const atWorkUs = Math.min(activeUs, cpuUs);
  const known = { codec: codecUs, harness: harnessUs, transport: transportUs, collection: collectingUs };
  const knownUs = codecUs + harnessUs + transportUs + collectingUs;
  // Functions of native add-ons make system calls themselves.
  const userUs = Math.max(knownUs, Math.min(atWorkUs, userShare * cpuUs));
  const [loopUs, callsUs] = [userUs - knownUs, Math.max(0, atWorkUs - userUs)];
  // Callbacks of writes and the way back to the wait: hardly anything of it is a system call, or somebody else's code.
  const fromLoop = Math.min(loopUs, notOnTheWayUs);
  const fromCalls = Math.min(callsUs, notOnTheWayUs - fromLoop);
  return {
    ...known,
    loop: loopUs - fromLoop,
    systemCalls: callsUs - fromCalls,
    beside: fromLoop + fromCalls,
  };
}
