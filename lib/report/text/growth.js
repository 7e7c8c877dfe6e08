// Describes how the cost of an operation changes along an axis: with the payload, workers, loops or connections. Cost is CPU time of all
// processes, which other programs disturb least, and messages that pass a broker.

import { AXES } from '../../cell/axes.js';
import { commonOperation } from '../../cell/headline.js';
import { UNDIVIDED } from '../../cell/launch-roles.js';
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
import { sumBy } from '../../statistics/sum.js';
import { claimDirection } from '../../statistics/verdict.js';
import { asOneQuestion, cellName, findPieces, formatQuestion, isMeasured, isOpen } from './groups.js';
import { valuesOfSharedGroups } from './shared-groups.js';
import { hasOverhead } from './task-words.js';
import { notRankedReason } from './verdicts.js';

/** @import { CpuUsPerOperation, Estimate, MeasuredOutcome, Outcome, PiecesFacts, Results, ScenarioFacts } from '../../types/index.js' */

/**
 * Rows that differ only in one quantity.
 * @typedef {object} Series
 * @property {string} quantity          a property of the cells: 'payloadBytes', 'workers', 'loops', 'connections'
 * @property {PiecesFacts} [pieces]     unit of the payload, if it is not bytes
 * @property {MeasuredOutcome[]} outcomes   three or more, by ascending quantity
 * @property {number[]} values          the quantity of each outcome
 * @property {number[]} times           factor for the cost of each outcome: the number of workers if each gets a message, otherwise 1
 */
/**
 * @typedef {object} Change
 * @property {'flat' | 'falls' | 'grows' | 'unclear'} kind
 * @property {Estimate} ratio           last cost / first cost
 * @property {number} sameTo            greatest value up to which the interval of no ratio to the first cost exceeds TOLERATED_GROWTH
 * @property {Estimate | null} usPerUnit   CPU time that each unit above `sameTo` adds; null if the cost does not grow
 * @property {string | null} mainRole   role of the processes that spend more than half of the added time
 * @property {boolean} isSteep          more than proportional growth, or a ratio above STEEP_RATIO where no growth is expected
 */
/** @typedef {Series & Change} Growth */
/**
 * @typedef {Series & { messages: number[], perUnit: number, isSteep: boolean }} BrokerGrowth   messages: number per operation at each value
 */

const LEAST_VALUES = 3;
const MAIN_SHARE = 0.5;
const STEEP_SHOWN = 2;
const NAMES_SHOWN = 3;
const NAMED_IN_BRIEF = 2;
const BYTES_PER_STEP = 1_024;

/**
 * @param {Pick<Series, 'quantity' | 'outcomes'>} series
 * @returns {string | undefined} phrase for an operation with all workers, if their number varies
 */
function toAllPhrase({ quantity, outcomes: [{ operation }] }) {
  return quantity === 'workers' ? operation.toAll : undefined;
}

/** @param {MeasuredOutcome[]} measured @param {Record<string, ScenarioFacts>} scenarios @returns {Series[]} by axis */
function seriesAlong(measured, scenarios) {
  const questions = measured.map((outcome) => asOneQuestion(scenarios, outcome));
  const axes = AXES.filter(({ isQuantity, part }) => isQuantity && part !== 'load');
  return axes.flatMap(({ keys, columns }) =>
    keys.flatMap((quantity) => {
      const alike = groupedBy(questions, ({ cell: { [/** @type {'loops'} */ (quantity)]: _, ...others } }) =>
        JSON.stringify(others),
      );
      return [...alike.values()].flatMap((rows) => {
        if (rows.length < LEAST_VALUES) return [];
        const pieces = quantity === 'payloadBytes' ? findPieces(scenarios, rows[0].cell.scenario) : undefined;
        const countIn = (/** @type {MeasuredOutcome} */ { cell }) =>
          Number(columns(cell)[quantity]) / (pieces?.bytes ?? 1);
        const outcomes = rows.toSorted((left, right) => countIn(left) - countIn(right));
        const values = outcomes.map(countIn);
        const times = toAllPhrase({ quantity, outcomes }) === undefined ? values.map(() => 1) : values;
        return { quantity, ...(pieces && { pieces }), outcomes, values, times };
      });
    }),
  );
}

/**
 * Covers ranked rows of closed loops with known CPU costs. Series whose rows have no group of launches in common are left out.
 * @param {readonly Outcome[]} outcomes
 * @param {Record<string, ScenarioFacts>} scenarios
 * @returns {Growth[]}
 */
