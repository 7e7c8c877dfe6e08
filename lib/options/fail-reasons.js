// What may make `compare` fail.

/** @typedef {'slower' | 'missing' | 'inconclusive'} FailReason */

/** @type {readonly FailReason[]} what --fail-on may name, the strongest first */
export const FAIL_REASONS = Object.freeze(['slower', 'missing', 'inconclusive']);
