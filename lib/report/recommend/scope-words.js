// The evidence of a recommendation, and what it did not examine.

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
 * @param {string[]} fitting    names of transports that meet the needs
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
    'other load on the machine',
    ...(others === 0 ? [] : [counted(others, 'row with other settings', 'rows with other settings')]),
  ];
  const isWhole = sources.every((source) => source.results.status === 'complete');
  return [
    ...(isWhole ? [] : ['The run was not finished: rows have fewer launches than planned.']),
    ...(missing.length === 0 ? [] : [`Not measured: ${listed(missing, NAMES_SHOWN)}.`]),
    `Not examined: ${where.join(', ')}${unseen.length === 0 ? '' : `; other transports that meet the needs: ${listed(unseen, NAMES_SHOWN)}`}.`,
    `Evidence: ${countedFromTo(launches, 'launch', 'launches')} each, ${load}, on ${machine}, ${runtimesText(results.environment)}.`,
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
