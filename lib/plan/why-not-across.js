// Why a cell cannot be measured between hosts: what a message would have to cross is a wire, and some things are of one host.

import { transportLabel } from '../cell/labels.js';
import { traitsOf } from '../cell/traits.js';
import { isSocketUrl } from '../words/socket-url.js';

/** @import { Cell, Options } from '../types/plans.js' */
/** @import { Scenario } from '../types/scenarios.js' */
/** @import { Onward } from '../plugins/plugins.js' */
/** @import { Transport } from '../types/transports.js' */

/** @param {string} broker @param {string} [url]   absent: a private one @returns {string | null} */
function whyOutOfReach(broker, url) {
  if (url === undefined) {
    const option = broker === 'redis' ? '--redis-url' : `--broker-url ${broker}=`;
    return `a private ${broker} would be out of reach: give the URL of one that all hosts reach, with ${option}`;
  }
  // Whatever the setting `net` says, which is about private ones.
  return isSocketUrl(url)
    ? `${broker} is given as a unix socket, which ends at its host: give it as a host and a port`
    : null;
}

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {Scenario} scenario
 * @param {Partial<Pick<Options, 'brokerUrls'>>} options
 * @param {Onward} [onward]   over which the master is reached, from its own host
 * @returns {string | null} null: it crosses, or need not
 */
export function whyNotAcross(transport, cell, scenario, { brokerUrls = {} }, onward) {
  if (cell.hosts === undefined) return null;
  const { chosen = {} } = scenario;
  const { reach, ridesOnStart, broker } = traitsOf(transport, cell.settings);
  if (broker !== null) {
    const why = whyOutOfReach(broker, brokerUrls[broker]);
    if (why !== null) return why;
  } else if (reach !== 'network' || ridesOnStart) {
    return `${transportLabel(cell)} ends at its host: between hosts, take one that goes over the network`;
  }
  const further = onward?.plugin.traits.broker ?? null;
  const why = further === null ? null : whyOutOfReach(further, brokerUrls[further]);
  if (why !== null) return why;
  if (cell.placement === 'same') return 'placement same is about one CPU, and these are several hosts';
  if (scenario.isCold)
    return `${scenario.name} asks how soon a process answers that is started on the same host`;
  if ((scenario.kills?.(chosen) ?? 0) > 0)
    return `${scenario.name} kills its workers, which a master does on its own host`;
  return null;
}
