// What passed the broker of a launch per round trip, counted over the whole load: no round trip is cut in two at an end
// of the window, and nothing is asked while it is open.

import { withDeadline } from '../../children/with-deadline.js';

/** @import { BrokerTraffic } from '../../types/index.js' */

const ANSWER_DEADLINE_MS = 2_000; // a server that hangs is told of by those who wait for its messages

/** @param {import('../../types/transports.js').Transport} transport @param {string | null} brokerUrl */
export async function watchTraffic({ broker }, brokerUrl) {
  // A server of others may forbid the question; the launch is as good without.
  const opening = brokerUrl === null ? undefined : broker?.openGauge?.(brokerUrl);
  const gauge = await inTime(opening);
  if (gauge === null) opening?.then((late) => late.close()).catch(() => {});
  return {
    /**
     * @param {number} operations
     * @returns {Promise<BrokerTraffic | null>} null: no broker, or one that does not tell
     */
    async perOperation(operations) {
      const passed = await inTime(gauge?.passed());
      if (passed === null || operations === 0) return null;
      const { published, delivered, bytes } = passed;
      return {
        published: published / operations,
        delivered: delivered === null ? null : delivered / operations,
        bytes: bytes / operations,
      };
    },
    /** Else its connection would keep the process from ending. */
    close() {
      gauge?.close().catch(() => {});
    },
  };
}

/**
 * @template T
 * @param {Promise<T> | undefined} asked
 * @returns {Promise<T | null>}
 */
async function inTime(asked) {
  if (asked === undefined) return null;
  return withDeadline(
    asked.catch(() => null),
    ANSWER_DEADLINE_MS,
    () => null,
  );
}
