// The host of the transport suite, a child of the test process, so that a transport that keeps it alive or breaks it does not
// affect other tests.

import { BULK_TESTS } from './bulk-tests.js';
import { ENDING_TESTS } from './ending-tests.js';
import { INTRUDER_TESTS } from './intruder-tests.js';
import { RECONNECTING_TESTS } from './reconnecting-tests.js';
import { answerParent } from './remote.js';
import { TALK_TESTS } from './talk-tests.js';
import { TestLaunches } from './test-launches.js';

const tests = {
  ...TALK_TESTS,
  ...BULK_TESTS,
  ...INTRUDER_TESTS,
  ...RECONNECTING_TESTS,
  ...ENDING_TESTS,
};
/** @type {TestLaunches} */
let launches;

answerParent({
  /** Keeps workers of the last launch that may connect again. */
  async open(variant) {
    const { default: transport } = await import(variant.url);
    await launches?.endLaunches();
    launches = new TestLaunches(transport, variant, launches?.group);
  },
  run: ({ title }) => launches.run(tests[title]),
  async finish() {
    await launches.main();
    await launches.clear();
  },
  clear: () => launches?.clear(),
});
