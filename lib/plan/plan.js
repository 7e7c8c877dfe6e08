// Makes a plan from options and plug-ins: the cells, the reasons for skipping some, the reference row, the expected duration, and warnings.
// The caller reads the facts about this machine and passes them.

import { AXES, axesIn, picked } from '../cell/axes.js';
import { loopsInAll } from '../cell/connections.js';
import { cellLabel, seriesLabel, sortedLabel } from '../cell/labels.js';
import { transportToMaster } from '../cell/launch-roles.js';
import { settingDefaults } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { counted, listed } from '../format/lists.js';
import { formatCount, formatMemory } from '../format/numbers.js';
import { quoted } from '../format/printable.js';
import { estimatedRun } from './duration-estimate.js';
import { pairSkipReason, skipOfCell } from './skip-reasons.js';
import { requirePlugin } from './transport-choices.js';

/** @import { Cell, Codec, FoundRuntime, Options, Plan, PlannedCell, RuntimeChoice, Scenario, Transport, ValueSchema } from '../types/index.js' */
/** @import { ChosenTransport, Named } from './transport-choices.js' */
/** @import { Runtimes } from './skip-reasons.js' */
/** @import { CpusToPlan } from '../machine/placement.js' */
/**
 * @typedef {object} PlanPlugins
 * @property {ChosenTransport[]} choices     transports in the order of the command line
 * @property {Map<string, Named<Codec>>} codecs
 * @property {Map<string, Named<Scenario>>} scenarios
 * @property {Map<string, import('../plugins/plugins.js').Onward>} [onward]   the transports that settings of scenarios name
 * @property {ReadonlyMap<string, string>} unavailableCodecs   name of a codec → reason and remedy
 * @property {{ choices: readonly RuntimeChoice[], thisNode: FoundRuntime }} [runtimes]   without it, this Node runs all roles
 * @property {ValueSchema | null} [messageSchema]   describes the objects of --message-file
 */
/** @typedef {ChosenTransport & { codec: Codec, runtimes: Runtimes | undefined }} PlannedPair */

const MAX_PLAN = 100_000; // More cells would fill the memory during planning, and no report has room for them.
const USUAL_CONTENT = AXES.find(({ name }) => name === 'content')?.usual;
/** @param {import('../cell/axes.js').LabelPart[]} parts */
const keysIn = (parts) => axesIn(parts).flatMap(({ keys }) => keys);
// The order of a cell's properties in results.
const CELL_KEYS = [
  ...['transport', 'codec', ...keysIn(['scenario', 'payload', 'shape', 'manner'])],
  ...['runtime', 'settings', ...keysIn(['load'])],
];

/**
 * @param {Options} options
 * @param {PlanPlugins} plugins
 * @param {Parameters<typeof planCells>[2]} cpus
 * @param {PlannedCell[]} [controls]   further cells, after those of the options
 * @returns {Plan}
 */
export function makePlan(options, plugins, cpus, controls = []) {
  const planned = planCells(options, plugins, cpus);
  const labels = new Set(planned.map(({ cell }) => cellLabel(cell)));
  const cells = [...planned, ...controls.filter(({ cell }) => !labels.has(cellLabel(cell)))];
  refuseContradiction(cells);
  const scenarioOf = (/** @type {string} */ name) => plugins.scenarios.get(name)?.plugin;
  const estimate = estimatedRun(options, cells, scenarioOf, cpus?.usableCpus);
  const warnings = [...ownMessagesLines(options, plugins), ...(!cpus ? [] : crowdingLines(cells, cpus))];
  const inline = plugins.choices.find(({ transport }) => transport.traits.class === 'inline');
  const isChosen = options.referenceIsChosen || inline === undefined;
  // The reference for pools is the inline row, which runs the tasks without a pool.
  const reference = isChosen
    ? options.reference
    : `${inline.transport.name}/${poolCodecs(inline.transport)?.[0]}`;
  return { cells, reference: referenceLabel({ ...options, reference }, cells), estimate, warnings };
}

/**
 * Makes the cells in an order in which compared ones are adjacent: by the axes of scenario, manner, shape, payload and load, and then by
 * transport, codec and runtime, each as on the command line.
 * @param {Options} options
 * @param {PlanPlugins} plugins
 * @param {CpusToPlan | null} [cpus]   facts about this machine; null disables the checks that need them
 */
