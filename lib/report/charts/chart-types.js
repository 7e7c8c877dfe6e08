// The types of figures and of pictures.
//
// figures/ makes figures of results: words, a legend, and panels in the format of Chart.js. pictures/ lays them out and draws PNG and SVG.

/** @import { Cell, Fill, Hue, Marker, Outcome, PictureSize, Results } from '../../types/index.js' */
/** @import { Section } from '../columns/sections.js' */
/** @import { FORMATS } from '../text/quantity-words.js' */
/** @import { FONTS } from './style/letters.js' */

/** @typedef {'light' | 'dark'} Theme */
/** @typedef {{ background: string, ink: string, mutedInk: string, grid: string, hues: Record<Hue, string> }} Colours */
/** @typedef {{ colour: string, fill: Fill }} FillChoice */
/** @typedef {{ colour: string, outline: string, fill: Fill, dash: number[], marker: Marker }} Look */
/** @typedef {Marker | 'tick'} Symbol   a tick is a short vertical line */
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

/** @typedef {{ fills?: (FillChoice | null)[] } & Record<string, any>} ChartDataset   fills: one for each bar; null where no bar is drawn */

/**
 * A Chart.js configuration without functions, with a title above it and marks. Data sets also have `fills` and `whiskers`, points have
 * `xMin`, `xMax`, `yMin` and `yMax`, and scales have `stops` (their ticks), `format` and `widthPx`.
 * @typedef {object} Panel
 * @property {string} title   empty in a figure of one panel
 * @property {'bar' | 'line'} type
 * @property {{ labels?: (string | number)[], datasets: ChartDataset[] }} data
 * @property {any} options
 * @property {Mark[]} marks
 */

/** @typedef {{ text: string, rank: number }} BelowItem   rank: if a line is too long, the items of the greatest rank are omitted first */

/**
 * A chart before it is laid out: texts, legend and panels, in light colours.
 * @typedef {object} Figure
 * @property {string} name             name of the file, without extension
 * @property {string} title
 * @property {string} message          the finding, as a sentence without its full stop
 * @property {string} altText
 * @property {LegendItem[]} legend
 * @property {number} columns
 * @property {number} labelPx          extra width of the first column, for the texts of its vertical axis
 * @property {number} panelPx          least height of a panel
 * @property {number} [leastPx]        least height of a picture without --size; 16:9 by default
 * @property {number} widthPx
 * @property {Panel[]} panels          row by row
 * @property {[how: BelowItem[], where: BelowItem[]]} below   two lines below the panels: how and where the rows were measured
 * @property {string[]} notes          lines for captions and pages, which a picture does not contain
 * @property {Cell[]} cells
 */

/** @typedef {{ x: number, y: number, width: number, height: number }} Box   pixels of the layout */

/**
 * A figure with the positions of its texts and panels, and how it is drawn. Lengths are pixels of the layout.
 * @typedef {object} Picture
 * @property {Figure} figure          in the colours of the theme
 * @property {Theme} theme
 * @property {{ text: string, style: keyof typeof FONTS, x: number, y: number }[]} lines   y: the middle of a line
 * @property {{ item: LegendItem, x: number, y: number }[]} legend
 * @property {Box[]} boxes            one for each panel
 * @property {number} legendTop
 * @property {number} ruleTop         top of the line between the panels and the texts below them
 * @property {number} heightPx
 * @property {number} wantedPx        height with the least height of each panel
 * @property {number} zoom            pixels of an SVG per pixel of the layout
 * @property {number} scale           pixels of a PNG per pixel of an SVG
 * @property {boolean} isTransparent
 * @property {PictureSize} [outgrown]   the requested size, if the picture is higher
 */

/**
 * Outcomes that can be compared on one axis, and what all of their figures share.
 * @typedef {object} FigureInput
 * @property {Results} results
 * @property {Cell} cell   cell of the first outcome
 * @property {'closed' | 'open'} model
 * @property {{ name: string, title: string }[]} parts   its values of the axes in which the questions of the run differ
 * @property {Outcome[]} outcomes
 * @property {string} title     set by the user, or empty
 * @property {number} widthPx
 * @property {boolean} isLow    the picture has no room for axis titles
 */

/**
 * @typedef {object} Series
 * @property {string} key               seriesLabel() of its cells
 * @property {string} text              the key, printable and shortened
 * @property {Cell} cell                the first of its cells
 * @property {string} codec
 * @property {string} runtime
 * @property {string} carrier           the row without its codec: 'unix', 'unix on bun'
 * @property {Section} section
 * @property {Look} look
 */

/** @typedef {{ label: string, look: Look | null, outcome: Outcome | null }} ChartRow   a row of a horizontal chart; a heading has no look */

export {};
