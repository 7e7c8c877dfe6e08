// What figures say, and the scene that the three renderers draw of them, as plain data. Runs nothing; read it first.
//
// results → figures/ → Figure: words, legend, and panels in the shape of Chart.js → scene/: marks, legend, layout → render/: PNG, SVG.

/** @import { Cell, Fill, Hue, Marker, Outcome, Results } from '../../types/index.js' */
/** @import { Section } from '../columns/sections.js' */
/** @import { FORMATS } from './text/quantity-words.js' */

/** @typedef {'light' | 'dark'} Theme */
/** @typedef {{ background: string, ink: string, mutedInk: string, grid: string, hues: Record<Hue, string> }} Colours */
/** @typedef {{ colour: string, fill: Fill }} FillChoice */
/** @typedef {{ colour: string, outline: string, fill: Fill, dash: number[], marker: Marker }} Look */
/** @typedef {Marker | 'tick'} Symbol   a tick is a line across the range it stands on */
/**
 * Of a legend: what looks like the mark in the plot.
 * @typedef {{ kind: 'bar', look: Look } | { kind: 'line', look: Look } | { kind: 'symbol', symbol: Symbol, isHollow: boolean } |
 *   { kind: 'text', text: string }} Swatch
 */
/** @typedef {{ text: string, swatch: Swatch }} LegendItem */
/** @typedef {keyof typeof FORMATS} FormatName   of the values of an axis */

/**
 * What Chart.js does not draw. Where: at a bar (`datasetIndex`, `index`), or at two values (`x`, `y`). `value` is on the numeric
 * axis; left out, it is the axis' start.
 * @typedef {object} Mark
 * @property {number} [datasetIndex]
 * @property {number} [index]
 * @property {number} [value]
 * @property {number} [x]
 * @property {number} [y]
 * @property {number} [dx]              pixels, to the right
 * @property {number} [dy]              pixels, down
 * @property {string} [text]            instead of a symbol
 * @property {Symbol} [symbol]
 * @property {string} colour
 * @property {string} [fill]            of a symbol; of a line end, the colour of its line
 * @property {string} [halo]            behind a text, where lines may cross it
 * @property {number} [sizePx]          of a text, or radius of a symbol
 * @property {number} [weight]
 * @property {'left' | 'center' | 'right'} [align]
 * @property {boolean} [isLineEnd]      of a column of names that must not overlap
 */

/**
 * Of a data set, beside its points { y, yMin, yMax } or { x, xMin, xMax }; lists are several intervals, and null is none.
 * @typedef {object} Whiskers
 * @property {string} colour
 * @property {string} [halo]     the background: over a dark bar the whisker would not be seen
 * @property {number} capPx
 */

/**
 * A Chart.js configuration without functions. Beside what Chart.js knows, data sets have `fills` (FillChoice), `whiskers` and `dodgePx`
 * (by which it stands further right), points `xMin`, `xMax`, `yMin` and `yMax`, and scales `stops` (their ticks), `format` and `widthPx`.
 * @typedef {object} Configuration
 * @property {'bar' | 'line'} type
 * @property {{ labels?: (string | number)[], datasets: any[] }} data
 * @property {any} options
 * @property {Mark[]} marks
 */

/** @typedef {{ title: string, configuration: Configuration }} Panel */
/** @typedef {{ text: string, rank: number }} BelowItem   rank: what has the greatest is left out first where a line is too long */

/**
 * What makes one figure differ from another.
 * @typedef {object} Parts
 * @property {string} name             of the file, without extension
 * @property {string} title
 * @property {string} message          what the chart shows: a sentence without its full stop
 * @property {LegendItem[]} legend
 * @property {number} [columns]        left out: 1
 * @property {number} [labelPx]        by which the first column is wider, for the names of rows; left out: 0
 * @property {number} panelPx          least height of a panel
 * @property {Panel[]} panels          row by row
 * @property {string} [axes]           '↑ response time → rate', where the panels have no titles of axes
 * @property {string[]} notes          for captions and pages; a picture does not contain them
 * @property {false} [hasIntervals]    left out: it has
 * @property {true} [isOfTimes]        its values are times of operations; left out: of the headline
 */

/**
 * What figures add to it.
 * @typedef {object} Surroundings
 * @property {number} columns
 * @property {number} labelPx
 * @property {number} widthPx
 * @property {Theme} theme             whose colours it has
 * @property {[how: BelowItem[], where: BelowItem[]]} below   the panels: a line each
 * @property {string} altText
 * @property {Cell[]} cells            that it draws
 */
/** @typedef {Parts & Surroundings} Figure */

/**
 * Outcomes that answer the same question.
 * @typedef {object} Slice
 * @property {Cell} cell   the first of them
 * @property {'closed' | 'open'} model
 * @property {{ name: string, title: string }[]} parts   what sets it apart from the other slices of the run
 * @property {Outcome[]} outcomes
 */

/**
 * What the figures of one slice share.
 * @typedef {object} Sheet
 * @property {Results} results
 * @property {Slice} slice
 * @property {string} title            of the user; empty: generated
 * @property {number} widthPx          of each figure, in which its letters have their sizes
 */

/**
 * @typedef {object} Series
 * @property {string} key               seriesLabel
 * @property {string} text              the same, printable and short
 * @property {string} codec
 * @property {string} runtime
 * @property {string} carrier           what carries it, whatever the codec: 'unix', 'unix on bun'
 * @property {Section} section
 * @property {Look} look
 */

/** @typedef {{ label: string, look: Look | null, outcome: Outcome | null }} Row   of a horizontal chart; no look: a heading */

export {};
