// What may vary in a transport that is made of rings, whatever the memory is.

import { KIB } from '../../format/units.js';
import { inPlaceSetting } from '../framing.js';
import { coalescingOf } from '../shared-traits.js';

/** @import { Setting, Traits } from '../../types/index.js' */

/** @type {Record<'ringBytes' | 'spinUs' | 'flush' | 'inPlace', Setting>} */
export const ringSettings = Object.freeze({
  ringBytes: {
    summary: 'memory of each ring, of which a worker has two; larger messages pass in pieces',
    // Messages of 100 kB then hardly ever lie across its end, which costs them a copy at each side: twice as many pass
    // as with 256 KiB. Small ones do not care.
    default: 1_024 * KIB,
    choices: [16 * KIB, 64 * KIB, 256 * KIB, 1_024 * KIB, 4_096 * KIB, 16_384 * KIB],
    unit: 'bytes',
  },
  spinUs: {
    summary:
      'how long an end looks again before it sleeps, as long as that pays: it tries less often where no message comes in ' +
      'time; 0: it sleeps at once',
    // A look or two. Between 10 us and the cost of a wake-up (55 us here) it is luck whether both ends stay awake, and
    // rates are 30 times apart; with more, such as 200, they do, at a core each as long as messages come.
    default: 5,
    min: 0,
    max: 1_000_000,
    unit: 'us',
  },
  flush: {
    summary:
      'direct: an end that sleeps is woken by the first message; tick: once all messages of one turn of the event loop ' +
      'lie in the ring',
    default: 'direct',
    choices: ['direct', 'tick'],
    changesTheWay: true,
  },
  inPlace: inPlaceSetting,
});

/**
 * @param {Readonly<Record<string, string | number | boolean>>} settings   `wake` and `flush` among them
 * @returns {Partial<Traits>}
 */
export const ringTraitsOf = (settings) => ({
  ...(settings.wake === 'spin' && { isSpinning: true }),
  ...coalescingOf(settings),
});
