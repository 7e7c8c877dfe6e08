// The options of pictures: of which size, how sharp, on which background.

import { shaping } from './shaping.js';

/** @import { PictureSize } from '../types/index.js' */

/** @type {Readonly<Record<PictureSize, { widthPx: number, heightPx: number }>>} pixels of the file at --scale 1 */
export const PICTURE_SIZES = Object.freeze({
  // 1.91:1, which link previews show uncropped: https://developers.facebook.com/docs/sharing/webmasters/images
  blog: { widthPx: 1200, heightPx: 630 },
  // 1:1, which feeds show uncropped: https://help.instagram.com/1631821640426723
  square: { widthPx: 1080, heightPx: 1080 },
  // 16:9, as slides and videos are: https://support.google.com/youtube/answer/6375112
  wide: { widthPx: 1600, heightPx: 900 },
});

export const SIZES = /** @type {PictureSize[]} */ (Object.keys(PICTURE_SIZES));
export const SCALES = { min: 1, max: 4 };
/** Of a picture of no certain size: sharp on screens that have two pixels for one. */
export const USUAL_SCALE = 2;

export const SIZES_TEXT = SIZES.map((name) => {
  const { widthPx, heightPx } = PICTURE_SIZES[name];
  return `${name} (${widthPx}x${heightPx})`;
}).join(', ');

export const PICTURE_TABLE = shaping('output', {
  size: {
    summary: `of each picture: ${SIZES_TEXT}`,
    value: 'NAME',
    shownDefault: '960 wide, as high as its rows need',
  },
  scale: {
    summary: `pixels of a PNG for each of that size, ${SCALES.min} to ${SCALES.max}`,
    value: 'N',
    shownDefault: `${USUAL_SCALE}, with --size 1`,
  },
  transparent: { summary: 'pictures without a background' },
});
