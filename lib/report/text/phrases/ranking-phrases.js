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
import { exceptionText, kindWords } from '../kind-words.js';
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
export const WHY_CHARACTERS = 80; // greatest length of a reason

/** Printed if the interval of a ratio contains 1, or if one of its ends is closer to 1 than MIN_CLAIM. */
export const NO_DIFFERENCE = 'no clear difference';
const READING_ORDER = /** @type {const} */ (['better', 'unclear', 'worse', 'none']);
export const TALLIED = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);

/** @param {FoundRow} found @returns {found is PhrasedRow} */
function isCompared(found) {
  return found.ratio !== undefined && found.ratio !== null;
}

/** @param {Finding} finding @returns {string} ' at 1,000 B, 2x4', or '' for several tables */
export const atHeading = ({ group }) => (group === null ? '' : ` at ${group.heading}`);

/** @param {MeasureFacts} measure @returns {Record<RowVerdict, string>} */
export function verdictWords(measure) {
  return { ...comparativesFor(measure), unclear: NO_DIFFERENCE, none: 'no verdict' };
}

/**
 * @param {ComparedEstimate} ratio   without a clear difference
 * @returns {string} '0.96–1.09': the interval that decides, with the reason if it excludes 1
 */
function unclearEnds(ratio) {
  const [low, high] = printedRatioEnds(ratio);
  return (
    formatRatioEnds(ratio) +
    (low > 1 || high < 1 ? `, perhaps a difference below ${formatPercent(MIN_CLAIM)}` : '')
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

/** @param {PhrasedRow[]} rows   all with one verdict @param {boolean} isBrief   true for few clear differences, without intervals */
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
 * @param {readonly FoundRow[]} rows    at least one, of one kind
 * @param {MeasureFacts} measure
 * @param {boolean} isBrief    true for clear differences without intervals
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

/** @param {Finding} finding @param {FoundRow} row @returns {string} '1.90× the throughput of pipe/json (95 % CI 1.80–2.00)', or its value */
function amountText(finding, row) {
  const { value, verdict } = row;
  const measure = readMeasure(finding);
  if (!isCompared(row)) return valueText(measure, value === undefined ? '' : formatInterval(value));
  const ratio = verdict === 'none' ? { ...row.ratio, n: 1, level: null } : row.ratio;
  return `${verdict === 'none' ? 'about ' : ''}${timesText(ratio, ratioTitle(measure), labelText(finding.names.reference))}`;
}

/** @param {FoundRow} row @returns {string} '; transport 1.41×, codec 1.35×', '; transport and codec differ, and no row tells them apart' */
function partsText({ parts }) {
  if (parts === undefined) return '';
  if (parts.length === 0) return '; transport and codec differ, and no row tells them apart';
  const [transport, codec] = parts.map(({ ratio }) => formatRatio(ratio.estimate));
  return `; transport ${transport}, codec ${codec}`;
}

/** @param {Finding} finding @returns {FoundRow | null} the row after the fastest one; null unless the fastest one is the reference */
function findNext({ rows: [first, ...others], against, verdict, names }) {
  if (verdict !== 'better' || first.row !== names.reference) return null;
  return others.find(({ row }) => row === against) ?? null;
}

/**
 * @param {Finding} finding
 * @param {string} [where]   ' at 1,000 B, 2x4'; empty for a picture, which has it in its description
 * @returns {string} 'unix/binary is fastest: 1.90× the throughput of pipe/json (95 % CI 1.80–2.00); transport 1.41×, codec 1.35×'
 */
export function fastestTitle(finding, where = '') {
  const { rows, against, ratio, verdict, why, names } = finding;
  const [first] = rows;
  const measure = readMeasure(finding);
  const name = labelText(first.row);
  const [amount, but] = [amountText(finding, first), exceptionText(finding)];
  if (against === null) return `${name}: ${amount}${where}${but}`;
  if (verdict === 'none')
    return `No verdict${where}: ${labelText(reasonText(why), WHY_CHARACTERS)}; ${superlativeFor(measure)} estimate: ${name}, ${amount}${but}`;
  if (verdict === 'unclear') {
    // The interval of a ratio to the reference stands beside it.
    const isSaid = ratio === null || [first.row, against].includes(names.reference);
    const ends = isSaid ? '' : ` (${unclearEnds(ratio)})`;
    return `${capitalised(NO_DIFFERENCE)} between ${name} and ${labelText(against)}${where}${ends}; ${name}: ${amount}${but}`;
  }
  const next = findNext(finding);
  const second = next === null ? '' : `; next: ${labelText(next.row)}, ${amountText(finding, next)}`;
  return `${name} is ${winnerWord(measure)}${where}${but}: ${amount}${second}${partsText(first)}`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const RANKING_PHRASES = {
  fastest(finding, isBrief) {
    const { rows, numbers, names } = finding;
    const alike = rows.filter(isCompared).filter(({ kind }) => kind === undefined);
    if (Number(numbers.compared) > 0 && alike.length === 0) return [];
    const said = [rows[0], findNext(finding)];
    // If there are contrasts, they compare the other rows. The remark of a row has the reason why it has no verdict.
    const others = alike.filter(
      (row) => Number(numbers.contrasts) === 0 && row.verdict !== 'none' && !said.includes(row),
    );
    const title = `${fastestTitle(finding, atHeading(finding))}.`;
    if (others.length === 0) return [title];
    // What has a verdict comes first.
    const isFirst = finding.verdict === 'none';
    const where = isFirst ? atHeading(finding) : '';
    const list = `Compared with ${printable(names.reference)}${where}, ${kindText(others, readMeasure(finding), isBrief)}.`;
    return isFirst ? [list, title] : [title, list];
  },

  /** The brief form has intervals of codecs, since the ratio column compares them with another row. */
  contrast({ rows, names }, isBrief) {
    const isCodec = names.differsIn === 'codec';
    const lead = isCodec ? `Codec (${names.carrier})` : `Same codec (${names.codec})`;
    const texts = rows
      .filter(isCompared)
      .map((row) =>
        comparedText(
          row,
          isBrief && !isCodec,
          printable(row.names?.[isCodec ? 'codec' : 'carrier'] ?? row.row),
        ),
      );
    return [`${printable(lead)}: ${listed(texts)} of ${printable(names.base)}.`];
  },

  'other-kind'(finding, isBrief) {
    const kind = kindWords(finding.names.kind);
    const where = finding.names.isAlone === undefined ? '' : atHeading(finding);
    return [
      `Of another kind (${kind}), compared with ${printable(finding.against ?? '')}${where}, ${kindText(finding.rows, readMeasure(finding), isBrief)}.`,
    ];
  },
};
