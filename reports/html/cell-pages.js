// The page of each cell, as plain blocks that the page shows when it is asked for: words, tables and figures.

import { cellLabel } from '../../lib/cell/labels.js';
import { formatCount, formatNumber, formatPercent, NOTHING } from '../../lib/format/numbers.js';
import { printable } from '../../lib/format/printable.js';
import { flagMark, flagMeaning } from '../../lib/format/result-flags.js';
import { cellFigures } from '../../lib/report/charts/figures/cell-figures.js';

import { columnsOfGroups } from '../../lib/report/columns/open-columns.js';
import { explanationIn, explanationNotes, leftOverPart } from '../../lib/report/text/explained.js';
import { formatRowName, groupRows, isMeasured } from '../../lib/report/text/groups.js';
import { guaranteeNotes } from '../../lib/report/text/guarantees.js';
import { transportFacts } from '../../lib/report/text/transport-kinds.js';
import { failedLaunchesTable, launchesTable, processesTable } from './launch-tables.js';
import { readableFigure } from './page-pictures.js';
import { pageText } from './sortable-table.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../lib/types/index.js' */
/** @typedef {{ titles: string[], rows: string[][] }} Table   the first column names the row */
/** @typedef {{ heading: string, notes?: string[], terms?: [name: string, value: string][], table?: Table, figure?: object }} Block */
/** @typedef {{ title: string, place: string, blocks: Block[] }} CellPage */

const NAME_CHARACTERS = 1_000;
const TEXT_CHARACTERS = 4_000;

/** @param {MeasuredOutcome} outcome @returns {Block[]} */
function flagBlocks({ flags, operation }) {
  if (flags.length === 0) return [];
  const notes = flags.map(({ code, message }) => {
    const said = pageText(message, TEXT_CHARACTERS);
    const summary = flagMeaning(code, 'summary', operation);
    // Most messages are the meaning, with what it was here.
    return `${flagMark(code)} = ${said.startsWith(summary) ? said : [summary, said].filter(Boolean).join('. Here: ')}`;
  });
  return [{ heading: 'Marks', notes }];
}

/** @param {Results} results @param {Outcome} outcome @returns {Block[]} */
function promiseBlocks(results, outcome) {
  const facts = Object.entries(transportFacts(results, outcome.cell));
  const terms = facts.flatMap(([name, value]) =>
    typeof value === 'string' ? [/** @type {[string, string]} */ ([name, pageText(value)])] : [],
  );
  const notes = guaranteeNotes(results, [outcome]).map((note) => pageText(note, TEXT_CHARACTERS));
  return terms.length + notes.length === 0 ? [] : [{ heading: 'What the transport promises', terms, notes }];
}

/** @param {Results} results @param {Outcome} outcome @returns {Block[]} where the time of a round trip goes; none unless --explain found it */
function explainedBlocks(results, outcome) {
  const explanation = explanationIn(results, outcome);
  if (explanation === null) return [];
  const { parts, remainderUs, wholeUs } = explanation;
  const rowOf = (
    /** @type {string} */ title,
    /** @type {number | null} */ us,
    /** @type {string} */ found,
  ) => {
    const numbers =
      us === null ? [NOTHING, NOTHING] : [formatNumber(us), formatPercent(us / wholeUs.estimate)];
    return [pageText(title), ...numbers, pageText(found, TEXT_CHARACTERS)];
  };
  const rows = [
    ...parts.map(({ title, us, found }) => rowOf(title, us, found)),
    rowOf(
      leftOverPart(explanation).title,
      remainderUs,
      'the median of the measured launches, less all parts',
    ),
  ];
  return [
    {
      heading: 'Where a round trip’s time goes',
      notes: explanationNotes([explanation]),
      table: { titles: ['part', 'µs', 'of the median', 'how it was found'], rows },
    },
  ];
}

