// Figures along a quantity, such as the payload or the number of workers: first ratios to the reference, then the headline.

import { headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel, shapeLabel, shapeTitle } from '../../../cell/labels.js';
import { capitalised, counted, groupedBy } from '../../../format/lists.js';
import { formatNumber, formatRatio } from '../../../format/numbers.js';
import { isMeasured } from '../../text/groups.js';
import { ratioTitle, valueText } from '../../text/measure-words.js';
import { unequalNote } from '../../text/sleep-words.js';
import { kindsIn } from '../../text/transport-kinds.js';
import { findingAlong, findReference } from '../text/axis-words.js';
import { messageOfGroups, messageOfOneWinner } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { FORMATS } from '../text/quantity-words.js';
import { countedPayload, joinTexts, labelText, rowText } from '../text/short-texts.js';
import { listValues } from './figure.js';
import { findEnds, linesFigure, linesOf } from './lines-figure.js';
import { byNumber, makeSeries, splitIntoPanels } from './series.js';
import { headlineFileName, headlineNoun, headlineTitle } from './throughput-figure.js';

/** @import { Cell, MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, FormatName, Sheet } from '../scene-types.js' */

const MOST_PANELS = 12; // with more panels, each combination of the other quantities gets separate figures

/**
 * @typedef {object} Quantity
 * @property {string} name      used in file names
 * @property {string} title
 * @property {string} plural
 * @property {(count: number) => string} everywhere   'at all 5 payloads', for a number of values
 * @property {number} least     fewest values for which a line is drawn
 * @property {FormatName} format
 * @property {(cell: Cell) => number} countOf
 * @property {(cell: Cell) => string} text   '10 kB', '4 workers'
 */

/** @param {'workers' | 'loops' | 'connections'} name @param {string} one @param {string} title @returns {Quantity} */
function shapeQuantity(name, one, title) {
  const countOf = (/** @type {Cell} */ cell) => cell[name] ?? 1;
  const text = (/** @type {Cell} */ cell) => counted(countOf(cell), one, `${one}s`);
  const everywhere = () => `at each number of ${name}`;
  return { name, title, plural: `numbers of ${name}`, everywhere, least: 3, format: 'si', countOf, text };
}

/** @param {Results} results @param {Cell} cell @returns {Quantity[]} */
function makeQuantities(results, cell) {
  const { axisName, title, plural, format } = countedPayload(results, cell);
  const countOf = (/** @type {Cell} */ each) => countedPayload(results, each).count;
  const everywhere = (/** @type {number} */ count) =>
    count === 2 ? `at both ${plural}` : `at all ${count} ${plural}`;
  const unit = format === 'payload' ? '' : ` ${title}`;
  const text = (/** @type {Cell} */ each) => `${FORMATS[format](countOf(each))}${unit}`;
  return [
    { name: axisName, title, plural, everywhere, least: 2, format, countOf, text },
    shapeQuantity('workers', 'worker', 'workers'),
    shapeQuantity('loops', 'loop', 'loops of each worker'),
    shapeQuantity('connections', 'connection', 'connections of each worker'),
  ];
}

/** @param {Sheet} sheet @returns {Figure[]} figures along each quantity with at least `least` values */
export function axisFigures(sheet) {
  const { results, slice } = sheet;
  const measured = slice.outcomes.filter(isMeasured);
  if (measured.length === 0) return [];
  const quantities = makeQuantities(results, measured[0].cell);
  return quantities.flatMap((quantity, index) => {
    const others = quantities.filter((other) => other !== quantity);
    const places = [
      ...groupedBy(slice.outcomes, ({ cell }) => others.map(({ countOf }) => countOf(cell)).join()).values(),
    ].filter((ofPlace) => {
      const values = new Set(ofPlace.filter(isMeasured).map(({ cell }) => quantity.countOf(cell)));
      return values.size >= quantity.least;
    });
    if (places.length === 0) return [];
    const groups = splitIntoPanels(makeSeries(results, places.flat())).length;
    const isPayload = index === 0;
    const nameOf = (/** @type {Outcome} */ { cell }) =>
      isPayload ? shapeLabel(cell) : others.map(({ text }) => text(cell).replace(' ', '')).join('-');
    const sheets =
      places.length === 1 || places.length * groups <= MOST_PANELS ? [places] : places.map((one) => [one]);
    return sheets.flatMap((own) => {
      const ofFigure = { quantity, others, isPayload, places: own };
      const suffix = sheets.length === 1 ? '' : `-${nameOf(own[0][0])}`;
      return [...ratioFigure(sheet, ofFigure, suffix), ...valueFigure(sheet, ofFigure, suffix)];
    });
  });
}

