// Text → what open load is to be: rates, arrivals, what becomes of the late ones, and the limit that a sweep keeps.

import { quoted } from '../format/quoted.js';
import { isOn } from './output-options.js';
import { COUNT, gathered, parseChoice, parseQuantity, parseRange, refuse, splitList } from './quantities.js';
import { sweepTimeMs } from './stop-options.js';

/** @import { OpenOptions, PercentileName, Slo } from '../types/index.js' */
/** @import { Find } from './output-options.js' */
/** @import { Source } from './quantities.js' */

export const RATE = { min: 1, max: 10_000_000 }; // per second; more than any process can send
const ARRIVALS = /** @type {const} */ (['fixed', 'poisson']);
/** @type {Readonly<Record<string, PercentileName>>} */
const PERCENTILES = { p50: 'p50', p90: 'p90', p99: 'p99', 'p99.9': 'p999' };
const SLO_TIME = { units: { us: 1, ms: 1e3, s: 1e6 }, noun: 'a time', examples: '500us, 5ms or 1s' };
const SLO_US = { min: 1, max: 60e6 };

/**
 * @param {Find} find
 * @param {ReadonlySet<string>} chosen   what flags, environment or config file gave
 * @returns {{ open: OpenOptions } | {}}  nothing: closed loops
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function openOptions(find, chosen) {
  const rate = find('rate');
  const isSweep = isOn(find('sweep'));
  refuseIdle(find, chosen, rate !== undefined, isSweep);
  if (rate === undefined && !isSweep) return {};
  const arrivals = find('arrivals');
  const slo = find('slo');
  return {
    open: {
      ratesPerSecond: rate === undefined ? [] : parseRates(rate.texts, rate.source),
      arrivals: arrivals ? parseChoice(arrivals.texts[0], ARRIVALS, arrivals.source) : 'fixed',
      catchesUp: find('catchup') === undefined || isOn(find('catchup')),
      slo: isSweep && slo ? parseSlo(slo.texts[0], slo.source) : null,
      ...(isSweep && { maxTimeMs: sweepTimeMs(find) }),
    },
  };
}

/**
 * An option that would change nothing is refused: the user who wrote it expects open load.
 * @param {Find} find
 * @param {ReadonlySet<string>} chosen
 * @param {boolean} hasRate
 * @param {boolean} isSweep
 */
function refuseIdle(find, chosen, hasRate, isSweep) {
  for (const flag of ['arrivals', 'catchup', 'slo']) {
    const given = find(flag);
    if (given === undefined || !chosen.has(flag)) continue;
    if (flag === 'slo' && !isSweep) {
      const next = hasRate
        ? 'at a fixed --rate no limit is checked, and --json has the percentile. For the highest rate that keeps the limit write --sweep instead of --rate'
        : 'add --sweep';
      refuse(given.source, `is for --sweep only; ${next}`);
    }
    if (!hasRate && !isSweep) refuse(given.source, 'is for open load only; add --rate N or --sweep');
  }
}

/** @param {string[]} texts @param {Source} source @returns {number[]} each once */
function parseRates(texts, source) {
  return [
    ...new Set(gathered(splitList(texts, source), (text) => parseRange(text, COUNT, RATE, source), source)),
  ];
}

/** @param {string} text   'p99<5ms' @param {Source} source @returns {Slo} */
export function parseSlo(text, source) {
  const [, name, time] = /^(p[\d.]+)\s*<\s*(\S+)$/.exec(text.trim()) ?? [];
  if (name === undefined || !Object.hasOwn(PERCENTILES, name)) {
    const names = Object.keys(PERCENTILES).join(', ');
    refuse(source, `${quoted(text)} is no limit; write one of ${names} and a time, as 'p99<5ms'`);
  }
  return { percentile: PERCENTILES[name], us: parseQuantity(time, SLO_TIME, SLO_US, source) };
}
