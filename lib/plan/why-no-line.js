// Why a cell is not measured over a network of our own: its transport does not reach one, or this machine can make none.
// What the machine can comes in as data.

import { transportLabel } from '../cell/labels.js';
import { traitsOf } from '../cell/traits.js';

/** @import { CpusToPlan } from '../machine/placement.js' */
/** @import { Cell, Transport } from '../types/index.js' */

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {Readonly<Record<string, string>>} [brokerUrls]
 * @param {Transport} [onward]   over which a relay reaches the master; absent: over the same
 * @returns {string | undefined} what no machine could do
 */
export function whyNotOverNetwork(transport, cell, brokerUrls = {}, onward = undefined) {
  if (cell.network === undefined) return undefined;
  const label = transportLabel(cell);
  const given = [transport, onward].find((each) => Object.hasOwn(brokerUrls, each?.broker?.name ?? ''));
  if (given !== undefined)
    return `${given.broker?.name} is given by URL, and a network of its own leads nowhere else: leave out the URL, or --network`;
  if (traitsOf(transport, cell.settings).reach === 'network') return undefined;
  const hasNet = transport.settings?.net !== undefined;
  const remedy = hasNet ? `use ${transport.name}:net=tcp` : 'use tcp';
  return `${label} reaches this machine only, and no worker beyond a network: ${remedy}`;
}

/** @param {Pick<Cell, 'network'>} cell @param {Pick<CpusToPlan, 'whyNoNetwork'> | null} machine @returns {string | null} */
export function whyNoLine({ network }, machine) {
  return network === undefined ? null : (machine?.whyNoNetwork ?? null);
}
