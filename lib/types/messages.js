// What travels: messages, their wire, and codecs between the two.

/** @import { CodecLook } from './reports.js' */

/**
 * What a loop asks and the master answers.
 * @typedef {object} Message
 * @property {number} id        a positive integer below 2^31, chosen by the core
 * @property {string} payload   any well-formed string; its length in bytes of UTF-8 is the cell's `payloadBytes`
 */

/** @typedef {string | Uint8Array | object} Wire   what travels; never empty */
/** @typedef {'text' | 'bytes' | 'value'} WireKind */

/**
 * Pure and synchronous. What `encode` gave is left alone by later calls. `decode` gets a `Wire` that may be garbage, and
 * may be a view of memory that is reused after it returns: it keeps no reference, gives a fresh message, and throws a
 * plain `Error` that quotes nothing on anything malformed or cut off.
 * @typedef {object} Codec
 * @property {string} name        the file's own name
 * @property {string} summary     one line, for `ipc-bench list`
 * @property {WireKind} produces
 * @property {(message: Message) => Wire} encode
 * @property {(wire: any) => Message} decode
 * @property {(isGlance?: boolean) => Promise<string | undefined>} [whyUnavailable]   reason and remedy; `isGlance`: as of a
 *                                transport
 * @property {string[]} [packages]   npm packages that it imports
 * @property {() => Promise<void>} [prepare]   loads a package that it needs; comes before the first encode and decode,
 *                                and may come again
 * @property {CodecValues} [values]   it carries objects and lists as well; absent: texts only
 * @property {InPlace} [inPlace]  for messages that lie in memory of the channel's own; absent: it has wires only
 * @property {true} [trustsLength]   a wire has no length of its own: the message ends where the wire ends, and one that was
 *                                cut off is a shorter message
 * @property {CodecLook} [look]   in charts; absent: one that follows from its name
 * @property {string[]} [sources] documentation by which a package is used
 */

/**
 * Of a codec of texts or bytes, for byte streams and rings: it writes there what `encode` would give, and reads from there what `decode` would
 * be given, without a wire in between. In all else it does the same.
 * @typedef {object} InPlace
 * @property {number} headBytes   of a wire, beside the payload in UTF-8, at most
 * @property {(message: Message, target: Buffer, at: number) => number} encodeInto   returns how many bytes it wrote, inverted (~) if they are text
 *                                of ASCII only. There is room for three bytes a unit of the payload
 * @property {(source: Buffer, start: number, end: number, isAscii: boolean) => Message} decodeFrom   isAscii: who sent a text says so
 */

/**
 * What a value looks like, as far as a schema says it. `integer` has 32 bits, `number` is any other. `unknown` was always null, or
 * of an empty list; `mixed` is of several kinds.
 * @typedef {object} ValueShape
 * @property {'boolean' | 'integer' | 'number' | 'text' | 'list' | 'object' | 'unknown' | 'mixed'} kind
 * @property {true} [mayBeNull]
 * @property {ValueShape} [items]            of a list
 * @property {Field[]} [fields]         of an object, in the order of their first appearance
 * @property {string[]} [kinds]         of what is mixed
 */

/** @typedef {{ name: string, shape: ValueShape, mayBeAbsent?: true }} Field */
/** @typedef {{ shape: ValueShape, layouts: readonly (readonly string[])[] }} ValueSchema   `layouts`: the names of fields that objects have, each list once */
/** @typedef {{ encode: (value: any) => Wire, decode: (wire: any) => any }} ValueCodec   as those of a codec, of values without an id */

/**
 * A field that is null and one that is absent are the same to who compares: some formats have but one of the two.
 * @typedef {object} CodecValues
 * @property {(schema: ValueSchema) => string | undefined} [skipReason]   values of such a schema cannot be carried; needs no package
 * @property {(schema: ValueSchema) => ValueCodec} carry   comes after `prepare`
 */

export {};
