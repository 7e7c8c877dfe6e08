// The checks of doctor on made-up facts: their limits, their commands, and their text.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { describe, it } from 'node:test';
import { MAX_PARENT_BYTES } from '../../lib/children/run-directory.js';
import { doctorText } from '../../lib/cli/doctor.js';
import { diagnose, systemInstallCommand, UTILITIES } from '../../lib/doctor/checks.js';
import { collectFacts } from '../../lib/doctor/facts.js';
import { describeLoopbackFault } from '../../lib/machine/loopback.js';
import { DISTURBING_SHARE } from '../../lib/machine/noise.js';

/** @type {any} */
const FIT = {
  platform: 'linux',
  container: null,
  distributions: ['debian'],
  logicalCpus: 4,
  onlineCpus: [0, 1, 2, 3],
  usableCpus: [0, 1, 2, 3],
  cpuQuotas: [],
  cpuQuota: null,
  governor: 'performance',
  turbo: false,
  turboSwitch: 'boost',
  smt: false,
  clockSource: 'tsc',
  clockSources: ['tsc'],
  load: { othersShare: 0, stealShare: 0 },
  memoryBytes: 2 ** 33,
  memoryLimitBytes: null,
  pinning: true,
  dyingWithParent: true,
  openFilesLimit: 4_096,
  processLimit: 4_096,
  taskLimit: null,
  backlogLimit: 4_096,
  ports: 28_232,
  hasLoopback: true,
  temporaryFolder: '/tmp',
  tmpFilesystem: 'ext4',
  unavailable: [],
  runtimesHere: [{ name: 'node', versions: ['20.1.0'] }],
};

/** @param {string} name @param {Record<string, unknown>} facts */
const findingOf = (name, facts) => {
  const found = diagnose({ ...FIT, ...facts }).find(({ check }) => check === name);
  assert.ok(found, name);
  return found;
};
const QUOTA = { cores: 2, file: '/sys/fs/cgroup/cpu.max', without: 'max' };
const SICK = new URL('../fixtures/doctor.txt', import.meta.url); // reviewed as a diff

