// Runs at night.
// Whatever process of a run is killed, and whenever: no process and no broken file is left, and the next run removes the
// rest. `npm run kill-loop` does it as often as one likes.

import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/statistics/random.js';
import { killRun } from '../fixtures/kill-run.js';

const KILLS = 20;
const SEED = 20; // of its first three, one is meant for the runner, in a run with a server, and two for what it has started

describe('a run', { skip: process.platform === 'linux' ? false : 'finds processes in /proc' }, () => {
  it(`that is killed at random, ${KILLS} times, leaves nothing`, async () => {
    const random = seededRandom(SEED);
    for (let index = 0; index < KILLS; index += 1) await killRun(random);
  });
});
