// Many groups in a few sentences: for each series whether it wins everywhere, nowhere, or here and there.

import { headlineMeasure } from '../../cell/headline.js';
import { capitalised, groupedBy, listed } from '../../format/lists.js';
import { formatRatio, formatRatioRange } from '../../format/numbers.js';
import { cellName, placeNoun } from './groups.js';
import { comparativesFor, superlativeFor, winnerWord } from './measure-words.js';
import { byKind, kindLead, NO_DIFFERENCE } from './ranking.js';
import { exceptionText } from './transport-kinds.js';
import { leadIn } from './verdicts.js';

/** @import { Group, PlaceNoun } from './groups.js' */
/** @import { Compared, Verdict } from './verdicts.js' */

const VERDICTS = /** @type {const} */ (['better', 'worse', 'unclear', 'none']);

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
  const words = {
    ...comparativesFor(headlineMeasure(some[0].outcome)),
    unclear: NO_DIFFERENCE,
    none: 'no verdict',
  };
  return VERDICTS.flatMap((verdict) => {
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
