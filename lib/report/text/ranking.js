// One group in sentences: which rows are faster than the reference, which are slower, and which do not differ clearly. Rows
// of another kind than the reference, such as threads beside processes, have sentences of their own.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, counted, groupedBy, listed } from '../../format/lists.js';
import { formatRatio, formatRatioEnds, formatRatioInterval, formatRatioRange } from '../../format/numbers.js';
import { cellName, placeNoun } from './groups.js';
import { comparativesFor, superlativeFor, timesText, valueText, winnerWord } from './measure-words.js';
import { exceptionText } from './transport-kinds.js';
import { leadIn, notRankedReason } from './verdicts.js';

/** @import { MeasuredOutcome } from '../../types/index.js' */
/** @import { Group, PlaceNoun } from './groups.js' */
/** @import { Compared, Lead, Verdict } from './verdicts.js' */

const NAMED_IN_BRIEF = 3;

/** The interval of the ratio contains 1. */
export const NO_DIFFERENCE = 'no clear difference';
const VERDICTS = /** @type {const} */ (['better', 'unclear', 'worse', 'none']);
const BESIDE = Object.freeze({ better: 'than', worse: 'than', unclear: 'from', none: 'against' });

/** @param {Lead} lead @param {Compared} best @param {string} reference @param {string} place */
function leadingSentence(lead, { name, ratio, verdict, why, outcome }, reference, place) {
  if (verdict === 'better')
    return `${name}: ${timesText(outcome, ratio, reference)} at ${place}${aheadText(lead, outcome)}.`;
  const about = timesText(outcome, { ...ratio, n: 1 }, reference);
  return `${name}: about ${about} at ${place} in ${counted(ratio.n, 'launch', 'launches')}; no verdict: ${why}.`;
}

/** @param {Lead} lead @param {MeasuredOutcome} best   that may be ranked @returns {string} '; highest estimate: unix/string (no verdict: still warming up)' */
function aheadText({ alike: [first] }, best) {
  if (first === best) return '';
  const superlative = superlativeFor(headlineMeasure(first));
  return `; ${superlative} estimate: ${cellName(first.cell)} (no verdict: ${unrankedReason(first)})`;
}

/** @param {MeasuredOutcome} outcome   without a verdict */
function unrankedReason(outcome) {
  return notRankedReason(outcome) || 'no launch to compare with the reference';
}

/** @param {Lead} lead @param {string} why @param {string} place */
function noVerdictSentence({ alike: [first] }, why, place) {
  const superlative = superlativeFor(headlineMeasure(first));
  return `No verdict at ${place}: ${why}; ${superlative} estimate: ${cellName(first.cell)}, ${valueText(first)}.`;
}

/**
 * @param {Compared[]} some    at least one
 * @param {Verdict} verdict    that they share
 * @param {string} reference
 * @param {string | null} place    null: a sentence before this one has named it
 * @param {boolean} isBrief
 */
function furtherSentence(some, verdict, reference, place, isBrief) {
  const words = verdictWords(some);
  const claim = verdict === 'better' && place === null ? `also ${words.better}` : words[verdict];
  const beside = place === null ? '' : ` ${BESIDE[verdict]} ${reference} at ${place}`;
  return `${capitalised(claim)}${beside}: ${verdictList(some, verdict, isBrief)}.`;
}

/** @param {Compared[]} some    at least one @returns {Record<Verdict, string>} */
function verdictWords([{ outcome }]) {
  return { ...comparativesFor(headlineMeasure(outcome)), unclear: NO_DIFFERENCE, none: 'no verdict' };
}

/** @param {Compared[]} some @param {Verdict} verdict    that they share @param {boolean} isBrief @returns {string} */
function verdictList(some, verdict, isBrief) {
  if (verdict === 'unclear') return intervalList(some);
  return verdict === 'none'
    ? listed(some.map(({ name, ratio }) => `${name} about ${formatRatio(ratio.estimate)}`))
    : ratioList(some, isBrief);
}

/** @param {Compared[]} some @returns {string} 'tcp/json (0.86–1.06)' */
function intervalList(some) {
  return listed(some.map(({ name, ratio }) => `${name} (${formatRatioEnds(ratio)})`));
}

