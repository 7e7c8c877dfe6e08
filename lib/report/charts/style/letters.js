// The fonts of the charts by the names that they are registered under, and how large words are. A page imports this: no canvas is
// loaded here.

// Own names, so that an installed font of the same name is never taken instead.
export const TEXT_FONT = 'ipc-bench text';
export const SYMBOLS_FONT = 'ipc-bench symbols'; // ≤ ≥ → σ ✕ and Greek, which Inter's latin file lacks
export const FONT_FAMILY = `"${TEXT_FONT}", "${SYMBOLS_FONT}"`;

export const TEXT_PX = 12; // the least that is readable, U-30
export const FONTS = {
  title: `600 20px ${FONT_FAMILY}`,
  message: `400 14px ${FONT_FAMILY}`,
  panel: `600 13px ${FONT_FAMILY}`,
  small: `400 ${TEXT_PX}px ${FONT_FAMILY}`,
};
export const LINE_PX = { title: 26, message: 20, panel: 20, small: 17 };
export const LEGEND_ROW_PX = 20;
