// What changes along an axis: the rows that are better than the reference, or worse, from one value of a quantity to another.

import { AXES, headingText, picked } from '../../cell/axes.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { makeFinding, measureFacts } from './finding.js';
import { listQuantities, varyingAxes } from './groups.js';
import { comparedIn } from './row-verdicts.js';

/** @import { Finding, FoundRow, Outcome, Results } from '../../types/index.js' */
/** @import { RowGroup, VaryingAxis } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { ComparedOutcome } from './row-verdicts.js' */

const ALIKE = 0.6; // rows are named together if the logarithm of their ratio is at least this share of the largest one
const MIN_VALUES = { payload: 2, others: 3 };

/**
 * @typedef {object} ChartedGroup   outcomes that differ in one quantity, transport, codec and runtime
 * @property {string} title        what distinguishes it from other panels, such as '2x4'; '' if it is the only one
 * @property {Outcome[][]} steps   one list for each value, ascending
 * @property {number[]} values
 */
/**
 * Adjacent values at which one row has the same verdict. `from` is the index of the first value; `rows` has the row at each value.
 * @typedef {{ panel: ChartedGroup, from: number, rows: ComparedOutcome[] }} AdjacentRows
 */

/**
 * Rows with one verdict at the same values. `from` and `to` are the indexes of the first and the last value.
 * @typedef {{ panel: ChartedGroup, from: number, to: number, rows: ComparedOutcome[][] }} AlongClaim
 */

/**
 * @param {readonly RowGroup[]} groups   tables of one scenario
 * @param {Results} results
 * @param {KindIn} kindIn
 * @returns {Finding[]} the clearest claims along the first quantity that has enough values; empty if none has
 */
export function alongFindings(groups, results, kindIn) {
  const outcomes = groups.flatMap((group) => group.outcomes);
  for (const quantity of listQuantities(results, outcomes[0].cell)) {
    const panels = panelsAlong(outcomes, quantity);
    if (panels.length > 0) return findingsAlong(panels, quantity, kindIn);
  }
  return [];
}

/**
 * @param {Outcome[]} outcomes   of one scenario
 * @param {VaryingAxis} quantity
 * @returns {ChartedGroup[]} empty if the quantity has too few values
 */
function panelsAlong(outcomes, quantity) {
  const others = AXES.filter(({ part, keys }) => part !== 'series' && !keys.includes(quantity.axis));
  const shape = AXES.filter(({ keys }) => keys.includes(quantity.axis)).flatMap(({ keys }) =>
    keys.filter((key) => key !== quantity.axis),
  );
  const alike = groupedBy(outcomes, ({ cell }) =>
    JSON.stringify([others.map((axis) => axis.of(cell)), picked(cell, shape)]),
  );
  const least = quantity.axis === 'payloadBytes' ? MIN_VALUES.payload : MIN_VALUES.others;
  const panels = [...alike.values()]
    .map((some) => listSteps(some, quantity))
    .filter((steps) => steps.filter((step) => step.some(isMeasured)).length >= least);
  const varying = varyingAxes(panels.map(([[first]]) => first)).filter((axis) => others.includes(axis));
  return panels.map((steps) => ({
    title: headingText(steps[0][0].cell, varying),
    steps,
    values: steps.map(([step]) => quantity.numberOf(step.cell)),
  }));
}

/** @param {Outcome[]} outcomes @param {VaryingAxis} quantity @returns {Outcome[][]} the outcomes at each value, ascending */
function listSteps(outcomes, { numberOf }) {
  const byValue = [...groupedBy(outcomes, ({ cell }) => numberOf(cell)).values()];
  return byValue.sort(([one], [other]) => numberOf(one.cell) - numberOf(other.cell));
}

/** @param {ChartedGroup} panel @param {KindIn} kindIn @returns {AdjacentRows[]} */
function runsAlong(panel, kindIn) {
  const steps = panel.steps.map((outcomes) =>
    comparedIn(outcomes.filter(isMeasured), kindIn).filter(({ kind }) => kind === ''),
  );
  const names = new Set(steps.flatMap((rows) => rows.map(readLabel)));
  return [...names].flatMap((name) => {
    /** @type {AdjacentRows[]} */
    const runs = [];
    for (const [index, rows] of steps.entries()) {
      const row = rows.find((each) => readLabel(each) === name);
      if (row?.verdict !== 'better' && row?.verdict !== 'worse') continue;
      const last = runs.at(-1);
      if (last && last.from + last.rows.length === index && last.rows[0].verdict === row.verdict)
        last.rows.push(row);
      else runs.push({ panel, from: index, rows: [row] });
    }
    return runs;
  });
}

/** @param {ComparedOutcome} compared */
const readLabel = ({ outcome: { cell } }) => seriesLabel(cell);

/**
 * @param {ChartedGroup[]} panels
 * @param {KindIn} kindIn
 * @returns {AlongClaim[]} the title of the panel is empty if a claim holds in all panels
 */
