// Phrases on the rows of a table: which one is fastest, and which are faster than the reference, slower, or not clearly different.

import { capitalised, groupedBy, listed } from '../../../format/lists.js';
import {
  formatInterval,
  formatPercent,
  formatRatio,
  formatRatioEnds,
  formatRatioInterval,
  printedRatioEnds,
} from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { MIN_CLAIM } from '../../../statistics/verdict.js';
import { exceptionText, isAhead, kindWords } from '../kind-words.js';
import {
  comparativesFor,
  ratioTitle,
  readMeasure,
  superlativeFor,
  timesText,
  valueText,
  winnerWord,
} from '../measure-words.js';
import { reasonText } from '../reasons.js';
import { labelText } from '../short-texts.js';

/** @import { Finding, FoundRow, MeasureFacts, RowVerdict } from '../../../types/index.js' */
/** @import { ComparedEstimate } from '../../../results/launch-model.js' */
/** @typedef {FoundRow & { ratio: ComparedEstimate, verdict: RowVerdict }} PhrasedRow */

const NAMED_IN_BRIEF = 3;
const MAX_BESIDE = 2; // rows of other kinds that a title names; if there are more, it counts the verdicts on them

/** Printed if the interval of a ratio contains 1, or if one of its ends is closer to 1 than MIN_CLAIM. */
export const NO_DIFFERENCE = 'no clear difference';
const READING_ORDER = /** @type {const} */ (['better', 'unclear', 'worse', 'none']);
export const TALLIED = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);
const PREPOSITIONS = Object.freeze({ better: 'than', worse: 'than', unclear: 'from', none: 'against' });
/** @type {Readonly<Record<string, string>>} */
export const OTHERS = Object.freeze({ both: 'Other transport and codec', runtime: 'Other runtime' });

/** @param {FoundRow} found @returns {found is PhrasedRow} */
function isCompared(found) {
  return found.ratio !== undefined && found.ratio !== null;
}

/** @param {Finding} finding @returns {string} ' at 1,000 B, 2x4', or '' for several tables */
const atHeading = ({ group }) => (group === null ? '' : ` at ${group.heading}`);

/** @param {MeasureFacts} measure @returns {Record<RowVerdict, string>} */
function verdictWords(measure) {
  return { ...comparativesFor(measure), unclear: NO_DIFFERENCE, none: 'no verdict' };
}

/**
 * @param {ComparedEstimate} ratio   without a clear difference
 * @returns {string} '0.96–1.09': the interval that decides, with the reason if it excludes 1
 */
function unclearEnds(ratio) {
  const [low, high] = printedRatioEnds(ratio);
  return (
    formatRatioEnds(ratio) + (low > 1 || high < 1 ? `, perhaps less than ${formatPercent(MIN_CLAIM)}` : '')
  );
}

/**
 * @param {PhrasedRow} row
 * @param {boolean} isBrief
 * @param {string} [name]
 * @returns {string} 'unix 1.41×', 'tcp 1.02× (0.96–1.09)', 'zeromq about 0.61×'
 */
function comparedText({ row, ratio, verdict }, isBrief, name = printable(row)) {
  const times = formatRatio(ratio.estimate);
  if (verdict === 'none') return `${name} about ${times}`;
  if (verdict === 'unclear') return `${name} ${times} (${unclearEnds(ratio)})`;
  return `${name} ${isBrief ? times : formatRatioInterval(ratio)}`;
}

/** @param {PhrasedRow[]} rows   all with one verdict @param {boolean} isBrief   true: few clear differences, without intervals */
function verdictList(rows, isBrief) {
  const [{ verdict }] = rows;
  if (verdict === 'unclear')
    return listed(rows.map(({ row, ratio }) => `${printable(row)} (${unclearEnds(ratio)})`));
  return listed(
    rows.map((row) => comparedText(row, isBrief)),
    isBrief && verdict !== 'none' ? NAMED_IN_BRIEF : undefined,
  );
}

/**
 * @param {FoundRow[]} rows    at least one, of one kind
 * @param {MeasureFacts} measure
 * @param {boolean} isBrief    true: clear differences have no intervals
 * @returns {string} 'faster: threads-shared/json 4.10× (3.90–4.30); no clear difference: threads-message/json (0.64–1.16)'
 */
