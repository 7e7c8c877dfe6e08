// The tables of a cell's page: its launches, and what each of its processes took.

import { headlineMeasure, valuesIn } from '../../lib/cell/headline.js';
import { formatRanges, groupedBy } from '../../lib/format/lists.js';
import {
  formatCount,
  formatMemory,
  formatNumber,
  formatPercent,
  NOTHING,
  orNothing,
} from '../../lib/format/numbers.js';
import { flagMark } from '../../lib/format/result-flags.js';
import { MS_PER_S } from '../../lib/format/units.js';
import { measureTitle } from '../../lib/report/text/measure-words.js';
import { sum, sumBy } from '../../lib/statistics/sum.js';
import { pageText } from './sortable-table.js';

/** @import { Launch, MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../../lib/types/index.js' */
/** @import { Table } from './cell-pages.js' */
/** @typedef {{ cost: ProcessCost, operations: number }} Share   of one launch */
/** @typedef {{ title: string, text: (shares: Share[]) => string }} ProcessColumn */

const MESSAGE_CHARACTERS = 2_000;

/** @param {MeasuredOutcome} outcome @returns {Table} */
export function launchesTable(outcome) {
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
      'flags',
    ],
    rows: outcome.launches.map((launch, index) => [
      String(index + 1),
      String(launch.block + 1),
      ...measures.map(({ name }) => orNothing(launch.values[name] ?? null)),
      formatCount(launch.operations),
      `${formatNumber(launch.windowMs / MS_PER_S)} s`,
      warmupText(launch),
      launch.flags.map(({ code }) => flagMark(code)).join(''),
    ]),
  };
}

/** @param {MeasuredLaunch} launch @returns {string} '0.4 s, steady' */
function warmupText({ warmup }) {
  return `${formatNumber(warmup.ms / MS_PER_S)} s, ${warmup.status.replace('-', ' ')}`;
}

/** @param {Launch[]} launches @returns {Table} of a cell that failed */
export function failedLaunchesTable(launches) {
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

/** @param {Share[]} shares @param {(cost: ProcessCost) => number | null | undefined} read @returns {number | null} per operation; null: not known */
function perOperation(shares, read) {
  const known = shares.flatMap(({ cost, operations }) => {
    const value = read(cost);
    return value === null || value === undefined || operations === 0 ? [] : [value / operations];
  });
  return known.length === 0 ? null : sum(known) / known.length;
}

/** @type {ProcessColumn[]} */
const PROCESS_COLUMNS = [
  { title: 'role', text: ([{ cost }]) => pageText(cost.role) },
  {
    title: 'share of a core',
    text: (shares) => formatPercent(sumBy(shares, ({ cost }) => cost.share) / shares.length),
  },
  {
    title: 'user µs per operation',
    text: (shares) => orNothing(perOperation(shares, ({ userUs }) => userUs)),
  },
  {
    title: 'system µs per operation',
    text: (shares) => orNothing(perOperation(shares, ({ systemUs }) => systemUs)),
  },
  {
    title: 'sleeps per operation',
    text: (shares) => orNothing(perOperation(shares, ({ voluntarySwitches }) => voluntarySwitches)),
  },
  {
    title: 'read calls per operation',
    text: (shares) => orNothing(perOperation(shares, ({ readCalls }) => readCalls)),
  },
  {
    title: 'write calls per operation',
    text: (shares) => orNothing(perOperation(shares, ({ writeCalls }) => writeCalls)),
  },
  { title: 'peak memory', text: (shares) => orNothing(findPeak(shares), formatMemory) },
  { title: 'CPUs', text: (shares) => cpusText(shares) },
];

/** @param {Share[]} shares @returns {number | null} */
function findPeak(shares) {
  const known = shares.flatMap(({ cost }) => cost.peakRssBytes ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

/** @param {Share[]} shares */
function cpusText(shares) {
  const cpus = new Set(shares.flatMap(({ cost }) => cost.cpus ?? []));
  return cpus.size === 0 ? NOTHING : formatRanges([...cpus]);
}

/** @param {MeasuredOutcome} outcome @returns {Table} columns without a number are left out */
export function processesTable({ launches }) {
  const shares = launches.flatMap(({ costs, operations }) => costs.map((cost) => ({ cost, operations })));
  const processes = [...groupedBy(shares, ({ cost }) => cost.name)];
  const columns = PROCESS_COLUMNS.filter(({ text }) => processes.some(([, own]) => text(own) !== NOTHING));
  return {
    titles: ['process', ...columns.map(({ title }) => title)],
    rows: processes.map(([name, own]) => [pageText(name), ...columns.map(({ text }) => text(own))]),
  };
}
