// Whether a broker did what the pattern of a transport needs, and no more.

import { formatRatio } from '../../format/numbers.js';
import { BYTES_PER_NOTE } from '../../transport/message-channel.js';

const TOLERATED_EXCESS = 1.01; // M-42

/**
 * @param {import('../../types/launches.js').BrokerTraffic | undefined} traffic
 * @param {number | undefined} predicted   messages per round trip, given and delivered
 * @returns {string | null} by how much it was more; null: it was not, or nobody can tell
 */
export function amplification(traffic, predicted) {
  if (traffic === undefined || predicted === undefined) return null;
  const { published, delivered, bytes } = traffic;
  const notes = bytes / BYTES_PER_NOTE;
  if (Math.max(published, delivered ?? 0) - notes <= TOLERATED_EXCESS * predicted) return null;
  const given = `given ${formatRatio(published / predicted)}`;
  return delivered === null ? given : `${given}, delivered ${formatRatio(delivered / predicted)}`;
}

/**
 * @param {import('../../types/scenarios.js').Scenario} scenario
 * @param {number} [messagesPerRoundTrip]   of the transport
 * @returns {number | undefined} that a broker should be given for an operation; undefined: nobody says
 */
export function expectedMessages({ roundTrips = 1 }, messagesPerRoundTrip) {
  return messagesPerRoundTrip === undefined || roundTrips === null
    ? undefined
    : roundTrips * messagesPerRoundTrip;
}
