// What is said of growth: a sentence for each axis with three values or more, and one for each series that grows faster than it
// should.

import { operationOf } from '../cell/headline.js';
import { TOLERATED_GROWTH } from '../results/thresholds.js';
import { article, groupedBy, listed } from '../words/lists.js';
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatPercent,
  formatRatio,
  formatRatioInterval,
  spanText,
} from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { nameOf } from './groups.js';
import { growthsIn, toAllOf } from './growth.js';

/** @import { Estimate } from '../types/launches.js' */
/** @import { Outcome } from '../types/outcomes.js' */
/** @import { Growth } from './growth.js' */

const NAMES_TOLD = 3;
const STEEP_TOLD = 2;
const BYTES_PER_STEP = 1_024;

/**
 * @typedef {object} QuantityWords
 * @property {string} of          'the loops', 'the payload'
 * @property {string} more        'more loops', 'a greater payload'
 * @property {string} step        what is added: 'loop', 'KiB'
 * @property {number} size        of a step
 * @property {(value: number) => string} text   '64 loops', '10 KiB'
 */

/** @param {string} quantity   a property of cells @returns {QuantityWords} */
function wordsOf(quantity) {
  if (quantity === 'payloadBytes')
    return {
      of: 'the payload',
      more: 'a greater payload',
      step: 'KiB',
      size: BYTES_PER_STEP,
      text: formatBytes,
    };
  const one = quantity.replace(/s$/, '');
  const text = (/** @type {number} */ value) => `${formatCount(value)} ${value === 1 ? one : quantity}`;
  return { of: `the ${quantity}`, more: `more ${quantity}`, step: one, size: 1, text };
}

/** @typedef {Growth['change']['kind'] | 'mixed'} Kind   mixed: in some places one, in some another */

/** What is said of the series of each kind. @type {Readonly<Record<Kind, string>>} */
const CLAIMS = Object.freeze({
  flat: `stays within ${formatPercent(TOLERATED_GROWTH - 1)} for`,
  falls: 'falls for',
  grows: 'grows for',
  mixed: 'depends on the other axes for',
  unclear: 'cannot be told to change for',
});

/** @param {Growth[]} some   of one series @returns {Kind} */
function kindOf(some) {
  const [{ change }] = some;
  return some.every((growth) => growth.change.kind === change.kind) ? change.kind : 'mixed';
}

/** @param {Growth[]} some   of one series, that fall @returns {string} 'to 0.41× (0.38–0.44)' */
function fallText(some) {
  const [{ change }] = some;
  if (some.length === 1) return `to ${formatRatioInterval(change.ratio)}`;
  return `to ${spanText(
    some.map(({ change: { ratio } }) => ratio.estimate),
    '–',
    formatRatio,
  )}`;
}

/** @param {Growth[]} some   of one series, that grow @param {QuantityWords} words @returns {string} 'by 2.1 µs (2.0–2.3) for each KiB beyond 1,000 B' */
function growthText(some, { step, size, text }) {
  const perStep = some.flatMap(({ usPerUnit }) => (usPerUnit === null ? [] : scaled(usPerUnit, size)));
  const us =
    perStep.length === 1
      ? formatInterval(perStep[0], ' µs')
      : `${spanText(perStep.map(({ estimate }) => estimate))} µs`;
  const sameTo = Math.min(...some.map((growth) => growth.sameTo));
  const each = sameTo === some[0].values[0] ? `each further ${step}` : `each ${step} beyond ${text(sameTo)}`;
  const roles = new Set(some.map(({ mainRole }) => mainRole));
  const [role] = roles;
  const payer = roles.size === 1 && role !== null ? ` (mostly of the ${printable(role)})` : '';
  return `by ${us} for ${each}${payer}`;
}

/** @param {Estimate} estimate @param {number} factor @returns {Estimate} */
function scaled({ estimate, low, high, ...rest }, factor) {
  return { estimate: estimate * factor, low: low * factor, high: high * factor, ...rest };
}

