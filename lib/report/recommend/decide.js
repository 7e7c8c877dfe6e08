// Which candidate to take: traits first, then what is promised at that load, then what an operation costs. Says how sure that
// is, by the same intervals as every verdict: a row is called best only where it is proven better than all others.

import { unmetNeed } from '../../cell/needs.js';
import { groupedBy } from '../../format/lists.js';
import { US_PER_S } from '../../format/units.js';
import { estimateRatio, estimateTypical } from '../../statistics/estimate.js';
import { LEAST_LAUNCHES } from '../../statistics/log-model.js';
import { median } from '../../statistics/rank-tests.js';
import { claimDirection } from '../../statistics/verdict.js';
import { fewerThan, unrankedBy } from '../text/verdicts.js';
import { keptBy } from './meets-slo.js';
import { costsAt, launchesAt, NOTICED_CORE_SHARE, OBJECTIVES, pairedHere } from './objectives.js';

/** @import { Candidate, Estimate, Evidence, Judged, Merit, Recommendation, Request } from '../../types/index.js' */

/** @typedef {Pick<Judged, 'candidate' | 'kept' | 'cost'>} Weighed */

/** @type {readonly ('none' | 'unclear' | 'alike')[]} what keeps the cheapest from being the best, the gravest first */
const DOUBTS = ['none', 'unclear', 'alike'];

/** @param {Evidence} evidence @param {Request} request @returns {Recommendation} */
export function decide(evidence, request) {
  const { candidates } = evidence;
  const unfit = new Map(candidates.map((each) => [each, unmetNeed(each.traits, request.needs)]));
  const fitting = candidates.filter((each) => unfit.get(each) === '');
  const leftOut = [...groupedBy(candidates, (each) => unfit.get(each) ?? '')].flatMap(([why, some]) =>
    why === '' ? [] : { why, names: some.map(({ name }) => name) },
  );
  const merit = OBJECTIVES[request.by];
  const weighed = fitting.map((candidate) => {
    const costs = costsAt(candidate.at, merit);
    const cost = costs.length === 0 ? null : estimateTypical(costs);
    return { candidate, kept: keptBy(candidate, request), cost };
  });
  const broken = weighed.filter(({ kept }) => kept.verdict === 'no').map((each) => toJudged(each, request));
  const { ranked, unranked } = splitRanked(selectKeepers(weighed));
  const keepers = ranked.length > 0 ? ranked : unranked;
  /** @type {Recommendation} */
  const undecided = {
    request,
    evidence,
    leftOut,
    broken,
    unranked: [],
    certainty: 'none',
    choice: null,
    runnerUp: null,
    judged: [],
  };
  if (keepers.length === 0) return undecided;
  const { choice, certainty, others } = choose(keepers, request, merit);
  return {
    ...undecided,
    certainty,
    choice: toJudged(choice, request),
    judged: others,
    unranked: ranked.length > 0 ? unranked.map(({ candidate }) => candidate) : [],
    runnerUp: others[0] ?? null,
  };
}

/** @param {Weighed[]} weighed @returns {Weighed[]} the cheapest first: those proven to keep the promise, or else those that may */
function selectKeepers(weighed) {
  const told = weighed.filter(({ cost }) => cost !== null);
  const proven = told.filter(({ kept }) => kept.verdict === 'yes');
  const some = proven.length > 0 ? proven : told.filter(({ kept }) => kept.verdict === 'unclear');
  return some.toSorted((one, other) => costEstimate(one) - costEstimate(other));
}

/**
 * What is quick, cold or launched too seldom for an interval may be named, and decides nothing.
 * @param {Weighed[]} keepers
 * @returns {{ ranked: Weighed[], unranked: Weighed[] }}
 */
function splitRanked(keepers) {
  const isRanked = (/** @type {Weighed} */ { candidate }) => unrankedReason(candidate) === '';
  return { ranked: keepers.filter(isRanked), unranked: keepers.filter((each) => !isRanked(each)) };
}

/** @param {Candidate} candidate @returns {string} '' where it may be ranked */
export function unrankedReason({ at }) {
  const codes = at.measured.flatMap(({ outcome }) => outcome.flags.map(({ code }) => code));
  const isFew = launchesAt(at).length < LEAST_LAUNCHES;
  return unrankedBy(codes)?.why ?? (isFew ? fewerThan(LEAST_LAUNCHES, 'launches') : '');
}

/** @param {Weighed} weighed */
function costEstimate({ cost }) {
  return cost?.estimate ?? Infinity;
}

/**
 * The simplest of those that the cheapest is not better than, by what one would notice; or that it cannot be told from.
 * @param {Weighed[]} keepers   the cheapest first
 * @param {Request} request
 * @param {Merit} merit
 * @returns {{ choice: Weighed, certainty: Recommendation['certainty'], others: Judged[] }}
 */
