// Shared memory of processes, mapped with koffi: on Linux a file without a name, so that nothing remains after a process is killed; on
// other systems, or if workers could not open it, a file in the scratch folder, which is unlinked when the listener closes.

import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onlyOnce, withRollback } from '../../lib/channels/with-rollback.js';
import { BenchError } from '../../lib/errors.js';

/** @import { WordWaiting } from '../../lib/channels/ring/ring-end.js' */

/**
 * @typedef {object} SharedMemory
 * @property {ArrayBuffer} memory
 * @property {string} path         argument of `openMemory` in another process
 * @property {() => void} forget   after this call, no process can open the memory; safe to call twice
 */

// These constants are equal on Linux and macOS.
const PROT_READ_WRITE = 1 | 2;
const MAP_SHARED = 1;
const MAP_FAILED = (1n << 64n) - 1n;
const MFD_CLOEXEC = 1; // linux/memfd.h: workers open it by its path instead of inheriting it

/** @type {Promise<Awaited<ReturnType<typeof loadLibrary>>> | undefined} */
let library;

async function loadLibrary() {
  const { default: koffi } = await import('koffi');
  const libc = koffi.load(null);
  const munmap = libc.func('int munmap(void *address, size_t length)');
  return {
    koffi,
    mmap: libc.func(
      'void *mmap(void *address, size_t length, int protection, int flags, int descriptor, int64_t offset)',
    ),
    memfdCreate:
      process.platform === 'linux'
        ? libc.func('int memfd_create(const char *name, unsigned int flags)')
        : null,
    // Unmaps only garbage-collected memory, since a view of unmapped memory would crash the process.
    unmapping: new FinalizationRegistry(({ address, bytes }) => munmap(address, bytes)),
  };
}

/**
 * @param {number} bytes
 * @param {Pick<import('../../lib/types/transports.js').HostContext, 'scratchDir' | 'launchId'>} host
 * @param {{ isNameless?: boolean }} [how]   tests set `isNameless` to false to use a file on Linux
 * @returns {Promise<SharedMemory>} filled with zeros
 */
export async function createMemory(bytes, { scratchDir, launchId }, { isNameless = true } = {}) {
  library ??= loadLibrary();
  const { memfdCreate } = await library;
  const name = `ipc-bench-${launchId}`; // visible in /proc/PID/maps
  const descriptor = isNameless && canBeOpenedByOthers() ? (memfdCreate?.(name, MFD_CLOEXEC) ?? -1) : -1;
  if (descriptor === -1) return createFile(bytes, join(scratchDir, name));
  const forget = onlyOnce(() => closeSync(descriptor));
  return withRollback(forget, async () => {
    ftruncateSync(descriptor, bytes);
    const memory = await mapped(descriptor, bytes);
    return { memory, path: `/proc/${process.pid}/fd/${descriptor}`, forget };
  });
}

/**
 * The descriptors of a privileged program are hidden from other processes of its user.
 * Source: proc(5), "the files inside each /proc/pid directory are normally owned by".
 */
function canBeOpenedByOthers() {
  return process.platform === 'linux' && statSync('/proc/self/fd').uid === process.geteuid?.();
}

/** @param {number} bytes @param {string} path @returns {Promise<SharedMemory>} */
async function createFile(bytes, path) {
  const descriptor = openSync(path, 'wx+', 0o600);
  const forget = onlyOnce(() => {
    closeSync(descriptor);
    rmSync(path, { force: true });
  });
  return withRollback(forget, async () => {
    // Writing zeros makes a full disk an error here instead of a crash later.
    writeSync(descriptor, Buffer.alloc(bytes));
    return { memory: await mapped(descriptor, bytes), path, forget };
  });
}

/** @param {string} path     from `createMemory` @param {number} bytes */
export async function openMemory(path, bytes) {
  const descriptor = openSync(path, 'r+');
  try {
    return await mapped(descriptor, bytes);
  } finally {
    closeSync(descriptor); // the mapping remains
  }
}

/** @param {number} descriptor @param {number} bytes */
async function mapped(descriptor, bytes) {
  library ??= loadLibrary();
  const { koffi, mmap, unmapping } = await library;
  const address = mmap(null, bytes, PROT_READ_WRITE, MAP_SHARED, descriptor, 0);
  if (address === MAP_FAILED) {
    const code = Object.entries(koffi.os.errno).find(([, value]) => value === koffi.errno())?.[0];
    throw new BenchError('TRANSPORT', `${bytes} bytes of shared memory cannot be mapped (${code})`);
  }
  const memory = koffi.view(address, bytes);
  unmapping.register(memory, { address, bytes });
  return memory;
}

// linux/futex.h; without FUTEX_PRIVATE_FLAG, since the other end is another process
const FUTEX_WAIT = 0;
const FUTEX_WAKE = 1;
const ALL_WAITERS = 2 ** 31 - 1;
const MAX_WAIT_NS = 100_000_000;
// Numbers of the system call futex: arch/*/entry/syscalls/*.tbl and include/uapi/asm-generic/unistd.h of Linux.
const SYSTEM_CALLS = /** @type {Record<string, number>} */ ({
  x64: 202,
  arm64: 98,
  riscv64: 98,
  loong64: 98,
  ppc64: 221,
  s390x: 238,
});

/**
 * Waits by futex(2) in a thread of libuv's pool, so that the event loop is not blocked. A timeout ends waits whose wake-up never comes.
 * @param {Int32Array} words   in mapped memory
 * @returns {Promise<WordWaiting>}
 */
export async function futexWaiting(words) {
  const systemCall = SYSTEM_CALLS[process.arch];
  if (systemCall === undefined) {
    throw new BenchError(
      'TRANSPORT',
      `wake=futex does not know the system calls of ${process.arch}: choose wake=doorbell or wake=spin`,
    );
  }
  const { default: koffi } = await import('koffi');
  const timeType = koffi.struct({ seconds: 'int64_t', nanoseconds: 'int64_t' });
  const futex = koffi
    .load(null)
    .func('syscall', 'long', [
      'long',
      'void *',
      'int',
      'uint32_t',
      koffi.pointer(timeType),
      'void *',
      'uint32_t',
    ]);
  const longest = { seconds: 0, nanoseconds: MAX_WAIT_NS };
  const base = koffi.address(words);
  /** @param {number} word */
  const addressOf = (word) => base + BigInt(word * Int32Array.BYTES_PER_ELEMENT);
  return {
    wait(word, seen, whenOver) {
      futex.async(systemCall, addressOf(word), FUTEX_WAIT, seen >>> 0, longest, null, 0, () => whenOver());
    },
    wake(word) {
      futex(systemCall, addressOf(word), FUTEX_WAKE, ALL_WAITERS, null, null, 0);
    },
  };
}

/**
 * Loads a function that yields this CPU to other processes: if both ends of a ring share a CPU, polling is useless before the other end has
 * run. Node has no API for it.
 * @returns {Promise<() => void>}
 */
export async function loadCpuYielder() {
  const { default: koffi } = await import('koffi');
  return koffi.load(null).func('int sched_yield()');
}
