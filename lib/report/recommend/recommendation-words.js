// A recommendation in sentences: the answer first, then its evidence, where it changes, and what was not examined.

import { headlineMeasure, isHigherBetter } from '../../cell/headline.js';
import { seriesLabel, sloLabel } from '../../cell/labels.js';
import { capitalised, counted, countedFromTo, groupedBy, listed } from '../../format/lists.js';
import {
  formatCount,
  formatInterval,
  formatMemory,
  formatNumber,
  formatPercent,
  formatRatioInterval,
  hasRange,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isMeasured, isPossible, placeNamer } from '../text/groups.js';
import { runtimesText } from '../text/machine-words.js';
import { ratioTitle, timesText } from '../text/measure-words.js';
import { arrivalsText } from '../text/open-conclusion.js';
import { NO_DIFFERENCE } from '../text/ranking.js';
import { sustainedText } from '../text/response-times.js';
import { isBuiltIn, unrankedReason } from './decide.js';
import { isNear } from './evidence.js';
import { isPacedBySpinning, launchesAt } from './objectives.js';

/** @import { Candidate, Estimate, Judged, Kept, PercentileName, Recommendation, Request, Source } from '../../types/index.js' */

const NAMES_SHOWN = 4;
const SCOPE_NAMES_SHOWN = 5; // of what was not examined
const NOTHING_TO_INSTALL = 'nothing to install';

// Whether a candidate meets the rate and the SLO of the request, and by which evidence.

/** @param {Request} request @returns {string} 'p99<5ms at 2,000/s' */
export function promiseText({ slo, ratePerSecond }) {
  const rate = `${formatCount(ratePerSecond ?? 0)}/s`;
  return slo === null ? rate : `${sloLabel(slo)} at ${rate}`;
}

/** @param {Recommendation} recommendation @param {Judged} choice */
export function promiseSentence({ request }, { kept }) {
  const { slo, ratePerSecond } = request;
  if (ratePerSecond === null) return [];
  const promise = promiseText(request);
  if (kept.evidence === 'sustained') {
    const said = kept.verdict === 'yes' ? `Meets ${promise}` : `Unclear whether it meets ${promise}`;
    return [`${said}${keptText(kept)}, under open load.`];
  }
  if (kept.evidence === 'open') {
    const { ratePerSecond: measuredAt } = kept;
    const isThere = measuredAt === null || measuredAt === ratePerSecond;
    const at = isThere ? '' : `, measured at ${formatCount(measuredAt)}/s`;
    const time =
      kept.number === null || slo === null
        ? ''
        : `: ${percentileText(slo.percentile)} ${timeText(kept.number)}`;
    const said = kept.verdict === 'yes' ? `Meets ${promise}` : `Unclear whether it meets ${promise}`;
    const why = kept.why === '' ? '' : `: ${kept.why}`;
    return [`${said}${time}${why}${at}, under open load.`];
  }
  if (kept.number === null) return [`Not measured: whether it meets ${promise}.`];
  const capacity = `closed loops reached ${formatInterval(kept.number)} per second`;
  if (slo === null) {
    const said = kept.verdict === 'yes' ? 'Sustains' : 'Unclear whether it sustains';
    return [`${said} ${promise}, judged by capacity alone: ${capacity}.`];
  }
  return [`Not measured: whether it meets ${promise}. Capacity only: ${capacity}.`];
}

/** @param {Kept} kept   after a sweep @returns {string} ': it sustains 84,000/s (78,000–88,000) in 9 of 10 launches' */
function keptText({ sustained, why }) {
  const rate = sustained === null ? [] : [`it sustains ${sustainedText(sustained)}`];
  const texts = [...rate, ...(why === '' ? [] : [why])];
  return texts.length === 0 ? '' : `: ${texts.join(', but ')}`;
}

/** @param {PercentileName} percentile @returns {string} 'p99.9' */
const percentileText = (percentile) => (percentile === 'p999' ? 'p99.9' : percentile);

