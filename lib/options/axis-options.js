// Text → the values of the axes: shapes, payloads, transports with settings, names, choices. Names are not looked
// up here, and settings not checked: that needs the plug-ins (lib/plugins/plugins.js, lib/cell/settings.js).

import { AXES } from '../cell/axes.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { parseNetworks } from './network-choices.js';
import { OPTION_TABLE } from './option-table.js';
import { BYTES, COUNT, gathered, parseRange, refuse, splitList } from './quantities.js';
import { parseRuntimes } from './runtime-choices.js';
import { parseScenarios, parseTransports, unique } from './setting-choices.js';

/** @import { Shape } from '../types/index.js' */
/** @import { Source } from './quantities.js' */
/** @import { Axis } from '../cell/axis.js' */

const WORKERS = { min: 1, max: 1000 }; // each is a process of about 50 MB
const LOOPS = { min: 1, max: 100_000 };
const CONNECTIONS = { min: 1, max: 65_536 }; // of each worker: more than the ports of an address
// Half of the longest string of V8 (2^29 - 24 characters), since a codec adds to the payload.
export const PAYLOAD = { min: 1, max: 2 ** 28 };

/** @type {Record<string, (texts: string[], source: Source) => unknown[]>} by axis; others are names, or one of few values */
const PARSERS = {
  shape: parseShapes,
  payload: rangeParser(BYTES, PAYLOAD),
  connections: rangeParser(COUNT, CONNECTIONS),
  network: parseNetworks,
  transport: parseTransports,
  scenario: parseScenarios,
  runtime: parseRuntimes,
};

/** Axes that one option chooses, in the order of the help. */
export const CHOSEN_AXES = Object.keys(OPTION_TABLE).flatMap((flag) =>
  AXES.filter((axis) => axis.flag === flag && axis.option !== undefined),
);

/**
 * @param {Axis} axis
 * @param {string[]} texts
 * @param {Source} source
 * @returns {unknown[]} what the options hold of it
 */
export function parseAxis({ name, values }, texts, source) {
  if (values === undefined) return (PARSERS[name] ?? parseNames)(texts, source);
  return unique(splitList(texts, source).map((text) => parseChoice(text, values, source)));
}

/**
 * @param {string[]} texts   '2x4', or ranges on either side: '1..8*2x4'
 * @param {Source} source
 * @returns {Shape[]}
 */
export function parseShapes(texts, source) {
  const shapes = gathered(splitList(texts, source), (text) => expandShapes(text, source), source);
  return unique(shapes, (shape) => `${shape.workers}x${shape.loops}`);
}

/**
 * @param {string} text
 * @param {Source} source
 * @returns {Generator<Shape>}
 */
function* expandShapes(text, source) {
  const halves = text.split('x');
  if (halves.length !== 2 || halves.includes('')) refuseShape(text, source);
  const sourceOf = (/** @type {string} */ half) => ({ ...source, label: `${source.label}: ${half}` });
  const workerCounts = parseRange(halves[0], COUNT, WORKERS, sourceOf('workers'));
  const loopCounts = parseRange(halves[1], COUNT, LOOPS, sourceOf('loops'));
  for (const workers of workerCounts) {
    for (const loops of loopCounts) yield { workers, loops };
  }
}

/**
 * @param {string} text
 * @param {Source} source
 * @returns {never}
 */
function refuseShape(text, source) {
  const [, workers, loops] = /^(\d*)(?:[×X*]|x)?(\d*)$/.exec(text) ?? [];
  const hint = workers || loops ? ` Did you mean ${workers || 1}x${loops || 1}?` : '';
  refuse(
    source,
    `${quoted(text)} is not WxC (worker processes, the letter x, loops in each), as 2x4.${hint}`,
  );
}

/**
 * @param {import('./quantities.js').Quantity} quantity
 * @param {import('./quantities.js').Limits} limits
 * @returns {(texts: string[], source: Source) => number[]}
 */
function rangeParser(quantity, limits) {
  return (texts, source) =>
    unique(gathered(splitList(texts, source), (text) => parseRange(text, quantity, limits, source), source));
}

/**
 * @param {string[]} texts   names of plug-ins
 * @param {Source} source
 * @returns {string[]}
 */
function parseNames(texts, source) {
  return unique(splitList(texts, source));
}

/**
 * @template {string} T
 * @param {string} text
 * @param {readonly T[]} choices
 * @param {Source} source
 * @returns {T}
 */
export function parseChoice(text, choices, source) {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const hint = didYouMean(text, choices);
  return refuse(source, `${quoted(text)} is not one of ${choices.join(', ')}.${hint}`);
}
