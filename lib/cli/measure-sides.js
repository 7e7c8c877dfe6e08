// Measuring as a command does it: with a live view, and an end at Ctrl-C that keeps what there is.

import { BenchError } from '../errors.js';
import { wantsColour } from '../format/colour.js';
import { measurement } from './measurement.js';
import { createProgress } from './progress.js';
import { stopSignal } from './stop-signal.js';

/** @import { Results } from '../types/index.js' */
/** @import { Host } from './main.js' */

/**
 * @param {import('../run/interleaved-run.js').Measured[]} sides
 * @param {{ isQuiet: boolean, colour: boolean | null }} view
 * @param {Host} host
 * @returns {Promise<{ results: Results[], stoppedWith: number | null }>} results: none when it was stopped before its
 *   turn; stoppedWith: the exit code
 */
export async function measureSides(sides, { isQuiet, colour }, host) {
  const { stderr, environment } = host;
  const stop = stopSignal(host);
  const view = createProgress({
    stream: stderr,
    isQuiet,
    colour: wantsColour(stderr, colour, environment),
    isDumb: environment.TERM === 'dumb',
  });
  const runSides = await chooseRunner(sides);
  const run = measurement((onProgress) =>
    runSides(sides, {
      onProgress,
      signal: stop.signal,
      launch: host.launch,
      onWaiting: isQuiet ? undefined : (holder) => stderr.write(`${waitingText(holder)}\n`),
    }),
  );
  try {
    for await (const progress of run) view.onProgress(progress);
    return { results: await run.results, stoppedWith: stop.exitCode() };
  } catch (error) {
    if (stop.exitCode() === null || !(error instanceof BenchError) || error.code !== 'INTERRUPTED')
      throw error;
    return { results: [], stoppedWith: stop.exitCode() };
  } finally {
    view.end();
    stop.release();
  }
}

/**
 * @param {import('../run/interleaved-run.js').Measured[]} sides
 * @throws {BenchError} BAD_ARGUMENT: they are for different hosts
 */
export async function chooseRunner(sides) {
  const [{ options }] = sides;
  const hosts = new Set(sides.map((side) => JSON.stringify(side.options.hosts ?? null)));
  if (hosts.size > 1) {
    const next = 'write --master-on and --workers-on outside of them';
    throw new BenchError('BAD_ARGUMENT', `--run: both variants are measured on the same hosts; ${next}`);
  }
  return options.hosts === undefined
    ? (await import('../run/interleaved-run.js')).runInterleaved
    : (await import('../hosts/run-on-hosts.js')).runOnHosts;
}

/** @param {import('../children/claims.js').Holder} holder @returns {string} */
function waitingText({ pid, since }) {
  const what = `another ipc-bench run has been active since ${since.slice(11, 19)} UTC (pid ${pid})`;
  return `Waiting: ${what}. Add --lock ignore to measure now; the two runs then disturb each other`;
}