export function growthsIn(outcomes, scenarios) {
  const usable = outcomes
    .filter(isMeasured)
    .filter((outcome) => !isOpen(outcome) && hasCpuCost(outcome) && notRankedReason(outcome) === '');
  return seriesAlong(usable, scenarios).flatMap((series) => growthAlong(series) ?? []);
}

/** @param {Series} series @returns {Growth | null} null if its rows have no group in common, or a cost is not above 0 */
function growthAlong(series) {
  const { quantity, outcomes, values, times } = series;
  const costs = valuesOfSharedGroups(outcomes, (launch) =>
    hasKnownCosts(launch) ? summariseCosts([launch]).cpuUsPerOperation : null,
  );
  const totals = costs.map((groups, place) => groups.map((cost) => Number(cpuUsInAll(cost)) * times[place]));
  if (costs[0].length === 0 || !totals.flat().every((us) => us > 0)) return null;
  const ratios = totals.map((own) => estimateRatio(own, totals[0]));
  const last = values.length - 1;
  const ratio = ratios[last];
  const different = ratios.findIndex(({ high }, place) => place > 0 && high > TOLERATED_GROWTH);
  const same = different === -1 ? last : different - 1;
  const common = { ...series, ratio, kind: classifyChange(ratio), sameTo: values[same] };
  if (common.kind !== 'grows') return { ...common, usPerUnit: null, mainRole: null, isSteep: false };
  const added = totals[last].map((us, group) => (us - totals[same][group]) / (values[last] - values[same]));
  return {
    ...common,
    usPerUnit: signedRankInterval(added),
    mainRole: findMainRole(costs, times, same),
    // Bytes, and processes that all get a message, may cost in proportion. What one operation costs should not depend on how many
    // loops or workers there are.
    isSteep:
      quantity === 'payloadBytes' || times === values
        ? isOverProportional(values, totals)
        : ratio.low > STEEP_RATIO,
  };
}

/** @param {Estimate} ratio @returns {Change['kind']} */
function classifyChange(ratio) {
  const { low, high, level } = ratio;
  if (level === null) return 'unclear';
  if (claimDirection(ratio) > 0 && high > TOLERATED_GROWTH) return 'grows';
  if (high < 1 / TOLERATED_GROWTH) return 'falls';
  return high <= TOLERATED_GROWTH && low >= 1 / TOLERATED_GROWTH ? 'flat' : 'unclear';
}

/** @param {number[]} values @param {number[][]} totals @returns {boolean} true if the last step grows more than in proportion */
function isOverProportional(values, totals) {
  const [before, last] = [values.length - 2, values.length - 1];
  const step = Math.log(values[last] / values[before]);
  const exponents = totals[last].map((us, group) => Math.log(us / totals[before][group]) / step);
  return signedRankInterval(exponents).low > STEEP_EXPONENT;
}

/** @param {CpuUsPerOperation[][]} costs @param {number[]} times @param {number} from   index of a value @returns {string | null} */
function findMainRole(costs, times, from) {
  const last = costs.length - 1;
  const sumAt = (/** @type {number} */ place, /** @type {string} */ role) =>
    times[place] * sumBy(costs[place], (own) => own[role] ?? 0);
  const added = Object.keys(costs[last][0]).map((role) => ({
    role,
    us: sumAt(last, role) - sumAt(from, role),
  }));
  const whole = sumBy(added, ({ us }) => us);
  const main = added.find(({ us }) => us > MAIN_SHARE * whole)?.role ?? null;
  return main === UNDIVIDED ? null : main;
}

/**
 * Messages are counted, so few launches and cold rows suffice to determine their growth.
 * @param {readonly Outcome[]} outcomes
 * @returns {BrokerGrowth[]} one for each series whose broker passes more messages for an operation with more workers, loops or connections
 */
function brokerGrowthsIn(outcomes) {
  // Other clients may use a broker whose CPU time is unknown.
  const hasOwnTraffic = (/** @type {MeasuredOutcome} */ { launches, cpuUsPerOperation }) =>
    cpuUsPerOperation.broker !== null && launches.every(({ traffic }) => traffic !== undefined);
  const usable = outcomes.filter(isMeasured).filter((outcome) => !isOpen(outcome) && hasOwnTraffic(outcome));
  // Growth with the payload is ignored, since larger messages cause more reports of how much was read, which also pass the broker.
  return seriesAlong(usable, {}).flatMap((series) => {
    const { quantity, values, times } = series;
    const traffic = series.outcomes.map(({ launches }) => launches.flatMap((launch) => launch.traffic ?? []));
    const isWhole = traffic.flat().every(({ delivered }) => delivered !== null);
    const messages = traffic.map(
      (own, place) =>
        (times[place] *
          sumBy(own, ({ published, delivered }) => published + (isWhole ? Number(delivered) : 0))) /
        own.length,
    );
    const last = values.length - 1;
    if (quantity === 'payloadBytes' || !(messages[last] > TOLERATED_GROWTH * messages[0])) return [];
    const perUnit = (messages[last] - messages[0]) / (values[last] - values[0]);
    const isSteep =
      times !== values ||
      isOverProportional(
        values,
        messages.map((count) => [count]),
      );
    return { ...series, messages, perUnit, isSteep };
  });
}

