// Where the answer changes, in sentences: "above 9.6 kB (7–14 kB) unix/binary overtakes pipe/json".

import { capitalised } from '../../format/lists.js';
import { formatCount, formatPercent } from '../../format/numbers.js';
import { NOTICED_CORE_SHARE } from './objectives.js';

/** @import { AxisName, Candidate, Recommendation, Turn } from '../../types/index.js' */

/** @param {number} value @param {number} digits   significant ones @returns {string} */
function rounded(value, digits) {
  return String(Number(value.toPrecision(digits)));
}

/** @param {number} bytes @returns {string} '9.6 kB', '120 B' */
function bytesText(bytes) {
  if (bytes >= 1e6) return `${rounded(bytes / 1e6, 2)} MB`;
  return bytes >= 1e3 ? `${rounded(bytes / 1e3, 2)} kB` : `${rounded(bytes, 2)} B`;
}

/** @type {Readonly<Record<AxisName, { of: string, text: (value: number) => string }>>} */
const AXES = Object.freeze({
  payloadBytes: { of: 'payload', text: bytesText },
  workers: { of: 'workers', text: (value) => `${formatCount(value)} ${value === 1 ? 'worker' : 'workers'}` },
  loops: { of: 'loops', text: (value) => `${formatCount(value)} loops` },
  connections: { of: 'connections', text: (value) => `${formatCount(value)} connections` },
  ratePerSecond: { of: 'rate', text: (value) => `${formatCount(Number(rounded(value, 2)))}/s` },
});

/** @param {AxisName} axis @returns {string} 'payload' */
export function axisTitle(axis) {
  return AXES[axis].of;
}

/** @param {Turn} turn @returns {string} '9.6 kB (7.1–14 kB)' */
export function crossoverText({ axis, crossover: { estimate, low, high } }) {
  const { text } = AXES[axis];
  const [from, to] = [text(low), text(high)];
  const unit = to.replace(/^[\d.,]+/, '');
  const isShared = unit !== '' && from.endsWith(unit);
  const shown = from === to ? '' : ` (${isShared ? from.slice(0, -unit.length) : from}–${to})`;
  return `${text(estimate)}${shown}`;
}

/** @param {Recommendation} recommendation @param {Candidate} choice @returns {string[]} */
export function crossoverSentences({ turns, searched, request }, choice) {
  const changes = turns.map((turn) => `${capitalised(crossoverSentence(turn))}.`);
  const still = searched
    .filter(({ axis }) => turns.every((turn) => turn.axis !== axis))
    .map(({ axis, ends: [from, to] }) => {
      const { text } = AXES[axis];
      return `From ${text(from)} to ${text(to)}, nothing else is proven to be ${request.ratePerSecond === null ? 'better' : 'noticeably better'} than ${choice.name}.`;
    });
  return [...changes, ...still];
}

/** @param {Turn} turn @returns {string} 'above 9.6 kB (7–14 kB) unix/binary overtakes pipe/json' */
export function crossoverSentence(turn) {
  const { side, rival, choice, spareUs, by } = turn;
  const where = `${side} ${crossoverText(turn)} ${rival.name}`;
  if (spareUs > 0)
    return `${where} saves more than ${formatPercent(NOTICED_CORE_SHARE)} of a core compared with ${choice.name}`;
  const inWhat = by === 'speed' ? '' : ' in CPU time';
  return `${where} ${side === 'above' ? 'overtakes' : 'is ahead of'} ${choice.name}${inWhat}`;
}
