// What doctor says about the CPUs: how many, how much of them, how fast, and how their time is told.

import { counted, formatRanges } from '../format/lists.js';
import { formatNumber } from '../format/numbers.js';
import { outsideCommand } from './mending.js';

/** @import { Check } from './diagnosis.js' */

const SLOW_CLOCKS = ['hpet', 'acpi_pm', 'pit', 'jiffies', 'refined-jiffies'];
const CPU_FOLDER = '/sys/devices/system/cpu';
const ON = /** @type {const} */ ({ level: 'advice', found: 'on' });
const OFF = /** @type {const} */ ({ level: 'ok', found: 'off' });

/** @type {Check} */
function checkCpus({ usableCpus, logicalCpus, container }) {
  const count = usableCpus?.length ?? logicalCpus;
  const all = `0-${logicalCpus - 1}`;
  const isNarrowed = logicalCpus > count;
  return {
    level: count > 1 ? 'ok' : 'unfit',
    found: counted(count, 'usable CPU', 'usable CPUs'),
    means: 'master and workers share it: placement split is the same as placement same',
    mend: isNarrowed ? outsideCommand({ container }, `--cpuset-cpus ${all}`, `taskset -acp ${all} $$`) : null,
  };
}

/** @type {Check} */
function checkAffinity({ usableCpus, logicalCpus, container }) {
  if (usableCpus === null) return { level: 'unknown', found: 'unknown on this system' };
  if (usableCpus.length === logicalCpus) return { level: 'ok', found: 'all CPUs' };
  const all = `0-${logicalCpus - 1}`;
  return {
    level: 'advice',
    found: `CPUs ${formatRanges(usableCpus)} of ${logicalCpus}`,
    means: 'launches use these CPUs only; programs on the others do not disturb them',
    mend: outsideCommand({ container }, `--cpuset-cpus ${all}`, `taskset -acp ${all} $$`),
  };
}

/** @type {Check} */
function checkQuota({ cpuQuotas, cpuQuota, usableCpus, logicalCpus, container }) {
  const [strictest] = cpuQuotas.toSorted((left, right) => left.cores - right.cores);
  if (strictest === undefined || cpuQuota === null) return { level: 'ok', found: 'none' };
  const cpus = usableCpus?.length ?? logicalCpus;
  return {
    level: cpuQuota < cpus ? 'unfit' : 'ok',
    found: `the time of ${formatNumber(cpuQuota)} CPUs`,
    means:
      'once it is used up, all processes pause for the rest of a period of 100 ms, so the limit determines tails and throughput',
    mend: outsideCommand(
      { container },
      '--cpu-quota -1',
      `echo ${strictest.without} | sudo tee ${strictest.file}`,
    ),
  };
}

/** @type {Check} */
function checkGovernor({ governor }) {
  if (governor === null) return { level: 'unknown', found: 'not shown here, as in most virtual machines' };
  return {
    level: governor === 'performance' ? 'ok' : 'advice',
    found: governor,
    means: 'the CPU frequency follows the load: transports that wait more are measured on a slower CPU',
    mend: `echo performance | sudo tee ${CPU_FOLDER}/cpu*/cpufreq/scaling_governor`,
  };
}

/** @type {Check} */
function checkTurbo({ turbo, turboSwitch }) {
  if (turbo === null) return { level: 'unknown', found: 'not shown here, as in most virtual machines' };
  return {
    ...(turbo ? ON : OFF),
    means:
      'the CPU frequency depends on heat and on the number of busy cores: later launches may be slower than the first',
    mend:
      turboSwitch === 'no_turbo'
        ? `echo 1 | sudo tee ${CPU_FOLDER}/intel_pstate/no_turbo`
        : `echo 0 | sudo tee ${CPU_FOLDER}/cpufreq/boost`,
  };
}

/** @type {Check} */
function checkSmt({ smt }) {
  if (smt === null) return { level: 'unknown', found: 'unknown on this system' };
  return {
    ...(smt ? ON : OFF),
    means:
      'two CPUs share a core: launches use the second threads last, but a launch with many processes needs them',
    mend: `echo off | sudo tee ${CPU_FOLDER}/smt/control`,
  };
}

/** @type {Check} */
function checkClock({ clockSource, clockSources }) {
  if (clockSource === null) return { level: 'unknown', found: 'unknown on this system' };
  const better = clockSources.find((name) => !SLOW_CLOCKS.includes(name));
  const file = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
  return {
    level: SLOW_CLOCKS.includes(clockSource) ? 'unfit' : 'ok',
    found: clockSource,
    means: 'reading the clock takes a system call or longer, which adds to every round trip',
    mend: better === undefined ? null : `echo ${better} | sudo tee ${file}`,
  };
}

/** @type {Readonly<Record<string, Check>>} */
export const CPU_CHECKS = Object.freeze({
  CPUs: checkCpus,
  affinity: checkAffinity,
  'CPU quota': checkQuota,
  governor: checkGovernor,
  turbo: checkTurbo,
  SMT: checkSmt,
  clock: checkClock,
});
