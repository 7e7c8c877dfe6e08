// Whether a broker did what the pattern of a transport needs, and no more.

import { formatRatio } from '../format/numbers.js';

const TOLERATED_EXCESS = 1.01; // M-42

/**
 * @param {import('../types.js').BrokerTraffic | undefined} traffic
 * @param {number | undefined} predicted   messages per round trip, given and delivered
 * @returns {string | null} by how much it was more; null: it was not, or nobody can tell
 */
export function amplification(traffic, predicted) {
  if (traffic === undefined || predicted === undefined) return null;
  const { published, delivered } = traffic;
  if (Math.max(published, delivered) <= TOLERATED_EXCESS * predicted) return null;
  return `given ${formatRatio(published / predicted)}, delivered ${formatRatio(delivered / predicted)}`;
}
