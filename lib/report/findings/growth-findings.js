// How the cost of an operation changes along a quantity, in CPU time and in messages that pass a broker.

import { commonOperation } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { brokerGrowthsIn, growthsIn } from './cost-growth.js';
import { makeFinding } from './finding.js';
import { formatQuestion } from './groups.js';
import { hasOverhead } from './task-findings.js';

/** @import { Finding } from '../../types/index.js' */
/** @import { BrokerGrowth, Growth, CostSeries } from './cost-growth.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** @param {ReportFacts} facts @returns {Finding[]} excessive growth first */
export function growthFindings({ results: { outcomes, scenarios } }) {
  // The growth of the cost of tasks with the payload has separate findings.
  const growths = growthsIn(outcomes, scenarios).filter(
    ({ quantity, outcomes: [first] }) => !(quantity === 'payloadBytes' && hasOverhead(first)),
  );
  const hasScenarios = new Set(outcomes.map(({ cell }) => formatQuestion(scenarios, cell.scenario))).size > 1;
  const steep = growths.filter(({ isSteep }) => isSteep);
  // One sentence for all series with the same first and last value, since it names both.
  const alike = groupedBy(growths, ({ quantity, values, outcomes: [{ cell }] }) =>
    [cell.scenario, quantity, values[0], values[values.length - 1]].join(' '),
  );
  return [
    ...brokerGrowthsIn(outcomes)
      .filter(({ isSteep }) => isSteep)
      .toSorted((left, right) => right.perUnit - left.perUnit)
      .map((growth) => brokerFinding(growth, hasScenarios)),
    ...steep
      .toSorted((left, right) => right.ratio.estimate - left.ratio.estimate)
      .map((growth) => steepFinding(growth, hasScenarios)),
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

/** @param {BrokerGrowth} growth @param {boolean} hasScenarios @returns {Finding} */
function brokerFinding(growth, hasScenarios) {
  const { outcomes, messages, perUnit } = growth;
  const along = alongSeries(growth, hasScenarios);
  return makeFinding('broker-messages', {
    ...along,
    rows: [{ row: seriesLabel(outcomes[0].cell) }],
    numbers: {
      ...along.numbers,
      firstMessages: messages[0],
      lastMessages: messages[messages.length - 1],
      messagesPerUnit: perUnit,
    },
  });
}

/** @param {Growth} growth @param {boolean} hasScenarios @returns {Finding} a finding with the ratio of the step that grows too much */
function steepFinding(growth, hasScenarios) {
  const { outcomes, mainRole, steep } = growth;
  const along = alongSeries(growth, hasScenarios);
  return makeFinding('steep-growth', {
    ...along,
    rows: [{ row: seriesLabel(outcomes[0].cell), ratio: steep.ratio }],
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
