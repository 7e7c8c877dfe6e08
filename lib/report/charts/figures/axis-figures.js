// Figures along a quantity, such as the payload or the number of workers: first ratios to the reference, then the headline.

import { headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel, shapeLabel, shapeTitle } from '../../../cell/labels.js';
import { capitalised, groupedBy } from '../../../format/lists.js';
import { formatNumber, formatRatio, shownInterval } from '../../../format/numbers.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { findingsAlong } from '../../findings/along-findings.js';
import { listQuantities } from '../../findings/groups.js';
import { findReference } from '../../findings/ranking-findings.js';
import { kindsIn } from '../../findings/transport-kinds.js';
import { ratioTitle, valueText } from '../../text/measure-words.js';
import { alongAddition, alongTitle } from '../../text/phrases/along-phrases.js';
import { axisPlural, axisValueText } from '../../text/quantity-words.js';
import { countedPayload, joinTexts, labelText, rowText } from '../../text/short-texts.js';
import { messageOfGroups, messageOfOneWinner, sleepNotes, withCaveat } from './chart-words.js';
import { listValues } from './figure.js';
import { gapNotes, headlineIntervalText } from './footer.js';
import { findEnds, linesBySeries, linesFigure } from './lines-figure.js';
import { byNumber, makeSeries, splitIntoPanels } from './series.js';
import { headlineFileName, headlineNoun, headlineTitle } from './throughput-figure.js';

/** @import { Cell, MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, FormatName, FigureInput } from '../chart-types.js' */

const MAX_PANELS = 12; // with more panels, each combination of the other quantities gets separate figures

/**
 * @typedef {object} Quantity
 * @property {string} name      used in file names
 * @property {string} title
 * @property {import('../../findings/groups.js').VaryingAxis} along
 * @property {number} least     fewest values for which a line is drawn
 * @property {FormatName} format
 * @property {(cell: Cell) => number} countOf
 * @property {(cell: Cell) => string} text   '10 kB', '4 workers'
 */

/** @type {Readonly<Record<string, string>>} */
const TITLES = {
  workers: 'workers',
  loops: 'loops of each worker',
  connections: 'connections of each worker',
};

/** @param {Results} results @param {Cell} cell @returns {Quantity[]} */
function makeQuantities(results, cell) {
  const { axisName, title, format } = countedPayload(results, cell);
  return listQuantities(results, cell).map((along) => {
    const { axis, numberOf: countOf } = along;
    /** @param {Cell} each */
    const text = (each) => axisValueText(along, countOf(each));
    if (axis === 'payloadBytes') return { along, name: axisName, title, least: 2, format, countOf, text };
    return { along, name: axis, title: TITLES[axis], least: 3, format: 'si', countOf, text };
  });
}

/** @param {FigureInput} question @returns {Figure[]} figures along each quantity with at least `least` values */
export function axisFigures(question) {
  const { results } = question;
  const measured = question.outcomes.filter(isMeasured);
  if (measured.length === 0) return [];
  const quantities = makeQuantities(results, measured[0].cell);
  return quantities.flatMap((quantity, index) => {
    const others = quantities.filter((other) => other !== quantity);
    const combinations = [
      ...groupedBy(question.outcomes, ({ cell }) =>
        others.map(({ countOf }) => countOf(cell)).join(),
      ).values(),
    ].filter((ofCombination) => {
      const values = new Set(ofCombination.filter(isMeasured).map(({ cell }) => quantity.countOf(cell)));
      return values.size >= quantity.least;
    });
    if (combinations.length === 0) return [];
    const groups = splitIntoPanels(makeSeries(results, combinations.flat())).length;
    const isPayload = index === 0;
    /** @param {Outcome} outcome */
    const across = ({ cell }) => quantity.countOf(cell);
    /** @param {Outcome} outcome */
    const nameOf = ({ cell }) =>
      isPayload ? shapeLabel(cell) : others.map(({ text }) => text(cell).replace(' ', '')).join('-');
    const isShared = combinations.length === 1 || combinations.length * groups <= MAX_PANELS;
    return (isShared ? [combinations] : combinations.map((one) => [one])).flatMap((own) => {
      const suffix = isShared ? '' : `-${nameOf(own[0][0])}`;
      const words = wordsForCombinations({ quantity, others, isPayload, combinations: own }, results);
      const along = { quantity, others, combinations: own, across, suffix, outcomes: own.flat(), ...words };
      return [...ratioFigure(question, along), ...valueFigure(question, along)];
    });
  });
}

