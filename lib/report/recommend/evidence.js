// Results files → candidates: what was measured of each row at the place that was asked for, and along every axis that
// passes through it. What was measured otherwise is counted, and said not to be looked at.

import { AXES, axesIn } from '../../cell/axes.js';
import { seriesLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatBytes } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { hasResponseTimes, isMeasured, isOpen, rateOf } from '../text/groups.js';

/** @import { AxisName, Candidate, Cell, Evidence, KnownTraits, MeasuredOutcome, Place, Request, Source, Spot, Sweep } from '../../types/index.js' */
/** @typedef {{ run: number, outcome: MeasuredOutcome }} Row */

/** @type {readonly AxisName[]} of the place that was asked for */
const PLACE_NAMES = Object.freeze(['payloadBytes', 'workers', 'loops', 'connections']);
/** @type {readonly AxisName[]} along which the answer may change */
export const AXIS_NAMES = Object.freeze([...PLACE_NAMES, 'ratePerSecond']);
// What makes another question of a cell, beside the axes above and the rate.
const FIXED = axesIn(['scenario', 'payload', 'manner']).filter(({ name }) => name !== 'payload');
const CAUSES_SHOWN = 2;
const USUAL_BYTES = 1_000; // where nobody says
const NEAR = 1.25; // times the payload that was asked for: measured there, and said

/** @param {Cell} cell @param {AxisName} axis */
function valueOn(cell, axis) {
  return cell[axis] ?? 1;
}

/** @param {number} value @param {number} other */
export function isNear(value, other) {
  return value <= other * NEAR && other <= value * NEAR;
}

/**
 * @param {Source[]} sources
 * @param {Request} request
 * @param {(cell: Cell, source: Source) => KnownTraits} traitsFor
 * @returns {Evidence}
 * @throws {BenchError} NO_EVIDENCE: nothing of it was measured
 */
export function evidenceFor(sources, request, traitsFor) {
  const rows = sources.flatMap(({ results }, run) =>
    results.outcomes.filter(isMeasured).map((outcome) => ({ run, outcome })),
  );
  if (rows.length === 0) refuse(`these results have no measured row${failureText(sources)}`);
  const question = findQuestion(rows, request);
  const isAsked = (/** @type {Row} */ { outcome }) =>
    FIXED.every((axis) => axis.of(outcome.cell) === axis.of(question));
  const asked = rows.filter(isAsked);
  const spot = makeSpot(asked, question, request);
  const sweeps = sources.flatMap(({ results }) => results.sweeps ?? []);
  const rate = rateToJudgeAt(asked, spot, request);
  /** @type {string[]} */
  const unmeasured = [];
  const candidates = [...groupedBy(asked, ({ outcome }) => seriesLabel(outcome.cell))].flatMap(
    ([name, own]) => {
      const traits = traitsFor(own[0].outcome.cell, sources[own[0].run]);
      const candidate = makeCandidate(name, own, spot, { sweeps, traits, rate });
      if (candidate === null) unmeasured.push(printable(name));
      return candidate ?? [];
    },
  );
  return {
    candidates,
    spot: { ...spot, ratePerSecond: rate },
    question,
    rate: rate ?? null,
    unmeasured,
    others: rows.length - asked.length,
  };
}

/** @param {Source[]} sources @returns {string} ': what failed', or nothing */
function failureText(sources) {
  const all = sources.flatMap(({ results }) => results.outcomes);
  const messages = all.flatMap((outcome) => (outcome.status === 'failed' ? printable(outcome.message) : []));
  const unique = [...new Set(messages)];
  return unique.length === 0 ? '' : `: ${listed(unique, CAUSES_SHOWN)}`;
}

/** @param {Row[]} rows   at least one @param {Request} request @returns {Cell} the first that answers it */
function findQuestion(rows, { scenario, shape }) {
  const cells = rows.map(({ outcome }) => outcome.cell);
  const inScenario = cells.filter((cell) => scenario === null || cell.scenario === scenario);
  if (inScenario.length === 0) {
    const known = [...new Set(cells.map((cell) => printable(cell.scenario)))];
    refuse(`--scenario ${scenario} was not measured, but ${listed(known)}`);
  }
  const inShape = inScenario.filter(
    (cell) => shape === null || (cell.workers === shape.workers && cell.loops === shape.loops),
  );
  if (inShape.length === 0) {
    const known = [...new Set(inScenario.map(({ workers, loops }) => `${workers}x${loops}`))];
    refuse(`--workers ${shape?.workers}x${shape?.loops} was not measured, but ${listed(known)}`);
  }
  const usual = AXES.find(({ name }) => name === 'placement');
  return inShape.find((cell) => usual?.of(cell) === 'split') ?? inShape[0];
}

/**
 * @param {Row[]} asked
 * @param {Spot} spot
 * @param {Request} request
 * @returns {number | undefined} the lowest rate of open load there that is no lower than the one asked for; undefined: closed
 *   loops have to do
 */
