// Which series share a panel: all where they are few, else those of one codec, or of one transport where it is codecs that
// are compared; and of one class where that is too many.

import { groupedBy } from '../../../format/lists.js';
import { joinTexts, labelText } from '../text/short-texts.js';

/** @import { Series } from '../scene-types.js' */

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
