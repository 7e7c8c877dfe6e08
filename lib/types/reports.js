// A report: what is made of results.

/** @import { Comparison } from './comparisons.js' */

/** @import { Results } from './results-file.js' */

/**
 * @typedef {object} Document
 * @property {string} name                a file name without folder
 * @property {string} mediaType
 * @property {string | Uint8Array} content
 * @property {string} [caption]           of a picture: what it shows, as its alt text
 * @property {string} [warning]           for the screen: what is wrong with it
 */

/** @typedef {'blog' | 'square' | 'wide'} PictureSize */

/**
 * @typedef {object} PictureWishes
 * @property {PictureSize} [size]         absent: 800 wide, and as high as the rows need
 * @property {number} [scale]             pixels of a PNG for each of that size
 * @property {true} [isTransparent]       without a background
 * @property {true} [isInBothThemes]      each twice: light, and dark with -dark behind its name
 */

/** @typedef {{ folder: string, ending: '.png' | '.svg' }} PicturePlace   where pictures are, as seen from a document beside them */

/**
 * @typedef {object} ReportOptions
 * @property {'light' | 'dark'} [theme]
 * @property {string} [title]
 * @property {PictureWishes} [picture]
 * @property {PicturePlace} [picturePlace]   absent: nobody asked for pictures
 * @property {Map<string, any[]>} [figures]  of these results, made already for other reports of the same delivery
 * @property {boolean} [colour]           ANSI colours are welcome
 * @property {number} [columns]           width of the terminal; absent: there is none
 * @property {boolean} [hasNotes]         of the table: all that belongs to it, not only what a first look needs
 * @property {FurtherColumn[]} [furtherColumns]   of the table, beside those of a first look
 */

/** @typedef {'mb' | 'times' | 'intervals' | 'cpu' | 'net' | 'memory' | 'floor' | 'service' | 'lag' | 'sends' | 'busiest' | 'harness' | 'wake-ups'} FurtherColumn   of --columns */

/**
 * The option of `run` and `report` that asks for a built-in report. One of the user's own is asked for by --report.
 * @typedef {object} ReportOption
 * @property {string} flag
 * @property {number} rank                its place among them in --help
 * @property {{ ending: string, what: string }} [many]   it makes many documents, for a folder: '.png', 'pictures'
 */

/**
 * What is made of a comparison of two runs.
 * @typedef {object} ComparisonReport
 * @property {string} summary
 * @property {true} [isMany]       it makes many documents as well; absent: one
 * @property {(compared: Compared) => string | Document[] | Promise<string | Document[]>} render   documents: where they are many
 */

/** @typedef {{ comparison: Comparison, old: { name: string, results: Results }, new: { name: string, results: Results } }} Compared */

/**
 * Results in, documents out; pure, the core writes. One that is built in is loaded at the start of every command, for its
 * flag: it imports what it is made of inside of `render`.
 * @typedef {object} Report
 * @property {string} name
 * @property {string} summary             of an option: its help
 * @property {ReportOption} [option]      absent: of the user's own, or always shown
 * @property {ComparisonReport} [comparison]   the same option of `compare`; absent: it has none
 * @property {(results: Results, options: ReportOptions) => Document[] | Promise<Document[]>} render
 */

// How charts draw a transport and a codec: hue and marker say which transport, fill and dash say which codec.

/** @typedef {'blue' | 'rust' | 'green' | 'pink' | 'ochre' | 'violet' | 'grey'} Hue */
/** @typedef {'circle' | 'square' | 'triangle' | 'diamond' | 'triangle-down' | 'star'} Marker */
/** @typedef {'diagonal' | 'counter-diagonal' | 'lattice' | 'horizontal' | 'vertical' | 'cross'} LinedFill */
/** @typedef {LinedFill | 'dots' | 'checks' | 'bricks'} Hatch */
/** @typedef {'solid' | 'tint' | 'empty' | Hatch} Fill */

/**
 * @typedef {object} TransportLook
 * @property {Hue} hue
 * @property {Marker} marker
 * @property {true} [ownsHue]     its bars have no outline; absent: they have one, by which they are told from those of the
 *                              transport that owns the hue
 */

/**
 * @typedef {object} CodecLook
 * @property {Fill} fill          of bars
 * @property {number[]} dash      of lines: pixels drawn and left out by turns, at most 34 in all, a legend's sample; empty:
 *                              drawn through
 */

export {};
