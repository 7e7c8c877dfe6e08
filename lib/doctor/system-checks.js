// What doctor says about the rest of the machine: who else uses it, the tools and servers, limits, and the temporary
// folder.

import { LONGEST_PARENT_BYTES } from '../children/run-directory.js';
import { groupedBy } from '../format/lists.js';
import { formatMemory, formatPercent } from '../format/numbers.js';
import { DISTURBING_SHARE } from '../machine/noise.js';
import { installCommand, outsideCommand, UTILITIES } from './mending.js';

/** @import { Check } from './diagnosis.js' */

const FEWEST_FILES = 1_024;
const FEWEST_PROCESSES = 512;
const SHORTEST_BACKLOG = 511; // what Node asks for by default
const LEAST_MEMORY_BYTES = 2 ** 30; // eighteen processes of 55 MB
const REMOTE_FILESYSTEMS = /^(?:nfs|cifs|smb|9p|fuse|virtiofs|vboxsf|afs|ceph)/;

/**
 * @param {string} what   takes this share of the CPUs
 * @param {number | null} share
 * @param {{ means: string, mend: string | null }} advice
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
    level: bytes >= LEAST_MEMORY_BYTES ? 'ok' : 'advice',
    found: `${formatMemory(bytes)}${memoryLimitBytes === null ? '' : ', by its control group'}`,
    means: 'each process of a launch needs about 55 MB: launches with many workers may be killed',
    mend:
      memoryLimitBytes === null ? null : outsideCommand({ container }, '--memory 2g --memory-swap 2g', ''),
  };
}

/** @type {Check} */
function checkPinning(facts) {
  if (facts.pinning) return { level: 'ok', found: 'taskset is there' };
  if (facts.platform !== 'linux') {
    const means =
      'the scheduler places each process: repeat a run before you rely on a difference below 20 %';
    return { level: 'advice', found: `${facts.platform} cannot pin processes`, means, mend: null };
  }
  return {
    level: 'unfit',
    found: 'taskset is missing',
    means: 'the scheduler places each process: the same row repeats within 20 to 60 % instead of 5 %',
    mend: installCommand(facts, UTILITIES),
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
    mend: installCommand(facts, UTILITIES),
  };
}

/**
 * @param {number | null} limit
 * @param {number} least
 * @param {{ means: string, mend: string }} advice
 * @returns {ReturnType<Check>}
 */
function limitFinding(limit, least, advice) {
  if (limit === null) return { level: 'ok', found: 'no known limit' };
  return { level: limit >= least ? 'ok' : 'advice', found: String(limit), ...advice };
}

/** @type {Check} */
function checkFiles({ openFilesLimit }) {
  const means = 'the master holds several files per worker: launches of many workers fail with EMFILE';
  return limitFinding(openFilesLimit, FEWEST_FILES, { means, mend: `ulimit -n ${4 * FEWEST_FILES}` });
}

/** @type {Check} */
function checkProcesses({ processLimit }) {
  const means =
    'a process of Node has about ten threads, each counted: launches of many workers fail with EAGAIN';
  return limitFinding(processLimit, FEWEST_PROCESSES, { means, mend: `ulimit -u ${8 * FEWEST_PROCESSES}` });
}

/** @type {Check} */
function checkBacklog({ backlogLimit }) {
  if (backlogLimit === null) return { level: 'unknown', found: 'unknown on this system' };
  const means = 'if more workers connect at the same time, some are refused';
  return limitFinding(backlogLimit, SHORTEST_BACKLOG, {
    means,
    mend: 'sudo sysctl -w net.core.somaxconn=4096',
  });
}

/** @type {Check} */
function checkTemporaryPath({ temporaryFolder, platform }) {
  const bytes = Buffer.byteLength(temporaryFolder);
  return {
    level: platform === 'win32' || bytes <= LONGEST_PARENT_BYTES ? 'ok' : 'advice',
    found: `${bytes} bytes long`,
    means: `the path of a unix socket has 103 bytes at most: above ${LONGEST_PARENT_BYTES} runs use /tmp instead`,
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
  const [here, missing] = [true, false].map((isHere) =>
    runtimesHere.filter(({ versions }) => versions.length > 0 === isHere),
  );
  const found = here.map(({ name, versions }) => `${name} ${versions.join(' and ')}`);
  const absent = missing.map(({ name }) => `no ${name}`).join(', ');
  return {
    level: 'ok', // a run needs them where --runtime asks for them
    found: found.join(', ') + (absent === '' ? '' : `; ${absent}, which only --runtime needs`),
  };
}

/** @type {Check} */
function checkPlugins(facts) {
  const { unavailable } = facts;
  if (unavailable.length === 0) return { level: 'ok', found: 'all can be measured' };
  const reasons = [...groupedBy(unavailable, ({ reason }) => reason)].map(
    ([reason, some]) => `${some.map(({ name }) => name).join(', ')}: ${reason}`,
  );
  const commands = unavailable.flatMap(({ packages, server }) => {
    if (packages.length > 0) return [`npm install ${packages.join(' ')}`];
    return (server !== null && installCommand(facts, server)) || [];
  });
  return {
    level: 'advice',
    found: `${unavailable.length} cannot be measured`,
    means: reasons.join('; '),
    mend: commands.length === 0 ? null : [...new Set(commands)].join(' && '),
  };
}

/** @type {Readonly<Record<string, Check>>} */
export const SYSTEM_CHECKS = Object.freeze({
  load: checkLoad,
  steal: checkSteal,
  memory: checkMemory,
  pinning: checkPinning,
  orphans: checkOrphans,
  'open files': checkFiles,
  processes: checkProcesses,
  backlog: checkBacklog,
  'TMPDIR path': checkTemporaryPath,
  'TMPDIR disk': checkTemporaryFilesystem,
  'plug-ins': checkPlugins,
  runtimes: checkRuntimes,
});
