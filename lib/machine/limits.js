// Limits of this machine: CPU time, memory and number of tasks of control groups (version 1 and 2, also in containers), the memory of a
// launch, connections, and the bandwidth of a network interface. Also describes which limit has stopped a process.

import os, { networkInterfaces } from 'node:os';
import { sum } from '../statistics/sum.js';
import { parseOpenFilesLimit, parseWord, readSystemFile } from './kernel-text.js';

/** @import { SystemFileReader } from './kernel-text.js' */
/** @import { NetworkLink } from '../types/index.js' */

/** @param {string} folder @returns the folder and its ancestors: '/a/b', '/a', '' */
function withAncestors(folder) {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '..');
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`).concat('');
}

/**
 * @param {SystemFileReader} read
 * @param {string} controller    'cpu', 'memory' or 'pids'
 * @returns the folders that may contain a limit of this process
 */
function groupFolders(read, controller) {
  /** @type {{ v1: string[], v2: string[] }} */
  const folders = { v1: [], v2: [] };
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'));
  for (const mount of (read('/proc/mounts') ?? '').split('\n')) {
    const [, mountPoint, type, options = ''] = mount.split(' ');
    const isV2 = type === 'cgroup2';
    if (!isV2 && !(type === 'cgroup' && options.split(',').includes(controller))) continue;
    const group = groups.find(([, controllers]) =>
      isV2 ? controllers === '' : controllers?.split(',').includes(controller),
    );
    // The limits of ancestors apply too. In a container, the path of the group may begin at the root of the host while the mount is the
    // group itself. Then the ancestor '' names the group.
    const found = withAncestors(group?.slice(2).join(':') ?? '').map((folder) => mountPoint + folder);
    folders[isV2 ? 'v2' : 'v1'].push(...found);
  }
  return folders;
}

/** @param {(number | null)[]} limits @returns the lowest one; null if there is none */
function strictest(limits) {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** @param {string | null | undefined} text */
function positiveNumber(text) {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** @param {string | null} quota   µs @param {string | null} period   µs @returns cores; null without a quota */
function parseQuota(quota, period) {
  const quotaUs = positiveNumber(quota);
  const periodUs = positiveNumber(period);
  return quotaUs === null || periodUs === null ? null : quotaUs / periodUs;
}

/**
 * @param {SystemFileReader} read
 * @returns {{ file: string, cores: number, without: string }[]} the quotas of this process; writing `without` to the file removes the quota
 */
export function readCpuQuotas(read) {
  const { v1, v2 } = groupFolders(read, 'cpu');
  const found = [
    ...v1.map((folder) => ({
      file: `${folder}/cpu.cfs_quota_us`,
      cores: parseQuota(read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`)),
      without: '-1',
    })),
    ...v2.map((folder) => {
      const [quota, period] = (read(`${folder}/cpu.max`) ?? '').trim().split(' ');
      return { file: `${folder}/cpu.max`, cores: parseQuota(quota, period ?? null), without: 'max' };
    }),
  ];
  return found.flatMap(({ cores, ...rest }) => (cores === null ? [] : [{ cores, ...rest }]));
}

/** @param {SystemFileReader} read @returns quota in cores, or null without a limit */
export function readCpuQuota(read) {
  return strictest(readCpuQuotas(read).map(({ cores }) => cores));
}

/**
 * @param {SystemFileReader} read
 * @param {number} memoryBytes   memory of the machine
 * @returns the lowest memory limit of this process in bytes; null without a limit below `memoryBytes`
 */
export function readMemoryLimit(read, memoryBytes) {
  const { v1, v2 } = groupFolders(read, 'memory');
  const files = [
    ...v1.map((folder) => `${folder}/memory.limit_in_bytes`),
    ...v2.map((folder) => `${folder}/memory.max`),
  ];
  const limit = strictest(files.map((file) => positiveNumber(read(file))));
  return limit !== null && limit < memoryBytes ? limit : null;
}

/**
 * @param {SystemFileReader} read
 * @returns the number of periods in which a control group exhausted its CPU quota, since the groups of this process were created, summed
 *   over them; null if unknown
 */
export function readThrottledPeriods(read) {
  const { v1, v2 } = groupFolders(read, 'cpu');
  const counts = [...v1, ...v2].flatMap((folder) => {
    const found = /^nr_throttled (\d+)$/m.exec(read(`${folder}/cpu.stat`) ?? '')?.[1];
    return found === undefined ? [] : [Number(found)];
  });
  return counts.length === 0 ? null : sum(counts);
}

