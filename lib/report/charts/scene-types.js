// The types of figures and of their drawings.
//
// figures/ converts results to figures, which consist of words, a legend, and panels in the format of Chart.js. scene/ has
// axes, layout, and the code that draws marks, fills and legends. render/ draws PNG and SVG.

/** @import { Cell, Fill, Hue, Marker, Outcome, Results } from '../../types/index.js' */
/** @import { Section } from '../columns/sections.js' */
/** @import { FORMATS } from '../text/quantity-words.js' */

/** @typedef {'light' | 'dark'} Theme */
/** @typedef {{ background: string, ink: string, mutedInk: string, grid: string, hues: Record<Hue, string> }} Colours */
/** @typedef {{ colour: string, fill: Fill }} FillChoice */
/** @typedef {{ colour: string, outline: string, fill: Fill, dash: number[], marker: Marker }} Look */
/** @typedef {Marker | 'tick'} Symbol   a tick is a line across a range */
/**
 * The symbol before a name in a legend, which looks like the mark in the plot.
 * @typedef {{ kind: 'bar', look: Look } | { kind: 'line', look: Look } | { kind: 'symbol', symbol: Symbol, isHollow: boolean } |
 *   { kind: 'text', text: string }} Swatch
 */
/** @typedef {{ text: string, swatch: Swatch }} LegendItem */
/** @typedef {keyof typeof FORMATS} FormatName   format of the values of an axis */

/**
 * A text or a symbol that Chart.js does not draw, at a bar (`datasetIndex`, `index`, `value`) or at two values (`x`, `y`). Without
 * `value` or `y` it is at the start of the axis.
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
 * @property {string} [fill]            fill of a symbol
 * @property {string} [halo]            colour behind a text that lines may cross
 * @property {number} [sizePx]          size of a text, or radius of a symbol
 * @property {number} [weight]
 * @property {'left' | 'center'} [align]
 */

/**
 * Style of the intervals of a data set, whose points are { y, yMin, yMax } or { x, xMin, xMax }. yMin and xMin may be lists for several
 * intervals, or null for none.
 * @typedef {object} Whiskers
 * @property {string} colour
 * @property {string} [halo]   the background colour over bars, so that a whisker is visible on a dark bar
 * @property {number} capPx
 * @property {number} [dx]     pixels to the right
 */

/**
 * A Chart.js configuration without functions. Data sets also have `fills` (a FillChoice for each bar) and `whiskers`, points have `xMin`,
 * `xMax`, `yMin` and `yMax`, and scales have `stops` (their ticks), `format` and `widthPx`.
 * @typedef {object} Configuration
 * @property {'bar' | 'line'} type
 * @property {{ labels?: (string | number)[], datasets: any[] }} data
 * @property {any} options
 * @property {Mark[]} marks
 */

/** @typedef {{ title: string, configuration: Configuration }} Panel */
/** @typedef {{ text: string, rank: number }} BelowItem   rank: if a line is too long, the items of the greatest rank are omitted first */

/**
 * The properties in which figures differ.
 * @typedef {object} Parts
 * @property {string} name             name of the file, without extension
 * @property {string} title
 * @property {string} message          the finding, as a sentence without its full stop
 * @property {LegendItem[]} legend
 * @property {number} [columns]        1 by default
 * @property {number} [labelPx]        extra width of the first column, for the texts of its vertical axis; 0 by default
 * @property {number} panelPx          least height of a panel
 * @property {number} [leastPx]        least height of a picture without --size; 16:9 by default
 * @property {Panel[]} panels          row by row
 * @property {string} [axes]           '→ service time, log scale', if the panels have no axis titles
 * @property {string} [scales]         'a scale for each panel', if the panels have different scales
 * @property {string} [rows]           '24 of 40 rows', if not all are drawn
 * @property {string[]} notes          lines for captions and pages, which a picture does not contain
 * @property {string} [values]         values in the alt text; by default headlines, or times if `isOfTimes` or under open load
 * @property {string} [intervals]      'whiskers: 95 % interval of the rate', for the lines below the panels; empty if they do not mention
 *   whiskers; by default of those of the headline
 * @property {true} [isOfTimes]        set if the values are times of operations instead of the headline
 */

/**
 * @typedef {object} Surroundings
 * @property {number} columns
 * @property {number} labelPx
 * @property {number} widthPx
 * @property {Theme} theme
 * @property {[how: BelowItem[], where: BelowItem[]]} below   two lines below the panels
 * @property {string} altText
 * @property {Cell[]} cells
 */
/** @typedef {Parts & Surroundings} Figure */

/**
 * Outcomes that can be compared on one axis.
 * @typedef {object} Slice
 * @property {Cell} cell   cell of the first outcome
 * @property {'closed' | 'open'} model
 * @property {{ name: string, title: string }[]} parts   axes in which it differs from other slices of the run
 * @property {Outcome[]} outcomes
 */

/**
 * The properties that all figures of a slice share.
 * @typedef {{ results: Results, slice: Slice, title: string, widthPx: number, isLow: boolean }} Sheet   title: set by the user, or empty;
 *   isLow: the picture has no room for axis titles
 */

/**
 * @typedef {object} Series
 * @property {string} key               seriesLabel
 * @property {string} text              the key, printable and shortened
 * @property {Cell} cell                the first of its cells
 * @property {string} codec
 * @property {string} runtime
 * @property {string} carrier           the row without its codec: 'unix', 'unix on bun'
 * @property {Section} section
 * @property {Look} look
 */

/** @typedef {{ label: string, look: Look | null, outcome: Outcome | null }} Row   of a horizontal chart; a heading has no look */

export {};
