// Results → figures with their layout and their size in pixels.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { BenchError } from '../../../errors.js';
import { didYouMean } from '../../../format/did-you-mean.js';
import { darkName } from '../../../format/picture-element.js';
import { quoted } from '../../../format/printable.js';
import { PICTURE_SIZES, USUAL_SCALE } from '../../../options/picture-options.js';
import { makeFigures } from '../figures/figures.js';
import { layOut } from '../scene/layout.js';
import { recoloured } from '../style/colours.js';
import { TEXT_PX } from '../style/letters.js';
import { makeRuler } from './text-ruler.js';

/** @import { Document, ReportOptions, Results } from '../../../types/index.js' */
/** @import { Layout } from '../scene/layout.js' */
/** @import { Figure } from '../scene-types.js' */

/**
 * @typedef {object} Picture
 * @property {Figure} figure
 * @property {Layout} layout
 * @property {number} zoom            pixels at scale 1 for one of the layout
 * @property {number} scale           pixels of the file for one of these
 * @property {boolean} isTransparent
 */

const LARGEST_ZOOM = 1.4; // letters of 18 px in a picture of 1,200
const STEP = 1.06;
const READABLE_PX = 7;

/** @param {Figure} figure @param {Partial<Omit<Picture, 'figure' | 'layout'>> & { heightPx?: number }} [size] @returns {Picture} */
export function makePicture(figure, { heightPx, zoom = 1, scale = USUAL_SCALE, isTransparent = false } = {}) {
  const layout = layOut(makeRuler(), figure, heightPx);
  return { figure, layout, zoom, scale, isTransparent };
}

/** @param {Picture} picture @returns {Picture} */
function asDark(picture) {
  const { figure, ...dark } = recoloured(picture, 'dark');
  return { ...dark, figure: { ...figure, theme: 'dark', name: darkName(figure.name) } };
}

/**
 * @param {Results} results
 * @param {Parameters<typeof makeFigures>[1] & ReportOptions} options
 * @returns {Figure[]} those of --pictures
 * @throws {BenchError} BAD_ARGUMENT
 */
export function chosenFigures(results, options) {
  const figures = makeFigures(results, options);
  const { names } = options.picture ?? {};
  if (names === undefined) return figures;
  const isNamed = (/** @type {string} */ wanted, /** @type {Figure} */ { name }) =>
    name === wanted || name.startsWith(`${wanted}-`);
  const unknown = names.find((wanted) => !figures.some((figure) => isNamed(wanted, figure)));
  if (unknown !== undefined) {
    const all = figures.map(({ name }) => name);
    const next = `its pictures are ${all.join(', ')}.${didYouMean(unknown, all)}`;
    throw new BenchError('BAD_ARGUMENT', `--pictures: this run has no picture ${quoted(unknown)}; ${next}`);
  }
  return figures.filter((figure) => names.some((wanted) => isNamed(wanted, figure)));
}

/** @param {Results} results @param {ReportOptions} options @returns {Picture[]} */
export function makePictures(results, options) {
  const { isInBothThemes, size, scale, isTransparent } = options.picture ?? {};
  const pictures =
    size === undefined
      ? chosenFigures(results, options).map((figure) => makePicture(figure, { scale, isTransparent }))
      : picturesOfSize(results, options, PICTURE_SIZES[size]);
  return isInBothThemes ? [...pictures, ...pictures.map(asDark)] : pictures;
}

/**
 * Lays figures out anew, a little larger each time, until each has room. So letters are as large as they can be.
 * @param {Results} results
 * @param {ReportOptions} options
 * @param {{ widthPx: number, heightPx: number }} file
 */
function picturesOfSize(results, options, file) {
  const { scale = 1, isTransparent } = options.picture ?? {};
  /** @type {Picture[]} */
  const pictures = [];
  for (let zoom = LARGEST_ZOOM; ; zoom /= STEP) {
    const widthPx = Math.round(file.widthPx / zoom);
    const figures = chosenFigures(results, { ...options, widthPx });
    for (const [index, figure] of figures.entries()) {
      const heightPx = (widthPx * file.heightPx) / file.widthPx;
      const picture = makePicture(figure, { heightPx, zoom: file.widthPx / widthPx, scale, isTransparent });
      if (picture.layout.wantedPx <= heightPx) pictures[index] ??= picture;
    }
    if (figures.every((_, index) => pictures[index] !== undefined)) return pictures;
  }
}

/** @param {Picture} picture @returns {{ warning?: string }} where letters are too small */
export function sizeWarning({ figure, zoom }) {
  const letterPx = TEXT_PX * zoom;
  if (letterPx >= READABLE_PX) return {};
  const next = 'choose fewer rows or a larger --size, or leave it out';
  return {
    warning: `${figure.name} has letters of ${letterPx.toFixed(1)} px, too small to be read; ${next}`,
  };
}

/**
 * @param {Picture[]} pictures
 * @param {{ ending: string, mediaType: string, draw: (picture: Picture) => string | Uint8Array }} format
 * @returns {Promise<Document[]>}
 */
export async function pictureDocuments(pictures, { ending, mediaType, draw }) {
  const documents = [];
  for (const picture of pictures) {
    const { name, altText: caption, widthPx } = picture.figure;
    const content = draw(picture);
    await nextTurn(); // the memory of a canvas is freed between iterations of the event loop only
    documents.push({
      name: `${name}${ending}`,
      mediaType,
      content,
      caption,
      widthPx: widthPx * picture.zoom,
      ...sizeWarning(picture),
    });
  }
  return documents;
}