export function planCells(options, plugins, cpus = null) {
  const pairs = plannedPairs(options, plugins);
  const { messageSchema: schema = null, unavailableCodecs } = plugins;
  const loaded = options.scenarios.map((name) => requirePlugin(plugins.scenarios, name));
  const scenarios = loaded.map(({ name }) => name);
  /** @type {Map<string, PlannedCell>} */
  const plan = new Map();
  for (const shared of combineAxes({ ...options, scenarios }, pairs.length)) {
    for (const { transport, settings, unavailable, codec, runtimes } of pairs) {
      const runtime = runtimes?.choice.runtime;
      const series = { transport: transport.name, settings, codec: codec.name, runtime };
      const { scenario: name } = /** @type {Cell} */ (shared);
      const scenario = /** @type {Scenario} */ (loaded.find((each) => each.name === name));
      const carried = carriedBy(scenario);
      const cell = /** @type {Cell} */ (picked({ ...shared, ...carried, ...series }, CELL_KEYS));
      const onward = plugins.onward?.get(transportToMaster(scenario) ?? '');
      const found = { unavailable, unavailableCodecs, onward, runtimes };
      const skip = skipOfCell({ transport, codec, scenario, cell, options, schema, ...found }, cpus);
      plan.set(cellLabel(cell), { cell, ...skip });
    }
  }
  return [...plan.values()];
}

/** Reads the payload that a scenario prescribes. @param {Scenario} scenario @returns {Partial<Cell>} */
function carriedBy({ carries, chosen = {} }) {
  return carries === undefined ? {} : { payloadBytes: carries(chosen).payloadBytes, content: undefined };
}

/**
 * @param {Options} options      Its scenarios have the names of the plug-ins.
 * @param {number} pairs         number of cells for each combination
 * @returns {object[]} every combination of the chosen values, as properties of cells
 */
function combineAxes(options, pairs) {
  const axes = axesIn(['scenario', 'manner', 'shape', 'payload', 'load']);
  const chosen = axes.map((axis) => axis.chosen(options));
  refuseHugePlan(chosen.reduce((product, { length }) => product * length, pairs));
  return chosen.reduce(
    (combinations, values) => combinations.flatMap((one) => values.map((value) => ({ ...one, ...value }))),
    [{}],
  );
}

/** @param {Options} options @param {PlanPlugins} plugins @returns {PlannedPair[]} */
function plannedPairs(options, { choices, codecs, runtimes }) {
  /** @type {(Runtimes | undefined)[]} */
  const onRuntimes = runtimes?.choices.map((choice) => ({ ...runtimes, choice })) ?? [undefined];
  return choices.flatMap((choice) =>
    (poolCodecs(choice.transport, choice.settings) ?? namesOfCodecs(choice.transport, options))
      .map((name) => requirePlugin(codecs, name))
      .filter((codec) => isInPreset(options.series, choice.transport.name, codec.name))
      .filter(
        (codec) => options.codecsAreChosen !== false || pairSkipReason(choice.transport, codec) === null,
      )
      .flatMap((codec) => onRuntimes.map((one) => ({ ...choice, codec, runtimes: one }))),
  );
}

/**
 * @param {Transport} transport
 * @param {Pick<Options, 'codecs' | 'codecsAreChosen'>} options
 * @returns {string[]} the codecs of the options; if the user chose none, also the formats of a transport that serialises by itself
 */
export function namesOfCodecs({ serialises = [] }, { codecs, codecsAreChosen = true }) {
  return codecsAreChosen ? [...codecs] : [...new Set([...codecs, ...serialises])];
}

/**
 * @param {Transport} transport
 * @param {Cell['settings']} [chosen]   without it, the result covers all settings
 * @returns {string[] | null} the codecs of a pool, or null for other transports
 */
export function poolCodecs(transport, chosen) {
  const { traits, serialises = [], serialisesWith } = transport;
  if (!traits.startsWorkers) return null;
  if (chosen === undefined || serialisesWith === undefined) return serialises;
  return [serialisesWith({ ...settingDefaults(transport), ...chosen })];
}

/**
 * A preset limits the combinations of the transports and codecs that it names. Other transports and codecs are not limited.
 * @param {Options['series']} series
 * @param {string} transport
 * @param {string} codec
 */
function isInPreset(series, transport, codec) {
  if (series === null) return true;
  const isKnown =
    series.some((pair) => pair.transport === transport) && series.some((pair) => pair.codec === codec);
  return !isKnown || series.some((pair) => pair.transport === transport && pair.codec === codec);
}

/**
 * Rejects a command if no machine can measure any of its cells, and at least one of them has a contradiction.
 * @param {PlannedCell[]} cells
 */