describe('doctor', () => {
  it('finds nothing on a fit machine', () => {
    for (const { check, level, means, mend } of diagnose(FIT))
      assert.deepEqual({ level, means, mend }, { level: 'ok', means: null, mend: null }, check);
    assert.match(doctorText(diagnose(FIT), 80), /\nThis machine is fit to measure on\.\n$/);
  });

  it('reports facts as unknown that the system does not show', () => {
    const known = { ...FIT, load: { othersShare: null, stealShare: null } };
    const facts = {
      ...collectFacts(known, () => null),
      logicalCpus: 4,
      platform: /** @type {const} */ ('linux'),
    };
    const levels = diagnose({ ...facts, container: null }).map(({ level }) => level);
    assert.deepEqual([...new Set(levels)].sort(), ['ok', 'unknown']);
  });

  it('prints findings with their effects and commands', () => {
    const CPU = '/sys/devices/system/cpu';
    /** @type {Record<string, string>} */
    const files = {
      '/proc/self/status': 'Cpus_allowed_list:\t3\n',
      [`${CPU}/online`]: '0-7\n',
      [`${CPU}/smt/active`]: '1\n',
      [`${CPU}/intel_pstate/no_turbo`]: '0\n',
      [`${CPU}/cpu3/cpufreq/scaling_governor`]: 'powersave\n',
      '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'hpet\n',
      '/sys/devices/system/clocksource/clocksource0/available_clocksource': 'tsc hpet acpi_pm \n',
      '/proc/self/limits':
        'Max processes             128                  96365                processes\nMax open files            256                  20000                files\n',
      '/proc/sys/net/core/somaxconn': '128\n',
      '/proc/sys/net/ipv4/ip_local_port_range': '32768\t33767\n',
      '/proc/self/cgroup': '4:cpu:/a\n',
      '/proc/mounts': 'c /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us': '50000\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_period_us': '100000\n',
      '/etc/os-release': 'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
    };
    const known = {
      pinning: false,
      dyingWithParent: false,
      temporaryFolder: '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/private',
      load: { othersShare: 0.34, stealShare: 0.08 },
      unavailable: [
        { name: 'redis-list', reason: 'no redis-server', packages: [], server: { dnf: 'valkey' } },
        { name: 'zeromq', reason: 'the package zeromq is missing', packages: ['zeromq'], server: null },
      ],
      runtimesHere: [
        { name: 'bun', versions: [] },
        { name: 'node', versions: ['20.20.2', '22.1.0'] },
      ],
    };
    const facts = collectFacts(known, (path) => files[path] ?? null);
    const ofNode = {
      logicalCpus: 8,
      onlineCpus: [0, 1, 2, 3, 4, 5, 6, 7],
      memoryBytes: 2 ** 29,
      container: null,
      platform: /** @type {const} */ ('linux'),
    };
    const text = doctorText(
      diagnose({ ...facts, ...ofNode, tmpFilesystem: 'nfs4', hasLoopback: false }),
      100,
    );
    if (process.env.UPDATE_SNAPSHOTS) writeFileSync(SICK, text);
    assert.equal(text, readFileSync(SICK, 'utf8'));
  });

  // What doctor.txt does not show: limits, and what is well or unknown.
  for (const [check, facts, level] of /** @type {[string, Record<string, unknown>, string][]} */ ([
    ['CPUs', { usableCpus: [2, 3] }, 'ok'],
    ['CPUs', { usableCpus: null, logicalCpus: 1 }, 'unfit'],
    ['CPUs', { usableCpus: null, logicalCpus: 2 }, 'ok'],
    ['affinity', { usableCpus: null }, 'unknown'],
    ['CPU quota', { cpuQuotas: [QUOTA], cpuQuota: 3.9 }, 'unfit'],
    ['CPU quota', { cpuQuotas: [QUOTA], cpuQuota: 4 }, 'ok'],
    ['CPU quota', { cpuQuotas: [QUOTA], cpuQuota: 2, usableCpus: [0, 1] }, 'ok'],
    ['CPU quota', { cpuQuotas: [QUOTA], cpuQuota: 3.9, usableCpus: null }, 'unfit'],
    ['governor', { governor: null }, 'unknown'],
    ['turbo', { turbo: null }, 'unknown'],
    ['SMT', { smt: null }, 'unknown'],
    ['clock', { clockSource: null }, 'unknown'],
    ...['hpet', 'acpi_pm', 'jiffies'].map((clockSource) => ['clock', { clockSource }, 'unfit']),
    ['clock', { clockSource: 'kvm-clock' }, 'ok'],
    ['load', { load: { othersShare: DISTURBING_SHARE, stealShare: 0 } }, 'ok'],
    ['load', { load: { othersShare: DISTURBING_SHARE + 0.001, stealShare: 0 } }, 'unfit'],
    ['load', { load: { othersShare: null, stealShare: 0 } }, 'unknown'],
    ['steal', { load: { othersShare: 0, stealShare: DISTURBING_SHARE } }, 'ok'],
    ['steal', { load: { othersShare: 0, stealShare: DISTURBING_SHARE + 0.001 } }, 'unfit'],
    ['memory', { memoryBytes: 2 ** 30 }, 'ok'],
    ['memory', { memoryBytes: 2 ** 30 - 1 }, 'advice'],
    ['memory', { memoryLimitBytes: 2 ** 30 - 1 }, 'advice'],
    ['memory', { memoryBytes: 1, memoryLimitBytes: 2 ** 30 }, 'ok'],
    ['pinning', { pinning: false, platform: 'darwin' }, 'advice'],
    ['orphans', { dyingWithParent: false, platform: 'darwin' }, 'ok'],
    ['open files', { openFilesLimit: 1_024 }, 'ok'],
    ['open files', { openFilesLimit: 1_023 }, 'advice'],
    ['open files', { openFilesLimit: null }, 'ok'],
    ['processes', { processLimit: 512 }, 'ok'],
    ['processes', { processLimit: 511 }, 'advice'],
    ['processes', { taskLimit: { file: '/pids.max', most: 600, used: 80 } }, 'ok'],
    ['processes', { taskLimit: { file: '/pids.max', most: 600, used: 100 } }, 'advice'],
    ['processes', { processLimit: 100, taskLimit: { file: '/pids.max', most: 600, used: 80 } }, 'advice'],
    ['backlog', { backlogLimit: 511 }, 'ok'],
    ['backlog', { backlogLimit: 510 }, 'advice'],
    ['backlog', { backlogLimit: null }, 'unknown'],
    ['ports', { ports: 10_000 }, 'ok'],
    ['ports', { ports: 9_999 }, 'advice'],
    ['ports', { ports: null }, 'unknown'],
    ['TMPDIR path', { temporaryFolder: 'x'.repeat(MAX_PARENT_BYTES) }, 'ok'],
    ['TMPDIR path', { temporaryFolder: 'x'.repeat(MAX_PARENT_BYTES + 1) }, 'advice'],
    ['TEMP path', { temporaryFolder: 'x'.repeat(MAX_PARENT_BYTES + 1), platform: 'win32' }, 'ok'],
    ['TMPDIR disk', { tmpFilesystem: null }, 'unknown'],
    ['TMPDIR disk', { tmpFilesystem: 'tmpfs' }, 'ok'],
    ['runtimes', { runtimesHere: undefined }, 'unknown'],
  ])) {
    it(`reports ${check} as ${level}: ${JSON.stringify(facts).slice(0, 70)}`, () => {
      const finding = findingOf(check, facts);
      assert.equal(finding.level, level);
      assert.equal(
        finding.means === null,
        ['ok', 'unknown'].includes(level),
        'only what is sick means something',
      );
    });
  }
});

