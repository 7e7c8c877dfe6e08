import assert from 'node:assert/strict';
import os from 'node:os';
import { describe, it } from 'node:test';
import { readEnvironment } from '../../lib/machine/environment.js';
import {
  detectContainer,
  detectHypervisor,
  findFilesystem,
  parseOpenFilesLimit,
  parseOsName,
  parsePressure,
  parseSwitch,
  parseWord,
} from '../../lib/machine/kernel-text.js';
import {
  describeRefusals,
  findNetworkLink,
  memoryOfLaunch,
  readCpuQuota,
  readMemoryLimit,
  readRefusals,
  readTaskLimit,
} from '../../lib/machine/limits.js';
import { linksText } from '../../lib/report/text/machine-words.js';

/** @param {Record<string, string>} files */
function readerOf(files) {
  return (/** @type {string} */ path) => files[path] ?? null;
}

const GIB = 2 ** 30;

/** @returns {string[]} none for a user without an entry in /etc/passwd */
function userNames() {
  try {
    return [os.userInfo().username];
  } catch {
    return [];
  }
}

describe('limits of processes and memory', () => {
  const groups = {
    '/proc/self/cgroup': '0::/a/b\n',
    '/proc/mounts': 'cgroup2 /cg cgroup2 rw 0 0\n',
    '/cg/a/pids.max': '100\n',
    '/cg/a/pids.current': '95\n',
    '/cg/a/b/pids.max': '60\n',
    '/cg/a/b/pids.current': '20\n',
    '/cg/a/b/pids.events': 'max 3\n',
    '/proc/vmstat': 'nr_free_pages 1\noom_kill 7\n',
  };
  const read = readerOf(groups);
  const before = { tasks: 3, kills: 7 };

  it('reads the control group with the least room, and counts what was refused', () => {
    assert.deepEqual(readTaskLimit(read), { file: '/cg/a/pids.max', most: 100, used: 95 });
    assert.deepEqual(readRefusals(read), before);
    assert.deepEqual(
      [readTaskLimit(readerOf({})), readRefusals(readerOf({}))],
      [null, { tasks: 0, kills: 0 }],
    );
  });

  it('describes what was refused since', () => {
    assert.equal(describeRefusals(before, read), null);
    const more = (/** @type {Record<string, string>} */ files) =>
      describeRefusals(before, readerOf({ ...groups, ...files }));
    assert.match(String(more({ '/cg/a/b/pids.events': 'max 4\n' })), /\/cg\/a\/pids\.max allows 100/);
    assert.match(String(more({ '/proc/vmstat': 'oom_kill 8\n' })), /memory ran out/);
  });
});

describe('readCpuQuota and readMemoryLimit', () => {
  it('read version 2 inside a container, whose group is the root', () => {
    const read = readerOf({
      '/proc/self/cgroup': '0::/\n',
      '/proc/mounts': 'cgroup /sys/fs/cgroup cgroup2 ro,nosuid,nodev,noexec,relatime 0 0\n',
      '/sys/fs/cgroup/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/memory.max': '536870912\n',
    });
    assert.equal(readCpuQuota(read), 1.5);
    assert.equal(readMemoryLimit(read, 8 * GIB), 512 * 2 ** 20);
  });

  it('take the strictest limit of version 2 among the group and its ancestors', () => {
    const read = readerOf({
      '/proc/self/cgroup': '0::/user.slice/run.scope\n',
      '/proc/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
      '/sys/fs/cgroup/user.slice/cpu.max': '200000 100000\n',
      '/sys/fs/cgroup/user.slice/run.scope/cpu.max': '800000 100000\n',
      '/sys/fs/cgroup/user.slice/memory.max': 'max\n',
      '/sys/fs/cgroup/user.slice/run.scope/memory.max': '1073741824\n',
    });
    assert.equal(readCpuQuota(read), 2);
    assert.equal(readMemoryLimit(read, 8 * GIB), GIB);
  });

  it('read version 1, also if the path of the group is that outside of the container', () => {
    const read = readerOf({
      '/proc/self/cgroup': '5:memory:/docker/0f3\n4:cpu,cpuacct:/docker/0f3\n1:name=systemd:/docker/0f3\n',
      '/proc/mounts': [
        'cgroup /sys/fs/cgroup/cpu,cpuacct cgroup ro,relatime,cpu,cpuacct 0 0',
        'cgroup /sys/fs/cgroup/memory cgroup ro,relatime,memory 0 0',
      ].join('\n'),
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '50000\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '268435456\n',
    });
    assert.equal(readCpuQuota(read), 0.5);
    assert.equal(readMemoryLimit(read, 8 * GIB), 256 * 2 ** 20);
  });

  it('return null without limits', () => {
    const read = readerOf({
      '/proc/self/cgroup': '4:cpu:/\n5:memory:/\n0::/\n',
      '/proc/mounts': [
        'cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0',
        'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0',
        'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0',
      ].join('\n'),
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      '/sys/fs/cgroup/unified/cpu.max': 'max 100000\n',
    });
    assert.equal(readCpuQuota(read), null);
    assert.equal(readMemoryLimit(read, 8 * GIB), null);
  });
});