function kindText(rows, measure, isBrief) {
  const words = verdictWords(measure);
  const byVerdict = groupedBy(rows.filter(isCompared), ({ verdict }) => verdict);
  return READING_ORDER.flatMap((verdict) => {
    const own = byVerdict.get(verdict);
    if (own === undefined) return [];
    const reasons = listed([...new Set(own.map(({ why }) => reasonText(why)))], NAMED_IN_BRIEF);
    return `${words[verdict]}${verdict === 'none' ? ` (${reasons})` : ''}: ${verdictList(own, isBrief)}`;
  }).join('; ');
}

// The fastest row of one table.

/** @param {Finding} finding @param {FoundRow} first @param {PhrasedRow[]} compared @param {boolean} isBrief @returns {string[]} */
function sentencesOfAlike(finding, first, compared, isBrief) {
  const reference = printable(finding.names.reference);
  // A row that may not be ranked leads only if no other row can, and only if its estimate is the best one.
  const best = compared.find(({ verdict }) => verdict !== 'none') ?? compared[0];
  const isUnranked = best.verdict === 'none';
  const isReferenceFirst = first.row === finding.names.reference;
  const isLed = best.verdict === 'better' || (isUnranked && first === best);
  const isFirstRanked = isCompared(first) && first.verdict !== 'none';
  const sentences = isLed ? [leadingSentence(finding, best, first)] : [];
  if (isReferenceFirst && isUnranked) sentences.push(noVerdictSentence(finding, first, reasonText(best.why)));
  if (isReferenceFirst && finding.verdict === 'better')
    sentences.push(`${winnerText(finding)}: ${amountText(finding, first)}.`);
  if (!isLed && !isReferenceFirst && !isFirstRanked)
    sentences.push(noVerdictSentence(finding, first, unrankedReason(first)));
  const { better } = verdictWords(readMeasure(finding));
  // If there are contrasts, they compare the other rows.
  if (Number(finding.numbers.contrasts) > 0)
    return sentences.length > 0
      ? sentences
      : [`No row is clearly ${better} than ${reference}${atHeading(finding)}.`];
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
        : furtherSentence(finding, rows, sentences.length === 0, isBrief),
    );
  }
  return sentences;
}

/** @param {Finding} finding @param {FoundRow} row @returns {string} '101,000 (98,000–104,000) round trips per second' */
function amountText(finding, { value }) {
  return valueText(readMeasure(finding), value === undefined ? '' : formatInterval(value));
}

/** @param {Finding} finding @returns {string} 'unix/json is fastest at 1,000 B, 2x4, apart from threads-shared (threads, not processes)' */
function winnerText(finding) {
  const [first] = finding.rows;
  return `${printable(first.row)} is ${winnerWord(readMeasure(finding))}${atHeading(finding)}${exceptionText(finding)}`;
}

/** @param {Finding} finding @param {PhrasedRow} best @param {FoundRow} first */
function leadingSentence(finding, best, first) {
  const { ratio, verdict, why } = best;
  const measure = readMeasure(finding);
  const reference = printable(finding.names.reference);
  const [name, heading, parts] = [printable(best.row), atHeading(finding), partsText(best)];
  if (verdict !== 'better') {
    const about = timesText({ ...ratio, n: 1, level: null }, ratioTitle(measure), reference);
    return `${name}: about ${about}${heading}${parts}; no verdict: ${reasonText(why)}.`;
  }
  const times = timesText(ratio, ratioTitle(measure), reference) + parts;
  if (first !== best) {
    const estimate = `${superlativeFor(measure)} estimate: ${printable(first.row)}`;
    return `${name}: ${times}${heading}; ${estimate} (no verdict: ${unrankedReason(first)}).`;
  }
  return finding.verdict === 'better' ? `${winnerText(finding)}: ${times}.` : `${name}: ${times}${heading}.`;
}

