// How the cost of an operation changes along a quantity.

import { headingText } from '../../cell/axes.js';
import { commonOperation } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { growthsIn } from './cost-growth.js';
import { makeFinding } from './finding.js';
import { formatQuestion, varyingAxes } from './groups.js';

/** @import { Finding } from '../../types/index.js' */
/** @import { Growth, CostSeries } from './cost-growth.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** @param {ReportFacts} facts @returns {Finding[]} excessive growth first */
export function growthFindings({ results: { outcomes, scenarios } }) {
  const growths = growthsIn(outcomes, scenarios);
  const hasScenarios = new Set(outcomes.map(({ cell }) => formatQuestion(scenarios, cell.scenario))).size > 1;
  const steep = growths.filter(({ isSteep }) => isSteep);
  /** @param {Growth} growth @returns {string} '1,000 B': what distinguishes it from other growths of its row along its quantity, or '' */
  const headingOf = ({ quantity, outcomes: [{ cell }] }) => {
    const ofRow = growths
      .filter((one) => one.quantity === quantity)
      .map(({ outcomes: [first] }) => first)
      .filter(
        (first) => first.cell.scenario === cell.scenario && seriesLabel(first.cell) === seriesLabel(cell),
      );
    return headingText(cell, varyingAxes(ofRow));
  };
  // One sentence for all series with the same first and last value, since it names both.
  const alike = groupedBy(growths, ({ quantity, values, outcomes: [{ cell }] }) =>
    [cell.scenario, quantity, values[0], values[values.length - 1]].join(' '),
  );
  return [
    ...steep
      .toSorted((left, right) => right.ratio.estimate - left.ratio.estimate)
      .map((growth) => steepFinding(growth, headingOf(growth), hasScenarios)),
    ...[...alike.values()].map((some) => growthFinding(some, hasScenarios)),
  ];
}

/** @param {CostSeries} series @param {boolean} hasScenarios @returns {Pick<Finding, 'names' | 'numbers' | 'operation'>} */
function alongSeries({ quantity, pieces, outcomes, values }, hasScenarios) {
  return {
    names: {
      axis: quantity,
      ...(pieces && { unit: pieces.name }),
      ...(hasScenarios && { scenario: outcomes[0].cell.scenario }),
    },
    numbers: { first: values[0], last: values[values.length - 1] },
    operation: commonOperation(outcomes),
  };
}

/**
 * @param {Growth} growth
 * @param {string} heading   may be empty
 * @param {boolean} hasScenarios
 * @returns {Finding} a finding with the ratio of the step that grows too much
 */
function steepFinding(growth, heading, hasScenarios) {
  const { outcomes, mainRole, steep } = growth;
  const along = alongSeries(growth, hasScenarios);
  return makeFinding('steep-growth', {
    ...along,
    rows: [{ row: seriesLabel(outcomes[0].cell), ratio: steep.ratio, ...(heading !== '' && { heading }) }],
    ratio: steep.ratio,
    verdict: 'worse',
    numbers: { ...along.numbers, from: steep.from, to: along.numbers.last },
    names: { ...along.names, ...(mainRole !== null && { mainRole }) },
  });
}

/** @param {Growth[]} growths   along one quantity, of one scenario @param {boolean} hasScenarios @returns {Finding} */
function growthFinding(growths, hasScenarios) {
  return makeFinding('growth', {
    ...alongSeries(growths[0], hasScenarios),
    rows: growths.map(({ outcomes, kind, ratio, usPerUnit, sameTo, mainRole }) => ({
      row: seriesLabel(outcomes[0].cell),
      ratio,
      ...(usPerUnit && { value: usPerUnit }),
      numbers: { sameTo },
      names: { change: kind, ...(mainRole !== null && { mainRole }) },
    })),
  });
}
