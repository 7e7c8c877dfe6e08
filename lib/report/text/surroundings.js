// Machine, software and method: the lines above a table, and the longer list below a Markdown report.

import { axesIn, unusualText } from '../../cell/axes.js';
import { TIER_UP_FLAGS } from '../../children/tier-up.js';
import {
  counted,
  countedFromTo,
  formatRanges,
  groupedBy,
  listed,
  pairsText,
  shortened,
} from '../../format/lists.js';
import { formatCount, formatMemory, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { MS_PER_S } from '../../format/units.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { disturbances, disturbedFindings } from '../findings/noise-findings.js';
import { serverName } from './kind-words.js';
import {
  disturbedLines,
  hostsText,
  linksText,
  networkLines,
  ofHostText,
  runtimesText,
  wakeUpLines,
  workerHosts,
} from './machine-words.js';
import { messageNotes } from './message-words.js';
import { runLengthLines } from './run-words.js';

/** @import { Environment, MeasuredOutcome, Results } from '../../types/index.js' */

const MAX_CPU_LENGTH = 40;

/** @param {Environment} environment */
function machineText({ cpuModel, logicalCpus, usableCpus, cpuQuota }) {
  const usable = usableCpus === null ? '' : `${usableCpus.length} of `;
  const quota = cpuQuota === null ? '' : `, limited to the time of ${formatNumber(cpuQuota)}`;
  return `${printable(cpuModel ?? 'CPU of unknown model')}, ${usable}${logicalCpus} CPUs usable${quota}`;
}

/** @param {Environment} environment @returns {string} CPU and operating system */
export function placeText(environment) {
  const { os, kernel } = environment;
  return `${machineText(environment)}; ${printable(os)}, kernel ${printable(kernel)}`;
}

/** @param {Pick<Results, 'tool' | 'environment'>} results @returns {string} 'ipc-bench 1.0.0, Node v24.1.0, redis 7.0' */
export function programsText({ tool, environment }) {
  const servers = Object.entries(environment.brokers).map(([name, { version }]) =>
    printable(serverName(name, version)),
  );
  return [`ipc-bench ${printable(tool.version)}`, runtimesText(environment), ...servers].join(', ');
}

/** @param {Pick<Results, 'outcomes' | 'options'>} results   with a measured row @returns {string} '6 launches per row' */
export function launchesText({ outcomes, options }) {
  const counts = outcomes.filter(isMeasured).map(({ launches }) => launches.length);
  const least = Math.min(...counts);
  // A quick run makes as many launches as its time permits.
  if (options.quick || least >= options.launches)
    return `${countedFromTo(counts, 'launch', 'launches')} per row`;
  return `${counted(options.launches, 'launch', 'launches')} per row planned, at least ${least} made`;
}

/** @param {Results['options']} options */
function windowText({ messages, measureMs }) {
  if (messages !== null)
    return `${formatCount(messages)} ${messages === 1 ? 'round trip' : 'round trips'} per loop measured`;
  return `${formatNumber(measureMs / MS_PER_S)} s measured per launch`;
}

/** The lines above the table: machine, software and method. @type {readonly ((results: Results) => string | string[])[]} */
const SURROUNDINGS = [
  ({ environment }) => [placeText(environment)],
  (results) => hostsText(results) ?? [],
  (results) =>
    workerHosts(results).map(
      ([name, { environment }]) =>
        `host ${printable(name)}: ${placeText(environment)}, ${runtimesText(environment)}`,
    ),
  (results) => linksText(results) ?? [],
  (results) => [`${programsText(results)}; ${results.startedAt.slice(0, 10)}`],
  (results) => {
    const measured = results.outcomes.some(isMeasured)
      ? `${launchesText(results)}, ${windowText(results.options)}, `
      : '';
    return `${measured}shuffled with seed ${results.seed}`;
  },
  (results) => messageNotes(results),
  inheritedLines,
  runLengthLines,
  placementLines,
  ({ outcomes }) => networkLines(outcomes.filter(isMeasured)),
  wakeUpLines,
  ({ outcomes }) => disturbedLines(outcomes.filter(isMeasured)),
];

/** @param {Results} results @returns {string[]} a line for each host with flags or variables, which all of its processes inherited */
export function inheritedLines(results) {
  const machines = [['', results], ...workerHosts(results)];
  return /** @type {[string, { environment: Environment }][]} */ (machines).flatMap(
    ([host, { environment }]) => {
      const { nodeFlags, variables = {} } = environment;
      const flags = nodeFlags.filter((flag) => !TIER_UP_FLAGS.includes(flag)).join(' ');
      const set = Object.entries(variables).map((pair) => pair.join('='));
      const texts = [...(flags === '' ? [] : [`Node.js flags ${flags}`]), ...set];
      if (texts.length === 0) return [];
      const where = host === '' ? '' : ` on ${printable(host)}`;
      return [`inherited by all processes${where}, and part of every number: ${printable(texts.join(', '))}`];
    },
  );
}

/** @param {Results} results @returns {string[]} */
export function surroundingLines(results) {
  return SURROUNDINGS.flatMap((linesOf) => linesOf(results));
}

/** @param {Results} results @returns {string} machine and launches in one line, and the flags that show more */
export function sourceLine(results) {
  const ofHosts = workerHosts(results).map(([, { environment }]) => environment);
  const models = [results.environment, ...ofHosts].map(({ cpuModel }) =>
    shortened(printable(cpuModel ?? 'a CPU of unknown model'), MAX_CPU_LENGTH),
  );
  const hosts = hostsText(results);
  const where = hosts === null ? '' : `; ${hosts}`;
  const launches = results.outcomes.some(isMeasured)
    ? `${launchesText(results)}${calmText(results)} on `
    : '';
  return `${launches}${listed([...new Set(models)], 1)}, ${runtimesText(results.environment, ...ofHosts)}${where}. More: --notes, --columns all.`;
}

/** @param {Results} results @returns {string} ', none disturbed,', ', 1 of 42 disturbed,', or '' if unknown or if a finding states it */
function calmText({ outcomes }) {
  const measured = outcomes.filter(isMeasured);
  const { launches, disturbed } = disturbances(measured);
  const isKnown = measured.some((outcome) => outcome.launches.some(({ noise }) => noise !== undefined));
  if (disturbed > 0)
    return disturbedFindings(measured).length > 0 ? '' : `, ${disturbed} of ${launches} disturbed,`;
  return isKnown ? ', none disturbed,' : '';
}

/** @param {boolean | null} isOn @returns {string | null} null if unknown */
export function switchText(isOn) {
  if (isOn === null) return null;
  return isOn ? 'on' : 'off';
}

/** @param {Environment} environment @returns {{ name: string, value: string }[]} */
export function environmentFacts(environment) {
  const { memoryBytes, memoryLimitBytes, loadAverage } = environment;
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
    packages: pairsText(environment.packages),
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value ? [{ name: printable(name), value: printable(value) }] : [],
  );
}

