// Defines the effects of `guarantee` on queues, messages and both ends, and the settings that exclude each other.

/** @import { Settings } from '../../lib/types/index.js' */
/**
 * @typedef {object} Guarantee
 * @property {boolean} isConfirmed     true with publisher confirms and consumer acknowledgements
 * @property {boolean} isDurable       true if queues and messages survive a restart of the broker
 * @property {Partial<import('../../lib/types/transports.js').Traits>} traits
 */

// The documentation recommends 100 to 300: https://www.rabbitmq.com/docs/confirms#channel-qos-prefetch-throughput
export const PREFETCH = 300;

/** @type {Readonly<Record<string, Guarantee>>} */
const GUARANTEES = {
  none: {
    isConfirmed: false,
    isDurable: false,
    traits: {}, // the traits of the transport apply
  },
  confirm: {
    isConfirmed: true,
    isDurable: false,
    traits: {
      queues: 'at least once',
      guarantee: 'at least once, in order; memory only, publisher confirms and consumer acknowledgements',
    },
  },
  durable: {
    isConfirmed: true,
    isDurable: true,
    traits: {
      queues: 'at least once',
      guarantee:
        'at least once, in order; durable queues, persistent messages, publisher confirms, acknowledgements',
      durability: 'disk',
      isCostly: true,
    },
  },
};

/** @param {Settings} settings */
export function findGuarantee(settings) {
  return GUARANTEES[String(settings.guarantee)];
}

/** @param {Settings} settings @returns {Partial<import('../../lib/types/transports.js').Traits>} */
export function guaranteeTraits(settings) {
  const { isConfirmed, traits } = findGuarantee(settings);
  const messages = Number(settings.prefetch);
  if (!isConfirmed || messages === 0) return traits;
  return { ...traits, acknowledgementWindow: { setting: 'prefetch', messages } };
}

/** @param {Settings} settings @returns {string | null} */
export function settingsProblem(settings) {
  const { isConfirmed, isDurable } = findGuarantee(settings);
  if (settings.reply === 'direct' && isConfirmed) {
    return 'reply=direct goes with guarantee=none only: amq.rabbitmq.reply-to is not a queue, and takes no acknowledgements';
  }
  if (settings.queue === 'quorum' && !isDurable) {
    return 'queue=quorum goes with guarantee=durable only: quorum queues are always durable';
  }
  if (settings.prefetch !== PREFETCH && !isConfirmed) {
    return 'prefetch goes with guarantee=confirm or durable only: it limits what is not acknowledged yet';
  }
  return null;
}
