// What the two ends of each channel say arrives: all of it, unchanged, in order, once, and nowhere else.

import assert from 'node:assert/strict';

/** @typedef {import('./stage.js').Scene} Scene */

const BLOCK_MS = 300;
const BULK_BYTES = 65_536;

/** @type {Record<string, Scene>} */
export const TALK_SCENES = {
  async 'gives each worker a channel of its own'(stage) {
    const { launch } = await stage.main();
    const guests = launch.guests();
    for (const { workerId, end } of guests) await end.echo(stage.wire(`only for ${workerId}`));
    for (const { workerId, remote } of guests) {
      assert.equal(await remote.ask('heard'), 1, `${workerId} heard what was not meant for it`);
    }
  },

  async 'carries any content unchanged'(stage) {
    const { launch } = await stage.main();
    await launch.talk('difficult');
  },

  async 'carries random content unchanged'(stage) {
    const { launch } = await stage.main();
    await launch.talk('random');
  },

  async 'keeps order and boundaries of 5,000 messages sent at once in both directions'(stage) {
    const { launch } = await stage.main();
    await launch.talk('numbered');
  },

  async 'carries messages of 1 B to 16 MiB, or states the greatest it can'(stage) {
    const { launch } = await stage.main();
    await launch.talk('sized', { greatestBytes: stage.greatestBytes });
  },

  async 'asks the host to wait while a worker reads nothing, and loses nothing'(stage) {
    const size = { name: 'a launch that is blocked', workers: 1, maxMessageBytes: 2 * BULK_BYTES };
    await stage.during(size, async (launch) => {
      const greatestBytes = Math.min(BULK_BYTES, stage.greatestBytes);
      const pauses = await launch.talk('bulk', { blockMs: BLOCK_MS, greatestBytes });
      assert.ok(pauses > 0, 'send() took 20 MiB that nobody read, and never said false');
      for (const { end } of launch.guests()) await end.channel.drained();
    });
  },

  async 'keeps two launches at once apart'(stage) {
    const main = await stage.main();
    await stage.during({ name: 'a second launch', workers: 1 }, async (second) => {
      await Promise.all([main.launch.talk('random'), second.talk('random')]);
    });
  },
};