describe('the command against a finding', () => {
  for (const [check, facts, mend] of /** @type {[string, Record<string, unknown>, string | null][]} */ ([
    ['CPUs', { usableCpus: [3] }, 'taskset -acp 0-3 $$'],
    ['CPUs', { usableCpus: [3], container: 'docker' }, 'docker update --cpuset-cpus 0-3 CONTAINER'],
    ['CPUs', { usableCpus: [0], logicalCpus: 1 }, null],
    ['affinity', { usableCpus: [1, 2] }, 'taskset -acp 0-3 $$'],
    ['affinity', { usableCpus: [1], onlineCpus: [0, 1, 4, 5] }, 'taskset -acp 0-1,4-5 $$'],
    ['affinity', { usableCpus: [1, 2], onlineCpus: null }, null],
    ['turbo', { turbo: true }, 'echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost'],
    ['clock', { clockSource: 'hpet', clockSources: ['hpet', 'acpi_pm'] }, null],
    [
      'CPU quota',
      { cpuQuotas: [{ cores: 3, file: '/a', without: '-1' }, QUOTA], cpuQuota: 2 },
      'echo max | sudo tee /sys/fs/cgroup/cpu.max',
    ],
    ['processes', { taskLimit: { file: '/pids.max', most: 60, used: 50 } }, 'echo max | sudo tee /pids.max'],
    [
      'processes',
      { taskLimit: { file: '/pids.max', most: 60, used: 50 }, container: 'docker' },
      'docker update --pids-limit -1 CONTAINER',
    ],
    ['memory', { memoryBytes: 1 }, null],
    [
      'memory',
      { memoryLimitBytes: 1, container: 'podman' },
      'podman update --memory 2g --memory-swap 2g CONTAINER',
    ],
    ['pinning', { pinning: false }, 'sudo apt-get install util-linux'],
    ['pinning', { pinning: false, platform: 'darwin' }, null],
    ['CPU quota', { cpuQuotas: [QUOTA], cpuQuota: 2, container: 'kubernetes' }, null],
    [
      'CPU quota',
      { cpuQuotas: [QUOTA], cpuQuota: 2, container: 'podman' },
      'podman update --cpu-quota -1 CONTAINER',
    ],
    [
      'orphans',
      { dyingWithParent: false, distributions: ['linuxmint', 'ubuntu'] },
      'sudo apt-get install util-linux',
    ],
  ])) {
    it(`proposes for ${check} ${mend}: ${JSON.stringify(facts).slice(0, 70)}`, () => {
      const finding = findingOf(check, facts);
      assert.notEqual(finding.level, 'ok');
      assert.equal(finding.mend, mend);
    });
  }

  it('replaces a slow clock by the first quick one', () => {
    const { mend } = findingOf('clock', { clockSource: 'hpet', clockSources: ['hpet', 'kvm-clock', 'tsc'] });
    assert.match(String(mend), /^echo kvm-clock \| sudo tee \/sys\/.*current_clocksource$/);
  });

  it('installs packages by the package manager of the system, if both are known', () => {
    const packages = { ...UTILITIES, brew: 'of-brew' };
    const command = (/** @type {string} */ platform, /** @type {string[]} */ distributions) =>
      systemInstallCommand({ ...FIT, platform, distributions }, packages);
    for (const [distribution, start] of [
      ['debian', 'sudo apt-get install'],
      ['ubuntu', 'sudo apt-get install'],
      ['fedora', 'sudo dnf install'],
      ['alpine', 'sudo apk add'],
      ['arch', 'sudo pacman -S'],
      ['opensuse', 'sudo zypper install'],
    ])
      assert.equal(command('linux', ['own', distribution]), `${start} util-linux`);
    assert.equal(command('darwin', ['debian']), 'brew install of-brew');
    assert.equal(command('linux', ['own']), null);
    assert.equal(systemInstallCommand({ ...FIT, platform: 'darwin' }, UTILITIES), null);
  });
});

