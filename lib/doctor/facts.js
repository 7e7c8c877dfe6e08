// Facts for the checks of doctor, as plain data. Reading them changes nothing.

import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { canDieWithParent, canPin } from '../children/launcher.js';
import { readEnvironment } from '../machine/environment.js';
import { parseWord, readSystemFile } from '../machine/kernel-text.js';
import { readConnectionRoom, readCpuQuotas, readTaskLimit } from '../machine/limits.js';
import { hasLoopback } from '../machine/loopback.js';
import { noiseBetween, readNoise } from '../machine/noise.js';
import { readOnlineCpus } from '../machine/placement.js';
import { readWindowsFacts } from './windows.js';

/** @import { SystemFileReader } from '../machine/kernel-text.js' */
/** @import { WindowsFacts } from './windows.js' */
/** @import { Environment, SystemPackages } from '../types/index.js' */
/**
 * @typedef {object} Unavailable
 * @property {string} name              name of a transport, or for example 'codec cbor'
 * @property {string} reason
 * @property {string[]} packages        arguments of npm install
 * @property {SystemPackages | null} server   packages of the system that contain the server of the transport; null if it has none
 */
/**
 * @typedef {object} GivenFacts          facts that collectFacts() does not read itself
 * @property {boolean} pinning
 * @property {boolean} dyingWithParent
 * @property {string} temporaryFolder
 * @property {WindowsFacts | null} [windows]    set on Windows only
 * @property {{ othersShare: number | null, stealShare: number | null }} load    shares of all CPUs, over one second
 * @property {Unavailable[]} unavailable
 * @property {{ name: string, versions: string[] }[]} [runtimesHere]   not set if runtimes were not searched for
 */
/** @typedef {GivenFacts & Environment & Details} MachineFacts */
/**
 * @typedef {object} Details
 * @property {{ file: string, cores: number, without: string }[]} cpuQuotas
 * @property {number[] | null} onlineCpus    CPUs that the kernel uses; null if unknown
 * @property {string[]} clockSources         clocks that this machine offers
 * @property {'no_turbo' | 'boost' | null} turboSwitch
 * @property {string[]} distributions        the id of the distribution, then those that it derives from, for example 'ubuntu', 'debian'
 * @property {number | null} processLimit
 * @property {ReturnType<typeof readTaskLimit>} taskLimit   the limit of the control group
 * @property {number | null} backlogLimit    number of connections that can wait to be accepted
 * @property {number | null} ports           number of ports for the connections of this host
 * @property {boolean} hasLoopback
 */

const LOOK_MS = 1_000; // time over which the load is read: 100 ticks of the kernel's counters

/** @param {Pick<GivenFacts, 'unavailable' | 'runtimesHere'>} known @returns {Promise<MachineFacts>} */
export async function readMachineFacts({ unavailable, runtimesHere }) {
  const load = await readLoad();
  const windows = process.platform === 'win32' ? await readWindowsFacts() : null; // after the load, since this starts programs
  const known = { pinning: canPin(), dyingWithParent: canDieWithParent(), temporaryFolder: tmpdir() };
  return collectFacts({ ...known, load, windows, unavailable, runtimesHere });
}

async function readLoad() {
  const from = readNoise([]);
  await sleep(LOOK_MS);
  const { othersShare, stealShare } = noiseBetween(from, readNoise([]), null);
  return { othersShare, stealShare };
}

/** @param {GivenFacts} known @param {SystemFileReader} [read] @returns {MachineFacts} */
export function collectFacts(known, read = readSystemFile) {
  /** @param {string} path */
  const words = (path) => (parseWord(read(path)) ?? '').split(' ').filter(Boolean);
  const { backlog, ports } = readConnectionRoom(read);
  const processes = /^Max processes +(\d+)/m.exec(read('/proc/self/limits') ?? '')?.[1];
  return {
    ...readEnvironment({ pinning: known.pinning }, read),
    ...known,
    cpuQuotas: readCpuQuotas(read),
    onlineCpus: readOnlineCpus(read),
    clockSources: words('/sys/devices/system/clocksource/clocksource0/available_clocksource'),
    turboSwitch: findTurboSwitch(read),
    distributions: parseDistributions(read('/etc/os-release')),
    processLimit: processes === undefined ? null : Number(processes),
    taskLimit: readTaskLimit(read),
    backlogLimit: backlog,
    ports,
    hasLoopback: hasLoopback(),
  };
}

/** @param {SystemFileReader} read */
function findTurboSwitch(read) {
  if (read('/sys/devices/system/cpu/intel_pstate/no_turbo') !== null) return 'no_turbo';
  return read('/sys/devices/system/cpu/cpufreq/boost') === null ? null : 'boost';
}

/** @param {string | null} osRelease */
function parseDistributions(osRelease) {
  return ['ID', 'ID_LIKE'].flatMap((key) => {
    const value = new RegExp(`^${key}=["']?([^"'\\n]*)`, 'm').exec(osRelease ?? '')?.[1] ?? '';
    return value.split(' ').filter(Boolean);
  });
}
