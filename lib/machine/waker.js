// A process pinned to one CPU that sends a byte to and fro between its event loop and that of a process on another CPU, and tells
// its parent for how long neither of them is at work in the median.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pinnedCommand } from '../children/launcher.js';
import { US_PER_MS } from '../format/units.js';
import { median } from '../statistics/signed-rank.js';
import { TurnWatch } from './iteration-watch.js';

const ECHO_PATH = fileURLToPath(new URL('./echo.js', import.meta.url));
const WARM_UP = 10; // slices, in which all that follows is compiled
const SLICES = 30; // of some 5 ms: what another program takes of a CPU falls into few of them
const PINGS = 100; // of a slice
const WAKES = 2; // of a ping, and its answer

const { command, args } = pinnedCommand(process.execPath, [ECHO_PATH, 'watched'], {
  cpus: [Number(process.argv[2])],
  dieWithParent: true,
});
const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const [ping, tell] = ['p', 't'].map((letter) => Buffer.from(letter));
const turns = new TurnWatch();
/** Of both processes, at the ends of slices. @type {number[]} */
const onTheWayMs = [];
/** @type {number[]} */
const pingsMs = [];
let pings = 0;
let sentMs = 0;

/** @param {Buffer} byte */
function send(byte) {
  sentMs = performance.now();
  stdin.write(byte);
  turns.noteWrite();
}

stdout.on('data', (bytes) => {
  if (onTheWayMs.length > WARM_UP) pingsMs.push(performance.now() - sentMs);
  pings += 1;
  if (pings < PINGS) return send(ping);
  if (pings === PINGS) return send(tell);
  pings = 0;
  onTheWayMs.push(turns.onTheWayMs + Number(bytes));
  if (onTheWayMs.length <= WARM_UP + SLICES) return send(ping);
  stdin.end();
  report();
});
turns.begin();
send(ping);

function report() {
  const slicesMs = onTheWayMs.slice(WARM_UP + 1).map((ms, index) => ms - onTheWayMs[WARM_UP + index]);
  const ownMs = median(slicesMs) / (PINGS + 1);
  process.send?.({ us: ((median(pingsMs) - ownMs) / WAKES) * US_PER_MS });
  process.disconnect?.();
}
