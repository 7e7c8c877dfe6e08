// The names under which the fonts of the charts are registered. Apart from fonts.js, so that a configuration can be
// built without loading a canvas.

// Own names, so that an installed font of the same name is never taken instead.
export const TEXT_FONT = 'ipc-bench text';
export const SYMBOLS_FONT = 'ipc-bench symbols'; // ≤ ≥ → σ ✕ and Greek, which Inter's latin file lacks

export const FONT_FAMILY = `"${TEXT_FONT}", "${SYMBOLS_FONT}"`;
