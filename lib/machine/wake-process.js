// A process that is pinned to a CPU, sends bytes to echo processes, and sends the result to its parent. `ping CPU CPU` returns the medians
// of round trips with echoes on both CPUs, in µs. `latency CPU` returns the wake-up latency in µs: half of the time in a round trip with
// an echo on that CPU during which neither process runs.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pinnedCommand, placeStarted, withStreams } from '../children/launcher.js';
import { US_PER_MS } from '../format/units.js';
import { median } from '../statistics/rank-tests.js';
import { IterationWatch } from './iteration-watch.js';

const ECHO_PATH = fileURLToPath(new URL('./echo.js', import.meta.url));
// Settings of `ping`.
const WARM_UP_MS = 15; // a few hundred round trips, until the code is compiled
const SLICE_MS = 20;
const SLICES = 2; // per echo, alternating because of drift
const MIN_ROUND_TRIPS = 100; // 400 are usual; with fewer than 100, the processes waited for other programs instead of sleeping CPUs
// Settings of `latency`.
const WARM_UP_SLICES = 10; // until the code is compiled
const WATCHED_SLICES = 30; // slices of about 5 ms, so that other programs disturb only few of them
const PINGS = 100; // per slice
const WAKES = 2; // one for a ping, one for its echo

const [mode, ...cpus] = process.argv.slice(2);
if (mode === 'ping') await pingBoth(cpus.map((cpu) => startEcho(Number(cpu))));
else watchLatency(startEcho(Number(cpus[0]), 'watched'));

/** @param {number} cpu @param {string[]} args */
function startEcho(cpu, ...args) {
  const placing = { cpus: [cpu], dieWithParent: true };
  const words = pinnedCommand(process.execPath, [ECHO_PATH, ...args], placing);
  const echo = withStreams(spawn(words.command, words.args, { stdio: ['pipe', 'pipe', 'ignore'] }));
  placeStarted(echo.pid, placing.cpus);
  return echo;
}

/** @param {ReturnType<typeof startEcho>[]} echoes   on the same CPU and on the other one */
async function pingBoth([same, split]) {
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
  if (Math.min(sameTimesUs.length, splitTimesUs.length) >= MIN_ROUND_TRIPS) {
    process.send?.({ sameUs: median(sameTimesUs), splitUs: median(splitTimesUs) });
  }
  process.disconnect?.();
}

/** @param {ReturnType<typeof startEcho>} echo @param {number} ms @returns {Promise<number[]>} µs of each round trip */
function pingFor({ stdin, stdout }, ms) {
  const byte = Buffer.from('x');
  return new Promise((resolve) => {
    /** @type {number[]} */
    const timesUs = [];
    let endMs = Infinity;
    let sentMs = 0;
    const onEcho = () => {
      const nowMs = performance.now();
      // The first round trip includes the start of the echo.
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

/** @param {ReturnType<typeof startEcho>} echo   with an IterationWatch */
function watchLatency({ stdin, stdout }) {
  const [ping, read] = ['p', 't'].map((letter) => Buffer.from(letter));
  const iterations = new IterationWatch();
  /** Total work of both processes up to the last writes of their iterations, read at the end of each slice. @type {number[]} */
  const onTheWayMs = [];
  /** @type {number[]} */
  const pingsMs = [];
  let pings = 0;
  let sentMs = 0;
  /** @param {Buffer} byte */
  const send = (byte) => {
    sentMs = performance.now();
    stdin.write(byte);
    iterations.onWrite();
  };
  stdout.on('data', (bytes) => {
    if (onTheWayMs.length > WARM_UP_SLICES) pingsMs.push(performance.now() - sentMs);
    pings += 1;
    if (pings < PINGS) return send(ping);
    if (pings === PINGS) return send(read);
    pings = 0;
    onTheWayMs.push(iterations.onTheWayMs + Number(bytes));
    if (onTheWayMs.length <= WARM_UP_SLICES + WATCHED_SLICES) return send(ping);
    stdin.end();
    const watched = onTheWayMs.slice(WARM_UP_SLICES + 1);
    const slicesMs = watched.map((ms, index) => ms - onTheWayMs[WARM_UP_SLICES + index]);
    const ownMs = median(slicesMs) / (PINGS + 1);
    process.send?.({ us: ((median(pingsMs) - ownMs) / WAKES) * US_PER_MS });
    process.disconnect?.();
  });
  iterations.begin();
  send(ping);
}
