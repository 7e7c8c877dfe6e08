// Verdicts along an axis such as the payload: a row for each transport and codec, a column for each group, and in each field a verdict with
// its ratio. A legend in words is below, so that nothing depends on colours.

import { headingText } from '../../cell/axes.js';
import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, listed } from '../../format/lists.js';
import { formatRatio, NOTHING } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { contrastsIn } from '../findings/contrasts.js';
import { isOpen, measuredGroups, varyingAxes } from '../findings/groups.js';
import { bestFirst } from '../findings/row-verdicts.js';
import { kindsIn } from '../findings/transport-kinds.js';
import { kindWords } from '../text/kind-words.js';
import { ratioTitle, superlativeFor } from '../text/measure-words.js';
import { headingNoun } from '../text/names.js';
import { TALLIED, verdictWords } from '../text/phrases/ranking-phrases.js';
import { reasonText } from '../text/reasons.js';
import { textColumn } from './columns.js';

/** @import { Cell, Results } from '../../types/index.js' */
/** @import { RowContrast } from '../findings/contrasts.js' */
/** @import { RowGroup } from '../findings/groups.js' */
/** @import { ComparedOutcome } from '../findings/row-verdicts.js' */
/** @import { Column } from './columns.js' */
/** @typedef {{ text: string, value?: number }} GridCell   value: a ratio */
/** @typedef {{ name: string, cells: GridCell[] }} GridRow */
/**
 * @typedef {object} VerdictGrid
 * @property {string} heading
 * @property {Column<GridRow>[]} columns
 * @property {{ heading: string, rows: GridRow[] }[]} sections
 * @property {string} legend
 */

const MARKS = Object.freeze({ better: '↑', worse: '↓', unclear: '·', none: '?' });
const BEST = '*';
const MAX_WITH_RATIOS = 12; // with more columns, cells have verdicts only
const REASONS_SHOWN = 2;

/** @param {Results} results @returns {VerdictGrid[]} one for each scenario with several groups of closed loops */
export function verdictGrids(results) {
  const kindIn = kindsIn(results);
  const closed = measuredGroups(results).filter((group) => !isOpen(group));
  return [...groupedBy(closed, ({ cell }) => cell.scenario).values()].flatMap((groups) => {
    const contrasts = groups.length < 2 ? [] : contrastsIn(groups, results.reference, kindIn);
    return contrasts.length === 0 ? [] : [makeGrid(groups, contrasts)];
  });
}

/** @param {RowGroup[]} groups @param {RowContrast[]} contrasts   at least one @returns {VerdictGrid} */
function makeGrid(groups, contrasts) {
  const varying = varyingAxes(groups);
  const { at, many } = headingNoun(varying.length === 1 ? varying[0].name : '');
  const best = groups.map(({ measured }) => bestFirst(measured)[0].cell);
  const hasRatios = groups.length <= MAX_WITH_RATIOS;
  /** @param {Cell} cell @param {number} index */
  const markAt = (cell, index) => (seriesLabel(best[index]) === seriesLabel(cell) ? BEST : '');
  /** @param {RowContrast['rows'][number]} row @param {number} index */
  const cellAt = ({ cell, at }, index) => {
    const compared = at[index];
    if (compared === null) return { text: NOTHING };
    const { estimate } = compared.ratio;
    const ratio = hasRatios ? ` ${formatRatio(estimate)}` : '';
    return { text: markAt(cell, index) + MARKS[compared.verdict] + ratio, value: estimate };
  };
  /** @param {Cell} cell */
  const baseRow = (cell) => ({
    name: printable(seriesLabel(cell)),
    cells: groups.map(({ measured }, index) =>
      measured.some((outcome) => seriesLabel(outcome.cell) === seriesLabel(cell))
        ? { text: `${markAt(cell, index)}1×`, value: 1 }
        : { text: NOTHING },
    ),
  });
  const all = contrasts.flatMap(({ rows }) => rows.flatMap(({ at }) => at.filter((one) => one !== null)));
  /** @type {Column<GridRow>[]} */
  const ofGroups = groups.map(({ cell }, index) => ({
    span: '',
    title: headingText(cell, varying),
    align: 'right',
    text: ({ cells }) => cells[index].text,
    value: ({ cells }) => cells[index].value,
  }));
  return {
    heading: `Verdicts ${at} all ${many}`,
    columns: [textColumn('transport/codec', ({ name }) => name), ...ofGroups],
    sections: contrasts.map((contrast, section) => ({
      heading: sectionHeading(contrast),
      rows: [
        ...(section === 0 && contrast.baseCell !== null ? [baseRow(contrast.baseCell)] : []),
        ...contrast.rows.map((row) => ({
          name: printable(seriesLabel(row.cell)),
          cells: groups.map((_, index) => cellAt(row, index)),
        })),
      ],
    })),
    legend: legendText(all, groups),
  };
}

/** @param {RowContrast} contrast */
function sectionHeading({ differsIn, kind, codec, base }) {
  if (differsIn === 'codec') return `Codec, compared with ${printable(base)} over the same transport`;
  const what = differsIn === 'transport' ? `Same codec (${printable(codec)})` : 'Other rows';
  return `${kind === '' ? what : capitalised(kindWords(kind))}, compared with ${printable(base)}`;
}

/**
 * @param {ComparedOutcome[]} compared   at least one
 * @param {RowGroup[]} groups
 * @returns {string} '↑ faster, * highest throughput of its column'
 */
function legendText(compared, [{ measured }]) {
  const measure = headlineMeasure(measured[0]);
  const reasons = [
    ...new Set(compared.flatMap(({ why }) => (why === null ? [] : reasonText({ ...why, row: undefined })))),
  ];
  const words = { ...verdictWords(measure), none: `no verdict (${listed(reasons, REASONS_SHOWN)})` };
  const texts = TALLIED.filter((verdict) => compared.some((one) => one.verdict === verdict)).map(
    (verdict) => `${MARKS[verdict]} ${words[verdict]}`,
  );
  return [...texts, `${BEST} ${superlativeFor(measure)} ${ratioTitle(measure)} of its column`].join(', ');
}
