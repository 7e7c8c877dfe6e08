// What a recommendation rests on, and what it did not look at.

import { seriesLabel } from '../../cell/labels.js';
import { counted, countedFromTo, listed } from '../../format/lists.js';
import { formatCount } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isMeasured, isPossible } from '../text/groups.js';
import { runtimesText } from '../text/machine-words.js';
import { launchesAt } from './objectives.js';

/** @import { Recommendation, Source } from '../../types/index.js' */

const NAMES_SHOWN = 5;

/**
 * @param {Recommendation} recommendation
 * @param {Source[]} sources
 * @param {string[]} fitting    names of transports that can do what is needed
 * @returns {string[]}
 */
export function scopeSentences({ evidence }, sources, fitting) {
  const { candidates, question, rate, unmeasured, others } = evidence;
  const launches = candidates.map(({ at }) => launchesAt(at).length);
  const [{ results }] = sources;
  const machine = printable(results.environment.cpuModel ?? results.environment.platform);
  const load = rate === null ? 'closed loops' : `open load at ${formatCount(rate)}/s`;
  const seen = new Set(
    sources.flatMap((source) => source.results.outcomes.map(({ cell }) => cell.transport)),
  );
  const unseen = fitting.filter((name) => !seen.has(name));
  const missing = [...new Set([...unmeasured, ...gapNames(sources)])];
  const where = [
    question.hosts === undefined && question.network === undefined ? 'a network' : 'other networks',
    'other machines',
    'other load beside it',
    ...(others === 0
      ? []
      : [counted(others, 'row that was measured otherwise', 'rows that were measured otherwise')]),
  ];
  const isWhole = sources.every((source) => source.results.status === 'complete');
  return [
    ...(isWhole ? [] : ['The run was not finished: this goes by fewer launches than planned.']),
    ...(missing.length === 0 ? [] : [`No number: ${listed(missing, NAMES_SHOWN)}.`]),
    `Not looked at: ${where.join(', ')}${unseen.length === 0 ? '' : `; what could do it as well: ${listed(unseen, NAMES_SHOWN)}`}.`,
    `By ${countedFromTo(launches, 'launch', 'launches')} of each, ${load}, on ${machine}, ${runtimesText(results.environment)}.`,
  ];
}

/** @param {Source[]} sources @returns {string[]} rows that were planned and never measured */
function gapNames(sources) {
  const all = sources.flatMap(({ results }) => results.outcomes);
  const measured = new Set(all.filter(isMeasured).map(({ cell }) => seriesLabel(cell)));
  const missing = all.filter((outcome) => !isMeasured(outcome) && isPossible(outcome));
  return missing
    .map(({ cell }) => seriesLabel(cell))
    .filter((name) => !measured.has(name))
    .map(printable);
}
