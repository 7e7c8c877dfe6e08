// Verdicts in sentences: which rows are faster than the reference, which are slower, and which do not differ clearly. Rows of
// another kind than the reference, such as threads beside processes, have sentences of their own.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, counted, groupedBy, listed } from '../../format/lists.js';
import { formatRatio, formatRatioEnds, formatRatioInterval, formatRatioRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { cellName, placeNoun } from './groups.js';
import { comparativesFor, superlativeFor, timesText, valueText, winnerWord } from './measure-words.js';
import { exceptionText } from './transport-kinds.js';
import { comparedIn, findLeader, notRankedReason } from './verdicts.js';

/** @import { Cell, MeasuredOutcome } from '../../types/index.js' */
/** @import { Group, PlaceNoun } from './groups.js' */
/** @import { Facts } from './rules.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { Compared, Leader, Verdict } from './verdicts.js' */

const MOST_GROUPS = 2; // that are read one by one
const NAMED_IN_BRIEF = 3;

/** The interval of the ratio contains 1. */
export const NO_DIFFERENCE = 'no clear difference';
const READING_ORDER = /** @type {const} */ (['better', 'unclear', 'worse', 'none']);
export const TALLIED = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);
const PREPOSITIONS = Object.freeze({ better: 'than', worse: 'than', unclear: 'from', none: 'against' });

/** @param {Facts} facts @param {boolean} isBrief @returns {string[]} the most important sentence first */
export function rankingSentences({ results, closed, kindIn }, isBrief) {
  const reference = printable(results.reference);
  // What one scenario counts says nothing beside what another counts.
  const byScenario = groupedBy(closed, ({ cell }) => cell.scenario);
  return [...byScenario].flatMap(([scenario, groups]) => {
    const ofScenario = byScenario.size > 1 ? ` of ${printable(scenario)}` : '';
    return groups.length > MOST_GROUPS
      ? sentencesOfMany(groups, reference, kindIn, ofScenario)
      : groups.flatMap((group) => sentencesOfGroup(group, reference, kindIn, isBrief));
  });
}

/** @param {Compared[]} rows    at least one @returns {Record<Verdict, string>} */
function verdictWords([{ outcome }]) {
  return { ...comparativesFor(headlineMeasure(outcome)), unclear: NO_DIFFERENCE, none: 'no verdict' };
}

/** @param {Compared[]} rows    of one verdict @param {boolean} isBrief   few of them, without the intervals that the table has @returns {string} */
function verdictList(rows, isBrief) {
  const [{ verdict }] = rows;
  if (verdict === 'unclear')
    return listed(rows.map(({ name, ratio }) => `${name} (${formatRatioEnds(ratio)})`));
  if (verdict === 'none')
    return listed(rows.map(({ name, ratio }) => `${name} about ${formatRatio(ratio.estimate)}`));
  const format = isBrief
    ? (/** @type {Compared['ratio']} */ { estimate }) => formatRatio(estimate)
    : formatRatioInterval;
  return listed(
    rows.map(({ name, ratio }) => `${name} ${format(ratio)}`),
    isBrief ? NAMED_IN_BRIEF : undefined,
  );
}

/** @param {Compared[]} compared @returns {[kind: string, rows: Compared[]][]} those of other kinds than the reference */
function otherKinds(compared) {
  const others = compared.filter(({ kind }) => kind !== '');
  return [...groupedBy(others, ({ kind }) => kind)];
}

/** @param {string} kind @param {string} reference @returns {string} how a sentence on rows of another kind begins */
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
  const byVerdict = groupedBy(compared, ({ verdict }) => verdict);
  return READING_ORDER.flatMap((verdict) => {
    const rows = byVerdict.get(verdict);
    if (rows === undefined) return [];
    const reasons = listed([...new Set(rows.map(({ why }) => why))], NAMED_IN_BRIEF);
    return `${words[verdict]}${verdict === 'none' ? ` (${reasons})` : ''}: ${verdictList(rows, isBrief)}`;
  }).join('; ');
}

