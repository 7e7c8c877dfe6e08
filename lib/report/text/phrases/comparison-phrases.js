// Phrases on a comparison of two runs.

import { capitalised, counted, listed, unended } from '../../../format/lists.js';
import {
  formatCount,
  formatInterval,
  formatPercent,
  formatRatio,
  formatRatioOf,
} from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { ALPHA } from '../../../statistics/verdict.js';
import { isRate, ratioText } from '../measure-words.js';
import { nameOfRow } from '../names.js';
import { reasonText, remedyText } from '../reasons.js';

/** @import { Estimate, Finding } from '../../../types/index.js' */

const MAX_LAUNCHES = 1000;
const MAX_EFFECT = 10; // ratio; if only greater ones could be detected, no difference counts as detectable

/** @param {number} minEffect @returns {string} '5 %', '2.5 %' */
export function minEffectText(minEffect) {
  return formatPercent(minEffect, 3);
}

/** @param {number} launches @returns {string} '14', '390': more digits would be false precision */
export function roughCount(launches) {
  if (launches > MAX_LAUNCHES) return `more than ${formatCount(MAX_LAUNCHES)}`;
  return formatCount(Number(launches.toPrecision(2)));
}

/** @param {number} launches @param {string} design @returns {string} '14 more launches per side' */
function moreText(launches, design) {
  const [one, many, side] =
    design === 'interleaved' ? ['repetition', 'repetitions', ''] : ['launch', 'launches', ' per side'];
  return `${roughCount(launches)} more ${launches === 1 ? one : many}${side}`;
}

/** @param {number} ratio above 1 @returns {string} '12 %', '2.40×' */
export function effectText(ratio) {
  return ratio >= 2 ? formatRatio(ratio) : formatPercent(ratio - 1, 2);
}

/** @param {number | null} ratio   the smallest one that is detected @returns {string} 'only differences above 12 %', 'no difference' */
function detectedText(ratio) {
  return isDetected(ratio) ? `only differences above ${effectText(Number(ratio))}` : 'no difference';
}

/** @param {number | null} ratio @returns {boolean} */
export const isDetected = (ratio) => ratio !== null && ratio <= MAX_EFFECT;

