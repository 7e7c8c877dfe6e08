// How large the words of a figure are, and the lines that they stand in.

import { FONT_FAMILY } from '../style/font-family.js';

export const TEXT_PX = 12; // the least that is readable, U-30

export const FONTS = {
  title: `600 20px ${FONT_FAMILY}`,
  message: `400 14px ${FONT_FAMILY}`,
  panel: `600 13px ${FONT_FAMILY}`,
  small: `400 ${TEXT_PX}px ${FONT_FAMILY}`,
};
export const LINE_PX = { title: 26, message: 20, panel: 20, small: 17 };
export const LEGEND_ROW_PX = 20;