/** @param {Pick<Results, 'outcomes' | 'scenarios'>} results @param {boolean} isBrief @returns {string[]} excessive growth first */
export function growthSentences({ outcomes, scenarios }, isBrief) {
  // The growth of the cost of tasks with the payload has separate sentences.
  const growths = growthsIn(outcomes, scenarios).filter(
    ({ quantity, outcomes: [first] }) => !(quantity === 'payloadBytes' && hasOverhead(first)),
  );
  const isOneOfMany = new Set(outcomes.map(({ cell }) => formatQuestion(scenarios, cell.scenario))).size > 1;
  const ofBrokers = brokerGrowthsIn(outcomes).filter(({ isSteep }) => isSteep);
  const steep = growths.filter(({ isSteep }) => isSteep);
  // A sentence names the first and the last value, which a series may lack.
  const alike = groupedBy(growths, ({ quantity, values, outcomes: [{ cell }] }) =>
    [cell.scenario, quantity, values[0], values[values.length - 1]].join(' '),
  );
  return [
    ...ofBrokers
      .toSorted((left, right) => right.perUnit - left.perUnit)
      .slice(0, STEEP_SHOWN)
      .map((growth) => brokerSentence(growth, isOneOfMany)),
    ...steep
      .toSorted((left, right) => right.ratio.estimate - left.ratio.estimate)
      .slice(0, STEEP_SHOWN)
      .map((growth) => steepSentence(growth, isOneOfMany)),
    ...[...alike.values()].flatMap((some) => axisSentence(some, isBrief, isOneOfMany)),
  ];
}

/** @param {BrokerGrowth} growth @param {boolean} isOneOfMany   true if there are several scenarios @returns {string} */
function brokerSentence(growth, isOneOfMany) {
  const { outcomes, values, messages, perUnit } = growth;
  const { more, of, step, text } = quantityWords(growth);
  const should =
    toAllPhrase(growth) === undefined
      ? `should not need more with ${more}`
      : `needs more than in proportion to ${of}`;
  const last = values.length - 1;
  return `Messages at the broker: ${cellName(outcomes[0].cell)} ${should}. ${capitalised(operationWords(growth, isOneOfMany))} takes ${formatNumber(messages[last])} at ${text(values[last])} and ${formatNumber(messages[0])} at ${text(values[0])}: each further ${step} costs ${formatNumber(perUnit)}.`;
}

/** @param {Growth} growth @param {boolean} isOneOfMany   true if there are several scenarios @returns {string} */
function steepSentence(growth, isOneOfMany) {
  const { quantity, outcomes, values, ratio, mainRole } = growth;
  const { more, of, text } = quantityWords(growth);
  const payer = mainRole === null ? '' : `, most of it in the ${printable(mainRole)}`;
  const mayGrow = quantity === 'payloadBytes' || toAllPhrase(growth) !== undefined;
  const should = mayGrow ? `costs more than in proportion to ${of}` : `should not cost more with ${more}`;
  return `${cellName(outcomes[0].cell)} ${should}: ${operationWords(growth, isOneOfMany)} takes ${formatRatioInterval(ratio)} the CPU time at ${text(values[values.length - 1])} compared with ${text(values[0])}${payer}.`;
}

/** @typedef {Change['kind'] | 'mixed'} Kind   mixed: it differs between places */

/** @type {readonly [Kind, claim: string, detail: (growths: Growth[], words: QuantityWords) => string][]} in the order of the sentence */
const CLAIMS = [
  ['flat', `stays within ${formatPercent(TOLERATED_GROWTH - 1)} for`, () => ''],
  ['falls', 'falls for', fallText],
  ['grows', 'grows for', growthText],
  ['mixed', 'depends on the other axes for', () => ''],
  ['unclear', 'does not change clearly for', () => ''],
];

/**
 * @param {Growth[]} growths   along one quantity, of one scenario
 * @param {boolean} isBrief    returns no sentence if the change of each series is unclear or differs between places
 * @param {boolean} isOneOfMany   true if there are several scenarios
 * @returns {string[]} 'From 1 loop to 64 loops the CPU time of a round trip stays within 25 % for unix/json; it …'
 */
