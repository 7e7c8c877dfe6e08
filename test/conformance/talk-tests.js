// Messages arrive completely, unchanged, in order, once, and at no other channel.

import assert from 'node:assert/strict';

/** @import { Test } from './test-launches.js' */

/** @type {Record<string, Test>} */
export const TALK_TESTS = {
  async 'gives each worker a channel of its own'(launches) {
    const { launch } = await launches.main();
    const guests = launch.guests();
    for (const guest of guests) await launch.echo(guest, `only for ${guest.workerId}`);
    for (const { workerId, remote, end } of guests) {
      const heard = launch.expected.onlyResponds ? end.heardWhileIdle : await remote.ask('heard');
      assert.equal(heard, 1, `a message for another channel arrived on the channel of ${workerId}`);
    }
  },

  async 'carries any content unchanged'(launches) {
    const { launch } = await launches.main();
    await launch.talk('difficult');
  },

  async 'carries random content unchanged'(launches) {
    const { launch } = await launches.main();
    await launch.talk('random');
  },

  async 'preserves boundaries, and order unless declared otherwise, of thousands of messages sent at once in both directions'(
    launches,
  ) {
    const { launch } = await launches.main();
    await launch.talk('numbered');
  },
};