/** @param {FoundRow} row @returns {string} '; transport 1.41×, codec 1.35×', '; transport and codec differ, and no row tells them apart' */
function partsText({ parts }) {
  if (parts === undefined) return '';
  if (parts.length === 0) return '; transport and codec differ, and no row tells them apart';
  const [transport, codec] = parts.map(({ ratio }) => formatRatio(ratio.estimate));
  return `; transport ${transport}, codec ${codec}`;
}

/** @param {FoundRow} row   without a verdict */
function unrankedReason({ why }) {
  return reasonText(why ?? { code: 'not-compared' });
}

/** @param {Finding} finding @param {FoundRow} first @param {string} why */
function noVerdictSentence(finding, first, why) {
  const superlative = superlativeFor(readMeasure(finding));
  return `No verdict${atHeading(finding)}: ${why}; ${superlative} estimate: ${printable(first.row)}, ${amountText(finding, first)}.`;
}

/**
 * @param {Finding} finding
 * @param {PhrasedRow[]} rows    of one verdict
 * @param {boolean} isFirst   true for the first sentence, which names the reference and the group
 * @param {boolean} isBrief
 */
function furtherSentence(finding, rows, isFirst, isBrief) {
  const [{ verdict }] = rows;
  const words = verdictWords(readMeasure(finding));
  const claim = verdict === 'better' && !isFirst ? `also ${words.better}` : words[verdict];
  const beside = isFirst
    ? ` ${PREPOSITIONS[verdict]} ${printable(finding.names.reference)}${atHeading(finding)}`
    : '';
  return `${capitalised(claim)}${beside}: ${verdictList(rows, isBrief)}.`;
}

/** @param {Finding} finding @returns {string} */
function absoluteSentence(finding) {
  const { rows, against, verdict, why } = finding;
  const [best] = rows;
  const value = `${printable(best.row)}: ${amountText(finding, best)}${atHeading(finding)}`;
  if (against === null && !rows.some(isAhead)) return `${value}; nothing else was measured there.`;
  const without = verdict === 'none' && against !== null ? `; no verdict: ${reasonText(why)}` : '';
  return `${value}, the ${superlativeFor(readMeasure(finding))} estimate there${exceptionText(finding)}${without}.`;
}

/**
 * @param {Finding} finding
 * @returns {string[]} one sentence; none if there is no doubt, or if one of the two rows is the reference, with which others compare
 */
function doubtSentence(finding) {
  const { rows, against, ratio, names } = finding;
  const whether = whetherText(finding);
  const ends = ratio === null ? '' : ` (${unclearEnds(ratio)})`;
  return whether === '' || [rows[0].row, against].includes(names.reference) ? [] : [`${whether}${ends}.`];
}

/**
 * @param {Finding} finding
 * @param {(name: string) => string} [name]
 * @returns {string} 'No clear difference between unix/json and tcp/json'; '' if there is a clear difference or no verdict
 */
function whetherText({ rows: [best], against, verdict }, name = printable) {
  if (verdict !== 'unclear' || against === null) return '';
  return `${capitalised(NO_DIFFERENCE)} between ${name(best.row)} and ${name(against)}`;
}

const WHY_CHARACTERS = 80; // greatest length of a reason in a title

/**
 * @param {Finding} finding
 * @returns {string} 'unix/binary is fastest: 1.90× the throughput of pipe/json (95 % CI 1.80–2.00); transport 1.41×, codec 1.35×'
 */
export function fastestTitle(finding) {
  const { rows, against, verdict, why, names } = finding;
  const [first] = rows;
  const measure = readMeasure(finding);
  const name = labelText(first.row);
  /** @param {FoundRow} row */
  const textOf = (row) =>
    isCompared(row)
      ? timesText(row.ratio, ratioTitle(measure), labelText(names.reference))
      : amountText(finding, row);
  const but = exceptionText(finding);
  if (against === null) return `${name}: ${textOf(first)}${but}`;
  if (verdict === 'none')
    return `No verdict: ${labelText(reasonText(why), WHY_CHARACTERS)}; ${superlativeFor(measure)} estimate: ${name}, ${textOf(first)}${but}`;
  if (verdict === 'unclear') return `${whetherText(finding, labelText)}; ${name}: ${textOf(first)}${but}`;
  const second = rows.find(({ row }) => row === against);
  const next =
    first.row === names.reference && second !== undefined
      ? `; next: ${labelText(second.row)}, ${textOf(second)}`
      : '';
  return `${name} is ${winnerWord(measure)}: ${textOf(first)}${next}${but}${partsText(first)}`;
}