/**
 * What the two figures along a quantity share.
 * @typedef {{ quantity: Quantity, others: Quantity[], combinations: Outcome[][], across: (outcome: Outcome) => number, suffix: string,
 *   outcomes: Outcome[], titles: string[], where: string }} AlongQuantity   combinations: outcomes of each panel; titles: one for each panel
 */

/**
 * @param {Pick<AlongQuantity, 'quantity' | 'others' | 'combinations'> & { isPayload: boolean }} along
 * @param {Results} results
 * @returns {Pick<AlongQuantity, 'titles' | 'where'>}
 */
function wordsForCombinations({ others, isPayload, combinations }, results) {
  const cells = combinations.map(([{ cell }]) => cell);
  const varying = others.filter(({ countOf }) => new Set(cells.map(countOf)).size > 1);
  const [first] = cells;
  const shared = others.filter(
    (other) => !varying.includes(other) && (other.name !== 'connections' || first.connections),
  );
  if (isPayload)
    return {
      titles: cells.map((cell) => (varying.length === 0 ? '' : shapeTitle(cell))),
      where: varying.length === 0 ? `, ${shapeLabel(first)}` : '',
    };
  /** @param {Quantity} quantity */
  const sharedText = ({ name, text }) =>
    name === others[0].name ? countedPayload(results, first).text : text(first);
  return {
    titles: cells.map((cell) => joinTexts(...varying.map(({ text }) => text(cell)))),
    where: shared.map((other) => `, ${sharedText(other)}`).join(''),
  };
}

/** @param {AlongQuantity} along */
function makeAcross({ quantity: { title, format }, outcomes, across }) {
  const values = byNumber(outcomes, across).map(([outcome]) => across(outcome));
  return { title: `${title}, log scales`, values, format };
}

/** @param {FigureInput} question @param {AlongQuantity} along @returns {Figure[]} one figure; none without a reference */
function ratioFigure(question, along) {
  const { results } = question;
  const { quantity, combinations, outcomes, across, titles, where, suffix } = along;
  const reference = findReference(outcomes);
  const [first] = outcomes.filter(isMeasured);
  if (reference === null) return [];
  const panels = combinations.map((ofCombination, index) => {
    const steps = byNumber(ofCombination, across);
    return {
      title: titles[index],
      steps,
      values: steps.map(([outcome]) => across(outcome)),
    };
  });
  const groups = panels.flatMap(({ steps }) => steps);
  const winner = messageOfOneWinner(
    groups,
    combinations.length === 1 ? axisPlural(quantity.along) : 'combinations',
    results,
  );
  const [best, next] = findingsAlong(panels, quantity.along, kindsIn(results));
  const title = winner === '' && best !== undefined ? alongTitle(best) : winner;
  const more = next ?? (best?.rows.length === 0 ? best : undefined);
  const sleeps = sleepNotes(outcomes, results);
  const what = `${ratioTitle(headlineMeasure(first))} relative to ${labelText(reference)}`;
  const description = `${capitalised(what)} by ${quantity.title}${where}`;
  const isNamed = title !== '' && question.title === '';
  const compared = outcomes.filter(isMeasured).filter(({ ratio }) => ratio !== null);
  const lines = combinations.map((ofCombination, index) => ({
    title: titles[index],
    lines: linesBySeries(ofCombination, across, (outcome) => {
      const ratio = isMeasured(outcome) ? outcome.ratio : null;
      // The ratio of the reference is 1, without an interval.
      if (ratio === null || ratio.to === seriesLabel(outcome.cell))
        return ratio && { ...ratio, n: 1, level: null };
      return { ...ratio, ...shownInterval(ratio) };
    }),
  }));
  const figure = linesFigure(question, outcomes, {
    name: `${headlineFileName(outcomes)}-ratio-by-${quantity.name}${suffix}`,
    title: isNamed ? title : description,
    message: withCaveat(
      [isNamed ? description : title, more === undefined ? '' : alongAddition(more)]
        .filter((text) => text !== '')
        .join('; '),
      sleeps,
    ),
    panels: lines,
    across: makeAcross(along),
    upwards: { title: `relative to ${labelText(reference)}`, isRatio: true },
    notes: [...ratioNotes(outcomes, reference), ...sleeps, ...gapNotes(outcomes)],
    intervals: headlineIntervalText(outcomes, 'the ratio'),
    altValues: listValues(ratioValues(compared, along)),
  });
  return [figure];
}

