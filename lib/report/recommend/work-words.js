// Whether a worker pays at an amount of work per task, which rows are the best of their class, and from how much work on each of
// them does more than the main process alone.

import { seriesLabel } from '../../cell/labels.js';
import { labelParts } from '../../cell/settings.js';
import { readClass } from '../../cell/traits.js';
import { counted, groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatMemory, formatNumber } from '../../format/numbers.js';
import { breakEvenSentences, findBreakEvens } from '../text/break-even.js';
import { gapNotes } from '../text/gaps.js';
import { cellName, explainedPlace, groupRows } from '../text/groups.js';
import { kindText } from '../text/ranking.js';
import { kindsIn, transportClass } from '../text/transport-kinds.js';
import { comparedIn, leadIn } from '../text/verdicts.js';

/** @import { MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Group } from '../text/groups.js' */
/** @import { Compared } from '../text/verdicts.js' */

/**
 * @typedef {object} WorkAnswer
 * @property {number} workUs        that was asked for
 * @property {number} faster        rows that do not block their caller and do more tasks per second than the main process alone
 * @property {number} of            all of these
 * @property {'yes' | 'no' | 'unclear'} pays   some of them do, all do fewer, or neither can be told
 * @property {Group} group          at that amount of work, with inline
 * @property {Compared[]} compared  with inline, the best estimate first
 */

const BLOCKING = 'blocking'; // one call at a time, while the main process does nothing: no way to do more

/**
 * @param {Results} results   of tasks with several amounts of work
 * @param {number} workUs
 * @returns {WorkAnswer | null} null: inline, or all else, was not measured there
 */
export function answerAt(results, workUs) {
  const isThere = (/** @type {import('../../types/index.js').Outcome} */ { cell }) =>
    Number(labelParts(cell.scenario).written.work) === workUs;
  const [group] = groupRows({ ...results, outcomes: results.outcomes.filter(isThere) });
  if (group === undefined) return null;
  const compared = comparedIn(group.measured, kindsIn(results));
  if (compared.length === 0) return null;
  const workers = compared.filter(({ outcome }) => transportClass(results, outcome.cell) !== BLOCKING);
  const faster = workers.filter(({ verdict }) => verdict === 'better').length;
  const isNone = workers.length > 0 && workers.every(({ verdict }) => verdict === 'worse');
  const pays = faster > 0 ? 'yes' : isNone ? 'no' : 'unclear';
  return { workUs, pays, faster, of: workers.length, group, compared };
}

/** @param {Results} results @param {WorkAnswer} answer @returns {string[]} sentences, the answer first */
export function workSentences(results, answer) {
  const { group, compared } = answer;
  const reference = findReference(group);
  const classes = groupedBy(compared, ({ outcome }) => transportClass(results, outcome.cell));
  const ordered = [...classes].toSorted(([one], [other]) => readClass(one).rank - readClass(other).rank);
  return [
    firstSentence(answer),
    ...ordered.map(([name, some], place) => {
      const beside =
        place === 0 && reference !== undefined ? `, compared with ${cellName(reference.cell)}` : '';
      return `${readClass(name).heading}${beside}: ${kindText(some, false)}${bestText(results, some)}.`;
    }),
    ...breakEvenSentences(results),
    ...blockSentences(group),
    ...memorySentences(group, reference),
    'docs/pools.md says what becomes of tasks when a worker dies.',
    ...gapNotes(results).map((note) => `${note}.`),
  ];
}

/** @param {Group} group @returns {MeasuredOutcome | undefined} inline */
function findReference({ measured }) {
  return measured.find(({ ratio, cell }) => ratio?.to === seriesLabel(cell));
}

/** @param {WorkAnswer} answer */
function firstSentence({ workUs, pays, faster, of, group: { cell } }) {
  const work = `${formatCount(workUs)} µs of work per task`;
  const where = explainedPlace({ place: `${formatCount(cell.payloadBytes)} B`, cell });
  if (pays === 'yes')
    return `Yes, a worker pays at ${work}, ${where}: ${faster} of ${counted(of, 'row does', 'rows do')} more tasks per second than the main process alone.`;
  return pays === 'no'
    ? `No, a worker does not pay at ${work}, ${where}.`
    : `It is not clear whether a worker pays at ${work}, ${where}.`;
}

/** @param {Results} results @param {Compared[]} compared   of one class @returns {string} which of them is the best, if there are several */
function bestText(results, compared) {
  if (compared.length < 2) return '';
  const lead = leadIn(
    compared.map(({ outcome }) => outcome),
    kindsIn(results),
  );
  if (lead === null || lead.rival === null) return '';
  const [best, rival] = [lead.alike[0], lead.rival].map(({ cell }) => cellName(cell));
  if (lead.verdict === 'better') return `; ${best} is the fastest of them`;
  return lead.verdict === 'unclear' ? `; no clear difference between ${best} and ${rival}` : '';
}

/** @param {Group} group @returns {string[]} how long tasks keep the event loop of the main process from all else; none: nobody looked */
function blockSentences({ measured }) {
  const known = measured.filter((outcome) => blockUs(outcome) !== null);
  const texts = known.map((outcome) => `${cellName(outcome.cell)} ${formatNumber(Number(blockUs(outcome)))}`);
  return known.length === 0
    ? []
    : [`Blocks of the main event loop, p99 in µs: ${listed(texts, texts.length)}.`];
}

/** @param {Group} group @param {MeasuredOutcome | undefined} reference @returns {string[]} what each worker adds to the main process alone */
function memorySentences({ measured }, reference) {
  const texts = measured.flatMap((outcome) => {
    const bytes = outcome === reference ? null : workerBytes(outcome, reference);
    return bytes === null ? [] : [`${cellName(outcome.cell)} ${formatMemory(bytes)}`];
  });
  return texts.length === 0 ? [] : [`Memory of each worker: ${listed(texts, texts.length)}.`];
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {MeasuredOutcome | undefined} reference   the main process alone
 * @returns {number | null} resident at most, beyond it; null: unknown
 */
function workerBytes({ cell, peakRssBytes }, reference) {
  const alone = reference?.peakRssBytes ?? null;
  if (peakRssBytes === null || alone === null || peakRssBytes <= alone) return null;
  return (peakRssBytes - alone) / cell.workers;
}

/** @param {MeasuredOutcome} outcome @returns {number | null} µs */
function blockUs({ measures: { longBlock } }) {
  return longBlock?.kind === 'value' && Number.isFinite(longBlock.estimate) ? longBlock.estimate : null;
}

/** @param {Results} results @param {WorkAnswer} answer @param {string[]} sentences @returns {Record<string, unknown>} for --json */
export function workJson(results, { workUs, pays, group, compared }, sentences) {
  const breakEvens = findBreakEvens(results);
  const reference = findReference(group);
  return {
    workUs,
    pays,
    payloadBytes: group.cell.payloadBytes,
    workers: group.cell.workers,
    loops: group.cell.loops,
    rows: compared.map(({ name, outcome, ratio, verdict, why }) => {
      const found = breakEvens.find(({ row }) => seriesLabel(row[0].cell) === seriesLabel(outcome.cell));
      const { estimate, low, high, level, n } = ratio;
      return {
        name,
        class: transportClass(results, outcome.cell),
        ratioToInline: { estimate, low, high, level, n },
        verdict,
        why,
        blockP99Us: blockUs(outcome),
        workerBytes: workerBytes(outcome, reference),
        breakEvenUs: found?.why === '' ? found.crossovers : [],
      };
    }),
    sentences,
  };
}
