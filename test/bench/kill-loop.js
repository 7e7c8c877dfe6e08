// `npm run kill-loop -- 1000 [seed]`: kills as many runs at random moments, and prints what was left of each. Linux only.

import { seededRandom } from '../../lib/statistics/random.js';
import { killRun } from '../fixtures/kill-run.js';

const kills = Number(process.argv[2] ?? 100);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 32));
const random = seededRandom(seed);
let failures = 0;
console.log(`${kills} kills, seed ${seed}`);
for (let index = 0; index < kills; index += 1) {
  try {
    console.log(`ok ${index + 1} ${await killRun(random)}`);
  } catch (error) {
    failures += 1;
    console.log(`not ok ${index + 1}`, error);
  }
}
console.log(`${failures} of ${kills} left something behind`);
process.exitCode = failures === 0 ? 0 : 1;