function axisSentence(growths, isBrief, isOneOfMany) {
  const [first] = growths;
  const { values } = first;
  const words = quantityWords(first);
  const series = groupedBy(growths, ({ outcomes: [{ cell }] }) => cellName(cell));
  const kindOf = (/** @type {Growth[]} */ own) =>
    own.every(({ kind }) => kind === own[0].kind) ? own[0].kind : 'mixed';
  const byKind = groupedBy(series, ([, own]) => /** @type {Kind} */ (kindOf(own)));
  if (isBrief && !['flat', 'falls', 'grows'].some((kind) => byKind.has(/** @type {Kind} */ (kind))))
    return [];
  const claims = CLAIMS.flatMap(([kind, claim, detail]) => {
    const rows = byKind.get(kind) ?? [];
    const all = rows.flatMap(([, own]) => own);
    const texts =
      isBrief && rows.length > NAMED_IN_BRIEF
        ? [
            `${rows.length === series.size ? 'all' : `${rows.length} of`} ${series.size} rows${detail(all, words)}`,
          ]
        : rows.map(([name, own]) => name + detail(own, words));
    return texts.length === 0 ? [] : [`${claim} ${listed(texts, NAMES_SHOWN)}`];
  });
  const span = `From ${words.text(values[0])} to ${words.text(values[values.length - 1])}`;
  return [`${span} the CPU time of ${operationWords(first, isOneOfMany)} ${claims.join('; it ')}.`];
}

/** @param {Growth[]} growths   all falling @returns {string} ' to 0.41× (0.38–0.44)' */
function fallText(growths) {
  if (growths.length === 1) return ` to ${formatRatioInterval(growths[0].ratio)}`;
  return ` to ${spanText(
    growths.map(({ ratio }) => ratio.estimate),
    '–',
    formatRatio,
  )}`;
}

/** @param {Growth[]} growths @param {QuantityWords} words @returns {string} ' by 2.10 µs (2.00–2.30) for each KiB beyond 1,000 B' */
function growthText(growths, { step, size, text }) {
  const [{ values, pieces }] = growths;
  const perStep = growths.flatMap(({ usPerUnit }) => (usPerUnit === null ? [] : scaled(usPerUnit, size)));
  const us =
    perStep.length === 1
      ? formatInterval(perStep[0], ' µs')
      : `${spanText(perStep.map(({ estimate }) => estimate))} µs`;
  const sameTo = Math.min(...growths.map((growth) => growth.sameTo));
  const each = sameTo === values[0] ? `each further ${step}` : `each ${step} beyond ${text(sameTo)}`;
  const [role, ...otherRoles] = new Set(growths.map(({ mainRole }) => mainRole));
  const perPiece = growths.map(
    (growth) => (growth.ratio.estimate * growth.values[0]) / growth.values[growth.values.length - 1],
  );
  const details = [
    ...(otherRoles.length > 0 || role === null ? [] : [`mostly in the ${printable(role)}`]),
    ...(pieces === undefined ? [] : [`per ${step} it becomes ${spanText(perPiece, '–', formatRatio)}`]),
  ];
  return ` by ${us} for ${each}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

/** @param {Estimate} estimate @param {number} factor @returns {Estimate} */
function scaled({ estimate, low, high, ...rest }, factor) {
  return { ...rest, estimate: estimate * factor, low: low * factor, high: high * factor };
}

/**
 * @typedef {object} QuantityWords
 * @property {string} of          'the loops', 'the payload'
 * @property {string} more        'more loops', 'a greater payload'
 * @property {string} step        unit of the increase: 'loop', 'KiB'
 * @property {number} size        size of a step in units of the quantity
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
  const step = many.replace(/s$/, '');
  return {
    of: `the ${many}`,
    more: `more ${many}`,
    step,
    size: 1,
    text: (value) => `${formatCount(value)} ${value === 1 ? step : many}`,
  };
}

/**
 * @param {Pick<Series, 'quantity' | 'outcomes'>} series
 * @param {boolean} isOneOfMany   true if there are several scenarios
 * @returns {string} 'a round trip', 'a message to all workers (fan-out)'
 */
function operationWords(series, isOneOfMany) {
  const { outcomes } = series;
  const toAll = toAllPhrase(series);
  const what = toAll === undefined ? commonOperation(outcomes).one : `${toAll} to all workers`;
  const where = isOneOfMany ? ` (${outcomes[0].cell.scenario})` : '';
  return printable(`${article(what)} ${what}${where}`);
}
