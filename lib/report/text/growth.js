// How the cost of an operation changes along an axis: with the payload, the workers, the loops. Cost is CPU time of all
// processes, which other programs disturb least. Launches of one block are held against each other, as in all ratios.

import { AXES } from '../../cell/axes.js';
import { groupedBy } from '../../format/lists.js';
import { cpuUsInAll, hasCpuCost } from '../../results/calibration-rows.js';
import { summariseCosts } from '../../results/summarise.js';
import { STEEP_EXPONENT, STEEP_RATIO, TOLERATED_GROWTH } from '../../results/thresholds.js';
import { estimateRatio } from '../../statistics/estimate.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { sumBy } from '../../statistics/sum.js';
import { claimDirection } from '../../statistics/verdict.js';
import { asOneQuestion, findPieces, isMeasured, isOpen } from './groups.js';
import { notRankedReason } from './verdicts.js';

/** @import { CpuUsPerOperation, Estimate, MeasuredOutcome, Outcome, PiecesFacts, ScenarioFacts } from '../../types/index.js' */
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
export function toAllPhrase(quantity, { operation }) {
  return quantity === 'workers' ? (operation.toAll ?? null) : null;
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {Record<string, ScenarioFacts>} scenarios   of the results
 * @returns {Series[]} in the order of the plan
 */
export function seriesAlong(measured, scenarios) {
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
    blocks.map((cost) => cpuUsInAll(cost) * (isToAll ? values[index] : 1)),
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
  const [first, ...rest] = outcomes;
  const shared = first.launches
    .map(({ block }) => block)
    .filter((block) => rest.every(({ launches }) => launches.some((launch) => launch.block === block)));
  return outcomes.map(({ launches }) =>
    shared.map(
      (block) => summariseCosts(launches.filter((launch) => launch.block === block)).cpuUsPerOperation,
    ),
  );
}

/** @param {number[]} values @param {number[][]} totals @returns {boolean} the last step costs more than its share of bytes */
export function isOverProportional(values, totals) {
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
