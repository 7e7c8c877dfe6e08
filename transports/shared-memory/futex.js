// Waiting for a word that processes share to change, by the futex of Linux. The wait is a call on a thread of the pool,
// so that the event loop goes on, and has an end, so that no thread stays behind.

import { BenchError } from '../../lib/errors.js';

/** @import { WordWaiting } from '../../lib/transport/ring/ring-end.js' */

// linux/futex.h; without FUTEX_PRIVATE_FLAG, since the other end is another process.
const FUTEX_WAIT = 0;
const FUTEX_WAKE = 1;
const ALL_WAITERS = 2 ** 31 - 1;
const LONGEST_WAIT_NS = 100_000_000;
// Numbers of the system call: arch/*/entry/syscalls/*.tbl and include/uapi/asm-generic/unistd.h of Linux.
const SYSTEM_CALLS = /** @type {Record<string, number>} */ ({
  x64: 202,
  arm64: 98,
  riscv64: 98,
  loong64: 98,
  ppc64: 221,
  s390x: 238,
});

/** @param {Int32Array} words   of mapped memory @returns {Promise<WordWaiting>} */
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
  const longest = { seconds: 0, nanoseconds: LONGEST_WAIT_NS };
  const base = koffi.address(words);
  const addressOf = (/** @type {number} */ word) => base + BigInt(word * Int32Array.BYTES_PER_ELEMENT);
  return {
    wait(word, seen, whenOver) {
      futex.async(systemCall, addressOf(word), FUTEX_WAIT, seen >>> 0, longest, null, 0, () => whenOver());
    },
    wake(word) {
      futex(systemCall, addressOf(word), FUTEX_WAKE, ALL_WAITERS, null, null, 0);
    },
  };
}
