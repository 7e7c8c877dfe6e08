/**
 * @template T, L
 * @param {Promise<T> | T} awaited
 * @param {number} deadlineMs
 * @param {() => L | Promise<L>} onLate   throws, or returns a replacement for the late value
 * @returns {Promise<T | L>}
 */
export async function withDeadline(awaited, deadlineMs, onLate) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(new Promise((settle) => settle(onLate()))), deadlineMs);
  });
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}
