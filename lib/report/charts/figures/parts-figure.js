// Figures of the parts of a measure, and of the parts of the time of a round trip. Each row is a stacked bar. If the estimates of its parts
// add up to more than the measure or the round trip, a tick in the bar shows where that ends.

import { shapeLabel } from '../../../cell/labels.js';
import { capitalised, groupedBy } from '../../../format/lists.js';
import { formatInterval, formatNumber } from '../../../format/numbers.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { sum } from '../../../statistics/sum.js';
import {
  explanationIn,
  explanationNotes,
  OTHERS,
  REMAINDER,
  shownParts,
  shownUs,
} from '../../text/explained.js';
import { measureTitle, unitText } from '../../text/measure-words.js';
import { duration, si } from '../../text/quantity-words.js';
import { countedPayload, gapText, labelText, rowText } from '../../text/short-texts.js';
import { COLOURS, PART_COLOURS, PART_INK } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { plainLook } from '../style/palette.js';
import { linearAxis } from './chart-axes.js';
import { columnPx, formatWhere, listValues, makeFigure, rankedLook } from './figure.js';
import { gapNotes } from './footer.js';
import { barsOf, barsOfRows, heightOf, namesPx, rowsByClass, rowsInPlanOrder } from './rows.js';
import { byShape, makeSeries } from './series.js';

/** @import { MeasuredOutcome, MeasuredValue, Outcome } from '../../../types/index.js' */
/** @import { ChartRow, Figure, FigureInput, LegendItem, Look, Mark } from '../chart-types.js' */

/**
 * @typedef {{ lengths: number[], whole: number, text: string }} Bar   lengths: one for each part; whole: the measure or round trip, whose
 *   text is printed beside the bar
 */

/**
 * @typedef {object} Stack
 * @property {string} name                  name of the file
 * @property {string} title
 * @property {string} axisTitle
 * @property {string} wholeTitle            the measure or round trip that a tick marks on its bar, for the legend
 * @property {boolean} isTime               lengths are in µs
 * @property {{ title: string, look: Look, isRest?: boolean }[]} parts   isRest: time that no part explains
 * @property {Map<Outcome, Bar>} bars
 * @property {ChartRow[][]} panels
 * @property {string[]} notes
 */

const SUMS = 'Each part is estimated by itself, so their sum may exceed the whole.';
const TICK = { halfPx: 15, leastPx: 3 }; // a tick is drawn if the parts exceed the whole by more than leastPx
const VALUE_GAP_PX = 10;
const LABEL_PX = { size: 12, room: 5 }; // font size of the number in a part, and the room around it
const AXIS_START_PX = 8;
const MS_US = 1000; // if the longest bar has at least this many µs, the numbers in its parts have units, since some are in ms
const { ink, mutedInk, background } = COLOURS.light;

/** @param {string} colour @returns {Look} */
const partLook = (colour) => plainLook(colour, { outline: background });

/** Hue shows the transport elsewhere, so parts have other colours. */
const LOOKS = Object.values(PART_COLOURS).map(partLook);

/** @param {Bar} bar */
const lengthOf = ({ lengths }) => sum(lengths);