/** @param {Kind} kind @param {Growth[]} some   of one series @param {QuantityWords} words @returns {string} with its name */
function seriesText(kind, some, words) {
  const [{ outcomes }] = some;
  const name = nameOf(outcomes[0].cell);
  if (kind === 'falls') return `${name} ${fallText(some)}`;
  return kind === 'grows' ? `${name} ${growthText(some, words)}` : name;
}

/**
 * @param {Growth[]} growths   along one quantity, of one scenario
 * @param {boolean} isBrief
 * @param {boolean} isOneOfMany   scenarios
 * @returns {string[]} 'From 1 loop to 64 loops the CPU time of a round trip stays the same for unix/json; it …'; brief: nothing
 *   where nothing is the same everywhere
 */
function sentenceOf(growths, isBrief, isOneOfMany) {
  const [first] = growths;
  const { quantity, values } = first;
  const words = wordsOf(quantity);
  const series = groupedBy(growths, ({ outcomes: [{ cell }] }) => nameOf(cell));
  const byKind = groupedBy(series.values(), kindOf);
  const isTold = ['flat', 'falls', 'grows'].some((kind) => byKind.has(/** @type {Kind} */ (kind)));
  if (isBrief && !isTold) return [];
  const claims = /** @type {Kind[]} */ (Object.keys(CLAIMS)).flatMap((kind) => {
    const told = (byKind.get(kind) ?? []).map((some) => seriesText(kind, some, words));
    return told.length === 0 ? [] : [`${CLAIMS[kind]} ${listed(told, NAMES_TOLD)}`];
  });
  const span = `From ${words.text(values[0])} to ${words.text(values[values.length - 1])}`;
  return [`${span} the CPU time of ${anOperation(first, isOneOfMany)} ${claims.join('; it ')}.`];
}

/** @param {Growth} growth @param {boolean} isOneOfMany   scenarios @returns {string} */
function steepSentence(growth, isOneOfMany) {
  const { quantity, outcomes, values, change, mainRole } = growth;
  const { more, of, text } = wordsOf(quantity);
  const [{ cell }] = outcomes;
  const payer = mainRole === null ? '' : `, most of it in the ${printable(mainRole)}`;
  const mayGrow = quantity === 'payloadBytes' || toAllOf(quantity, outcomes[0]) !== null;
  const should = mayGrow ? `costs more than in proportion to ${of}` : `should not cost more with ${more}`;
  return `${nameOf(cell)} ${should}: ${anOperation(growth, isOneOfMany)} takes ${formatRatioInterval(change.ratio)} the CPU time at ${text(/** @type {number} */ (values.at(-1)))} of that at ${text(values[0])}${payer}.`;
}

/**
 * @param {Growth} growth
 * @param {boolean} isOneOfMany   scenarios
 * @returns {string} what its cost is of: 'a round trip', 'a message to all workers (fan-out)'
 */
function anOperation({ quantity, outcomes }, isOneOfMany) {
  const toAll = toAllOf(quantity, outcomes[0]);
  const { one } = operationOf(outcomes);
  const what = toAll === null ? one : `${toAll} to all workers`;
  const where = isOneOfMany ? ` (${outcomes[0].cell.scenario})` : '';
  return printable(`${article(what)} ${what}${where}`);
}

/** @param {readonly Outcome[]} outcomes @param {{ isBrief?: boolean }} detail @returns {string[]} what grows too fast first */
export function growthSentences(outcomes, { isBrief = false }) {
  const growths = growthsIn(outcomes);
  const steep = growths
    .filter(({ isSteep }) => isSteep)
    .toSorted((left, right) => right.change.ratio.estimate - left.change.ratio.estimate);
  const isOneOfMany = new Set(outcomes.map(({ cell }) => cell.scenario)).size > 1;
  const alike = groupedBy(growths, ({ quantity, outcomes: [{ cell }] }) => `${cell.scenario} ${quantity}`);
  return [
    ...steep.slice(0, STEEP_TOLD).map((growth) => steepSentence(growth, isOneOfMany)),
    ...[...alike.values()].flatMap((some) => sentenceOf(some, isBrief, isOneOfMany)),
  ];
}
