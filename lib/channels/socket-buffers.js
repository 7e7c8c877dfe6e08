// Sets SO_SNDBUF and SO_RCVBUF, and checks the sizes that the system has set. node:net has no API for them: koffi, an optional package
// that is loaded only if one of the two is requested, calls setsockopt() of the C library.

import { BenchError } from '../errors.js';

/** @import { Setting } from '../types/index.js' */
/** @typedef {(socket: import('node:net').Socket) => void} Sizer   throws BenchError if the system sets another size */

const IS_LINUX = process.platform === 'linux';
// asm-generic/socket.h of Linux; sys/socket.h of macOS and the BSDs
const SOL_SOCKET = IS_LINUX ? 1 : 0xffff;
const OPTIONS = Object.freeze({
  sndbuf: { id: IS_LINUX ? 7 : 0x1001, limit: IS_LINUX ? 'net.core.wmem_max' : 'kern.ipc.maxsockbuf' },
  rcvbuf: { id: IS_LINUX ? 8 : 0x1002, limit: IS_LINUX ? 'net.core.rmem_max' : 'kern.ipc.maxsockbuf' },
});
// Linux sets and reports twice the requested size, of which half is for bookkeeping: socket(7)
const SHARE_FOR_DATA = IS_LINUX ? 0.5 : 1;
const INT_BYTES = 4;

/** @type {Record<'sndbuf' | 'rcvbuf', Setting>} */
export const bufferSettings = Object.freeze({
  sndbuf: sizeSetting('SO_SNDBUF'),
  rcvbuf: sizeSetting('SO_RCVBUF'),
});

/** @param {string} option @returns {Setting} */
function sizeSetting(option) {
  return {
    summary: `${option} of both ends; 0: left to the system`,
    default: 0,
    min: 0,
    max: 2 ** 30 - 1,
    unit: 'bytes',
  };
}

/** @typedef {{ option: string, name: string, id: number, limit: string, bytes: number }} RequestedBuffer */

/**
 * @param {Readonly<Record<string, string | number | boolean>>} settings
 * @returns {RequestedBuffer[]} empty if the settings request no size
 */
export function requestedBuffers(settings) {
  return Object.entries(OPTIONS).flatMap(([option, { id, limit }]) => {
    const bytes = Number(settings[option] ?? 0);
    return bytes === 0 ? [] : [{ option, name: `${option}=${bytes}`, id, limit, bytes }];
  });
}

/**
 * `whyUnavailable` of transports with these settings.
 * @param {Readonly<Record<string, string | number | boolean>>} [settings]
 * @returns {Promise<string | null>} why this machine cannot set the requested sizes, and the remedy
 */
export async function buffersProblem(settings = {}) {
  const setting = requestedBuffers(settings)
    .map(({ name }) => name)
    .join(' and ');
  if (setting === '') return null;
  // Loaded late, because the time that a worker takes to start is measured.
  const { packageProblem } = await import('../machine/packages.js');
  const reason =
    process.platform === 'win32'
      ? 'Node does not expose the socket on Windows'
      : await packageProblem('koffi');
  return reason === null ? null : `${setting} cannot be set: ${reason}`;
}

/**
 * @param {RequestedBuffer} request
 * @param {number} reportedBytes    as getsockopt() returns it
 * @throws {BenchError} TRANSPORT if the system has set another size
 */
export function assertSize({ name, limit, bytes }, reportedBytes) {
  const givenBytes = reportedBytes * SHARE_FOR_DATA;
  if (givenBytes === bytes) return;
  const remedy = givenBytes < bytes ? `give less, or raise ${limit}` : 'give more';
  throw new BenchError('TRANSPORT', `${name}: the system gives ${givenBytes} bytes; ${remedy}`);
}

/**
 * @param {Readonly<Record<string, string | number | boolean>>} settings
 * @returns {Promise<Sizer>} to be called with connected sockets
 * @throws {BenchError} TRANSPORT if this machine cannot set sizes
 */
export async function bufferSizer(settings) {
  const requested = requestedBuffers(settings);
  if (requested.length === 0) return () => {};
  const reason = await buffersProblem(settings);
  if (reason !== null) throw new BenchError('TRANSPORT', reason);
  const sizes = await loadSizeCalls();
  return (socket) => {
    const { fd } = /** @type {any} */ (socket)._handle;
    for (const request of requested) {
      sizes.set(fd, request.id, request.bytes);
      assertSize(request, sizes.get(fd, request.id));
    }
  };
}

async function loadSizeCalls() {
  const { default: koffi } = await import('koffi');
  const libc = koffi.load(null); // the C library that this process has loaded
  const setOption = libc.func('int setsockopt(int, int, int, const int32_t *, uint32_t)');
  const getOption = libc.func('int getsockopt(int, int, int, _Out_ int32_t *, _Inout_ uint32_t *)');
  return {
    /** @param {number} fd @param {number} id @param {number} bytes */
    set: (fd, id, bytes) => void setOption(fd, SOL_SOCKET, id, [bytes], INT_BYTES),
    /** @param {number} fd @param {number} id @returns {number} bytes */
    get(fd, id) {
      const bytes = [0];
      getOption(fd, SOL_SOCKET, id, bytes, [INT_BYTES]);
      return bytes[0];
    },
  };
}