/**
 * @param {SystemFileReader} [read]
 * @returns {{ file: string, most: number, used: number } | null} processes and threads of the control group with the least room;
 *   null without a limit
 */
export function readTaskLimit(read = readSystemFile) {
  const { v1, v2 } = groupFolders(read, 'pids');
  const limits = [...v1, ...v2].flatMap((folder) => {
    const most = positiveNumber(read(`${folder}/pids.max`));
    const used = positiveNumber(read(`${folder}/pids.current`)) ?? 0;
    return most === null ? [] : [{ file: `${folder}/pids.max`, most, used }];
  });
  return limits.sort((left, right) => left.most - left.used - (right.most - right.used))[0] ?? null;
}

/**
 * @param {SystemFileReader} [read]
 * @returns `tasks`: processes and threads that the control groups of this process have refused since they were created; `kills`: processes
 *   that the system has killed for lack of memory since it started
 */
export function readRefusals(read = readSystemFile) {
  const { v1, v2 } = groupFolders(read, 'pids');
  /** @param {string} file @param {RegExp} count */
  const countIn = (file, count) => Number(count.exec(read(file) ?? '')?.[1] ?? 0);
  return {
    tasks: sum([...v1, ...v2].map((folder) => countIn(`${folder}/pids.events`, /^max (\d+)$/m))),
    kills: countIn('/proc/vmstat', /^oom_kill (\d+)$/m),
  };
}

/**
 * @param {ReturnType<typeof readRefusals>} before
 * @param {SystemFileReader} [read]
 * @returns {string | null} the limit that has stopped a process or thread since `before`; null if none has
 */
export function describeRefusals(before, read = readSystemFile) {
  const { tasks, kills } = readRefusals(read);
  if (tasks > before.tasks) {
    const { file, most } = readTaskLimit(read) ?? {};
    const limit = file === undefined ? '' : `: ${file} allows ${most}`;
    return `the control group has refused processes or threads${limit}. Raise this limit, or use fewer workers`;
  }
  if (kills === before.kills) return null;
  return 'the system has killed a process because memory ran out. Use fewer workers or smaller messages, or raise the limit of memory';
}

const SHARE_OF_LAUNCH = 0.25; // of free memory; the rest is needed because processes grow further until a launch above the limit has ended
const MIN_BYTES = 2 ** 28; // a Node.js process may grow by this much without a leak

export function freeMemoryBytes() {
  // Respects control groups. Other runtimes may lack the function.
  return process.availableMemory?.() ?? os.freemem();
}

export function memoryBytes() {
  return readMemoryLimit(readSystemFile, os.totalmem()) ?? os.totalmem();
}

/** @returns bytes by which the processes of a launch may grow */
export function memoryOfLaunch() {
  return Math.max(MIN_BYTES, Math.floor(SHARE_OF_LAUNCH * freeMemoryBytes()));
}

/**
 * @param {string} address
 * @param {ReturnType<typeof networkInterfaces>} [interfaces]
 * @param {SystemFileReader} [read]
 * @returns {NetworkLink | null} null for the loopback, or if no interface has the address
 */
export function findNetworkLink(address, interfaces = networkInterfaces(), read = readSystemFile) {
  const all = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.map((one) => ({ name, ...one })),
  );
  const found = all.find((one) => one.address === address && !one.internal);
  if (found === undefined) return null;
  /** @param {string} file */
  const numberIn = (file) => {
    const number = Number.parseInt(read(`/sys/class/net/${found.name}/${file}`) ?? '', 10);
    return number > 0 ? number : null; // -1 if unknown
  };
  return { mtuBytes: numberIn('mtu'), megabitsPerSecond: numberIn('speed') };
}

/**
 * @typedef {{ openFiles: number | null, ports: number | null, backlog: number | null }} ConnectionRoom   openFiles: limit of a process; ports:
 *   number of ports for outgoing connections; backlog: most connections that may wait to be accepted; null if unknown
 */

/**
 * Node raises the soft limit of open files to the hard one when it starts, so the soft limit is the actual one.
 * @param {SystemFileReader} [read]
 * @returns {ConnectionRoom}
 */
export function readConnectionRoom(read = readSystemFile) {
  const backlog = parseWord(read('/proc/sys/net/core/somaxconn'));
  const [first, last] = (read('/proc/sys/net/ipv4/ip_local_port_range') ?? '')
    .trim()
    .split(/\s+/)
    .map(Number);
  return {
    openFiles: parseOpenFilesLimit(read('/proc/self/limits')),
    ports: last >= first ? last - first + 1 : null,
    backlog: backlog === null ? null : Number(backlog),
  };
}
