// Parsers of files that describe the machine, from the kernel and the distribution. They take the text, or null if it could not be read,
// and return null for unknown values. Tests pass texts of other machines.

import { readFileSync } from 'node:fs';
import { printable } from '../format/printable.js';

/** @param {string | null} text   content of a file with one word */
export function parseWord(text) {
  const word = printable(text ?? '').trim();
  return word === '' ? null : word;
}

/** @param {string | null} text    '0' or '1' */
export function parseSwitch(text) {
  const word = parseWord(text);
  return word === '0' || word === '1' ? word === '1' : null;
}

/** @param {string | null} limits    /proc/self/limits @returns the soft limit; null if it is 'unlimited' or unknown */
export function parseOpenFilesLimit(limits) {
  const soft = /^Max open files +(\d+)/m.exec(limits ?? '')?.[1];
  return soft === undefined ? null : Number(soft);
}

/** @param {string | null} pressure    /proc/pressure/cpu @returns percent of the last 10 s in which a process waited for a CPU; null if unknown */
export function parsePressure(pressure) {
  const average = /^some avg10=(\d+\.\d+)/m.exec(pressure ?? '')?.[1];
  return average === undefined ? null : Number(average);
}

/** @param {string | null} osRelease    /etc/os-release @returns 'Debian GNU/Linux 12 (bookworm)'; null if unknown */
export function parseOsName(osRelease) {
  return parseWord(/^PRETTY_NAME=["']?([^"'\n]+)/m.exec(osRelease ?? '')?.[1] ?? null);
}

/**
 * @param {string | null} mounts    /proc/mounts
 * @param {string} folder           absolute
 * @returns the type of its file system, such as 'ext4'; null if unknown
 */
export function findFilesystem(mounts, folder) {
  /** @type {{ mountPoint: string, type: string | null }} */
  let nearest = { mountPoint: '', type: null };
  for (const line of (mounts ?? '').split('\n')) {
    const [, escaped, type] = line.split(' ');
    if (type === undefined) continue;
    // Spaces are octal escapes.
    const mountPoint = escaped.replace(/\\([0-7]{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const isAround =
      folder === mountPoint || folder.startsWith(mountPoint.endsWith('/') ? mountPoint : `${mountPoint}/`);
    // Also takes a mount of equal length, since a later mount hides the earlier one.
    if (isAround && mountPoint.length >= nearest.mountPoint.length)
      nearest = { mountPoint, type: parseWord(type) };
  }
  return nearest.type;
}

/**
 * @param {{ cpuinfo: string | null, type: string | null, vendor: string | null, product: string | null }} texts
 *     /proc/cpuinfo, /sys/hypervisor/type, sys_vendor and product_name of /sys/class/dmi/id
 * @returns name of the hypervisor or of the virtual machine, or 'unnamed'; null without a hypervisor
 */
export function detectHypervisor({ cpuinfo, type, vendor, product }) {
  const flags = /^flags\s*:(.*)$/m.exec(cpuinfo ?? '')?.[1];
  const named = [parseWord(vendor), parseWord(product)].filter((word) => word !== null).join(' ');
  // On x86 the flag decides, since bare metal of a cloud provider has the vendor but not the flag. On other processors the vendor decides.
  const isVirtual =
    flags === undefined
      ? /QEMU|KVM|EC2 [a-z0-9]+\.(?!metal)|Google|Virtual|VMware|Xen|Parallels|Bochs/.test(named)
      : /\bhypervisor\b/.test(flags);
  return isVirtual ? (parseWord(type) ?? (named === '' ? 'unnamed' : named)) : parseWord(type);
}

/**
 * @param {object} hints
 * @param {string | null} hints.dockerFile      /.dockerenv
 * @param {string | null} hints.podmanFile      /run/.containerenv
 * @param {string | null} hints.firstCgroup     /proc/1/cgroup
 * @param {Record<string, string | undefined>} hints.environment
 * @returns a name such as 'docker'; null if nothing hints at a container
 */
export function detectContainer({ dockerFile, podmanFile, firstCgroup, environment }) {
  if (environment.KUBERNETES_SERVICE_HOST !== undefined) return 'kubernetes';
  if (podmanFile !== null) return 'podman';
  if (dockerFile !== null) return 'docker';
  // systemd-nspawn, LXC and others set this variable.
  if (/^[a-z][a-z-]{1,20}$/.test(environment.container ?? '')) return environment.container ?? null;
  const hint = /kubepods|docker|lxc|containerd/.exec(firstCgroup ?? '')?.[0] ?? null;
  return hint === 'kubepods' ? 'kubernetes' : hint;
}

/** @typedef {(path: string) => string | null} SystemFileReader   null if the file cannot be read */

/** @type {SystemFileReader} */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
