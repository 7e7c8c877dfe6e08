// `npm run bench:warm-up`: shows whether a number depends on the length of the warm-up. Each cell is launched in turn with the automatic
// warm-up and with a long one in the same groups. Prints the ratio of the two for throughput and for CPU time per round trip, which is
// more reliable on a busy machine. Cells with the flag cold are not ranked.
// `npm run bench:warm-up -- tier-up`: shows whether the rate depends on when V8 optimises. Both sides get the long warm-up.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seriesLabel, shapeLabel } from '../../lib/cell/labels.js';
import { createProgress } from '../../lib/cli/measuring.js';
import { preparedSides, readSurroundings } from '../../lib/cli/prepare.js';
import { hasKnownCosts, totalCpuUs } from '../../lib/results/calibration-rows.js';
import { runInterleaved } from '../../lib/run/interleaved-run.js';
import { estimateRatio } from '../../lib/statistics/estimate.js';
import { median } from '../../lib/statistics/rank-tests.js';

/** @import { MeasuredLaunch, Outcome } from '../../lib/types/index.js' */

/** @type {Readonly<Record<string, Record<string, string>>>} */
const SETS = Object.freeze({
  default: {},
  'node-ipc-2016': { preset: 'node-ipc-2016', workers: '1x1,2x4,6x8', payload: '10,1000' },
  all: { transport: 'all', workers: '2x4' },
  'tier-up': {},
});
const WITHIN = 0.05;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    launches: { type: 'string', default: '3' },
    longer: { type: 'string', default: '10s' },
    measure: { type: 'string', default: '400ms' },
    'tier-up': { type: 'string', default: 'early' },
    transport: { type: 'string' },
    codec: { type: 'string' },
    workers: { type: 'string' },
    payload: { type: 'string' },
  },
});
const unknown = positionals.find((name) => !Object.hasOwn(SETS, name));
if (unknown !== undefined) {
  console.error(`no set ${unknown}; there is ${Object.keys(SETS).join(', ')}`);
  process.exit(2);
}

const { longer, ...common } = values;
const chosen = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));

/** @param {MeasuredLaunch} launch @returns {number} */
function rateOf({ operations, windowMs }) {
  return (operations * 1_000) / windowMs;
}

/** @param {Outcome} outcome @returns {Map<number, MeasuredLaunch>} by group */
function launchesOf(outcome) {
  const launches = outcome.status === 'measured' ? outcome.launches : [];
  return new Map(launches.map((launch) => [launch.group, launch]));
}

/** @param {import('../../lib/types/launches.js').Estimate} ratio */
function ratioText({ estimate, low, high }) {
  return `${estimate.toFixed(3)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** @param {import('../../lib/types/launches.js').Estimate} ratio @returns {string} */
function withinText({ estimate, low, high }) {
  if (low >= 1 - WITHIN && high <= 1 + WITHIN) return 'yes';
  if (Math.abs(estimate - 1) <= WITHIN) return low <= 1 && high >= 1 ? 'no difference found' : 'yes, about';
  return low <= 1 && high >= 1 ? 'cannot tell' : 'no';
}

/**
 * @param {Outcome} automatic
 * @param {Outcome} long
 * @returns {string | null} a row of the table, or null if the cell is skipped
 */
function rowOf(automatic, long) {
  const { cell } = automatic;
  if (automatic.status === 'skipped') return null;
  const name = `${seriesLabel(cell)} | ${shapeLabel(cell)} | ${cell.payloadBytes}`;
  const [own, others] = [launchesOf(automatic), launchesOf(long)];
  const groups = [...own.keys()].filter((group) => others.has(group));
  if (automatic.status === 'failed' || groups.length === 0) return `| ${name} | failed | | | |`;
  /** @param {(launch: MeasuredLaunch) => number} quantity */
  const ratioOf = (quantity) => {
    const pairs = groups
      .map((group) => [own, others].map((side) => /** @type {MeasuredLaunch} */ (side.get(group))))
      .filter((pair) => quantity !== totalCpuUs || pair.every(hasKnownCosts));
    return estimateRatio(
      pairs.map(([one]) => quantity(one)),
      pairs.map(([, other]) => quantity(other)),
    );
  };
  const cpu = ratioOf(totalCpuUs);
  const rate = ratioOf(rateOf);
  const warmupMs = median([...own.values()].map(({ warmup }) => warmup.ms));
  const isCold = automatic.flags.some(({ code }) => code === 'cold');
  const word = isCold ? 'marked cold' : withinText(cpu);
  return `| ${name} | ${(warmupMs / 1_000).toFixed(2)} s | ${ratioText(cpu)} | ${ratioText(rate)} | ${word} |`;
}

/**
 * @param {Record<string, string>} set
 * @param {Record<string, string>[]} different   what differs between the two sides
 */
async function measured(set, different) {
  const folder = mkdtempSync(join(tmpdir(), 'ipcb-bench-'));
  const common = { ...set, ...chosen, controls: false, seed: '1' };
  const prepared = await preparedSides(
    different.map((own) => ({ argv: { ...common, ...own }, tree: null })),
    readSurroundings(process.env),
  );
  const sides = prepared.map((side, index) => ({ ...side, resultsPath: join(folder, `${index}.json`) }));
  const progress = createProgress({ stream: process.stderr, isQuiet: false, colour: false });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  try {
    return await runInterleaved(sides, { onProgress: progress.onProgress, signal: stop.signal });
  } finally {
    progress.end();
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {Outcome[]} ones
 * @param {Outcome[]} others
 * @param {(launch: MeasuredLaunch) => number} quantity
 * @returns {string} the ratio of all pairs of launches together
 */
function overall(ones, others, quantity) {
  const pairs = ones.flatMap((outcome, index) => {
    const other = launchesOf(others[index]);
    return [...launchesOf(outcome)].flatMap(([group, launch]) => {
      const partner = other.get(group);
      const isKnown = quantity !== totalCpuUs || [launch, partner].every((one) => one && hasKnownCosts(one));
      return partner === undefined || !isKnown ? [] : [[quantity(launch), quantity(partner)]];
    });
  });
  return ratioText(
    estimateRatio(
      pairs.map(([one]) => one),
      pairs.map(([, other]) => other),
    ),
  );
}

for (const name of positionals.length === 0 ? ['default', 'node-ipc-2016', 'all'] : positionals) {
  const isTierUp = name === 'tier-up';
  const sides = isTierUp
    ? [
        { 'tier-up': 'early', warmup: longer },
        { 'tier-up': 'usual', warmup: longer },
      ]
    : [{ warmup: 'auto' }, { warmup: longer }];
  const [one, other] = (await measured(SETS[name], sides)).map(({ outcomes }) => outcomes);
  const what = isTierUp ? `early against usual, both after ${longer}` : `automatic against ${longer}`;
  console.log(`\n${name}: ${what}, ${values.launches} launches each, Node ${process.versions.node}\n`);
  console.log('| cell | shape | B | warm-up | CPU time per round trip | throughput | within 5 % |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  const rows = one.map((outcome, index) => rowOf(outcome, other[index]));
  for (const row of rows) if (row !== null) console.log(row);
  const rate = rateOf;
  console.log(
    `\nall pairs: CPU time ${overall(one, other, totalCpuUs)}, throughput ${overall(one, other, rate)}`,
  );
}
