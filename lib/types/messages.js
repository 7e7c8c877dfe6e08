// What travels: messages, their wire, and codecs between the two.

/** @import { CodecLook } from './looks.js' */

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
 * @property {true} [trustsLength]   a wire has no length of its own: the message ends where the wire ends, and one that was
 *                                cut off is a shorter message
 * @property {CodecLook} [look]   in charts; absent: one that follows from its name
 * @property {string[]} [sources] documentation by which a package is used
 */

export {};