describe('the check of plug-ins', () => {
  const lacking = (/** @type {string} */ name, /** @type {Record<string, unknown>} */ rest) => ({
    name,
    reason: 'it is missing',
    packages: [],
    server: null,
    ...rest,
  });

  it('reports each reason, with each command once', () => {
    const unavailable = [
      lacking('a', { packages: ['x', 'y'] }),
      lacking('b', { packages: ['x', 'y'] }),
      lacking('c', { reason: 'no server', server: { apt: 'c-server' } }),
      lacking('d', { reason: 'no server', server: { dnf: 'd-server' } }),
    ];
    const { level, found, means, mend } = findingOf('plug-ins', { unavailable });
    assert.deepEqual(
      { level, found, means },
      {
        level: 'advice',
        found: '4 cannot be measured',
        means: 'a, b: it is missing; c, d: no server',
      },
    );
    assert.equal(mend, 'npm install x y && sudo apt-get install c-server');
    assert.equal(findingOf('plug-ins', { unavailable: [lacking('a', {})] }).mend, null);
  });

  it('installs the packages of all plug-ins with one command', () => {
    const unavailable = [
      lacking('a', { packages: ['x@1'] }),
      lacking('b', { server: { apt: 'b-server' } }),
      lacking('c', { packages: ['y@2', 'x@1'] }),
    ];
    const { mend } = findingOf('plug-ins', { unavailable });
    assert.equal(mend, 'npm install x@1 y@2 && sudo apt-get install b-server');
  });

  it('accepts missing runtimes', () => {
    const runtimesHere = [
      { name: 'bun', versions: [] },
      { name: 'node', versions: ['20.1.0', '22.0.0'] },
      { name: 'deno', versions: [] },
    ];
    const { level, found } = findingOf('runtimes', { runtimesHere });
    assert.deepEqual(
      [level, found],
      ['ok', 'node 20.1.0 and 22.0.0; no bun, no deno, which only --runtime needs'],
    );
    assert.equal(findingOf('runtimes', {}).found, 'node 20.1.0');
  });
});

