// What the suite expects of a transport, by its traits.

import { IS_LONG } from './long-form.js';

/**
 * @typedef {object} Expectations
 * @property {boolean} onlyResponds    the host only sends responses
 * @property {boolean} keepsOrder
 * @property {boolean} pushesBack     send() returns false if the other end does not read
 * @property {number} window          the most open requests, if the host only responds
 * @property {number} share           divides the number of messages, if each takes long
 * @property {boolean} isCostly
 * @property {number} stallMs         without any message, after which missing ones are lost
 */

const STALL_MS = 5_000;
const COSTLY_STALL_MS = 15_000; // for starts of processes on a busy machine
const COSTLY_SHARE = IS_LONG ? 250 : 500;
// A call of gRPC, or a message that a broker confirms, takes some 0.2 ms of CPU time.
const ANSWERED_SHARE = IS_LONG ? 5 : 10;
const WINDOW_WHERE_LOSS_IS_POSSIBLE = 8; // messages that fit into any socket buffer

/**
 * @param {import('../../lib/types/transports.js').Traits} traits
 * @returns {Expectations}
 */
export function expectationsOf({ class: kind, direction, order, loss, isCostly }) {
  const losesNothing = loss === undefined;
  const onlyResponds = direction === 'request-reply' || !losesNothing;
  return {
    onlyResponds,
    keepsOrder: order === undefined,
    pushesBack: losesNothing,
    window: losesNothing ? Number.MAX_SAFE_INTEGER : WINDOW_WHERE_LOSS_IS_POSSIBLE,
    share: isCostly ? COSTLY_SHARE : onlyResponds || kind === 'broker' ? ANSWERED_SHARE : 1,
    isCostly: isCostly === true,
    stallMs: isCostly ? COSTLY_STALL_MS : STALL_MS,
  };
}
