// Verdicts in sentences: which row is fastest, and which rows are faster than the reference, slower, or not clearly different. Rows of
// another kind than the reference, such as threads beside processes, have separate sentences. Several groups have one
// sentence; lib/report/columns/verdict-grid.js has their verdicts.

import { headlineMeasure, rankingScore } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, listed } from '../../format/lists.js';
import {
  formatPercent,
  formatRatio,
  formatRatioEnds,
  formatRatioInterval,
  printedRatioEnds,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { LEAST_CLAIM } from '../../statistics/verdict.js';
import { carrierLabel, contrastsIn, isMixed, OTHERS } from './contrasts.js';
import { cellName, placeNoun } from './groups.js';
import { comparativesFor, superlativeFor, timesText, valueText, winnerWord } from './measure-words.js';
import { exceptionText } from './transport-kinds.js';
import { comparedIn, comparisonIn, findLeader, notRankedReason } from './verdicts.js';

/** @import { Cell, MeasuredOutcome } from '../../types/index.js' */
/** @import { Contrast } from './contrasts.js' */
/** @import { Group, PlaceNoun } from './groups.js' */
/** @import { Facts } from './rules.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { Compared, Leader, Verdict } from './verdicts.js' */

const NAMED_IN_BRIEF = 3;

/** The interval of the ratio contains 1, or one of its ends is closer to 1 than LEAST_CLAIM. */
export const NO_DIFFERENCE = 'no clear difference';
const READING_ORDER = /** @type {const} */ (['better', 'unclear', 'worse', 'none']);
export const TALLIED = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);
const PREPOSITIONS = Object.freeze({ better: 'than', worse: 'than', unclear: 'from', none: 'against' });

/** @param {Facts} facts @param {boolean} isBrief @returns {string[]} the most important sentence first */
export function rankingSentences({ results, closed, kindIn }, isBrief) {
  // Scenarios count different operations, so their numbers are not compared.
  const byScenario = groupedBy(closed, ({ cell }) => cell.scenario);
  return [...byScenario].flatMap(([scenario, groups]) => {
    const ofScenario = byScenario.size > 1 ? ` of ${printable(scenario)}` : '';
    return groups.length > 1
      ? [highestSentence(groups, kindIn, placeNoun(groups), ofScenario)]
      : sentencesOfGroup(groups[0], results.reference, kindIn, isBrief);
  });
}

/** @param {Compared[]} rows    at least one @returns {Record<Verdict, string>} */
function verdictWords([{ outcome }]) {
  return { ...comparativesFor(headlineMeasure(outcome)), unclear: NO_DIFFERENCE, none: 'no verdict' };
}

/**
 * @param {Compared['ratio']} ratio   without a clear difference
 * @returns {string} '0.96–1.09': the interval that decides, with the reason if it excludes 1
 */
function unclearEnds(ratio) {
  const [low, high] = printedRatioEnds(ratio);
  return (
    formatRatioEnds(ratio) + (low > 1 || high < 1 ? `, perhaps less than ${formatPercent(LEAST_CLAIM)}` : '')
  );
}

/** @param {Compared} compared @param {boolean} isBrief @returns {string} 'unix 1.41×', 'tcp 1.02× (0.96–1.09)', 'zeromq about 0.61×' */
function comparedText({ name, ratio, verdict }, isBrief) {
  const times = formatRatio(ratio.estimate);
  if (verdict === 'none') return `${name} about ${times}`;
  if (verdict === 'unclear') return `${name} ${times} (${unclearEnds(ratio)})`;
  return `${name} ${isBrief ? times : formatRatioInterval(ratio)}`;
}

/**
 * @param {Compared[]} rows    all with one verdict
 * @param {boolean} isBrief   names few clear differences, and omits their intervals
 * @returns {string}
 */
function verdictList(rows, isBrief) {
  const [{ verdict }] = rows;
  if (verdict === 'unclear') return listed(rows.map(({ name, ratio }) => `${name} (${unclearEnds(ratio)})`));
  return listed(
    rows.map((row) => comparedText(row, isBrief)),
    isBrief && verdict !== 'none' ? NAMED_IN_BRIEF : undefined,
  );
}

