// How the cost of an operation changes along an axis: with the payload, the workers, the loops. Cost is CPU time of all
// processes, which other programs disturb least. Launches of one block are held against each other, as in all ratios.

import { AXES } from '../../cell/axes.js';
import { commonOperation } from '../../cell/headline.js';
import { article, capitalised, groupedBy, listed } from '../../format/lists.js';
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatNumber,
  formatPercent,
  formatRatio,
  formatRatioInterval,
  spanText,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { cpuUsInAll, hasCpuCost, hasKnownCosts } from '../../results/calibration-rows.js';
import { summariseCosts } from '../../results/summarise.js';
import { STEEP_EXPONENT, STEEP_RATIO, TOLERATED_GROWTH } from '../../results/thresholds.js';
import { estimateRatio } from '../../statistics/estimate.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { sum, sumBy } from '../../statistics/sum.js';
import { claimDirection } from '../../statistics/verdict.js';
import { asOneQuestion, cellName, findPieces, formatQuestion, isMeasured, isOpen } from './groups.js';
import { hasOverhead } from './payload-cost.js';
import { notRankedReason } from './verdicts.js';

/** @import { CpuUsPerOperation, Estimate, MeasuredOutcome, Outcome, PiecesFacts, ScenarioFacts, MeasuredLaunch, Results } from '../../types/index.js' */

/**
 * @typedef {object} Series             what differs in one quantity alone
 * @property {string} quantity          a property of its cells: 'payloadBytes', 'workers', 'loops'
 * @property {PiecesFacts} [pieces]     what its payload is counted in; absent: bytes, or another quantity
 * @property {MeasuredOutcome[]} outcomes   at three values or more, ascending
 * @property {number[]} values          of the quantity, one for each outcome
 */
/**
 * @typedef {object} Change             along the quantity
 * @property {{ kind: 'flat' | 'falls' | 'grows' | 'unclear', ratio: Estimate }} change   times the cost of the first, from it to the last
 * @property {number} sameTo            up to this value all cost about as much as the first
 * @property {Estimate | null} usPerUnit   CPU time that each unit beyond it adds; null: it does not grow
 * @property {string | null} mainRole   key of the costs: more than half of that is its; null: nobody's
 * @property {boolean} isSteep          it grows faster than it should
 */
/** @typedef {Series & Change} Growth */
/** @typedef {CpuUsPerOperation[]} CostsByBlock   in the order of the blocks that all launches of a series share */

const LEAST_VALUES = 3;
const MAIN_SHARE = 0.5;

/**
 * @param {string} quantity
 * @param {MeasuredOutcome} outcome
 * @returns {string | null} what all workers get, where the quantity is how many they are
 */
