// What doctor says of machines whose texts were captured: for each finding what it means, and the command that mends it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { doctorText } from '../../lib/cli/doctor.js';
import { diagnose } from '../../lib/doctor/checks.js';
import { collectFacts } from '../../lib/doctor/facts.js';
import { runProgram } from '../../lib/doctor/windows.js';
import { redisBroker } from '../../lib/transport/brokers/redis-broker.js';
import { natsBroker } from '../../transports/nats/nats.js';
import { callCli, placeForEach, startCli } from '../fixtures/cli-run.js';

const CPU = '/sys/devices/system/cpu';
const CLOCK = '/sys/devices/system/clocksource/clocksource0';
const LIMITS = [
  'Limit                     Soft Limit           Hard Limit           Units',
  'Max processes             96365                96365                processes',
  'Max open files            20000                20000                files',
].join('\n');

/** A server on which nothing is wrong. */
const SERVER = {
  '/proc/self/status': 'Cpus_allowed_list:\t0-7\n',
  [`${CPU}/online`]: '0-7\n',
  [`${CPU}/smt/active`]: '0\n',
  [`${CPU}/intel_pstate/no_turbo`]: '1\n',
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, cpu) => [`${CPU}/cpu${cpu}/cpufreq/scaling_governor`, 'performance\n']),
  ),
  [`${CLOCK}/current_clocksource`]: 'tsc\n',
  [`${CLOCK}/available_clocksource`]: 'tsc hpet acpi_pm \n',
  '/proc/self/limits': LIMITS,
  '/proc/sys/net/core/somaxconn': '4096\n',
  '/proc/mounts': '/dev/vda / ext4 rw 0 0\n',
  '/etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
};
/** @type {import('../../lib/doctor/facts.js').Known} */
const KNOWN = {
  pinning: true,
  dyingWithParent: true,
  temporaryFolder: '/tmp',
  load: { othersShare: 0.004, stealShare: 0 },
  unavailable: [],
  runtimesHere: [
    { name: 'bun', versions: [] },
    { name: 'node', versions: ['20.20.2', '22.1.0'] },
  ],
};
const SHARED = {
  logicalCpus: 8,
  memoryBytes: 16 * 2 ** 30,
  container: null,
  platform: 'linux',
  tmpFilesystem: 'ext4',
};

/**
 * @param {Record<string, string>} files     that are otherwise than on the server
 * @param {Partial<import('../../lib/doctor/facts.js').Facts>} [known]
 */
function findings(files, known = {}) {
  const texts = /** @type {Record<string, string>} */ ({ ...SERVER, ...files });
  const facts = collectFacts({ ...KNOWN, ...known }, (path) => texts[path] ?? null);
  // These come from Node, not from texts.
  return diagnose({ ...facts, ...SHARED, ...known });
}

const GROUP_2 = {
  '/proc/self/cgroup': '0::/run.scope\n',
  '/proc/mounts': 'c /sys/fs/cgroup cgroup2 rw 0 0\n',
};
const GROUP_1 = {
  '/proc/self/cgroup': '4:cpu:/a\n',
  '/proc/mounts': 'c /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n',
};
const MISSING_REDIS = {
  name: 'redis-pubsub',
  reason: 'no redis-server or valkey-server on PATH: apt install redis-server',
  packages: [],
  server: redisBroker.packages ?? null,
};
const MISSING_PACKAGE = {
  name: 'zeromq',
  reason: 'the package zeromq cannot be loaded (ERR): npm install zeromq',
  packages: ['zeromq'],
  server: null,
};

