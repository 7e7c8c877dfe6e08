// The text of --dry-run: every cell in the order of the plan, the reasons of those that are skipped, the time it takes.

import { groupLabel, seriesLabel, sloLabel } from '../cell/labels.js';
import { launchesOfEach, runTimeText } from '../plan/duration-estimate.js';
import { plannedLaunches, shardText } from '../results/shards.js';
import { messageLines } from '../verdicts/message-words.js';
import { durationText } from '../words/duration.js';
import { formatCount, formatPercent } from '../words/numbers.js';
import { printable } from '../words/printable.js';

/**
 * @param {import('../types/plans.js').Plan} plan
 * @param {import('../types/plans.js').Options} options
 * @returns {string}
 */
export function dryRunText({ cells, reference, estimate, warnings }, options) {
  const width = Math.max(0, ...cells.map(({ cell }) => seriesLabel(cell).length));
  /** @type {Map<string, string>} reason → the first row that is skipped for it */
  const firstSkipped = new Map();
  const lines = cells.map(({ cell, skip }) => {
    const line = `${seriesLabel(cell).padEnd(width)}  ${groupLabel(cell)}`;
    if (skip === null) return line;
    const first = firstSkipped.get(skip);
    if (first !== undefined) return `${line}  skipped, as ${first}`;
    firstSkipped.set(skip, seriesLabel(cell));
    return `${line}  skipped: ${printable(skip)}`;
  });
  const measured = cells.filter(({ skip }) => skip === null).length;
  const total =
    measured === 0
      ? 'Nothing to run: every cell is skipped.'
      : `${measured} of ${cells.length} cells, ${lengthText(estimate, options)} ${aimText(options, reference)}`;
  return `${[...lines, '', ...messageLines(options.messageFile), ...warnings, total].join('\n')}\n`;
}

/**
 * @param {import('../types/plans.js').RunEstimate} estimate
 * @param {import('../types/plans.js').Options} options
 * @returns {string} how many launches there will be, and how long they take
 */
function lengthText(estimate, options) {
  const launches = `${formatCount(estimate.launches)} launches`;
  const time = runTimeText(estimate);
  const { open, seed, stop } = options;
  if (open?.slo)
    return `up to about ${launches} (${options.launches} of each rate, seed ${seed}), at most ${time}.`;
  const ofEach = `(${launchesText(options)}, seed ${seed})`;
  if (stop === undefined) return `${launches} ${ofEach}, ${time}.`;
  const { maxTimeMs, targetError } = stop;
  const until =
    estimate.ms >= maxTimeMs
      ? `These are the fewest, and they take longer than --max-time ${durationText(maxTimeMs)} allows: no more are made.`
      : `More are made until every 95 % interval is within ± ${formatPercent(targetError)}, or ${durationText(maxTimeMs)} are over.`;
  return `at least ${launches} ${ofEach}, ${time}. ${until}`;
}

/** @param {import('../types/plans.js').Options} options @returns {string} */
function launchesText(options) {
  const { launches, shard } = options;
  if (shard === undefined) return `${launchesOfEach(options)} of each`;
  return `${plannedLaunches({ launches, shard })} of the ${launches} of each, as ${shardText(shard)}`;
}

/**
 * @param {import('../types/plans.js').Options} options
 * @param {string} reference
 * @returns {string} what the launches are for
 */
function aimText({ open, quick }, reference) {
  const noVerdict = quick ? ' A quick run gives no verdict.' : '';
  if (open === undefined) return `Ratios refer to ${reference}.${noVerdict}`;
  if (open.slo === null) return `Open load, ${open.arrivals} arrivals.${noVerdict}`;
  return `Open load, ${open.arrivals} arrivals: the highest rate that keeps ${sloLabel(open.slo)} is searched.${noVerdict}`;
}
