// Phrases on a recommendation.

import { capitalised, countedFromTo, groupedBy, ifAny, listed } from '../../../format/lists.js';
import {
  formatBytes,
  formatInterval,
  formatMemory,
  formatNumber,
  formatPercent,
  formatRate,
  formatRatioInterval,
} from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { US_PER_MS } from '../../../format/units.js';
import { comparativesFor, ratioTitle, readMeasure, timesText, winnerWord } from '../measure-words.js';
import { nameOfRow } from '../names.js';
import { reasonText, remedyText } from '../reasons.js';
import { NO_DIFFERENCE } from './ranking-phrases.js';

/** @import { Finding, FoundRow } from '../../../types/index.js' */

const NAMES_SHOWN = 4;
const ROWS_SHOWN = 6;
const SCOPE_NAMES_SHOWN = 5; // names of rows or transports that were not examined

/** @param {Finding} finding @returns {boolean} */
const isAtRate = ({ group }) => group?.ratePerSecond !== undefined;

/** @param {Finding} finding @returns {string} 'at 1,000 B, 2x4', 'at 2,000/s, 1,000 B, 2x4, open load' */
function placeText({ group }) {
  const rate = group?.ratePerSecond === undefined ? '' : `${formatRate(group.ratePerSecond)}, `;
  return `at ${rate}${group?.heading}`;
}

/** @param {Finding} finding @returns {string} 'throughput', under open load 'CPU time' */
const titleText = (finding) => (isAtRate(finding) ? 'CPU time' : ratioTitle(readMeasure(finding)));

/** @param {Finding} finding @returns {string} 'faster' */
const betterWord = (finding) => comparativesFor(readMeasure(finding)).better;

/** @param {Finding['names']} names @param {number | null} value @returns {string} '10,000 B', '5,000/s' */
const axisValue = ({ axis }, value) =>
  axis === 'payloadBytes' ? formatBytes(Number(value)) : formatRate(Number(value));

/** @param {FoundRow} row @returns {boolean} true if it needs no broker and no package, and its codec is JSON */
const needsNothing = ({ names }) => names?.needs === 'nothing';

/** @param {Finding} finding @returns {string} */
function choiceText(finding) {
  const { rows, numbers, verdict } = finding;
  const [choice, ...others] = rows;
  const [name, where] = [printable(choice.row), placeText(finding)];
  if (others.length === 0)
    return numbers.others === 0
      ? `${name}: nothing else that meets the needs was measured ${where}`
      : `${name}: nothing else that was measured meets the requirements ${where}`;
  const least = isAtRate(finding) ? 'the least CPU time' : winnerWord(readMeasure(finding));
  const less = isAtRate(finding) ? 'to take less CPU time' : `to be ${betterWord(finding)}`;
  const claim = verdict === 'better' ? least : `no other row is proven ${less}`;
  return `${name}${needsNothing(choice) ? ' (nothing to install)' : ''}: ${claim} ${where}`;
}

/** @param {Finding} finding @returns {string[]} */
function orderSentences({ rows, names, measure, operation }) {
  const ratios = rows.flatMap(({ row, ratio }) =>
    ratio ? [`${printable(row)} ${formatRatioInterval(ratio)}`] : [],
  );
  const { cpuUs, memoryBytes } = rows[0].numbers ?? {};
  const costs = [
    ...(cpuUs === undefined ? [] : [`${formatNumber(Number(cpuUs))} µs of CPU time per ${operation?.one}`]),
    ...(memoryBytes === undefined ? [] : [`${formatMemory(Number(memoryBytes))} of memory`]),
  ];
  const title = ratioTitle(readMeasure({ measure }));
  return [
    ...ifAny(
      ratios,
      () => `Compared with ${printable(names.reference)}, in ${title}: ${listed(ratios, ROWS_SHOWN)}.`,
    ),
    ...ifAny(costs, () => `Cost: ${costs.join(', ')}.`),
  ];
}

/** @param {Finding} finding @returns {string[]} */
function costSentences({ rows, numbers: { noticedCoreShare }, names, against, ratio }) {
  const texts = rows.map(({ row, value, numbers = {} }) => {
    const time =
      value === undefined || names.percentile === undefined
        ? ''
        : ` (${names.percentile} ${formatInterval(value, ' µs')})`;
    const share = numbers.coreShare === undefined ? '?' : formatPercent(Number(numbers.coreShare), 2);
    return `${printable(row)} ${share}${time}`;
  });
  const whose = names.without === undefined ? '' : ', without the workers, which busy-wait';
  const simpler = rows.find(({ row }) => row === names.simpler);
  return [
    `Of a core${whose}: ${listed(texts, ROWS_SHOWN)}.`,
    ...(ratio === null
      ? []
      : [`${printable(rows[0].row)}: ${timesText(ratio, 'CPU time', printable(against ?? ''))}.`]),
    ...(simpler === undefined
      ? []
      : [
          `${printable(simpler.row)}${needsNothing(simpler) ? ', which needs nothing to install,' : ''} takes less than ${formatPercent(Number(noticedCoreShare))} of a core more.`,
        ]),
  ];
}

