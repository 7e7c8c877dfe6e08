// A scenario and a report: a question, and what is made of its answers.

/** @import { Message } from './messages.js' */
/** @import { Results } from './results-file.js' */

/**
 * What a scenario's loop is given. It lives as long as the loop: nothing is allocated per round trip but the promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} goesOn
 * @property {() => Promise<void>} ask     resolves with the verified answer
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} summary
 * @property {(question: Message) => Message} answer       in the master
 * @property {(handle: LoopHandle) => Promise<void>} loop   in a worker, once per loop
 */

/**
 * @typedef {object} Document
 * @property {string} name                a file name without folder
 * @property {string} mediaType
 * @property {string | Uint8Array} content
 * @property {string} [caption]           of a picture: what it shows, as its alt text
 */

/**
 * @typedef {object} ReportOptions
 * @property {'light' | 'dark'} [theme]
 * @property {string} [title]
 * @property {boolean} [colour]           ANSI colours are welcome
 * @property {number} [columns]           width of the terminal; absent: there is none
 * @property {boolean} [hasNotes]         of the table: all that belongs to it, not only what a first look needs
 * @property {FurtherColumn[]} [furtherColumns]   of the table, beside those of a first look
 */

/** @typedef {'mb' | 'cpu' | 'net' | 'memory' | 'service' | 'lag' | 'sends'} FurtherColumn   of --columns */

/**
 * Results in, documents out; pure, the core writes.
 * @typedef {object} Report
 * @property {string} name
 * @property {string} summary
 * @property {(results: Results, options: ReportOptions) => Document[] | Promise<Document[]>} render
 */

export {};
