// The live view of a run on a terminal: the table so far instead of the progress line. The run reports only between slices, and this
// module has no timer, so nothing is drawn during a measurement.

import { styleText } from 'node:util';
import { seriesLabel } from '../cell/labels.js';
import { shortened } from '../format/lists.js';
import { durationText, formatNumber, formatRatio, formatRatioInterval } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { readColumns } from './process-io.js';

/** @import { Interim, InterimRow, InterimTable } from '../run/interim.js' */
/** @import { Options, Progress } from '../types/index.js' */
/** @import { Host, OutputStream } from './main.js' */

const HINT = 'Ctrl-C: end with what is measured';
const USUAL_ROWS = 24;
const ROWS_LEFT = 4; // the last lines of the shell stay visible
const MAX_LABEL = 40;
const MIN_VALUE = 7; // minimum width of a value in characters, so that columns do not move with each round

/**
 * @param {Pick<Options, 'isQuiet' | 'open'> & { isRanked?: boolean }} options
 * @param {Pick<Host, 'stdout' | 'stderr' | 'environment'>} host
 */
export function canShowLive(
  { isQuiet, isRanked = true, open },
  { stdout, stderr, environment: { CI, TERM } },
) {
  // Under open load, the rate is planned or searched, so there is no throughput to rank.
  if (isQuiet || !isRanked || open !== undefined) return false;
  if (TERM === 'dumb' || (CI !== undefined && !['', '0', 'false'].includes(CI))) return false;
  return stdout.isTTY === true && stderr.isTTY === true;
}

/**
 * @param {object} view
 * @param {OutputStream & { rows?: number }} view.stream
 * @param {boolean} view.colour
 */
export async function createLiveView({ stream, colour }) {
  // Imported here, because a run in a pipe does not need it.
  const { createLogUpdate } = await import('log-update');
  // The cursor stays visible, so that a killed process leaves a usable terminal.
  const update = createLogUpdate(/** @type {NodeJS.WriteStream} */ (stream), { showCursor: true });
  let hasEnded = false;
  let isDrawn = false;
  const erase = () => {
    if (isDrawn) update.clear();
    isDrawn = false;
  };
  const end = () => {
    hasEnded = true;
    erase();
  };
  return {
    onInterim(/** @type {Interim} */ interim) {
      if (hasEnded) return;
      const columns = readColumns(stream);
      const rows = stream.rows || USUAL_ROWS;
      update(liveLines(interim, { columns, rows, colour }).join('\n'));
      isDrawn = true;
    },
    onProgress(/** @type {Progress} */ { phase }) {
      if (phase === 'end') end();
    },
    end,
  };
}

/**
 * @param {Interim} interim
 * @param {{ columns: number, rows: number, colour: boolean }} screen
 * @returns {string[]} no line reaches the last column
 */
export function liveLines({ progress, step, tables }, { columns, rows, colour }) {
  const fitted = (/** @type {string} */ text) => [...text].slice(0, Math.max(1, columns - 1)).join('');
  const styled = (/** @type {'bold' | 'dim'} */ format, /** @type {string} */ text) => {
    const line = fitted(text);
    return colour ? styleText(format, line, { validateStream: false }) : line;
  };
  const compared = tables.flatMap((table) => table.rows).filter(({ ratio }) => ratio !== null);
  const settled = compared.filter(({ isSettled }) => isSettled).length;
  const foot = [...(compared.length === 0 ? [] : [`${settled} of ${compared.length} settled (✓)`]), HINT];
  const body = tables.flatMap((table) =>
    tableLines(table).map((line, index) => ({ line, isHead: index === 0 })),
  );
  const room = Math.max(2, rows - ROWS_LEFT - 1 - foot.length);
  const shown = body.length <= room ? body : body.slice(0, room - 1);
  return [
    styled('bold', statusText(progress, step)),
    ...shown.map(({ line, isHead }) => (isHead ? styled('dim', line) : fitted(line))),
    ...(shown.length < body.length ? [styled('dim', `  and ${body.length - shown.length} more lines`)] : []),
    ...foot.map((line) => styled('dim', line)),
  ];
}

/** @param {Progress} progress @param {Interim['step']} step */
function statusText(
  { repetition, repetitions, launchesDone, launchesTotal, failed, elapsedMs, etaMs },
  step,
) {
  return [
    etaMs === null ? `${durationText(elapsedMs)} so far` : `about ${durationText(etaMs)} left`,
    `repetition ${repetition + 1}/${repetitions}`,
    step === null
      ? `launch ${Math.min(launchesDone + 1, launchesTotal)}/${launchesTotal}`
      : step.kind === 'rounds'
        ? `round ${Math.min(step.done + 1, step.rounds)}/${step.rounds}`
        : `${step.kind === 'start' ? 'starts' : 'warms up'} ${printable(seriesLabel(step.cell))}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(' · ');
}

/** @param {InterimTable} table */
function tableLines({ title, headline, reference, rows }) {
  const measure = headline.title.includes(headline.unit)
    ? headline.title
    : `${headline.title}, ${headline.unit}`;
  const against = reference === null ? [] : [`ratio to ${reference}`];
  const labels = rows.map(({ label }) => shortened(printable(label), MAX_LABEL));
  const values = rows.map(valueText);
  const [labelWidth, valueWidth] = [labels, values].map((texts) =>
    Math.max(...texts.map(({ length }) => length)),
  );
  return [
    [title, measure, ...against].map(printable).join(' · '),
    ...rows.map((row, index) =>
      [
        row.isSettled ? '✓' : ' ',
        labels[index].padEnd(labelWidth),
        ` ${values[index].padStart(Math.max(MIN_VALUE, valueWidth))} `,
        ratioText(row),
      ]
        .join(' ')
        .trimEnd(),
    ),
  ];
}

/** @param {InterimRow} row */
function valueText({ value, hasFailed }) {
  if (value !== null) return formatNumber(value.estimate);
  return hasFailed ? 'failed' : '–';
}

/** @param {InterimRow} row */
function ratioText({ ratio, isReference }) {
  if (ratio === null) return isReference ? '1× (reference)' : '';
  return ratio.level === null ? formatRatio(ratio.estimate) : formatRatioInterval(ratio);
}
