// Checks whether this machine is fit for measurements. A check returns a finding with its level, its effect on results, and a remedy.

import { MAX_PARENT_BYTES } from '../children/run-directory.js';
import { counted, formatRanges, groupedBy } from '../format/lists.js';
import { formatMemory, formatNumber, formatPercent } from '../format/numbers.js';
import { raiseLoopback, WIDEN_PORTS } from '../machine/loopback.js';
import { DISTURBING_SHARE } from '../machine/noise.js';
import { WINDOWS_CHECKS } from './windows.js';

/** @import { MachineFacts } from './facts.js' */
/** @import { SystemPackages } from '../types/index.js' */

const MIN_FILES = 1_024;
const MIN_PROCESSES = 512;
const MIN_PORTS = 10_000;
const MIN_BACKLOG = 511; // default of server.listen() in Node.js
const MIN_MEMORY_BYTES = 2 ** 30; // room for eighteen processes of 55 MB
const REMOTE_FILESYSTEMS = /^(?:nfs|cifs|smb|9p|fuse|virtiofs|vboxsf|afs|ceph)/;

/**
 * @param {string} what   begins the finding, for example 'other programs use'
 * @param {number | null} share   of the time of all CPUs, from 0 to 1; null if unknown
 * @param {Pick<CheckResult, 'mend'> & { means: string }} advice
 * @returns {ReturnType<Check>}
 */
function shareFinding(what, share, advice) {
  if (share === null) return { level: 'unknown', found: 'unknown on this system' };
  const found = `${what} ${formatPercent(share)} of the CPUs`;
  return { level: share > DISTURBING_SHARE ? 'unfit' : 'ok', found, ...advice };
}

/** @type {Check} */
function checkLoad({ load }) {
  const means = 'launches wait for them, some more than others; this command lists them';
  const mend = 'top -b -n 1 -o %CPU | head -n 15';
  return shareFinding('other programs use', load.othersShare, { means, mend });
}

/** @type {Check} */
function checkSteal({ load }) {
  const means =
    'this virtual machine shares its CPUs with others on the host: use a machine with dedicated CPUs';
  return shareFinding('other virtual machines take', load.stealShare, { means, mend: null });
}

/** @type {Check} */
function checkMemory({ memoryBytes, memoryLimitBytes, container }) {
  const bytes = memoryLimitBytes ?? memoryBytes;
  return {
    level: bytes >= MIN_MEMORY_BYTES ? 'ok' : 'advice',
    found: `${formatMemory(bytes)}${memoryLimitBytes === null ? '' : ', by its control group'}`,
    means: 'each process of a launch needs about 55 MB: launches with many workers may be killed',
    mend:
      memoryLimitBytes === null ? null : outsideCommand({ container }, '--memory 2g --memory-swap 2g', null),
  };
}

/** @type {Check} */
function checkPinning(facts) {
  const isWindows = facts.platform === 'win32';
  if (facts.pinning) return { level: 'ok', found: isWindows ? 'koffi is there' : 'taskset is there' };
  if (facts.platform !== 'linux') {
    const found = isWindows
      ? 'not pinned: koffi is missing'
      : `not pinned: ${facts.platform} has no call for it`;
    const means =
      'the scheduler places each process: repeat a run before you rely on a difference below 20 %';
    return { level: 'advice', found, means, mend: isWindows ? 'npm install koffi' : null };
  }
  return {
    level: 'unfit',
    found: 'taskset is missing',
    means: 'the scheduler places each process: the same row repeats within 20 to 60 % instead of 5 %',
    mend: systemInstallCommand(facts, UTILITIES),
  };
}

/** @type {Check} */
function checkOrphans(facts) {
  if (facts.dyingWithParent) return { level: 'ok', found: 'setpriv is there' };
  if (facts.platform !== 'linux') return { level: 'ok', found: 'processes notice when their parent ends' };
  return {
    level: 'advice',
    found: 'setpriv is missing',
    means: 'when a run is killed, its hanging processes may survive for some time',
    mend: systemInstallCommand(facts, UTILITIES),
  };
}

/**
 * @param {number | null} limit
 * @param {number} least
 * @param {{ means: string, mend: string | null }} advice
 * @returns {ReturnType<Check>}
 */
function limitFinding(limit, least, advice) {
  if (limit === null) return { level: 'ok', found: 'no known limit' };
  return { level: limit >= least ? 'ok' : 'advice', found: String(limit), ...advice };
}

/** @type {Check} */
function checkFiles({ openFilesLimit }) {
  const means = 'the master holds several files per worker: launches of many workers fail with EMFILE';
  return limitFinding(openFilesLimit, MIN_FILES, { means, mend: `ulimit -n ${4 * MIN_FILES}` });
}