// One group.

/** @param {Group} group @param {string} reference @param {KindIn} kindIn @param {boolean} isBrief @returns {string[]} */
function sentencesOfGroup({ place, measured }, reference, kindIn, isBrief) {
  const leader = /** @type {Leader} */ (findLeader(measured, kindIn));
  const compared = comparedIn(measured, kindIn);
  if (compared.length === 0) return [absoluteSentence(leader, place, kindIn), ...doubtSentence(leader)];
  const alike = compared.filter(({ kind }) => kind === '');
  const sentences =
    alike.length === 0
      ? []
      : [...sentencesOfAlike(leader, place, reference, alike, isBrief), ...doubtSentence(leader)];
  for (const [kind, rows] of otherKinds(compared)) {
    const where = sentences.length === 0 ? ` at ${place}` : '';
    sentences.push(`${kindLead(kind, reference)}${where}, ${kindText(rows, isBrief)}.`);
  }
  return sentences;
}

/** @param {Leader} leader @param {string} place @param {string} reference @param {Compared[]} compared    at least one @param {boolean} isBrief @returns {string[]} */
function sentencesOfAlike(leader, place, reference, compared, isBrief) {
  const [first] = leader.ranked;
  // A row that may not be ranked leads only where no other row could, and only where its estimate is the best one.
  const best = compared.find(({ verdict }) => verdict !== 'none') ?? compared[0];
  const isUnranked = best.verdict === 'none';
  const isReferenceFirst = first.ratio?.to === seriesLabel(first.cell);
  const isLed = best.verdict === 'better' || (isUnranked && first === best.outcome);
  const isFirstRanked = compared.some(({ outcome, verdict }) => outcome === first && verdict !== 'none');
  const sentences = isLed ? [leadingSentence(leader, best, reference, place)] : [];
  if (isUnranked && isReferenceFirst) sentences.push(noVerdictSentence(first, best.why, place));
  const ahead =
    isLed || isReferenceFirst || isFirstRanked
      ? []
      : [noVerdictSentence(first, unrankedReason(first), place)];
  const byVerdict = groupedBy(
    isLed ? compared.filter((row) => row !== best) : compared,
    ({ verdict }) => verdict,
  );
  for (const verdict of READING_ORDER) {
    const rows = byVerdict.get(verdict);
    if (rows !== undefined)
      sentences.push(furtherSentence(rows, reference, sentences.length === 0 ? place : null, isBrief));
  }
  return [...ahead, ...sentences];
}

/** @param {Leader} leader @param {Compared} best @param {string} reference @param {string} place */
function leadingSentence({ ranked: [first] }, { name, ratio, verdict, why, outcome }, reference, place) {
  if (verdict !== 'better') {
    const about = timesText(outcome, { ...ratio, n: 1 }, reference);
    return `${name}: about ${about} at ${place} in ${counted(ratio.n, 'launch', 'launches')}; no verdict: ${why}.`;
  }
  const superlative = superlativeFor(headlineMeasure(first));
  const ahead =
    first === outcome
      ? ''
      : `; ${superlative} estimate: ${cellName(first.cell)} (no verdict: ${unrankedReason(first)})`;
  return `${name}: ${timesText(outcome, ratio, reference)} at ${place}${ahead}.`;
}

/** @param {MeasuredOutcome} outcome   without a verdict */
function unrankedReason(outcome) {
  return notRankedReason(outcome) || 'no launch to compare with the reference';
}

/** @param {MeasuredOutcome} first @param {string} why @param {string} place */
function noVerdictSentence(first, why, place) {
  const superlative = superlativeFor(headlineMeasure(first));
  return `No verdict at ${place}: ${why}; ${superlative} estimate: ${cellName(first.cell)}, ${valueText(first)}.`;
}