/** @param {Outcome[]} outcomes @param {string} reference @returns {string[]} */
function ratioNotes(outcomes, reference) {
  const isMissing = outcomes.filter(isMeasured).some(({ ratio }) => ratio === null);
  return isMissing ? [`Where ${labelText(reference)} was not measured there are no ratios`] : [];
}

/** @param {MeasuredOutcome[]} compared @param {AlongQuantity} along @returns {string[]} each row with its ratio, the greatest first */
function ratioValues(compared, { quantity, others, combinations }) {
  const varying = others.filter(
    ({ countOf }) => new Set(combinations.map(([{ cell }]) => countOf(cell))).size > 1,
  );
  return compared
    .filter(({ ratio, cell }) => ratio?.to !== seriesLabel(cell))
    .sort((left, right) => Number(right.ratio?.estimate) - Number(left.ratio?.estimate))
    .map(({ ratio, cell }) => {
      const where = [quantity, ...varying].map(({ text }) => text(cell)).join(', ');
      return `${rowText({ cell })} at ${where} ${formatRatio(Number(ratio?.estimate))}`;
    });
}

/**
 * @param {AlongQuantity} along
 * @param {Results} results
 * @returns {string} the first and the last value of the reference, or of the only row, in the first panel: 'pipe/json: 95,400 round trips
 *   per second at 100 B, 3,230 at 100 kB'; the winners if that row has fewer than two values
 */
function valueMessage({ quantity, combinations, outcomes, across, titles }, results) {
  const keys = new Set(outcomes.map(({ cell }) => seriesLabel(cell)));
  const [reference] = keys.size === 1 ? keys : [findReference(outcomes)];
  const own = combinations[0].filter(isMeasured).filter(({ cell }) => seriesLabel(cell) === reference);
  const steps = byNumber(own, across).flat().filter(isMeasured);
  if (steps.length < 2) {
    const groups = combinations.flatMap((ofCombination) => byNumber(ofCombination, across));
    return messageOfGroups(
      groups,
      combinations.length === 1 ? axisPlural(quantity.along) : 'combinations',
      results,
    );
  }
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const name = joinTexts(rowText(first), titles[0]);
  const ends = `${valueText(headlineMeasure(first), formatNumber(readHeadline(first).estimate))} at ${quantity.text(first.cell)}, ${formatNumber(readHeadline(last).estimate)} at`;
  return `${name}: ${ends} ${quantity.text(last.cell)}`;
}

/** @param {FigureInput} question @param {AlongQuantity} along @returns {Figure[]} */
function valueFigure(question, along) {
  const { quantity, combinations, outcomes, across, titles, where, suffix } = along;
  const lines = combinations.map((ofCombination, index) => ({
    title: titles[index],
    lines: linesBySeries(ofCombination, across, (outcome) =>
      isMeasured(outcome) ? readHeadline(outcome) : null,
    ),
  }));
  if (findEnds(lines) === null) return [];
  const figure = linesFigure(question, outcomes, {
    name: `${headlineFileName(outcomes)}-by-${quantity.name}${suffix}`,
    title: `${capitalised(headlineTitle(outcomes))} by ${quantity.title}${where}`,
    message: valueMessage(along, question.results),
    panels: lines,
    across: makeAcross(along),
    upwards: { title: headlineTitle(outcomes) },
    notes: gapNotes(outcomes),
    intervals: headlineIntervalText(outcomes, headlineNoun(outcomes)),
  });
  return [figure];
}
