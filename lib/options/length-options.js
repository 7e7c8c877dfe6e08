// Text → how long and how often each cell is launched, and by what seed.

import { parseChoice } from './axis-options.js';
import { must } from './layers.js';
import { isOn } from './output-options.js';
import { COUNT, DURATION, parseQuantity } from './quantities.js';

/** @import { Given } from './layers.js' */
/** @import { Find } from './output-options.js' */

const LAUNCHES = { min: 1, max: 1000 };
const MESSAGES = { min: 1, max: 1e9 };
const WARMUP_MS = { min: 0, max: 10 * 60e3 };
const MEASURE_MS = { min: 10, max: 60 * 60e3 };
const SEED = { min: 0, max: 2 ** 32 - 1 };
const TIER_UPS = /** @type {const} */ (['early', 'usual']);

/** @param {Find} find @param {number} randomSeed */
export function lengthOptions(find, randomSeed) {
  const warmup = must(find, 'warmup');
  const warmupUnits = { ...DURATION, examples: `auto, ${DURATION.examples}` };
  const tierUp = must(find, 'tier-up');
  const messages = find('messages');
  const seed = find('seed');
  /** @type {(given: Given, quantity: typeof COUNT, limits: typeof SEED) => number} */
  const parsed = (given, quantity, limits) => parseQuantity(given.texts[0], quantity, limits, given.source);
  return {
    launches: parsed(must(find, 'launches'), COUNT, LAUNCHES),
    warmupMs: warmup.texts[0] === 'auto' ? null : parsed(warmup, warmupUnits, WARMUP_MS),
    tierUp: parseChoice(tierUp.texts[0], TIER_UPS, tierUp.source),
    measureMs: parsed(must(find, 'measure'), DURATION, MEASURE_MS),
    messages: messages ? parsed(messages, COUNT, MESSAGES) : null,
    seed: seed ? parsed(seed, COUNT, SEED) : randomSeed,
    quick: isOn(find('quick')),
  };
}
