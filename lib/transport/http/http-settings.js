// What can be chosen of HTTP/1.1, with TLS and without it.

import { httpNet } from '../shared-traits.js';

/** @import { GuestContext, Setting } from '../../types/index.js' */

/** @type {Record<string, Setting>} */
export const httpSettings = Object.freeze({
  client: {
    summary: 'agent: node:http with a keep-alive agent; undici: its Pool',
    default: 'agent',
    choices: ['agent', 'undici'],
    changesTheWay: true,
  },
  net: httpNet,
  connections: {
    summary: 'at most, per worker; further requests wait for a free one',
    default: 128, // without a limit, as both clients have it, many loops would run out of descriptors
    min: 1,
    max: 65_536,
  },
  pipelining: {
    summary: 'requests on one connection before its first response; more than 1 only with client=undici',
    default: 1,
    min: 1,
    max: 10_000,
  },
});

/** @param {GuestContext['settings']} settings */
export function httpProblem({ client, pipelining }) {
  const isRefused = client === 'agent' && Number(pipelining) > 1;
  return isRefused ? 'pipelining needs client=undici: the agent of Node waits for each response' : undefined;
}