/** @typedef {{ quantity: Quantity, others: Quantity[], isPayload: boolean, places: Outcome[][] }} OfFigure */

/** @param {OfFigure} ofFigure @param {Results} results @returns {{ titles: string[], where: string }} */
function placeWords({ others, isPayload, places }, results) {
  const cells = places.map(([{ cell }]) => cell);
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
  const sharedText = (/** @type {Quantity} */ { name, text }) =>
    name === others[0].name ? countedPayload(results, first).text : text(first);
  return {
    titles: cells.map((cell) => joinTexts(...varying.map(({ text }) => text(cell)))),
    where: shared.map((other) => `, ${sharedText(other)}`).join(''),
  };
}

/** @param {OfFigure} ofFigure */
function makeAcross({ quantity: { title, countOf, format }, places }) {
  const values = byNumber(places.flat(), ({ cell }) => countOf(cell)).map(([{ cell }]) => countOf(cell));
  return { title: `${title}, log scales`, values, format };
}

/** @param {Sheet} sheet @param {OfFigure} ofFigure @param {string} suffix @returns {Figure[]} empty without a reference */
function ratioFigure(sheet, ofFigure, suffix) {
  const { results } = sheet;
  const { quantity, places } = ofFigure;
  const outcomes = places.flat();
  const reference = findReference(outcomes);
  const [first] = outcomes.filter(isMeasured);
  if (reference === null) return [];
  const { titles, where } = placeWords(ofFigure, results);
  const across = (/** @type {Outcome} */ { cell }) => quantity.countOf(cell);
  const panels = places.map((ofPlace, index) => {
    const steps = byNumber(ofPlace, across);
    return {
      title: titles[index],
      steps,
      everywhere: quantity.everywhere(steps.length),
      texts: steps.map(([{ cell }]) => quantity.text(cell)),
    };
  });
  const groups = panels.flatMap(({ steps }) => steps);
  const winner = messageOfOneWinner(groups, places.length === 1 ? quantity.plural : 'combinations', results);
  const along = findingAlong(panels, kindsIn(results));
  const { more } = along;
  const { text: finding, claimed } = winner.text === '' ? along.finding : winner;
  const note = unequalNote([...claimed, ...more.claimed]);
  const what = `${ratioTitle(headlineMeasure(first))} relative to ${labelText(reference)}`;
  const description = `${capitalised(what)} by ${quantity.title}${where}`;
  const isNamed = finding !== '' && sheet.title === '';
  const compared = outcomes.filter(isMeasured).filter(({ ratio }) => ratio !== null);
  const lines = places.map((ofPlace, index) => ({
    title: titles[index],
    lines: linesOf(ofPlace, across, (outcome) => {
      const ratio = isMeasured(outcome) ? outcome.ratio : null;
      // The reference is 1 without an interval.
      return ratio?.to === seriesLabel(outcome.cell) ? { ...ratio, n: 1, level: null } : ratio;
    }),
  }));
  const figure = linesFigure(sheet, outcomes, {
    name: `${headlineFileName(outcomes)}-ratio-by-${quantity.name}${suffix}`,
    title: isNamed ? finding : description,
    message: [isNamed ? description : finding, more.text, note].filter((text) => text !== '').join('; '),
    places: lines,
    across: makeAcross(ofFigure),
    upwards: { title: `relative to ${labelText(reference)}`, isRatio: true },
    notes: [...ratioNotes(outcomes, reference), ...gapNotes(outcomes)],
    intervalsOf: 'the ratio',
    values: listValues(ratioValues(compared, ofFigure)),
  });
  return [figure];
}

