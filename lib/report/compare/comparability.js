// Finds how two results differ in the way they were measured: differences that forbid a comparison, differences that prove different
// machines, and differences and doubts that a comparison only reports.

import { cellLabel } from '../../cell/labels.js';
import { pairsText } from '../../format/lists.js';
import { formatCount, formatMemory, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { FLAGS } from '../../options/flags.js';
import { formatKinds } from '../text/kind-words.js';
import { workerHosts } from '../text/machine-words.js';
import { switchText } from '../text/surroundings.js';
import { areInterleaved } from './match-cells.js';

/** @import { Environment, Results } from '../../types/index.js' */
/** @typedef {{ old: string, new: string }} SideNames */

const GIB = 2 ** 30;
/** @typedef {[name: string, format: (environment: Environment) => string]} Fact   facts with equal texts are the same */

/** @param {unknown} value @param {string} [otherwise]   for null and '' */
function plainText(value, otherwise = 'unknown') {
  if (value === null || value === undefined || value === '') return otherwise;
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
/** @param {number | null | undefined} value @param {(value: number) => string} format @param {string} [otherwise] */
const numberText = (value, format, otherwise = 'unknown') =>
  value === null || value === undefined ? otherwise : format(value);
/** @param {number} ms */
const millisecondsText = (ms) => `${formatCount(ms)} ms`;

const ENTRIES = Object.entries(FLAGS).map(([flag, entry]) => ({
  field: entry.partOf ?? entry.sets ?? flag,
  flag: `--${flag}`,
  shapes: entry.shapes,
}));
// Options that are derived from --preset, --reference and --codec.
const DERIVED = ['series', 'referenceIsChosen', 'codecsAreChosen'];

/** Options that do not affect how a launch is measured: they select cells, the number of launches, extra measurements and reports. */
export const FREE_OPTIONS = new Set([
  ...ENTRIES.filter(({ shapes }) => shapes !== 'launch').map(({ field }) => field),
  ...DERIVED,
]);

/** Formats of options whose value is not printed as it is. @type {Readonly<Record<string, (value: any) => string>>} */
const FORMATS = {
  warmupMs: (ms) => numberText(ms, millisecondsText, 'auto'),
  measureMs: millisecondsText,
  messages: (count) => numberText(count, formatCount, 'not given'),
  quick: (isOn) => plainText(switchText(isOn)),
};

/** Options that affect how a launch is measured, with their names on the command line. @type {Readonly<Record<string, string>>} */
export const SHAPING_OPTIONS = {
  ...Object.fromEntries(
    ENTRIES.filter(({ shapes }) => shapes === 'launch').map(({ field, flag }) => [field, flag]),
  ),
  // The rates of open load are not included, since they select cells.
  arrivals: '--arrivals',
};

/** @type {Fact[]} */
const OF_MACHINE = [
  ['CPU', ({ cpuModel }) => plainText(cpuModel)],
  ['CPUs', ({ logicalCpus }) => formatCount(logicalCpus)],
  ['usable CPUs', ({ usableCpus }) => numberText(usableCpus?.length, formatCount)],
  ['CPU limit of the container', ({ cpuQuota }) => numberText(cpuQuota, formatNumber, 'none')],
  // Rounded to a tenth of a GiB, since the kernel reserves a little more or less memory at each boot.
  ['memory', ({ memoryBytes }) => formatMemory((Math.round((memoryBytes / GIB) * 10) / 10) * GIB)],
  ['platform', ({ platform, arch }) => plainText(`${platform} ${arch}`)],
  ['hypervisor', ({ hypervisor }) => plainText(hypervisor, 'none')],
];

/** @type {Fact[]} */
const AROUND = [
  ['Node', ({ node }) => plainText(node)],
  ['flags of Node', ({ nodeFlags }) => plainText(nodeFlags.join(' '), 'none')],
  ['inherited environment', ({ variables = {} }) => plainText(pairsText(variables), 'empty')],
  ['operating system', ({ os }) => plainText(os)],
  ['kernel', ({ kernel }) => plainText(kernel)],
  ['frequency governor', ({ governor }) => plainText(governor)],
  ['turbo', ({ turbo }) => plainText(switchText(turbo))],
  ['SMT', ({ smt }) => plainText(switchText(smt))],
  ['container', ({ container }) => plainText(container, 'none')],
  ['memory limit', ({ memoryLimitBytes }) => numberText(memoryLimitBytes, formatMemory, 'none')],
  ['pinning of processes', ({ pinning }) => (pinning ? 'possible' : 'impossible')],
  ['clock source', ({ clockSource }) => plainText(clockSource)],
  ['temporary files', ({ tmpFilesystem }) => plainText(tmpFilesystem)],
];

/** @param {string} what @param {string[]} texts   per side @param {SideNames} names @returns {string[]} one, or none if the sides are alike */
function formatDifference(what, [old, newSide], names) {
  return old === newSide ? [] : [`${what} is ${old} in ${names.old} and ${newSide} in ${names.new}`];
}

/** @param {Fact[]} facts @param {Environment[]} environments   per side @param {SideNames} names @param {string} of   ' of host b' */
function factDifferences(facts, environments, names, of) {
  return facts.flatMap(([name, format]) => formatDifference(name + of, environments.map(format), names));
}

/**
 * @param {string} kind
 * @param {Record<string, string>[]} versions   one for each side
 * @param {SideNames} names
 * @param {string} [of]   ' of host b'
 * @returns {string[]} one for each name in both sides whose versions differ; other names belong to cells of one side only
 */
function versionDifferences(kind, [old, newSide], names, of = '') {
  const shared = Object.keys(old).filter((name) => Object.hasOwn(newSide, name));
  return shared.flatMap((name) =>
    formatDifference(
      `${kind} ${printable(name)}${of}`,
      [old, newSide].map((versions) => plainText(versions[name])),
      names,
    ),
  );
}

/** @param {Results['options']} options @returns {Record<string, unknown>} options that may affect how a launch is measured */
function shapingOptions({ open, ...options }) {
  // Results that lack `tierUp` were measured with the usual value.
  const shaping = Object.entries({ tierUp: 'usual', ...options }).filter(([key]) => !FREE_OPTIONS.has(key));
  return {
    ...Object.fromEntries(shaping),
    ...(open && { arrivals: open.arrivals }),
  };
}

/**
 * @param {Results} old
 * @param {Results} newSide
 * @param {SideNames} names
 * @returns {string[]} reasons why the results must not be compared, without full stops
 */
export function listRefusals(old, newSide, names) {
  const [oldOptions, newOptions] = [shapingOptions(old.options), shapingOptions(newSide.options)];
  // An option of a later version counts too, unless only one of the versions has it.
  const keys = Object.keys(oldOptions).filter((key) => Object.hasOwn(newOptions, key));
  const options = keys.flatMap((key) => {
    /** @param {Record<string, unknown>} options */
    const text = (options) => FORMATS[key]?.(options[key]) ?? plainText(options[key], 'not given');
    return formatDifference(
      SHAPING_OPTIONS[key] ?? printable(key),
      [oldOptions, newOptions].map(text),
      names,
    );
  });
  // Rows with the same name may have been measured with two versions of a runtime.
  const runtimes = [old, newSide].map(({ environment }) => environment.runtimes ?? {});
  return [...options, ...versionDifferences('the version of', runtimes, names)];
}

/**
 * @param {Results} old
 * @param {Results} newSide
 * @returns {{ of: string, both: Environment[] }[]} one for each machine that both results have, with its environment in each; `of` is
 *   ' of host b', or '' for the machine of the master
 */
function pairMachines(old, newSide) {
  const before = new Map(workerHosts(old));
  const ofWorkers = workerHosts(newSide).flatMap(([name, { environment }]) => {
    const was = before.get(name)?.environment;
    return was === undefined ? [] : { of: ` of host ${printable(name)}`, both: [was, environment] };
  });
  return [{ of: '', both: [old.environment, newSide.environment] }, ...ofWorkers];
}

/**
 * @param {Results} old
 * @param {Results} newSide
 * @param {SideNames} names
 * @returns {string[]} reasons why the machines cannot be the same; an empty list does not prove that they are
 */
export function machineDifferences(old, newSide, names) {
  return pairMachines(old, newSide).flatMap(({ of, both }) => factDifferences(OF_MACHINE, both, names, of));
}

/**
 * @param {Results} old
 * @param {Results} newSide
 * @param {SideNames} names
 * @returns {string[]} differences in programs and settings; even one machine may have them, so they do not forbid a comparison
 */
export function environmentDifferences(old, newSide, names) {
  const surroundings = pairMachines(old, newSide).flatMap(({ of, both }) => [
    ...factDifferences(AROUND, both, names, of),
    ...versionDifferences(
      'package',
      both.map(({ packages }) => packages),
      names,
      of,
    ),
  ]);
  return [
    ...formatDifference(
      'ipc-bench',
      [old, newSide].map(({ tool }) => plainText(tool.version)),
      names,
    ),
    ...surroundings,
    ...versionDifferences('broker', [old, newSide].map(listBrokers), names),
    ...kindDifferences(old, newSide, names),
  ];
}

/**
 * @param {Results} old
 * @param {Results} newSide
 * @param {SideNames} names
 * @returns {string[]} reasons for doubt that are no differences in the environment
 */
export function listWarnings(old, newSide, names) {
  return [
    ...unfinished(old, names.old),
    ...unfinished(newSide, names.new),
    ...(old.startedAt > newSide.startedAt ? [`${names.new} was measured before ${names.old}`] : []),
    ...(isOneFileTwice(old, newSide) ? ['you gave the same file twice'] : []),
  ];
}

/** @param {Results} results @returns {Record<string, string>} version and settings of each broker in one text, by its name */
function listBrokers({ environment }) {
  const entries = Object.entries(environment.brokers).map(([name, { version, config, origin }]) => {
    const started = origin === 'url' ? 'not started by ipc-bench' : '';
    return [name, [version, started, pairsText(config)].filter(Boolean).join(', ')];
  });
  return Object.fromEntries(entries);
}

/** @param {Results} old @param {Results} newSide @param {SideNames} names */
function kindDifferences(old, newSide, names) {
  const [one, other] = [old.transports, newSide.transports];
  if (one === undefined || other === undefined) return [];
  // Two sides of one run may compare different transports. Of two runs, only those that both have are compared.
  const isShared = (/** @type {string} */ name) => Object.hasOwn(one, name) && Object.hasOwn(other, name);
  const kinds = [one, other].map((transports) => {
    const compared = Object.keys(transports).filter((name) => areInterleaved(old, newSide) || isShared(name));
    return formatKinds(compared.map((name) => transports[name])) || 'plain processes';
  });
  return formatDifference('kind of transports', kinds, names);
}

/** @param {Results} results @param {string} name */
function unfinished({ status }, name) {
  return status === 'complete' ? [] : [`the run of ${name} was not finished`];
}

/**
 * The two sides of an interleaved run may have the same start and seed, so the names of their variants also identify them.
 * @param {Results} old
 * @param {Results} newSide
 */
export function isOneFileTwice(old, newSide) {
  /** @param {Results} results */
  const identityOf = ({ startedAt, seed, variant, outcomes }) =>
    JSON.stringify([
      startedAt,
      seed,
      variant?.name,
      outcomes.map((outcome) => [
        cellLabel(outcome.cell),
        outcome.status === 'skipped' ? [] : outcome.launches.map(({ order }) => order),
      ]),
    ]);
  return identityOf(old) === identityOf(newSide);
}
