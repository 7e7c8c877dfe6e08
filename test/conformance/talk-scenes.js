// What the two ends of each channel say arrives: all of it, unchanged, in order, once, and nowhere else.

import assert from 'node:assert/strict';

/** @import { Scene } from './stage.js' */

/** @type {Record<string, Scene>} */
export const TALK_SCENES = {
  async 'gives each worker a channel of its own'(stage) {
    const { launch } = await stage.main();
    const guests = launch.guests();
    for (const guest of guests) await launch.echo(guest, `only for ${guest.workerId}`);
    for (const { workerId, remote, end } of guests) {
      const heard = launch.manners.onlyAnswers ? end.heardWhileIdle : await remote.ask('heard');
      assert.equal(heard, 1, `what was not meant for it was heard on the channel of ${workerId}`);
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

  async 'keeps boundaries, and order unless it says otherwise, of thousands of messages sent at once both ways'(
    stage,
  ) {
    const { launch } = await stage.main();
    await launch.talk('numbered');
  },
};
