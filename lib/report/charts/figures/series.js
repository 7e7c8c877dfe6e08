// Outcomes → what charts draw together, and how each row of them is called and looks. What is no quantity, as scenario
// and placement, asks another question with each value: two of them never share a chart.

import { AXES, axesIn } from '../../../cell/axes.js';
import { seriesLabel, shapeLabel, transportLabel } from '../../../cell/labels.js';
import { groupedBy, shortened } from '../../../format/lists.js';
import { printable } from '../../../format/printable.js';
import { findSection } from '../../columns/sections.js';
import { runtimeOfRow } from '../../text/runtime-words.js';
import { COLOURS, codecLook, lookOfPlace, transportLook } from '../style/palette.js';
import { duration } from '../text/quantity-words.js';

/** @import { Axis } from '../../../cell/axis.js' */
/** @import { Section } from '../../columns/sections.js' */
/** @import { Cell, Fill, Marker, Outcome, Results } from '../../../types/index.js' */
/** @import { KindIn } from '../../text/transport-kinds.js' */
/** @import { Theme } from '../style/palette.js' */

/**
 * @typedef {object} Slice              outcomes that answer the same question
 * @property {Cell} cell   the first of them
 * @property {'closed' | 'open'} model
 * @property {{ name: string, title: string }[]} parts   what sets it apart from the other slices of the run
 * @property {Outcome[]} outcomes
 */

/**
 * @typedef {object} Series
 * @property {string} key               seriesLabel
 * @property {string} text              the same, printable and short
 * @property {string} transport
 * @property {string} codec
 * @property {string} runtime
 * @property {string} carrier           what carries it, whatever the codec: 'unix', 'unix on bun'
 * @property {Section} section
 * @property {Look} look
 */

/**
 * @typedef {object} Look
 * @property {string} colour
 * @property {string} outline
 * @property {Fill} fill
 * @property {number[]} dash
 * @property {Marker} marker
 * @property {boolean} isHollow         the marker
 */

const LABEL_CHARACTERS = 34;

/** @param {Look | null} look @returns {number} pixels; a border of the fill's own colour would leave a seam */
export const borderWidth = (look) =>
  look === null || (look.fill === 'solid' && look.outline === look.colour) ? 0 : 1.5;

/** @param {string} text   of unknown origin @param {number} characters */
export const labelText = (text, characters = LABEL_CHARACTERS) => shortened(printable(text), characters);

/** @param {{ cell: Cell }} outcome @returns {string} its row: nameOf, short enough for a chart */
export const rowText = ({ cell }) => labelText(seriesLabel(cell));

/** @param {Outcome} outcome @param {number} us @param {KindIn} kindIn @returns {string} '35 µs (pipe/json)', with its kind */
export function timedText(outcome, us, kindIn) {
  const kind = kindIn(outcome.cell);
  return `${duration(us)} (${rowText(outcome)}${kind === '' ? '' : `: ${kind}`})`;
}

/** @param {Cell} cell @returns {string} its row without the codec: 'unix', 'unix on bun' */
function carrierName({ runtime, ...cell }) {
  return runtime === undefined ? transportLabel(cell) : `${transportLabel(cell)} on ${runtime}`;
}

/** @param {readonly Axis[]} [axes] @returns {Axis[]} whose values never share a chart */
export function slicingAxes(axes = AXES) {
  const ofQuestion = axesIn(['scenario', 'manner', 'shape', 'payload', 'load'], axes);
  return ofQuestion.filter(({ isQuantity }) => !isQuantity);
}

/** @param {Results} results @param {readonly Axis[]} [axes] @returns {Slice[]} */
export function makeSlices(results, axes = AXES) {
  const slicing = slicingAxes(axes);
  /** @type {Map<string, Slice>} */
  const slices = new Map();
  for (const outcome of results.outcomes) {
    const { cell } = outcome;
    const model = cell.ratePerSecond === undefined ? 'closed' : 'open';
    const key = JSON.stringify([...slicing.map(({ of }) => of(cell)), model]);
    const slice = slices.get(key) ?? { cell, model, parts: [], outcomes: [] };
    slice.outcomes.push(outcome);
    slices.set(key, slice);
  }
  const all = [...slices.values()];
  const varying = slicing.filter(({ of }) => new Set(all.map(({ cell }) => of(cell))).size > 1);
  for (const { cell, parts } of all) {
    parts.push(...varying.map(({ of, heading }) => ({ name: of(cell), title: heading(cell) })));
  }
  return all;
}

/** @param {Outcome[]} outcomes @returns {Outcome[][]} in the order of first appearance */
export const byShape = (outcomes) => [...groupedBy(outcomes, ({ cell }) => shapeLabel(cell)).values()];

/** @param {Outcome[]} outcomes @param {(outcome: Outcome) => number} keyOf @returns {Outcome[][]} the least first */
export const byNumber = (outcomes, keyOf) =>
  [...groupedBy(outcomes, keyOf)].sort(([left], [right]) => left - right).map(([, group]) => group);

/** @param {Outcome[]} outcomes */
export const byPayload = (outcomes) => byNumber(outcomes, ({ cell }) => cell.payloadBytes);

/** @param {Results} results @param {Cell} cell @param {Theme} theme @returns {Look} */
function chooseLook(results, cell, theme) {
  const { hue, marker, ownsHue } = transportLook(results, cell.transport);
  const colour = COLOURS[theme].hues[hue];
  const hasSettings = Object.keys(cell.settings).length > 0;
  return {
    colour,
    outline: ownsHue && !hasSettings ? colour : COLOURS[theme].ink,
    ...codecLook(results, cell.codec),
    marker,
    isHollow: hasSettings,
  };
}

/**
 * Where one codec is measured on several runtimes, its fill and dash say which.
 * @param {Look} look
 * @param {number} place    among the runtimes of the chart
 * @param {number} codecs   of the chart
 * @returns {Look}
 */
function withRuntime(look, place, codecs) {
  return place === 0 || codecs > 1 ? look : { ...look, ...lookOfPlace(place), isHollow: true };
}

/**
 * @param {Results} results
 * @param {Outcome[]} outcomes
 * @param {Theme} theme
 * @returns {Series[]} in the order of the plan, each once, no two with the same text
 */
export function makeSeries(results, outcomes, theme) {
  /** @type {Map<string, Series>} */
  const series = new Map();
  const texts = new Set();
  const runtimes = [...new Set(outcomes.map(runtimeOfRow))];
  const codecs = new Set(outcomes.map(({ cell }) => cell.codec)).size;
  for (const { cell } of outcomes) {
    const key = seriesLabel(cell);
    if (series.has(key)) continue;
    let text = labelText(key);
    for (let twin = 2; texts.has(text); twin += 1) text = `${labelText(key, LABEL_CHARACTERS - 4)} (${twin})`;
    texts.add(text);
    const look = withRuntime(
      chooseLook(results, cell, theme),
      runtimes.indexOf(runtimeOfRow({ cell })),
      codecs,
    );
    series.set(key, {
      key,
      text,
      transport: cell.transport,
      codec: cell.codec,
      runtime: runtimeOfRow({ cell }),
      carrier: carrierName(cell),
      section: findSection(results, cell),
      look,
    });
  }
  return [...series.values()];
}
