// A process' end of the rings in mapped memory, with what only the system can do for it.

import { RingEnd } from '../../lib/transport/ring/ring-end.js';
import { loadCpuYielder } from './cpu-yielder.js';
import { futexWaiting } from './futex.js';

/**
 * @param {import('../../lib/types/transports.js').EndContext} end
 * @param {import('../../lib/transport/ring/ring-layout.js').RingLayout} layout
 * @param {ArrayBuffer} memory
 * @param {number | 'master'} self
 * @returns {Promise<RingEnd>}
 */
export async function mappedRingEnd(end, layout, memory, self) {
  const waiting = end.settings.wake === 'futex' ? await futexWaiting(layout.bells(memory)) : null;
  return new RingEnd(end, { layout, memory, self, waiting, yieldCpu: await loadCpuYielder() });
}
