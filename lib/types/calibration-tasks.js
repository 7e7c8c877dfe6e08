// What a process that measures loops without a transport is asked, and what it tells.

/** @import { Cell, MessageFile } from './plans.js' */
/** @import { ControlRow, Controls } from './results-file.js' */

/**
 * @typedef {object} ControlTask
 * @property {string} codecUrl
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} settings   of the scenario
 * @property {string} [runtime]         that this process runs on, as a cell names it; absent: the Node of the run
 * @property {number} payloadBytes
 * @property {Cell['content']} [content]
 * @property {number} loops
 * @property {number} seed
 * @property {boolean} withTimer
 * @property {'early' | 'usual'} [tierUp]
 * @property {MessageFile} [messageFile]
 */
/**
 * @typedef {object} MeasuredControl
 * @property {Pick<ControlRow, 'codecUs' | 'checkUs' | 'nullUs'>} row
 * @property {Controls['timer']} timer
 */

export {};
