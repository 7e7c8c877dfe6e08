// All times that a row has, launch by launch: those that its scenario takes, and under open load those from the planned
// instant.

import { SERVICE_TIME, timesIn } from '../../cell/headline.js';
import { printable } from '../../format/printable.js';
import { hasResponseTimes } from './groups.js';

/** @import { Latency, MeasuredOutcome } from '../../types/index.js' */
/** @typedef {{ kind: string, explained: string, latencies: Latency[] }} Times */

const SERVICE = Object.freeze({ kind: 'service', explained: 'service time, from the actual send' });

/**
 * @param {MeasuredOutcome} outcome
 * @returns {Times[]} under open load also those from the planned instant, unless the offered rate was not sustained
 */
export function listAllTimes(outcome) {
  const own = timesIn(outcome).map(({ name, title }) => ({
    ...(name === SERVICE_TIME ? SERVICE : { kind: name, explained: printable(title) }),
    latencies: outcome.launches.map(({ times }) => times[name]),
  }));
  if (!hasResponseTimes(outcome)) return own;
  const opens = outcome.launches.flatMap(({ open }) => (open === undefined ? [] : [open]));
  return [
    {
      kind: 'response',
      explained: 'response time, from the scheduled send',
      latencies: opens.map(({ response }) => response),
    },
    ...own,
    {
      kind: 'send-lag',
      explained: 'send delay, from the scheduled to the actual send',
      latencies: opens.map(({ sendLag }) => sendLag),
    },
  ];
}
