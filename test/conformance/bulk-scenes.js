// What is much at once: the other end that does not read, the largest messages, a second launch beside the first.

import assert from 'node:assert/strict';

/** @import { Scene } from './stage.js' */

const BLOCK_MS = 300;
const BULK_BYTES = 65_536;
const COSTLY_BULK_BYTES = 1_048_576; // fewer messages for as many bytes

/** @type {Record<string, Scene>} */
export const BULK_SCENES = {
  async 'asks to wait while the other end reads nothing, and loses nothing'(stage) {
    const { manners } = (await stage.main()).launch;
    if (!manners.pushesBack) return 'it says that messages may get lost';
    if (manners.isCostly && stage.greatestBytes < COSTLY_BULK_BYTES) {
      return 'it would take hundreds of messages, each of them costly';
    }
    const second = await stage.beside(secondLaunch(stage, manners));
    const greatestBytes = Math.min(bulkBytes(manners), stage.greatestBytes);
    const pauses = await second.talk('bulk', { blockMs: BLOCK_MS, greatestBytes });
    assert.ok(pauses > 0, 'send() took 20 MiB that nobody read, and never said false');
    for (const { end } of second.guests()) await end.channel.drained();
  },

  async 'carries messages of 1 B to 16 MiB, or states the greatest it can'(stage) {
    const { launch } = await stage.main();
    await launch.talk('sized', { greatestBytes: stage.greatestBytes });
  },

  async 'keeps two launches at once apart'(stage) {
    const main = await stage.main();
    const second = await stage.beside(secondLaunch(stage, main.launch.manners));
    await Promise.all([main.launch.talk('random'), second.talk('random')]);
    await stage.endOthers();
  },
};

/** @param {import('./manners.js').Manners} manners */
const bulkBytes = ({ isCostly }) => (isCostly ? COSTLY_BULK_BYTES : BULK_BYTES);

/** @param {import('./stage.js').Stage} stage @param {import('./manners.js').Manners} manners */
function secondLaunch({ greatestBytes }, manners) {
  const maxMessageBytes = Math.min(2 * bulkBytes(manners), greatestBytes);
  return { name: 'a second launch', workers: 1, maxMessageBytes };
}
