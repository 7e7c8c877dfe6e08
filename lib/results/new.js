// The results of a run that has not begun: what was asked, on which machine, and nothing measured yet.

import { TOOL } from '../machine/packages.js';

/** @import { Environment, Options, Results } from '../types/index.js' */

/**
 * @param {object} parts
 * @param {Options} parts.options
 * @param {Environment} parts.environment
 * @param {string} parts.reference
 * @param {import('../types/comparisons.js').PublishedFigures | null} parts.published
 * @returns {Results}
 */
export function newResults({ options, environment, reference, published }) {
  const {
    brokerUrls: _urls,
    agents: _agents,
    outDir: _outDir,
    outputs: _outputs,
    picture: _picture,
    hasNotes: _hasNotes,
    furtherColumns: _furtherColumns,
    isQuiet: _isQuiet,
    colour: _colour,
    ...kept
  } = options;
  const now = new Date().toISOString();
  return {
    schemaVersion: 1,
    tool: TOOL,
    status: 'running',
    startedAt: now,
    updatedAt: now,
    environment,
    options: kept,
    seed: options.seed,
    reference,
    published,
    scenarios: {},
    outcomes: [],
  };
}