/**
 * @param {Compared[]} some
 * @param {boolean} isBrief    few of them, and without their intervals, which are in the table
 * @returns {string} 'tcp/json 1.30× (1.20–1.40)'
 */
function ratioList(some, isBrief) {
  return isBrief
    ? listed(
        some.map(({ name, ratio }) => `${name} ${formatRatio(ratio.estimate)}`),
        NAMED_IN_BRIEF,
      )
    : listed(some.map(({ name, ratio }) => `${name} ${formatRatioInterval(ratio)}`));
}

/**
 * @param {Group} group          with something measured
 * @param {string} reference     as it is shown
 * @param {Compared[]} compared
 * @param {import('./transport-kinds.js').KindIn} kindIn
 * @param {boolean} [isBrief]    for a first look, beside the table
 * @returns {string[]}
 */
export function sentencesOfGroup({ place, measured }, reference, compared, kindIn, isBrief = false) {
  const lead = leadIn(measured, kindIn);
  if (lead === null) return [];
  if (compared.length === 0) return [absoluteSentence(lead, place, kindIn), ...doubtSentence(lead)];
  const alike = compared.filter(({ kind }) => kind === '');
  const sentences =
    alike.length === 0
      ? []
      : [...sentencesOfAlike(lead, place, reference, alike, isBrief), ...doubtSentence(lead)];
  for (const [kind, some] of byKind(compared)) {
    const where = sentences.length === 0 ? ` at ${place}` : '';
    sentences.push(`${kindLead(kind, reference)}${where}, ${kindText(some, isBrief)}.`);
  }
  return sentences;
}

/** @param {string} kind    of rows that are not like the reference @param {string} reference @returns {string} how a sentence on them begins */
function kindLead(kind, reference) {
  return `Of another kind (${kind}), compared with ${reference}`;
}

/**
 * @param {Compared[]} compared    at least one, of one kind
 * @param {boolean} isBrief        without the intervals of clear differences
 * @returns {string} 'faster: threads-shared/json 4.10× (3.90–4.30); no clear difference: threads-message/json (0.64–1.16)'
 */
export function kindText(compared, isBrief) {
  const words = verdictWords(compared);
  const parts = VERDICTS.flatMap((verdict) => {
    const some = compared.filter((one) => one.verdict === verdict);
    if (some.length === 0) return [];
    const reasons = listed([...new Set(some.map(({ why }) => why))], NAMED_IN_BRIEF);
    const why = verdict === 'none' ? ` (${reasons})` : '';
    return `${words[verdict]}${why}: ${verdictList(some, verdict, isBrief)}`;
  });
  return parts.join('; ');
}

/** @param {Compared[]} compared @returns {Map<string, Compared[]>} those that are not like the reference */
function byKind(compared) {
  return groupedBy(
    compared.filter(({ kind }) => kind !== ''),
    ({ kind }) => kind,
  );
}

/** @param {Compared[]} compared @param {MeasuredOutcome} first @returns {boolean} there is a verdict on it */
function isRankedIn(compared, first) {
  return compared.some(({ outcome, verdict }) => outcome === first && verdict !== 'none');
}

/**
 * @param {Lead} lead
 * @param {string} place
 * @param {string} reference     as it is shown
 * @param {Compared[]} compared  at least one
 * @param {boolean} isBrief
 * @returns {string[]}
 */
function sentencesOfAlike(lead, place, reference, compared, isBrief) {
  // What may not be ranked leads only where nothing else could, and only where its estimate is the best one.
  const best = compared.find(({ verdict }) => verdict !== 'none') ?? compared[0];
  const [first] = lead.alike;
  const isUnranked = best.verdict === 'none';
  const isReferenceFirst = first.ratio?.to === seriesLabel(first.cell);
  const isLed = best.verdict === 'better' || (isUnranked && first === best.outcome);
  const rest = isLed ? compared.filter((one) => one !== best) : compared;
  const sentences = isLed ? [leadingSentence(lead, best, reference, place)] : [];
  if (isUnranked && isReferenceFirst) sentences.push(noVerdictSentence(lead, best.why, place));
  const isAhead = !isLed && !isReferenceFirst && !isRankedIn(compared, first);
  const ahead = isAhead ? [noVerdictSentence(lead, unrankedReason(first), place)] : [];
  for (const verdict of VERDICTS) {
    const some = rest.filter((one) => one.verdict === verdict);
    const unnamed = sentences.length === 0 ? place : null;
    if (some.length > 0) sentences.push(furtherSentence(some, verdict, reference, unnamed, isBrief));
  }
  return [...ahead, ...sentences];
}

