// The calibration of a run: loops without a transport, the cost of codecs alone, and the cost of the clock. Short processes measure it
// once, one after the other. results/calibration-rows.js evaluates it.

import { fileURLToPath } from 'node:url';
import { listControlKeys } from '../../cell/axes.js';
import { runtimeArgs } from '../../cell/launch-roles.js';
import { waitForChildMessage } from '../../children/child-messages.js';
import { joinedControls } from '../../results/calibration-rows.js';
import { seedFrom } from '../../statistics/random.js';

/** @import { LoadedPlugins } from '../../plugins/plugins.js' */
/** @import { Cell, ControlRow, Controls, ControlTask as Task, FoundRuntime, MeasuredControl as Measured } from '../../types/index.js' */
/** @import { MessageFile, Options, Results, Scenario } from '../../types/index.js' */

const MEASURER_PATH = fileURLToPath(new URL('./calibration-process.js', import.meta.url));
const DEADLINE_MS = 15_000; // A task takes 0.5 to 1 s of CPU time, and several seconds for payloads of 16 MiB.

/**
 * @param {Cell[]} cells
 * @param {LoadedPlugins} plugins
 * @param {object} run
 * @param {number[] | null} run.cpus     in the order in which launches use them; null if processes cannot be pinned
 * @param {number} run.seed
 * @param {AbortSignal} run.signal
 * @param {MessageFile} [run.messageFile]
 * @param {'early' | 'usual'} [run.tierUp]
 * @param {(task: Task, found: FoundRuntime | null) => Promise<Measured | null>} [run.measure]   see calibrateHere, the default
 * @returns {Promise<Controls>} Tasks that fail are omitted.
 */
export async function calibrate(cells, plugins, run) {
  const { seed, signal, messageFile, measure = (task, found) => calibrateHere(task, found, run) } = run;
  /** @type {ControlRow[]} */
  const rows = [];
  /** @type {Controls['timer']} */
  let timer = null;
  for (const key of listControlKeys(cells)) {
    signal.throwIfAborted();
    const codec = plugins.codecs.get(key.codec);
    const scenario = plugins.scenarios.get(key.scenario);
    if (codec === undefined || scenario === undefined || !hasControls(scenario.plugin)) continue;
    const found = findSoleRuntime(key.runtime, plugins);
    if (found === undefined) continue;
    const task = {
      codecUrl: codec.url,
      scenarioUrl: scenario.url,
      settings: scenario.plugin.chosen ?? {},
      ...key,
      seed: seedFrom(seed, 'controls'),
      withTimer: timer === null && found === null,
      tierUp: run.tierUp,
      messageFile,
    };
    const measured = await measure(task, found);
    if (measured === null) continue;
    timer ??= measured.timer;
    rows.push({ ...key, ...measured.row });
  }
  return { timer, rows };
}

/**
 * @param {Task} task
 * @param {FoundRuntime | null} found   null for this Node
 * @param {{ cpus: number[] | null, signal: AbortSignal }} limits   cpus: the first one is used; null if processes cannot be pinned
 * @returns {Promise<Measured | null>} null if it failed
 */
export function calibrateHere(task, found, { cpus, signal }) {
  const placing = {
    cpus: cpus === null ? null : [cpus[0]],
    ...(found && { program: { command: found.path, args: runtimeArgs(found) } }),
  };
  return waitForChildMessage(MEASURER_PATH, [JSON.stringify(task)], placing, DEADLINE_MS, signal);
}

/**
 * The requester and the responder of a calibration share a process, so all roles need the same runtime, which must run modules.
 * @param {string | undefined} runtime   as a cell names it; undefined for this Node
 * @param {LoadedPlugins} plugins
 * @returns the runtime of all roles; null for this Node; undefined if the runtime is missing, runs no modules, or differs between roles
 */
function findSoleRuntime(runtime, { runtimes }) {
  if (runtime === undefined) return null;
  const every = runtimes?.choices.find((choice) => choice.runtime === runtime)?.every ?? undefined;
  return every?.runtime.protocol === 'modules' ? every : undefined;
}

/** @param {Scenario} scenario @returns false if the load always ends by the clock, or if messages have no payload */
function hasControls({ isByTime, carries }) {
  return !isByTime && carries === undefined;
}

/**
 * Sets `controls` of the results, unless a run that is resumed has set them or they are switched off.
 * @param {Results} results
 * @param {object} run
 * @param {Options} run.options
 * @param {LoadedPlugins} run.plugins
 * @param {Cell[]} run.cells
 * @param {number[] | null} run.cpus   see calibrate
 * @param {AbortSignal} run.signal
 * @param {import('../interleaved-run.js').RunHosts} [run.across]   set for a run on several hosts
 */
export async function addCalibration(results, { options, plugins, cells, cpus, signal, across }) {
  if (options.controls === false || results.controls !== undefined) return;
  // Loops without a transport are warm, so they cannot be compared with cold starts.
  const warm = cells.filter(({ scenario }) => !plugins.scenarios.get(scenario)?.plugin.isCold);
  const { seed, tierUp, messageFile } = options;
  const run = { cpus, seed, signal, messageFile, tierUp };
  if (across === undefined) {
    results.controls = await calibrate(warm, plugins, run);
    return;
  }
  const byHost = await across.measureControls(warm, plugins, run);
  for (const [host, facts] of Object.entries(results.hosts ?? {})) facts.controls = byHost[host];
  results.controls = joinedControls(Object.values(byHost));
}