describe('files of the kernel', () => {
  it('parses words and switches, and returns null for anything else', () => {
    assert.equal(parseWord('performance\n'), 'performance');
    assert.equal(parseWord(' \n'), null);
    assert.equal(parseSwitch('1\n'), true);
    assert.equal(parseSwitch('0\n'), false);
    assert.equal(parseSwitch('notsupported\n'), null);
    assert.equal(parseSwitch(null), null);
  });

  it('allows a launch a quarter of the free memory, and at least 256 MiB', (t) => {
    let freeBytes = 4 * 2 ** 30 + 3;
    t.mock.method(process, 'availableMemory', () => freeBytes);
    assert.equal(memoryOfLaunch(), 2 ** 30);
    freeBytes = 2 ** 29;
    assert.equal(memoryOfLaunch(), 2 ** 28);
  });

  it('parses the limit of open files', () => {
    const limits =
      'Limit          Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n';
    assert.equal(parseOpenFilesLimit(limits), 1024);
    assert.equal(
      parseOpenFilesLimit('Max open files            unlimited            unlimited  files\n'),
      null,
    );
    assert.equal(parseOpenFilesLimit(null), null);
  });

  it('parses the pressure on the CPUs', () => {
    assert.equal(parsePressure('some avg10=12.25 avg60=0.63 avg300=0.28 total=5\nfull avg10=0.00\n'), 12.25);
    assert.equal(parsePressure(null), null);
  });

  it('parses the name of the distribution', () => {
    assert.equal(
      parseOsName('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'),
      'Debian GNU/Linux 12 (bookworm)',
    );
    assert.equal(parseOsName('PRETTY_NAME=Alpine\n'), 'Alpine');
    assert.equal(parseOsName('NAME=x\n'), null);
  });

  it('finds the file system of a folder', () => {
    const mounts = [
      '/dev/vda / ext4 rw 0 0',
      'tmpfs /tmp tmpfs rw 0 0',
      'overlay /tmp overlay rw 0 0',
      '/dev/vdb /tmp/with\\040space xfs rw 0 0',
    ].join('\n');
    assert.equal(findFilesystem(mounts, '/home/x'), 'ext4');
    assert.equal(findFilesystem(mounts, '/tmp'), 'overlay');
    assert.equal(findFilesystem(mounts, '/tmporary'), 'ext4');
    assert.equal(findFilesystem(mounts, '/tmp/with space/y'), 'xfs');
    assert.equal(findFilesystem(null, '/tmp'), null);
  });

  it('detects the hypervisor, and none on bare metal', () => {
    const none = { cpuinfo: null, type: null, vendor: null, product: null };
    const virtual = 'processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n';
    const bare = 'processor\t: 0\nflags\t\t: fpu vme lahf_lm\n';
    assert.equal(detectHypervisor(none), null);
    assert.equal(detectHypervisor({ ...none, cpuinfo: virtual }), 'unnamed');
    assert.equal(
      detectHypervisor({ ...none, cpuinfo: virtual, vendor: 'QEMU\n', product: 'Standard PC\n' }),
      'QEMU Standard PC',
    );
    assert.equal(
      detectHypervisor({ ...none, cpuinfo: bare, vendor: 'Amazon EC2', product: 'm5.metal' }),
      null,
    );
    assert.equal(
      detectHypervisor({ ...none, cpuinfo: 'CPU part: 0xd0c\n', vendor: 'Amazon EC2', product: 'm6g.large' }),
      'Amazon EC2 m6g.large',
    );
    assert.equal(
      detectHypervisor({ ...none, cpuinfo: 'CPU part: 0xd0c\n', vendor: 'Amazon EC2', product: 'm6g.metal' }),
      null,
    );
    assert.equal(detectHypervisor({ ...none, cpuinfo: virtual, type: 'xen\n' }), 'xen');
  });

  it('detects containers by their files and variables', () => {
    const none = { dockerFile: null, podmanFile: null, firstCgroup: null, environment: {} };
    assert.equal(detectContainer(none), null);
    assert.equal(detectContainer({ ...none, dockerFile: '' }), 'docker');
    assert.equal(detectContainer({ ...none, podmanFile: 'engine="podman-4"' }), 'podman');
    assert.equal(detectContainer({ ...none, firstCgroup: '0::/kubepods/burstable/pod1' }), 'kubernetes');
    assert.equal(detectContainer({ ...none, environment: { container: 'lxc' } }), 'lxc');
    assert.equal(detectContainer({ ...none, environment: { container: 'a secret: 1' } }), null);
  });
});

