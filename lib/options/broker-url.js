// Where a broker of the user's own may be. One on another machine may serve others: it is only put under load when the
// user says so on the command line, and until then nothing connects to it.

import { redactUrl } from '../redact.js';
import { refuse } from './quantities.js';

/** @typedef {import('./quantities.js').Source} Source */

const LOOPBACK = /^(|localhost|127(\.\d{1,3}){3}|\[::1\])$/i; // none: what clients take for 127.0.0.1
const REMOTE_KEYS = ['host', 'sentinels', 'natMap']; // ioredis takes options from the query of a URL as well

/**
 * @param {string} url      valid
 * @param {boolean} isAllowed
 * @param {Source} source
 */
export function refuseRemoteBroker(url, isAllowed, source) {
  const { hostname, searchParams } = new URL(url);
  const isLocal = LOOPBACK.test(hostname) && !REMOTE_KEYS.some((key) => searchParams.has(key));
  if (isLocal || isAllowed) return;
  refuse(
    source,
    `${redactUrl(url)} is on another machine, and all its users would feel the load of a benchmark. ` +
      'Use one of this machine, or add --allow-remote-broker if it is yours alone',
  );
}
