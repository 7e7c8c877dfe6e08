// Phrases on what limits rows, and what their numbers contain besides the transport.

import { capitalised, counted, countedFromTo, listed } from '../../../format/lists.js';
import { formatCount, formatPercent, pauseText, spanText } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { nameOfRow } from '../names.js';

/** @import { Finding, FoundRow } from '../../../types/index.js' */

const NAMES_SHOWN = 4;
const MAX_NAMED = 3; // if there are more rows, only their number is printed

/** Printed wherever latencies of closed loops are shown. */
export const CLOSED_LOOP_SENTENCES = Object.freeze({
  brief: 'Closed loop: p99 is service time (coordinated omission). Use --rate for response times.',
  full: 'Closed loop: each loop waits for the response before it sends the next request, so latencies are service times and p99 understates what real traffic sees (coordinated omission). Use --rate for response times.',
});

/**
 * @param {Pick<Finding, 'rows' | 'scope'>} finding   with a scope
 * @param {(row: FoundRow) => string} [nameOf]
 * @returns {string} 'all rows', 'all rows of 2x4', 'all rows but unix/json', 'pipe/json (46 %), tcp/json (35 %)', '9 of 24 rows'
 */
export function scopeText({ rows, scope }, nameOf = nameOfRow) {
  const { kind, names, of } = /** @type {NonNullable<Finding['scope']>} */ (scope);
  if (kind === 'all') return 'all rows';
  if (kind === 'all-of') return `all rows of ${listed(names.map(printable))}`;
  if (kind === 'all-but') return `all rows but ${listed(names.map(printable), names.length)}`;
  return rows.length > MAX_NAMED ? `${rows.length} of ${of} rows` : listed([...new Set(rows.map(nameOf))]);
}

/** @param {Finding} finding @returns {string} 'pipe/json (46 %), tcp/json (35 %)', 'all rows of 2x4 (11 to 46 %)', '9 of 24 rows (11 to 46 %)' */
function sharesText(finding) {
  const { rows, scope } = finding;
  const shares = rows.flatMap(({ numbers }) => numbers?.share ?? []);
  if (shares.length === 0) return scopeText(finding);
  if (scope?.kind === 'rows' && rows.length <= MAX_NAMED)
    return scopeText(finding, (row) => `${nameOfRow(row)} (${formatPercent(Number(row.numbers?.share))})`);
  return `${scopeText(finding)} (${percentsText(shares)})`;
}

/** @param {number[]} shares @returns {string} '11 to 46 %' */
function percentsText(shares) {
  const percents = shares.map((share) => Math.round(100 * share));
  return `${spanText(percents, ' to ', formatCount)} %`;
}

/** @param {Finding['names']} names @returns {string} 'the master process', 'redis' */
function limitName({ role, process, setting }) {
  if (role === 'acknowledgement-window') return `the window of acknowledgements (${printable(setting)})`;
  if (role === 'worker') return 'a worker process';
  return role === 'master' ? 'the master process' : printable(process);
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const LIMIT_PHRASES = {
  'delayed-acknowledgements': (finding) => [
    `Medians of 40 or 80 ms may be delayed acknowledgements of TCP: ${scopeText(finding)}. If an end uses Nagle's algorithm, it holds small writes back; TCP_NODELAY switches that off, in mosquitto set_tcp_nodelay true.`,
  ],

  limit(finding) {
    const { rows, names, remedy } = finding;
    const shares = rows.flatMap((row) => row.numbers?.share ?? []);
    const where = scopeText(finding);
    const by = capitalised(limitName(names));
    if (shares.length === 0)
      return [`${by} may limit ${where}: senders wait for acknowledgements, and no process is busy.`];
    const next = remedy === 'more-workers' ? 'more workers may help' : 'more workers add little';
    return [`${by} (${percentsText(shares)} of a core) limits ${where}: ${next}.`];
  },

  /** '3 to 4 processes use 1.6 to 1.9 of 2 CPUs in all rows: …' */
  oversubscribed(finding) {
    /** @param {string} name */
    const ends = (name) => [finding.numbers[`${name}Least`], finding.numbers[`${name}Most`]].map(Number);
    const used = spanText(ends('usedCpus'), ' to ', (cpus) => cpus.toFixed(1));
    const cpus = countedFromTo(ends('cpus'), 'CPU', 'CPUs');
    const processes = countedFromTo(ends('processes'), 'process', 'processes');
    return [
      `${processes} use ${used} of ${cpus} in ${scopeText(finding)}: with more CPUs, ratios may differ.`,
    ];
  },

  harness: (finding) => [
    `Codec and harness are part of the CPU time in ${sharesText(finding)}: transports alone differ more.`,
  ],

  blocked(finding) {
    /** @param {FoundRow} row */
    const nameOf = (row) => `${nameOfRow(row)} (for ${pauseText(Number(row.numbers?.longestMs))})`;
    return [
      `The event loop of the master stood still, because its code ran or slept or the process was stopped, and requests waited for it: ${scopeText(finding, nameOf)}.`,
    ];
  },

  'wake-ups': (finding) => [
    `Waking sleeping CPUs is most of the median latency in ${sharesText(finding)}; --placement same or --poll busy avoids it.`,
  ],

  'not-pinned': (finding) => [`Processes could not be pinned to CPUs: ${scopeText(finding)}.`],

  'unknown-costs'({ rows }) {
    const texts = rows.map((row) => {
      const { launches, of } = row.numbers ?? {};
      return `${nameOfRow(row)} (${printable(String(row.names?.processes))}; ${launches} of ${counted(Number(of), 'launch', 'launches')})`;
    });
    return [
      `CPU times leave out launches in which that of a process or thread could not be read at both ends of the window: ${listed(texts, NAMES_SHOWN)}.`,
    ];
  },

  'busy-waiting': () => [
    '--poll busy: master and workers never sleep and use a core each; a program that waits for events will not see these numbers.',
  ],
  'closed-loop': (_finding, isBrief) => [CLOSED_LOOP_SENTENCES[isBrief ? 'brief' : 'full']],
};
