// What is not alike around two results: why they cannot be of one machine, and what else a reader must know. Nothing is
// refused for it.

import { cellLabel } from '../../cell/labels.js';
import { formatCount, formatMemory, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { shardText } from '../../results/shards.js';
import { workerHosts } from '../text/host-words.js';
import { formatKinds } from '../text/transport-kinds.js';
import { formatDifference, orElse, plainText } from './difference.js';

/** @import { Environment, Results } from '../../types/index.js' */
/** @import { Format, SideNames } from './difference.js' */

/** @type {Readonly<Record<string, { name: string, read: (environment: Environment) => unknown, format: Format }>>} */
const MACHINE = {
  cpuModel: { name: 'CPU', read: ({ cpuModel }) => cpuModel, format: orElse(plainText, 'unknown') },
  logicalCpus: { name: 'CPUs', read: ({ logicalCpus }) => logicalCpus, format: formatCount },
  usableCpus: {
    name: 'usable CPUs',
    read: ({ usableCpus }) => usableCpus?.length ?? null,
    format: orElse(formatCount, 'unknown'),
  },
  cpuQuota: {
    name: 'CPU limit of the container',
    read: ({ cpuQuota }) => cpuQuota,
    format: orElse(formatNumber, 'none'),
  },
  memoryBytes: {
    name: 'memory',
    // To the tenth of a GiB: the kernel keeps a little more or less of it at each start.
    read: ({ memoryBytes }) => Math.round((memoryBytes / 2 ** 30) * 10),
    format: (tenths) => formatMemory((tenths / 10) * 2 ** 30),
  },
  platform: { name: 'platform', read: ({ platform, arch }) => `${platform} ${arch}`, format: plainText },
  hypervisor: {
    name: 'hypervisor',
    read: ({ hypervisor }) => hypervisor,
    format: orElse(plainText, 'none'),
  },
};

/** @type {Format} */
const onOrOff = orElse((isOn) => (isOn ? 'on' : 'off'), 'unknown');

/** @type {[string, (environment: Environment) => unknown, Format][]} */
const SURROUNDINGS = [
  ['Node', ({ node }) => node, plainText],
  ['flags of Node', ({ nodeFlags }) => nodeFlags.join(' '), (flags) => plainText(flags || 'none')],
  ['operating system', ({ os }) => os, plainText],
  ['kernel', ({ kernel }) => kernel, plainText],
  ['frequency governor', ({ governor }) => governor, orElse(plainText, 'unknown')],
  ['turbo', ({ turbo }) => turbo, onOrOff],
  ['SMT', ({ smt }) => smt, onOrOff],
  ['container', ({ container }) => container, orElse(plainText, 'none')],
  ['memory limit', ({ memoryLimitBytes }) => memoryLimitBytes, orElse(formatMemory, 'none')],
  [
    'pinning of processes',
    ({ pinning }) => pinning,
    (isPossible) => (isPossible ? 'possible' : 'impossible'),
  ],
  ['clock source', ({ clockSource }) => clockSource, orElse(plainText, 'unknown')],
  ['temporary files', ({ tmpFilesystem }) => tmpFilesystem, orElse(plainText, 'unknown')],
];

/**
 * @param {Results} old
 * @param {Results} fresh
 * @returns {{ of: string, before: Environment, after: Environment }[]} each machine that both had; of: ' of host b', nothing of the
 *   master's
 */
function pairMachines(old, fresh) {
  const before = new Map(workerHosts(old));
  const ofWorkers = workerHosts(fresh).flatMap(([name, { environment: after }]) => {
    const was = before.get(name)?.environment;
    return was === undefined ? [] : { of: ` of host ${printable(name)}`, before: was, after };
  });
  return [{ of: '', before: old.environment, after: fresh.environment }, ...ofWorkers];
}

/**
 * @param {Results} old
 * @param {Results} fresh
 * @param {SideNames} names
 * @returns {string[]} why the machines cannot be the same; an empty list is no proof that they are
 */
export function machineDifferences(old, fresh, names) {
  return pairMachines(old, fresh).flatMap(({ of, before, after }) =>
    Object.values(MACHINE).flatMap(({ name, read, format }) =>
      formatDifference(`${name}${of}`, [read(before), read(after)], format, names),
    ),
  );
}

/**
 * @param {Results} old
 * @param {Results} fresh
 * @param {SideNames} names
 * @returns {string[]} differences between the environments, except the machine
 */
export function listWarnings(old, fresh, names) {
  const surroundings = pairMachines(old, fresh).flatMap(({ of, before, after }) => [
    ...SURROUNDINGS.flatMap(([what, read, format]) =>
      formatDifference(`${what}${of}`, [read(before), read(after)], format, names),
    ),
    ...versionDifferences('package', before.packages, after.packages, names, of),
  ]);
  return [
    ...formatDifference('ipc-bench', [old.tool.version, fresh.tool.version], plainText, names),
    ...surroundings,
    ...versionDifferences('broker', listBrokers(old), listBrokers(fresh), names),
    ...kindDifferences(old, fresh, names),
    ...unfinished(old, names.old),
    ...unfinished(fresh, names.new),
    ...shardWarnings(old, names.old),
    ...shardWarnings(fresh, names.new),
    ...(old.startedAt > fresh.startedAt ? [`${names.new} was measured before ${names.old}`] : []),
    ...(isOneFileTwice(old, fresh) ? ['you gave the same file twice'] : []),
  ];
}

/** @param {Results} results @returns {Record<string, string>} version and settings, in one text */
function listBrokers({ environment }) {
  const entries = Object.entries(environment.brokers).map(([name, { version, config, origin }]) => {
    const settings = Object.entries(config).map(([key, value]) => `${key} ${value}`);
    return [
      name,
      [version, ...(origin === 'url' ? ['not started by ipc-bench'] : []), ...settings].join(', '),
    ];
  });
  return Object.fromEntries(entries);
}

/**
 * @param {string} kind
 * @param {Record<string, string>} old
 * @param {Record<string, string>} fresh
 * @param {SideNames} names
 * @param {string} [of]   ' of host b'
 * @returns {string[]} of what both used: what only one has belongs to cells that only one has
 */
function versionDifferences(kind, old, fresh, names, of = '') {
  const shared = Object.keys(old).filter((name) => Object.hasOwn(fresh, name));
  return shared.flatMap((name) =>
    formatDifference(`${kind} ${printable(name)}${of}`, [old[name], fresh[name]], plainText, names),
  );
}

/**
 * @param {Results} old
 * @param {Results} fresh
 * @param {SideNames} names
 * @returns {string[]} a thread is no faster process, and what may lose messages is no faster way to keep them
 */
function kindDifferences({ transports: one }, { transports: other }, names) {
  if (one === undefined || other === undefined) return [];
  const format = (/** @type {string} */ kinds) => kinds || 'plain processes';
  return formatDifference('kind of transports', [formatKinds(one), formatKinds(other)], format, names);
}

/** @param {Results} results @param {string} name @returns {string[]} */
function unfinished({ status }, name) {
  return status === 'complete' ? [] : [`the run of ${name} was not finished`];
}

/** @param {Results} results @param {string} name @returns {string[]} whose launches may not be of one machine, or not all */
function shardWarnings({ options: { shard }, shards }, name) {
  if (shard !== undefined) return [`${name} is ${shardText(shard)} only`];
  if (shards === undefined) return [];
  return [
    `${name} is joined from ${shards.length} shards: differences between their machines count as differences between launches`,
  ];
}

/**
 * The two sides of an interleaved run begin together as well, but are two variants; a shard begins with the run that it is
 * joined to, and has some of its launches.
 * @param {Results} old
 * @param {Results} fresh
 */
export function isOneFileTwice(old, fresh) {
  const identityOf = (/** @type {Results} */ { startedAt, seed, variant, outcomes }) =>
    JSON.stringify([
      startedAt,
      seed,
      variant?.name,
      outcomes.map((outcome) => [
        cellLabel(outcome.cell),
        outcome.status === 'skipped' ? [] : outcome.launches.map(({ order }) => order),
      ]),
    ]);
  return identityOf(old) === identityOf(fresh);
}