/**
 * @param {Compared[]} compared
 * @param {Contrast[] | null} contrasts
 * @returns {[kind: string, rows: Compared[]][]} rows of other kinds than the reference, without rows that contrast codecs only
 */
function otherKinds(compared, contrasts) {
  const others = compared.filter(({ kind }) => kind !== '');
  const rows = contrasts
    ?.filter(({ differsIn }) => differsIn !== 'codec')
    .flatMap((contrast) => contrast.rows);
  const isShown = (/** @type {Compared} */ { outcome }) =>
    rows === undefined || rows.some(({ at: [compared] }) => compared?.outcome === outcome);
  return [...groupedBy(others.filter(isShown), ({ kind }) => kind)];
}

/** @param {string} kind @param {string} reference @returns {string} the beginning of a sentence on rows of another kind */
function kindLead(kind, reference) {
  return `Of another kind (${kind}), compared with ${reference}`;
}

/**
 * @param {Compared[]} compared    at least one, of one kind
 * @param {boolean} isBrief        omits the intervals of clear differences
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

/** @param {Group} group @param {string} label @param {KindIn} kindIn @param {boolean} isBrief @returns {string[]} */
function sentencesOfGroup(group, label, kindIn, isBrief) {
  const { place, measured } = group;
  const reference = printable(label);
  const leader = /** @type {Leader} */ (findLeader(measured, kindIn));
  const compared = comparedIn(measured, kindIn);
  if (compared.length === 0) return [absoluteSentence(leader, place, kindIn), ...doubtSentence(leader)];
  const contrasts = isMixed(measured) ? contrastsIn([group], label, kindIn) : null;
  const alike = compared.filter(({ kind }) => kind === '');
  const sentences =
    alike.length === 0
      ? []
      : [
          ...sentencesOfAlike(leader, place, reference, alike, {
            kindIn,
            partsOf: contrasts === null ? null : (outcome) => partsText(findParts(outcome, measured, kindIn)),
            isBrief,
          }),
          ...doubtSentence(leader),
          ...(contrasts ?? []).flatMap((contrast) => contrastSentence(contrast, leader, isBrief)),
        ];
  for (const [kind, rows] of otherKinds(compared, contrasts)) {
    const where = sentences.length === 0 ? ` at ${place}` : '';
    sentences.push(`${kindLead(kind, reference)}${where}, ${kindText(rows, isBrief)}.`);
  }
  return sentences;
}

/**
 * @param {Leader} leader
 * @param {string} place
 * @param {string} reference
 * @param {Compared[]} compared    at least one
 * @param {{ kindIn: KindIn, partsOf: ((outcome: MeasuredOutcome) => string) | null, isBrief: boolean }} how   partsOf: null unless the
 *   other rows have contrasts
 * @returns {string[]}
 */
function sentencesOfAlike(leader, place, reference, compared, { kindIn, partsOf, isBrief }) {
  const [first] = leader.ranked;
  // A row that may not be ranked leads only if no other row can, and only if its estimate is the best one.
  const best = compared.find(({ verdict }) => verdict !== 'none') ?? compared[0];
  const isUnranked = best.verdict === 'none';
  const isReferenceFirst = first.ratio?.to === seriesLabel(first.cell);
  const isLed = best.verdict === 'better' || (isUnranked && first === best.outcome);
  const isFirstRanked = compared.some(({ outcome, verdict }) => outcome === first && verdict !== 'none');
  const sentences = isLed
    ? [leadingSentence(leader, best, reference, place, kindIn, partsOf?.(best.outcome) ?? '')]
    : [];
  if (isReferenceFirst && isUnranked) sentences.push(noVerdictSentence(first, best.why, place));
  if (isReferenceFirst && leader.verdict === 'better')
    sentences.push(`${winnerText(leader, place, kindIn)}: ${valueText(first)}.`);
  if (!isLed && !isReferenceFirst && !isFirstRanked)
    sentences.push(noVerdictSentence(first, unrankedReason(first), place));
  const { better } = verdictWords(compared);
  if (partsOf !== null)
    return sentences.length > 0 ? sentences : [`No row is clearly ${better} than ${reference} at ${place}.`];
  const byVerdict = groupedBy(
    isLed ? compared.filter((row) => row !== best) : compared,
    ({ verdict }) => verdict,
  );
  for (const verdict of READING_ORDER) {
    const rows = byVerdict.get(verdict);
    if (rows === undefined) continue;
    const isSaid = isUnranked && sentences.length > 0;
    sentences.push(
      isSaid
        ? `Also: ${verdictList(rows, isBrief)}.`
        : furtherSentence(rows, reference, sentences.length === 0 ? place : null, isBrief),
    );
  }
  return sentences;
}

