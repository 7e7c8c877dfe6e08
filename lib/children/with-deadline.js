/**
 * @template T, L
 * @param {Promise<T> | T} awaited
 * @param {number} deadlineMs
 * @param {() => L | Promise<L>} onLate   throws, or returns a value in place of the late one
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