const PLACES_SHOWN = 12;

/** @param {number[]} cpus @returns {string} 'CPU 0', 'CPUs 1–3' */
function cpusText(cpus) {
  return `${cpus.length === 1 ? 'CPU' : 'CPUs'} ${formatRanges(cpus)}`;
}

/** @param {MeasuredOutcome[]} measured    all with one placement @returns {string} 'master on CPU 0, workers on CPUs 1–3' */
function rolesText(measured) {
  const placed = measured.flatMap(({ cell, launches }) =>
    launches.flatMap(({ costs }) =>
      costs.map(({ name, role, cpus }) => {
        const processes = role === 'worker' ? 'workers' : printable(name);
        return { processes, cpus: cpus ?? [], where: ofHostText(cell, { name, role }) };
      }),
    ),
  );
  const texts = [...groupedBy(placed, ({ processes, where }) => processes + where).values()].map((alike) => {
    const [{ processes, where }] = alike;
    const cpus = new Set(alike.flatMap((process) => process.cpus));
    return `${processes} ${cpus.size === 0 ? 'placed by the scheduler' : `on ${cpusText([...cpus])}`}${where}`;
  });
  return listed(texts, PLACES_SHOWN) + helpersText(measured);
}

/**
 * @param {MeasuredOutcome[]} measured
 * @returns {string} '; compiler and GC threads on CPUs 0–1'; empty if they were pinned with the rest, or if the run used one CPU
 */
function helpersText(measured) {
  const costs = measured.flatMap(({ launches }) => launches.flatMap((launch) => launch.costs));
  const cpus = new Set(costs.flatMap(({ helperCpus = [] }) => helperCpus));
  if (cpus.size < 2) return '';
  return `; compiler and GC threads on ${cpusText([...cpus])}`;
}

/** @param {MeasuredOutcome} outcome @returns {string} 'split', 'split, poll busy' */
function formatMode({ cell }) {
  return unusualText(cell, axesIn(['manner']));
}

/** @param {Results} results @returns {string[]} one line for each placement, with the CPUs of each kind of process */
function placementLines({ outcomes }) {
  const measured = outcomes.filter(isMeasured);
  return [...groupedBy(measured, formatMode)].map(([mode, concerned]) => {
    const cpus = concerned.flatMap(({ launches }) =>
      launches.flatMap(({ costs }) => costs.map((cost) => cost.cpus)),
    );
    const isUnknown = cpus.every((known) => known === null);
    return `placement ${mode}: ${isUnknown ? 'chosen by the scheduler' : rolesText(concerned)}`;
  });
}
