// Messages, their encoded form (the wire), and codecs, which convert between the two.

import { integer, number, object, optional, picklist, pipe } from 'valibot';
import { CodecLook } from './reports.js';
import { method, OptionalTrue, PLUGIN, texts, withErrorText } from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Method } from './scalars.js' */

/**
 * A request of a loop, or a response of the master.
 * @typedef {object} Message
 * @property {number} id   a positive integer below 2^31, assigned by the core
 * @property {string} payload   any well-formed string; a generated request has the cell's `payloadBytes` in UTF-8
 */

/** @typedef {{ id: number, payload: Buffer }} ByteMessage   a message of `--content bytes` */
/**
 * @typedef {{ id: number, payload: Uint8Array | number[] }} ReceivedBytes   the payload may be a view of the wire, and is only read until
 *   the next message; a list of numbers if the format has no bytes
 */

/** @typedef {string | Uint8Array | object} Wire   an encoded message; never empty */
export const WireKind = picklist(['text', 'bytes', 'value']);
/** @typedef {InferOutput<typeof WireKind>} WireKind */

/**
 * The shape of a value, for schemas. `integer` has 32 bits, `number` is any number. `unknown` is a value that was always null, or the
 * item of lists that were always empty; `mixed` is a value of several kinds.
 * @typedef {object} ValueShape
 * @property {'boolean' | 'integer' | 'number' | 'text' | 'list' | 'object' | 'unknown' | 'mixed'} kind
 * @property {true} [mayBeNull]
 * @property {ValueShape} [items]   shape of the items of a list
 * @property {Field[]} [fields]   fields of an object, in the order of their first appearance
 * @property {string[]} [kinds]   kinds of a mixed value
 */

/** @typedef {{ name: string, shape: ValueShape, mayBeAbsent?: true }} Field */
/**
 * @typedef {{ shape: ValueShape, layouts: readonly (readonly string[])[] }} ValueSchema   `layouts`: the distinct lists of field names of
 *   the objects
 */

/**
 * For byte streams and rings: the codec writes the result of `encode` directly into the memory of the channel, and decodes from it, without
 * a wire in between. The bytes in memory equal the wire.
 * @template Sent
 * @template Received
 */
function inPlaceSchema() {
  return withErrorText(
    object({
      /** The maximum number of bytes of a wire besides the payload, in UTF-8 if it is a text. */
      headBytes: withErrorText(pipe(number(), integer()), 'a number'),
      /**
       * Returns the number of bytes written, inverted (~) if they are ASCII text. There is room for three bytes per UTF-16 unit of the
       * payload.
       */
      encodeInto: /** @type {Method<(message: Sent, target: Buffer, at: number) => number>} */ (method),
      /** isAscii: the sender has marked the text as ASCII. */
      decodeFrom:
        /** @type {Method<(source: Buffer, start: number, end: number, isAscii: boolean) => Received>} */ (
          method
        ),
    }),
    'an object with headBytes, encodeInto and decodeFrom',
  );
}

const InPlace = /** @type {typeof inPlaceSchema<Message, Message>} */ (inPlaceSchema)();
/** @typedef {InferOutput<typeof InPlace>} InPlace */
const BytesInPlace = /** @type {typeof inPlaceSchema<ByteMessage, ReceivedBytes>} */ (inPlaceSchema)();

/** The codec for messages whose payload is a Buffer. */
const Bytes = withErrorText(
  object({
    encode: /** @type {Method<(message: ByteMessage) => Wire>} */ (method),
    /** May get an invalid wire, like `decode` of the codec. */
    decode: /** @type {Method<(wire: any) => ReceivedBytes>} */ (method),
    /** The format has no bytes, and `decode` returns a list of numbers. */
    isList: OptionalTrue,
    inPlace: optional(BytesInPlace),
  }),
  'an object with encode and decode',
);
/** @typedef {InferOutput<typeof Bytes>} CodecOfBytes */

/**
 * Pure and synchronous. Later calls do not change what `encode` returned. `decode` gets a `Wire` that may be invalid and may be a view of
 * memory that is reused afterwards: it keeps no reference, returns a new message, and throws a plain `Error` that does not quote its input
 * if the wire is malformed or truncated.
 */
export const Codec = object({
  ...PLUGIN,
  produces: WireKind,
  encode: /** @type {Method<(message: Message) => Wire>} */ (method),
  decode: /** @type {Method<(wire: any) => Message>} */ (method),
  /** Returns reason and remedy if the codec is unavailable. `isGlance`: nothing is measured, so packages need not be loaded. */
  whyUnavailable: optional(/** @type {Method<(isGlance?: boolean) => Promise<string | null>>} */ (method)),
  /** Packages that the codec imports. */
  packages: optional(texts('names of npm packages')),
  /** Loads the packages of the codec. Called before the first encode or decode, possibly several times. */
  prepare: optional(/** @type {Method<() => Promise<void>>} */ (method)),
  /**
   * Present if the codec supports objects and lists besides texts. Null and absent fields are equal, since some formats have only one of
   * them.
   */
  values: optional(
    withErrorText(
      object({
        /** Returns why the codec cannot encode values of such a schema. Loads no package. */
        skipReason: optional(/** @type {Method<(schema: ValueSchema) => string | null>} */ (method)),
        /** Returns encode and decode for values without an id. Called after `prepare`. */
        carry:
          /** @type {Method<(schema: ValueSchema) => { encode: (value: any) => Wire, decode: (wire: any) => any }>} */ (
            method
          ),
      }),
      'an object with carry',
    ),
  ),
  /** Present if the codec supports payloads of bytes besides texts. */
  bytes: optional(Bytes),
  /** Encodes directly into memory of the channel. */
  inPlace: optional(InPlace),
  /** A wire does not contain its length, so a truncated wire decodes to a shorter message. */
  trustsLength: OptionalTrue,
  /** Style in charts; derived from the name by default. */
  look: optional(CodecLook),
  /** Documentation of the packages used. */
  sources: optional(texts('links')),
});
/** @typedef {InferOutput<typeof Codec>} Codec */
/** @typedef {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} MessageCodec   the functions that sending and receiving use */
