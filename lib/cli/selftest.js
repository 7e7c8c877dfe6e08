// `ipc-bench selftest`: this machine against itself. Measures one cell twice in every block, and a third time with a
// known delay; what follows from it is judged in lib/cli.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { effectText } from '../report/compare/comparison-words.js';
import { median } from '../statistics/signed-rank.js';
import { ALPHA } from '../statistics/verdict.js';
import { measureSides } from './measure-sides.js';
import { preparedSides, readSurroundings } from './prepared.js';
import { judgedRates } from './selftest-judge.js';
import { writeOut } from './write-out.js';

/** @import { Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @import { Judgement } from './selftest-judge.js' */
/** @typedef {{ folder: string, argv: Record<string, any>, host: Host, effort: Effort }} Setup */

const SLOWED = fileURLToPath(new URL('./slowed-unix.js', import.meta.url));
const SLOWED_BY = 0.1;
const CELL = { codec: 'json', workers: '2x4', payload: '1000' }; // a row of the default run
const PILOT_LAUNCHES = 3;
const LEAST_ERROR = '0.1%'; // so narrow that the time decides
/**
 * @typedef {object} Effort
 * @property {number} leastBlocks
 * @property {number} maxTimeMs    of the blocks alone, a second or more: starting, the pilot and the end take up to 10 s besides
 * @property {string} [warmup]     absent, as the next two: as every run has it
 * @property {string} [measure]
 * @property {number} [seed]       of the order within blocks
 */
/** @type {Effort} */
const FULL = { leastBlocks: 12, maxTimeMs: 150_000 };
/** @type {Effort} */
const QUICK = { leastBlocks: 10, maxTimeMs: 45_000 };

/**
 * @param {Record<string, any>} argv
 * @param {Host} host
 * @param {Effort} [effort]
 * @returns {Promise<number>} 6: comparisons here cannot be trusted
 */
export async function selftest(argv, host, effort = argv.quick ? QUICK : FULL) {
  const folder = await mkdtemp(join(tmpdir(), 'ipc-bench-selftest-'));
  try {
    return await test({ folder, argv, host, effort });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {Setup} setup @returns {Promise<number>} */
async function test(setup) {
  const { argv, host } = setup;
  const { leastBlocks, maxTimeMs } = setup.effort;
  if (!argv.quiet)
    host.stderr.write(`This takes about ${Math.ceil((maxTimeMs + 10_000) / MS_PER_MINUTE)} min.\n`);
  const pilot = await measured(setup, ['unix'], { launches: PILOT_LAUNCHES });
  if (pilot.stoppedWith !== null) return pilot.stoppedWith;
  const delayUs = Number(((SLOWED_BY * US_PER_S) / median(readRates(pilot.results[0]))).toFixed(1));
  const transports = ['unix', 'unix', `${SLOWED}:delayUs=${delayUs}`];
  const until = { 'max-time': `${maxTimeMs}ms`, 'target-error': LEAST_ERROR };
  const { results, stoppedWith } = await measured(setup, transports, { launches: leastBlocks, ...until });
  if (stoppedWith !== null) return stoppedWith;
  const [one, other, slowed] = results.map(readRates);
  const judgement = judgedRates({ one, other, slowed }, SLOWED_BY);
  const why = unfitReason(judgement);
  const cell = cellLabel(results[0].outcomes[0].cell);
  if (argv.json) await writeOut(host.stdout, jsonText(judgement, results[0], { cell, delayUs, why }));
  else
    await writeOut(
      host.stdout,
      selftestText(judgement, { cell, delayUs }) + (why === null ? '' : `\n${why}\n`),
    );
  return why === null ? 0 : exitCode('unfit');
}

/**
 * @param {Setup} setup
 * @param {string[]} transports     of each side
 * @param {Record<string, string | number>} length
 */
async function measured({ folder, argv, host, effort: { warmup, measure, seed } }, transports, length) {
  const { lock, quiet } = argv;
  const common = { ...CELL, ...length, warmup, measure, seed, lock, quiet, controls: false };
  const prepared = await preparedSides(
    transports.map((transport) => ({ argv: { ...common, transport }, tree: null })),
    readSurroundings({ IPC_BENCH_LOCK: host.environment.IPC_BENCH_LOCK }),
  );
  const sides = prepared.map(({ options, plugins, plan }, place) => {
    return { options, plugins, plan, resultsPath: join(folder, `${place}.json`) };
  });
  return measureSides(sides, sides[0].options, host);
}

/** @param {Results} results of one cell @returns {number[]} */
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
 * @param {import('./selftest-judge.js').Judgement} judgement
 * @param {Results} results
 * @param {{ cell: string, delayUs: number, why: string | null }} setup
 * @returns {string}
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

// What a self-test found out, for people.

/** @param {number | null} share @returns {string} '4.9 %' */
const percentText = (share) => orNothing(share, formatTenthsOfPercent);

/** @param {{ share: number, low: number, high: number, promised: number | null }} rate @returns {string} */
function rateText({ share, low, high, promised }) {
  return `${percentText(share)} (95 %: ${percentText(low)}–${percentText(high)}; the test promises ${percentText(promised)})`;
}

/** @param {Judgement} judgement @returns {string} */
function separateLine({ falsePositives: { blocks, separate } }) {
  const what = `False positives of two runs of ${blocks} launches one after the other, as saved runs are`;
  if (separate === null) return `${what}: too few blocks to tell`;
  const count = `${counted(separate.comparisons, 'comparison', 'comparisons')} that do not overlap`;
  return `${what}: ${rateText(separate)}, ${count}`;
}

/** @param {Judgement['sameCell']} sameCell @returns {string} '1.01× (0.98–1.04), the same within 10 %' */
function sameText({ ratio, within, isSame }) {
  return `${formatRatioInterval(ratio)}, ${isSame ? 'the same' : 'NOT SHOWN to be the same'} within ${formatPercent(within)}`;
}

/** @param {Judgement} judgement @param {{ cell: string, delayUs: number }} setup @returns {string} */
export function selftestText(judgement, { cell, delayUs }) {
  const { blocks, sameCell, detectable, knownDifference } = judgement;
  const { expectedRatio, ratio, verdict, isFound } = knownDifference;
  const sizes = detectable.map(
    (one) => `${one.ratio === null ? 'nothing' : effectText(one.ratio)} with ${one.blocks} blocks`,
  );
  const lines = [
    `${cell}, ${formatCount(blocks)} blocks of two launches of the same and one that is slowed`,
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

/** @param {Judgement} judgement @returns {string | null} what is wrong here, and what to do */
export function unfitReason({ sameCell, knownDifference: { isFound } }) {
  const { ratio, p, within, isSame } = sameCell;
  const isDifferent = p !== null && p <= ALPHA;
  const faults = [
    ...(isSame
      ? []
      : isDifferent
        ? [`a cell differs from itself, measured twice in each block: ${formatRatioInterval(ratio)}`]
        : [`a cell compared with itself is not the same within ${formatPercent(within)}`]),
    ...(isFound ? [] : ['a slowdown of 10 % was not detected']),
  ];
  if (faults.length === 0) return null;
  return `Comparisons on this machine are not reliable at the moment: ${faults.join('; ')}. Stop other programs, run ipc-bench doctor, and try again.`;
}