/** @param {Finding} finding @returns {FoundRow} the row whose ratio its title states */
export function titleRow({ rows, against, verdict, names }) {
  const [first] = rows;
  const second = rows.find(({ row }) => row === against);
  return first.row === names.reference && verdict === 'better' && second !== undefined ? second : first;
}

// Rows of another kind.

/**
 * @param {Finding[]} findings   of the kind 'other-kind', of one picture
 * @returns {{ text: string, rows: FoundRow[] }} '; compared with pipe/json, no clear difference: threads-message/json (0.64–1.16)', and the
 *   rows whose ratios it states; the text is empty if no row has a verdict
 */
export function otherKindTitle(findings) {
  const rows = findings.flatMap((finding) => finding.rows).filter(({ verdict }) => verdict !== 'none');
  if (rows.length === 0) return { text: '', rows: [] };
  const [finding] = findings;
  const reference = labelText(finding.against ?? '');
  const isOneTable = findings.every(({ group }) => group !== null);
  if (isOneTable && rows.length <= MAX_BESIDE)
    return { text: `; compared with ${reference}, ${kindText(rows, readMeasure(finding), false)}`, rows };
  const measure = readMeasure(finding);
  const byName = [...groupedBy(rows, ({ row }) => labelText(row))];
  const text =
    !isOneTable && byName.length <= MAX_BESIDE
      ? byName.map(([name, own]) => `${name} ${tally(own, measure)}`).join('; ')
      : tally(rows, measure);
  const which = byName.length <= MAX_BESIDE && !isOneTable ? '' : 'rows of another kind, ';
  return { text: `; ${which}compared with ${reference}: ${text}`, rows: [] };
}

/** @param {FoundRow[]} rows @param {MeasureFacts} measure @returns {string} '2 faster, 5 slower' */
function tally(rows, measure) {
  const words = verdictWords(measure);
  const byVerdict = groupedBy(rows, ({ verdict }) => verdict);
  return TALLIED.flatMap((verdict) => {
    const count = byVerdict.get(verdict)?.length;
    return count === undefined ? [] : [`${count} ${words[verdict]}`];
  }).join(', ');
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const RANKING_PHRASES = {
  fastest(finding, isBrief) {
    const ranked = finding.rows.filter((row) => !isAhead(row));
    if (finding.numbers.compared === 0) return [absoluteSentence(finding), ...doubtSentence(finding)];
    const alike = ranked.filter(isCompared).filter(({ kind }) => kind === undefined);
    if (alike.length === 0) return [];
    return [...sentencesOfAlike(finding, ranked[0], alike, isBrief), ...doubtSentence(finding)];
  },

  contrast(finding, isBrief) {
    const { differsIn, codec, carrier } = finding.names;
    const base = printable(finding.names.base);
    const rows = finding.rows.filter(isCompared);
    if (differsIn === 'transport')
      return [
        `Same codec (${printable(codec)}): ${listed(rows.map((row) => comparedText(row, isBrief, printable(row.names?.carrier ?? row.row))))} of ${base}.`,
      ];
    if (differsIn === 'codec')
      return [
        `Codec (${printable(carrier)}): ${listed(rows.map((row) => comparedText(row, false, printable(row.names?.codec ?? row.row))))} of ${base}.`,
      ];
    return [`${OTHERS[differsIn]}, compared with ${base}, ${kindText(rows, readMeasure(finding), isBrief)}.`];
  },

  'other-kind'(finding, isBrief) {
    const kind = kindWords(finding.names.kind);
    const where = finding.names.isAlone === undefined ? '' : atHeading(finding);
    return [
      `Of another kind (${kind}), compared with ${printable(finding.against ?? '')}${where}, ${kindText(finding.rows, readMeasure(finding), isBrief)}.`,
    ];
  },
};