function rateToJudgeAt(asked, spot, { ratePerSecond }) {
  if (ratePerSecond === null) return undefined;
  const here = asked.filter(({ outcome: { cell } }) => PLACE_NAMES.every((axis) => isAt(cell, spot, axis)));
  const rates = here.map(({ outcome }) => rateOf(outcome)).filter((rate) => rate >= ratePerSecond);
  return rates.length === 0 ? undefined : Math.min(...rates);
}

/** @param {string} what @returns {never} */
function refuse(what) {
  throw new BenchError('NO_EVIDENCE', what);
}

/** @param {Row[]} asked @param {Cell} question @param {Request} request @returns {Spot} */
function makeSpot(asked, { workers, loops, connections = 1 }, { payloadBytes }) {
  const inShape = asked.filter(
    ({ outcome: { cell } }) =>
      cell.workers === workers && cell.loops === loops && valueOn(cell, 'connections') === connections,
  );
  const sizes = [...new Set(inShape.map(({ outcome }) => outcome.cell.payloadBytes))];
  const shape = { workers, loops, connections };
  const wanted = payloadBytes ?? USUAL_BYTES;
  const distance = (/** @type {number} */ size) => Math.abs(Math.log(size / wanted));
  const [nearest] = sizes.toSorted((one, other) => distance(one) - distance(other));
  const isBetween = Math.min(...sizes) < wanted && wanted < Math.max(...sizes);
  if (payloadBytes === null || isNear(nearest, payloadBytes)) return { ...shape, payloadBytes: nearest };
  if (isBetween) return { ...shape, payloadBytes };
  const known = sizes.toSorted((one, other) => one - other).map(formatBytes);
  return refuse(`--payload ${formatBytes(payloadBytes)} was not measured, but ${listed(known)}`);
}

/**
 * @param {string} name
 * @param {Row[]} rows    of its series
 * @param {Spot} spot
 * @param {{ sweeps: Sweep[], traits: KnownTraits, rate: number | undefined }} facts
 * @returns {Candidate | null} null: nothing at the place that was asked for, or on both sides of it
 */
function makeCandidate(name, rows, spot, { sweeps, traits, rate }) {
  const isAlike = (/** @type {Cell} */ cell, /** @type {AxisName | null} */ but) =>
    PLACE_NAMES.every((axis) => axis === but || isAt(cell, spot, axis));
  const ofRate = rows.filter(({ outcome }) => outcome.cell.ratePerSecond === rate);
  const kept = rows.filter(({ outcome }) => isOpen(outcome) && hasResponseTimes(outcome));
  const placesAlong = (/** @type {AxisName} */ axis) => {
    // Who falls behind at a rate does other work than was asked for.
    const comparable = axis === 'ratePerSecond' ? kept : ofRate;
    const alike = comparable.filter(({ outcome }) => isAlike(outcome.cell, axis));
    return listPlaces(alike, axis);
  };
  const along = Object.fromEntries(AXIS_NAMES.map((axis) => [axis, placesAlong(axis)]));
  const at = findNearest(along.payloadBytes, spot.payloadBytes);
  if (at === null) return null;
  const here = rows.filter(({ outcome }) => isAlike(outcome.cell, null)).map(({ outcome }) => outcome);
  return {
    name: printable(name),
    cell: at.measured[0].outcome.cell,
    traits,
    at,
    along: /** @type {Candidate['along']} */ (along),
    closed: here.filter((outcome) => !isOpen(outcome)),
    open: here.filter(isOpen).sort((one, other) => rateOf(one) - rateOf(other)),
    sweeps: sweeps.filter((sweep) => seriesLabel(sweep.cell) === name && isAlike(sweep.cell, null)),
  };
}

/** @param {Cell} cell @param {Spot} spot @param {AxisName} axis */
function isAt(cell, spot, axis) {
  const [value, asked] = [valueOn(cell, axis), spot[axis] ?? 1];
  return axis === 'payloadBytes' ? isNear(value, asked) : value === asked;
}

/** @param {Row[]} rows @param {AxisName} axis @returns {Place[]} ascending */
function listPlaces(rows, axis) {
  const byValue = groupedBy(rows, ({ outcome }) => valueOn(outcome.cell, axis));
  return [...byValue].map(([x, measured]) => ({ x, measured })).sort((one, other) => one.x - other.x);
}

/** @param {Place[]} places @param {number} x @returns {Place | null} null: x lies beyond all of them */
function findNearest(places, x) {
  const [nearest] = places.toSorted(
    (one, other) => Math.abs(Math.log(one.x / x)) - Math.abs(Math.log(other.x / x)),
  );
  if (nearest === undefined) return null;
  const isWithin = places[0].x <= x && x <= places[places.length - 1].x;
  return isWithin || isNear(nearest.x, x) ? nearest : null;
}