/** @param {Compared[]} rows    of one verdict @param {string} reference @param {string | null} place    null if the sentence before has named it @param {boolean} isBrief */
function furtherSentence(rows, reference, place, isBrief) {
  const [{ verdict }] = rows;
  const words = verdictWords(rows);
  const claim = verdict === 'better' && place === null ? `also ${words.better}` : words[verdict];
  const beside = place === null ? '' : ` ${PREPOSITIONS[verdict]} ${reference} at ${place}`;
  return `${capitalised(claim)}${beside}: ${verdictList(rows, isBrief)}.`;
}

/** @param {Leader} leader @param {string} place @param {KindIn} kindIn @returns {string} without a reference */
function absoluteSentence({ ranked: [best], faster, runnerUp, verdict, why }, place, kindIn) {
  const value = `${cellName(best.cell)}: ${valueText(best)} at ${place}`;
  if (runnerUp === null && faster.length === 0) return `${value}; nothing else was measured there.`;
  const but = exceptionText(
    faster.map(({ cell }) => cell),
    kindIn,
  );
  const without = verdict === 'none' && runnerUp !== null ? `; no verdict: ${why}` : '';
  return `${value}, the ${superlativeFor(headlineMeasure(best))} estimate there${but}${without}.`;
}

/** @param {Leader} leader @returns {string[]} none if the reference is one of the two: another sentence has it */
function doubtSentence(leader) {
  const hasReference = [leader.ranked[0], leader.runnerUp].some(
    (outcome) => outcome !== null && outcome.ratio?.to === seriesLabel(outcome.cell),
  );
  const whether = whetherText(leader);
  return whether === '' || hasReference ? [] : [`${whether}.`];
}

/**
 * @param {Leader} leader
 * @param {(cell: Cell) => string} [name]
 * @returns {string} 'No clear difference between unix/json and tcp/json', or '' if there is one or no verdict
 */
export function whetherText({ ranked: [best], runnerUp, verdict }, name = cellName) {
  if (verdict !== 'unclear' || runnerUp === null) return '';
  return `${capitalised(NO_DIFFERENCE)} between ${name(best.cell)} and ${name(runnerUp.cell)}`;
}

// Many groups: for each series whether it wins in all of them, in none, or in some.

/**
 * @param {Group[]} groups
 * @param {string} reference
 * @param {KindIn} kindIn
 * @param {string} ofScenario   '' if there is one scenario
 * @returns {string[]}
 */
function sentencesOfMany(groups, reference, kindIn, ofScenario) {
  const noun = placeNoun(groups);
  const { at, many } = noun;
  const comparedByGroup = groups.map(({ measured }) => comparedIn(measured, kindIn));
  const rows = comparedByGroup.flat();
  const count = comparedByGroup.filter((compared) => compared.length > 0).length;
  const bySeries = groupedBy(
    rows.filter(({ kind }) => kind === ''),
    ({ name }) => name,
  );
  const hasOne = (/** @type {Compared[]} */ own) => own.every(({ verdict }) => verdict === own[0].verdict);
  /** @param {string} claim @param {Verdict} verdict   of all rows of a series */
  const say = (claim, verdict) => {
    const series = [...bySeries].filter(([, own]) => hasOne(own) && own[0].verdict === verdict);
    const texts = series.map(([name, own]) => `${name} (${outermost(own)}${countText(own, count)})`);
    return texts.length === 0 ? [] : [`${claim}: ${listed(texts)}.`];
  };
  const [[first]] = groups.map(({ measured }) => measured);
  const { better, worse } = comparativesFor(headlineMeasure(first));
  const unjudged = [...bySeries.values()].filter((own) => own.every(({ verdict }) => verdict === 'none'));
  const reasons = [...new Set(unjudged.flat().map(({ why }) => why))];
  const mixed = [...bySeries]
    .filter(([, own]) => !hasOne(own))
    .map(([name, own]) => `${name} (${tally(own, at)})`);
  return [
    highestSentence(groups, kindIn, noun, ofScenario),
    ...say(
      `${capitalised(better)} than ${reference} ${at} all ${many} (outermost ends of the intervals)`,
      'better',
    ),
    ...say(`${capitalised(worse)} than ${reference} ${at} all ${many}`, 'worse'),
    ...say(
      `${capitalised(NO_DIFFERENCE)} from ${reference} ${at} any of the ${groups.length} ${many}`,
      'unclear',
    ),
    ...say(`No verdict against ${reference} (${listed(reasons, 2)})`, 'none'),
    ...(mixed.length === 0
      ? []
      : [`Compared with ${reference}, the verdict differs between ${many}: ${listed(mixed)}.`]),
    ...otherKinds(rows).map(([kind, own]) => {
      const texts = [...groupedBy(own, ({ name }) => name)].map(
        ([name, some]) => `${name} (${tally(some, at)}; ${outermost(some)}${countText(some, count)})`,
      );
      return `${kindLead(kind, reference)}: ${listed(texts)}.`;
    }),
  ];
}

