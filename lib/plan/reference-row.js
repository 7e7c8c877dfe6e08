// Which row the ratios of a run refer to: the one that was asked for, or the first that is measured.

import { seriesLabel } from '../cell/labels.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../words/did-you-mean.js';
import { quoted } from '../words/quoted.js';

/**
 * @param {Pick<import('../types/plans.js').Options, 'reference' | 'referenceIsChosen'>} options
 * @param {import('../types/plans.js').PlannedCell[]} plan
 * @returns {string} label of a row that has at least one cell to measure; '' when there is none at all
 */
export function referenceLabel({ reference, referenceIsChosen }, plan) {
  const measured = new Set(plan.filter(({ skip }) => skip === null).map(({ cell }) => seriesLabel(cell)));
  const wanted = canonical(reference);
  const label = [...measured].find((each) => canonical(each) === wanted);
  if (label !== undefined) return label;
  const [first = ''] = measured;
  if (!referenceIsChosen || measured.size === 0) return first;
  const planned = plan.find(({ cell }) => canonical(seriesLabel(cell)) === wanted);
  const why = planned ? `is skipped: ${planned.skip}` : 'is not in the plan';
  const next = `choose one of ${[...measured].slice(0, 10).join(', ')}`;
  throw new BenchError(
    'BAD_ARGUMENT',
    `--reference: ${quoted(reference)} ${why}; ${next}.${didYouMean(reference, measured)}`,
  );
}

/** @param {string} label @returns {string} the same for every order of settings */
function canonical(label) {
  const [, transport, settings = '', codec] = /^([^:/]*):?(.*)\/([^/]*)$/.exec(label) ?? [];
  return JSON.stringify([transport, settings.split(',').sort(), codec]);
}
