// The limits that control groups, version 1 and 2, put on this process. Containers are such groups.

/** @typedef {import('../system-file.js').SystemFileReader} SystemFileReader */

/**
 * @param {string} folder    of the process, within the hierarchy: '/a/b'
 * @returns {string[]} it and all that contain it: '/a/b', '/a', ''
 */
function withAncestors(folder) {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '..');
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`).concat('');
}

/**
 * @param {SystemFileReader} read
 * @param {string} controller    'cpu' or 'memory'
 * @returns {{ v1: string[], v2: string[] }} the folders in which a limit of this process may be written
 */
function groupFolders(read, controller) {
  /** @type {{ v1: string[], v2: string[] }} */
  const folders = { v1: [], v2: [] };
  const groups = (read('/proc/self/cgroup') ?? '').split('\n').map((line) => line.split(':'));
  for (const mount of (read('/proc/mounts') ?? '').split('\n')) {
    const [, place, type, options = ''] = mount.split(' ');
    const isV2 = type === 'cgroup2';
    if (!isV2 && !(type === 'cgroup' && options.split(',').includes(controller))) continue;
    const group = groups.find(([, controllers]) =>
      isV2 ? controllers === '' : controllers?.split(',').includes(controller),
    );
    // In a container the path may be that of the outside, but the mount begins at the group: hence the ancestors.
    const found = withAncestors(group?.slice(2).join(':') ?? '').map((folder) => place + folder);
    folders[isV2 ? 'v2' : 'v1'].push(...found);
  }
  return folders;
}

/** @param {(number | null)[]} limits @returns {number | null} */
function strictest(limits) {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** @param {string | null | undefined} text @returns {number | null} */
function positiveNumber(text) {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}

/** @param {string | null} quota @param {string | null} period @returns {number | null} cores */
function coresOf(quota, period) {
  const quotaUs = positiveNumber(quota);
  const periodUs = positiveNumber(period);
  return quotaUs === null || periodUs === null ? null : quotaUs / periodUs;
}

/**
 * @param {SystemFileReader} read
 * @returns {number | null} cores' worth of time; null: no limit, or none that can be read
 */
export function readCpuQuota(read) {
  const { v1, v2 } = groupFolders(read, 'cpu');
  return strictest([
    ...v1.map((folder) => coresOf(read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`))),
    ...v2.map((folder) => {
      const [quota, period] = (read(`${folder}/cpu.max`) ?? '').trim().split(' ');
      return coresOf(quota, period ?? null);
    }),
  ]);
}

/**
 * @param {SystemFileReader} read
 * @param {number} memoryBytes    of the machine: a limit above it is none
 * @returns {number | null}
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