/** @param {Leader} leader @param {string} place @param {KindIn} kindIn @returns {string} 'unix/json is fastest at 1,000 B, 2x4, apart from threads-shared (threads, not processes)' */
function winnerText({ ranked: [first], faster }, place, kindIn) {
  const but = exceptionText(
    faster.map(({ cell }) => cell),
    kindIn,
  );
  return `${cellName(first.cell)} is ${winnerWord(headlineMeasure(first))} at ${place}${but}`;
}

/**
 * @param {Leader} leader
 * @param {Compared} best
 * @param {string} reference
 * @param {string} place
 * @param {KindIn} kindIn
 * @param {string} parts   text on the parts of the ratio
 */
function leadingSentence(leader, best, reference, place, kindIn, parts) {
  const { name, ratio, verdict, why, outcome } = best;
  const [first] = leader.ranked;
  if (verdict !== 'better') {
    const about = timesText(outcome, { ...ratio, n: 1, level: null }, reference);
    return `${name}: about ${about} at ${place}${parts}; no verdict: ${why}.`;
  }
  const times = timesText(outcome, ratio, reference) + parts;
  if (first !== outcome) {
    const estimate = `${superlativeFor(headlineMeasure(first))} estimate: ${cellName(first.cell)}`;
    return `${name}: ${times} at ${place}; ${estimate} (no verdict: ${unrankedReason(first)}).`;
  }
  return leader.verdict === 'better'
    ? `${winnerText(leader, place, kindIn)}: ${times}.`
    : `${name}: ${times} at ${place}.`;
}

/**
 * @param {MeasuredOutcome} outcome   the best row
 * @param {MeasuredOutcome[]} measured   all rows of its group
 * @param {KindIn} kindIn
 * @returns {{ transport: Compared, codec: Compared } | null | undefined} the two parts of its ratio; null if no row tells them apart,
 *   undefined if it differs in one of them or in none
 */
export function findParts({ cell, ratio }, measured, kindIn) {
  const to = ratio?.to ?? '';
  const reference = measured.find((other) => seriesLabel(other.cell) === to)?.cell ?? cell;
  if (reference.codec === cell.codec || carrierLabel(reference) === carrierLabel(cell)) return undefined;
  const compare = comparisonIn(measured, kindIn);
  const [label, sameCodec, sameCarrier] = [
    cell,
    { ...cell, codec: reference.codec },
    { ...reference, codec: cell.codec },
  ].map(seriesLabel);
  const ways = [
    { transport: compare(sameCodec, to), codec: compare(label, sameCodec) },
    { transport: compare(label, sameCarrier), codec: compare(sameCarrier, to) },
  ];
  for (const { transport, codec } of ways)
    if (transport !== null && codec !== null) return { transport, codec };
  return null;
}

/**
 * @param {ReturnType<typeof findParts>} parts
 * @returns {string} '; transport 1.41×, codec 1.35×' or '; transport and codec differ, and no row tells them apart'
 */
export function partsText(parts) {
  if (parts === undefined) return '';
  if (parts === null) return '; transport and codec differ, and no row tells them apart';
  const [transport, codec] = [parts.transport, parts.codec].map(({ ratio }) => formatRatio(ratio.estimate));
  return `; transport ${transport}, codec ${codec}`;
}

