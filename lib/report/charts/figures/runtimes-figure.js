// The same rows on several runtimes: a group of bars for each transport and codec, a bar for each runtime.

import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { runtimesByRole, THIS_NODE } from '../../../cell/launch-roles.js';
import { capitalised } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import {
  hasVerdict,
  mergedTallies,
  rowOnAny,
  runtimeOfRow,
  runtimeTallies,
  talliesText,
} from '../../text/runtime-words.js';
import { categoryAxis, chartOptions, linearAxis } from '../scene/chart-axes.js';
import { columnPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { plainLook } from '../style/palette.js';
import { gapNotes } from '../text/footer.js';
import { linearEnd } from '../text/quantity-words.js';
import { countedPayload, gapMarkOf, gapText, labelText } from '../text/short-texts.js';
import { formatWhere, legendOf, makeFigure, rankedLook } from './figure.js';
import { AXIS_PX } from './line-panel.js';
import { barsOf, makeWhisker } from './rows.js';
import { byShape } from './series.js';
import { headlineTitle } from './throughput-figure.js';

/** @import { Cell, Fill, Hue, Outcome, Results } from '../../../types/index.js' */
/** @import { Figure, Look, Sheet, Configuration, Mark, Series } from '../scene-types.js' */

const PANEL_PX = 260;
const MESSAGE_CHARACTERS = 180; // two lines
const NAME_CHARACTERS = 28;
const BARS_IN_A_PANEL = 32;
const GREATEST_GROUPS = 8;
const NAME_GAP_PX = 12;
// Here hue says runtime: every bar of a group is of one transport. Fills tell apart what hues do not.
const LOOKS = /** @type {readonly (readonly [Hue, Fill])[]} */ ([
  ['blue', 'solid'],
  ['ochre', 'diagonal'],
  ['green', 'tint'],
  ['rust', 'dots'],
  ['pink', 'horizontal'],
  ['violet', 'cross'],
  ['grey', 'checks'],
]);

/** @param {number} place @returns {Look} of no other place: where hues come again, they have other fills */
function lookAt(place) {
  const [hue] = LOOKS[place % LOOKS.length];
  const [, fill] = LOOKS[(place + Math.floor(place / LOOKS.length)) % LOOKS.length];
  return plainLook(COLOURS.light.hues[hue], { fill });
}

/** @param {string} name @returns {string[]} in two lines: what carries it, and the codec */
function splitName(name) {
  const at = name.lastIndexOf('/');
  return at < 1 ? [name] : [name.slice(0, at), name.slice(at)];
}

/** @param {string[]} rows @param {number} runtimes @param {number} widthPx   of a panel @returns {string[][]} of each panel, about as many in all: their names have room below */
function inPanels(rows, runtimes, widthPx) {
  const longest = Math.max(...rows.flatMap(splitName).map((line) => textPx(line)));
  const fitting = Math.floor((widthPx - AXIS_PX) / (longest + NAME_GAP_PX));
  const most = Math.max(1, Math.min(GREATEST_GROUPS, fitting, Math.floor(BARS_IN_A_PANEL / runtimes)));
  const panels = Math.ceil(rows.length / most);
  const each = Math.ceil(rows.length / panels);
  return Array.from({ length: panels }, (_, panel) => rows.slice(panel * each, (panel + 1) * each));
}

/** @param {Outcome[]} outcomes @returns {string} what is held against what, all shapes together */
function formatMessage(outcomes) {
  const all = byShape(outcomes).flatMap((ofShape) => runtimeTallies(ofShape.filter(isMeasured)));
  if (all.length === 0) return 'No row was measured on two of them';
  const tallies = mergedTallies(all).filter(hasVerdict);
  if (tallies.length === 0) return labelText(`No verdict: ${all[0].rows[0].why}`, MESSAGE_CHARACTERS);
  return capitalised(labelText(talliesText(tallies), MESSAGE_CHARACTERS));
}

/** @param {Results} results @param {string} name   of what plays a row @returns {string} '' where several do beside this Node: a line below the chart has all */
function findVersion({ environment: { node, runtimes = {} } }, name) {
  const [played, ...more] = Object.values(runtimesByRole(name)).filter((one) => one !== THIS_NODE);
  if (played === undefined) return node;
  return more.length === 0 ? (runtimes[played] ?? '') : '';
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} none where one runtime played all */
export function runtimesFigure(sheet, outcomes) {
  const { results, widthPx } = sheet;
  const names = [...new Set(outcomes.map(runtimeOfRow))];
  if (names.length < 2) return [];
  const series = names.map((name, place) => {
    const version = findVersion(results, name);
    const text = name.endsWith(version) ? name : `${name} ${version}`;
    return { key: name, text: labelText(text), look: lookAt(place) };
  });
  const groupOf = (/** @type {Cell} */ cell) => labelText(rowOnAny({ cell }), NAME_CHARACTERS);
  const rows = [...new Set(outcomes.filter(isMeasured).map(({ cell }) => groupOf(cell)))];
  const highs = outcomes.filter(isMeasured).map((outcome) => readHeadline(outcome).high);
  const shapes = byShape(outcomes);
  const parts = inPanels(rows, names.length, columnPx(1, 0, widthPx));
  const frame = {
    rates: linearEnd(Math.max(1, ...highs)),
    widthPx,
    groupOf,
    keyOf: (/** @type {Cell} */ cell) => runtimeOfRow({ cell }),
    linesOf: splitName,
    hasTitles: shapes.length * parts.length === 1, // else they are said once, below
  };
  return [
    makeFigure(sheet, outcomes, {
      name: `runtimes-${countedPayload(results, outcomes[0].cell).fileName}`,
      title: `${capitalised(headlineTitle(outcomes))} across runtimes${formatWhere(results, outcomes)}`,
      message: formatMessage(outcomes),
      legend: legendOf(series, 'bar'),
      panelPx: PANEL_PX,
      panels: shapes.flatMap((ofShape) =>
        parts.map((groups) => ({
          title: shapes.length === 1 ? '' : shapeLabel(ofShape[0].cell),
          configuration: throughputBars(ofShape, series, { ...frame, groups }),
        })),
      ),
      ...(frame.hasTitles ? {} : { axes: `↑ ${headlineTitle(outcomes)}` }),
      notes: gapNotes(outcomes),
    }),
  ];
}

// Throughput of one payload in groups of bars: groups on X are what is asked for, bars are series.

/**
 * The same for all panels of a figure.
 * @typedef {object} BarsFrame
 * @property {string[]} groups          in order
 * @property {(cell: Cell) => string} groupOf
 * @property {(cell: Cell) => string} keyOf   of its series
 * @property {(group: string) => string[]} linesOf   of its name
 * @property {{ max: number, step: number }} rates
 * @property {number} widthPx
 * @property {boolean} hasTitles        of the axes; small multiples say it once, below
 */

const GROUP_SHARE = 0.86; // of a category; the rest is the gap between groups
const LETTER_PX = 9;
const WORD_PX = 60; // '✕ failed' lying
const { ink, mutedInk, background } = COLOURS.light;

/** @param {Outcome} outcome @param {{ datasetIndex: number, index: number }} at @param {number} barPx @returns {Mark[]} of a gap */
function barMarks(outcome, at, barPx) {
  if (isMeasured(outcome)) return [];
  const text = barPx < LETTER_PX ? gapMarkOf(outcome.status) : gapText(outcome);
  const isUpright = barPx < WORD_PX && text.length > 1;
  return [
    {
      ...at,
      value: 0,
      dy: isUpright ? -6 : -12,
      text,
      colour: outcome.status === 'skipped' ? mutedInk : ink,
      halo: background,
      isUpright,
      align: isUpright ? 'left' : 'center',
    },
  ];
}

/**
 * @param {Outcome[]} outcomes   of one payload
 * @param {Pick<Series, 'key' | 'text' | 'look'>[]} series      of this panel
 * @param {BarsFrame} frame
 * @returns {Configuration}
 */
function throughputBars(outcomes, series, frame) {
  const { groups, groupOf, keyOf, linesOf, rates, widthPx, hasTitles } = frame;
  const barPx = ((widthPx - AXIS_PX) * GROUP_SHARE) / groups.length / series.length;
  /** @type {Mark[]} */
  const marks = [];
  const datasets = series.map(({ key, text, look }, datasetIndex) => {
    const found = groups.map(
      (group) => outcomes.find(({ cell }) => keyOf(cell) === key && groupOf(cell) === group) ?? null,
    );
    const data = found.map((outcome, index) => {
      const x = groups[index];
      if (outcome !== null) marks.push(...barMarks(outcome, { datasetIndex, index }, barPx));
      if (!isMeasured(outcome)) return { x, y: null, yMin: null, yMax: null };
      const headline = readHeadline(outcome);
      const { low, high } = makeWhisker(headline);
      return { x, y: headline.estimate, yMin: low, yMax: high };
    });
    const looks = found.map((outcome) => rankedLook(look, outcome));
    const own = { maxBarThickness: 60, categoryPercentage: GROUP_SHARE, barPercentage: 0.9 };
    const capPx = Math.max(3, Math.min(9, barPx * 0.5));
    const bars = barsOf(text, data, looks, { ...own, whiskers: { colour: ink, halo: background, capPx } });
    bars.borderWidth = bars.borderWidth.map((px) => Math.min(px, barPx / 6));
    return bars;
  });
  const scales = {
    x: categoryAxis(groups, { lines: groups.map(linesOf) }),
    y: linearAxis({ title: hasTitles ? headlineTitle(outcomes) : '', ...rates }),
  };
  return {
    type: 'bar',
    data: { labels: groups, datasets },
    options: chartOptions(scales, { top: 18 }),
    marks,
  };
}
