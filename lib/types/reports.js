// A report, and how charts draw what it shows.

import { array, check, number, object, optional, picklist, pipe } from 'valibot';
import { Mark, method, OneLine, PLUGIN, positive, wanted } from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Comparison } from './comparisons.js' */
/** @import { Results } from './results-file.js' */
/** @import { Method } from './scalars.js' */

/**
 * @typedef {object} Document
 * @property {string} name                a file name without folder
 * @property {string} mediaType
 * @property {string | Uint8Array} content
 * @property {string} [caption]           of a picture: what it shows, as its alt text
 * @property {number} [widthPx]           of a picture on a page
 * @property {string} [warning]           for the screen: what is wrong with it
 */

/** @typedef {'blog' | 'square' | 'wide'} PictureSize */

/**
 * @typedef {object} PictureWishes
 * @property {PictureSize} [size]         800 px wide by default, and as high as the rows need
 * @property {number} [scale]             pixels of a PNG for each of that size
 * @property {true} [isTransparent]       without a background
 * @property {string[]} [names]           only these, or those whose names begin with one of these and '-'
 * @property {true} [isInBothThemes]      each twice: light, and dark with -dark behind its name
 */

/** @typedef {{ folder: string, ending: '.png' | '.svg' }} PicturePlace   where pictures are, as seen from a document beside them */

/**
 * @typedef {object} ReportOptions
 * @property {'light' | 'dark'} [theme]
 * @property {string} [title]
 * @property {PictureWishes} [picture]
 * @property {PicturePlace} [picturePlace]   if pictures are written
 * @property {boolean} [colour]           ANSI colours are welcome
 * @property {number} [columns]           width of the terminal, if there is one
 * @property {boolean} [hasNotes]         the table has all its notes, not only those of a first look
 * @property {FurtherColumn[]} [furtherColumns]   of the table, besides those of a first look
 * @property {SortKey} [sort]             of the rows of a table, instead of classes of transports
 */

/** @typedef {'mb' | 'times' | 'intervals' | 'cpu' | 'net' | 'memory' | 'floor' | 'service' | 'lag' | 'sends' | 'busiest' | 'harness' | 'wake-ups'} FurtherColumn   of --columns */

/** @typedef {'headline' | 'p50' | 'p99' | 'cpu' | 'memory' | 'name' | 'plan'} SortKey   of --sort */

/** @typedef {{ comparison: Comparison, old: { name: string, results: Results }, new: { name: string, results: Results } }} Compared */

/**
 * Results in, documents out; pure, the core writes. A built-in one is loaded at the start of every command, for its
 * flag: it imports what it is made of inside of `render`.
 */
export const Report = object({
  ...PLUGIN,
  /** The option of `run` and `report` that selects a built-in report. Reports of plug-ins are selected with --report. */
  option: optional(
    wanted(
      object({
        flag: PLUGIN.name,
        /** Its place in --help. */
        rank: wanted(number(), 'a number'),
        /** It makes many documents, for a folder: '.png', 'pictures'. */
        many: optional(object({ ending: OneLine, what: OneLine })),
      }),
      'an object with flag and rank',
    ),
  ),
  /** The same option of `compare`. */
  comparison: optional(
    wanted(
      object({
        summary: OneLine,
        /** It makes many documents; without it, one. */
        isMany: Mark,
        render:
          /** @type {Method<(compared: Compared) => string | Document[] | Promise<string | Document[]>>} */ (
            method
          ),
      }),
      'an object with summary and render',
    ),
  ),
  render:
    /** @type {Method<(results: Results, options: ReportOptions) => Document[] | Promise<Document[]>>} */ (
      method
    ),
});
/** @typedef {InferOutput<typeof Report>} Report */

// The looks of transports and codecs in charts: hue and marker stand for the transport, fill and dash for the codec. A results file
// may come from a later version, with a hue that this one does not have.

export const Hue = picklist(['blue', 'rust', 'green', 'pink', 'ochre', 'violet', 'grey']);
/** @typedef {InferOutput<typeof Hue>} Hue */
export const Marker = picklist(['star', 'triangle-down', 'diamond', 'triangle', 'square', 'circle']);
/** @typedef {InferOutput<typeof Marker>} Marker */
/** @typedef {'diagonal' | 'counter-diagonal' | 'lattice' | 'horizontal' | 'vertical' | 'cross'} LinedFill */
/** @typedef {LinedFill | 'dots' | 'checks' | 'bricks'} Hatch */
const Fill = picklist([
  'solid',
  'tint',
  'diagonal',
  'horizontal',
  'dots',
  'cross',
  'counter-diagonal',
  'vertical',
  'checks',
  'lattice',
  'empty',
  'bricks',
]);
/** @typedef {InferOutput<typeof Fill>} Fill */

export const TransportLook = wanted(
  object({
    hue: Hue,
    marker: Marker,
    /** Its bars have no outline; those of other transports of the hue have one. */
    ownsHue: Mark,
  }),
  `{ hue, marker } of ${Hue.options.join(', ')} and ${Marker.options.join(', ')}`,
);
/** @typedef {InferOutput<typeof TransportLook>} TransportLook */

const LONGEST_DASH_PX = 34; // as long as a sample in a legend

export const CodecLook = wanted(
  object({
    /** Of bars. */
    fill: Fill,
    /** For lines: lengths of dashes and gaps in pixels; empty for a solid line. */
    dash: pipe(
      array(positive),
      check((dash) => dash.reduce((sum, length) => sum + length, 0) <= LONGEST_DASH_PX),
    ),
  }),
  `{ fill, dash } of ${Fill.options.join(', ')} and at most ${LONGEST_DASH_PX} pixels`,
);
/** @typedef {InferOutput<typeof CodecLook>} CodecLook */
