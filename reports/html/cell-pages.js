// The page of each cell, as plain blocks that the page shows when it is asked for: words, tables and figures.

import { headlineMeasure, valuesIn } from '../../lib/cell/headline.js';
import { cellLabel } from '../../lib/cell/labels.js';
import { capitalised, formatRanges, groupedBy } from '../../lib/format/lists.js';
import {
  formatCount,
  formatMemory,
  formatNumber,
  formatPercent,
  NOTHING,
  orNothing,
} from '../../lib/format/numbers.js';
import { printable } from '../../lib/format/printable.js';
import { flagMeaning } from '../../lib/format/result-flags.js';
import { MS_PER_S } from '../../lib/format/units.js';
import { cellFigures } from '../../lib/report/charts/figures/cell-figures.js';
import { columnsOfGroups } from '../../lib/report/columns/columns.js';
import { explanationIn, explanationNotes, leftOverPart } from '../../lib/report/text/explained.js';
import { explainedPlace, formatRowName, groupRows, isMeasured } from '../../lib/report/text/groups.js';
import { measureTitle } from '../../lib/report/text/measure-words.js';
import { unknownCostNotes } from '../../lib/report/text/notes.js';
import { guaranteeNotes, transportFacts } from '../../lib/report/text/transport-kinds.js';
import { costedOperations } from '../../lib/results/calibration-rows.js';
import { sum, sumBy } from '../../lib/statistics/sum.js';
import { readableFigure } from './page-pictures.js';
import { pageText } from './sortable-table.js';

/** @import { Launch, MeasuredLaunch, MeasuredOutcome, Outcome, ProcessCost, Results } from '../../lib/types/index.js' */
/** @typedef {{ titles: string[], rows: string[][] }} Table   the first column names the row */
/** @typedef {{ heading: string, notes?: string[], terms?: [name: string, value: string][], table?: Table, figure?: object }} Block */
/** @typedef {{ title: string, place: string, blocks: Block[] }} CellPage */
/** @typedef {{ cost: ProcessCost, operations: number }} Share   of one launch */
/** @typedef {[title: string, text: (shares: Share[]) => string]} ProcessColumn */

const LAUNCHES_NOTE =
  'A launch starts all processes anew. A block is one pass over all rows of the run. The window is the time that is measured, after the warm-up.';
const NAME_CHARACTERS = 1_000;
const TEXT_CHARACTERS = 4_000;
const MESSAGE_CHARACTERS = 2_000;

/** @param {MeasuredOutcome} outcome @returns {Table} */
function launchesTable(outcome) {
  const measures = [headlineMeasure(outcome), ...valuesIn(outcome)];
  const { many } = outcome.operation;
  return {
    titles: [
      'launch',
      'block',
      ...measures.map((measure) => pageText(measureTitle(measure))),
      pageText(many),
      'window',
      'warm-up',
      'remarks',
    ],
    rows: outcome.launches.map((launch, index) => [
      String(index + 1),
      String(launch.block + 1),
      ...measures.map(({ name }) => orNothing(launch.values[name] ?? null)),
      formatCount(launch.operations),
      `${formatNumber(launch.windowMs / MS_PER_S)} s`,
      warmupText(launch),
      launch.flags.map(({ code }) => flagMeaning(code, 'brief', outcome.operation)).join('; '),
    ]),
  };
}

/** @param {MeasuredLaunch} launch @returns {string} '0.4 s, steady' */
function warmupText({ warmup }) {
  return `${formatNumber(warmup.ms / MS_PER_S)} s, ${warmup.status.replace('-', ' ')}`;
}

/** @param {Launch[]} launches @returns {Table} of a cell that failed */
function failedLaunchesTable(launches) {
  return {
    titles: ['launch', 'block', 'what happened', 'last words'],
    rows: launches.map((launch, index) => [
      String(index + 1),
      String(launch.block + 1),
      launch.status === 'measured'
        ? 'measured'
        : pageText(`${launch.phase}: ${launch.message} (${launch.code})`, MESSAGE_CHARACTERS),
      launch.status === 'measured' ? '' : pageText(launch.stderr.join(' / '), MESSAGE_CHARACTERS),
    ]),
  };
}

/** @param {string} title @param {(cost: ProcessCost) => number | null | undefined} read @returns {ProcessColumn} per operation, of the launches that know it */
const columnPerOperation = (title, read) => [
  `${title} per operation`,
  (shares) => {
    const known = shares.flatMap(({ cost, operations }) => {
      const value = read(cost) ?? null;
      return value === null || operations === 0 ? [] : [value / operations];
    });
    return orNothing(known.length === 0 ? null : sum(known) / known.length);
  },
];

