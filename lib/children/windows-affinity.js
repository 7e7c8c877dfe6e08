// Sets the CPUs of processes and threads on Windows. Calls kernel32 through koffi, an optional package with prebuilt binaries. A mask
// contains the CPUs of one processor group, which has at most 64.

import { readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';

/**
 * @typedef {object} Affinity
 * @property {(pid: number, cpus: number[]) => void} moveProcess   moves all threads of the process
 * @property {(threadId: number, cpus: number[]) => void} moveThread
 * @property {() => number} currentThreadId
 * @property {() => number[][]} readCores   the CPUs that this process may use, grouped by core, ascending
 */

// https://learn.microsoft.com/windows/win32/procthread/process-security-and-access-rights, and thread-security-and-access-rights
const PROCESS_RIGHTS = 0x0600; // query and set information
const THREAD_RIGHTS = 0x0060;
const CORE = 0; // RelationProcessorCore
const ENTRY_BYTES = 32; // size of SYSTEM_LOGICAL_PROCESSOR_INFORMATION on 64-bit Windows
const MAX_BYTES = 65_536;

/** @type {Affinity | null | undefined} */
let known;

/** @returns {Affinity | null} null on other systems, or if koffi does not load */
export function windowsAffinity() {
  if (known === undefined) known = process.platform === 'win32' ? loadAffinity() : null;
  return known;
}

/** @returns {number | null} the system's id of the calling thread, or null if unknown */
export function systemThreadId() {
  if (process.platform !== 'linux') return windowsAffinity()?.currentThreadId() ?? null;
  // Synchronous calls of node:fs run on the calling thread.
  return Number(basename(readlinkSync('/proc/thread-self')));
}

/** @returns {Affinity | null} */
function loadAffinity() {
  try {
    const koffi = createRequire(import.meta.url)('koffi');
    return affinityBy(koffi.load('kernel32.dll'));
  } catch {
    return null;
  }
}

/** @param {number[]} cpus */
const maskOf = (cpus) => cpus.reduce((mask, cpu) => mask | (1n << BigInt(cpu)), 0n);

/** @param {bigint} mask @returns {number[]} */
const cpusOf = (mask) =>
  Array.from({ length: 64 }, (_, cpu) => cpu).filter((cpu) => (mask >> BigInt(cpu)) & 1n);

/** @param {{ func: (prototype: string) => (...values: any[]) => any }} kernel32 @returns {Affinity} */
export function affinityBy(kernel32) {
  /** @param {string} prototype */
  const call = (prototype) => kernel32.func(prototype);
  const openProcess = call('intptr_t OpenProcess(uint32_t rights, int inherit, uint32_t id)');
  const openThread = call('intptr_t OpenThread(uint32_t rights, int inherit, uint32_t id)');
  const setProcess = call('int SetProcessAffinityMask(intptr_t process, uintptr_t mask)');
  const setThread = call('uintptr_t SetThreadAffinityMask(intptr_t thread, uintptr_t mask)');
  const getProcess = call(
    'int GetProcessAffinityMask(intptr_t process, _Out_ uintptr_t *own, _Out_ uintptr_t *all)',
  );
  const getCores = call('int GetLogicalProcessorInformation(_Out_ uint8_t *list, _Inout_ uint32_t *bytes)');
  const close = call('int CloseHandle(intptr_t handle)');
  const currentProcess = call('intptr_t GetCurrentProcess()');
  const currentThreadId = call('uint32_t GetCurrentThreadId()');

  /**
   * @param {string} what
   * @param {number | bigint} handle
   * @param {(handle: number | bigint) => number | bigint} set   returns 0 if it fails
   */
  function move(what, handle, set) {
    if (Number(handle) === 0) throw new Error(`${what} is gone`);
    try {
      if (Number(set(handle)) === 0) throw new Error(`${what} cannot be moved to other CPUs`);
    } finally {
      close(handle);
    }
  }

  return {
    moveProcess(pid, cpus) {
      move(`process ${pid}`, openProcess(PROCESS_RIGHTS, 0, pid), (handle) =>
        setProcess(handle, maskOf(cpus)),
      );
    },
    moveThread(threadId, cpus) {
      move(`thread ${threadId}`, openThread(THREAD_RIGHTS, 0, threadId), (handle) =>
        setThread(handle, maskOf(cpus)),
      );
    },
    currentThreadId,
    readCores() {
      const [ofProcess, ofSystem] = [[0], [0]];
      if (getProcess(currentProcess(), ofProcess, ofSystem) === 0) return [];
      const usable = BigInt(ofProcess[0]);
      const list = Buffer.alloc(MAX_BYTES);
      const bytes = [MAX_BYTES];
      if (getCores(list, bytes) === 0) return cpusOf(usable).map((cpu) => [cpu]);
      const entries = Array.from({ length: bytes[0] / ENTRY_BYTES }, (_, index) => index * ENTRY_BYTES);
      return entries
        .filter((at) => list.readInt32LE(at + 8) === CORE)
        .map((at) => cpusOf(list.readBigUInt64LE(at) & usable))
        .filter((cpus) => cpus.length > 0);
    },
  };
}