/** @param {Results} results @param {Outcome} outcome @returns {Block[]} what extra launches saw, where there were any */
function insideBlocks({ syscalls = [], profiles = [], failedLooks = [] }, { cell }) {
  const label = cellLabel(cell);
  const isOwn = (/** @type {{ cell: Outcome['cell'] }} */ look) => cellLabel(look.cell) === label;
  const counted = syscalls.filter(isOwn).map(({ operations, processes }) => {
    const rows = processes.flatMap(({ name, calls }) =>
      Object.entries(calls).map(([call, count]) => [pageText(name), pageText(call), count.toFixed(2)]),
    );
    return {
      heading: 'System calls',
      notes: [
        `Per operation, of ${formatCount(operations)} in one extra launch under strace, which is slow.`,
      ],
      table: { titles: ['process', 'call', 'calls per operation'], rows },
    };
  });
  const own = profiles.filter(isOwn);
  const rows = own.flatMap(({ process, heaviest }) =>
    heaviest.map(({ name, share }) => [pageText(process), pageText(name), formatPercent(share)]),
  );
  const files = own.map(({ process, file }) => `${pageText(process)}: ${pageText(file, NAME_CHARACTERS)}`);
  const profiled =
    rows.length === 0
      ? []
      : [
          {
            heading: 'Heaviest functions',
            notes: ['Shares of the time in which the process was not idle, in one extra launch.', ...files],
            table: { titles: ['process', 'function', 'share'], rows },
          },
        ];
  const failed = failedLooks
    .filter(isOwn)
    .map(
      ({ look, message, code }) =>
        `--${printable(look)} saw nothing: ${pageText(message, TEXT_CHARACTERS)} (${printable(code)})`,
    );
  return [...counted, ...profiled, ...(failed.length === 0 ? [] : [{ heading: 'Not seen', notes: failed }])];
}

/** @param {Results} results @param {MeasuredOutcome} outcome @param {Block} numbers @returns {Block[]} */
function measuredBlocks(results, outcome, numbers) {
  const figures = cellFigures(outcome).map((figure) => ({
    heading: figure.title,
    figure: readableFigure(figure),
  }));
  return [
    numbers,
    ...flagBlocks(outcome),
    ...figures,
    { heading: 'Launches', table: launchesTable(outcome) },
    {
      heading: 'Costs by process',
      notes: ['Means of the launches; memory is the greatest.'],
      table: processesTable(outcome),
    },
    ...explainedBlocks(results, outcome),
    ...promiseBlocks(results, outcome),
    ...insideBlocks(results, outcome),
  ];
}

/** @param {Results} results @param {Exclude<Outcome, MeasuredOutcome>} outcome @returns {Block[]} */
function missingBlocks(results, outcome) {
  const why = outcome.status === 'skipped' ? outcome.reason : `${outcome.message} (${outcome.code})`;
  const launches = outcome.status === 'failed' ? outcome.launches : [];
  return [
    {
      heading: `Why it ${outcome.status === 'skipped' ? 'was skipped' : 'failed'}`,
      notes: [pageText(why, TEXT_CHARACTERS)],
    },
    ...(launches.length === 0 ? [] : [{ heading: 'Launches', table: failedLaunchesTable(launches) }]),
    ...promiseBlocks(results, outcome),
  ];
}

/** @param {Results} results @returns {CellPage[]} one for each outcome, in their order */
export function cellPages(results) {
  const columnsIn = columnsOfGroups(results);
  const groups = new Map(
    groupRows(results).flatMap((group) => group.outcomes.map((outcome) => [outcome, group])),
  );
  return results.outcomes.map((outcome) => {
    const group = /** @type {import('../../lib/report/text/groups.js').Group} */ (groups.get(outcome));
    const page = {
      title: pageText(formatRowName(outcome.cell), NAME_CHARACTERS),
      place: pageText(group.place, NAME_CHARACTERS),
    };
    if (!isMeasured(outcome)) return { ...page, blocks: missingBlocks(results, outcome) };
    const [, ...columns] = columnsIn(group);
    const terms = columns
      .map(
        ({ span, title, text }) =>
          /** @type {[string, string]} */ ([
            span === '' ? title : `${span}: ${title}`,
            pageText(text(outcome)),
          ]),
      )
      .filter(([, value]) => value !== '');
    return { ...page, blocks: measuredBlocks(results, outcome, { heading: 'Numbers', terms }) };
  });
}