function toAllPhrase(quantity, { operation }) {
  return quantity === 'workers' ? (operation.toAll ?? null) : null;
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {Record<string, ScenarioFacts>} scenarios   of the results
 * @returns {Series[]} in the order of the plan
 */
function seriesAlong(measured, scenarios) {
  const asked = measured.map((outcome) => asOneQuestion(scenarios, outcome));
  const quantities = AXES.filter(({ isQuantity, part }) => isQuantity && part !== 'load');
  return quantities.flatMap(({ keys, columns }) =>
    keys.flatMap((quantity) => {
      const alike = groupedBy(asked, ({ cell: { [/** @type {'loops'} */ (quantity)]: _, ...others } }) =>
        JSON.stringify(others),
      );
      return [...alike.values()].flatMap((some) => {
        if (some.length < LEAST_VALUES) return [];
        const pieces = quantity === 'payloadBytes' ? findPieces(scenarios, some[0].cell.scenario) : undefined;
        const countIn = (/** @type {MeasuredOutcome} */ { cell }) =>
          Number(columns(cell)[quantity]) / (pieces?.bytes ?? 1);
        const outcomes = some.toSorted((left, right) => countIn(left) - countIn(right));
        return { quantity, ...(pieces && { pieces }), outcomes, values: outcomes.map(countIn) };
      });
    }),
  );
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {Record<string, ScenarioFacts>} [scenarios]
 * @returns {Growth[]} of every series with launches enough for a verdict
 */
export function growthsIn(outcomes, scenarios = {}) {
  const usable = outcomes.filter(isMeasured).filter((outcome) => !isOpen(outcome) && hasCpuCost(outcome));
  const ranked = usable.filter((outcome) => notRankedReason(outcome) === '');
  return seriesAlong(ranked, scenarios).flatMap((series) => growthAlong(series) ?? []);
}

/** @param {Series} series @returns {Growth | null} null: its launches have no block in common */
function growthAlong(series) {
  const { quantity, outcomes, values } = series;
  const costs = costsByBlock(outcomes);
  if (costs[0].length === 0) return null;
  const isToAll = toAllPhrase(quantity, outcomes[0]) !== null;
  const totals = costs.map((blocks, index) =>
    blocks.map((cost) => Number(cpuUsInAll(cost)) * (isToAll ? values[index] : 1)),
  );
  if (!totals.flat().every((us) => us > 0)) return null;
  const ratios = totals.map((own) => estimateRatio(own, totals[0]));
  const last = values.length - 1;
  const change = { ratio: ratios[last], kind: classifyChange(ratios[last]) };
  const different = ratios.findIndex(({ high }, index) => index > 0 && high > TOLERATED_GROWTH);
  const same = different === -1 ? last : different - 1;
  const common = { ...series, change, sameTo: values[same] };
  if (change.kind !== 'grows') return { ...common, usPerUnit: null, mainRole: null, isSteep: false };
  const units = values[last] - values[same];
  const added = totals[last].map((us, block) => us - totals[same][block]);
  return {
    ...common,
    usPerUnit: signedRankInterval(added.map((us) => us / units)),
    mainRole: findMainRole(costs[same], costs[last], isToAll ? [values[same], values[last]] : [1, 1]),
    // Bytes, and those who get a message, may cost in proportion; what one operation costs should not depend on how many
    // loops or workers there are.
    isSteep:
      isToAll || quantity === 'payloadBytes'
        ? isOverProportional(values, totals)
        : ratios[last].low > STEEP_RATIO,
  };
}

/** @param {Estimate} ratio @returns {Change['change']['kind']} */
function classifyChange(ratio) {
  const { low, high } = ratio;
  if (claimDirection(ratio) > 0 && high > TOLERATED_GROWTH) return 'grows';
  if (high < 1 / TOLERATED_GROWTH) return 'falls';
  return high <= TOLERATED_GROWTH && low >= 1 / TOLERATED_GROWTH ? 'flat' : 'unclear';
}

/** @param {MeasuredOutcome[]} outcomes @returns {CostsByBlock[]} of each */
function costsByBlock(outcomes) {
  const blocks = outcomes.map(({ launches }) => launches.filter(hasKnownCosts).map(({ block }) => block));
  const shared = blocks[0].filter((block) => blocks.every((own) => own.includes(block)));
  return outcomes.map(({ launches }) =>
    shared.map(
      (block) => summariseCosts(launches.filter((launch) => launch.block === block)).cpuUsPerOperation,
    ),
  );
}

/** @param {number[]} values @param {number[][]} totals @returns {boolean} the last step costs more than its share of bytes */
function isOverProportional(values, totals) {
  const [before, last] = [values.length - 2, values.length - 1];
  const step = Math.log(values[last] / values[before]);
  const exponents = totals[last].map((us, block) => Math.log(us / totals[before][block]) / step);
  return signedRankInterval(exponents).low > STEEP_EXPONENT;
}

/** @param {CostsByBlock} from @param {CostsByBlock} to @param {number[]} times   each counts @returns {string | null} */
function findMainRole(from, to, [timesFrom, timesTo]) {
  const sumOf = (/** @type {CostsByBlock} */ costs, /** @type {string} */ role) =>
    sumBy(costs, (own) => own[role] ?? 0);
  const addedBy = (/** @type {string} */ role) => timesTo * sumOf(to, role) - timesFrom * sumOf(from, role);
  const added = Object.keys(to[0]).map((role) => ({ role, us: addedBy(role) }));
  const whole = sumBy(added, ({ us }) => us);
  return added.find(({ us }) => us > MAIN_SHARE * whole)?.role ?? null;
}

// Growth in sentences: one for each axis with three values or more, and one for each series that grows faster than it should.

const NAMES_TOLD = 3;
const STEEP_TOLD = 2;

/** @typedef {Growth['change']['kind'] | 'mixed'} Kind   mixed: in some places one, in some another */

/** @type {Readonly<Record<Kind, string>>} */
const CLAIMS = Object.freeze({
  flat: `stays within ${formatPercent(TOLERATED_GROWTH - 1)} for`,
  falls: 'falls for',
  grows: 'grows for',
  mixed: 'depends on the other axes for',
  unclear: 'does not change clearly for',
});

/** @param {Growth[]} some   of one series @returns {Kind} */
function commonKind(some) {
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
  const details = [
    ...(roles.size === 1 && role !== null ? [`mostly in the ${printable(role)}`] : []),
    ...(some[0].pieces === undefined ? [] : [`per ${step} it becomes ${perPieceText(some)}`]),
  ];
  return `by ${us} for ${each}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

/** @param {Growth[]} some   of one series, whose payload is counted in pieces @returns {string} '0.22×', the last of the first */
function perPieceText(some) {
  const ratios = some.map(
    ({ values, change }) => (change.ratio.estimate * values[0]) / values[values.length - 1],
  );
  return spanText(ratios, '–', formatRatio);
}

/** @param {Estimate} estimate @param {number} factor @returns {Estimate} */
function scaled({ estimate, low, high, ...rest }, factor) {
  return { estimate: estimate * factor, low: low * factor, high: high * factor, ...rest };
}

/** @param {Kind} kind @param {Growth[]} some   of one series @param {QuantityWords} words @returns {string} with its name */
function seriesText(kind, some, words) {
  const [{ outcomes }] = some;
  const name = cellName(outcomes[0].cell);
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
function formatGrowths(growths, isBrief, isOneOfMany) {
  const [first] = growths;
  const { values } = first;
  const words = quantityWords(first);
  const series = groupedBy(growths, ({ outcomes: [{ cell }] }) => cellName(cell));
  const byKind = groupedBy(series.values(), commonKind);
  const isTold = ['flat', 'falls', 'grows'].some((kind) => byKind.has(/** @type {Kind} */ (kind)));
  if (isBrief && !isTold) return [];
  const claims = /** @type {Kind[]} */ (Object.keys(CLAIMS)).flatMap((kind) => {
    const told = (byKind.get(kind) ?? []).map((some) => seriesText(kind, some, words));
    return told.length === 0 ? [] : [`${CLAIMS[kind]} ${listed(told, NAMES_TOLD)}`];
  });
  const span = `From ${words.text(values[0])} to ${words.text(values[values.length - 1])}`;
  return [`${span} the CPU time of ${operationWords(first, isOneOfMany)} ${claims.join('; it ')}.`];
}

/** @param {Growth} growth @param {boolean} isOneOfMany   scenarios @returns {string} */
function steepSentence(growth, isOneOfMany) {
  const { quantity, outcomes, values, change, mainRole } = growth;
  const { more, of, text } = quantityWords(growth);
  const [{ cell }] = outcomes;
  const payer = mainRole === null ? '' : `, most of it in the ${printable(mainRole)}`;
  const mayGrow = quantity === 'payloadBytes' || toAllPhrase(quantity, outcomes[0]) !== null;
  const should = mayGrow ? `costs more than in proportion to ${of}` : `should not cost more with ${more}`;
  return `${cellName(cell)} ${should}: ${operationWords(growth, isOneOfMany)} takes ${formatRatioInterval(change.ratio)} the CPU time at ${text(/** @type {number} */ (values.at(-1)))} compared with ${text(values[0])}${payer}.`;
}

/** @param {BrokerGrowth} growth @param {boolean} isOneOfMany   scenarios @returns {string} */
function brokerSentence(growth, isOneOfMany) {
  const { quantity, outcomes, values, messages, perUnit } = growth;
  const { more, of, step, text } = quantityWords(growth);
  const should =
    toAllPhrase(quantity, outcomes[0]) === null
      ? `should not need more with ${more}`
      : `needs more than in proportion to ${of}`;
  const last = values.length - 1;
  return `Messages at the broker: ${cellName(outcomes[0].cell)} ${should}. ${capitalised(operationWords(growth, isOneOfMany))} takes ${formatNumber(messages[last])} at ${text(values[last])} and ${formatNumber(messages[0])} at ${text(values[0])}: each further ${step} costs ${formatNumber(perUnit)}.`;
}

/** @param {Pick<Results, 'outcomes' | 'scenarios'>} results @param {{ isBrief?: boolean }} detail @returns {string[]} what grows too fast first */
export function growthSentences({ outcomes, scenarios }, { isBrief = false }) {
  // What a payload adds to a task has sentences of its own.
  const growths = growthsIn(outcomes, scenarios).filter(
    ({ quantity, outcomes: [first] }) => !(quantity === 'payloadBytes' && hasOverhead(first)),
  );
  const steep = growths
    .filter(({ isSteep }) => isSteep)
    .toSorted((left, right) => right.change.ratio.estimate - left.change.ratio.estimate);
  const ofBrokers = brokerGrowthsIn(outcomes)
    .filter(({ isSteep }) => isSteep)
    .toSorted((left, right) => right.perUnit - left.perUnit);
  const isOneOfMany = new Set(outcomes.map(({ cell }) => formatQuestion(scenarios, cell.scenario))).size > 1;
  const alike = groupedBy(growths, ({ quantity, outcomes: [{ cell }] }) => `${cell.scenario} ${quantity}`);
  return [
    ...ofBrokers.slice(0, STEEP_TOLD).map((growth) => brokerSentence(growth, isOneOfMany)),
    ...steep.slice(0, STEEP_TOLD).map((growth) => steepSentence(growth, isOneOfMany)),
    ...[...alike.values()].flatMap((some) => formatGrowths(some, isBrief, isOneOfMany)),
  ];
}

// Messages that pass a broker for each operation, given and delivered, where they become more with the workers, the loops or
// the connections. They are counted, so that neither few launches nor rows that were cold keep them from being told.

/**
 * @typedef {object} Counted
 * @property {number[]} messages    one number for each value; of a message to all workers, where the quantity is how many they are
 * @property {number} perUnit       that each further unit adds
 * @property {boolean} isSteep      they should not become more, or not so fast
 */
/** @typedef {Series & Counted} BrokerGrowth */

/** @param {readonly Outcome[]} outcomes @returns {BrokerGrowth[]} of every series that grows */
function brokerGrowthsIn(outcomes) {
  const told = outcomes.filter(isMeasured).filter((outcome) => !isOpen(outcome) && hasOwnTraffic(outcome));
  // Larger messages bring along more notes of how much was read.
  const ofCounts = seriesAlong(told, {}).filter(({ quantity }) => quantity !== 'payloadBytes');
  return ofCounts.flatMap((series) => detectGrowth(series) ?? []);
}

/** @param {Series} series @returns {BrokerGrowth | null} null: it does not grow */
function detectGrowth(series) {
  const { quantity, outcomes, values } = series;
  const isToAll = toAllPhrase(quantity, outcomes[0]) !== null;
  const isWhole = outcomes.every(({ launches }) =>
    launches.every(({ traffic }) => traffic !== undefined && traffic.delivered !== null),
  );
  const messages = outcomes.map(
    ({ launches }, index) => messagesIn(launches, isWhole) * (isToAll ? values[index] : 1),
  );
  const last = values.length - 1;
  if (!(messages[last] > TOLERATED_GROWTH * messages[0])) return null;
  const perUnit = (messages[last] - messages[0]) / (values[last] - values[0]);
  const each = messages.map((count) => [count]);
  return { ...series, messages, perUnit, isSteep: !isToAll || isOverProportional(values, each) };
}

/**
 * @param {MeasuredOutcome} outcome
 * @returns {boolean} false: other clients may use the broker, and its CPU time is unknown
 */
function hasOwnTraffic({ launches, cpuUsPerOperation }) {
  return cpuUsPerOperation.broker !== null && launches.every(({ traffic }) => traffic !== undefined);
}

/** @param {MeasuredLaunch[]} launches @param {boolean} isWhole   the broker tells what it delivered, too @returns {number} their mean */
function messagesIn(launches, isWhole) {
  const counts = launches.map(
    ({ traffic }) => Number(traffic?.published) + (isWhole ? Number(traffic?.delivered) : 0),
  );
  return sum(counts) / counts.length;
}

// What a sentence about growth calls the quantity that grows, and the operation that costs more for it.
const BYTES_PER_STEP = 1_024;

/**
 * @typedef {object} QuantityWords
 * @property {string} of          'the loops', 'the payload'
 * @property {string} more        'more loops', 'a greater payload'
 * @property {string} step        what is added: 'loop', 'KiB'
 * @property {number} size        of a step
 * @property {(value: number) => string} text   '64 loops', '10 KiB'
 */

/** @param {Pick<Series, 'quantity' | 'pieces'>} series @returns {QuantityWords} */
function quantityWords({ quantity, pieces }) {
  if (quantity === 'payloadBytes' && pieces === undefined)
    return {
      of: 'the payload',
      more: 'a greater payload',
      step: 'KiB',
      size: BYTES_PER_STEP,
      text: formatBytes,
    };
  const many = printable(pieces?.name ?? quantity);
  const one = many.replace(/s$/, '');
  const text = (/** @type {number} */ value) => `${formatCount(value)} ${value === 1 ? one : many}`;
  return { of: `the ${many}`, more: `more ${many}`, step: one, size: 1, text };
}

/**
 * @param {Pick<Series, 'quantity' | 'outcomes'>} series
 * @param {boolean} isOneOfMany   scenarios
 * @returns {string} what the cost is of: 'a round trip', 'a message to all workers (fan-out)'
 */
function operationWords({ quantity, outcomes }, isOneOfMany) {
  const toAll = toAllPhrase(quantity, outcomes[0]);
  const { one } = commonOperation(outcomes);
  const what = toAll === null ? one : `${toAll} to all workers`;
  const where = isOneOfMany ? ` (${outcomes[0].cell.scenario})` : '';
  return printable(`${article(what)} ${what}${where}`);
}
