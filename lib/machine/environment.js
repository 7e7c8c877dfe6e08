// Which machine, system, limits and versions the numbers were measured with. Every reading stands alone: where one
// fails it is null. Neither host name nor user name is read.

import os from 'node:os';
import { redactText } from '../words/redact.js';
import { readCpuQuota, readMemoryLimit } from './cgroup.js';
import { readTopology } from './cpu-topology.js';
import {
  containerOf,
  filesystemOf,
  hypervisorOf,
  openFilesLimitOf,
  osNameOf,
  pressureOf,
  switchOf,
  wordOf,
} from './kernel-text.js';
import { packageVersions } from './package-versions.js';
import { readSystemFile } from './system-file.js';

/** @import { Environment } from '../types/index.js' */
/** @import { SystemFileReader } from './system-file.js' */

const CPU_FOLDER = '/sys/devices/system/cpu';

/** @param {SystemFileReader} read */
function readCpus(read) {
  const cpus = os.cpus();
  const usableCpus = readTopology(read)?.usableCpus ?? null;
  const governors = (usableCpus ?? [0]).map((cpu) =>
    wordOf(read(`${CPU_FOLDER}/cpu${cpu}/cpufreq/scaling_governor`)),
  );
  const noTurbo = switchOf(read(`${CPU_FOLDER}/intel_pstate/no_turbo`));
  return {
    cpuModel: wordOf(cpus[0]?.model ?? null),
    logicalCpus: cpus.length,
    usableCpus,
    cpuQuota: readCpuQuota(read),
    smt: switchOf(read(`${CPU_FOLDER}/smt/active`)),
    governor: [...new Set(governors.filter((governor) => governor !== null))].join(', ') || null,
    turbo: noTurbo === null ? switchOf(read(`${CPU_FOLDER}/cpufreq/boost`)) : !noTurbo,
  };
}

/** @param {SystemFileReader} read */
function readSurroundings(read) {
  return {
    hypervisor: hypervisorOf({
      cpuinfo: read('/proc/cpuinfo'),
      type: read('/sys/hypervisor/type'),
      vendor: read('/sys/class/dmi/id/sys_vendor'),
      product: read('/sys/class/dmi/id/product_name'),
    }),
    container: containerOf({
      dockerFile: read('/.dockerenv'),
      podmanFile: read('/run/.containerenv'),
      firstCgroup: read('/proc/1/cgroup'),
      environment: process.env,
    }),
    clockSource: wordOf(read('/sys/devices/system/clocksource/clocksource0/current_clocksource')),
  };
}

/** @param {SystemFileReader} read @returns {string} */
function osName(read) {
  // Elsewhere os.version() names the machine that the kernel was built on.
  if (process.platform === 'win32') return os.version();
  return osNameOf(read('/etc/os-release')) ?? `${os.type()} ${os.release()}`;
}

/** @returns {string[]} */
function nodeFlags() {
  const fromEnvironment = (process.env.NODE_OPTIONS ?? '').split(/\s+/).filter((flag) => flag !== '');
  return [...process.execArgv, ...fromEnvironment].map((flag) => redactText(flag));
}

/**
 * @param {object} known    what only the caller can know
 * @param {boolean} known.pinning
 * @param {Environment['brokers']} [known.brokers]
 * @param {SystemFileReader} [read]
 * @returns {Environment}
 */
export function readEnvironment({ pinning, brokers = {} }, read = readSystemFile) {
  const memoryBytes = os.totalmem();
  return {
    ...readCpus(read),
    ...readSurroundings(read),
    memoryBytes,
    memoryLimitBytes: readMemoryLimit(read, memoryBytes),
    platform: process.platform,
    arch: process.arch,
    os: osName(read),
    kernel: os.release(),
    node: process.version,
    v8: process.versions.v8,
    libuv: process.versions.uv,
    nodeFlags: nodeFlags(),
    loadAverage: os.loadavg(),
    openFilesLimit: openFilesLimitOf(read('/proc/self/limits')),
    pressureCpuSome: pressureOf(read('/proc/pressure/cpu')),
    tmpFilesystem: filesystemOf(read('/proc/mounts'), os.tmpdir()),
    pinning,
    packages: packageVersions(),
    brokers,
  };
}
