// Many groups in a few sentences: for each series whether it wins everywhere, nowhere, or here and there.

import { headlineMeasure } from '../../cell/headline.js';
import { capitalised, groupedBy, listed } from '../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../format/numbers.js';
import { cellName } from './groups.js';
import { comparativesFor, comparedNoun, superlativeFor } from './measure-words.js';
import { byKind } from './ranking.js';
import { exceptionText } from './transport-kinds.js';
import { leadIn } from './verdicts.js';

/** @import { Group } from './groups.js' */
/** @import { Compared, Verdict } from './verdicts.js' */

const VERDICTS = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);

/**
 * @param {Group[]} groups    each with something measured
 * @param {import('./transport-kinds.js').KindIn} kindIn
 * @param {string} rows       of which there are groups: 'rows', or 'rows of stream' beside those of others
 * @returns {string} who is ahead where, and in how many groups that is more than an estimate
 */
function highestSentence(groups, kindIn, rows) {
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
  const superlative = superlativeFor(headlineMeasure(leads[0].alike[0]));
  const counts = [...wins].sort(([, left], [, right]) => right.count - left.count);
  if (counts.length === 1) {
    const [[name, win]] = counts;
    const clearly = clearlyText(win);
    return `${name} had the ${superlative} estimate in all ${groups.length} groups of ${rows}${clearly === '' ? '' : `, ${clearly}`}${but}.`;
  }
  const winners = counts.map(([name, win]) => {
    const clearly = clearlyText(win);
    return `${name} in ${win.count}${clearly === '' ? '' : ` (${clearly})`}`;
  });
  return `Of ${groups.length} groups of ${rows} the ${superlative} estimate had: ${listed(winners, 4)}${but}.`;
}

/** @param {{ count: number, clear: number }} win @returns {string} in how many it is fastest; '' in all of them */
function clearlyText({ count, clear }) {
  if (clear === count) return '';
  return clear === 0 ? 'clearly in none' : `clearly in ${clear}`;
}

/** @param {Compared[]} some    of one series @returns {string} '1.28–1.81×', the outermost ends of the intervals */
function outermost(some) {
  const least = Math.min(...some.map(({ ratio }) => ratio.low));
  const greatest = Math.max(...some.map(({ ratio }) => ratio.high));
  return least === greatest
    ? formatRatio(least) // one launch has no range
    : formatRatioRange(least, greatest);
}

/** @param {Compared[]} some    of one series @returns {string} 'more in 2, fewer in 5' */
export function tally(some) {
  const words = {
    ...comparativesFor(headlineMeasure(some[0].outcome)),
    unclear: 'cannot tell',
    none: 'no verdict',
  };
  return VERDICTS.flatMap((verdict) => {
    const count = some.filter((one) => one.verdict === verdict).length;
    return count === 0 ? [] : [`${words[verdict]} in ${count}`];
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
 * @param {string} [rows]              as in highestSentence
 * @returns {string[]}
 */
export function sentencesOfMany(groups, reference, comparedByGroup, kindIn, rows = 'rows') {
  const all = comparedByGroup.flat();
  const byName = bySeries(all.filter(({ kind }) => kind === ''));
  const count = comparedByGroup.filter((compared) => compared.length > 0).length;
  const everywhere = (/** @type {Verdict} */ verdict) =>
    [...byName].filter(([, some]) => some.every((one) => one.verdict === verdict));
  const mixed = [...byName].filter(([, some]) => some.some((one) => one.verdict !== some[0].verdict));
  const sentences = [highestSentence(groups, kindIn, rows)];
  const say = (/** @type {string} */ claim, /** @type {Verdict} */ verdict) => {
    const series = everywhere(verdict);
    if (series.length > 0) sentences.push(`${claim}: ${seriesList(series, count)}.`);
  };
  const [[first]] = groups.map(({ measured }) => measured);
  const { better, worse } = comparativesFor(headlineMeasure(first));
  const what = comparedNoun(first);
  say(
    `${capitalised(better)}${what} than ${reference} in all of them (outermost ends of the intervals)`,
    'better',
  );
  say(`${capitalised(worse)}${what} than ${reference} in all of them`, 'worse');
  say(`Cannot tell from ${reference} in any of them`, 'unclear');
  const reasons = new Set(everywhere('none').flatMap(([, some]) => some.map(({ why }) => why)));
  say(`Compared with ${reference} without a verdict (${listed([...reasons], 2)}), about`, 'none');
  if (mixed.length > 0) {
    const texts = mixed.map(([name, some]) => `${name} (${tally(some)})`);
    sentences.push(`Compared with ${reference} it depends: ${listed(texts)}.`);
  }
  for (const [kind, some] of byKind(all)) {
    const texts = [...bySeries(some)].map(
      ([name, own]) => `${name} (${tally(own)}; ${outermost(own)}${countText(own, count)})`,
    );
    sentences.push(`${capitalised(kind)}, beside ${reference}: ${listed(texts)}.`);
  }
  return sentences;
}

/** @param {Compared[]} some @returns {Map<string, Compared[]>} by the name of their series */
function bySeries(some) {
  return groupedBy(some, ({ name }) => name);
}
