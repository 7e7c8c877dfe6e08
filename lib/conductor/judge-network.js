// Whether a network of our own was as it should be while a window was measured.

import { GREATEST_LINE_SHARE, TOLERATED_LATENESS } from '../results/thresholds.js';
import { formatTenthsOfPercent } from '../words/numbers.js';

const WAYS = 2; // there and back

/** @param {import('../types/networks.js').NetworkUse} [network] @returns {string | null} null: it kept its times, with time to spare */
export function whyLateNetwork(network) {
  if (network === undefined) return null;
  const { roundTripUs, meanLateUs, share } = network;
  const excess = (WAYS * meanLateUs) / roundTripUs;
  if (excess <= TOLERATED_LATENESS && share < GREATEST_LINE_SHARE) return null;
  return `by ${formatTenthsOfPercent(excess)}, and ${formatTenthsOfPercent(share)} of a core`;
}
