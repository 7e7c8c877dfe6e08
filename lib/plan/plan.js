// Options and plug-ins → cells in the order in which they are read, each with the reason if it is skipped, the row that
// ratios refer to, and how long it will take. Pure: what is unavailable on this machine comes in as data.

import { cellLabel } from '../cell/labels.js';
import { BenchError } from '../errors.js';
import { estimatedRun } from './duration-estimate.js';
import { referenceLabel } from './reference-row.js';
import { skipOfCell, skipOfPair } from './skips.js';
import { pluginOf } from './transport-choices.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell, Options, Plan, PlannedCell } from '../types/plans.js' */
/** @import { Scenario } from '../types/scenarios.js' */
/** @import { Transport } from '../types/transports.js' */
/** @import { Choice, Named } from './transport-choices.js' */
/**
 * @typedef {object} PlanPlugins
 * @property {Choice[]} choices     of transports, in the order they were asked for
 * @property {Map<string, Named<Codec>>} codecs
 * @property {Map<string, Named<Scenario>>} scenarios
 * @property {ReadonlyMap<string, string>} unavailableCodecs   name of a codec → reason and remedy
 */
/** @typedef {import('./skips.js').Skip & { transport: Transport, settings: Cell['settings'], codec: Codec }} Pair */

const GREATEST_PLAN = 100_000; // cells: more than any report can show, and planning them would fill the memory

/**
 * @param {Options} options
 * @param {PlanPlugins} plugins
 * @param {Parameters<typeof planCells>[2]} cpus
 * @returns {Plan}
 */
export function planOf(options, plugins, cpus) {
  const cells = planCells(options, plugins, cpus);
  return { cells, reference: referenceLabel(options, cells), estimate: estimatedRun(options, cells) };
}

/**
 * Cells that are compared with each other stand together: scenario, placement and poll, shape, payload, and within these
 * transports and codecs in the order they were asked for.
 * @param {Options} options
 * @param {PlanPlugins} plugins
 * @param {import('../machine/placement.js').CpusToPlan | null} [cpus]   null: whatever spins is planned, on however few of them
 * @returns {PlannedCell[]}
 */
export function planCells(options, plugins, cpus = null) {
  const pairs = plannedPairs(options, plugins);
  const scenarios = options.scenarios.map((name) => pluginOf(plugins.scenarios, name));
  refuseHugePlan(options, pairs.length * scenarios.length);
  /** @type {Map<string, PlannedCell>} */
  const plan = new Map();
  for (const scenario of scenarios) {
    for (const place of placesOf(options)) {
      for (const { workers, loops } of options.shapes) {
        for (const payload of payloadsOf(options)) {
          for (const load of loadsOf(options)) {
            for (const { transport, settings, codec, ...skip } of pairs) {
              /** @type {Cell} */
              const cell = {
                ...{ transport: transport.name, codec: codec.name, scenario: scenario.name },
                ...{ ...payload, workers, loops, ...place, settings, ...load },
              };
              plan.set(cellLabel(cell), { cell, ...skipOfCell(skip, transport, cell, cpus) });
            }
          }
        }
      }
    }
  }
  return [...plan.values()];
}

/**
 * @param {Options} options
 * @returns {Pick<Cell, 'placement' | 'poll'>[]}
 */
function placesOf({ placements, polls = ['event'] }) {
  return placements.flatMap((placement) =>
    polls.map((poll) => (poll === 'event' ? { placement } : { placement, poll })),
  );
}

/**
 * @param {Options} options
 * @returns {Pick<Cell, 'payloadBytes' | 'content'>[]}
 */
function payloadsOf({ payloadBytes: sizes, contents = ['ascii'] }) {
  return sizes.flatMap((payloadBytes) =>
    contents.map((content) => (content === 'ascii' ? { payloadBytes } : { payloadBytes, content })),
  );
}

/**
 * @param {Options} options
 * @returns {Pick<Cell, 'ratePerSecond'>[]} one where there is nothing to choose: closed loops, or rates still to be found
 */
function loadsOf({ open }) {
  if (open === undefined || open.ratesPerSecond.length === 0) return [{}];
  return open.ratesPerSecond.map((ratePerSecond) => ({ ratePerSecond }));
}

/**
 * @param {Options} options
 * @param {PlanPlugins} plugins
 * @returns {Pair[]}
 */
function plannedPairs({ codecs: names, series }, { choices, codecs, unavailableCodecs }) {
  return choices.flatMap((choice) =>
    names
      .map((name) => pluginOf(codecs, name))
      .filter((codec) => isOfSeries(series, choice.transport.name, codec.name))
      .map((codec) => {
        const { transport, settings } = choice;
        return { transport, settings, codec, ...skipOfPair(choice, codec, unavailableCodecs) };
      }),
  );
}

/**
 * A preset's series say which codecs belong to the transports it names; what it does not name is the user's own.
 * @param {Options['series']} series
 * @param {string} transport
 * @param {string} codec
 * @returns {boolean}
 */
function isOfSeries(series, transport, codec) {
  if (series === null) return true;
  const isKnown =
    series.some((pair) => pair.transport === transport) && series.some((pair) => pair.codec === codec);
  return !isKnown || series.some((pair) => pair.transport === transport && pair.codec === codec);
}

/**
 * @param {Options} options
 * @param {number} rows
 */
function refuseHugePlan(options, rows) {
  const axes = [placesOf(options), options.shapes, payloadsOf(options), loadsOf(options)];
  const cells = axes.reduce((product, { length }) => product * length, rows);
  if (cells <= GREATEST_PLAN) return;
  const count = cells.toLocaleString('en');
  throw new BenchError(
    'TOO_MANY_CELLS',
    `${count} cells are more than any report can show (${GREATEST_PLAN.toLocaleString('en')}); ` +
      'shorten a list, or give a range a factor, as in 10..100k*10',
  );
}