describe('the facts of a machine', () => {
  const CPU = '/sys/devices/system/cpu';
  /** @param {Record<string, string>} files */
  const factsIn = (files) => {
    const known = {
      pinning: true,
      dyingWithParent: false,
      temporaryFolder: '/scratch',
      load: { othersShare: 0.1, stealShare: null },
      unavailable: [],
    };
    return collectFacts(known, (path) => files[path] ?? null);
  };

  it('reads facts from files of the kernel', () => {
    const facts = factsIn({
      '/proc/self/limits': 'Max processes             1234                 5678                 processes \n',
      '/sys/devices/system/clocksource/clocksource0/available_clocksource': 'tsc hpet acpi_pm \n',
      [`${CPU}/intel_pstate/no_turbo`]: '1\n',
      [`${CPU}/cpufreq/boost`]: '1\n',
      '/etc/os-release': 'NAME="U"\nID=ubuntu\nID_LIKE="debian linux"\n',
      '/proc/sys/net/core/somaxconn': '4096\n',
      '/proc/self/cgroup': '0::/a\n',
      '/proc/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
      '/sys/fs/cgroup/a/cpu.max': '150000 100000\n',
    });
    assert.equal(facts.processLimit, 1_234);
    assert.deepEqual(facts.clockSources, ['tsc', 'hpet', 'acpi_pm']);
    assert.equal(facts.turboSwitch, 'no_turbo', 'of two switches that of the driver');
    assert.deepEqual(facts.distributions, ['ubuntu', 'debian', 'linux']);
    assert.equal(facts.backlogLimit, 4_096);
    assert.deepEqual(facts.cpuQuotas, [{ file: '/sys/fs/cgroup/a/cpu.max', cores: 1.5, without: 'max' }]);
    assert.deepEqual(
      [facts.pinning, facts.dyingWithParent, facts.temporaryFolder, facts.load.othersShare],
      [true, false, '/scratch', 0.1],
    );
  });

  it('counts the CPUs where the kernel does not list their times', (context) => {
    context.mock.method(os, 'cpus', () => []);
    const status = { '/proc/self/status': 'Cpus_allowed_list:\t0-63\n' };
    const some = factsIn({ ...status, [`${CPU}/online`]: '0-1,4-5\n' });
    assert.deepEqual([some.logicalCpus, some.onlineCpus], [4, [0, 1, 4, 5]]);
    assert.equal(diagnose(some).find(({ check }) => check === 'affinity')?.level, 'ok');
    assert.equal(factsIn({}).logicalCpus, os.availableParallelism());
  });

  it('returns unknown facts without such files', () => {
    const facts = factsIn({});
    assert.deepEqual(
      [
        facts.processLimit,
        facts.clockSources,
        facts.turboSwitch,
        facts.distributions,
        facts.backlogLimit,
        facts.cpuQuotas,
      ],
      [null, [], null, [], null, []],
    );
    assert.equal(factsIn({ [`${CPU}/cpufreq/boost`]: '0\n' }).turboSwitch, 'boost');
    assert.deepEqual(factsIn({ '/etc/os-release': "ID='alpine'\n" }).distributions, ['alpine']);
  });
});

describe('a failed launch', () => {
  const known = { isUp: true, ports: 28_232 };

  it('is explained by a loopback interface that is missing', () => {
    const fault = describeLoopbackFault('the broker did not start', { ...known, isUp: false });
    assert.match(String(fault), /no interface that is up has the address 127\.0\.0\.1: sudo /);
  });

  it('is explained by ports that are used up, and not by a port of another program', () => {
    for (const message of [
      'listen EADDRINUSE: address already in use 127.0.0.1',
      'connect EADDRNOTAVAIL 127.0.0.1:40023 - Local (127.0.0.1:0)',
    ])
      assert.match(String(describeLoopbackFault(message, known)), /all 28232 ports .*TIME_WAIT.*sudo sysctl/);
    for (const message of [
      'listen EADDRINUSE: address already in use 127.0.0.1:6379',
      'listen EADDRNOTAVAIL: address not available 10.0.0.9',
      'connect ECONNREFUSED 127.0.0.1:6379',
    ])
      assert.equal(describeLoopbackFault(message, known), null);
  });
});
