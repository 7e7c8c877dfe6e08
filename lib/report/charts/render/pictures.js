// Results → figures with their places and their size in pixels. A picture of a certain size is laid out anew, a little
// larger each time, until everything has room in it: letters are as large as they can be.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { darkName } from '../../../format/picture-element.js';
import { PICTURE_SIZES, USUAL_SCALE } from '../../../options/picture-options.js';
import { makeFigures } from '../figures/figures.js';
import { layOut } from '../scene/layout.js';
import { TEXT_PX } from '../style/letters.js';
import { makeRuler } from './text-ruler.js';

/** @import { Document, ReportOptions, Results } from '../../../types/index.js' */
/** @import { Layout } from '../scene/layout.js' */
/** @import { Figure, Theme } from '../scene-types.js' */

/**
 * @typedef {object} Picture
 * @property {Figure} figure
 * @property {Layout} layout
 * @property {number} zoom            pixels of the page that it stands on for one of the layout
 * @property {number} scale           pixels of the file for one of that page
 * @property {boolean} isTransparent
 */

const LARGEST_LETTERS = 1.4; // times their usual size: the least are 18 px of 1,200
const STEP = 1.06;
const BOLD_SHARE = 0.4; // of the way to a width that is enough
const READABLE_PX = 7;

/** @param {Figure} figure @param {Partial<Picture> & { heightPx?: number }} [wishes] @returns {Picture} */
export function makePicture(figure, { heightPx, zoom = 1, scale = USUAL_SCALE, isTransparent = false } = {}) {
  const layout = layOut(makeRuler(), figure, heightPx);
  return { figure, layout, zoom, scale, isTransparent };
}

/** @param {Picture} picture @returns {Picture} */
function asDark({ figure, ...picture }) {
  return { ...picture, figure: { ...figure, name: darkName(figure.name) } };
}

/** @param {Results} results @param {ReportOptions} options @returns {Picture[]} */
export function makePictures(results, options) {
  const { isInBothThemes, ...picture } = options.picture ?? {};
  if (isInBothThemes) {
    const inTheme = (/** @type {Theme} */ theme) => makePictures(results, { ...options, theme, picture });
    return [...inTheme('light'), ...inTheme('dark').map(asDark)];
  }
  const { size, scale, isTransparent } = picture;
  if (size !== undefined) return picturesOfSize(results, options, PICTURE_SIZES[size]);
  return makeFigures(results, options).map((figure) => makePicture(figure, { scale, isTransparent }));
}

/** @param {Results} results @param {ReportOptions} options @param {{ widthPx: number, heightPx: number }} file */
function picturesOfSize(results, options, file) {
  const { scale = 1, isTransparent } = options.picture ?? {};
  /** @type {Picture[]} */
  const pictures = [];
  for (let widthPx = Math.round(file.widthPx / LARGEST_LETTERS); ; ) {
    const figures = makeFigures(results, { ...options, widthPx });
    const heightPx = (widthPx * file.heightPx) / file.widthPx;
    let enoughPx = Number.MAX_VALUE; // for one figure more: wider ones need no more height
    for (const [index, figure] of figures.entries()) {
      if (pictures[index] !== undefined) continue;
      const zoom = file.widthPx / widthPx;
      const picture = makePicture(figure, { heightPx, zoom, scale, isTransparent });
      const { wantedPx } = picture.layout;
      if (wantedPx <= heightPx) pictures[index] = picture;
      else enoughPx = Math.min(enoughPx, (wantedPx * file.widthPx) / file.heightPx);
    }
    if (figures.every((_, index) => pictures[index] !== undefined)) return pictures;
    widthPx = Math.ceil(Math.max(widthPx * STEP, widthPx + BOLD_SHARE * (enoughPx - widthPx)));
  }
}

/** @param {Picture} picture @returns {{ warning?: string }} for a size in which the text cannot be read */
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
 * @param {{ ending: string, mediaType: string, draw: (picture: Picture) => Promise<string | Uint8Array> }} format
 * @returns {Promise<Document[]>} one for each picture
 */
export async function pictureDocuments(pictures, { ending, mediaType, draw }) {
  const documents = [];
  for (const picture of pictures) {
    const { name, altText: caption } = picture.figure;
    const content = await draw(picture);
    await nextTurn(); // a canvas gives back its memory between turns of the event loop only
    documents.push({ name: `${name}${ending}`, mediaType, content, caption, ...sizeWarning(picture) });
  }
  return documents;
}
