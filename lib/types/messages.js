// What travels: messages, their wire, and codecs between the two.

import { integer, number, object, optional, picklist, pipe } from 'valibot';
import { CodecLook } from './reports.js';
import { Mark, method, PLUGIN, texts, wanted } from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Method } from './scalars.js' */

/**
 * A request of a loop, or a response of the master.
 * @typedef {object} Message
 * @property {number} id        a positive integer below 2^31, chosen by the core
 * @property {string} payload   any well-formed string; its length in bytes of UTF-8 is the cell's `payloadBytes`
 */

/** @typedef {string | Uint8Array | object} Wire   what travels; never empty */
export const WireKind = picklist(['text', 'bytes', 'value']);
/** @typedef {InferOutput<typeof WireKind>} WireKind */

/**
 * The shape of a value, for schemas. `integer` has 32 bits, `number` is any other. `unknown` was always null, or the item of an empty list;
 * `mixed` is of several kinds.
 * @typedef {object} ValueShape
 * @property {'boolean' | 'integer' | 'number' | 'text' | 'list' | 'object' | 'unknown' | 'mixed'} kind
 * @property {true} [mayBeNull]
 * @property {ValueShape} [items]            of a list
 * @property {Field[]} [fields]         of an object, in the order of their first appearance
 * @property {string[]} [kinds]         of what is mixed
 */

/** @typedef {{ name: string, shape: ValueShape, mayBeAbsent?: true }} Field */
/** @typedef {{ shape: ValueShape, layouts: readonly (readonly string[])[] }} ValueSchema   `layouts`: the names of fields that objects have, each list once */

/**
 * For byte streams and rings: the codec writes there what `encode` would return, and reads from there what `decode` would
 * get, without a wire in between. In all else it does the same.
 */
const InPlace = wanted(
  object({
    /** Of a wire, beside the payload in UTF-8, at most. */
    headBytes: wanted(pipe(number(), integer()), 'a number'),
    /** Returns how many bytes it wrote, inverted (~) if they are text of ASCII only. There is room for three bytes a unit of the payload. */
    encodeInto: /** @type {Method<(message: Message, target: Buffer, at: number) => number>} */ (method),
    /** isAscii: the sender of a text marked it so. */
    decodeFrom:
      /** @type {Method<(source: Buffer, start: number, end: number, isAscii: boolean) => Message>} */ (
        method
      ),
  }),
  'an object with headBytes, encodeInto and decodeFrom',
);
/** @typedef {InferOutput<typeof InPlace>} InPlace */

/**
 * Pure and synchronous. What `encode` returned is left alone by later calls. `decode` gets a `Wire` that may be garbage, and
 * may be a view of memory that is reused after it returns: it keeps no reference, returns a fresh message, and throws a
 * plain `Error` that quotes nothing on anything malformed or cut off.
 */
export const Codec = object({
  ...PLUGIN,
  produces: WireKind,
  encode: /** @type {Method<(message: Message) => Wire>} */ (method),
  decode: /** @type {Method<(wire: any) => Message>} */ (method),
  /** Reason and remedy; `isGlance`: as of a transport. */
  whyUnavailable: optional(
    /** @type {Method<(isGlance?: boolean) => Promise<string | undefined>>} */ (method),
  ),
  /** That it imports. */
  packages: optional(texts('names of npm packages')),
  /** Loads a package that it needs; comes before the first encode and decode, and may come again. */
  prepare: optional(/** @type {Method<() => Promise<void>>} */ (method)),
  /**
   * It carries objects and lists as well as texts. A field that is null and one that is absent are the same: some formats have
   * but one of the two.
   */
  values: optional(
    wanted(
      object({
        /** Why values of such a schema cannot be carried; needs no package. */
        skipReason: optional(/** @type {Method<(schema: ValueSchema) => string | undefined>} */ (method)),
        /** As encode and decode, of values without an id. Comes after `prepare`. */
        carry:
          /** @type {Method<(schema: ValueSchema) => { encode: (value: any) => Wire, decode: (wire: any) => any }>} */ (
            method
          ),
      }),
      'an object with carry',
    ),
  ),
  /** For messages in memory of the channel. */
  inPlace: optional(InPlace),
  /** A wire has no length of its own: the message ends where the wire ends, and one that was cut off is a shorter message. */
  trustsLength: Mark,
  /** In charts; without it, one that follows from its name. */
  look: optional(CodecLook),
  /** Documentation by which a package is used. */
  sources: optional(texts('links')),
});
/** @typedef {InferOutput<typeof Codec>} Codec */
