// The title of a picture of ratios: what changes along an axis, and where. As for the table, lib/report/text/verdicts.js decides what is
// called faster or slower.

import { headlineMeasure } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { capitalised, groupedBy, listed } from '../../../format/lists.js';
import { formatRatioRange } from '../../../format/numbers.js';
import { isMeasured } from '../../text/groups.js';
import { ratioTitle } from '../../text/measure-words.js';
import { comparedIn } from '../../text/verdicts.js';
import { labelText } from './short-texts.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { KindIn } from '../../text/transport-kinds.js' */
/** @import { Compared } from '../../text/verdicts.js' */
/** @import { Message } from './chart-words.js' */

const NAMES_SHOWN = 3;
const WHY_CHARACTERS = 80;
const ALIKE = 0.6; // rows are named together if the logarithm of their ratio is at least this share of the largest one
const CHANGE = 1.25; // smallest factor between the ends of the axis that a sentence mentions

/**
 * @typedef {object} Along   the outcomes of one panel
 * @property {string} title        may be empty
 * @property {Outcome[][]} steps   one list for each value of the axis, ascending
 * @property {string[]} texts      names of the values: '10 kB'
 * @property {string} everywhere   'at all 5 payloads'
 */
/**
 * Rows that are all faster than the reference, or all slower, from one value of the axis to another.
 * @typedef {object} Claim
 * @property {Along} along
 * @property {number} from     index of the first value
 * @property {number} to       index of the last one
 * @property {Compared[][]} rows   each row at all of these values
 */

/** @typedef {{ along: Along, from: number, rows: Compared[] }} Run   adjacent values at which one row has the same verdict */

/** @param {Along} along @param {KindIn} kindIn @returns {Run[]} */
function runsAlong(along, kindIn) {
  const steps = along.steps.map((outcomes) =>
    comparedIn(outcomes.filter(isMeasured), kindIn).filter(({ kind }) => kind === ''),
  );
  const names = new Set(steps.flatMap((rows) => rows.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    /** @type {Run[]} */
    const runs = [];
    for (const [place, rows] of steps.entries()) {
      const row = rows.find((each) => each.name === name);
      if (row?.verdict !== 'better' && row?.verdict !== 'worse') continue;
      const last = runs.at(-1);
      if (last && last.from + last.rows.length === place && last.rows[0].verdict === row.verdict)
        last.rows.push(row);
      else runs.push({ along, from: place, rows: [row] });
    }
    return runs;
  });
}

/** @param {Along[]} panels @param {KindIn} kindIn @returns {Claim[]} claims; the panel title is empty if a claim holds in all panels */
function claimsIn(panels, kindIn) {
  const runs = panels.flatMap((along) => runsAlong(along, kindIn));
  const keyOf = (/** @type {Run} */ { along: { texts }, from, rows }) =>
    `${texts[from]} ${texts[from + rows.length - 1]} ${rows[0].verdict}`;
  const ofRows = [...groupedBy(runs, (run) => `${keyOf(run)} ${run.rows[0].name}`).values()].flatMap((own) =>
    own.length < panels.length ? own : own.map((run) => ({ ...run, along: { ...run.along, title: '' } })),
  );
  return [...groupedBy(ofRows, (run) => `${keyOf(run)} ${run.along.title}`).values()].map((group) => {
    const [{ along, from, rows }] = group;
    const least = ALIKE * Math.max(...group.map((run) => reachOf(run.rows)));
    const alike = group.map((run) => run.rows).filter((row) => reachOf(row) >= least);
    return { along, from, to: from + rows.length - 1, rows: alike };
  });
}

/** @param {Compared[]} row @returns {number} the largest |ln ratio| of the row */
const reachOf = (row) => Math.max(...row.map(({ ratio }) => Math.abs(Math.log(ratio.estimate))));

/** @param {Claim} claim @returns {string} 'from 10 kB on' */
function whereText({ along: { title, texts, everywhere }, from, to }) {
  const last = texts.length - 1;
  const place = title === '' ? '' : `${title}, `;
  if (from === to) return `${place}at ${texts[from]}`;
  if (from === 0 && to === last) return place + everywhere;
  if (from === 0) return `${place}up to ${texts[to]}`;
  return to === last ? `${place}from ${texts[from]} on` : `${place}from ${texts[from]} to ${texts[to]}`;
}

