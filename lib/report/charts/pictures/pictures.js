// Makes pictures of results: all figures, in one theme or both, in a size that leaves letters readable. Also makes documents of pictures.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { shortened } from '../../../format/lists.js';
import { darkName } from '../../../format/picture-element.js';
import { PICTURE_SIZES } from '../../../options/picture-options.js';
import { makeFigures } from '../figures/figures.js';
import { recoloured } from '../style/colours.js';
import { layOut } from './picture.js';
import { findMissingLetters, makeRuler } from './text-ruler.js';

/** @import { Document, PictureSize, ReportOptions, Results } from '../../../types/index.js' */
/** @import { Figure, Picture, Theme } from '../chart-types.js' */

const LETTERS_SHOWN = 20;
const USUAL_SCALE = 2; // sharp on screens with two device pixels per pixel
// Layout widths that are tried for a --size. The first has the largest letters; in the last, letters of 12 px are 9 px high if a document
// shows the picture 640 px wide.
const LAYOUT_WIDTHS_PX = [760, 805, 853];

/**
 * @param {Figure} figure
 * @param {{ theme?: Theme, heightPx?: number } & Partial<Pick<Picture, 'zoom' | 'scale' | 'outgrown'>>} [style]
 * @returns {Picture}
 */
export function makePicture(
  figure,
  { theme = 'light', heightPx, zoom = 1, scale = USUAL_SCALE, ...more } = {},
) {
  const coloured = recoloured(figure, theme);
  return {
    figure: coloured,
    theme,
    ...layOut(makeRuler(), coloured, heightPx),
    zoom,
    scale,
    isTransparent: false,
    ...more,
  };
}

/** @param {Picture} picture   in light colours @returns {Picture} */
function asDark(picture) {
  const { figure, ...dark } = recoloured(picture, 'dark');
  return { ...dark, theme: 'dark', figure: { ...figure, name: darkName(figure.name) } };
}

/** @param {Results} results @param {ReportOptions} options @returns {Picture[]} */
export function makePictures(results, options) {
  const { theme, picture: { isInBothThemes, size } = {} } = options;
  const style = { theme };
  const pictures =
    size === undefined
      ? makeFigures(results, options).map((figure) => makePicture(figure, style))
      : picturesOfSize(results, options, { ...style, size });
  return isInBothThemes ? [...pictures, ...pictures.map(asDark)] : pictures;
}

/**
 * Tries the layouts, the one with the largest letters first, until each figure fits. If the last one does not fit either, the picture is
 * higher, so that its letters stay readable.
 * @param {Results} results
 * @param {ReportOptions} options
 * @param {{ size: PictureSize, theme?: Theme }} style
 */
function picturesOfSize(results, options, { size, ...own }) {
  const file = PICTURE_SIZES[size];
  /** @type {Picture[]} */
  const pictures = [];
  for (const widthPx of LAYOUT_WIDTHS_PX) {
    const zoom = file.widthPx / widthPx;
    const style = { ...own, zoom, scale: 1 };
    const heightPx = file.heightPx / zoom;
    const isLast = widthPx === LAYOUT_WIDTHS_PX.at(-1);
    const figures = makeFigures(results, { ...options, widthPx, isLow: file.heightPx < file.widthPx });
    for (const [index, figure] of figures.entries()) {
      if (pictures[index] !== undefined) continue;
      const picture = makePicture(figure, { ...style, heightPx });
      const { wantedPx } = picture;
      if (wantedPx <= heightPx) pictures[index] = picture;
      else if (isLast)
        pictures[index] = makePicture(figure, { ...style, heightPx: wantedPx, outgrown: size });
    }
    if (figures.every((_, index) => pictures[index] !== undefined)) break;
  }
  return pictures;
}

/** @param {Picture} picture @returns {string[]} a warning if the picture is higher than the requested size */
export function sizeWarnings({ figure, heightPx: layoutPx, zoom, outgrown }) {
  if (outgrown === undefined) return [];
  const { widthPx, heightPx } = PICTURE_SIZES[outgrown];
  const [width, height] = [figure.widthPx, layoutPx].map((px) => Math.round(px * zoom));
  const isSquareEnough = outgrown !== 'square' && layoutPx <= figure.widthPx;
  const next = `choose fewer rows${isSquareEnough ? ', --size square' : ''} or no --size`;
  return [
    `${figure.name} is ${width}x${height}, since in ${widthPx}x${heightPx} (${outgrown}) its letters would be too small to be read; ${next}`,
  ];
}

/**
 * @param {Picture[]} pictures
 * @param {{ ending: string, mediaType: string, draw: (picture: Picture) => string | Uint8Array }} format
 * @returns {Promise<Document[]>}
 */
export async function pictureDocuments(pictures, { ending, mediaType, draw }) {
  const documents = [];
  const missing = mediaType === 'image/png' ? findMissingLetters(pictures.map(allTexts).join('')) : '';
  for (const [index, picture] of pictures.entries()) {
    const { name, altText: caption, widthPx } = picture.figure;
    const content = draw(picture);
    await nextTurn(); // the memory of a canvas is freed between iterations of the event loop only
    const warnings = [
      ...sizeWarnings(picture),
      ...(index === 0 && missing !== '' ? [lettersWarning(missing)] : []),
    ];
    documents.push({
      name: `${name}${ending}`,
      mediaType,
      content,
      caption,
      widthPx: widthPx * picture.zoom,
      ...(warnings.length > 0 && { warning: warnings.join('; ') }),
    });
  }
  return documents;
}

/** @param {Picture} picture @returns {string} */
function allTexts({ figure: { title, message, legend, panels, below } }) {
  return JSON.stringify([title, message, legend, panels, below]);
}

/** @param {string} letters */
function lettersWarning(letters) {
  const shown = shortened(letters, LETTERS_SHOWN);
  return `no font here has ${shown}, so the pictures show boxes; install a font with these letters, such as Noto, or use --svg, which the fonts of its reader draw`;
}
