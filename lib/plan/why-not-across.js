// Why a cell cannot be measured between hosts: what a message would have to cross is a wire, and some things are of one host.

import { transportLabel } from '../cell/labels.js';
import { traitsOf } from '../cell/traits.js';
import { isSocketUrl } from '../words/socket-url.js';

/** @import { Cell, Options, Scenario, Transport } from '../types/index.js' */
/** @import { Onward } from '../plugins/plugins.js' */

/** @param {string | null} broker @param {Readonly<Record<string, string>>} brokerUrls @returns {string | null} of one that the user gives */
function whyOutOfReach(broker, brokerUrls) {
  // Whatever the setting `net` says, which is about private ones.
  return broker !== null && isSocketUrl(brokerUrls[broker] ?? '')
    ? `${broker} is given as a unix socket, which ends at its host: give it as a host and a port`
    : null;
}

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {Scenario} scenario
 * @param {Partial<Pick<Options, 'brokerUrls' | 'hosts'>>} options
 * @param {Onward} [onward]   over which the master is reached, from its own host
 * @returns {string | null} null: it crosses, or need not
 */
export function whyNotAcross(transport, cell, scenario, { brokerUrls = {}, hosts }, onward) {
  if (cell.hosts === undefined) return null;
  const { chosen = {} } = scenario;
  const { reach, ridesOnStart, broker } = traitsOf(transport, cell.settings);
  const why =
    whyOutOfReach(broker, brokerUrls) ?? whyOutOfReach(onward?.plugin.traits.broker ?? null, brokerUrls);
  if (why !== null) return why;
  const isGiven = broker !== null && Object.hasOwn(brokerUrls, broker);
  const isCarried = reach === 'network' || hosts?.sharesFolder === true;
  if (!isGiven && (!isCarried || ridesOnStart)) {
    const hasNet = transport.settings?.net !== undefined;
    const remedy = hasNet ? `${transport.name}:net=tcp` : 'one that goes over the network';
    return `${transportLabel(cell)} ends at its host: between hosts, take ${remedy}`;
  }
  if (cell.placement === 'same') return 'placement same is about one CPU, and these are several hosts';
  if (scenario.isCold)
    return `${scenario.name} asks how soon a process answers that is started on the same host`;
  if ((scenario.kills?.(chosen) ?? 0) > 0)
    return `${scenario.name} kills its workers, which a master does on its own host`;
  return null;
}
