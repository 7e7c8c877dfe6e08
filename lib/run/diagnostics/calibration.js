// The controls of a run: what its numbers would be with no transport at all, what its codecs cost alone, and what the
// clock costs. Measured once, one short process after the other. What they say about a cell is judged elsewhere.

import { fileURLToPath } from 'node:url';
import { CONTROL_KEYS } from '../../cell/axes.js';
import { picked } from '../../cell/axis.js';
import { runtimeArgs } from '../../cell/runtime-text.js';
import { waitForChildMessage } from '../../children/child-messages.js';
import { startFlags } from '../../children/tier-up.js';
import { seedFrom } from '../../statistics/random.js';

/** @import { LoadedPlugins } from '../../plugins/plugins.js' */
/** @import { Cell, ControlRow, Controls, ControlTask as Task, FoundRuntime, MeasuredControl as Measured, MessageFile } from '../../types/index.js' */
/** @typedef {Omit<ControlRow, 'codecUs' | 'checkUs' | 'nullUs'>} ControlKey */

const MEASURER_PATH = fileURLToPath(new URL('./calibration-process.js', import.meta.url));
const DEADLINE_MS = 15_000; // 250 ms on a quiet machine, seconds for payloads of 16 MiB

/**
 * @param {Cell[]} cells
 * @param {LoadedPlugins} plugins
 * @param {object} run
 * @param {number[] | null} run.cpus     in the order in which launches use them; null: nothing can be pinned
 * @param {number} run.seed
 * @param {AbortSignal} run.signal
 * @param {MessageFile} [run.messageFile]
 * @param {'early' | 'usual'} [run.tierUp]
 * @param {(task: Task, found: FoundRuntime | null) => Promise<Measured | null>} [run.measure]   one of them; absent: on this host
 * @returns {Promise<Controls>} without what could not be measured
 */
export async function calibrate(cells, plugins, run) {
  const { seed, signal, messageFile, measure = (task, found) => calibrateHere(task, found, run) } = run;
  /** @type {ControlRow[]} */
  const rows = [];
  /** @type {Controls['timer']} */
  let timer = null;
  for (const key of uniqueKeys(cells)) {
    signal.throwIfAborted();
    const codec = plugins.codecs.get(key.codec);
    const scenario = plugins.scenarios.get(key.scenario);
    if (codec === undefined || scenario === undefined || !hasControls(scenario.plugin)) continue;
    const found = playsAll(key.runtime, plugins);
    if (found === undefined) continue;
    const task = {
      codecUrl: codec.url,
      scenarioUrl: scenario.url,
      settings: scenario.plugin.chosen ?? {},
      ...key,
      seed: seedFrom(seed, 'controls'),
      withTimer: timer === null && found === null,
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
 * @param {FoundRuntime | null} found   null: this Node
 * @param {{ cpus: number[] | null, signal: AbortSignal, tierUp?: 'early' | 'usual' }} place
 * @returns {Promise<Measured | null>} null: it could not be measured
 */
export function calibrateHere(task, found, { cpus, signal, tierUp }) {
  const placing = {
    cpus: cpus === null ? null : [cpus[0]],
    nodeFlags: startFlags(tierUp),
    ...(found && { program: { command: found.path, args: runtimeArgs(found, tierUp) } }),
  };
  return waitForChildMessage(
    MEASURER_PATH,
    [JSON.stringify({ ...task, tierUp })],
    placing,
    DEADLINE_MS,
    signal,
  );
}

/**
 * @param {string | undefined} runtime   of a cell
 * @param {LoadedPlugins} plugins
 * @returns {FoundRuntime | null | undefined} null: this Node; undefined: not one alone, or one that runs no modules: requester and
 *   responder of a control are in one process
 */
function playsAll(runtime, { runtimes }) {
  if (runtime === undefined) return null;
  const every = runtimes?.choices.find((choice) => choice.runtime === runtime)?.every ?? undefined;
  return every?.runtime.speaks === 'modules' ? every : undefined;
}

/** @param {import('../../types/scenarios.js').Scenario} scenario @returns {boolean} its load has an end, and its answer is its question */
function hasControls({ isByTime, carries }) {
  return !isByTime && carries === undefined;
}

/** @param {Cell[]} cells @returns {ControlKey[]} each combination once */
function uniqueKeys(cells) {
  const keys = cells.map((cell) => /** @type {ControlKey} */ (picked(cell, CONTROL_KEYS)));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
