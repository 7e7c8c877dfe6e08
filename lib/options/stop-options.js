// Text → when an adaptive run ends. Either of the two options makes a run adaptive; the other has its default then. A
// sweep takes --max-time for itself: for the time of each cell.

import { quoted } from '../format/quoted.js';
import { isOn } from './output-options.js';
import { DURATION, parsePercent, parseQuantity, refuse } from './quantities.js';

/** @import { StopOptions } from '../types/index.js' */
/** @import { Find } from './output-options.js' */
/** @import { Source } from './quantities.js' */

const DEFAULT_TARGET_ERROR = 0.02; // as narrow as BenchmarkDotNet wants it (EngineActualStage, MaxRelativeError)
const DEFAULT_MAX_TIME_MS = 5 * 60e3;
const DEFAULT_SWEEP_MS = 2 * 60e3;
const MAX_TIME_MS = { min: 1_000, max: 24 * 3_600e3 };
const MAX_TIME_UNITS = {
  units: { ...DURATION.units, m: 60e3, h: 3_600e3 },
  noun: 'a time',
  examples: '90s, 5m or 2h',
};

/**
 * @param {Find} find
 * @returns {{ stop: StopOptions } | {}} nothing: a fixed number of launches
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function stopOptions(find) {
  const error = find('target-error');
  const time = find('max-time');
  if (isOn(find('sweep')) || (error === undefined && time === undefined)) return {};
  return {
    stop: {
      targetError: error ? parseError(error.texts[0], error.source) : DEFAULT_TARGET_ERROR,
      maxTimeMs: time ? parseMaxTime(time) : DEFAULT_MAX_TIME_MS,
    },
  };
}

/**
 * @param {Find} find
 * @returns {number} ms that a cell of a sweep may take, its search and what confirms it
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function sweepTimeMs(find) {
  const time = find('max-time');
  return time ? parseMaxTime(time) : DEFAULT_SWEEP_MS;
}

/** @param {import('./layers.js').Given} time */
export function parseMaxTime({ texts, source }) {
  return parseQuantity(texts[0], MAX_TIME_UNITS, MAX_TIME_MS, source);
}

/** @param {string} text @param {Source} source @returns {number} 0.02 of '2%' */
function parseError(text, source) {
  const percent = parsePercent(text);
  if (percent >= 0.1 && percent <= 100) return Number((percent / 100).toPrecision(12));
  return refuse(source, `${quoted(text)} is not a share from 0.1 to 100 %; write 2% or 0.5%`);
}
