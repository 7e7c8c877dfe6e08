// Reads the machine, system, limits and versions of a run. A fact that cannot be read is null. Host and user names are not read.

import os from 'node:os';
import { redactText } from '../format/redact.js';
import {
  detectContainer,
  detectHypervisor,
  findFilesystem,
  parseOpenFilesLimit,
  parseOsName,
  parsePressure,
  parseSwitch,
  parseWord,
  readSystemFile,
} from './kernel-text.js';
import { readCpuQuota, readMemoryLimit } from './limits.js';
import { splitNodeOptions } from './node-options.js';
import { OWN_PACKAGE, readVersion } from './packages.js';
import { readOnlineCpus, readTopology } from './placement.js';

/** @import { Environment } from '../types/index.js' */
/** @import { SystemFileReader } from './kernel-text.js' */

const CPU_FOLDER = '/sys/devices/system/cpu';

/** @param {SystemFileReader} read */
function readCpus(read) {
  const cpus = os.cpus();
  const usableCpus = readTopology(read)?.usableCpus ?? null;
  const governors = (usableCpus ?? [0]).map((cpu) =>
    parseWord(read(`${CPU_FOLDER}/cpu${cpu}/cpufreq/scaling_governor`)),
  );
  const noTurbo = parseSwitch(read(`${CPU_FOLDER}/intel_pstate/no_turbo`));
  return {
    cpuModel: parseWord(cpus[0]?.model ?? null),
    // os.cpus() is empty without /proc/stat, as in some sandboxes.
    logicalCpus: cpus.length || (readOnlineCpus(read)?.length ?? os.availableParallelism()),
    usableCpus,
    cpuQuota: readCpuQuota(read),
    smt: parseSwitch(read(`${CPU_FOLDER}/smt/active`)),
    governor: [...new Set(governors.filter((governor) => governor !== null))].join(', ') || null,
    turbo: noTurbo === null ? parseSwitch(read(`${CPU_FOLDER}/cpufreq/boost`)) : !noTurbo,
  };
}

/** @param {SystemFileReader} read */
function readSurroundings(read) {
  return {
    hypervisor: detectHypervisor({
      cpuinfo: read('/proc/cpuinfo'),
      type: read('/sys/hypervisor/type'),
      vendor: read('/sys/class/dmi/id/sys_vendor'),
      product: read('/sys/class/dmi/id/product_name'),
    }),
    container: detectContainer({
      dockerFile: read('/.dockerenv'),
      podmanFile: read('/run/.containerenv'),
      firstCgroup: read('/proc/1/cgroup'),
      environment: process.env,
    }),
    clockSource: parseWord(read('/sys/devices/system/clocksource/clocksource0/current_clocksource')),
  };
}

/** @param {SystemFileReader} read */
function osName(read) {
  // On other systems os.version() may contain the name of the machine on which the kernel was built.
  if (process.platform === 'win32') return os.version();
  return parseOsName(read('/etc/os-release')) ?? `${os.type()} ${os.release()}`;
}

function nodeFlags() {
  return [...process.execArgv, ...splitNodeOptions(process.env.NODE_OPTIONS ?? '')].map((flag) =>
    redactText(flag),
  );
}

// Variables of the allocator, the loader, the thread pool, debugging, TLS, other runtimes, and libraries that transports and codecs use.
// Proxies are excluded, since no transport uses one.
const MATTERS =
  /^(?:UV_\w+|MALLOC_\w+|(?:MIMALLOC|TCMALLOC|OPENSSL|MSGPACKR|CBOR|PISCINA|UNDICI|WS_NO|GRPC_NODE|BUN_JSC)_\w+|GRPC_(?:TRACE|VERBOSITY)|GLIBC_TUNABLES|LD_(?:PRELOAD|AUDIT|LIBRARY_PATH|BIND_NOW|DEBUG|PROFILE)|DYLD_\w+|GO(?:GC|DEBUG|MAXPROCS|MEMLIMIT)|DENO_V8_FLAGS|NODE_(?:DEBUG|DEBUG_NATIVE|V8_COVERAGE|TLS_REJECT_UNAUTHORIZED)|DEBUG)$/;

/** @returns {Record<string, string>} inherited variables that may affect measurements */
function readVariables() {
  const set = Object.entries(process.env).filter(([name, value]) => value && MATTERS.test(name));
  return Object.fromEntries(set.sort().map(([name, value]) => [name, redactText(value ?? '')]));
}

/** @param {{ pinning: boolean }} known @param {SystemFileReader} [read] @returns {Environment} without brokers */
export function readEnvironment({ pinning }, read = readSystemFile) {
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
    variables: readVariables(),
    loadAverage: os.loadavg(),
    openFilesLimit: parseOpenFilesLimit(read('/proc/self/limits')),
    pressureCpuSome: parsePressure(read('/proc/pressure/cpu')),
    tmpFilesystem: findFilesystem(read('/proc/mounts'), os.tmpdir()),
    pinning,
    packages: packageVersions(),
    brokers: {},
  };
}

const FOUND_BY_CHANCE = ['bufferutil']; // ws uses it if it is installed
// Packages for charts and the terminal do not take part in measuring.
const NOT_MEASURED = /^(?:@fontsource\/|@napi-rs\/canvas|canvas|chart|cli-table|log-update|yargs)/;

/** @returns {Record<string, string>} versions, by name, of the installed packages that take part in measuring */
function packageVersions() {
  const { dependencies, peerDependencies } = OWN_PACKAGE;
  const names = [...Object.keys({ ...dependencies, ...peerDependencies }), ...FOUND_BY_CHANCE];
  const measured = names.filter((name) => !NOT_MEASURED.test(name));
  const versions = measured.map((name) => [name, readVersion(name)]);
  return Object.fromEntries(
    versions.flatMap(([name, version]) => (version === null ? [] : [[name, version]])),
  );
}
