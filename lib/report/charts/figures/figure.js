// What all figures share: their shape, and the words around the panels.

import { isUnsaid } from '../../../cell/axes.js';
import { shapeLabel } from '../../../cell/labels.js';
import { guaranteeNotes } from '../../text/guarantees.js';
import { messageNotes } from '../../text/message-words.js';
import { altText } from '../text/alt-text.js';
import { footerLines } from '../text/footer.js';
import { countedPayload, labelText } from '../text/short-texts.js';
import { flagNotes } from './flag-scopes.js';
import { byPayload, byShape } from './series.js';

/** @import { Cell, Outcome, Results } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { LegendItem } from '../scene/legend.js' */
/** @import { Theme } from '../style/colours.js' */
/** @import { Series, Slice } from './series.js' */

/** @typedef {{ title: string, configuration: Configuration }} Panel */

/**
 * What makes one figure differ from another.
 * @typedef {object} Parts
 * @property {string} name             of the file, without extension
 * @property {string} title
 * @property {string} message          what the chart shows: a sentence without its full stop
 * @property {LegendItem[]} legend
 * @property {number} [columns]        left out: 1
 * @property {number} [labelPx]        by which the first column is wider, for the names of rows; left out: 0
 * @property {number} panelPx          least height of a panel
 * @property {Panel[]} panels          row by row
 * @property {string[]} notes
 * @property {false} [hasIntervals]    left out: it has
 * @property {true} [isOfTimes]        its values are times of operations; left out: of the headline
 */

/**
 * Plain data, in the colours of its theme.
 * @typedef {Parts & { columns: number, labelPx: number, widthPx: number, theme: Theme, footer: string[], altText: string, captionNotes: string[], cells: Cell[] }} Figure
 *   captionNotes: those of its notes that a picture of a certain size leaves to its caption; cells: those it draws
 */

/**
 * What the figures of one slice share.
 * @typedef {object} Sheet
 * @property {Results} results
 * @property {Slice} slice
 * @property {string} title            of the user; empty: generated
 * @property {number} widthPx          of each figure, in which its letters have their sizes
 */

export const MOST_COLUMNS = 3;
const TITLE_CHARACTERS = 200;
const PART_CHARACTERS = 30;

/** @param {number} panels @returns {number} columns for them */
export const columnsFor = (panels) => (panels === 4 ? 2 : Math.min(panels, MOST_COLUMNS));

/** @param {Pick<Series, 'text' | 'look'>[]} series @param {'bar' | 'line'} kind @returns {LegendItem[]} */
export const legendOf = (series, kind) => series.map(({ text, look }) => ({ text, swatch: { kind, look } }));

/** @param {Results} results @param {Outcome[]} outcomes @returns {string} ', 1,000 B payload, 2x4' */
export function formatWhere(results, outcomes) {
  const [{ cell }] = outcomes;
  const payload = byPayload(outcomes).length === 1 ? `, ${countedPayload(results, cell).text}` : '';
  return `${payload}${byShape(outcomes).length === 1 ? `, ${shapeLabel(cell)}` : ''}`;
}

/**
 * Streams, fan-outs and round trips are different workloads, and so are closed and open load: one axis for two of them
 * would compare what cannot be compared (M-47).
 * @param {Outcome[]} outcomes
 * @throws {TypeError}
 */
export function assertOneQuestion(outcomes) {
  const questions = new Set(
    outcomes.map(
      ({ cell }) => `${cell.scenario}, ${cell.ratePerSecond === undefined ? 'closed' : 'open'} load`,
    ),
  );
  if (questions.size > 1) throw new TypeError(`one chart cannot show ${[...questions].join(' and ')}`);
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   that it draws @param {Parts} parts @returns {Figure} in light colours */
export function makeFigure({ results, slice, title, widthPx }, outcomes, parts) {
  assertOneQuestion(outcomes);
  const names = [parts.name, ...slice.parts.map((part) => part.name.replace(/[^a-z0-9]+/gi, '-'))];
  const { scenario } = slice.cell;
  const isNamed = isUnsaid('scenario', slice.cell) || slice.parts.some((part) => part.title === scenario);
  const said = [...(isNamed ? [] : [scenario]), ...slice.parts.map((part) => part.title)];
  const titles = [parts.title, ...said.map((text) => labelText(text, PART_CHARACTERS))];
  const named = {
    columns: 1,
    labelPx: 0,
    ...parts,
    name: names.join('-'),
    title: title === '' ? titles.join(', ') : labelText(title, TITLE_CHARACTERS),
  };
  // Of many brokers they would be longer than the chart; the table has them.
  const hasSettings = Object.keys(results.environment.brokers).length === 1;
  const captionNotes = guaranteeNotes(results, outcomes, { hasSettings });
  return {
    ...named,
    widthPx,
    theme: 'light',
    notes: [...parts.notes, ...messageNotes(results, outcomes), ...flagNotes(outcomes), ...captionNotes],
    captionNotes,
    footer: footerLines(results, slice, outcomes, parts.hasIntervals ?? true),
    altText: altText(named, outcomes, results),
    cells: outcomes.map(({ cell }) => cell),
  };
}
