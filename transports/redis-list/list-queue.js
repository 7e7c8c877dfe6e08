// Redis lists as queues: writers push at the left, readers pop at the right. An element is a message, or a control frame
// (lib/channels/message-channel.js), which begins with the token.

import { refusedWrite } from '../../lib/channels/brokers/redis-queues.js';
import { beginsLikeControlFrame } from '../../lib/channels/message-channel.js';
import { textOrBuffer } from '../../lib/codecs/wire-bytes.js';

/** @import { QueueKind, Refused } from '../../lib/channels/brokers/redis-queues.js' */
/** @import { Redis } from 'ioredis' */
/** @typedef {(client: Redis, list: string, onElement: (bytes: Buffer) => void, refused: Refused) => Promise<never>} ReadList */

const FOR_EVER = 0;

/** @param {import('../../lib/types/transports.js').EndContext} end @returns {QueueKind} */
export function listQueues({ settings, token }) {
  const { guarantee, batch } = settings;
  const tokenBytes = Buffer.from(token);
  const read = guarantee === 'move' ? readByMoving : batch === 1 ? readByPopping : readBatches(Number(batch));
  return {
    async prepare() {}, // a list exists as long as it has elements
    writer(client, list, refused) {
      const failed = refusedWrite(client, refused);
      /** @param {string | Uint8Array} wire */
      const push = (wire) => void client.lpush(list, textOrBuffer(wire)).catch(failed);
      return { send: push, sendControl: push };
    },
    read(client, list, { onData, onControl, refused }) {
      /** @param {Buffer} bytes */
      const onElement = (bytes) => (beginsLikeControlFrame(bytes, tokenBytes) ? onControl : onData)(bytes);
      return read(client, list, onElement, refused);
    },
    keysOf: (list) => [list, processingKey(list)],
  };
}

/** @type {ReadList} */
async function readByPopping(client, list, onElement) {
  for (;;) {
    const reply = await client.brpopBuffer(list, FOR_EVER);
    if (reply !== null) onElement(reply[1]);
  }
}

/** @param {number} batch @returns {ReadList} */
function readBatches(batch) {
  return async (client, list, onElement) => {
    for (;;) {
      const reply = await client.blmpopBuffer(FOR_EVER, 1, list, 'RIGHT', 'COUNT', batch);
      for (const bytes of reply?.[1] ?? []) onElement(bytes);
    }
  };
}

/**
 * Implements the reliable queue of the documentation of LMOVE: a received element stays in another list until it has been handled.
 * @type {ReadList}
 */
async function readByMoving(client, list, onElement, refused) {
  const processing = processingKey(list);
  const failed = refusedWrite(client, refused);
  /** @param {number} elements */
  const confirm = (elements) => {
    if (elements !== 1) failed(new Error('what was taken from the queue was removed'));
  };
  for (;;) {
    const bytes = await client.blmoveBuffer(list, processing, 'RIGHT', 'LEFT', FOR_EVER);
    if (bytes === null) continue;
    onElement(bytes);
    // LREM is sent in the same tick as the next BLMOVE, which does not wait for the reply of LREM.
    client.lrem(processing, 1, bytes).then(confirm, failed);
  }
}

/** @param {string} list */
function processingKey(list) {
  return `${list}:processing`;
}
