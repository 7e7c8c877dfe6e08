import { IS_LONG } from './long-form.js';

// What a transport promises of many messages, as far as it changes how the suite talks over it.

/**
 * @typedef {object} Manners
 * @property {boolean} onlyAnswers    the host sends back what it hears, and says nothing else
 * @property {boolean} keepsOrder
 * @property {boolean} pushesBack     send() asks to wait when nobody reads
 * @property {number} window          of questions without an answer, where the host only answers
 * @property {number} share           one message of so many is said where each takes its time
 * @property {boolean} isCostly
 * @property {number} stallMs         no message at all for so long: what is missing does not come any more
 */

const STALL_MS = 5_000;
const COSTLY_STALL_MS = 15_000; // of processes that are to be started on a busy machine
const COSTLY_SHARE = IS_LONG ? 250 : 500;
// A call of gRPC, or a message that a broker confirms, takes some 0.2 ms of CPU time.
const ANSWERED_SHARE = IS_LONG ? 5 : 10;
const WINDOW_WHERE_LOSS_IS_POSSIBLE = 8; // messages of the suite that any socket buffer holds

/**
 * @param {import('../../lib/types/transports.js').Traits} traits
 * @returns {Manners}
 */
export function mannersOf({ class: kind, direction, order, loss, isCostly }) {
  const losesNothing = loss === undefined;
  const onlyAnswers = direction === 'request-reply' || !losesNothing;
  return {
    onlyAnswers,
    keepsOrder: order === undefined,
    pushesBack: losesNothing,
    window: losesNothing ? Number.MAX_SAFE_INTEGER : WINDOW_WHERE_LOSS_IS_POSSIBLE,
    share: isCostly ? COSTLY_SHARE : onlyAnswers || kind === 'broker' ? ANSWERED_SHARE : 1,
    isCostly: isCostly === true,
    stallMs: isCostly ? COSTLY_STALL_MS : STALL_MS,
  };
}
