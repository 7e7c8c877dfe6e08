// Decides which outcomes share a chart, and names and styles each row. Values of an axis that is not a quantity, such as scenario and
// placement, never share a chart, except for the axes of part 'series'.

import { AXES, axesIn } from '../../../cell/axes.js';
import { seriesLabel, shapeLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { printable } from '../../../format/printable.js';
import { Hue, Marker } from '../../../types/reports.js';
import { findSection } from '../../columns/sections.js';
import { carrierLabel } from '../../findings/contrasts.js';
import { runtimeOfRow } from '../../findings/runtime-findings.js';
import { joinTexts, LABEL_CHARACTERS, labelText } from '../../text/short-texts.js';
import { COLOURS } from '../style/colours.js';
import { CODEC_LOOKS, codecLook, lookAt, transportLook } from '../style/palette.js';

/** @import { Axis } from '../../../cell/axes.js' */
/** @import { Cell, Outcome, Results } from '../../../types/index.js' */
/** @import { Look, FigureInput, Series } from '../chart-types.js' */

/**
 * @param {Results} results
 * @param {readonly Axis[]} [axes]
 * @returns {Pick<FigureInput, 'results' | 'cell' | 'model' | 'parts' | 'outcomes'>[]}
 */
export function divideByQuestion(results, axes = AXES) {
  const dividing = dividingAxes(axes);
  /** @param {Cell} cell */
  const modelOf = ({ ratePerSecond }) => (ratePerSecond === undefined ? 'closed' : 'open');
  const groups = [
    ...groupedBy(results.outcomes, ({ cell }) =>
      JSON.stringify([...dividing.map(({ of }) => of(cell)), modelOf(cell)]),
    ).values(),
  ];
  const varying = dividing.filter(({ of }) => new Set(groups.map(([{ cell }]) => of(cell))).size > 1);
  return groups.map((outcomes) => {
    const [{ cell }] = outcomes;
    const parts = varying.map(({ of, heading }) => ({ name: of(cell), title: heading(cell) }));
    return { results, cell, model: modelOf(cell), parts, outcomes };
  });
}

/** @param {readonly Axis[]} [axes] @returns {Axis[]} axes whose values never share a chart */
export function dividingAxes(axes = AXES) {
  const ofQuestion = axesIn(['scenario', 'manner', 'shape', 'payload', 'load'], axes);
  return ofQuestion.filter(({ isQuantity }) => !isQuantity);
}

/** @param {Outcome[]} outcomes @returns {Outcome[][]} the outcomes of each shape, in the order of first appearance */
export const byShape = (outcomes) => [...groupedBy(outcomes, ({ cell }) => shapeLabel(cell)).values()];

/**
 * @param {Outcome[]} outcomes
 * @param {(outcome: Outcome) => number} keyOf
 * @returns {Outcome[][]} the outcomes of each number, in ascending order
 */
export const byNumber = (outcomes, keyOf) =>
  [...groupedBy(outcomes, keyOf)].sort(([left], [right]) => left - right).map(([, group]) => group);

/** @param {Outcome[]} outcomes */
export const byPayload = (outcomes) => byNumber(outcomes, ({ cell }) => cell.payloadBytes);

/** @param {Marker} marker @param {number} steps @returns {Marker} a different marker, for another row of the same hue */
const markerAfter = (marker, steps) =>
  Marker.options[(Marker.options.indexOf(marker) + steps) % Marker.options.length];

/** @param {Cell} cell */
const hasSettings = ({ settings }) => Object.keys(settings).length > 0;

/** @param {Cell} cell */
const settingsKey = ({ settings }) => JSON.stringify(settings);

/**
 * Gives each transport of a run a distinct hue until none is left: its usual hue, unless another transport of the run already has that one.
 * @param {Results} results
 * @returns {(transport: string) => { hue: Hue, isOwn: boolean }} isOwn: the transport declares that it owns the hue, or no other has it
 */
function hueChooser(results) {
  const transports = [...new Set(results.outcomes.map(({ cell }) => cell.transport))];
  const looks = transports.map((name) => ({ name, ...transportLook(results, name) }));
  const hues = /** @type {Map<string, Hue>} */ (new Map());
  /** @param {Hue} hue */
  const isFree = (hue) => ![...hues.values()].includes(hue);
  for (const { name, hue } of looks.toSorted(
    (one, other) => Number(other.ownsHue ?? 0) - Number(one.ownsHue ?? 0),
  ))
    hues.set(name, isFree(hue) ? hue : (Hue.options.find(isFree) ?? hue));
  return (transport) => {
    const { hue: usual, ownsHue = false } = transportLook(results, transport);
    const hue = hues.get(transport) ?? usual;
    return { hue, isOwn: ownsHue || [...hues.values()].filter((each) => each === hue).length === 1 };
  };
}

/**
 * A row with settings has a fill that no row without settings has, if one is left, and a different marker than the transport without
 * settings. Rows with the same settings and codec have the same fill and dash.
 * @param {Results} results
 * @param {Cell[]} cells
 * @returns {(cell: Cell) => Look}
 */
function lookChooser(results, cells) {
  const plainCodecs = cells.filter((cell) => !hasSettings(cell)).map(({ codec }) => codec);
  const taken = new Set(plainCodecs.map((codec) => codecLook(results, codec).fill));
  const free = CODEC_LOOKS.filter(({ fill }) => !taken.has(fill));
  const hueOf = hueChooser(results);
  /** @param {Cell} cell */
  const variantKey = (cell) => `${settingsKey(cell)} ${cell.codec}`;
  const variants = [...new Set(cells.filter(hasSettings).map(variantKey))];
  return (cell) => {
    const { marker } = transportLook(results, cell.transport);
    const { hue, isOwn } = hueOf(cell.transport);
    const colour = COLOURS.light.hues[hue];
    const outline = isOwn ? colour : COLOURS.light.ink;
    if (!hasSettings(cell)) return { colour, outline, ...codecLook(results, cell.codec), marker };
    const looks = free.length > 0 ? free : CODEC_LOOKS;
    const variant = looks[variants.indexOf(variantKey(cell)) % looks.length];
    const ofTransport = cells.filter((other) => other.transport === cell.transport && hasSettings(other));
    const index = [...new Set(ofTransport.map(settingsKey))].indexOf(settingsKey(cell));
    return { colour, outline, ...variant, marker: markerAfter(marker, index + 1) };
  };
}

/** @param {string} key @returns {string[]} 'unix:flush=tick,noDelay=false/json' split after each separator */
const splitLabel = (key) => key.split(/(?<=[:,/ ])/);

/**
 * @param {string[]} keys
 * @returns {Map<string, string>} distinct names by key; long names first lose the parts that all of them have
 */
function shortNames(keys) {
  /** @param {string} key */
  const isLong = (key) => [...printable(key)].length > LABEL_CHARACTERS;
  const long = keys.filter(isLong).map(splitLabel);
  /** @param {string} part */
  const isShared = (part) => long.every((parts) => parts.includes(part));
  const names = new Map();
  const taken = new Set();
  for (const key of keys) {
    const parts = splitLabel(key);
    const isShortened = long.length > 1 && isLong(key);
    const kept = parts.map((part, index) =>
      isShortened && index > 0 && index < parts.length - 1 && isShared(part) ? '…' : part,
    );
    const name = kept.join('').replace(/…+/g, '…');
    let text = labelText(name);
    for (let twin = 2; taken.has(text); twin += 1)
      text = `${labelText(name, LABEL_CHARACTERS - 4)} (${twin})`;
    taken.add(text);
    names.set(key, text);
  }
  return names;
}

/** @param {Results} results @param {Outcome[]} outcomes @returns {Series[]} distinct texts, in the order of the plan */
export function makeSeries(results, outcomes) {
  const cells = outcomes.map(({ cell }) => cell);
  const byKey = groupedBy(cells, seriesLabel);
  const names = shortNames([...byKey.keys()]);
  const chooseLook = lookChooser(results, cells);
  const runtimes = [...new Set(outcomes.map(runtimeOfRow))];
  const hasOneCodec = new Set(cells.map(({ codec }) => codec)).size === 1;
  return [...byKey].map(([key, [cell]]) => {
    const runtime = runtimeOfRow({ cell });
    const look = chooseLook(cell);
    // If a single codec is measured, fill, dash and marker show the runtime. The first runtime keeps the look of the codec.
    const index = hasOneCodec ? runtimes.indexOf(runtime) : 0;
    const ofRuntime = index > 0 && { ...lookAt(index), marker: markerAfter(look.marker, index) };
    return {
      key,
      text: names.get(key) ?? '',
      cell,
      codec: cell.codec,
      runtime,
      carrier: carrierLabel(cell),
      section: findSection(results, cell),
      look: { ...look, ...ofRuntime },
    };
  });
}

/** @param {Series[]} series @returns {Series[]} a repeated pair of colour and dash gets another dash */
export function withDistinctLines(series) {
  /** @param {string} colour @param {number[]} dash */
  const keyOf = (colour, dash) => `${colour} ${dash}`;
  const taken = new Set();
  return series.map((one) => {
    const { colour, dash } = one.look;
    const dashes = [dash, ...CODEC_LOOKS.map((look) => look.dash)];
    const own = dashes.find((each) => !taken.has(keyOf(colour, each))) ?? dash;
    taken.add(keyOf(colour, own));
    return { ...one, look: { ...one.look, dash: own } };
  });
}

/** @typedef {{ title: string, series: Series[] }} PanelSeries */

/** More lines than this in one panel cannot be distinguished. */
const SERIES_PER_PANEL = 8;

/**
 * Up to SERIES_PER_PANEL series share one panel. More get a panel for each codec or, if there are more codecs than transports, for each
 * transport.
 * Several runtimes with several codecs get separate panels.
 * @param {Series[]} series
 * @returns {PanelSeries[]}
 */
export function splitIntoPanels(series) {
  const byRuntime = [...groupedBy(series, ({ runtime }) => runtime)];
  const byCodec = [...groupedBy(series, ({ codec }) => codec)];
  const byCarrier = [...groupedBy(series, ({ carrier }) => carrier)];
  // Fills and dashes already show the codec, so they cannot show the runtime.
  if (byRuntime.length > 1 && byCodec.length > 1) {
    return byRuntime.flatMap(([runtime, group]) =>
      splitIntoPanels(group).map((panel) => ({ ...panel, title: joinTexts(panel.title, `on ${runtime}`) })),
    );
  }
  if (series.length <= SERIES_PER_PANEL) return [{ title: '', series }];
  if (byCodec.length > byCarrier.length) {
    return byCarrier.flatMap(([carrier, group]) =>
      equalParts(group).map((part, index, { length }) => ({
        title: joinTexts(labelText(carrier), length === 1 ? '' : `${index + 1} of ${length}`),
        series: part,
      })),
    );
  }
  return byCodec.flatMap(([codec, group]) => {
    const inOrder = group.toSorted((left, right) => left.section.rank - right.section.rank);
    return equalParts(inOrder).map((part, _, { length }) => {
      const classes = new Set(part.map(({ section }) => section.heading));
      return {
        title: [byCodec.length > 1 && `codec ${labelText(codec)}`, length > 1 && [...classes].join(' · ')]
          .filter(Boolean)
          .join(': '),
        series: part,
      };
    });
  });
}

/** @param {Series[]} series @returns {Series[][]} as few parts as possible, each of which fits into one panel */
function equalParts(series) {
  const parts = Math.ceil(series.length / SERIES_PER_PANEL);
  const size = Math.ceil(series.length / parts);
  return Array.from({ length: parts }, (_, index) => series.slice(index * size, (index + 1) * size));
}