describe('the link of an address', () => {
  const entry = (/** @type {string} */ address, internal = false) =>
    /** @type {any} */ ({ address, internal, family: 'IPv4' });
  const INTERFACES = {
    lo: [entry('127.0.0.1', true)],
    eth0: [entry('10.0.0.2')],
    veth1: [entry('10.0.0.3')],
  };
  /** @type {Record<string, string>} */
  const FILES = {
    '/sys/class/net/eth0/mtu': '9000\n',
    '/sys/class/net/eth0/speed': '10000\n',
    '/sys/class/net/veth1/mtu': '1500\n',
    '/sys/class/net/veth1/speed': '-1\n',
  };
  const read = readerOf(FILES);

  it('is the MTU and the bandwidth class of its interface', () => {
    assert.deepEqual(findNetworkLink('10.0.0.2', INTERFACES, read), {
      mtuBytes: 9_000,
      megabitsPerSecond: 10_000,
    });
  });

  it('leaves out what the system does not tell', () => {
    const link = findNetworkLink('10.0.0.3', INTERFACES, read);
    assert.deepEqual(link, { mtuBytes: 1_500, megabitsPerSecond: null });
    const silent = findNetworkLink('10.0.0.3', INTERFACES, () => null);
    assert.deepEqual(silent, { mtuBytes: null, megabitsPerSecond: null });
  });

  it('is none on the loopback, and of an address that nobody has', () => {
    assert.equal(findNetworkLink('127.0.0.1', INTERFACES, read), null);
    assert.equal(findNetworkLink('10.0.0.9', INTERFACES, read), null);
  });

  it('has no text if nothing is known of any host', () => {
    const hosts = { a: {}, b: { link: { mtuBytes: null, megabitsPerSecond: null } } };
    for (const results of [{ hosts }, {}]) assert.equal(linksText(/** @type {any} */ (results)), null);
  });
});

