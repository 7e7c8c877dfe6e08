// How often something else disturbed the launches, and which faults most rows share.

import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { isFault, isNoise } from '../../format/result-flags.js';
import { noiseFlags } from '../../machine/noise.js';
import { areOftenDisturbed, isDisturbed } from '../../results/cell-flags.js';
import { makeFinding } from './finding.js';
import { findScope } from './scope.js';

/** @import { Finding, FoundScope, MeasuredOutcome } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** The fault code that replaces all flag codes of noise. */
const DISTURBED_CODE = 'disturbed';
const STALLED = 'stalled';
const MAX_EXCEPTED = 12; // greatest number of rows without a fault that most rows have

/**
 * @param {MeasuredOutcome[]} measured
 * @returns {{ launches: number, disturbed: number, causes: [code: string, launches: number][] }} the most frequent cause first
 */
export function disturbances(measured) {
  const launches = measured.flatMap((outcome) => outcome.launches);
  const disturbed = launches.filter(isDisturbed);
  const noises = disturbed.flatMap(({ flags }) => flags.filter(({ code }) => isNoise(code)));
  const causes = [...groupedBy(noises, ({ code }) => code)]
    .map(([code, { length }]) => /** @type {[string, number]} */ ([code, length]))
    .sort(([, one], [, other]) => other - one);
  return { launches: launches.length, disturbed: disturbed.length, causes };
}

/**
 * @param {MeasuredOutcome[]} measured
 * @returns {Record<string, number>} number of disturbed launches by host, without hosts that had none; empty on one host
 */
export function disturbedByHost(measured) {
  const launches = measured.flatMap((outcome) => outcome.launches);
  const hosts = new Set(launches.flatMap(({ noise }) => Object.keys(noise?.hosts ?? {})));
  const counts = [...hosts].map((host) => {
    const disturbed = launches.filter(({ noise, windowMs }) => {
      const own = noise?.hosts?.[host];
      return own && noiseFlags({ noise: { ...own, masterStallMs: 0 }, windowMs }).length > 0;
    });
    return [host, disturbed.length];
  });
  return Object.fromEntries(counts.filter(([, count]) => Number(count) > 0));
}

/**
 * @param {MeasuredOutcome[]} measured
 * @returns {Finding[]} findings on disturbed launches; none if these are few and do not concern most rows
 */
export function disturbedFindings(measured) {
  const { launches, disturbed, causes } = disturbances(measured);
  const isOften = areOftenDisturbed(measured.flatMap((outcome) => outcome.launches));
  const scope = sharedFaults(measured).get(DISTURBED_CODE);
  if (!isOften && scope === undefined) return [];
  const isStalled = causes.some(([code]) => code === STALLED);
  const stalls = measured.flatMap((outcome) =>
    outcome.launches.map(({ noise }) => noise?.masterStallMs ?? 0),
  );
  return [
    makeFinding('disturbed', {
      rows: measured.filter(isDisturbed).map(({ cell }) => ({ row: seriesLabel(cell) })),
      ...(scope && { scope }),
      // A run of which a few launches were disturbed can be trusted: the estimates take their weight from the spread.
      verdict: isOften ? 'worse' : null,
      numbers: {
        launches,
        disturbed,
        ...Object.fromEntries(causes),
        ...(isStalled && { longestStallMs: Math.max(...stalls) }),
      },
      remedy: isStalled && causes.length === 1 ? 'doctor' : 'quieter-machine',
    }),
  ];
}

/** @param {string} code   of a flag @returns {string} one code for all noise */
export const faultCode = (code) => (isNoise(code) ? DISTURBED_CODE : code);

/** @param {Pick<MeasuredOutcome, 'flags'>} outcome @returns {string[]} codes of its faults, each once */
const listFaults = ({ flags }) => [
  ...new Set(
    flags
      .map(({ code }) => code)
      .filter(isFault)
      .map(faultCode),
  ),
];

/**
 * @param {MeasuredOutcome[]} measured
 * @returns {Map<string, FoundScope>} which rows have a fault, by the code of each fault that all or most rows have: a sentence replaces the
 *   remarks in these rows
 */
export function sharedFaults(measured) {
  const codes = new Set(measured.flatMap(listFaults));
  return new Map(
    [...codes].flatMap((code) => {
      const rows = measured.filter((outcome) => listFaults(outcome).includes(code));
      if (2 * rows.length <= measured.length) return [];
      const scope = findScope(measured, rows, MAX_EXCEPTED);
      return scope.kind === 'rows' ? [] : [[code, scope]];
    }),
  );
}

/** @param {ReportFacts} facts @returns {Finding[]} one for all faults of the same rows; disturbed rows have a finding of their own */
export function sharedFaultFindings({ measured }) {
  const shared = [...sharedFaults(measured)].filter(([code]) => code !== DISTURBED_CODE);
  return [...groupedBy(shared, ([, scope]) => JSON.stringify(scope)).values()].map((some) =>
    makeFinding('shared-fault', {
      scope: some[0][1],
      names: { codes: some.map(([code]) => code).join(' ') },
      operation: measured[0].operation,
    }),
  );
}
