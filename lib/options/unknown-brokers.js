// Whether the URLs of brokers are of brokers that some transport knows, and of a kind that it can reach: told once the
// plug-ins are loaded, since third parties bring brokers of their own. Where a transport of the run needs a unix socket, it has
// to be there.

import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { isSocketUrl } from '../format/socket-url.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';
import { missingSocketProblem } from './broker-socket.js';

/** @import { Broker } from '../types/index.js' */
/** @typedef {{ plugin: import('../types/transports.js').Transport }} Loaded */

/**
 * A URL may be left in the environment for all runs: it need not be of a transport that this run measures.
 * @param {Record<string, string>} brokerUrls
 * @param {Iterable<Loaded>} loaded    transports of this run
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function refuseStrangeBrokers(brokerUrls, loaded) {
  if (Object.keys(brokerUrls).length === 0) return;
  const builtin = await loadTransports(builtinNames('transport'));
  const own = [...loaded].flatMap(({ plugin }) => plugin.broker ?? []);
  const brokers = [...own, ...[...builtin.values()].flatMap(({ plugin }) => plugin.broker ?? [])];
  for (const [name, url] of Object.entries(brokerUrls)) {
    refuseStrangeBroker(name, url, brokers);
    const isNeeded = own.some((broker) => broker.name === name);
    const reason = isNeeded && isSocketUrl(url) ? missingSocketProblem(url) : null;
    if (reason !== null) throw new BenchError('BAD_ARGUMENT', `${optionFor(name)}: ${reason}`);
  }
}

/** @param {string} name   of a broker */
function optionFor(name) {
  return name === 'redis' ? '--redis-url' : `--broker-url ${name}`;
}

/**
 * @param {string} name
 * @param {string} url        never quoted as a whole: it may hold a password
 * @param {Broker[]} brokers
 */
function refuseStrangeBroker(name, url, brokers) {
  const option = optionFor(name);
  const refuse = (/** @type {string} */ what) => {
    throw new BenchError('BAD_ARGUMENT', what);
  };
  const broker = brokers.find((one) => one.name === name);
  if (broker === undefined) {
    const known = [...new Set(brokers.map((one) => one.name))].sort();
    const next = `those of the transports are ${known.join(', ')}`;
    return refuse(`--broker-url: there is no broker ${quoted(name)}; ${next}.${didYouMean(name, known)}`);
  }
  const { urlSchemes = [] } = broker;
  if (urlSchemes.length === 0) return refuse(`${option}: ${name} takes no URL; leave it out`);
  const scheme = url.slice(0, url.indexOf(':')).toLowerCase();
  if (urlSchemes.includes(scheme)) {
    const reason = broker.whyBadUrl?.(url);
    return reason === undefined ? undefined : refuse(`${option}: ${reason}`);
  }
  if (isSocketUrl(url) && !urlSchemes.some((each) => isSocketUrl(`${each}:`))) {
    refuse(`${option}: a server of ${name} listens on no unix socket; write ${urlSchemes[0]}://host:port`);
  }
  const wanted = urlSchemes.map((each) => `${each}://`).join(' or ');
  refuse(
    `${option}: ${name} is reached by ${wanted}, not by ${quoted(`${scheme}://`)}; write ${urlSchemes[0]}://host:port`,
  );
}
