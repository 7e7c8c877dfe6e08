// One slice of the load of a process, a worker or a master that has a load of its own.

/** @import { Endpoint } from '../../types/index.js' */
/** @import { Meter } from '../../scenario/load/meter.js' */

/**
 * @param {Meter} meter
 * @param {Endpoint} endpoint
 * @param {{ fromMs: number, toMs: number }} window   of this process's own clock
 * @param {{ onOpen?: () => void, onClose?: () => void }} [ends]
 * @returns {Promise<number>} operations in the window, when nothing of its load is open any more
 */
export async function runSlice(meter, endpoint, { fromMs, toMs }, { onOpen, onClose } = {}) {
  meter.resume();
  const closed = new Promise((resolve) => {
    meter.schedule({
      fromMs,
      toMs,
      binMs: toMs - fromMs,
      onOpen() {
        onOpen?.();
        endpoint.opened?.();
      },
      onClose() {
        endpoint.closed?.();
        onClose?.();
        resolve(undefined);
      },
    });
  });
  for (const ms of [fromMs, toMs]) meter.tickAt(ms);
  await (endpoint.run?.(performance.now()) ?? closed);
  return Number(meter.bins.at(-1));
}

/** @param {Meter} meter @param {boolean} isDropped   the last slice does not count */
export function settleSlice(meter, isDropped) {
  if (isDropped) meter.dropSlice();
  else meter.keepSlice();
}
