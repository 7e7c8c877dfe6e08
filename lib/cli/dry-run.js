// The text of --dry-run: every cell in the order of the plan, the reasons of those that are skipped, the time it takes.

import { groupLabel, seriesLabel, sloLabel } from '../cell/labels.js';
import { plannedLaunches, shardText } from '../results/shards.js';
import { messageLines } from '../verdicts/message-words.js';
import { durationText } from '../words/duration.js';
import { formatCount } from '../words/numbers.js';
import { printable } from '../words/printable.js';

/**
 * @param {import('../types/plans.js').Plan} plan
 * @param {import('../types/plans.js').Options} options
 * @returns {string}
 */
export function dryRunText({ cells, reference, estimate: { launches, ms } }, options) {
  const width = Math.max(0, ...cells.map(({ cell }) => seriesLabel(cell).length));
  const lines = cells.map(({ cell, skip }) => {
    const line = `${seriesLabel(cell).padEnd(width)}  ${groupLabel(cell)}`;
    return skip === null ? line : `${line}  skipped: ${printable(skip)}`;
  });
  const isSweep = Boolean(options.open?.slo);
  const measured = cells.filter(({ skip }) => skip === null).length;
  const total =
    measured === 0
      ? 'Nothing to run: every cell is skipped.'
      : `${measured} of ${cells.length} cells, ${isSweep ? 'up to about ' : ''}${formatCount(launches)} launches ` +
        `(${launchesText(options)}${isSweep ? ' rate' : ''}, seed ${options.seed}), ` +
        `${isSweep ? 'at most ' : ''}about ${durationText(ms)}. ` +
        aimText(options, reference);
  return `${[...lines, '', ...messageLines(options.messageFile), total].join('\n')}\n`;
}

/** @param {import('../types/plans.js').Options} options @returns {string} */
function launchesText({ launches, shard }) {
  if (shard === undefined) return `${launches} of each`;
  return `${plannedLaunches({ launches, shard })} of the ${launches} of each, as ${shardText(shard)}`;
}

/**
 * @param {import('../types/plans.js').Options} options
 * @param {string} reference
 * @returns {string} what the launches are for
 */
function aimText({ open }, reference) {
  if (open === undefined) return `Ratios refer to ${reference}.`;
  if (open.slo === null) return `Open load, ${open.arrivals} arrivals.`;
  return `Open load, ${open.arrivals} arrivals: the highest rate that keeps ${sloLabel(open.slo)} is searched.`;
}
