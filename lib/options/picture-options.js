// What is wished of pictures: flags → checked values.

import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { PICTURE_SIZES, SCALES, SIZES, SIZES_TEXT } from './picture-table.js';
import { refuse } from './quantities.js';

/** @import { PictureWishes } from '../types/index.js' */
/** @import { Given } from './layers.js' */

/** @param {Given} given @returns {import('../types/index.js').PictureSize} */
function parseSize({ texts: [text], source }) {
  const size = SIZES.find((name) => name === text);
  if (size !== undefined) return size;
  const [meant] = SIZES.filter(
    (name) => `${PICTURE_SIZES[name].widthPx}x${PICTURE_SIZES[name].heightPx}` === text,
  );
  const hint = meant === undefined ? didYouMean(text, SIZES) : ` Did you mean ${meant}?`;
  return refuse(source, `${quoted(text)} is not one of ${SIZES_TEXT}.${hint}`);
}

/** @param {Given} given @returns {number} */
function parseScale({ texts: [text], source }) {
  const scale = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (scale >= SCALES.min && scale <= SCALES.max) return scale;
  return refuse(
    source,
    `${quoted(text)} is not a number from ${SCALES.min} to ${SCALES.max}; write 2 or 1.5`,
  );
}

/** @param {(flag: string) => Given | undefined} find @returns {PictureWishes} */
export function pictureWishes(find) {
  const [size, scale, transparent] = ['size', 'scale', 'transparent'].map(find);
  return {
    ...(size && { size: parseSize(size) }),
    ...(scale && { scale: parseScale(scale) }),
    ...(transparent?.texts[0] === 'true' && { isTransparent: true }),
  };
}

/** @param {PictureWishes} wishes @returns {Record<string, unknown>} as --config has them */
export function pictureConfig({ size, scale, isTransparent }) {
  return { size, scale, transparent: isTransparent };
}
