// A process pinned to one CPU that sends a byte to an echo on the same CPU and to one on another, in turn, and tells
// its parent both medians.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pinnedCommand } from '../children/launcher.js';
import { US_PER_MS } from '../format/units.js';
import { median } from '../statistics/signed-rank.js';

const ECHO_PATH = fileURLToPath(new URL('./echo.js', import.meta.url));
const WARM_UP_MS = 15; // a few hundred round trips: what follows is compiled
const SLICE_MS = 20;
const SLICES = 2; // of each, in turn, so that a drift meets both
const FEWEST_ROUND_TRIPS = 100; // 400 are usual: with fewer, the processes waited for others, not for sleeping CPUs

/** @typedef {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} Echo */

const byte = Buffer.from('x');
const [same, split] = process.argv.slice(2).map((cpu) => startEcho(Number(cpu)));
for (const echo of [same, split]) await pingFor(echo, WARM_UP_MS);
/** @type {number[]} */
const sameTimesUs = [];
/** @type {number[]} */
const splitTimesUs = [];
for (let slice = 0; slice < SLICES; slice += 1) {
  sameTimesUs.push(...(await pingFor(same, SLICE_MS)));
  splitTimesUs.push(...(await pingFor(split, SLICE_MS)));
}
for (const echo of [same, split]) echo.stdin.end();
if (Math.min(sameTimesUs.length, splitTimesUs.length) >= FEWEST_ROUND_TRIPS) {
  process.send?.({ sameUs: median(sameTimesUs), splitUs: median(splitTimesUs) });
}
process.disconnect?.();

/** @param {number} cpu */
function startEcho(cpu) {
  const { command, args } = pinnedCommand(process.execPath, [ECHO_PATH], {
    cpus: [cpu],
    dieWithParent: true,
  });
  return spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
}

/** @param {Echo} echo @param {number} ms @returns {Promise<number[]>} µs of each round trip */
function pingFor({ stdin, stdout }, ms) {
  return new Promise((resolve) => {
    /** @type {number[]} */
    const timesUs = [];
    let endMs = Infinity;
    let sentMs = 0;
    const onEcho = () => {
      const nowMs = performance.now();
      // The first one waited for the echo to start.
      if (sentMs > 0) timesUs.push((nowMs - sentMs) * US_PER_MS);
      else endMs = nowMs + ms;
      if (nowMs >= endMs) {
        stdout.off('data', onEcho);
        resolve(timesUs);
        return;
      }
      sentMs = performance.now();
      stdin.write(byte);
    };
    stdout.on('data', onEcho);
    stdin.write(byte);
  });
}
