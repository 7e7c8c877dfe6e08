// `ipc-bench selftest`: judges whether comparisons on this machine are reliable. Every group measures one cell twice, and a third
// time with a known delay.

import { fileURLToPath } from 'node:url';
import { headlineMeasure, headlineOfLaunch } from '../cell/headline.js';
import { cellLabel } from '../cell/labels.js';
import { BenchError, exitCode } from '../errors.js';
import { counted } from '../format/lists.js';
import {
  formatCount,
  formatPercent,
  formatRatioInterval,
  formatTenthsOfPercent,
  orNothing,
} from '../format/numbers.js';
import { MS_PER_MINUTE, US_PER_S } from '../format/units.js';
import { TOOL } from '../machine/packages.js';
import { effectText } from '../report/text/phrases/comparison-phrases.js';
import { fitLogModel } from '../statistics/log-model.js';
import { seededRandom, shuffled } from '../statistics/random.js';
import { median } from '../statistics/rank-tests.js';
import { detectableRatio, pairedTest, rowTest, separateTest } from '../statistics/ratio.js';
import { shareInterval } from '../statistics/share.js';
import { sumBy } from '../statistics/sum.js';
import { ALPHA, decideVerdict } from '../statistics/verdict.js';
import { measureSides } from './measuring.js';
import { preparedSides, readSurroundings } from './prepare.js';
import { openDocument, showText } from './process-io.js';

/** @import { Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @typedef {{ argv: Record<string, any>, host: Host, effort: SelftestEffort }} Setup */

const SLOWED = fileURLToPath(new URL('./slowed-unix.js', import.meta.url));
const SLOWED_BY = 0.1;
const CELL = { codec: 'json', workers: '2x4', payload: '1000' }; // a row of the default run
const PILOT_LAUNCHES = 3; // as many as a group has: one of each side
const MIN_ERROR = '0.1%'; // cannot be reached, so that --max-time ends the run
/**
 * @typedef {object} SelftestEffort
 * @property {number} leastGroups
 * @property {number} maxTimeMs   limits the groups; start, pilot and end take up to 10 s more
 * @property {string} [warmup]
 * @property {string} [measure]
 * @property {number} [seed]
 */
/** @type {SelftestEffort} */
const FULL = { leastGroups: 12, maxTimeMs: 150_000 };
/** @type {SelftestEffort} */
const QUICK = { leastGroups: 10, maxTimeMs: 45_000 };

/**
 * @param {Record<string, any>} argv
 * @param {Host} host
 * @param {SelftestEffort} [effort]
 * @returns {Promise<number>} exit code: 0 if comparisons are reliable, 6 if they are not, or that of the signal that stopped a measurement
 */
export async function selftest(argv, host, effort = argv.quick ? QUICK : FULL) {
  const path = await openDocument(argv);
  const setup = { argv, host, effort };
  const { leastGroups, maxTimeMs } = effort;
  const startedMs = performance.now();
  const pilot = await measured(setup, ['unix'], { launches: PILOT_LAUNCHES });
  if (pilot.stoppedWith !== null) return pilot.stoppedWith;
  // A group has as many launches as the pilot, so it takes about as long. Where launches start slowly, as under emulation, the least
  // number of groups may take longer than `maxTimeMs`.
  const groupsMs = Math.max(maxTimeMs, (performance.now() - startedMs) * leastGroups);
  if (!argv.quiet) host.stderr.write(`This takes about ${Math.ceil(groupsMs / MS_PER_MINUTE)} min.\n`);
  const delayUs = Number(((SLOWED_BY * US_PER_S) / median(readRates(pilot.results[0]))).toFixed(1));
  const transports = ['unix', 'unix', `${SLOWED}:delayUs=${delayUs}`];
  const until = { 'max-time': `${maxTimeMs}ms`, 'target-error': MIN_ERROR };
  const { results, stoppedWith } = await measured(setup, transports, { launches: leastGroups, ...until });
  if (stoppedWith !== null) return stoppedWith;
  const [one, other, slowed] = results.map(readRates);
  const judgement = judgedRates({ one, other, slowed }, SLOWED_BY);
  const why = unfitReason(judgement);
  const cell = cellLabel(results[0].outcomes[0].cell);
  const text = selftestText(judgement, { cell, delayUs }) + (why === null ? '' : `\n${why}\n`);
  await showText(text, jsonText(judgement, results[0], { cell, delayUs, why }), path, host.stdout);
  return why === null ? 0 : exitCode('unfit');
}

