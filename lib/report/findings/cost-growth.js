// Describes how the cost of an operation changes along an axis: with the payload, workers, loops or connections. Cost is CPU time of all
// processes, which other programs disturb least.

import { AXES } from '../../cell/axes.js';
import { UNDIVIDED } from '../../cell/launch-roles.js';
import { groupedBy } from '../../format/lists.js';
import { cpuUsInAll, hasCpuCost, hasKnownCosts } from '../../results/calibration-rows.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { summariseCosts } from '../../results/summarise.js';
import { STEEP_EXPONENT, STEEP_RATIO, TOLERATED_GROWTH } from '../../results/thresholds.js';
import { estimateRatio } from '../../statistics/estimate.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { sumBy } from '../../statistics/sum.js';
import { claimDirection } from '../../statistics/verdict.js';
import { asOneQuestion, findPieces, isOpen } from './groups.js';
import { notRankedReason } from './row-verdicts.js';
import { valuesOfSharedGroups } from './shared-groups.js';

/** @import { CpuUsPerOperation, Estimate, MeasuredOutcome, Outcome, PiecesFacts, ScenarioFacts } from '../../types/index.js' */

/**
 * Rows that differ only in one quantity.
 * @typedef {object} CostSeries
 * @property {string} quantity          a property of the cells: 'payloadBytes', 'workers', 'loops', 'connections'
 * @property {PiecesFacts} [pieces]     unit of the payload, if it is not bytes
 * @property {MeasuredOutcome[]} outcomes   three or more, by ascending quantity
 * @property {number[]} values          the quantity of each outcome
 * @property {number[]} times           factor for the cost of each outcome: the number of workers if each gets a message, otherwise 1
 */
/**
 * @typedef {object} CostChange
 * @property {'flat' | 'falls' | 'grows' | 'unclear'} kind
 * @property {Estimate} ratio           last cost / first cost
 * @property {number} sameTo            greatest value up to which the interval of no ratio to the first cost exceeds TOLERATED_GROWTH
 * @property {Estimate | null} usPerUnit   CPU time that each unit above `sameTo` adds; null if the cost does not grow
 * @property {string | null} mainRole   role of the processes that spend more than half of the added time
 * @property {boolean} isSteep          more than proportional growth in the last step, or a ratio above STEEP_RATIO where no growth is expected
 * @property {{ from: number, ratio: Estimate }} steep   the growth that `isSteep` judges: from this value to the last one
 */
/** @typedef {CostSeries & CostChange} Growth */

const MIN_VALUES = 3;
const MAIN_SHARE = 0.5;

/**
 * @param {Pick<CostSeries, 'quantity' | 'outcomes'>} series
 * @returns {string | undefined} phrase for an operation with all workers, if their number varies
 */
function toAllPhrase({ quantity, outcomes: [{ operation }] }) {
  return quantity === 'workers' ? operation.toAll : undefined;
}

/** @param {MeasuredOutcome[]} measured @param {Record<string, ScenarioFacts>} scenarios @returns {CostSeries[]} axis by axis */
function seriesAlong(measured, scenarios) {
  const questions = measured.map((outcome) => asOneQuestion(scenarios, outcome));
  const axes = AXES.filter(({ isQuantity, part }) => isQuantity && part !== 'load');
  return axes.flatMap(({ keys, columns }) =>
    keys.flatMap((quantity) => {
      const alike = groupedBy(questions, ({ cell: { [/** @type {'loops'} */ (quantity)]: _, ...others } }) =>
        JSON.stringify(others),
      );
      return [...alike.values()].flatMap((rows) => {
        if (rows.length < MIN_VALUES) return [];
        const pieces = quantity === 'payloadBytes' ? findPieces(scenarios, rows[0].cell.scenario) : undefined;
        /** @param {MeasuredOutcome} outcome */
        const countIn = ({ cell }) => Number(columns(cell)[quantity]) / (pieces?.bytes ?? 1);
        const outcomes = rows.toSorted((left, right) => countIn(left) - countIn(right));
        const values = outcomes.map(countIn);
        const times = toAllPhrase({ quantity, outcomes }) === undefined ? values.map(() => 1) : values;
        return { quantity, ...(pieces && { pieces }), outcomes, values, times };
      });
    }),
  );
}

/**
 * Covers ranked rows of closed loops with known CPU costs. It leaves out series whose rows have no group of launches in common, or a cost
 * that is not above 0.
 * @param {readonly Outcome[]} outcomes
 * @param {Record<string, ScenarioFacts>} scenarios
 * @returns {Growth[]}
 */
export function growthsIn(outcomes, scenarios) {
  const usable = outcomes
    .filter(isMeasured)
    .filter((outcome) => !isOpen(outcome) && hasCpuCost(outcome) && notRankedReason(outcome) === null);
  return seriesAlong(usable, scenarios).flatMap((series) => growthAlong(series) ?? []);
}

/**
 * @param {CostSeries} series
 * @returns {Growth | null} how the cost changes; null if the rows have no group in common, or a cost is not above 0
 */
function growthAlong(series) {
  const { quantity, outcomes, values, times } = series;
  const costs = valuesOfSharedGroups(outcomes, (launch) =>
    hasKnownCosts(launch) ? summariseCosts([launch]).cpuUsPerOperation : null,
  );
  const totals = costs.map((groups, index) => groups.map((cost) => Number(cpuUsInAll(cost)) * times[index]));
  if (costs[0].length === 0 || !totals.flat().every((us) => us > 0)) return null;
  const ratios = totals.map((own) => estimateRatio(own, totals[0]));
  const last = values.length - 1;
  const ratio = ratios[last];
  const different = ratios.findIndex(({ high }, index) => index > 0 && high > TOLERATED_GROWTH);
  const same = different === -1 ? last : different - 1;
  const mayGrow = quantity === 'payloadBytes' || times === values;
  const from = mayGrow ? last - 1 : 0;
  const steep = { from: values[from], ratio: estimateRatio(totals[last], totals[from]) };
  const common = { ...series, ratio, kind: classifyChange(ratio), sameTo: values[same], steep };
  if (common.kind !== 'grows') return { ...common, usPerUnit: null, mainRole: null, isSteep: false };
  const added = totals[last].map((us, group) => (us - totals[same][group]) / (values[last] - values[same]));
  return {
    ...common,
    usPerUnit: signedRankInterval(added),
    mainRole: findMainRole(costs, times, same),
    // Bytes, and processes that all get a message, may cost in proportion. What one operation costs should not depend on how many
    // loops or workers there are.
    isSteep: mayGrow ? isOverProportional(values, totals) : ratio.low > STEEP_RATIO,
  };
}

/** @param {Estimate} ratio @returns {CostChange['kind']} */
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
  /** @param {number} index @param {string} role */
  const sumAt = (index, role) => times[index] * sumBy(costs[index], (own) => own[role] ?? 0);
  const added = Object.keys(costs[last][0]).map((role) => ({
    role,
    us: sumAt(last, role) - sumAt(from, role),
  }));
  const whole = sumBy(added, ({ us }) => us);
  const main = added.find(({ us }) => us > MAIN_SHARE * whole)?.role ?? null;
  return main === UNDIVIDED ? null : main;
}
