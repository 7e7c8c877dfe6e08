// The colours of both themes. Contrast and colour-vision distances are asserted in the tests of the palette.

/** @import { Hue } from '../../../types/index.js' */
/** @typedef {'light' | 'dark'} Theme */
/** @typedef {{ background: string, ink: string, mutedInk: string, grid: string, hues: Record<Hue, string> }} Colours */

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