/** @param {Outcome[]} outcomes @param {string} reference @returns {string[]} */
function ratioNotes(outcomes, reference) {
  const isMissing = outcomes.filter(isMeasured).some(({ ratio }) => ratio === null);
  return isMissing ? [`Where ${labelText(reference)} was not measured there are no ratios`] : [];
}

/** @param {MeasuredOutcome[]} compared @param {OfFigure} ofFigure @returns {string[]} the greatest ratio first */
function ratioValues(compared, { quantity, others, places }) {
  const varying = others.filter(({ countOf }) => new Set(places.map(([{ cell }]) => countOf(cell))).size > 1);
  return compared
    .filter(({ ratio, cell }) => ratio?.to !== seriesLabel(cell))
    .sort((left, right) => Number(right.ratio?.estimate) - Number(left.ratio?.estimate))
    .map(({ ratio, cell }) => {
      const where = [quantity, ...varying].map(({ text }) => text(cell)).join(', ');
      return `${rowText({ cell })} at ${where} ${formatRatio(Number(ratio?.estimate))}`;
    });
}

/**
 * @param {OfFigure} ofFigure
 * @param {string[]} titles   one for each panel
 * @param {Results} results
 * @returns {string} the ends of the line of the reference or only row in the first panel: 'pipe/json: 95,400 round trips per second at
 *   100 B, 3,230 at 100 kB'; the winners if that line has fewer than two values
 */
function valueMessage({ quantity, places }, titles, results) {
  const across = (/** @type {Outcome} */ { cell }) => quantity.countOf(cell);
  const outcomes = places.flat();
  const keys = new Set(outcomes.map(({ cell }) => seriesLabel(cell)));
  const [reference] = keys.size === 1 ? keys : [findReference(outcomes)];
  const own = places[0].filter(isMeasured).filter(({ cell }) => seriesLabel(cell) === reference);
  const steps = byNumber(own, across).flat().filter(isMeasured);
  if (steps.length < 2) {
    const groups = places.flatMap((ofPlace) => byNumber(ofPlace, across));
    return messageOfGroups(groups, places.length === 1 ? quantity.plural : 'combinations', results);
  }
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const name = joinTexts(rowText(first), titles[0]);
  const ends = `${valueText(first, formatNumber(readHeadline(first).estimate))} at ${quantity.text(first.cell)}, ${formatNumber(readHeadline(last).estimate)} at`;
  return `${name}: ${ends} ${quantity.text(last.cell)}`;
}

/** @param {Sheet} sheet @param {OfFigure} ofFigure @param {string} suffix @returns {Figure[]} */
function valueFigure(sheet, ofFigure, suffix) {
  const { results } = sheet;
  const { quantity, places } = ofFigure;
  const outcomes = places.flat();
  const { titles, where } = placeWords(ofFigure, results);
  const across = (/** @type {Outcome} */ { cell }) => quantity.countOf(cell);
  const lines = places.map((ofPlace, index) => ({
    title: titles[index],
    lines: linesOf(ofPlace, across, (outcome) => (isMeasured(outcome) ? readHeadline(outcome) : null)),
  }));
  if (findEnds(lines) === null) return [];
  const figure = linesFigure(sheet, outcomes, {
    name: `${headlineFileName(outcomes)}-by-${quantity.name}${suffix}`,
    title: `${capitalised(headlineTitle(outcomes))} by ${quantity.title}${where}`,
    message: valueMessage(ofFigure, titles, results),
    places: lines,
    across: makeAcross(ofFigure),
    upwards: { title: headlineTitle(outcomes) },
    notes: gapNotes(outcomes),
    intervalsOf: headlineNoun(outcomes),
  });
  return [figure];
}