/** @param {Estimate} us @returns {string} '412 µs (380–450)' */
function timeText(us) {
  const [divisor, unit] = us.estimate >= 1e3 ? [1e3, 'ms'] : [1, 'µs'];
  const scaled = { ...us, estimate: us.estimate / divisor, low: us.low / divisor, high: us.high / divisor };
  return hasRange(us) ? formatInterval(scaled, ` ${unit}`) : `${formatNumber(scaled.estimate)} ${unit}`;
}

/** @param {Recommendation} recommendation */
export function brokenSentences({ broken, request }) {
  if (broken.length === 0) return [];
  const texts = broken.map(({ candidate, kept }) => {
    if (kept.sustained !== null) return `${candidate.name} (sustains ${sustainedText(kept.sustained)})`;
    if (kept.number === null) return kept.why === '' ? candidate.name : `${candidate.name} (${kept.why})`;
    const number =
      kept.evidence === 'open' ? timeText(kept.number) : `${formatInterval(kept.number)} per second`;
    return `${candidate.name} ${number}`;
  });
  return [`Does not meet ${promiseText(request)}: ${listed(texts, NAMES_SHOWN)}.`];
}

/** @param {Recommendation} recommendation @returns {string[]} paragraphs, the answer first */
export function recommendationSentences(recommendation) {
  const { choice, request } = recommendation;
  return [
    ...(choice === null
      ? [`Nothing that was measured meets ${promiseText(request)}${placeText(recommendation)}.`]
      : [
          answerSentence(recommendation, choice),
          ...runnerUpSentence(recommendation),
          ...promiseSentence(recommendation, choice),
          ...(isMeasuredThere(recommendation) ? costSentence(choice, recommendation) : []),
        ]),
    ...brokenSentences(recommendation),
    ...unrankedSentences(recommendation),
    ...recommendation.leftOut.map(({ why, names }) => `Left out (${why}): ${listed(names, NAMES_SHOWN)}.`),
  ];
}

/** @param {Recommendation} recommendation @returns {string} ' at 1,000 B, 2x4' */
function placeText(recommendation) {
  const { question, candidates, spot } = recommendation.evidence;
  const cell = { ...(candidates[0]?.cell ?? question), payloadBytes: spot.payloadBytes };
  const between = isMeasuredThere(recommendation) ? '' : ' (between the measured sizes)';
  return ` at ${placeNamer([{ cell }])(cell)}${between}`;
}

/** @param {Recommendation} recommendation @returns {boolean} and not between two places where something was */
function isMeasuredThere({ evidence: { candidates, spot } }) {
  return candidates.some(({ at }) => isNear(at.x, spot.payloadBytes));
}

/** @param {Candidate} candidate @returns {string} 'pipe/json (nothing to install)' */
function simpleName(candidate) {
  return isBuiltIn(candidate) ? `${candidate.name} (${NOTHING_TO_INSTALL})` : candidate.name;
}

/** @param {Recommendation} recommendation @param {Judged} choice */
function answerSentence(recommendation, { candidate, kept }) {
  const { certainty } = recommendation;
  const where = placeText(recommendation);
  const isKept = kept.verdict === 'yes';
  if (certainty === 'best') return `Take ${candidate.name}: it is the best${where}.`;
  if (certainty === 'only' && recommendation.evidence.candidates.length === 1)
    return `Take ${candidate.name}: it ${isKept ? 'meets' : 'may meet'} the requirements${where}, and nothing else was measured there.`;
  if (certainty === 'only' && !isKept)
    return `Take ${candidate.name}: it may meet the requirements${where}, and nothing else that was measured does.`;
  if (certainty === 'only')
    return `Take ${candidate.name}: nothing else that was measured meets the requirements${where}.`;
  if (certainty === 'alike')
    return `Take ${simpleName(candidate)}: no noticeable difference from the best${where}.`;
  if (certainty === 'unclear')
    return `Take ${simpleName(candidate)}: no clear winner${where}, and it is the simplest of the leaders.`;
  const why = unrankedReason(candidate) || 'too few launches in common';
  return `No verdict${where} (${why}): ${candidate.name} has the best estimate.`;
}