function choose(keepers, request, merit) {
  const beside = (/** @type {Weighed} */ one) =>
    keepers
      .filter((each) => each !== one)
      .map((each, _, others) => heldAgainst(each, one, request, merit, others.length));
  const ofBest = beside(keepers[0]);
  const near = ofBest.filter(isInReach).map(({ candidate }) => candidate);
  const [simplest] = compareByTieBreakers([keepers[0].candidate, ...near]);
  const choice = keepers.find(({ candidate }) => candidate === simplest) ?? keepers[0];
  const others = choice === keepers[0] ? ofBest : beside(choice);
  return { choice, certainty: assessCertainty(ofBest), others: nearestFirst(others) };
}

/** @param {Judged[]} ofBest   all others beside the cheapest @returns {Recommendation['certainty']} */
function assessCertainty(ofBest) {
  if (ofBest.length === 0) return 'only';
  return DOUBTS.find((doubt) => ofBest.some(({ standing }) => standing === doubt)) ?? 'best';
}

/** @param {Judged} judged @returns {boolean} it may be as good as what it is held against */
function isInReach({ standing }) {
  return standing === 'alike' || standing === 'unclear';
}

/** @param {Judged[]} others @returns {Judged[]} those in reach, then the rest, both by their cost */
function nearestFirst(others) {
  return others.toSorted(
    (one, other) =>
      Number(isInReach(other)) - Number(isInReach(one)) || costEstimate(one) - costEstimate(other),
  );
}

/**
 * @param {Weighed} one
 * @param {Weighed} other
 * @param {Request} request
 * @param {Merit} merit
 * @param {number} comparisons   of which claims hold together
 * @returns {Judged} what may be said of the one
 */
function heldAgainst(one, other, request, merit, comparisons) {
  const { payloadBytes } = request;
  const x = payloadBytes ?? one.candidate.at.x;
  const { costs, others } = pairedHere(one.candidate, other.candidate, x, merit);
  const judged = toJudged(one, request);
  if (costs.length === 0) return judged;
  const ratio = estimateRatio(costs, others, comparisons);
  const isRanked = [one, other].every(({ candidate }) => unrankedReason(candidate) === '');
  return { ...judged, ratio, standing: isRanked ? classifyStanding(ratio, other, request) : 'none' };
}

/** @param {Estimate} ratio   times the other's cost @param {Weighed} other @param {Request} request @returns {Judged['standing']} */
function classifyStanding(ratio, other, { minEffect, ratePerSecond, by }) {
  const { low, high, n } = ratio;
  if (n < LEAST_LAUNCHES) return 'none';
  const share = by === 'speed' ? null : ((other.cost?.estimate ?? 0) * (ratePerSecond ?? 0)) / US_PER_S;
  // Of next to nothing three times as much is next to nothing.
  const noticed = Math.max(1 + minEffect, share ? 1 + NOTICED_CORE_SHARE / share : 0);
  if (high <= noticed && low >= 1 / noticed) return 'alike';
  return claimDirection(ratio) > 0 ? 'worse' : 'unclear';
}

/** @param {Weighed} weighed @param {Request} request @returns {Judged} without anything beside it */
function toJudged(weighed, { ratePerSecond }) {
  const { at } = weighed.candidate;
  const costs = costsAt(at, OBJECTIVES.cpu);
  const cpuUs = costs.length === 0 ? null : median(costs);
  const coreShare = ratePerSecond === null || cpuUs === null ? null : (cpuUs * ratePerSecond) / US_PER_S;
  const memoryBytes = at.measured[0].outcome.peakRssBytes;
  return { ...weighed, cpuUs, coreShare, memoryBytes, ratio: null, standing: 'none' };
}

// In which messages are written without anything of one's own: others are hand-made, or a package.
const USUAL_CODEC = 'json';
/** @type {readonly ((candidate: Candidate) => number)[]} what counts most first */
const BURDENS = [
  ({ traits }) => Number((traits.broker ?? null) !== null),
  ({ traits }) => traits.packages?.length ?? 0,
  ({ cell }) => Object.keys(cell.settings).length,
  ({ cell }) => Number(cell.codec !== USUAL_CODEC),
  ({ traits }) => Number(traits.ridesOnStart !== true),
];

/** @param {readonly Candidate[]} candidates @returns {Candidate[]} the simplest first; in the order given where they are as simple */
export function compareByTieBreakers(candidates) {
  return candidates.toSorted((one, other) => {
    const burden = BURDENS.find((of) => of(one) !== of(other));
    return burden === undefined ? 0 : burden(one) - burden(other);
  });
}

/** @param {Candidate} candidate @returns {boolean} it comes with Node */
export function isBuiltIn({ traits, cell }) {
  // Of a transport of somebody else it is not known what it imports.
  const isKnown = traits.platforms !== undefined;
  return isKnown && traits.broker === null && traits.packages === undefined && cell.codec === USUAL_CODEC;
}