/**
 * @param {Lead} lead
 * @param {string} place
 * @param {import('./transport-kinds.js').KindIn} kindIn
 * @returns {string} what can be said without a reference
 */
function absoluteSentence({ alike: [best], ahead, rival, verdict, why }, place, kindIn) {
  const value = `${cellName(best.cell)}: ${valueText(best)} at ${place}`;
  if (rival === null && ahead.length === 0) return `${value}; nothing else was measured there.`;
  const but = exceptionText(
    ahead.map(({ cell }) => cell),
    kindIn,
  );
  const without = verdict === 'none' && rival !== null ? `; no verdict: ${why}` : '';
  const superlative = superlativeFor(headlineMeasure(best));
  return `${value}, the ${superlative} estimate there${but}${without}.`;
}

/** @param {Lead} lead @returns {string[]} nothing where the reference is one of the two: another sentence says that */
function doubtSentence(lead) {
  const isSaid = [lead.alike[0], lead.rival].some(
    (outcome) => outcome !== null && outcome.ratio?.to === seriesLabel(outcome.cell),
  );
  const whether = whetherText(lead);
  return whether === '' || isSaid ? [] : [`${whether}.`];
}

/**
 * @param {Lead} lead
 * @param {(cell: import('../../types/plans.js').Cell) => string} [name]
 * @returns {string} 'No clear difference between unix/json and tcp/json', or '' where there is one or no verdict
 */
export function whetherText({ alike: [best], rival, verdict }, name = cellName) {
  if (verdict !== 'unclear' || rival === null) return '';
  return `${capitalised(NO_DIFFERENCE)} between ${name(best.cell)} and ${name(rival.cell)}`;
}

// Many groups in a few sentences: for each series whether it wins everywhere, nowhere, or here and there.

export const TALLIED = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);

/**
 * @param {Group[]} groups    each with something measured
 * @param {import('./transport-kinds.js').KindIn} kindIn
 * @param {PlaceNoun} noun
 * @param {string} ofScenario   '' where there is one scenario
 * @returns {string} which rows have the best estimate in how many groups, and in how many of them it is a clear difference
 */
function highestSentence(groups, kindIn, { at, many }, ofScenario) {
  /** @type {Map<string, { count: number, clear: number }>} */
  const wins = new Map();
  const leads = groups.flatMap(({ measured }) => leadIn(measured, kindIn) ?? []);
  for (const { alike, rival, verdict } of leads) {
    const name = cellName(alike[0].cell);
    const { count, clear } = wins.get(name) ?? { count: 0, clear: 0 };
    const isClear = verdict === 'better' || rival === null;
    wins.set(name, { count: count + 1, clear: clear + Number(isClear) });
  }
  const apart = leads.flatMap(({ ahead }) => ahead.map(({ cell }) => cell));
  const but = exceptionText(apart, kindIn);
  const measure = headlineMeasure(leads[0].alike[0]);
  const was =
    measure.better === null ? `had the ${superlativeFor(measure)} estimate` : `was ${winnerWord(measure)}`;
  const counts = [...wins].sort(([, left], [, right]) => right.count - left.count);
  const where = `${groups.length} ${many}${ofScenario}`;
  const [[first, win], ...others] = counts;
  if (others.length === 0) return `${first} ${was} ${at} all ${where}${clearlyText(win, at)}${but}.`;
  const further = others.map(([name, own]) => `${name} ${at} ${own.count}${clearlyText(own, at)}`);
  return `${first} ${was} ${at} ${win.count} of ${where}${clearlyText(win, at)}, ${listed(further, 3)}${but}.`;
}

