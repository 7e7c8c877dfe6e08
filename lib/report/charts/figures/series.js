// Outcomes → what charts draw together, and how each row of them is called and looks. What is no quantity, as scenario
// and placement, asks another question with each value: two of them never share a chart.

import { AXES, axesIn } from '../../../cell/axes.js';
import { seriesLabel, shapeLabel, transportLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { findSection } from '../../columns/sections.js';
import { runtimeOfRow } from '../../text/runtime-words.js';
import { COLOURS } from '../style/colours.js';
import { codecLook, lookOfPlace, transportLook } from '../style/palette.js';
import { LABEL_CHARACTERS, labelText } from '../text/short-texts.js';

/** @import { Axis } from '../../../cell/axes.js' */
/** @import { Cell, Outcome, Results } from '../../../types/index.js' */
/** @import { Look, Series, Slice } from '../scene-types.js' */

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
  const modelOf = (/** @type {Cell} */ { ratePerSecond }) =>
    ratePerSecond === undefined ? 'closed' : 'open';
  const slices = [
    ...groupedBy(results.outcomes, ({ cell }) =>
      JSON.stringify([...slicing.map(({ of }) => of(cell)), modelOf(cell)]),
    ).values(),
  ];
  const varying = slicing.filter(({ of }) => new Set(slices.map(([{ cell }]) => of(cell))).size > 1);
  return slices.map((outcomes) => {
    const [{ cell }] = outcomes;
    const parts = varying.map(({ of, heading }) => ({ name: of(cell), title: heading(cell) }));
    return { cell, model: modelOf(cell), parts, outcomes };
  });
}

/** @param {Outcome[]} outcomes @returns {Outcome[][]} in the order of first appearance */
export const byShape = (outcomes) => [...groupedBy(outcomes, ({ cell }) => shapeLabel(cell)).values()];

/** @param {Outcome[]} outcomes @param {(outcome: Outcome) => number} keyOf @returns {Outcome[][]} the least first */
export const byNumber = (outcomes, keyOf) =>
  [...groupedBy(outcomes, keyOf)].sort(([left], [right]) => left - right).map(([, group]) => group);

/** @param {Outcome[]} outcomes */
export const byPayload = (outcomes) => byNumber(outcomes, ({ cell }) => cell.payloadBytes);

/** @param {Results} results @param {Cell} cell @returns {Look} */
function chooseLook(results, cell) {
  const { hue, marker, ownsHue } = transportLook(results, cell.transport);
  const colour = COLOURS.light.hues[hue];
  const hasSettings = Object.keys(cell.settings).length > 0;
  return {
    colour,
    outline: ownsHue && !hasSettings ? colour : COLOURS.light.ink,
    ...codecLook(results, cell.codec),
    marker,
    isHollow: hasSettings,
  };
}

/** @param {Results} results @param {Outcome[]} outcomes @returns {Series[]} in the order of the plan, each once, no two with the same text */
export function makeSeries(results, outcomes) {
  /** @type {Map<string, Series>} */
  const series = new Map();
  const texts = new Set();
  const runtimes = [...new Set(outcomes.map(runtimeOfRow))];
  const hasOneCodec = new Set(outcomes.map(({ cell }) => cell.codec)).size === 1;
  for (const { cell } of outcomes) {
    const key = seriesLabel(cell);
    if (series.has(key)) continue;
    let text = labelText(key);
    for (let twin = 2; texts.has(text); twin += 1) text = `${labelText(key, LABEL_CHARACTERS - 4)} (${twin})`;
    texts.add(text);
    const runtime = runtimeOfRow({ cell });
    const look = chooseLook(results, cell);
    // Where one codec is measured on several runtimes, its fill and dash say which.
    const place = runtimes.indexOf(runtime);
    if (place > 0 && hasOneCodec) Object.assign(look, lookOfPlace(place), { isHollow: true });
    const section = findSection(results, cell);
    series.set(key, { key, text, codec: cell.codec, runtime, carrier: carrierName(cell), section, look });
  }
  return [...series.values()];
}