/** @type {[string, string, Record<string, string>, Partial<import('../../lib/doctor/facts.js').Facts>, string[]][]} */
const SICK = [
  [
    'a single CPU of eight',
    'CPUs',
    { '/proc/self/status': 'Cpus_allowed_list:\t3\n' },
    {},
    ['UNFIT', '1 usable CPU', 'master and workers share it', '$ taskset -acp 0-7 $$'],
  ],
  [
    'a machine of one CPU, which no command mends',
    'CPUs',
    { '/proc/self/status': 'Cpus_allowed_list:\t0\n' },
    { logicalCpus: 1 },
    ['UNFIT', '1 usable CPU', 'master and workers share it', ''],
  ],
  [
    'an affinity mask',
    'affinity',
    { '/proc/self/status': 'Cpus_allowed_list:\t0,2-3\n' },
    {},
    ['advice', 'CPUs 0, 2–3 of 8', 'these CPUs only', '$ taskset -acp 0-7 $$'],
  ],
  [
    'the CPUs that a container was given',
    'affinity',
    { '/proc/self/status': 'Cpus_allowed_list:\t0-1\n' },
    { container: 'docker' },
    ['advice', 'CPUs 0–1 of 8', 'these CPUs only', '$ docker update --cpuset-cpus 0-7 CONTAINER'],
  ],
  [
    'a quota of control groups of version 2',
    'CPU quota',
    { ...GROUP_2, '/sys/fs/cgroup/run.scope/cpu.max': '150000 100000\n' },
    {},
    [
      'UNFIT',
      'the time of 1.50 CPUs',
      'all processes pause',
      '$ echo max | sudo tee /sys/fs/cgroup/run.scope/cpu.max',
    ],
  ],
  [
    'a quota of control groups of version 1',
    'CPU quota',
    {
      ...GROUP_1,
      '/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us': '50000\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_period_us': '100000\n',
    },
    {},
    [
      'UNFIT',
      'the time of 0.500 CPUs',
      'all processes pause',
      '$ echo -1 | sudo tee /sys/fs/cgroup/cpu/a/cpu.cfs_quota_us',
    ],
  ],
  [
    'the quota of a container',
    'CPU quota',
    { ...GROUP_2, '/sys/fs/cgroup/cpu.max': '200000 100000\n' },
    { container: 'podman' },
    ['UNFIT', 'the time of 2.00 CPUs', 'all processes pause', '$ podman update --cpu-quota -1 CONTAINER'],
  ],
  [
    'the quota of a pod, which only its own configuration lifts',
    'CPU quota',
    { ...GROUP_2, '/sys/fs/cgroup/cpu.max': '200000 100000\n' },
    { container: 'kubernetes' },
    ['UNFIT', 'the time of 2.00 CPUs', 'all processes pause', ''],
  ],
  [
    'a governor that saves power',
    'governor',
    { [`${CPU}/cpu3/cpufreq/scaling_governor`]: 'powersave\n' },
    {},
    [
      'advice',
      'performance, powersave',
      'frequency follows the load',
      `$ echo performance | sudo tee ${CPU}/cpu*/cpufreq/scaling_governor`,
    ],
  ],
  [
    'turbo on Intel',
    'turbo',
    { [`${CPU}/intel_pstate/no_turbo`]: '0\n' },
    {},
    ['advice', 'on', 'depends on heat', `$ echo 1 | sudo tee ${CPU}/intel_pstate/no_turbo`],
  ],
  [
    'turbo elsewhere',
    'turbo',
    { [`${CPU}/intel_pstate/no_turbo`]: /** @type {any} */ (null), [`${CPU}/cpufreq/boost`]: '1\n' },
    {},
    ['advice', 'on', 'depends on heat', `$ echo 0 | sudo tee ${CPU}/cpufreq/boost`],
  ],
  [
    'two threads per core',
    'SMT',
    { [`${CPU}/smt/active`]: '1\n' },
    {},
    ['advice', 'on', 'share a core', `$ echo off | sudo tee ${CPU}/smt/control`],
  ],
  [
    'a slow clock',
    'clock',
    { [`${CLOCK}/current_clocksource`]: 'hpet\n' },
    {},
    ['UNFIT', 'hpet', 'reading the clock', `$ echo tsc | sudo tee ${CLOCK}/current_clocksource`],
  ],
  [
    'a slow clock without a better one',
    'clock',
    { [`${CLOCK}/current_clocksource`]: 'acpi_pm\n', [`${CLOCK}/available_clocksource`]: 'acpi_pm \n' },
    {},
    ['UNFIT', 'acpi_pm', 'reading the clock', ''],
  ],
  [
    'other programs',
    'load',
    {},
    { load: { othersShare: 0.34, stealShare: 0 } },
    ['UNFIT', 'other programs use 34 % of the CPUs', 'wait for them', '$ top -b -n 1 -o %CPU | head -n 15'],
  ],
  [
    'other virtual machines',
    'steal',
    {},
    { load: { othersShare: 0, stealShare: 0.08 } },
    ['UNFIT', 'other virtual machines take 8 % of the CPUs', 'dedicated CPUs', ''],
  ],
  [
    'little memory in a container',
    'memory',
    {},
    { memoryLimitBytes: 512 * 2 ** 20, container: 'docker' },
    [
      'advice',
      '512 MiB, by its control group',
      'may be killed',
      '$ docker update --memory 2g --memory-swap 2g CONTAINER',
    ],
  ],
  [
    'no taskset',
    'pinning',
    {},
    { pinning: false },
    ['UNFIT', 'taskset is missing', 'scheduler places', '$ sudo apt-get install util-linux'],
  ],
  [
    'no taskset on Alpine',
    'pinning',
    { '/etc/os-release': 'ID=alpine\n' },
    { pinning: false },
    ['UNFIT', 'taskset is missing', 'scheduler places', '$ sudo apk add util-linux'],
  ],
  [
    'a system that pins nothing',
    'pinning',
    {},
    { pinning: false, platform: 'darwin' },
    ['advice', 'not pinned: darwin has no call for it', 'scheduler places', ''],
  ],
  [
    'no setpriv on a relative of Fedora',
    'orphans',
    { '/etc/os-release': 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' },
    { dyingWithParent: false },
    ['advice', 'setpriv is missing', 'may survive', '$ sudo dnf install util-linux'],
  ],
  [
    'few open files',
    'open files',
    { '/proc/self/limits': LIMITS.replaceAll('20000', '256  ') },
    {},
    ['advice', '256', 'EMFILE', '$ ulimit -n 4096'],
  ],
  [
    'few processes',
    'processes',
    { '/proc/self/limits': LIMITS.replaceAll('96365', '128  ') },
    {},
    ['advice', '128', 'EAGAIN', '$ ulimit -u 4096'],
  ],
  [
    'a short backlog',
    'backlog',
    { '/proc/sys/net/core/somaxconn': '128\n' },
    {},
    ['advice', '128', 'refused', '$ sudo sysctl -w net.core.somaxconn=4096'],
  ],
  [
    'a temporary folder with a long path',
    'TMPDIR path',
    {},
    { temporaryFolder: '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/private' },
    ['advice', '56 bytes long', '103 bytes at most', '$ export TMPDIR=/tmp'],
  ],
  [
    'temporary files on another machine',
    'TMPDIR disk',
    {},
    { tmpFilesystem: 'nfs4' },
    ['UNFIT', 'nfs4', 'another machine', '$ export TMPDIR=/dev/shm'],
  ],
  [
    'several transports that lack the same',
    'plug-ins',
    {},
    {
      unavailable: [
        { ...MISSING_REDIS, name: 'redis-list' },
        MISSING_REDIS,
        { name: 'nats', reason: 'no nats-server on PATH', packages: [], server: natsBroker.packages ?? null },
      ],
    },
    [
      'advice',
      '3 cannot be measured',
      'redis-list, redis-pubsub: .*; nats: no nats-server on PATH',
      '$ sudo apt-get install redis-server && sudo apt-get install nats-server',
    ],
  ],
  [
    'a server and a package that are missing',
    'plug-ins',
    {},
    { unavailable: [MISSING_REDIS, MISSING_PACKAGE] },
    [
      'advice',
      '2 cannot be measured',
      'no redis-server',
      '$ sudo apt-get install redis-server && npm install zeromq',
    ],
  ],
];

describe('doctor', () => {
  const place = placeForEach();

  it('finds nothing on a fit machine', () => {
    for (const { check, level, means, mend } of findings({})) {
      assert.deepEqual([check, level, means, mend], [check, 'ok', null, null]);
    }
    assert.match(
      doctorText(findings({}), 80),
      /\nok +runtimes +node 20\.20\.2 and 22\.1\.0; no bun, which only --runtime needs\n/,
    );
    assert.match(doctorText(findings({}), 80), /\nThis machine is fit to measure on\.\n$/);
  });

  for (const [name, check, files, known, [level, found, means, command]] of SICK) {
    it(`reports ${name} with its effect and the command`, () => {
      const finding = findings(files, known).find((each) => each.check === check);
      assert.ok(finding !== undefined);
      const [head, ...lines] = doctorText([finding], 110).trimEnd().split('\n').slice(0, -2);
      assert.equal(head.replace(/ +/g, ' '), `${level} ${check} ${found}`.replace(/ +/g, ' '));
      assert.match(finding.means ?? '', new RegExp(means));
      assert.equal(finding.mend, command === '' ? null : command.slice(2));
      if (command !== '') assert.equal(lines.at(-1)?.trim(), command, 'in one piece, to be copied');
    });
  }

  it('reports facts as unknown that the system does not show', () => {
    const blind = diagnose({
      ...collectFacts({ ...KNOWN, load: { othersShare: null, stealShare: null } }, () => null),
      logicalCpus: 4,
      platform: 'linux',
      container: null,
    });
    assert.deepEqual([...new Set(blind.map(({ level }) => level))].sort(), ['ok', 'unknown']);
  });

  it('prints valid JSON, changes nothing, and exits with its verdict', async () => {
    const { code, stdout, stderr } = await callCli('doctor --json -', place);
    assert.equal(stderr, '');
    const { isFit, findings: found } = JSON.parse(stdout);
    assert.equal(code, isFit ? 0 : 6);
    assert.equal(
      isFit,
      found.every((/** @type {{ level: string }} */ { level }) => level !== 'unfit'),
    );
    assert.deepEqual(place.leftovers(), []);
  });

  it('stops run --strict on an unfit machine, with the reasons', async () => {
    const args = '--transport unix --codec json --launches 1 --measure 60ms --strict';
    // Without taskset nothing can be pinned: on Linux that alone is unfit.
    const { code, stderr } = await startCli(args, place, { PATH: '/nowhere' }).ended;
    if (process.platform === 'linux') {
      assert.equal(code, 6, stderr);
      assert.match(stderr, /not fit to measure on:\n {2}- .*pinning: taskset is missing/s);
      assert.match(stderr, /without --strict$/m);
    }
    assert.deepEqual(place.leftovers(), []);
  });
});

describe('runProgram', () => {
  it('returns null for a program that takes too long, fails, or does not exist', async () => {
    const say = (/** @type {string} */ script) => runProgram(process.execPath, ['-e', script], 5_000);
    assert.equal(await say('process.stdout.write("plan")'), 'plan');
    assert.equal(await say('process.exit(1)'), null);
    assert.equal(await runProgram('no-such-program', []), null);
    // Its child has the pipe still open.
    const stuck = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'],
      { stdio: 'inherit' }); child.on('spawn', () => process.stdout.write('half'));`;
    assert.equal(await runProgram(process.execPath, ['-e', stuck], 300), null);
  });
});
