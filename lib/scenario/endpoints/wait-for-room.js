// Waiting for a channel that takes no more.

import { BenchError } from '../../errors.js';

/**
 * @param {Pick<import('../../types/index.js').Channel, 'drained'>} channel
 * @param {string} [transport]   its name
 * @returns {Promise<void>} resolves when the channel takes more
 * @throws {BenchError} TRANSPORT: its `drained()`, which may be a plug-in's, threw an error or rejected
 */
export async function waitForRoom(channel, transport = 'the transport') {
  try {
    await channel.drained();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BenchError('TRANSPORT', `drained() of ${transport} failed: ${why}`, { cause: error });
  }
}