describe('readEnvironment', () => {
  const server = {
    '/proc/self/status': 'Cpus_allowed_list:\t0-1\n',
    '/sys/devices/system/cpu/online': '0-7\n',
    '/sys/devices/system/cpu/smt/active': '1\n',
    '/sys/devices/system/cpu/intel_pstate/no_turbo': '1\n',
    '/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'powersave\n',
    '/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor': 'performance\n',
    '/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor': 'schedutil\n',
    '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'hpet\n',
    '/proc/pressure/cpu': 'some avg10=1.50 avg60=0.63 avg300=0.28 total=5558341\n',
  };

  it('reads the facts of a server, for its usable CPUs', () => {
    const environment = readEnvironment({ pinning: true }, readerOf(server));
    const { usableCpus, smt, turbo, governor, clockSource, pressureCpuSome, pinning } = environment;
    assert.deepEqual(
      { usableCpus, smt, turbo, governor, clockSource, pressureCpuSome, pinning },
      {
        usableCpus: [0, 1],
        smt: true,
        turbo: false,
        governor: 'powersave, performance',
        clockSource: 'hpet',
        pressureCpuSome: 1.5,
        pinning: true,
      },
    );
  });

  it('returns the same keys with null values without /proc', () => {
    const nothing = readEnvironment({ pinning: false }, () => null);
    assert.deepEqual(Object.keys(nothing), Object.keys(readEnvironment({ pinning: true }, readerOf(server))));
    const { usableCpus, cpuQuota, smt, governor, turbo, clockSource, openFilesLimit, tmpFilesystem } =
      nothing;
    const readings = [usableCpus, cpuQuota, smt, governor, turbo, clockSource, openFilesLimit, tmpFilesystem];
    assert.deepEqual(
      readings,
      readings.map(() => null),
    );
    assert.equal(Object.values(nothing).includes(/** @type {any} */ (undefined)), false);
  });

  it('contains the versions of packages that move messages, and not of those that draw', () => {
    const { packages } = readEnvironment({ pinning: true });
    for (const name of ['ioredis', 'zeromq', 'msgpackr', 'hdr-histogram-js']) {
      assert.match(packages[name], /^\d+\.\d+\.\d+/, name);
    }
    assert.equal(
      Object.keys(packages).some((name) => /chart|font|log-update|yargs/.test(name)),
      false,
    );
  });

  it('contains neither host name nor user name', () => {
    const values = JSON.stringify(Object.values(readEnvironment({ pinning: true })));
    for (const name of [os.hostname(), ...userNames()]) {
      const word = new RegExp(`(?<![\\w-])${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w-])`, 'i');
      assert.doesNotMatch(values, word);
    }
  });

  it('hides secrets and the home folder in the flags of Node', () => {
    const { execArgv } = process;
    process.execArgv = ['--import', `file://${os.homedir()}/hook.mjs`, '--x=https://a:S3ntinel@h'];
    try {
      const flags = readEnvironment({ pinning: true }).nodeFlags.slice(0, 3);
      assert.deepEqual(flags, ['--import', '~/hook.mjs', '--x=https://h']);
    } finally {
      process.execArgv = execArgv;
    }
  });

  it('has the inherited variables that change what is measured, without secrets and proxies', () => {
    const set = {
      LD_PRELOAD: `${os.homedir()}/lib/jemalloc.so`,
      UV_THREADPOOL_SIZE: '64',
      MALLOC_ARENA_MAX: '1',
      http_proxy: 'http://a:S3ntinel@proxy',
      UV_EMPTY: '',
    };
    Object.assign(process.env, set);
    try {
      const { variables } = readEnvironment({ pinning: true });
      assert.equal(variables?.LD_PRELOAD, '~/lib/jemalloc.so');
      assert.deepEqual(
        Object.keys(set).filter((name) => name in (variables ?? {})),
        ['LD_PRELOAD', 'UV_THREADPOOL_SIZE', 'MALLOC_ARENA_MAX'],
      );
    } finally {
      for (const name of Object.keys(set)) delete process.env[name];
    }
  });
});
