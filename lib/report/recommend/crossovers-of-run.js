// Where the answer changes in a run that nobody asked about anything: for its charts.

import { transportFacts } from '../text/transport-kinds.js';
import { decide } from './decide.js';
import { evidenceFor } from './evidence.js';

/** @import { Cell, Request, Results, Turn } from '../../types/index.js' */

const LEAST_EFFECT = 0.05; // as `compare` and `recommend` have it by default

/**
 * @param {Results} results
 * @param {Cell} cell    at the place to begin with
 * @returns {Turn[]} along the payload
 */
export function crossoversOfRun(results, { payloadBytes, workers, loops, scenario }) {
  /** @type {Request} */
  const request = {
    needs: [],
    ratePerSecond: null,
    payloadBytes,
    shape: { workers, loops },
    scenario,
    slo: null,
    minEffect: LEAST_EFFECT,
    by: 'speed',
  };
  const evidence = evidenceFor([{ name: '', results }], request, (own) => transportFacts(results, own));
  return decide(evidence, request).turns.filter(({ axis }) => axis === 'payloadBytes');
}
