// Parsers for open load, launches and the ends of adaptive runs and sweeps, and the options that these flags determine together.

import { quoted } from '../format/printable.js';
import { COUNT, DURATION, parseQuantity, refuse } from '../format/quantity.js';
import { parsePercent } from './quantities.js';

/** @import { OpenOptions, PercentileName, Slo, StopOptions } from '../types/index.js' */
/** @import { QuantityFormat, Source } from '../format/quantity.js' */
/** @typedef {(flag: string) => any} ReadOption   Returns the value of a flag, or undefined if it is not given. */

export const RATE = { min: 0.01, max: 10_000_000, takesFractions: true }; // requests per second; a process cannot send as many as the maximum
/** @type {QuantityFormat} */
export const RATE_QUANTITY = { ...COUNT, noun: 'a rate', examples: '500, 10k or 0.5' };
export const ARRIVALS = /** @type {const} */ (['fixed', 'poisson', 'recorded']);
/** @type {Readonly<Record<string, PercentileName>>} */
const PERCENTILES = { p50: 'p50', p90: 'p90', p99: 'p99', 'p99.9': 'p999' };
/** @type {QuantityFormat} */
const SLO_TIME = {
  units: { us: 1, ms: 1e3, s: 1e6 },
  noun: 'a time',
  examples: '500us, 5ms or 1s',
  limitUnit: 'us',
};
const SLO = /^(p[\d.]+)\s*<\s*([^=\s].*)$/;
const SLO_US = { min: 1, max: 60e6 };
const DEFAULT_TARGET_ERROR = 0.02; // the same as in BenchmarkDotNet (EngineActualStage, MaxRelativeError)
const DEFAULT_MAX_TIME_MS = 5 * 60e3;
/** @type {Slo} */
const DEFAULT_SLO = Object.freeze({ percentile: 'p99', us: 5e3 });
const DEFAULT_SWEEP_MS = 4 * 60e3;
const MAX_TIME_MS = { min: 1_000, max: 24 * 3_600e3 };
const MAX_TIME_UNITS = {
  units: { ...DURATION.units, m: 60e3, h: 3_600e3 },
  noun: 'a time',
  examples: '90s, 5m or 2h',
};

/**
 * @param {ReadOption} read
 * @param {boolean} isWindowChosen   whether the user gives --measure
 * @returns {{ open?: OpenOptions }} empty for closed loops
 */
export function openOptions(read, isWindowChosen) {
  const isSweep = read('sweep') === true;
  const ratesPerSecond = read('rate');
  if (ratesPerSecond === undefined && !isSweep) return {};
  /** @type {OpenOptions} */
  const open = {
    ratesPerSecond: ratesPerSecond ?? [],
    // Even intervals keep queues shortest. The rate that a sweep finds should hold for independent clients too, whose arrivals are random.
    arrivals: read('arrivals') ?? (isSweep ? 'poisson' : 'fixed'),
    slo: read('slo') ?? (isSweep ? DEFAULT_SLO : null),
    ...(isWindowChosen && { isWindowChosen: /** @type {const} */ (true) }),
  };
  if (isSweep) open.maxTimeMs = read('max-time') ?? DEFAULT_SWEEP_MS;
  return { open };
}

export const AUTO_LAUNCHES = 'auto';
const LAUNCHES = Object.freeze({ min: 1, max: 1000 });
const MIN_LAUNCHES = 2; // A single launch does not show by how much fresh processes differ.
const MAX_LAUNCHES = 8;
/** Relative half-width of the interval of a ratio at which no further launches are needed; equal to the default of --min-effect. */
export const SETTLED_ERROR = 0.05;
const SETTLED_WITHIN_MS = 40_000;

/** @param {string} text @param {Source} source @returns {number | typeof AUTO_LAUNCHES} */
export function parseLaunches(text, source) {
  return text === AUTO_LAUNCHES ? text : parseQuantity(text, COUNT, LAUNCHES, source);
}

/**
 * A run is adaptive if --target-error or --max-time is given, and by default if --launches is not a number. By default, open load has a
 * fixed number of launches. In a sweep the number is always fixed, and --max-time limits each cell instead.
 * @param {ReadOption} read
 * @returns {{ launches: number, stop?: StopOptions }} `launches` is the exact number, or the minimum if `stop` is set
 */
export function lengthOptions(read) {
  const given = read('launches') ?? AUTO_LAUNCHES;
  const isAuto = given === AUTO_LAUNCHES;
  const launches = isAuto ? MIN_LAUNCHES : given;
  const isSweep = read('sweep') === true;
  const [targetError, maxTimeMs] = isSweep ? [] : [read('target-error'), read('max-time')];
  if (targetError === undefined && maxTimeMs === undefined) {
    if (!isAuto || isSweep || read('rate') !== undefined) return { launches };
    const stop = {
      targetError: SETTLED_ERROR,
      maxTimeMs: SETTLED_WITHIN_MS,
      mostLaunches: MAX_LAUNCHES,
    };
    return { launches, stop };
  }
  return {
    launches,
    stop: {
      targetError: targetError ?? DEFAULT_TARGET_ERROR,
      maxTimeMs: maxTimeMs ?? DEFAULT_MAX_TIME_MS,
    },
  };
}

/** @param {string} text   for example 'p99<5ms' @param {Source} source @returns {Slo} */
export function parseSlo(text, source) {
  const [, name, time] = SLO.exec(text.trim()) ?? [];
  if (name === undefined || !Object.hasOwn(PERCENTILES, name)) {
    const names = Object.keys(PERCENTILES).join(', ');
    const meant = text
      .toLowerCase()
      .replaceAll(/\s/g, '')
      .replace(/<=|=<|≤/, '<');
    const hint = Object.hasOwn(PERCENTILES, SLO.exec(meant)?.[1] ?? '') ? `. Did you mean '${meant}'?` : '';
    refuse(source, `${quoted(text)} is not a limit; write one of ${names} and a time, as 'p99<5ms'${hint}`);
  }
  return { percentile: PERCENTILES[name], us: parseQuantity(time, SLO_TIME, SLO_US, source) };
}

/** @param {string} text @param {Source} source @returns {number} ms */
export function parseMaxTime(text, source) {
  return parseQuantity(text, MAX_TIME_UNITS, MAX_TIME_MS, source);
}

/** @param {string} text   for example '2%' @param {Source} source @returns {number} a share */
export function parseTargetError(text, source) {
  const percent = parsePercent(text);
  if (percent >= 0.1 && percent <= 100) return Number((percent / 100).toPrecision(12));
  return refuse(source, `${quoted(text)} is not a share from 0.1 to 100 %; write 2% or 0.5%`);
}
