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

/** @import { Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, LegendItem, Parts, Series, Sheet } from '../scene-types.js' */

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
