// Where and how the numbers came about: the lines above a table, and the longer list below a Markdown report.

import { environmentsOf, plannedLaunches } from '../results/shards.js';
import { isMeasured } from '../verdicts/groups.js';
import { serverName } from '../verdicts/guarantees.js';
import { hostsText, linksText, workerHosts } from '../verdicts/host-words.js';
import { machineLines, runtimesText } from '../verdicts/machine-words.js';
import { messageNotes } from '../verdicts/message-words.js';
import { networkLines } from '../verdicts/network-words.js';
import { textsByShard } from '../verdicts/shard-words.js';
import { runLengthLines } from '../verdicts/stop-words.js';
import { counted, listed, shortened } from '../words/lists.js';
import { formatCount, formatMemory, formatNumber } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { placementLines } from './placement-lines.js';

/** @import { Environment, Results } from '../types/index.js' */

const GREATEST_CPU_LENGTH = 40;

/** @param {Environment} environment @returns {string} */
function machineText({ cpuModel, logicalCpus, usableCpus, cpuQuota }) {
  const usable = usableCpus === null ? '' : `${usableCpus.length} of `;
  const quota = cpuQuota === null ? '' : `, limited to the time of ${formatNumber(cpuQuota)}`;
  return `${printable(cpuModel ?? 'CPU of unknown model')}, ${usable}${logicalCpus} CPUs usable${quota}`;
}

/** @param {Environment} environment @returns {string} */
function placeText(environment) {
  const { os, kernel } = environment;
  return `${machineText(environment)}; ${printable(os)}, kernel ${printable(kernel)}`;
}

/** @param {Results} results @returns {string} */
function launchesText({ outcomes, options }) {
  const counts = outcomes.filter(isMeasured).map(({ launches }) => launches.length);
  const least = Math.min(...counts);
  if (options.stop !== undefined && counts.length > 0 && least >= options.launches) {
    return `${least} launches per row`;
  }
  // As many as it had time for.
  if (options.quick && counts.length > 0) return `${counted(least, 'launch', 'launches')} per row`;
  const all = plannedLaunches(options);
  const planned = `${counted(all, 'launch', 'launches')} per row`;
  return counts.length > 0 && least < all ? `${planned} planned, ${least} made at the least` : planned;
}

/** @param {Results['options']} options @returns {string} */
function windowText({ messages, measureMs }) {
  if (messages !== null) return `${formatCount(messages)} round trips per loop measured`;
  return `${formatNumber(measureMs / 1000)} s measured per launch`;
}

/** @param {Results} results @returns {string[]} which hosts there were, and what those of the workers are: the master's stands above */
function hostLines(results) {
  const hosts = hostsText(results);
  if (hosts === null) return [];
  const workers = workerHosts(results).map(
    ([name, { environment }]) =>
      `host ${printable(name)}: ${placeText(environment)}, ${runtimesText(environment)}`,
  );
  const links = linksText(results);
  return [hosts, ...workers, ...(links === null ? [] : [links])];
}

/** @param {Results} results @returns {string[]} machine, software, and how it was measured */
export function surroundingLines(results) {
  const { tool, startedAt, environment, options, seed } = results;
  const { brokers } = environment;
  const servers = Object.entries(brokers).map(
    ([name, { version }]) => `, ${printable(serverName(name, version))}`,
  );
  return [
    ...textsByShard(results, placeText),
    ...hostLines(results),
    `ipc-bench ${printable(tool.version)}, ${runtimesText(environment)}${servers.join('')}; ${startedAt.slice(0, 10)}`,
    `${launchesText(results)}, ${windowText(options)}, in blocks shuffled with seed ${seed}`,
    ...messageNotes(results),
    ...runLengthLines(results),
    ...placementLines(results),
    ...networkLines(results.outcomes.filter(isMeasured)),
    ...machineLines(results),
  ];
}

/** @param {Results} results @returns {string} machine and launches in one line, and how to see more of them */
export function sourceLine(results) {
  const ofHosts = workerHosts(results).map(([, { environment }]) => environment);
  const models = [...environmentsOf(results), ...ofHosts].map(({ cpuModel }) =>
    shortened(printable(cpuModel ?? 'a CPU of unknown model'), GREATEST_CPU_LENGTH),
  );
  const hosts = hostsText(results);
  const where = hosts === null ? '' : `; ${hosts}`;
  return `${launchesText(results)} on ${listed([...new Set(models)], 1)}, ${runtimesText(results.environment, ...ofHosts)}${where}. More: --notes, --columns all.`;
}

/** @param {Record<string, unknown>} record @returns {string} 'save "", appendonly no' */
function pairsText(record) {
  return Object.entries(record)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** @param {boolean | null} isOn @returns {string | null} */
function switchText(isOn) {
  if (isOn === null) return null;
  return isOn ? 'on' : 'off';
}

/**
 * @param {Results} results
 * @returns {{ name: string, value: string }[]} what else is known and may matter, with its shards where it is not the same in all
 */
export function environmentFacts(results) {
  const all = environmentsOf(results).map((environment) => factsOf(environment));
  const names = new Set(all.flatMap((facts) => facts.map(({ name }) => name)));
  return [...names].map((name) => {
    const valueIn = (/** @type {Environment} */ environment) =>
      factsOf(environment).find((fact) => fact.name === name)?.value ?? 'unknown';
    return { name, value: textsByShard(results, valueIn).join('; ') };
  });
}

/**
 * @param {Environment} environment
 * @returns {{ name: string, value: string }[]} what else is known and may matter; what is unknown is left out
 */
function factsOf(environment) {
  const { memoryBytes, memoryLimitBytes, loadAverage, brokers } = environment;
  /** @type {Record<string, string | null>} */
  const facts = {
    SMT: switchText(environment.smt),
    turbo: switchText(environment.turbo),
    'frequency governor': environment.governor,
    hypervisor: environment.hypervisor,
    container: environment.container,
    'clock source': environment.clockSource,
    memory: formatMemory(memoryBytes),
    'memory limit': memoryLimitBytes === null ? null : formatMemory(memoryLimitBytes),
    'load average at the start': loadAverage.map((load) => load.toFixed(2)).join(', '),
    'temporary files on': environment.tmpFilesystem,
    V8: environment.v8,
    libuv: environment.libuv,
    'flags of Node': environment.nodeFlags.join(' '),
    packages: pairsText(environment.packages),
  };
  const settings = Object.entries(brokers).map(([name, { config }]) => [
    `settings of ${name}`,
    pairsText(config),
  ]);
  return [...Object.entries(facts), ...settings].flatMap(([name, value]) =>
    name && value ? [{ name: printable(name), value: printable(value) }] : [],
  );
}