/** @type {ProcessColumn[]} */
const PROCESS_COLUMNS = [
  ['role', ([{ cost }]) => pageText(cost.role)],
  ['share of a core', (shares) => formatPercent(sumBy(shares, ({ cost }) => cost.share) / shares.length)],
  columnPerOperation('user µs', ({ userUs }) => userUs),
  columnPerOperation('system µs', ({ systemUs }) => systemUs),
  columnPerOperation('sleeps', ({ voluntarySwitches }) => voluntarySwitches),
  columnPerOperation('read calls', ({ readCalls }) => readCalls),
  columnPerOperation('write calls', ({ writeCalls }) => writeCalls),
  [
    'peak memory',
    (shares) => {
      const known = shares.flatMap(({ cost }) => cost.peakRssBytes ?? []);
      return orNothing(known.length === 0 ? null : Math.max(...known), formatMemory);
    },
  ],
  [
    'CPUs',
    (shares) => {
      const cpus = new Set(shares.flatMap(({ cost }) => cost.cpus ?? []));
      return cpus.size === 0 ? NOTHING : formatRanges([...cpus]);
    },
  ],
];

/** @param {MeasuredOutcome} outcome @returns {Table} what each process took; columns without a number are left out */
function processesTable({ launches }) {
  const shares = launches.flatMap((launch) =>
    launch.costs.map((cost) => ({ cost, operations: costedOperations(launch) })),
  );
  const processes = [...groupedBy(shares, ({ cost }) => cost.name)];
  const columns = PROCESS_COLUMNS.filter(([, text]) => processes.some(([, own]) => text(own) !== NOTHING));
  return {
    titles: ['process', ...columns.map(([title]) => title)],
    rows: processes.map(([name, own]) => [pageText(name), ...columns.map(([, text]) => text(own))]),
  };
}

/** @param {MeasuredOutcome} outcome @returns {Block[]} */
function flagBlocks({ flags, operation }) {
  if (flags.length === 0) return [];
  const notes = flags.map(({ code, message }) => {
    const said = pageText(message, TEXT_CHARACTERS);
    const summary = flagMeaning(code, 'summary', operation);
    // Most messages are the meaning, with what it was here.
    const whole = said.startsWith(summary) ? said : [summary, said].filter(Boolean).join('. Here: ');
    return `${capitalised(flagMeaning(code, 'brief', operation))}: ${whole}`;
  });
  return [{ heading: 'Remarks', notes }];
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
  const makeRow = (
    /** @type {string} */ title,
    /** @type {number | null} */ us,
    /** @type {string} */ found,
  ) => [
    pageText(title),
    orNothing(us),
    orNothing(us === null ? null : us / wholeUs.estimate, formatPercent),
    pageText(found, TEXT_CHARACTERS),
  ];
  const rest = 'the median of the measured launches, less all parts';
  const rows = [
    ...parts.map(({ title, us, found }) => makeRow(title, us, found)),
    makeRow(leftOverPart(explanation).title, remainderUs, rest),
  ];
  const table = { titles: ['part', 'µs', 'of the median', 'how it was found'], rows };
  return [{ heading: 'Where a round trip’s time goes', notes: explanationNotes([explanation]), table }];
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
  /** @type {Block} */
  const profile = {
    heading: 'Heaviest functions',
    notes: ['Shares of the time in which the process was not idle, in one extra launch.', ...files],
    table: { titles: ['process', 'function', 'share'], rows },
  };
  const failed = failedLooks
    .filter(isOwn)
    .map(
      ({ look, message, code }) =>
        `--${printable(look)} saw nothing: ${pageText(message, TEXT_CHARACTERS)} (${printable(code)})`,
    );
  return [
    ...counted,
    ...(rows.length === 0 ? [] : [profile]),
    ...(failed.length === 0 ? [] : [{ heading: 'Not seen', notes: failed }]),
  ];
}

/** @param {Results} results @param {MeasuredOutcome} outcome @param {Block} numbers @returns {Block[]} */
function measuredBlocks(results, outcome, numbers) {
  const figures = cellFigures(outcome).map(({ notes, ...figure }) => ({
    heading: figure.title,
    notes,
    figure: readableFigure(figure),
  }));
  return [
    numbers,
    ...flagBlocks(outcome),
    ...figures,
    { heading: 'Launches', notes: [LAUNCHES_NOTE], table: launchesTable(outcome) },
    {
      heading: 'Costs by process',
      notes: ['Means of the launches; memory is the greatest.', ...unknownCostNotes([outcome])],
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
      place: pageText(explainedPlace(group), NAME_CHARACTERS),
    };
    if (!isMeasured(outcome)) return { ...page, blocks: missingBlocks(results, outcome) };
    const [, ...columns] = columnsIn(group);
    const terms = columns.flatMap(({ span, title, text }) => {
      const value = pageText(text(outcome));
      return value === ''
        ? []
        : [/** @type {[string, string]} */ ([span === '' ? title : `${span}: ${title}`, value])];
    });
    return { ...page, blocks: measuredBlocks(results, outcome, { heading: 'Numbers', terms }) };
  });
}