/** @param {FigureInput} question @param {Outcome[]} outcomes   all with one payload @param {Stack} stack @returns {Figure} */
function stackedFigure(
  question,
  outcomes,
  { name, title, axisTitle, wholeTitle, isTime, parts, bars, panels, notes },
) {
  const all = [...bars.values()];
  const greatest = Math.max(1, ...all.map((bar) => Math.max(lengthOf(bar), bar.whole)));
  const rightPx = Math.ceil(Math.max(...all.map(({ text }) => textPx(text)))) + VALUE_GAP_PX + 4;
  const [rows] = panels;
  const unitPx = (columnPx(1, namesPx(rows), question.widthPx) - AXIS_START_PX - rightPx) / greatest;

  /** @param {Bar} bar */
  const isExceeded = (bar) => (lengthOf(bar) - bar.whole) * unitPx > TICK.leastPx;

  /** @param {number} value */
  function partText(value) {
    const rounded = Number(value.toPrecision(2));
    return isTime && greatest >= MS_US ? duration(rounded, si) : si(rounded);
  }

  /** @param {ChartRow} row @param {number} index @returns {Mark[]} */
  function rowMarks({ outcome }, index) {
    if (outcome === null) return [];
    const at = { datasetIndex: 0, index };
    const words = { ...at, dx: VALUE_GAP_PX, halo: background };
    if (!isMeasured(outcome)) return [{ ...words, value: 0, text: gapText(outcome), colour: mutedInk }];
    const bar = bars.get(outcome);
    if (bar === undefined) return [];
    let start = 0;
    const numbers = parts.flatMap(({ look }, part) => {
      const length = bar.lengths[part];
      const value = start + length / 2;
      start += length;
      const text = partText(length);
      if (length * unitPx < textPx(text, LABEL_PX.size) + LABEL_PX.room) return [];
      const isSolid = rankedLook(look, outcome).fill === 'solid';
      const colours = isSolid ? { colour: PART_INK } : { colour: ink, halo: background };
      return {
        ...at,
        value,
        text,
        align: /** @type {const} */ ('center'),
        sizePx: LABEL_PX.size,
        ...colours,
      };
    });
    /** @type {Mark} */
    const tick = {
      ...at,
      value: bar.whole,
      symbol: 'tick',
      colour: ink,
      fill: background,
      sizePx: TICK.halfPx,
    };
    const value = Math.max(lengthOf(bar), bar.whole);
    return [...(isExceeded(bar) ? [tick] : []), ...numbers, { ...words, value, text: bar.text, colour: ink }];
  }

  /** @param {ChartRow[]} ofPanel */
  function panelOf(ofPanel) {
    const drawn = ofPanel.map(({ outcome }) => (outcome === null ? undefined : bars.get(outcome)));
    const datasets = parts.map(({ title: label, look }, part) => {
      const data = ofPanel.map((row, index) => ({ y: row.label, x: drawn[index]?.lengths[part] || null }));
      const looks = ofPanel.map(({ outcome }, index) => (drawn[index] ? rankedLook(look, outcome) : null));
      return barsOf(label, data, looks, { borderWidth: 1 });
    });
    return barsOfRows(ofPanel, {
      x: linearAxis({ title: axisTitle, max: greatest, format: isTime ? 'duration' : 'si' }),
      datasets,
      marks: ofPanel.flatMap(rowMarks),
      labelPx: namesPx(ofPanel),
      rightPx,
      isStacked: true,
    });
  }

  const values = [...bars].map(([{ cell }, { text }]) =>
    [rowText({ cell }), panels.length === 1 ? '' : `at ${shapeLabel(cell)}`, text].filter(Boolean).join(' '),
  );
  /** @type {LegendItem[]} */
  const tickItems = all.some(isExceeded)
    ? [
        {
          text: labelText(`${wholeTitle}, less than its parts`),
          swatch: { kind: 'symbol', symbol: 'tick', isHollow: false },
        },
      ]
    : [];
  const own = {
    name,
    title: title + formatWhere(question.results, outcomes),
    message: formatMessage(parts, all),
    legend: [
      ...parts.map(({ title: text, look }) => ({
        text: labelText(text),
        swatch: { kind: /** @type {const} */ ('bar'), look },
      })),
      ...tickItems,
    ],
    panelPx: heightOf(rows),
    panels: panels.map((ofPanel, index) => ({
      ...panelOf(ofPanel),
      title: panels.length === 1 ? '' : shapeLabel(byShape(outcomes)[index][0].cell),
    })),
    notes: [...notes, ...gapNotes(outcomes)],
  };
  return makeFigure(question, outcomes, own, { values: listValues(values), intervals: '' });
}

/** @param {Stack['parts']} parts @param {Bar[]} bars @returns {string} 'The greatest part of it is start: 71 to 92 %' */
function formatMessage(parts, bars) {
  const shared = parts.map(({ title, isRest }, part) => {
    const shares = bars.flatMap((bar) => (bar.lengths[part] > 0 ? bar.lengths[part] / lengthOf(bar) : []));
    return { title, isRest, shares };
  });
  const inOrder = shared.sort((left, right) => sum(right.shares) - sum(left.shares));
  const most = inOrder.find(({ isRest }) => !isRest) ?? inOrder[0];
  const greatestPart = most === inOrder[0] ? 'greatest part' : 'greatest separate part';
  const [least, greatest] = [Math.min(...most.shares), Math.max(...most.shares)].map((share) =>
    Math.round(100 * share),
  );
  const range = least === greatest ? `${least} %` : `${least} to ${greatest} %`;
  return `The ${greatestPart} of it is ${labelText(most.title)}: ${range}`;
}

/** @param {MeasuredOutcome} outcome @returns {MeasuredValue[]} */
const valuesIn = ({ measures }) => Object.values(measures).filter((measure) => measure.kind === 'value');