/** @type {Check} */
function checkProcesses({ processLimit, taskLimit, container }) {
  const means =
    'a process of Node has about ten threads, each counted: launches of many workers fail with EAGAIN';
  const left = taskLimit === null ? Infinity : taskLimit.most - taskLimit.used;
  if (taskLimit !== null && left < (processLimit ?? Infinity)) {
    const mend = outsideCommand({ container }, '--pids-limit -1', `echo max | sudo tee ${taskLimit.file}`);
    const found = `${left} left of ${taskLimit.most} of the control group`;
    return { ...limitFinding(left, MIN_PROCESSES, { means, mend }), found };
  }
  return limitFinding(processLimit, MIN_PROCESSES, { means, mend: `ulimit -u ${8 * MIN_PROCESSES}` });
}

/** @type {Check} */
function checkBacklog({ backlogLimit }) {
  if (backlogLimit === null) return { level: 'unknown', found: 'unknown on this system' };
  const means = 'if more workers connect at the same time, some are refused';
  return limitFinding(backlogLimit, MIN_BACKLOG, {
    means,
    mend: 'sudo sysctl -w net.core.somaxconn=4096',
  });
}

/** @type {Check} */
function checkLoopback({ hasLoopback, platform }) {
  return {
    level: hasLoopback ? 'ok' : 'advice',
    found: hasLoopback ? 'it is up' : 'no interface that is up has the address 127.0.0.1',
    means: 'all rows over IP fail, and most with a private broker',
    mend: raiseLoopback(platform),
  };
}

/** @type {Check} */
function checkPorts({ ports }) {
  if (ports === null) return { level: 'unknown', found: 'unknown on this system' };
  const means = 'a connection keeps its port for a minute after it was closed: rows that connect often fail';
  return limitFinding(ports, MIN_PORTS, { means, mend: WIDEN_PORTS });
}

/** @type {Check} */
function checkTemporaryPath({ temporaryFolder, platform }) {
  const bytes = Buffer.byteLength(temporaryFolder);
  return {
    level: platform === 'win32' || bytes <= MAX_PARENT_BYTES ? 'ok' : 'advice',
    found: `${bytes} bytes long`,
    means: `the path of a unix socket has 103 bytes at most: above ${MAX_PARENT_BYTES} runs use /tmp instead`,
    mend: 'export TMPDIR=/tmp',
  };
}

/** @type {Check} */
function checkTemporaryFilesystem({ tmpFilesystem }) {
  if (tmpFilesystem === null) return { level: 'unknown', found: 'unknown on this system' };
  return {
    level: REMOTE_FILESYSTEMS.test(tmpFilesystem) ? 'unfit' : 'ok',
    found: tmpFilesystem,
    means: 'sockets and FIFOs may fail on a file system of another machine or of the host',
    mend: 'export TMPDIR=/dev/shm',
  };
}

/** @type {Check} */
function checkRuntimes({ runtimesHere }) {
  if (runtimesHere === undefined) return { level: 'unknown', found: 'not checked' };
  const installed = runtimesHere.filter(({ versions }) => versions.length > 0);
  const missing = runtimesHere.filter(({ versions }) => versions.length === 0);
  const found = installed.map(({ name, versions }) => `${name} ${versions.join(' and ')}`);
  const absent = missing.map(({ name }) => `no ${name}`).join(', ');
  return {
    level: 'ok', // Only --runtime needs runtimes.
    found: found.join(', ') + (absent === '' ? '' : `; ${absent}, which only --runtime needs`),
  };
}

/** @type {Check} */
function checkPlugins(facts) {
  const { unavailable } = facts;
  if (unavailable.length === 0) return { level: 'ok', found: 'all can be measured' };
  const reasons = [...groupedBy(unavailable, ({ reason }) => reason)].map(
    ([reason, plugins]) => `${plugins.map(({ name }) => name).join(', ')}: ${reason}`,
  );
  const needed = new Set(unavailable.flatMap(({ packages }) => packages));
  const install = `npm install ${[...needed].join(' ')}`;
  const commands = unavailable.flatMap(({ packages, server }) => {
    if (packages.length > 0) return [install];
    return (server !== null && systemInstallCommand(facts, server)) || [];
  });
  return {
    level: 'advice',
    found: `${unavailable.length} cannot be measured`,
    means: reasons.join('; '),
    mend: commands.length === 0 ? null : [...new Set(commands)].join(' && '),
  };
}

/** @type {Readonly<Record<string, Check>>} */
const SYSTEM_CHECKS = Object.freeze({
  load: checkLoad,
  steal: checkSteal,
  memory: checkMemory,
  pinning: checkPinning,
  orphans: checkOrphans,
  'open files': checkFiles,
  processes: checkProcesses,
  backlog: checkBacklog,
  loopback: checkLoopback,
  ports: checkPorts,
  'TMPDIR path': checkTemporaryPath,
  'TMPDIR disk': checkTemporaryFilesystem,
  'plug-ins': checkPlugins,
  runtimes: checkRuntimes,
});

