// The colours of both themes. Contrast and colour-vision distances are asserted in the tests of the palette.

/** @import { Colours, Theme } from '../chart-types.js' */

/** @type {Readonly<Record<Theme, Colours>>} */
export const COLOURS = Object.freeze({
  light: {
    background: '#ffffff',
    ink: '#1b1f27',
    mutedInk: '#565e6b',
    grid: '#e4e7eb',
    hues: {
      blue: '#1a80e5',
      rust: '#9c3a00',
      green: '#0f7a55',
      pink: '#cf5f9f',
      ochre: '#a5902a',
      violet: '#4b0f87',
      grey: '#3a3d44',
    },
  },
  dark: {
    background: '#14181f',
    ink: '#eceff4',
    mutedInk: '#a7afbc',
    grid: '#2c333d',
    hues: {
      blue: '#3ca0f0',
      rust: '#e07a55',
      green: '#3fe3b4',
      pink: '#a85a80',
      ochre: '#f0d03c',
      violet: '#6a5fd0',
      grey: '#b4b9c0',
    },
  },
});

/** Parts of a bar in both themes: Paul Tol's light scheme, designed as a background for text (https://sronpersonalpages.nl/~pault/). */
export const PART_COLOURS = Object.freeze({
  blue: '#77aadd',
  orange: '#ee8866',
  yellow: '#eedd88',
  mint: '#44bb99',
  pink: '#ffaabb',
  pear: '#bbcc33',
  cyan: '#99ddff',
  olive: '#aaaa00',
  grey: '#dddddd',
});
export const PART_INK = '#10131a';

/** @param {Colours} colours */
const listColours = ({ hues, ...others }) => [...Object.values(others), ...Object.values(hues)];

/**
 * Replaces each light colour by the colour of the same name.
 * @template T
 * @param {T} value   plain data
 * @param {Theme} theme
 * @returns {T}
 */
export function recoloured(value, theme) {
  if (theme === 'light') return value;
  const others = listColours(COLOURS[theme]);
  const replacements = new Map(listColours(COLOURS.light).map((colour, index) => [colour, others[index]]));
  return JSON.parse(JSON.stringify(value), (_, field) => replacements.get(field) ?? field);
}
