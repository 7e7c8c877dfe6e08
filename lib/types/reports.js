// Reports, and styles of charts.

import { array, check, number, object, optional, picklist, pipe } from 'valibot';
import { method, OneLine, OptionalTrue, PLUGIN, positive, withErrorText } from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Comparison } from './comparisons.js' */
/** @import { Results } from './results-file.js' */
/** @import { Method } from './scalars.js' */

/**
 * @typedef {object} Document
 * @property {string} name   a file name without folder
 * @property {string} mediaType
 * @property {string | Uint8Array} content
 * @property {string} [caption]   alt text of a picture
 * @property {number} [widthPx]   width of a picture on a page
 * @property {string} [warning]   problem of the document, shown on the screen
 */

/** @typedef {'blog' | 'square' | 'wide'} PictureSize */

/**
 * @typedef {object} PictureOptions
 * @property {PictureSize} [size]   by default 800 px wide, with a height that depends on the rows
 * @property {true} [isInBothThemes]   draws a light version, and a dark version with the suffix -dark
 */

/**
 * @typedef {{ folder: string, ending: '.png' | '.svg' }} PictureLinks   folder: of the pictures, relative to the folder of the
 *   document that links to them, with '/'; ending: of their names
 */

/**
 * @typedef {object} ReportOptions
 * @property {'light' | 'dark'} [theme]
 * @property {string} [title]
 * @property {PictureOptions} [picture]
 * @property {PictureLinks} [pictureLinks]   set if pictures are written
 * @property {boolean} [colour]   allows ANSI colours
 * @property {number} [columns]   width of the terminal, if there is one
 * @property {boolean} [hasNotes]   shows all notes of the table instead of the basic ones
 * @property {FurtherColumn[]} [furtherColumns]   additional columns of the table
 */

/** @typedef {'mb' | 'times' | 'intervals' | 'cpu' | 'blocking' | 'net' | 'memory' | 'service' | 'lag' | 'sends'} MeasuredColumn */
/** @typedef {MeasuredColumn | 'floor' | 'busiest' | 'harness' | 'wake-ups'} FurtherColumn   a value of --columns */

/** @typedef {{ comparison: Comparison, old: { name: string, results: Results }, new: { name: string, results: Results } }} Compared */

/**
 * Converts results to documents. Pure: the core writes the files. A built-in report is loaded at the start of every command for its flag,
 * so it imports its dependencies within `render`.
 */
export const Report = object({
  ...PLUGIN,
  /** The option of `run` and `report` that selects a built-in report. Reports of plug-ins are selected with --report. */
  option: optional(
    withErrorText(
      object({
        flag: PLUGIN.name,
        /** Position in --help. */
        rank: withErrorText(number(), 'a number'),
        /** Set if the report writes several documents into a folder: the ending of their names, and a noun, such as '.png' and 'pictures'. */
        many: optional(object({ ending: OneLine, what: OneLine })),
      }),
      'an object with flag and rank',
    ),
  ),
  /** The same option for `compare`. */
  comparison: optional(
    withErrorText(
      object({
        summary: OneLine,
        /** Set if the report of a comparison consists of several documents. */
        isMany: OptionalTrue,
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

// Styles of transports and codecs in charts: hue and marker show the transport, fill and dash the codec. The results file of a later
// version may contain hues that this version does not have.

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

export const TransportLook = withErrorText(
  object({
    hue: Hue,
    marker: Marker,
    /** Bars have no outline. Bars of other transports with the same hue have one. */
    ownsHue: OptionalTrue,
  }),
  `{ hue, marker } of ${Hue.options.join(', ')} and ${Marker.options.join(', ')}`,
);
/** @typedef {InferOutput<typeof TransportLook>} TransportLook */

const MAX_DASH_PX = 34; // length of a sample in a legend

export const CodecLook = withErrorText(
  object({
    /** Fill of bars. */
    fill: Fill,
    /** For lines: lengths of dashes and gaps in pixels; empty for a solid line. */
    dash: pipe(
      array(positive),
      check((dash) => dash.reduce((sum, length) => sum + length, 0) <= MAX_DASH_PX),
    ),
  }),
  `{ fill, dash } of ${Fill.options.join(', ')} and at most ${MAX_DASH_PX} pixels`,
);
/** @typedef {InferOutput<typeof CodecLook>} CodecLook */