/** @param {Compared[]} rows */
function rangeText(rows) {
  const estimates = rows.map(({ ratio }) => ratio.estimate);
  return formatRatioRange(Math.min(...estimates), Math.max(...estimates));
}

/**
 * @param {Claim} claim
 * @param {string} [of]   ' the throughput of pipe/json'
 * @returns {string} 'from 10 kB on, unix/string and tcp/string have 1.81–2.49×'; for a change along the axis, the ratios at both ends
 */
function claimText(claim, of = '') {
  const { rows, along, from, to } = claim;
  const names = [...new Set(rows.map(([{ name }]) => labelText(name)))];
  const last = names.pop();
  const shown =
    names.length === 0
      ? last
      : names.length < NAMES_SHOWN
        ? `${names.join(', ')} and ${last}`
        : listed([...names, String(last)], NAMES_SHOWN - 1);
  const subject = `${shown} ${names.length === 0 ? 'has' : 'have'}`;
  const [firsts, lasts] = [rows.map((row) => row[0]), rows.map((row) => row[row.length - 1])];
  const changes = rows.map((row) => row[row.length - 1].ratio.estimate / row[0].ratio.estimate);
  const isChanging =
    changes.every((change) => change >= CHANGE) || changes.every((change) => change <= 1 / CHANGE);
  if (from > 0 || to < along.texts.length - 1 || !isChanging)
    return `${whereText(claim)}, ${subject} ${rangeText(rows.flat())}${of}`;
  const place = along.title === '' ? '' : `${along.title}, `;
  const ends = `${rangeText(firsts)}${of} at ${along.texts[from]}, ${rangeText(lasts)} at ${along.texts[to]}`;
  return `${place}${subject} ${ends}`;
}

/**
 * @param {Along[]} panels
 * @param {KindIn} kindIn
 * @returns {{ finding: Message, more: Message }} finding: the clearest claim on rows that are better than the reference, or else on rows
 *   that are worse; more: another claim. Without any verdict, `finding` is empty and `more` is the reason
 */
export function findingAlong(panels, kindIn) {
  const compared = panels.flatMap(({ steps }) =>
    steps.flatMap((outcomes) => comparedIn(outcomes.filter(isMeasured), kindIn)),
  );
  const nothing = { text: '', claimed: [] };
  if (compared.length === 0) return { finding: nothing, more: nothing };
  const [{ outcome }] = compared;
  const reference = labelText(outcome.ratio?.to ?? '');
  const [why, ...otherReasons] = new Set(compared.map((row) => row.why));
  if (compared.every(({ verdict }) => verdict === 'none')) {
    const text = `No verdict${otherReasons.length > 0 ? '' : `: ${labelText(why, WHY_CHARACTERS)}`}`;
    return { finding: nothing, more: { text, claimed: [] } };
  }
  const claims = claimsIn(panels, kindIn).sort(
    (left, right) => reachOf(right.rows.flat()) - reachOf(left.rows.flat()),
  );
  const isBetter = (/** @type {Claim} */ { rows: [[{ verdict }]] }) => verdict === 'better';
  const best = claims.find(isBetter) ?? claims[0];
  if (best === undefined) {
    const text = `No clear difference from ${reference}`;
    return { finding: { text, claimed: [] }, more: nothing };
  }
  const next =
    claims.find((claim) => isBetter(claim) !== isBetter(best)) ?? claims.find((claim) => claim !== best);
  const title = ratioTitle(headlineMeasure(outcome));
  const finding = claimText(best, ` the ${title} of ${reference}`);
  // The name of a row at the start of a sentence is not capitalised.
  const text = /^(?:at|from|up) /.test(finding) ? capitalised(finding) : finding;
  return {
    finding: { text, claimed: best.rows.flat() },
    more: next === undefined ? nothing : { text: claimText(next), claimed: next.rows.flat() },
  };
}

/** @param {Outcome[]} outcomes @returns {string | null} the reference of their ratios, null if no other row has one */
export function findReference(outcomes) {
  const other = outcomes
    .filter(isMeasured)
    .find(({ ratio, cell }) => ratio !== null && ratio.to !== seriesLabel(cell));
  return other?.ratio?.to ?? null;
}