/** @type {{ name: keyof SystemPackages, of: string[], command: string }[]} */
const INSTALLERS = [
  { name: 'apt', of: ['debian', 'ubuntu'], command: 'sudo apt-get install' },
  { name: 'dnf', of: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install' },
  { name: 'apk', of: ['alpine'], command: 'sudo apk add' },
  { name: 'pacman', of: ['arch'], command: 'sudo pacman -S' },
  { name: 'zypper', of: ['suse', 'opensuse'], command: 'sudo zypper install' },
  { name: 'brew', of: ['darwin'], command: 'brew install' },
  { name: 'winget', of: ['win32'], command: 'winget install' },
];

/** The packages that contain taskset and setpriv. @type {SystemPackages} */
export const UTILITIES = Object.freeze({
  apt: 'util-linux',
  dnf: 'util-linux',
  apk: 'util-linux',
  pacman: 'util-linux',
  zypper: 'util-linux',
});

/**
 * @param {MachineFacts} facts
 * @param {SystemPackages} packages
 * @returns 'sudo apt-get install util-linux'; null if the package manager is unknown or `packages` has none for it
 */
export function systemInstallCommand({ platform, distributions }, packages) {
  const systems = platform === 'linux' ? distributions : [platform];
  const installer = INSTALLERS.find(({ of }) => of.some((name) => systems.includes(name)));
  const wanted = installer && packages[installer.name];
  return wanted === undefined ? null : `${installer?.command} ${wanted}`;
}

/**
 * @param {Pick<MachineFacts, 'container'>} facts
 * @param {string} limit    options of `docker update`
 * @param {string | null} otherwise    the command outside of containers
 * @returns `otherwise` outside of containers, and a command for the host of a Docker or Podman container; null in a container of another
 *   program, whose configuration sets the limit
 */
function outsideCommand({ container }, limit, otherwise) {
  if (container === null) return otherwise;
  return ['docker', 'podman'].includes(container) ? `${container} update ${limit} CONTAINER` : null;
}

const SLOW_CLOCKS = ['hpet', 'acpi_pm', 'pit', 'jiffies', 'refined-jiffies'];
const CPU_FOLDER = '/sys/devices/system/cpu';
const ON = /** @type {const} */ ({ level: 'advice', found: 'on' });
const OFF = /** @type {const} */ ({ level: 'ok', found: 'off' });

/**
 * @param {MachineFacts} facts
 * @returns {string | null} a command that lets this shell or container use all CPUs; null if these are unknown, or no command does so
 */
function widenCommand({ onlineCpus, container }) {
  if (onlineCpus === null) return null;
  const all = formatRanges(onlineCpus).replaceAll('–', '-').replaceAll(', ', ',');
  return outsideCommand({ container }, `--cpuset-cpus ${all}`, `taskset -acp ${all} $$`);
}

/** @type {Check} */
function checkCpus(facts) {
  const { usableCpus, logicalCpus } = facts;
  const count = usableCpus?.length ?? logicalCpus;
  const isNarrowed = logicalCpus > count;
  return {
    level: count > 1 ? 'ok' : 'unfit',
    found: counted(count, 'usable CPU', 'usable CPUs'),
    means: 'master and workers share it: placement split is the same as placement same',
    mend: isNarrowed ? widenCommand(facts) : null,
  };
}

/** @type {Check} */
function checkAffinity(facts) {
  const { usableCpus, logicalCpus } = facts;
  if (usableCpus === null) return { level: 'unknown', found: 'unknown on this system' };
  if (usableCpus.length >= logicalCpus) return { level: 'ok', found: 'all CPUs' };
  return {
    level: 'advice',
    found: `CPUs ${formatRanges(usableCpus)} of ${logicalCpus}`,
    means: 'launches use these CPUs only; programs on the others do not disturb them',
    mend: widenCommand(facts),
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
const CPU_CHECKS = Object.freeze({
  CPUs: checkCpus,
  affinity: checkAffinity,
  'CPU quota': checkQuota,
  governor: checkGovernor,
  turbo: checkTurbo,
  SMT: checkSmt,
  clock: checkClock,
});

/**
 * 'unfit' means that results depend on the finding more than on transports; 'advice', that results vary more, or that some launches fail or
 * are not possible.
 * @typedef {'ok' | 'advice' | 'unfit' | 'unknown'} Level
 */
/**
 * `means` and `mend` are shown only with the levels 'advice' and 'unfit'.
 * @typedef {{ level: Level, found: string, means?: string, mend?: string | null }} CheckFinding
 */
/** @typedef {(facts: MachineFacts) => CheckFinding} Check */
/**
 * @typedef {object} CheckResult
 * @property {string} check
 * @property {Level} level
 * @property {string} found
 * @property {string | null} means      effect of the finding on results; null if the level is 'ok' or 'unknown'
 * @property {string | null} mend       a command that mends the finding; null if there is none, or nothing to mend
 */

/** @param {MachineFacts} facts @returns {CheckResult[]} */
export function diagnose(facts) {
  const ofWindows = facts.windows ? WINDOWS_CHECKS : {};
  return Object.entries({ ...CPU_CHECKS, ...ofWindows, ...SYSTEM_CHECKS }).map(([name, check]) => {
    const { level, found, means = null, mend = null } = check(facts);
    const isFault = level === 'advice' || level === 'unfit';
    const shown = facts.platform === 'win32' ? name.replace('TMPDIR', 'TEMP') : name;
    return { check: shown, level, found, means: isFault ? means : null, mend: isFault ? mend : null };
  });
}