/** @param {number} us @returns {string} '41.2 ms' */
const blockText = (us) => `${formatNumber(us / US_PER_MS)} ms`;

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const RECOMMENDATION_PHRASES = {
  recommended(finding) {
    const { rows, numbers } = finding;
    const unclear = rows.slice(1).filter(({ verdict }) => verdict !== 'better');
    const corrected = numbers.comparisons === 1 ? '' : `, corrected for ${numbers.comparisons} comparisons`;
    return [
      `Take ${choiceText(finding)}.`,
      ...(isAtRate(finding) ? costSentences(finding) : orderSentences(finding)),
      ...(numbers.blockUs === undefined
        ? []
        : [
            `${printable(rows[0].row)} blocks an event loop for up to ${blockText(Number(numbers.blockUs))} at a time.`,
          ]),
      ...ifAny(
        unclear,
        () =>
          `${capitalised(NO_DIFFERENCE)} in ${titleText(finding)}${corrected}: ${listed(unclear.map(nameOfRow), ROWS_SHOWN)}.`,
      ),
    ];
  },

  'not-recommended': (finding) => [`No recommendation ${placeText(finding)}: ${reasonText(finding.why)}.`],

  /** 'From 10,000 B: unix/json, 1.50× the throughput of pipe/json (95 % CI 1.40–1.60).' */
  'recommended-from'(finding) {
    const { rows, against, ratio, why, names, numbers } = finding;
    const previous = printable(against ?? '');
    const reason =
      ratio === null
        ? `since ${previous} ${reasonText(why)} there`
        : timesText(ratio, titleText(finding), previous);
    return [`From ${axisValue(names, numbers.from)}: ${printable(rows[0].row)}, ${reason}.`];
  },

  'recommended-up-to'(finding) {
    const words = isAtRate(finding) ? 'take less CPU time' : `be ${betterWord(finding)}`;
    const to = axisValue(finding.names, finding.numbers.to);
    const where = finding.numbers.withoutChoice === 0 ? '' : ', where there is a recommendation';
    return [`Up to ${to}${where}, no other row is proven to ${words}.`];
  },

  'breaks-limit'({ rows, names, numbers }) {
    const rate = formatRate(Number(numbers.perSecond));
    const limit = names.limit === undefined ? rate : `${names.limit} at ${rate}`;
    const texts = rows.map(({ row, value, why }) => {
      const text = value === undefined ? reasonText(why) : formatInterval(value, ' µs');
      return `${printable(row)} (${text})`;
    });
    return [`Does not meet ${limit}: ${listed(texts, NAMES_SHOWN)}.`];
  },

  'blocks-longer'({ rows, numbers }) {
    const texts = rows.map(({ row, value }) => `${printable(row)} (${blockText(Number(value?.estimate))})`);
    const limit = `${formatNumber(Number(numbers.maxBlockMs))} ms`;
    return [`Blocks an event loop for more than ${limit} at a time: ${listed(texts, NAMES_SHOWN)}.`];
  },

  'not-judged'({ rows }) {
    const texts = [...groupedBy(rows, ({ why }) => reasonText(why))].map(
      ([why, some]) => `${listed(some.map(nameOfRow), NAMES_SHOWN)} (${why})`,
    );
    return [`Not judged: ${texts.join('; ')}.`];
  },

  remedy: ({ remedy }) => [`${capitalised(remedyText(remedy) ?? '')}.`],

  'left-out': ({ rows, names }) => [
    `Left out (${printable(names.lack)}): ${listed(rows.map(nameOfRow), NAMES_SHOWN)}.`,
  ],

  'not-measured': ({ rows }) => [`Not measured: ${listed(rows.map(nameOfRow), SCOPE_NAMES_SHOWN)}.`],

  'not-examined'({ rows, names }) {
    const network = names.networked === undefined ? 'a network' : 'other networks';
    const others = ifAny(
      rows,
      () => `; other transports that meet the needs: ${listed(rows.map(nameOfRow), SCOPE_NAMES_SHOWN)}`,
    );
    return [`Not examined: ${network}, other machines, other load on the machine${others.join('')}.`];
  },

  evidence({ numbers, names }) {
    const launches = countedFromTo(
      [Number(numbers.leastLaunches), Number(numbers.mostLaunches)],
      'launch',
      'launches',
    );
    const load = names.arrivals === '' ? 'closed loops' : `open load (${printable(names.arrivals)} arrivals)`;
    return [
      `Evidence: ${launches} of each row, ${load}, on ${printable(names.machine)}, ${printable(names.runtimes)}.`,
    ];
  },
};