/** @param {Recommendation} recommendation */
function runnerUpSentence(recommendation) {
  const { judged, runnerUp, certainty } = recommendation;
  if (runnerUp === null) return [];
  if (certainty === 'none') return [`Next best estimate: ${runnerUp.candidate.name}.`];
  if (certainty === 'best') return [`Runner-up: ${besideText(runnerUp, recommendation)}.`];
  const named = (/** @type {Judged['standing']} */ standing) =>
    judged.filter((each) => each.standing === standing);
  const alike = named('alike').map(({ candidate }) => candidate.name);
  const unclear = named('unclear').map((each) => `${each.candidate.name}${ratioText(each, recommendation)}`);
  return [
    ...(alike.length === 0 ? [] : [`No noticeable difference: ${listed(alike, NAMES_SHOWN)}.`]),
    ...(unclear.length === 0
      ? []
      : [`${capitalised(NO_DIFFERENCE)} in ${meritTitle(recommendation)}: ${listed(unclear, NAMES_SHOWN)}.`]),
  ];
}

/** @param {Judged} other @param {Recommendation} recommendation @returns {string} ' 0.97× (0.90–1.08)' */
function ratioText(other, recommendation) {
  const ratio = shownRatio(other, recommendation);
  return ratio === null ? '' : ` ${formatRatioInterval(ratio)}`;
}

/** @param {Pick<Judged, 'candidate' | 'ratio'>} other @param {Recommendation} recommendation @returns {Estimate | null} */
function shownRatio({ candidate, ratio }, { request }) {
  if (ratio === null) return null;
  const { outcome } = candidate.at.measured[0];
  // The cost of an operation is the inverse of a rate.
  const isInverse = request.by === 'speed' && isHigherBetter(headlineMeasure(outcome));
  return isInverse
    ? { ...ratio, estimate: 1 / ratio.estimate, low: 1 / ratio.high, high: 1 / ratio.low }
    : ratio;
}

/** @param {Recommendation} recommendation @returns {string} 'CPU time', 'throughput' */
function meritTitle({ request: { by }, evidence: { candidates } }) {
  if (by === 'cpu') return 'CPU time';
  if (by === 'master') return 'CPU time of the master';
  return ratioTitle(headlineMeasure(candidates[0].at.measured[0].outcome));
}

/** @param {Judged} other @param {Recommendation} recommendation @returns {string} 'tcp/json, 0.72× the throughput of unix/json (95 % CI 0.56–0.77)' */
function besideText(other, recommendation) {
  const { choice } = recommendation;
  const { candidate } = other;
  const ratio = shownRatio(other, recommendation);
  if (ratio === null || choice === null) return candidate.name;
  const [{ outcome }] = candidate.at.measured;
  return `${candidate.name}, ${timesText(outcome, ratio, choice.candidate.name, meritTitle(recommendation))}`;
}

/** @param {Judged} choice @param {Recommendation} recommendation */
function costSentence(choice, { runnerUp }) {
  const own = costText(choice);
  if (own === '') return [];
  const { traits, at } = choice.candidate;
  const isSpinning = traits.isSpinning === true ? ', and a core for each process that waits' : '';
  const [launch] = at.measured[0].outcome.launches;
  const whose = isPacedBySpinning(launch)
    ? 'without the workers, which busy-wait under open load'
    : 'all processes';
  const other = runnerUp === null ? '' : `; ${runnerUp.candidate.name} ${costText(runnerUp)}`;
  return [`Cost (${whose}): ${own}${isSpinning}${other}.`];
}