/** @param {Pick<Finding, 'numbers'>} finding   on all rows @returns {string} '1 slower beyond 5 %, 1 inconclusive, 7 same' */
function tallyText({ numbers }) {
  const beyond = ` beyond ${minEffectText(Number(numbers.minEffect))}`;
  const { slower, slowerBeyond, faster, fasterBeyond, inconclusive, same } =
    /** @type {Record<string, number>} */ (numbers);
  const counts = /** @type {const} */ ([
    [slowerBeyond, `slower${beyond}`],
    [slower - slowerBeyond, 'slower'],
    [fasterBeyond, `faster${beyond}`],
    [faster - fasterBeyond, 'faster'],
    [inconclusive, 'inconclusive'],
    [same, 'same'],
  ]);
  return counts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${formatCount(count)} ${text}`)
    .join(', ');
}

/** @param {Pick<Finding, 'numbers'>} finding   on all rows @returns {string} the tally, for headings, and whether it counts */
export function comparedTitle(finding) {
  const doubt = Number(finding.numbers.movedControls) > 0 ? 'in doubt, since a control moved: ' : '';
  return doubt + tallyText(finding);
}

// Whether a build passes.

/** @param {number} count @param {number} cells @returns {string} '2 of 9 cells are' */
const concernedText = (count, cells) =>
  `${count} of ${counted(cells, 'cell', 'cells')} ${count === 1 ? 'is' : 'are'}`;

/** @param {number} count @returns {string} 'No failure for 2 cells that are slower' */
const pardonText = (count) =>
  `No failure for ${counted(count, 'cell', 'cells')} that ${count === 1 ? 'is' : 'are'} slower`;

/** @type {Readonly<Record<string, { claim: string, one: string, many: string }>>} */
const LIMIT_WORDS = {
  worse: { claim: 'Exceeds', one: 'exceeds it', many: 'exceed it' },
  unclear: { claim: 'Unclear whether it meets', one: 'is unclear', many: 'are unclear' },
  better: { claim: 'Meets', one: 'meets it', many: 'meet it' },
};

/** @param {Pick<Finding, 'ratio' | 'numbers' | 'names' | 'measure'>} finding @returns {string} 'new has 0.79× the throughput of old …' */
function sideText({ ratio, numbers, names, measure }) {
  const what = measure !== undefined && isRate(measure) ? 'throughput' : `speed by ${measure?.title}`;
  const n = `${numbers.launches} ${names.design === 'interleaved' ? 'repetitions' : 'launches per side'}`;
  const times = formatRatioOf(
    /** @type {Estimate} */ (ratio),
    `the ${what} of ${printable(names.old)}`,
    `, ${n}`,
  );
  return `${printable(names.new)} has ${times}`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const COMPARISON_PHRASES = {
  /** '9 cells compared side by side, --min-effect 5 %: 1 slower beyond 5 %, 8 same.' */
  compared(finding) {
    const { numbers, names } = finding;
    const how = names.design === 'interleaved' ? ' side by side' : '';
    const limit = `--min-effect ${minEffectText(Number(numbers.minEffect))}`;
    return [
      `${counted(Number(numbers.rows), 'cell', 'cells')} compared${how}, ${limit}: ${tallyText(finding)}.`,
    ];
  },

  /** 'unix/json at 1,000 B, 2x4 is slower beyond 5 %: new has 0.79× the throughput of old …' */
  'side-differs'({ rows, ratio, verdict, numbers, names, measure }) {
    const word = verdict === 'worse' ? 'slower' : 'faster';
    const beyond = numbers.beyond === 1 ? ` beyond ${minEffectText(Number(numbers.minEffect))}` : '';
    return [`${nameOfRow(rows[0])} is ${word}${beyond}: ${sideText({ ratio, numbers, names, measure })}.`];
  },

  'side-undecided'({ rows, ratio, why, numbers, names, remedy }) {
    const { p, adjustedP, cells, moreLaunches } = numbers;
    const isOfAll = p !== null && p <= ALPHA && adjustedP !== null && adjustedP > ALPHA;
    const corrected = isOfAll
      ? ` alone, p = ${Number(adjustedP).toFixed(2)} after the correction for ${cells} cells`
      : '';
    const reason = why === null ? corrected : `, ${reasonText(why)}`;
    const more =
      moreLaunches === null
        ? String(remedyText(remedy))
        : `about ${moreText(moreLaunches, names.design)} would settle it, if noise and ratio stay the same`;
    return [`${nameOfRow(rows[0])}: inconclusive, ${ratioText({ ratio })}${reason}. ${capitalised(more)}.`];
  },

  'more-rows': ({ numbers, names }) => [
    `${counted(Number(numbers.rows), 'more cell is', 'more cells are')} ${names.verdict}.`,
  ],

  /** 'Control unix/json moved by 4.1 %: new has 0.96× the throughput of old …' */
  'control-moved'({ rows, ratio, numbers, names, measure }) {
    const { estimate } = /** @type {Estimate} */ (ratio);
    const cause =
      names.design === 'separate'
        ? 'The machine may have changed between the runs; compare --run measures both side by side'
        : 'The two sides may differ in more than what is compared, such as a build or a flag';
    return [
      `Control ${nameOfRow(rows[0])} moved by ${effectText(Math.max(estimate, 1 / estimate))}: ${sideText({ ratio, numbers, names, measure })}.`,
      `${cause}. All verdicts are in doubt.`,
    ];
  },

  'control-unmoved': ({ numbers }) => [
    `No control is known to have moved; ${detectedText(numbers.detectableRatio)} would be detected (80 % power).`,
  ],

  'control-unjudged'({ rows, why }) {
    return [`Whether control ${nameOfRow(rows[0])} moved is unknown: ${reasonText(why)}.`];
  },

  /** 'Missing, not in new (skipped: no network): tcp/json at 1,000 B, 2x4.' */
  'not-compared'({ rows, names }) {
    const side = names.side === '' ? 'in neither' : `not in ${printable(names.side)}`;
    const why = unended(printable(names.reason));
    return [`Missing, ${side} (${why}): ${listed(rows.map(nameOfRow))}.`];
  },

  gate({ verdict, numbers, names, remedy }) {
    if (names.reason === 'control') {
      return [
        `Neither passed nor failed, exit code ${numbers.exitCode}: control ${printable(names.rows)} moved, so no verdict on another row counts.`,
      ];
    }
    const { exitCode, cells, concerned, disturbed, fewLaunches, leastLaunches, minEffect, missedRatio } =
      /** @type {Record<string, number>} */ (numbers);
    const concerns = concernedText(concerned, cells);
    const isNamed = names.failOn === names.reason;
    return [
      ...(verdict === 'worse'
        ? [
            `Failed with exit code ${exitCode}: --fail-on ${names.failOn}, and ${concerns}${isNamed ? '' : ' inconclusive'}.`,
          ]
        : []),
      ...(verdict === 'unclear'
        ? [`Passed undecided: ${concerns} inconclusive, which fails with --fail-on slower,inconclusive.`]
        : []),
      ...('missedRatio' in numbers
        ? [
            `A slowdown of ${minEffectText(minEffect)} may have been missed: ${detectedText(missedRatio)} would be detected (80 % power).${remedy === null ? '' : ' Add --launches.'}`,
          ]
        : []),
      ...(disturbed > 0
        ? [
            `${pardonText(disturbed)}: other load disturbed the launches. Repeat the comparison; ipc-bench doctor says what disturbs this machine.`,
          ]
        : []),
      ...(fewLaunches > 0
        ? [`${pardonText(fewLaunches)}: fewer than ${leastLaunches} launches a side. Add --launches.`]
        : []),
      ...(names.machines === undefined
        ? []
        : [
            `No failure for what is slower: the runs were not interleaved and come from different machines (${names.machines}). Run both on one machine, or add --force.`,
          ]),
    ];
  },

  /** 'Meets p99<5ms: unix/json at 2,000/s, 310 µs (290–340).' */
  'response-limit'({ rows, verdict, names }) {
    const texts = rows.map((row) => {
      const found = row.value === undefined ? reasonText(row.why) : formatInterval(row.value, ' µs');
      return `${nameOfRow(row)}, ${found}`;
    });
    return [`${LIMIT_WORDS[String(verdict)].claim} ${names.limit}: ${texts.join('; ')}.`];
  },

  'limit-gate'({ verdict, numbers, names }) {
    const { exitCode, concerned, rows } = numbers;
    const { one, many } = LIMIT_WORDS[String(verdict)];
    const what = `${concerned} of ${counted(Number(rows), 'row', 'rows')} ${concerned === 1 ? one : many}`;
    return [`Failed with exit code ${exitCode}: --slo ${names.limit}, and ${what}.`];
  },

  'not-interleaved': () => [
    'Not interleaved: a change on the machine between the two runs looks like a difference between them.',
  ],
};
