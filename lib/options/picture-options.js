// The sizes that a picture can have, and the parser of their names.

import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';

/** @import { PictureSize } from '../types/index.js' */
/** @import { Source } from '../format/quantity.js' */

/** Width and height of the file in pixels. @type {Readonly<Record<PictureSize, { widthPx: number, heightPx: number }>>} */
export const PICTURE_SIZES = Object.freeze({
  // 1.91:1, which link previews show uncropped: https://developers.facebook.com/docs/sharing/webmasters/images
  blog: { widthPx: 1200, heightPx: 630 },
  // 1:1, which feeds show uncropped: https://help.instagram.com/1631821640426723
  square: { widthPx: 1080, heightPx: 1080 },
  // 16:9, as slides and videos are: https://support.google.com/youtube/answer/6375112
  wide: { widthPx: 1600, heightPx: 900 },
});

export const SIZES = /** @type {PictureSize[]} */ (Object.keys(PICTURE_SIZES));

export const SIZES_TEXT = SIZES.map((name) => {
  const { widthPx, heightPx } = PICTURE_SIZES[name];
  return `${name} (${widthPx}x${heightPx})`;
}).join(', ');

/** @param {string} text @param {Source} source @returns {PictureSize} */
export function parseSize(text, source) {
  const size = SIZES.find((name) => name === text);
  if (size !== undefined) return size;
  const [meant] = SIZES.filter(
    (name) => `${PICTURE_SIZES[name].widthPx}x${PICTURE_SIZES[name].heightPx}` === text,
  );
  const hint = meant === undefined ? didYouMean(text, SIZES) : ` Did you mean ${meant}?`;
  return refuse(source, `${quoted(text)} is not one of ${SIZES_TEXT}.${hint}`);
}