function refuseContradiction(cells) {
  if (!cells.every(({ isImpossible }) => isImpossible)) return;
  const contradictions = cells.filter(({ isContradiction }) => isContradiction).map(({ skip }) => skip);
  if (contradictions.length > 0) {
    throw new BenchError('BAD_ARGUMENT', [...new Set(contradictions)].join('; '));
  }
}

/**
 * @param {Pick<Options, 'messageFile' | 'contents' | 'scenarios'>} options
 * @param {Pick<PlanPlugins, 'scenarios'>} plugins
 * @returns {string[]} a warning if some scenarios do not send the chosen messages
 * @throws {BenchError} BAD_ARGUMENT if no scenario sends them
 */
function ownMessagesLines({ messageFile, contents, scenarios }, plugins) {
  if (messageFile === undefined && (contents ?? []).every((content) => content === USUAL_CONTENT)) return [];
  const chosen = scenarios.map((name) => requirePlugin(plugins.scenarios, name));
  const own = chosen.filter(({ carries }) => carries !== undefined).map(({ name }) => name);
  if (own.length === 0) return [];
  const flag = messageFile === undefined ? '--content' : '--message-file';
  const problem = `${listed(own)} sends messages of its own, which ${flag} does not change`;
  if (own.length < chosen.length) return [`${problem}.`];
  throw new BenchError(
    'BAD_ARGUMENT',
    `${problem}; leave out ${flag}, or choose a scenario such as round-trip`,
  );
}

/** @param {number} cells */
function refuseHugePlan(cells) {
  if (cells <= MAX_PLAN) return;
  const count = formatCount(cells);
  throw new BenchError(
    'TOO_MANY_CELLS',
    `${count} cells are more than any report can show (${formatCount(MAX_PLAN)}); ` +
      'shorten a list, or give a range a factor, as in "10..100k*10"',
  );
}

const WORKERS_PER_CPU = 16;
const WORKER_BYTES = 50e6; // memory of an idle Node process with a transport
// Copies of each payload in memory: the text, its encoding, the buffer of the transport, and the echo.
const COPIES = 4;

/**
 * @param {PlannedCell[]} plan
 * @param {Pick<CpusToPlan, 'usableCpus' | 'freeBytes'>} machine
 * @returns warnings: too many workers, or too little memory
 */
export function crowdingLines(plan, { usableCpus, freeBytes = Infinity }) {
  const cells = plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  const mostWorkers = Math.max(0, ...cells.map(({ workers }) => workers));
  const mostBytes = Math.max(0, ...cells.map(launchBytes));
  return [
    ...(mostWorkers > WORKERS_PER_CPU * usableCpus
      ? [
          `${formatCount(mostWorkers)} workers share ${counted(usableCpus, 'CPU', 'CPUs')}: they start slowly, and mostly wait for each other. Choose fewer --workers.`,
        ]
      : []),
    ...(mostBytes > freeBytes
      ? [
          `A launch may need ${formatMemory(mostBytes)} of memory, and ${formatMemory(freeBytes)} are free. Choose fewer --workers, or a smaller --payload.`,
        ]
      : []),
  ];
}

/** @param {Cell} cell */
function launchBytes(cell) {
  return WORKER_BYTES * cell.workers + COPIES * loopsInAll(cell) * cell.payloadBytes;
}

/**
 * @param {Pick<Options, 'reference' | 'referenceIsChosen'>} options
 * @param {PlannedCell[]} plan
 * @returns label of a row with a cell to measure, or '' if there is none
 * @throws {BenchError} BAD_ARGUMENT if the plan measures cells, but none of the chosen row
 */
export function referenceLabel({ reference, referenceIsChosen }, plan) {
  const measured = new Set(plan.filter(({ skip }) => skip === null).map(({ cell }) => seriesLabel(cell)));
  const wanted = sortedLabel(reference);
  const label = [...measured].find((each) => sortedLabel(each) === wanted);
  if (label !== undefined) return label;
  const [first = ''] = measured;
  if (!referenceIsChosen || measured.size === 0) return first;
  const planned = plan.find(({ cell }) => sortedLabel(seriesLabel(cell)) === wanted);
  const why = planned ? `is skipped: ${planned.skip}` : 'is not in the plan';
  const next = `choose one of ${[...measured].slice(0, 10).join(', ')}`;
  throw new BenchError(
    'BAD_ARGUMENT',
    `--reference: ${quoted(reference)} ${why}; ${next}.${didYouMean(reference, measured)}`,
  );
}
