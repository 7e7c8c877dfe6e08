// A process pinned to one CPU that wakes another on another CPU, time and again, and tells its parent how long the other one
// took to go on: from the end of the write, so that what writing costs is not in it, less the time for which its CPU was another's.

import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pinnedCommand } from '../processes/launcher.js';
import { median } from '../statistics/signed-rank.js';

const SLEEPER_PATH = fileURLToPath(new URL('./sleeper.js', import.meta.url));
const WARM_UP = 100; // what follows is compiled
const TIMES = 300;
// The deeper a CPU sleeps, the longer it takes to wake: in a round trip it sleeps for about as long as the other end works.
const BUSY_NS = 30_000n;
const NS_PER_US = 1_000;

const { command, args } = pinnedCommand(process.execPath, [SLEEPER_PATH], {
  cpus: [Number(process.argv[2])],
  dieWithParent: true,
});
const sleeper = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const { fd } = /** @type {any} */ (sleeper.stdin)._handle;
const byte = Buffer.from('x');
/** @type {bigint[]} */
const writtenNs = [];
let told = '';

function wake() {
  for (const untilNs = process.hrtime.bigint() + BUSY_NS; process.hrtime.bigint() < untilNs; );
  writeSync(fd, byte);
  writtenNs.push(process.hrtime.bigint());
}

sleeper.stdout.on('data', (bytes) => {
  told += bytes;
  if (writtenNs.length < WARM_UP + TIMES) wake();
  else sleeper.stdin.end();
});
sleeper.stdout.on('end', () => {
  /** @type {[wokenNs: string, waitedNs: number][]} */
  const notes = JSON.parse(told.slice(told.indexOf('\n')));
  const timesUs = notes
    .map(([wokenNs, waitedNs], index) => Number(BigInt(wokenNs) - writtenNs[index]) - waitedNs)
    .slice(WARM_UP)
    .map((ns) => ns / NS_PER_US);
  process.send?.({ us: Math.max(0, median(timesUs)) });
  process.disconnect?.();
});
wake();
