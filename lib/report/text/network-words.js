// The emulated network between master and workers, for table and chart: the result of a probe before the launches, and the
// delay of packets.

import { groupedBy } from '../../format/lists.js';
import { formatCount, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { sumBy } from '../../statistics/sum.js';

/** @import { MeasuredOutcome, NetworkUse } from '../../types/index.js' */

/** @param {MeasuredOutcome[]} measured @returns {NetworkUse[]} of their launches */
function listNetworkUses(measured) {
  return measured.flatMap(({ launches }) => launches.flatMap(({ network }) => network ?? []));
}

/** @param {NetworkUse[]} uses @returns {number} the median of the probes */
function probedUs(uses) {
  const sorted = uses.map(({ roundTripUs }) => roundTripUs).sort((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

/** @param {MeasuredOutcome[]} measured   over one network @returns {string | null} 'ping 1,090 µs, MTU 1,500 bytes'; null: there is none */
export function networkText(measured) {
  const uses = listNetworkUses(measured);
  if (uses.length === 0) return null;
  return `ping ${formatNumber(probedUs(uses))} µs, MTU ${formatCount(uses[0].mtuBytes)} bytes`;
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} one line for each network */
export function networkLines(measured) {
  const networked = measured.filter(({ cell }) => cell.network !== undefined);
  return [...groupedBy(networked, ({ cell }) => String(cell.network))].map(([network, concerned]) => {
    const uses = listNetworkUses(concerned);
    const late = Math.max(...uses.map(({ p99LateUs }) => p99LateUs));
    const share = Math.max(...uses.map((use) => use.share));
    const dropped = sumBy(uses, ({ droppedPackets }) => droppedPackets);
    const drops = dropped === 0 ? 'none dropped' : `${formatCount(dropped)} dropped`;
    return `network ${printable(network)}: ${networkText(concerned)}; 99 % of the packets within ${formatNumber(late)} µs of their delivery time, ${drops}; the emulation used at most ${formatNumber(100 * share)} % of a core`;
  });
}
