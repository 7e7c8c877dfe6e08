// How the cost of an operation changes along an axis: with the payload, the workers, the loops. Cost is CPU time of all
// processes, which other programs disturb least. Launches of one block are held against each other, as in all ratios.

import { AXES } from '../cell/axes.js';
import { cpuUsInAll, hasCpuCost } from '../results/control-rows.js';
import { summariseCosts } from '../results/summarise-costs.js';
import { STEEP_EXPONENT, STEEP_RATIO, TOLERATED_GROWTH } from '../results/thresholds.js';
import { estimateRatio } from '../statistics/estimate.js';
import { signedRankInterval } from '../statistics/signed-rank.js';
import { groupedBy } from '../words/lists.js';
import { isMeasured, isOpen } from './groups.js';
import { whyNotRanked } from './verdicts.js';

/** @import { Axis } from '../cell/axis.js' */
/** @import { Estimate } from '../types/launches.js' */
/** @import { CpuUsPerOperation, MeasuredOutcome, Outcome } from '../types/outcomes.js' */
/** @typedef {{ kind: 'flat' | 'falls' | 'grows' | 'unclear', ratio: Estimate }} Change   times the cost of the first */
/**
 * @typedef {object} Growth             of one series, along one quantity
 * @property {string} quantity          a property of its cells: 'payloadBytes', 'workers', 'loops'
 * @property {MeasuredOutcome[]} outcomes   at three values or more, ascending
 * @property {number[]} values          of the quantity, one for each outcome
 * @property {Change} change            from the first to the last
 * @property {number} sameTo            up to this value all cost about as much as the first
 * @property {Estimate | null} usPerUnit   CPU time that each unit beyond it adds; null: it does not grow
 * @property {string | null} mainRole   key of the costs: more than half of that is its; null: nobody's
 * @property {boolean} isSteep          it grows faster than it should
 */
/** @typedef {CpuUsPerOperation[]} CostsByBlock   in the order of the blocks that all launches of a series share */

const LEAST_VALUES = 3;
const MAIN_SHARE = 0.5;

/**
 * @param {string} quantity
 * @param {MeasuredOutcome} outcome
 * @returns {string | null} what all workers get, where the quantity is how many they are
 */
export function toAllOf(quantity, { operation }) {
  return quantity === 'workers' ? (operation.toAll ?? null) : null;
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {readonly Axis[]} [axes]
 * @returns {Growth[]} of every series with three values or more and launches enough for a verdict, in the order of the plan
 */
export function growthsIn(outcomes, axes = AXES) {
  const usable = outcomes.filter(isMeasured).filter((outcome) => !isOpen(outcome) && hasCpuCost(outcome));
  const ranked = usable.filter((outcome) => whyNotRanked(outcome) === '');
  const quantities = axes.filter(({ isQuantity, part }) => isQuantity && part !== 'load');
  return quantities.flatMap(({ keys, columns }) =>
    keys.flatMap((quantity) => {
      const series = groupedBy(ranked, ({ cell: { [/** @type {'loops'} */ (quantity)]: _, ...others } }) =>
        JSON.stringify(others),
      );
      const countIn = (/** @type {MeasuredOutcome} */ { cell }) => Number(columns(cell)[quantity]);
      return [...series.values()].flatMap((some) => growthAlong(quantity, some, countIn) ?? []);
    }),
  );
}

/**
 * @param {string} quantity
 * @param {MeasuredOutcome[]} series
 * @param {(outcome: MeasuredOutcome) => number} countIn   of the quantity
 * @returns {Growth | null} null: too few values, or no block in common
 */
function growthAlong(quantity, series, countIn) {
  const outcomes = series.toSorted((left, right) => countIn(left) - countIn(right));
  const values = outcomes.map(countIn);
  const costs = costsByBlock(outcomes);
  if (values.length < LEAST_VALUES || costs[0].length === 0) return null;
  const isToAll = toAllOf(quantity, outcomes[0]) !== null;
  const totals = costs.map((blocks, index) =>
    blocks.map((cost) => cpuUsInAll(cost) * (isToAll ? values[index] : 1)),
  );
  if (!totals.flat().every((us) => us > 0)) return null;
  const ratios = totals.map((own) => estimateRatio(own, totals[0]));
  const last = values.length - 1;
  const change = { ratio: ratios[last], kind: kindOf(ratios[last]) };
  const different = ratios.findIndex(({ high }, index) => index > 0 && high > TOLERATED_GROWTH);
  const same = different === -1 ? last : different - 1;
  const common = { quantity, outcomes, values, change, sameTo: values[same] };
  if (change.kind !== 'grows' || same === last)
    return { ...common, usPerUnit: null, mainRole: null, isSteep: false };
  const units = values[last] - values[same];
  const added = totals[last].map((us, block) => us - totals[same][block]);
  return {
    ...common,
    usPerUnit: signedRankInterval(added.map((us) => us / units)),
    mainRole: mainRoleOf(costs[same], costs[last], isToAll ? [values[same], values[last]] : [1, 1]),
    // Bytes, and those who get a message, may cost in proportion; what one operation costs should not depend on how many
    // loops or workers there are.
    isSteep:
      isToAll || quantity === 'payloadBytes'
        ? isOverProportional(values, totals)
        : ratios[last].low > STEEP_RATIO,
  };
}

/** @param {Estimate} ratio @returns {Change['kind']} */
function kindOf({ low, high }) {
  if (low > 1 && high > TOLERATED_GROWTH) return 'grows';
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
function isOverProportional(values, totals) {
  const [before, last] = [values.length - 2, values.length - 1];
  const step = Math.log(values[last] / values[before]);
  const exponents = totals[last].map((us, block) => Math.log(us / totals[before][block]) / step);
  return signedRankInterval(exponents).low > STEEP_EXPONENT;
}

/** @param {CostsByBlock} from @param {CostsByBlock} to @param {number[]} times   each counts @returns {string | null} */
function mainRoleOf(from, to, [timesFrom, timesTo]) {
  const sumOf = (/** @type {CostsByBlock} */ costs, /** @type {string} */ role) =>
    costs.reduce((sum, own) => sum + (own[role] ?? 0), 0);
  const addedBy = (/** @type {string} */ role) => timesTo * sumOf(to, role) - timesFrom * sumOf(from, role);
  const added = Object.keys(to[0]).map((role) => ({ role, us: addedBy(role) }));
  const whole = added.reduce((sum, { us }) => sum + us, 0);
  return added.find(({ us }) => us > MAIN_SHARE * whole)?.role ?? null;
}