/** @param {Judged} judged @returns {string} '4 % of a core, 263 MiB of memory' */
function costText({ cpuUs, coreShare, memoryBytes }) {
  const cpu =
    coreShare === null
      ? cpuUs && `${formatNumber(cpuUs)} µs of CPU time per operation`
      : `${formatPercent(coreShare, 2)} of a core`;
  const memory = memoryBytes === null ? '' : `${formatMemory(memoryBytes)} of memory`;
  return [cpu, memory].filter((text) => text).join(', ');
}

/** @param {Recommendation} recommendation */
function unrankedSentences({ unranked }) {
  const texts = [...groupedBy(unranked, unrankedReason)].map(([why, some]) => {
    const names = some.map(({ name }) => name);
    return `${listed(names, NAMES_SHOWN)} (${why})`;
  });
  return texts.length === 0 ? [] : [`Not ranked: ${texts.join('; ')}.`];
}

/**
 * @param {Recommendation} recommendation
 * @param {Source[]} sources
 * @param {string[]} fitting    names of transports that meet the needs
 */
export function scopeSentences({ evidence }, sources, fitting) {
  const { candidates, question, rate, unmeasured, others } = evidence;
  const launches = candidates.map(({ at }) => launchesAt(at).length);
  const [{ results }] = sources;
  const machine = printable(results.environment.cpuModel ?? results.environment.platform);
  const outcomes = candidates.flatMap(({ at }) => at.measured.map(({ outcome }) => outcome));
  const load =
    rate === null
      ? 'closed loops'
      : `open load at ${formatCount(rate)}/s (${arrivalsText(outcomes)} arrivals)`;
  const seen = new Set(
    sources.flatMap((source) => source.results.outcomes.map(({ cell }) => cell.transport)),
  );
  const unseen = fitting.filter((name) => !seen.has(name));
  const missing = [...new Set([...unmeasured, ...gapNames(sources)])];
  const where = [
    question.hosts === undefined && question.network === undefined ? 'a network' : 'other networks',
    'other machines',
    'other load on the machine',
    ...(others === 0 ? [] : [counted(others, 'row with other settings', 'rows with other settings')]),
  ];
  const isWhole = sources.every((source) => source.results.status === 'complete');
  return [
    ...(isWhole ? [] : ['The run was not finished: rows have fewer launches or slices than planned.']),
    ...(missing.length === 0 ? [] : [`Not measured: ${listed(missing, SCOPE_NAMES_SHOWN)}.`]),
    `Not examined: ${where.join(', ')}${unseen.length === 0 ? '' : `; other transports that meet the needs: ${listed(unseen, SCOPE_NAMES_SHOWN)}`}.`,
    `Evidence: ${countedFromTo(launches, 'launch', 'launches')} each, ${load}, on ${machine}, ${runtimesText(results.environment)}.`,
  ];
}

/** @param {Source[]} sources @returns {string[]} rows that were planned and never measured */
function gapNames(sources) {
  const all = sources.flatMap(({ results }) => results.outcomes);
  const measured = new Set(all.filter(isMeasured).map(({ cell }) => seriesLabel(cell)));
  const missing = all.filter((outcome) => !isMeasured(outcome) && isPossible(outcome));
  return missing
    .map(({ cell }) => seriesLabel(cell))
    .filter((name) => !measured.has(name))
    .map(printable);
}

/** @param {Recommendation} recommendation @param {string[]} sentences @returns {object} */
export function recommendationJson(recommendation, sentences) {
  const { request, evidence, certainty, choice, judged, broken, leftOut, unranked } = recommendation;
  return {
    request,
    evidence: {
      scenario: evidence.question.scenario,
      ...evidence.spot,
      ratePerSecond: evidence.rate,
      load: evidence.rate === null ? 'closed' : 'open',
      unmeasured: evidence.unmeasured,
    },
    certainty,
    choice: choice && judgedJson(choice),
    others: judged.map(judgedJson),
    unranked: unranked.map(({ name }) => name),
    broken: broken.map(judgedJson),
    leftOut,
    sentences,
  };
}

/** @param {Judged} judged @returns {object} */
function judgedJson({ candidate, ...numbers }) {
  return { name: candidate.name, ...numbers };
}