/** @param {Setup} setup @param {string[]} transports   one for each side @param {Record<string, string | number>} length */
async function measured({ argv, host, effort: { warmup, measure, seed } }, transports, length) {
  const { lock, quiet } = argv;
  const common = { ...CELL, ...length, warmup, measure, seed, lock, quiet, controls: false };
  const prepared = await preparedSides(
    transports.map((transport) => ({ argv: { ...common, transport }, tree: null })),
    readSurroundings({ IPC_BENCH_LOCK: host.environment.IPC_BENCH_LOCK }),
  );
  const sides = prepared.map(({ options, plugins, plan }) => ({ options, plugins, plan, resultsPath: null }));
  return measureSides(sides, { ...sides[0].options, isRanked: false }, host);
}

/** @param {Results} results   results with a single cell */
function readRates({ outcomes: [outcome] }) {
  if (outcome.status === 'measured') {
    const headline = headlineMeasure(outcome);
    return outcome.launches.map((launch) => headlineOfLaunch(headline, launch));
  }
  const why = outcome.status === 'failed' ? outcome.message : outcome.reason;
  throw new BenchError(
    'TRANSPORT',
    `the self-test could not be measured: ${why}; try npx ipc-bench --quick first`,
  );
}

/**
 * @param {import('./selftest.js').JudgedRates} judgement
 * @param {Results} results
 * @param {{ cell: string, delayUs: number, why: string | null }} setup
 */
