// Outcomes → what charts draw together, and how each row of them is called and looks. What is no quantity, as scenario
// and placement, asks another question with each value: two of them never share a chart.

import { AXES, axesIn } from '../../../cell/axes.js';
import { seriesLabel, shapeLabel, transportLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { printable } from '../../../format/printable.js';
import { Marker } from '../../../types/reports.js';
import { findSection } from '../../columns/sections.js';
import { runtimeOfRow } from '../../text/runtime-words.js';
import { COLOURS } from '../style/colours.js';
import { codecLook, lookOfPlace, transportLook } from '../style/palette.js';
import { joinTexts, LABEL_CHARACTERS, labelText } from '../text/short-texts.js';

/** @import { Axis } from '../../../cell/axes.js' */
/** @import { Cell, CodecLook, Outcome, Results } from '../../../types/index.js' */
/** @import { Look, Series, Slice } from '../scene-types.js' */

const MOST_LOOKS = 24; // that are tried: after these, a fill comes again

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

/** @param {Marker} marker @param {number} steps @returns {Marker} of another row of the same hue */
const markerAfter = (marker, steps) =>
  Marker.options[(Marker.options.indexOf(marker) + steps) % Marker.options.length];

/**
 * A row with settings has a fill and a dash that no row without has, and a marker that the transport does not have; all rows with these
 * settings and this codec have the same fill and dash.
 * @param {Results} results
 * @param {Cell[]} cells   of a chart
 * @returns {(cell: Cell) => Look}
 */
function lookChooser(results, cells) {
  const hasSettings = (/** @type {Cell} */ { settings }) => Object.keys(settings).length > 0;
  const settingsOf = (/** @type {Cell} */ { settings }) => JSON.stringify(settings);
  const isPlain = (/** @type {Cell} */ cell) => !hasSettings(cell);
  const fills = new Set(cells.filter(isPlain).map(({ codec }) => codecLook(results, codec).fill));
  /** @type {Map<string, CodecLook>} */
  const variants = new Map();
  const variantLook = (/** @type {Cell} */ cell) => {
    const key = `${settingsOf(cell)} ${cell.codec}`;
    let look = variants.get(key);
    for (let place = 0; look === undefined; place += 1) {
      const next = lookOfPlace(place);
      if (!fills.has(next.fill) || place > MOST_LOOKS) look = next;
    }
    fills.add(look.fill);
    variants.set(key, look);
    return look;
  };
  return (cell) => {
    const { hue, marker, ownsHue } = transportLook(results, cell.transport);
    const colour = COLOURS.light.hues[hue];
    const outline = ownsHue ? colour : COLOURS.light.ink;
    if (isPlain(cell)) return { colour, outline, ...codecLook(results, cell.codec), marker };
    const ofTransport = cells.filter((own) => own.transport === cell.transport && hasSettings(own));
    const place = [...new Set(ofTransport.map(settingsOf))].indexOf(settingsOf(cell));
    return { colour, outline, ...variantLook(cell), marker: markerAfter(marker, place + 1) };
  };
}

/**
 * @param {string[]} keys   of rows
 * @returns {Map<string, string>} no two the same; of long ones, what all of them share is left out first
 */
function shortNames(keys) {
  const isLong = (/** @type {string} */ key) => [...printable(key)].length > LABEL_CHARACTERS;
  const long = keys.filter(isLong).map(splitLabel);
  const isShared = (/** @type {string} */ part) => long.every((parts) => parts.includes(part));
  const names = new Map();
  const taken = new Set();
  for (const key of keys) {
    const parts = splitLabel(key);
    const isShortened = long.length > 1 && isLong(key);
    const kept = parts.map((part, place) =>
      isShortened && place > 0 && place < parts.length - 1 && isShared(part) ? '…' : part,
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

/** @param {string} key @returns {string[]} 'unix:flush=tick,noDelay=false/json' in its parts, each with what separates it from the next */
const splitLabel = (key) => key.split(/(?<=[:,/ ])/);

/** @param {Results} results @param {Outcome[]} outcomes @returns {Series[]} in the order of the plan, each once, no two with the same text */
export function makeSeries(results, outcomes) {
  /** @type {Map<string, Series>} */
  const series = new Map();
  const cells = outcomes.map(({ cell }) => cell);
  const names = shortNames([...new Set(cells.map(seriesLabel))]);
  const chooseLook = lookChooser(results, cells);
  const runtimes = [...new Set(outcomes.map(runtimeOfRow))];
  const hasOneCodec = new Set(cells.map(({ codec }) => codec)).size === 1;
  for (const cell of cells) {
    const key = seriesLabel(cell);
    if (series.has(key)) continue;
    const text = names.get(key) ?? '';
    const runtime = runtimeOfRow({ cell });
    const look = chooseLook(cell);
    // Where one codec is measured on several runtimes, its fill and dash say which.
    const place = runtimes.indexOf(runtime);
    if (place > 0 && hasOneCodec)
      Object.assign(look, lookOfPlace(place), { marker: markerAfter(look.marker, place) });
    const section = findSection(results, cell);
    series.set(key, { key, text, codec: cell.codec, runtime, carrier: carrierName(cell), section, look });
  }
  return [...series.values()];
}

// Which series share a panel: all where they are few, else those of one codec, or of one transport where it is codecs that
// are compared; and of one class where that is too many.

/** @typedef {{ title: string, series: Series[] }} PanelSeries */

/** More lines than this in one panel are read by nobody (U-33). */
const SERIES_PER_PANEL = 8;

/** @param {Series[]} series @returns {Series[][]} */
const byCodec = (series) => [...groupedBy(series, ({ codec }) => codec).values()];

/** @param {Series[]} series @returns {Series[][]} */
const byTransport = (series) => [...groupedBy(series, ({ carrier }) => carrier).values()];

/** @param {Series[]} series @returns {string} */
const codecTitle = ([{ codec }]) => `codec ${labelText(codec)}`;

/** @param {Series[]} series @returns {boolean} more codecs than transports: what is compared shares a panel */
function comparesCodecs(series) {
  return byCodec(series).length > byTransport(series).length;
}

/** @param {Series[]} series @returns {boolean} even one group alone is more than a panel holds: their names become rows */
export function areTooMany(series) {
  const groups = comparesCodecs(series) ? byTransport(series) : byCodec(series);
  return groups.some((group) => group.length > SERIES_PER_PANEL);
}

/** @param {Series[]} series @returns {PanelSeries[]} each without what its title says already */
export function splitIntoPanels(series) {
  const ofRuntimes = [...groupedBy(series, ({ runtime }) => runtime)];
  // Fills and dashes say codec: then nothing is left that could say runtime.
  if (ofRuntimes.length > 1 && byCodec(series).length > 1) {
    return ofRuntimes.flatMap(([runtime, own]) =>
      splitIntoPanels(own).map((panel) => ({ ...panel, title: joinTexts(panel.title, `on ${runtime}`) })),
    );
  }
  if (series.length <= SERIES_PER_PANEL) return [{ title: '', series }];
  if (comparesCodecs(series)) {
    return byTransport(series).flatMap((ofTransport) =>
      evenParts(ofTransport, labelText(ofTransport[0].carrier), '', ({ codec }) => codec),
    );
  }
  if (!areTooMany(series)) {
    return byCodec(series).map((ofCodec) => ({
      title: codecTitle(ofCodec),
      series: ofCodec.map((one) => ({ ...one, text: labelText(one.carrier) })),
    }));
  }
  const inOrder = series.toSorted((left, right) => left.section.rank - right.section.rank);
  return packedSections(inOrder).flatMap((ranks) =>
    byCodec(inOrder.filter(({ section }) => ranks.has(section.rank))).flatMap((ofCodec) => {
      const headings = [...new Set(ofCodec.map(({ section }) => section.heading))].join(' · ');
      return evenParts(ofCodec, headings, `, ${codecTitle(ofCodec)}`, ({ carrier }) => carrier);
    }),
  );
}

/**
 * @param {Series[]} series
 * @param {string} title
 * @param {string} end    of the title
 * @param {(one: Series) => string} nameOf   what the title does not say
 * @returns {PanelSeries[]} as few as a panel each allows
 */
function evenParts(series, title, end, nameOf) {
  const length = Math.ceil(series.length / SERIES_PER_PANEL);
  const size = Math.ceil(series.length / length);
  return Array.from({ length }, (_, part) => ({
    title: `${title}${length === 1 ? '' : `, ${part + 1} of ${length}`}${end}`,
    series: series
      .slice(part * size, (part + 1) * size)
      .map((one) => ({ ...one, text: labelText(nameOf(one)) })),
  }));
}

/** @param {Series[]} series @returns ranks of sections that fit into one panel together, whatever the codec */
function packedSections(series) {
  const codecs = byCodec(series);
  const sizeOf = (/** @type {Set<number>} */ ranks) =>
    Math.max(...codecs.map((ofCodec) => ofCodec.filter(({ section }) => ranks.has(section.rank)).length));
  /** @type {Set<number>[]} */
  const packs = [];
  for (const rank of new Set(series.map(({ section }) => section.rank))) {
    const last = packs.at(-1);
    if (last !== undefined && sizeOf(new Set([...last, rank])) <= SERIES_PER_PANEL) last.add(rank);
    else packs.push(new Set([rank]));
  }
  return packs;
}