/** @param {Group[]} groups @param {KindIn} kindIn @param {PlaceNoun} noun @param {string} ofScenario @returns {string} which rows have the best estimate, and where clearly */
function highestSentence(groups, kindIn, { at, many }, ofScenario) {
  const leaders = groups.flatMap(({ measured }) => findLeader(measured, kindIn) ?? []);
  const wins = [...groupedBy(leaders, ({ ranked: [first] }) => cellName(first.cell))].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const measure = headlineMeasure(leaders[0].ranked[0]);
  const was =
    measure.better === null ? `had the ${superlativeFor(measure)} estimate` : `was ${winnerWord(measure)}`;
  const but = exceptionText(
    leaders.flatMap(({ faster }) => faster.map(({ cell }) => cell)),
    kindIn,
  );
  /** @param {Leader[]} won */
  const clearly = (won) => {
    const clear = won.filter(({ verdict, runnerUp }) => verdict === 'better' || runnerUp === null).length;
    if (clear === won.length) return '';
    return clear === 0 ? ' (not clearly)' : ` (clearly ${at} ${clear})`;
  };
  const where = `${groups.length} ${many}${ofScenario}`;
  const [[first, won], ...others] = wins;
  if (others.length === 0) return `${first} ${was} ${at} all ${where}${clearly(won)}${but}.`;
  const further = others.map(([name, own]) => `${name} ${at} ${own.length}${clearly(own)}`);
  return `${first} ${was} ${at} ${won.length} of ${where}${clearly(won)}, ${listed(further, 3)}${but}.`;
}

/** @param {Compared[]} rows    of one series @returns {string} '1.28–1.81×', the outermost ends of the intervals */
function outermost(rows) {
  const least = Math.min(...rows.map(({ ratio }) => ratio.low));
  const greatest = Math.max(...rows.map(({ ratio }) => ratio.high));
  // One launch has no range.
  return least === greatest ? formatRatio(least) : formatRatioRange(least, greatest);
}

/** @param {Compared[]} rows    of one series @param {PlaceNoun['at']} at @returns {string} 'faster at 2, slower at 5' */
export function tally(rows, at) {
  const words = verdictWords(rows);
  const byVerdict = groupedBy(rows, ({ verdict }) => verdict);
  return TALLIED.flatMap((verdict) => {
    const count = byVerdict.get(verdict)?.length;
    return count === undefined ? [] : [`${words[verdict]} ${at} ${count}`];
  }).join(', ');
}

/** @param {Compared[]} rows    of one series @param {number} groups @returns {string} ', 2 of 3', nothing where it is in all of them */
function countText(rows, groups) {
  return rows.length === groups ? '' : `, ${rows.length} of ${groups}`;
}
