// The host of the transport suite, forked by the test process, so that whatever a transport keeps alive, or breaks, is
// noticed there and harms no other test.

import { BULK_SCENES } from './bulk-scenes.js';
import { ENDING_SCENES } from './ending-scenes.js';
import { INTRUDER_SCENES } from './intruder-scenes.js';
import { RECONNECTING_SCENES } from './reconnecting-scenes.js';
import { answerParent } from './remote.js';
import { Stage } from './stage.js';
import { TALK_SCENES } from './talk-scenes.js';

const scenes = {
  ...TALK_SCENES,
  ...BULK_SCENES,
  ...INTRUDER_SCENES,
  ...RECONNECTING_SCENES,
  ...ENDING_SCENES,
};
/** @type {Stage} */
let stage;

answerParent({
  /** After another one, whose workers go on where they may connect again. */
  async open(variant) {
    const { default: transport } = await import(variant.url);
    await stage?.endLaunches();
    stage = new Stage(transport, variant, stage?.group);
  },
  play: ({ title }) => stage.play(scenes[title]),
  async finish() {
    await stage.main();
    await stage.clear();
  },
  clear: () => stage?.clear(),
});
