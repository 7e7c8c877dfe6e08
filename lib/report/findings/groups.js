// Outcomes that are read together: rows that differ only in transport, codec and runtime are one group, the reference first. Under
// open load all rates are one group, in the order of the plan. Closed loops and open load never share a group.

import { AXES, axesIn, headingText, isUsual } from '../../cell/axes.js';
import { makeLabels, seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { isMeasured } from '../../results/measured-outcomes.js';

/** @import { Cell, MeasuredOutcome, Outcome, Question, Results, PiecesFacts, ScenarioFacts } from '../../types/index.js' */
/** @import { Axis } from '../../cell/axes.js' */

/**
 * @typedef {object} RowGroup
 * @property {string} heading           '1,000 B, 2x4': the payload, the shape, and values of other axes that vary or are unusual
 * @property {Cell} cell              cell of the first outcome
 * @property {Outcome[]} outcomes     in the order of the plan, the reference first
 * @property {MeasuredOutcome[]} measured
 */

/** @param {Outcome} outcome @returns {boolean} false if no machine could measure it */
export function isPossible(outcome) {
  return outcome.status !== 'skipped' || outcome.isImpossible !== true;
}

/** @param {{ cell: Question }} outcome @returns {boolean} */
export function isOpen({ cell }) {
  return cell.ratePerSecond !== undefined;
}

/** @param {{ cell: Question }} outcome @returns {number} the planned rate, per second; 0 in closed loops */
export const rateOf = ({ cell }) => cell.ratePerSecond ?? 0;

/** @param {MeasuredOutcome} outcome @param {string} code @returns {boolean} */
export const hasFlag = ({ flags }, code) => flags.some((flag) => flag.code === code);

/** @param {MeasuredOutcome} outcome @returns {boolean} true under open load if the rate was sustained */
export function hasResponseTimes(outcome) {
  return outcome.open !== undefined && !hasFlag(outcome, 'generator-limited');
}

/** @param {Outcome[]} outcomes @returns {string[]} the codes of their flags, each once */
export function flagsIn(outcomes) {
  return [...new Set(outcomes.filter(isMeasured).flatMap(({ flags }) => flags.map(({ code }) => code)))];
}

/** @param {{ cell: Cell }[]} groups @returns {Axis[]} axes in which they differ, other than transport, codec and runtime */
export function varyingAxes(groups) {
  return AXES.filter(
    (axis) => axis.part !== 'series' && new Set(groups.map(({ cell }) => axis.of(cell))).size > 1,
  );
}

/**
 * @param {Axis} axis
 * @param {{ cell: Question }[]} outcomes
 * @returns {boolean} true if a reader of these outcomes needs the values of the axis
 */
function isWorthSaying(axis, outcomes) {
  if (axis.usual !== undefined) return !outcomes.every(({ cell }) => isUsual(axis, cell));
  if (axis.isQuantity) return true;
  const values = new Set(outcomes.map(({ cell }) => axis.of(cell)));
  return values.size > 1 || (axis.unsaid !== undefined && !values.has(axis.unsaid));
}

/**
 * @param {{ cell: Question }[]} outcomes
 * @param {readonly Axis[]} [axes]
 * @returns {(cell: Question) => string} names the values that a cell shares with its group
 */
export function headingNamer(outcomes, axes = AXES) {
  const shared = axesIn(['payload', 'shape', 'manner', 'scenario'], axes);
  const printed = shared.filter((axis) => isWorthSaying(axis, outcomes));
  return (cell) => `${headingText(cell, printed)}${isOpen({ cell }) ? ', open load' : ''}`;
}

/**
 * @param {Pick<Results, 'outcomes' | 'reference'>} results
 * @param {readonly Axis[]} [axes]
 * @returns {RowGroup[]} the groups in the order of the plan
 */
export function groupRows({ outcomes, reference }, axes = AXES) {
  const headingOf = headingNamer(outcomes, axes);
  const { tableLabel } = makeLabels(axes);
  /** @param {Outcome} outcome */
  const isReference = ({ cell }) => !isOpen({ cell }) && seriesLabel(cell) === reference;
  return [...groupedBy(outcomes, ({ cell }) => tableLabel(cell)).values()].map((members) => {
    const ordered = [...members.filter(isReference), ...members.filter((outcome) => !isReference(outcome))];
    const { cell } = ordered[0];
    return { heading: headingOf(cell), cell, outcomes: ordered, measured: ordered.filter(isMeasured) };
  });
}

/** @param {Results} results @returns {RowGroup[]} the groups with at least one measured row */
export function measuredGroups(results) {
  return groupRows(results).filter(({ measured }) => measured.length > 0);
}

// Charts and sentences on growth treat scenarios that differ only in the number of pieces of a payload, such as records=10 and
// records=30, as one scenario with several payload sizes.

/** @param {Record<string, ScenarioFacts>} scenarios @param {string} scenario @returns {string} the scenario without the number of pieces */
export function formatQuestion(scenarios, scenario) {
  return scenarios[scenario]?.pieces?.question ?? scenario;
}

/**
 * @template {Outcome} T
 * @param {Record<string, ScenarioFacts>} scenarios
 * @param {T} outcome
 * @returns {T} the outcome, whose scenario is named without the number of pieces
 */
export function asOneQuestion(scenarios, outcome) {
  const { cell } = outcome;
  const scenario = formatQuestion(scenarios, cell.scenario);
  return scenario === cell.scenario ? outcome : { ...outcome, cell: { ...cell, scenario } };
}

/** @param {Record<string, ScenarioFacts>} scenarios @param {string} question @returns {PiecesFacts | undefined} */
export function findPieces(scenarios, question) {
  return Object.values(scenarios).find(({ pieces }) => pieces?.question === question)?.pieces;
}

/**
 * A quantity along which rows are compared, in its own unit: pieces such as records, if the scenario counts the payload in them.
 * @typedef {object} VaryingAxis
 * @property {string} axis      'payloadBytes', 'workers', 'loops' or 'connections'
 * @property {string} [unit]    name of the pieces of a payload, such as 'records'
 * @property {(cell: Cell) => number} numberOf
 */

/** @param {Results} results @param {Cell} cell @returns {VaryingAxis[]} the quantities of a scenario, the payload first */
export function listQuantities({ scenarios }, { scenario }) {
  const pieces = findPieces(scenarios, scenario);
  const keys = /** @type {const} */ (['workers', 'loops', 'connections']);
  /** @type {VaryingAxis[]} */
  const shapes = keys.map((axis) => ({ axis, numberOf: (cell) => cell[axis] ?? 1 }));
  return [
    {
      axis: 'payloadBytes',
      ...(pieces && { unit: pieces.name }),
      numberOf: ({ payloadBytes }) => payloadBytes / (pieces?.bytes ?? 1),
    },
    ...shapes,
  ];
}