function claimsIn(panels, kindIn) {
  const runs = panels.flatMap((panel) => runsAlong(panel, kindIn));
  /** @param {AdjacentRows} adjacent */
  const keyOf = ({ panel: { values }, from, rows }) =>
    `${values[from]} ${values[from + rows.length - 1]} ${rows[0].verdict}`;
  const ofRows = [...groupedBy(runs, (run) => `${keyOf(run)} ${readLabel(run.rows[0])}`).values()].flatMap(
    (own) =>
      own.length < panels.length ? own : own.map((run) => ({ ...run, panel: { ...run.panel, title: '' } })),
  );
  return [...groupedBy(ofRows, (run) => `${keyOf(run)} ${run.panel.title}`).values()].map((group) => {
    const [{ panel, from, rows }] = group;
    const least = ALIKE * Math.max(...group.map((run) => computeReach(run.rows)));
    const alike = group.map((run) => run.rows).filter((row) => computeReach(row) >= least);
    return { panel, from, to: from + rows.length - 1, rows: alike };
  });
}

/** @param {ComparedOutcome[]} row @returns {number} the largest |ln ratio| of the row */
const computeReach = (row) => Math.max(...row.map(({ ratio }) => Math.abs(Math.log(ratio.estimate))));

/**
 * @param {ChartedGroup[]} panels
 * @param {VaryingAxis} quantity
 * @param {KindIn} kindIn
 * @returns {Finding[]} the clearest claim on rows that are better than the reference, or else on rows that are worse; then the clearest
 *   claim with the opposite verdict, or else the next one. One finding without rows if no claim can be made; none if nothing was compared
 */
export function findingsAlong(panels, quantity, kindIn) {
  const compared = panels.flatMap(({ steps }) =>
    steps.flatMap((outcomes) => comparedIn(outcomes.filter(isMeasured), kindIn)),
  );
  if (compared.length === 0) return [];
  const claims = claimsIn(panels, kindIn).sort(
    (left, right) => computeReach(right.rows.flat()) - computeReach(left.rows.flat()),
  );
  /** @param {AlongClaim} claim */
  const isBetter = ({ rows: [[{ verdict }]] }) => verdict === 'better';
  const best = claims.find(isBetter) ?? claims[0];
  const [{ outcome, why }] = compared;
  const common = {
    against: outcome.ratio?.to ?? null,
    measure: measureFacts(outcome),
    operation: outcome.operation,
    names: {
      axis: quantity.axis,
      scenario: outcome.cell.scenario,
      ...(quantity.unit !== undefined && { unit: quantity.unit }),
    },
  };
  if (best === undefined) {
    const isJudged = compared.some(({ verdict }) => verdict !== 'none');
    const isOneReason = new Set(compared.map((row) => JSON.stringify(row.why))).size === 1;
    const [{ values }] = panels;
    return [
      makeFinding('along', {
        ...common,
        verdict: isJudged ? 'unclear' : 'none',
        why: isJudged || !isOneReason ? null : why,
        numbers: { values: values.length },
      }),
    ];
  }
  const next =
    claims.find((claim) => isBetter(claim) !== isBetter(best)) ?? claims.find((claim) => claim !== best);
  return [best, ...(next === undefined ? [] : [next])].map((claim) => claimFinding(claim, common));
}

/** @param {AlongClaim} claim @param {Pick<Finding, 'against' | 'names' | 'measure' | 'operation'>} common @returns {Finding} */
function claimFinding({ panel: { title, values }, from, to, rows }, common) {
  return makeFinding('along', {
    ...common,
    rows: [...groupedBy(rows, ([first]) => readLabel(first)).values()].map(claimedRow),
    verdict: rows[0][0].verdict,
    numbers: {
      from: values[from],
      to: values[to],
      first: values[0],
      last: values[values.length - 1],
      values: values.length,
    },
    names: { ...common.names, ...(title !== '' && { panel: title }) },
  });
}

/**
 * @param {ComparedOutcome[][]} runs   one for each panel where the claim holds: the comparisons of one row, in the order of the values
 * @returns {FoundRow} the row with the ranges of its ratios at the first value, at the last value, and at all values
 */
function claimedRow(runs) {
  /** @param {ComparedOutcome[]} compared */
  const ratiosOf = (compared) => compared.map(({ ratio }) => ratio.estimate);
  const [firsts, lasts] = [runs.map((run) => run[0]), runs.map((run) => run[run.length - 1])].map(ratiosOf);
  const all = ratiosOf(runs.flat());
  return {
    row: readLabel(runs[0][0]),
    verdict: runs[0][0].verdict,
    numbers: {
      leastFirst: Math.min(...firsts),
      greatestFirst: Math.max(...firsts),
      leastLast: Math.min(...lasts),
      greatestLast: Math.max(...lasts),
      leastRatio: Math.min(...all),
      greatestRatio: Math.max(...all),
      leastChange: Math.min(...runs.map((run) => computeChange(run))),
      greatestChange: Math.max(...runs.map((run) => computeChange(run))),
    },
  };
}

/** @param {ComparedOutcome[]} run @returns {number} the last ratio / the first one */
const computeChange = (run) => run[run.length - 1].ratio.estimate / run[0].ratio.estimate;
