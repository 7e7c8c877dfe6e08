// Compiles and launches the native baselines. For each group number, a baseline is launched once: right before the first group with a cell
// that is compared with it, so that a disturbance affects both.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { cellLabel } from '../../cell/labels.js';
import { endInTime, stderrTail } from '../../children/child-exit.js';
import { compiledC } from '../../children/compiled-program.js';
import { childEnvironment, pinnedCommand, withStreams } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';
import { NS_PER_S, NS_PER_US } from '../../format/units.js';
import { chooseCpuSets } from '../../machine/placement.js';
import { MEASURE_MS, WARM_UP_MS } from '../../plan/planned-baseline.js';

/** @import { Cell, Floor, FloorLaunch, FloorRow } from '../../types/index.js' */
/** @import { FloorKey } from '../../plan/planned-baseline.js' */

const FAILURES_UNTIL_GIVEN_UP = 2; // per baseline, because a failure may take as long as a deadline

export class BaselineLaunches {
  /**
   * @param {Floor} floor     launches are added to its rows
   * @param {{ program: string, cpus: number[] | null, signal: AbortSignal, launch?: typeof launchFloor }} run   cpus: null if processes
   *   cannot be pinned
   */
  constructor(floor, { program, cpus, signal, launch = launchFloor }) {
    this.program = program;
    this.how = { cpus, signal };
    this.launch = launch;
    /** Rows by the label of a cell. @type {Map<string, FloorRow>} */
    this.rowOf = new Map(floor.rows.flatMap((row) => row.cells.map((label) => [label, row])));
  }

  /** @param {Cell} cell   a cell of the group that starts next @param {number} group */
  async before(cell, group) {
    const row = this.rowOf.get(cellLabel(cell));
    if (row === undefined || row.launches.some((launch) => launch.group === group)) return;
    if (row.launches.filter((launch) => 'code' in launch).length >= FAILURES_UNTIL_GIVEN_UP) return;
    try {
      row.launches.push({ group, ...(await this.launch(this.program, row, this.how)) });
    } catch (error) {
      if (this.how.signal.aborted || !(error instanceof BenchError)) throw error;
      row.launches.push({ group, code: error.code, message: error.message });
    }
  }
}

/**
 * @param {Floor | undefined} floor   undefined without --floor
 * @param {{ folder: string, cpus: number[] | null, signal: AbortSignal }} run   cpus: null if processes cannot be pinned
 * @returns the launches of the baseline, with the compiled program; null if no cell has a baseline
 * @throws {BenchError} BAD_ARGUMENT on Windows, or if the compiler is missing or fails
 */
export async function prepareNativeBaseline(floor, { folder, ...run }) {
  if (floor === undefined || floor.rows.length === 0) return null;
  return new BaselineLaunches(floor, { program: await compileFloor(folder), ...run });
}

const START_DEADLINE_MS = 15_000; // The program waits 10 s for its first responses, which take 1 to 10 ms on a quiet machine.

/**
 * @param {string} folder    a private folder, used if the user has no cache
 * @param {NodeJS.Platform} [platform]
 * @returns the path of the program
 * @throws {BenchError} BAD_ARGUMENT with the reason and the remedy
 */
export async function compileFloor(folder, platform = process.platform) {
  if (platform === 'win32') {
    const why = 'its programs in C support the mechanisms of Linux and macOS only: measure without it';
    throw new BenchError('BAD_ARGUMENT', `--floor is not supported on Windows: ${why}`);
  }
  const sources = { folder: join(import.meta.dirname, 'native'), sources: /\.[ch]$/, orIn: folder };
  return compiledC({ name: 'floor', what: '--floor', code: 'BAD_ARGUMENT', ...sources });
}

/**
 * @param {string} program
 * @param {FloorKey} key
 * @param {object} how
 * @param {number[] | null} how.cpus     in the order in which launches use them; null if processes cannot be pinned
 * @param {AbortSignal} how.signal
 * @param {number} [how.measureMs]
 * @param {(pid: number) => void} [how.onStart]
 * @returns {Promise<Omit<FloorLaunch, 'group'>>}
 * @throws {BenchError} with the cause if the launch fails; INTERRUPTED
 */
export async function launchFloor(program, key, { cpus, signal, measureMs = MEASURE_MS, onStart }) {
  const { mechanism, coalesces, spins, payloadBytes, workers, loops, placement } = key;
  const cpuSets = chooseCpuSets(placement, workers, 0, cpus);
  const cpuOf = (/** @type {number[] | undefined} */ pinned) => String(pinned?.[0] ?? 'free');
  const args = [
    ...[mechanism, coalesces ? 'tick' : 'direct', spins ? 'spin' : 'sleep'],
    ...[payloadBytes, workers, loops, WARM_UP_MS, measureMs].map(String),
    cpuOf(cpuSets?.master),
    Array.from({ length: workers }, (_, worker) => cpuOf(cpuSets?.workers[worker])).join(','),
  ];
  signal.throwIfAborted();
  const words = pinnedCommand(program, args, { dieWithParent: true });
  const child = withStreams(
    spawn(words.command, words.args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: childEnvironment(),
    }),
  );
  if (child.pid !== undefined) onStart?.(child.pid);
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const lines = stderrTail();
    lines.take(stream);
    return lines;
  });
  const how = await waitForEnd(child, START_DEADLINE_MS + WARM_UP_MS + measureMs, signal);
  if (signal.aborted) throw new BenchError('INTERRUPTED', 'interrupted');
  if (how !== 'exit code 0') {
    const [code, late] =
      how === null ? ['DEADLINE', 'did not end in time'] : ['PROCESS_DIED', `ended: ${how}`];
    const output = stderr.lines().join('; ');
    throw new BenchError(
      /** @type {any} */ (code),
      `the native baseline ${late}${output === '' ? '' : ` (${output})`}`,
    );
  }
  return parseReading(stdout.lines().join(''), measureMs);
}

/** @param {string} line @param {number} measureMs @returns {Omit<FloorLaunch, 'group'>} */
function parseReading(line, measureMs) {
  const { operations, windowNs, masterCpuNs, workersCpuNs } = JSON.parse(line);
  if (operations === 0) {
    throw new BenchError('DEADLINE', `the native baseline received no response within ${measureMs} ms`);
  }
  const usPerOperation = (/** @type {number} */ ns) => ns / NS_PER_US / operations;
  return {
    perSecond: (operations / windowNs) * NS_PER_S,
    cpuUs:
      masterCpuNs === undefined
        ? null
        : { master: usPerOperation(masterCpuNs), workers: usPerOperation(workersCpuNs) },
  };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} lifeMs
 * @param {AbortSignal} signal
 * @returns for example 'exit code 0'; null after a timeout
 */
function waitForEnd(child, lifeMs, signal) {
  child.stdin?.on('error', () => {}); // The exit code explains EPIPE.
  /** @type {Promise<string>} */
  const ended = new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, name) => resolve(name === null ? `exit code ${code}` : `killed by ${name}`));
  });
  // The program ends all of its processes when its stdin is closed.
  return endInTime(child, { lifeMs, signal, dismiss: () => child.stdin?.destroy(), ended });
}
