// Measures for a command: shows progress, and at Ctrl-C returns the results so far.

import { EventEmitter, on } from 'node:events';
import { cellLabel } from '../cell/labels.js';
import { BenchError, exitCodeFor } from '../errors.js';
import { durationText } from '../format/numbers.js';
import { findingsIn } from '../report/findings/index.js';
import { ResultsError } from '../results/write.js';
import { canShowLive, createLiveView } from './live-view.js';
import { errorText, readColumns, stopSignal, wantsColour } from './process-io.js';

/** @import { Interim } from '../run/interim.js' */
/** @import { Options, Progress, Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/**
 * @typedef {object} View
 * @property {(progress: Progress) => void} onProgress
 * @property {(interim: Interim) => void} [onInterim]
 * @property {() => void} end
 */
/**
 * @param {import('../run/interleaved-run.js').MeasuredSide[]} sides
 * @param {Pick<Options, 'isQuiet' | 'open'> & { isRanked?: boolean }} options
 * @param {Host} host
 * @returns {Promise<{ results: Results[], stoppedWith: number | null, fault: ResultsError | null }>} `results` is empty if the run
 *   was stopped while it waited for another run; `stoppedWith` is an exit code; `fault` is set if the run could not save
 *   or continue
 */
export async function measureSides(sides, options, host) {
  const { isQuiet } = options;
  const { stderr } = host;
  const runSides = await chooseRunner(sides);
  const view = await createView(options, host);
  let hasBegun = false;
  const isSaved = sides.some(({ resultsPath }) => resultsPath !== null);
  const kept = () => {
    if (!hasBegun) return 'nothing was measured';
    return isSaved ? 'what was measured is saved' : 'nothing is saved';
  };
  const stop = stopSignal(host, { onStop: () => view.end(), kept });
  const run = measurement((onProgress) =>
    runSides(sides, {
      onProgress(progress) {
        hasBegun = true;
        onProgress(progress);
      },
      onInterim: view.onInterim,
      signal: stop.signal,
      launch: host.launch,
      conclude: findingsIn,
      onWaiting: isQuiet ? undefined : (holder) => stderr.write(`${waitingText(holder)}\n`),
    }),
  );
  try {
    for await (const progress of run) view.onProgress(progress);
    return { results: await run.results, stoppedWith: stop.exitCode(), fault: null };
  } catch (error) {
    if (error instanceof ResultsError)
      return { results: error.results, stoppedWith: stop.exitCode(), fault: error };
    if (stop.exitCode() === null || !(error instanceof BenchError) || error.code !== 'INTERRUPTED')
      throw error;
    return { results: [], stoppedWith: stop.exitCode(), fault: null };
  } finally {
    view.end();
    stop.release();
  }
}

/**
 * Prints why a run could not save its results or could not continue, and what to do with the files that it has saved.
 * @param {ResultsError} fault
 * @param {string} next   a purpose and a command that reads the saved files; printed only if there are such files
 * @param {Host} host
 * @returns {number} exit code
 */
export function showFault(fault, next, { stderr }) {
  stderr.write(`${errorText(fault)}\n`);
  if (fault.files.some(({ isBegun }) => isBegun)) stderr.write(`Next, ${next}\n`);
  return exitCodeFor(fault);
}

/**
 * @param {Pick<Options, 'isQuiet' | 'open'> & { isRanked?: boolean }} options
 * @param {Host} host
 * @returns {Promise<View>}
 */
async function createView(options, host) {
  const { stderr, environment } = host;
  const colour = wantsColour(stderr, environment);
  if (canShowLive(options, host)) return createLiveView({ stream: stderr, colour });
  const isDumb = environment.TERM === 'dumb';
  return createProgress({ stream: stderr, isQuiet: options.isQuiet, colour, isDumb });
}

/**
 * @param {import('../run/interleaved-run.js').MeasuredSide[]} sides
 * @throws {BenchError} if the sides name different hosts
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

/** @param {import('../children/claims.js').Holder} holder */
function waitingText({ pid, since }) {
  const what = `another ipc-bench run has been active since ${since.slice(11, 19)} UTC (pid ${pid})`;
  return `Waiting: ${what}. Add --lock ignore to measure now; the two runs then disturb each other`;
}

/**
 * A run in progress. The iterator yields progress, ends with the run and throws its error. Leaving the loop early does not stop
 * the run.
 * @template T
 * @typedef {AsyncIterable<Progress> & { results: Promise<T> }} Measurement
 */

/**
 * @template T
 * @param {(onProgress: (progress: Progress) => void) => Promise<T>} work   called at once
 * @returns {Measurement<T>}
 */
export function measurement(work) {
  const news = new EventEmitter();
  const events = on(news, 'progress', { close: ['end'] });
  const results = work((progress) => news.emit('progress', progress)).finally(() => news.emit('end'));
  // Prevents an unhandled rejection: a caller that iterates gets the error from the iterator.
  results.catch(() => {});
  return {
    results,
    async *[Symbol.asyncIterator]() {
      for await (const [progress] of events) yield progress;
      await results;
    },
  };
}

// Progress on stderr: a terminal gets one line that is redrawn, other streams a plain line every few seconds. The run calls
// onProgress() between measurements, and there is no timer, so that no measured process is woken up.

const PLAIN_EVERY_MS = 5000;
const REDRAW_EVERY_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';
const DIM = ['\u001b[2m', '\u001b[22m'];

/**
 * @param {object} view
 * @param {NodeJS.WritableStream & { isTTY?: boolean, columns?: number }} view.stream
 * @param {boolean} view.isQuiet
 * @param {boolean} view.colour
 * @param {boolean} [view.isDumb]   whether the terminal cannot clear a line
 * @param {() => number} [view.nowMs]
 * @returns {{ onProgress: (progress: Progress) => void, end: () => void }}
 */
export function createProgress({ stream, isQuiet, colour, isDumb = false, nowMs = () => performance.now() }) {
  if (isQuiet) return { onProgress() {}, end() {} };
  const isLive = stream.isTTY === true && !isDumb;
  const everyMs = isLive ? REDRAW_EVERY_MS : PLAIN_EVERY_MS;
  let writtenAtMs = -Infinity;
  let isDrawn = false;
  const end = () => {
    if (isDrawn) stream.write(CLEAR_LINE);
    isDrawn = false;
  };
  return {
    onProgress(progress) {
      if (progress.phase === 'end' || nowMs() - writtenAtMs < everyMs) return;
      writtenAtMs = nowMs();
      const line = progressLine(progress);
      if (!isLive) {
        stream.write(`${line}\n`);
        return;
      }
      const short = line.slice(0, readColumns(stream) - 1);
      stream.write(CLEAR_LINE + (colour ? DIM.join(short) : short));
      isDrawn = true;
    },
    end,
  };
}

/** @param {Progress} progress */
export function progressLine({
  repetition,
  repetitions,
  cell,
  launchesDone,
  launchesTotal,
  failed,
  elapsedMs,
  etaMs,
}) {
  const time =
    etaMs === null
      ? `${durationText(elapsedMs)} so far`
      : `${Math.floor((100 * elapsedMs) / (elapsedMs + etaMs))} % · about ${durationText(etaMs)} left`;
  const parts = [
    `repetition ${repetition + 1}/${repetitions}`,
    // The launches of a group run side by side, so at first none has ended.
    ...(launchesDone > 0 ? [`launches ${launchesDone}/${launchesTotal}`] : []),
    time,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cell ? [cellLabel(cell)] : []),
  ];
  return parts.join(' · ');
}
