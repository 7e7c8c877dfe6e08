// The types of figures and of their drawings.
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
 * The sign before a name in a legend, which looks like the mark in the plot.
 * @typedef {{ kind: 'bar', look: Look } | { kind: 'line', look: Look } | { kind: 'symbol', symbol: Symbol, isHollow: boolean } |
 *   { kind: 'text', text: string }} Swatch
 */
/** @typedef {{ text: string, swatch: Swatch }} LegendItem */
/** @typedef {keyof typeof FORMATS} FormatName   of the values of an axis */

/**
 * A text or a symbol that Chart.js does not draw, at a bar (`datasetIndex`, `index`, `value`) or at two values (`x`, `y`). Without
 * `value` or `y` it stands at the start of the axis.
 * @typedef {object} Mark
 * @property {number} [datasetIndex]
 * @property {number} [index]
 * @property {number} [value]
 * @property {number} [x]
 * @property {number} [y]
 * @property {number} [dx]              pixels to the right
 * @property {number} [dy]              pixels down
 * @property {string} [text]
 * @property {Symbol} [symbol]
 * @property {string} colour
 * @property {string} [fill]            of a symbol
 * @property {string} [halo]            behind a text that lines may cross
 * @property {number} [sizePx]          of a text, or radius of a symbol
 * @property {number} [weight]
 * @property {'left' | 'center'} [align]
 */

/**
 * Intervals of a data set, beside its points { y, yMin, yMax } or { x, xMin, xMax }. Lists are several intervals, and null is none.
 * @typedef {object} Whiskers
 * @property {string} colour
 * @property {string} [halo]   over bars, the background: otherwise a whisker would not be seen on a dark one
 * @property {number} capPx
 * @property {number} [dx]     pixels to the right
 */

/**
 * A Chart.js configuration without functions. Beside what Chart.js knows, data sets have `fills` (FillChoice) and `whiskers`, points
 * `xMin`, `xMax`, `yMin` and `yMax`, and scales `stops` (their ticks), `format` and `widthPx`.
 * @typedef {object} Configuration
 * @property {'bar' | 'line'} type
 * @property {{ labels?: (string | number)[], datasets: any[] }} data
 * @property {any} options
 * @property {Mark[]} marks
 */

/** @typedef {{ title: string, configuration: Configuration }} Panel */
/** @typedef {{ text: string, rank: number }} BelowItem   where a line is too long, the greatest rank is left out first */

/**
 * What makes one figure differ from another.
 * @typedef {object} Parts
 * @property {string} name             of the file, without extension
 * @property {string} title
 * @property {string} message          what the chart shows: a sentence without its full stop
 * @property {LegendItem[]} legend
 * @property {number} [columns]        1 by default
 * @property {number} [labelPx]        by which the first column is wider, for the names of rows; 0 by default
 * @property {number} panelPx          least height of a panel
 * @property {number} [leastPx]        least height of a picture without --size; 16:9 by default
 * @property {Panel[]} panels          row by row
 * @property {string} [axes]           '↑ response time → rate', where panels have no titles of axes
 * @property {string} [rows]           '24 of 40 rows', where not all are drawn
 * @property {string[]} notes          for captions and pages; a picture does not contain them
 * @property {string} [values]         for the alt text; those of the headline by default
 * @property {string} [intervalsOf]    what the whiskers are intervals of: 'the rate'
 * @property {boolean} [hasIntervals]  false if the line below says nothing of whiskers
 * @property {true} [isOfTimes]        its values are times of operations, not the headline
 */

/**
 * @typedef {object} Surroundings
 * @property {number} columns
 * @property {number} labelPx
 * @property {number} widthPx
 * @property {Theme} theme
 * @property {[how: BelowItem[], where: BelowItem[]]} below   a line each below the panels
 * @property {string} altText
 * @property {Cell[]} cells
 */
/** @typedef {Parts & Surroundings} Figure */

/**
 * Outcomes that can be compared with each other.
 * @typedef {object} Slice
 * @property {Cell} cell   the first of them
 * @property {'closed' | 'open'} model
 * @property {{ name: string, title: string }[]} parts   what distinguishes it from other slices of the run
 * @property {Outcome[]} outcomes
 */

/**
 * What the figures of a slice share.
 * @typedef {{ results: Results, slice: Slice, title: string, widthPx: number, isLow: boolean }} Sheet   title: the user's, or empty; isLow: the
 *   picture has no room for titles of axes
 */

/**
 * @typedef {object} Series
 * @property {string} key               seriesLabel
 * @property {string} text              the same, printable and short
 * @property {Cell} cell                the first of its cells
 * @property {string} codec
 * @property {string} runtime
 * @property {string} carrier           the row without its codec: 'unix', 'unix on bun'
 * @property {Section} section
 * @property {Look} look
 */

/** @typedef {{ label: string, look: Look | null, outcome: Outcome | null }} Row   of a horizontal chart; a heading has no look */

export {};