/** @param {{ count: number, clear: number }} win @param {PlaceNoun['at']} at @returns {string} where it is fastest without doubt; '' everywhere */
function clearlyText({ count, clear }, at) {
  if (clear === count) return '';
  return clear === 0 ? ' (not clearly)' : ` (clearly ${at} ${clear})`;
}

/** @param {Compared[]} some    of one series @returns {string} '1.28–1.81×', the outermost ends of the intervals */
function outermost(some) {
  const least = Math.min(...some.map(({ ratio }) => ratio.low));
  const greatest = Math.max(...some.map(({ ratio }) => ratio.high));
  return least === greatest
    ? formatRatio(least) // one launch has no range
    : formatRatioRange(least, greatest);
}

/** @param {Compared[]} some    of one series @param {PlaceNoun['at']} at @returns {string} 'faster in 2, slower in 5' */
export function tally(some, at) {
  const words = verdictWords(some);
  return TALLIED.flatMap((verdict) => {
    const count = some.filter((one) => one.verdict === verdict).length;
    return count === 0 ? [] : [`${words[verdict]} ${at} ${count}`];
  }).join(', ');
}

/**
 * @param {[string, Compared[]][]} series
 * @param {number} groups
 * @returns {string} with the number of groups where it is not all of them
 */
function seriesList(series, groups) {
  return listed(series.map(([name, some]) => `${name} (${outermost(some)}${countText(some, groups)})`));
}

/** @param {Compared[]} some    of one series @param {number} groups @returns {string} ', 2 of 3', '' where it is all of them */
function countText(some, groups) {
  return some.length === groups ? '' : `, ${some.length} of ${groups}`;
}

/**
 * @param {Group[]} groups             each with something measured
 * @param {string} reference           as it is shown
 * @param {Compared[][]} comparedByGroup
 * @param {import('./transport-kinds.js').KindIn} kindIn
 * @param {string} [ofScenario]        as in highestSentence
 * @returns {string[]}
 */
export function sentencesOfMany(groups, reference, comparedByGroup, kindIn, ofScenario = '') {
  const noun = placeNoun(groups);
  const { at, many } = noun;
  const rows = comparedByGroup.flat();
  const byName = bySeries(rows.filter(({ kind }) => kind === ''));
  const count = comparedByGroup.filter((compared) => compared.length > 0).length;
  const everywhere = (/** @type {Verdict} */ verdict) =>
    [...byName].filter(([, some]) => some.every((one) => one.verdict === verdict));
  const mixed = [...byName].filter(([, some]) => some.some((one) => one.verdict !== some[0].verdict));
  const sentences = [highestSentence(groups, kindIn, noun, ofScenario)];
  const say = (/** @type {string} */ claim, /** @type {Verdict} */ verdict) => {
    const series = everywhere(verdict);
    if (series.length > 0) sentences.push(`${claim}: ${seriesList(series, count)}.`);
  };
  const [[first]] = groups.map(({ measured }) => measured);
  const { better, worse } = comparativesFor(headlineMeasure(first));
  const all = `${at} all ${many}`;
  say(`${capitalised(better)} than ${reference} ${all} (outermost ends of the intervals)`, 'better');
  say(`${capitalised(worse)} than ${reference} ${all}`, 'worse');
  say(`${capitalised(NO_DIFFERENCE)} from ${reference} ${at} any of the ${groups.length} ${many}`, 'unclear');
  const reasons = new Set(everywhere('none').flatMap(([, some]) => some.map(({ why }) => why)));
  say(`No verdict against ${reference} (${listed([...reasons], 2)})`, 'none');
  if (mixed.length > 0) {
    const texts = mixed.map(([name, some]) => `${name} (${tally(some, at)})`);
    sentences.push(`Compared with ${reference}, the verdict differs between ${many}: ${listed(texts)}.`);
  }
  for (const [kind, some] of byKind(rows)) {
    const texts = [...bySeries(some)].map(
      ([name, own]) => `${name} (${tally(own, at)}; ${outermost(own)}${countText(own, count)})`,
    );
    sentences.push(`${kindLead(kind, reference)}: ${listed(texts)}.`);
  }
  return sentences;
}

/** @param {Compared[]} some @returns {Map<string, Compared[]>} by the name of their series */
function bySeries(some) {
  return groupedBy(some, ({ name }) => name);
}