/** @param {FigureInput} question @param {Outcome[]} outcomes   all with one payload @returns {Figure[]} one for each measure that has parts */
export function partsFigures(question, outcomes) {
  const { results } = question;
  const measured = outcomes.filter(isMeasured);
  const [first] = measured;
  if (first === undefined) return [];
  const rowsOf = rowsByClass(results, outcomes, makeSeries(results, outcomes));
  return valuesIn(first).flatMap((whole) => {
    const parts = valuesIn(first).filter(({ partOf }) => partOf === whole.name);
    if (parts.length === 0) return [];
    const isTime = whole.unit === 'µs';
    const bars = measured.map((outcome) => {
      const values = new Map(valuesIn(outcome).map(({ name, estimate }) => [name, estimate]));
      const lengths = parts.map(({ name }) => values.get(name) ?? 0);
      const estimate = values.get(whole.name);
      const text =
        estimate === undefined
          ? ''
          : isTime
            ? duration(estimate)
            : `${formatNumber(estimate)}${unitText(whole)}`;
      return /** @type {const} */ ([outcome, { lengths, whole: estimate ?? sum(lengths), text }]);
    });
    return stackedFigure(question, outcomes, {
      name: `${whole.name}-parts-${countedPayload(results, outcomes[0].cell).fileName}`,
      title: `${capitalised(labelText(whole.title))} in parts`,
      wholeTitle: whole.title,
      axisTitle: labelText(isTime ? whole.title : measureTitle(whole, ' in ')),
      isTime,
      parts: parts.map(({ title }, index) => ({ title, look: LOOKS[index % LOOKS.length] })),
      bars: new Map(bars),
      panels: byShape(outcomes).map(rowsOf),
      notes: [SUMS],
    });
  });
}

// Where the time of a round trip goes: a bar with the parts that extra launches found.

/** Each part has the same look in every picture. @type {Readonly<Record<string, Look>>} */
const EXPLAINED_LOOKS = Object.freeze({
  codec: partLook(PART_COLOURS.blue),
  transport: partLook(PART_COLOURS.orange),
  loop: partLook(PART_COLOURS.yellow),
  systemCalls: partLook(PART_COLOURS.mint),
  waking: partLook(PART_COLOURS.pink),
  threads: partLook(PART_COLOURS.pear),
  broker: partLook(PART_COLOURS.cyan),
  other: partLook(PART_COLOURS.olive),
  [OTHERS.name]: partLook(PART_COLOURS.grey),
  [REMAINDER.name]: partLook(PART_COLOURS.grey),
});
const RESTS = [REMAINDER.name, OTHERS.name];

/**
 * @param {FigureInput} question
 * @param {Outcome[]} outcomes   all with one payload
 * @returns {Figure[]} one for each shape with an explanation
 */
export function explainedFigures(question, outcomes) {
  const explained = outcomes.filter(isMeasured).flatMap((outcome) => {
    const explanation = explanationIn(question.results, outcome);
    return explanation === null ? [] : [{ outcome, explanation }];
  });
  // With one axis for all shapes, the bars of a shape with a single round trip in flight would be too short to see.
  return [...groupedBy(explained, ({ outcome }) => shapeLabel(outcome.cell))].map(([shape, ofShape]) => {
    const explanations = ofShape.map(({ explanation }) => explanation);
    const rows = ofShape.toSorted(
      (one, other) => one.explanation.wholeUs.estimate - other.explanation.wholeUs.estimate,
    );
    const byWhole = rows.map(({ outcome }) => outcome);
    const shown = shownParts(explanations).map((part) => ({
      ...part,
      lengths: rows.map(({ explanation }) => Math.max(0, shownUs(explanation, part) ?? 0)),
    }));
    const parts = shown.filter(({ lengths }) => sum(lengths) > 0);
    const bars = rows.map(({ outcome, explanation: { wholeUs } }, row) => {
      const lengths = parts.map((part) => part.lengths[row]);
      const bar = { lengths, whole: wholeUs.estimate, text: formatInterval(wholeUs, ' µs') };
      return /** @type {const} */ ([outcome, bar]);
    });
    const series = makeSeries(question.results, byWhole);
    const isAlone = (explanations[0].underWay ?? 1) === 1;
    return stackedFigure(question, byWhole, {
      name: `roundTrip${isAlone ? '' : `-${shape}`}-parts-${countedPayload(question.results, outcomes[0].cell).fileName}`,
      title: 'Where a round trip’s time goes',
      axisTitle: 'time of a round trip',
      wholeTitle: 'median round trip',
      isTime: true,
      parts: parts.map(({ name, title }) => ({
        title,
        look: EXPLAINED_LOOKS[name],
        isRest: RESTS.includes(name),
      })),
      bars: new Map(bars),
      panels: [rowsInPlanOrder(byWhole, series)],
      notes: [
        'Beside each bar: the median per launch, without the instrumented launches, with its interval.',
        ...explanationNotes(explanations),
      ],
    });
  });
}