function jsonText(judgement, { startedAt, environment, options, seed }, { cell, delayUs, why }) {
  const document = {
    schemaVersion: 1,
    kind: 'selftest',
    tool: TOOL,
    startedAt,
    environment,
    cell,
    seed,
    warmupMs: options.warmupMs,
    measureMs: options.measureMs,
    delayUs,
    isFit: why === null,
    why,
    ...judgement,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** @param {number | null} share @returns {string} for example '4.9 %' */
const percentText = (share) => orNothing(share, formatTenthsOfPercent);

/** @param {{ share: number, low: number, high: number, promised: number | null }} rate */
function rateText({ share, low, high, promised }) {
  return `${percentText(share)} (95 %: ${percentText(low)}–${percentText(high)}; the test promises ${percentText(promised)})`;
}

/** @param {JudgedRates} judgement */
function separateLine({ falsePositives: { groups, separate } }) {
  const what = `False positives of two runs of ${groups} launches one after the other, as saved runs are`;
  if (separate === null) return `${what}: too few groups to tell`;
  const count = `${counted(separate.comparisons, 'comparison', 'comparisons')} that do not overlap`;
  return `${what}: ${rateText(separate)}, ${count}`;
}

/** @param {JudgedRates['sameCell']} sameCell @returns {string} for example '1.01× (0.98–1.04), the same within 10 %' */
function sameText({ ratio, within, isSame }) {
  return `${formatRatioInterval(ratio)}, ${isSame ? 'the same' : 'NOT SHOWN to be the same'} within ${formatPercent(within)}`;
}

/** @param {JudgedRates} judgement @param {{ cell: string, delayUs: number }} setup */
export function selftestText(judgement, { cell, delayUs }) {
  const { groups, sameCell, detectable, knownDifference } = judgement;
  const { expectedRatio, ratio, verdict, isFound } = knownDifference;
  const sizes = detectable.map(
    (one) => `${one.ratio === null ? 'nothing' : effectText(one.ratio)} with ${one.groups} groups`,
  );
  const lines = [
    `${cell}, ${formatCount(groups)} groups of two launches of the same and one that is slowed`,
    '',
    `The cell against itself, interleaved as compare --run measures: ${sameText(sameCell)}`,
    separateLine(judgement),
    `Least difference found four times of five: ${sizes.join(', ')}`,
    `Slowed by ${delayUs.toFixed(1)} µs per round trip in the master, which makes about ${expectedRatio.toFixed(2)}×: ${
      isFound ? 'found' : 'NOT FOUND'
    }, ${formatRatioInterval(ratio)}, ${verdict}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** @param {JudgedRates} judgement @returns {string | null} the problem and its remedy; null if comparisons are reliable */
export function unfitReason({ sameCell, knownDifference: { isFound } }) {
  const { ratio, p, within, isSame } = sameCell;
  const isDifferent = p !== null && p <= ALPHA;
  const faults = [
    ...(isSame
      ? []
      : isDifferent
        ? [`a cell differs from itself, measured twice in each group: ${formatRatioInterval(ratio)}`]
        : [`a cell compared with itself is not the same within ${formatPercent(within)}`]),
    ...(isFound ? [] : ['a slowdown of 10 % was not detected']),
  ];
  if (faults.length === 0) return null;
  return `Comparisons on this machine are not reliable at the moment: ${faults.join('; ')}. Stop other programs, run ipc-bench doctor, and try again.`;
}

/**
 * Rates of one cell, of the same cell measured a second time, and of the slowed cell. Index i is group i in all three.
 * @typedef {{ one: number[], other: number[], slowed: number[] }} Rates
 */
/** @typedef {ReturnType<typeof judgedRates>} JudgedRates */

const GROUPS_OF_A_COMPARISON = 10; // the default of compare --run
/** A cell that is measured twice must agree with itself within this share, the size of the difference that the self-test adds. */
const SAME_WITHIN = 0.1;
// Between equal cells, the 95 % interval excludes 1 in one self-test of 20, but the p value is below this in one of 1,000.
const SURELY_DIFFERENT = 0.001;
const RESAMPLES = 200;
const SIZES = [6, 10, 20, 40];
const MIN_EFFECT = 0.05;

/** @param {Rates} rates @param {number} slowedBy   0.1 adds 10 % to a round trip */
export function judgedRates({ one, other, slowed }, slowedBy) {
  const random = seededRandom(1);
  const size = Math.min(GROUPS_OF_A_COMPARISON, one.length);
  const rows = [one, other, slowed].map(
    (rates) => new Map(rates.map((rate, group) => [group, Math.log(rate)])),
  );
  const model = fitLogModel(rows);
  const [whole, known] = [1, 2].map((row) => rowTest(model, row, 0));
  const verdict = decideVerdict({ ratio: known.ratio, adjustedP: known.p ?? 1, minEffect: MIN_EFFECT });
  return {
    groups: one.length,
    sameCell: { ratio: whole.ratio, p: whole.p, within: SAME_WITHIN, isSame: isShownSame(whole) },
    falsePositives: { groups: size, separate: falseWhenSeparate([one, other], size) },
    detectable: SIZES.filter((groups) => groups <= one.length).map((groups) => ({
      groups,
      ratio: detectableWith(one, other, groups, random),
    })),
    knownDifference: {
      expectedRatio: 1 / (1 + slowedBy),
      ratio: known.ratio,
      p: known.p,
      verdict,
      isFound: known.p !== null && known.p <= ALPHA && known.ratio.estimate < 1,
    },
  };
}

/**
 * Tests the two sides for equivalence, as compare does for `same`. A permutation test shows nothing here, because its error rate equals its
 * level for any two sides.
 * @param {import('../statistics/ratio.js').RatioTest} test
 */
function isShownSame({ ratio: { low, high, level }, p }) {
  const edge = 1 + SAME_WITHIN;
  return level !== null && low > 1 / edge && high < edge && (p ?? 0) > SURELY_DIFFERENT;
}

/**
 * @param {number} count   at most `all`
 * @param {number} all   length of the array
 * @param {() => number} random
 * @returns {number[]} `count` different random indexes of the array
 */
function drawn(count, all, random) {
  return shuffled(
    Array.from({ length: all }, (_, index) => index),
    random,
  ).slice(0, count);
}

/**
 * Computes the share of false positives if `size` successive launches are compared with the next `size` launches of the same cell, as in
 * two runs one after the other. The comparisons overlap, so the interval of the share counts only as many as do not.
 * @param {number[][]} series
 * @param {number} size   number of launches in a run
 */
function falseWhenSeparate(series, size) {
  let count = 0;
  let times = 0;
  for (const rates of series) {
    for (let start = 0; start + 2 * size <= rates.length; start++) {
      const middle = start + size;
      const { p } = separateTest({
        old: rates.slice(start, middle),
        new: rates.slice(middle, middle + size),
      });
      if (p !== null && p <= ALPHA) count++;
      times++;
    }
  }
  if (times === 0) return null;
  const comparisons = sumBy(series, ({ length }) => Math.floor(length / (2 * size)));
  return { ...shareInterval(count / times, comparisons), promised: ALPHA, comparisons };
}

/**
 * @param {number[]} one   rates of a cell by group
 * @param {number[]} other   rates of the same cell, measured a second time in each group
 * @param {number} groups
 * @param {() => number} random
 * @returns {number | null} the median of the ratios that resampled comparisons of `groups` groups detect; null if half of them or more
 *   detect none
 */
function detectableWith(one, other, groups, random) {
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const indexes = drawn(groups, one.length, random);
    const of = (/** @type {number[]} */ rates) => indexes.map((index) => rates[index]);
    return detectableRatio(pairedTest({ old: of(one), new: of(other) })) ?? Infinity;
  });
  const typical = median(ratios);
  return Number.isFinite(typical) ? typical : null;
}
