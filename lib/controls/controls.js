// The controls of a run: what its numbers would be with no transport at all, what its codecs cost alone, and what the
// clock costs. Measured once, one short process after the other. What they say about a cell is judged elsewhere.

import { fileURLToPath } from 'node:url';
import { CONTROL_KEYS } from '../cell/axes.js';
import { picked } from '../cell/axis.js';
import { toldByChild } from '../processes/told-by-child.js';
import { seedFrom } from '../statistics/random.js';

/** @import { Cell } from '../types/plans.js' */
/** @import { ControlRow, Controls } from '../types/results-file.js' */
/** @import { Measured } from './measurer.js' */
/** @typedef {Omit<ControlRow, 'codecUs' | 'checkUs' | 'nullUs'>} ControlKey */

const MEASURER_PATH = fileURLToPath(new URL('./measurer.js', import.meta.url));
const DEADLINE_MS = 15_000; // 250 ms on a quiet machine, seconds for payloads of 16 MiB

/**
 * @param {Cell[]} cells
 * @param {import('../plugins/plugins.js').LoadedPlugins} plugins
 * @param {object} run
 * @param {number[] | null} run.cpus     in the order in which launches use them; null: nothing can be pinned here
 * @param {number} run.seed
 * @param {AbortSignal} run.signal
 * @param {import('../types/plans.js').MessageFile} [run.messageFile]
 * @param {string[]} [run.nodeFlags]     that master and workers are started with
 * @returns {Promise<Controls>} without what could not be measured
 */
export async function measureControls(cells, plugins, { cpus, seed, signal, messageFile, nodeFlags = [] }) {
  /** @type {ControlRow[]} */
  const rows = [];
  /** @type {Controls['timer']} */
  let timer = null;
  for (const key of keysOf(cells)) {
    signal.throwIfAborted();
    const codec = plugins.codecs.get(key.codec);
    const scenario = plugins.scenarios.get(key.scenario);
    if (codec === undefined || scenario === undefined || !hasControls(scenario.plugin)) continue;
    const task = {
      ...{ codecUrl: codec.url, scenarioUrl: scenario.url, settings: scenario.plugin.chosen ?? {}, ...key },
      ...{ seed: seedFrom(seed, 'controls'), withTimer: timer === null, messageFile },
    };
    const placing = { cpus: cpus === null ? null : [cpus[0]], nodeFlags };
    /** @type {Measured | null} */
    const measured = await toldByChild(MEASURER_PATH, [JSON.stringify(task)], placing, DEADLINE_MS, signal);
    if (measured === null) continue;
    timer ??= measured.timer;
    rows.push({ ...key, ...measured.row });
  }
  return { timer, rows };
}

/** @param {import('../types/scenarios.js').Scenario} scenario @returns {boolean} its load has an end, and its answer is its question */
function hasControls({ isByTime, carries }) {
  return !isByTime && carries === undefined;
}

/** @param {Cell[]} cells @returns {ControlKey[]} each combination once */
function keysOf(cells) {
  const keys = cells.map((cell) => /** @type {ControlKey} */ (picked(cell, CONTROL_KEYS)));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