/** @param {Contrast} contrast @param {Leader} leader @param {boolean} isBrief @returns {string[]} excludes rows of other kinds */
function contrastSentence({ differsIn, kind, codec, base, rows }, { ranked: [first] }, isBrief) {
  if (kind !== '') return [];
  const named = rows
    .flatMap(({ name, carrier, at: [compared] }) => (compared === null ? [] : { ...compared, name, carrier }))
    .sort((one, other) => rankingScore(other.outcome) - rankingScore(one.outcome));
  if (differsIn === 'both' || differsIn === 'runtime')
    return [`${OTHERS[differsIn]}, compared with ${base}, ${kindText(named, isBrief)}.`];
  if (differsIn === 'transport')
    return [`Same codec (${codec}): ${listed(named.map((row) => comparedText(row, isBrief)))} of ${base}.`];
  const byCarrier = [...groupedBy(named, ({ carrier }) => carrier)];
  const ofFirst = byCarrier.find(([carrier]) => carrier === printable(carrierLabel(first.cell)));
  const shown = isBrief ? [ofFirst ?? byCarrier[0]] : byCarrier;
  return shown.map(([carrier, own]) => {
    const texts = own.map((row) => comparedText({ ...row, name: printable(row.outcome.cell.codec) }, false));
    return `Codec (${carrier}): ${listed(texts)} of ${base}.`;
  });
}

/** @param {MeasuredOutcome} outcome   a row without a verdict */
function unrankedReason(outcome) {
  return notRankedReason(outcome) || 'no launch to compare with the reference';
}

/** @param {MeasuredOutcome} first @param {string} why @param {string} place */
function noVerdictSentence(first, why, place) {
  const superlative = superlativeFor(headlineMeasure(first));
  return `No verdict at ${place}: ${why}; ${superlative} estimate: ${cellName(first.cell)}, ${valueText(first)}.`;
}

/**
 * @param {Compared[]} rows    of one verdict
 * @param {string} reference
 * @param {string | null} place    null if the previous sentence names it
 * @param {boolean} isBrief
 */
function furtherSentence(rows, reference, place, isBrief) {
  const [{ verdict }] = rows;
  const words = verdictWords(rows);
  const claim = verdict === 'better' && place === null ? `also ${words.better}` : words[verdict];
  const beside = place === null ? '' : ` ${PREPOSITIONS[verdict]} ${reference} at ${place}`;
  return `${capitalised(claim)}${beside}: ${verdictList(rows, isBrief)}.`;
}

/** @param {Leader} leader @param {string} place @param {KindIn} kindIn @returns {string} */
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

/**
 * @param {Leader} leader
 * @returns {string[]} empty if there is no doubt, or if leader or runner-up is the reference, with which other sentences compare
 */
function doubtSentence(leader) {
  const hasReference = [leader.ranked[0], leader.runnerUp].some(
    (outcome) => outcome !== null && outcome.ratio?.to === seriesLabel(outcome.cell),
  );
  const whether = whetherText(leader);
  const ends = leader.ratio === null ? '' : ` (${unclearEnds(leader.ratio)})`;
  return whether === '' || hasReference ? [] : [`${whether}${ends}.`];
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

// Several groups.

/** @param {Group[]} groups @param {KindIn} kindIn @param {PlaceNoun} noun @param {string} ofScenario @returns {string} */
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
  const all = groups.length === 2 ? where.replace('2', 'both') : `all ${where}`;
  if (others.length === 0) return `${first} ${was} ${at} ${all}${clearly(won)}${but}.`;
  const further = others.map(([name, own]) => `${name} ${at} ${own.length}${clearly(own)}`);
  return `${first} ${was} ${at} ${won.length} of ${where}${clearly(won)}, ${listed(further, 3)}${but}.`;
}

/** @param {Compared[]} rows    all of one series @param {PlaceNoun['at']} at @returns {string} 'faster at 2, slower at 5' */
export function tally(rows, at) {
  const words = verdictWords(rows);
  const byVerdict = groupedBy(rows, ({ verdict }) => verdict);
  return TALLIED.flatMap((verdict) => {
    const count = byVerdict.get(verdict)?.length;
    return count === undefined ? [] : [`${words[verdict]} ${at} ${count}`];
  }).join(', ');
}
