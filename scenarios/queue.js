// Jobs for several workers: the master offers them, and a free worker processes one and acknowledges it. Killing workers tests the delivery
// guarantee of a queue.

import {
  busiestShare,
  ofOutage,
  operationsPerSecond,
  usualMeasures,
} from '../lib/workload/measures/usual-measures.js';

/** @import { Cell, Scenario, Traits } from '../lib/types/index.js' */

const OPERATION = Object.freeze({ one: 'job', many: 'jobs', done: 'finished' });
const [RATE, SERVICE_TIME, PAYLOAD] = usualMeasures(OPERATION);

/** @param {Pick<Traits, 'class' | 'loss'>} traits @param {number} kill @param {Cell} cell */
function killProblem(traits, kill, { workers, ratePerSecond }) {
  if (ratePerSecond !== undefined)
    return 'the jobs of a killed worker are followed under closed loops only: leave out kill, or --rate and --sweep';
  if (kill >= workers)
    return `kill=${kill} leaves none of the ${workers} workers to do the jobs: kill fewer, or give more --workers`;
  if (traits.class === 'thread') return 'its workers are threads of the master, and die only with it';
  return traits.loss === 'possible' ? 'it may lose jobs although no worker dies: leave out kill' : null;
}

/**
 * @param {Pick<Traits, 'claimsAfterMs'>} traits
 * @param {{ jobs: number, handle: number }} ofWorker   jobs: number at once; handle: µs per job
 * @returns {string | null} a reason if other workers would claim jobs of a worker that is still processing them
 */
function claimProblem({ claimsAfterMs = Infinity }, { jobs, handle }) {
  const handledMs = (jobs * handle) / 1_000;
  return handledMs < claimsAfterMs
    ? null
    : `a worker takes ${handledMs} ms for the ${jobs} jobs that it may have, and others claim them after ${claimsAfterMs} ms: give a smaller prefetch or handle`;
}

/** @type {Scenario} */
export default {
  name: 'queue',
  summary: 'the master offers jobs, each to one of its workers, and counts those that they acknowledge',
  operation: OPERATION,
  measures: [
    RATE,
    { ...SERVICE_TIME, name: 'timeToAcknowledgement', title: 'offer to acknowledgement' },
    {
      name: 'busiestToFairShare',
      title: 'busiest ÷ fair share',
      unit: 'share',
      better: 'lower',
      kind: 'value',
      read: busiestShare,
    },
    ofOutage({ name: 'lost', title: 'lost', unit: 'count' }),
    ofOutage({ name: 'doneTwice', title: 'done twice', unit: 'count' }),
    ofOutage({ name: 'offeredAgain', title: 'offered again', unit: 'count' }),
    ofOutage({ name: 'recoveryTime', title: 'recovered after', unit: 'µs' }),
    {
      ...PAYLOAD, // counts the payloads of jobs, not acknowledgements
      read: (reports, { payloadBytes }) => (payloadBytes * operationsPerSecond(reports)) / 1e6,
    },
  ],
  isByTime: true,
  settings: {
    way: {
      summary:
        'credit: the master gives each worker its jobs; native: the transport has a queue from which workers take them',
      default: 'credit',
      choices: ['credit', 'native'],
    },
    prefetch: {
      summary: 'greatest number of jobs of a worker at once; 0: one for each of its loops',
      default: 0,
      min: 0,
      max: 65_535, // the greatest prefetch of a consumer of RabbitMQ
      unit: 'jobs',
    },
    handle: {
      summary: 'how long each job keeps the event loop of its worker busy',
      default: 0,
      min: 0,
      max: 1e6,
      unit: 'µs',
    },
    kill: {
      summary: 'workers that are killed (SIGKILL) in the middle of the window',
      default: 0,
      min: 0,
      max: 10_000,
      unit: 'workers',
    },
  },
  kills: ({ kill }) => Number(kill),
  isPacedByMaster: () => true,
  sharedQueue: ({ way, prefetch }, { loops }) =>
    way === 'native' ? { prefetch: Number(prefetch) || loops } : null,
  skipReason(traits, { way, kill, prefetch, handle }, cell) {
    if (traits.direction === 'request-reply')
      return 'its master only responds to requests, and cannot send jobs';
    if (way === 'native' && traits.queues === undefined)
      return 'it has no queue that several workers take jobs from: use way=credit';
    const jobs = Number(prefetch) || cell.loops;
    const claimed = way === 'native' ? claimProblem(traits, { jobs, handle: Number(handle) }) : null;
    if (claimed !== null) return claimed;
    return kill === 0 ? null : killProblem(traits, Number(kill), cell);
  },
  endpoints: { master: ['jobProducer'], worker: ['jobConsumer'] },
  endpoint(role, kit) {
    const { prefetch, handle } = kit.settings;
    const handleMs = Number(handle) / 1_000;
    if (role === 'worker') return kit.jobConsumer(handleMs);
    return kit.jobProducer({ prefetch: Number(prefetch), handleMs });
  },
};
