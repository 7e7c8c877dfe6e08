// What the recorder costs a program: its rate with and without it, interleaved, for programs that work between their messages, so that they send
// and receive some 20,000 and 200,000 a second, and for one that does nothing else. The kind threads is 16 short ones, one after the other.
// node test/bench/record-cost.js [rounds [kind [seconds to warm up]]]

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordingEnvironment } from '../../lib/record/recording-environment.js';
import { median } from '../../lib/statistics/rank-tests.js';

const ROUNDS = Number(process.argv[2] ?? 10);
const WARM_UP_S = process.argv[4] ?? '1';
const PROGRAM = fileURLToPath(new URL('record-subject.js', import.meta.url));
const CASES = [
  { kind: 'fork', inFlight: 8, workUs: 90, mostPercent: 3 },
  { kind: 'thread', inFlight: 8, workUs: 90, mostPercent: 3 },
  { kind: 'fork', inFlight: 64, workUs: 6, mostPercent: 10 },
  { kind: 'thread', inFlight: 64, workUs: 6, mostPercent: 10 },
  { kind: 'fork', inFlight: 64, workUs: 0 },
  { kind: 'thread', inFlight: 64, workUs: 0 },
  { kind: 'threads', inFlight: 1_200, workUs: 0 },
].filter(({ kind }) => process.argv[3] === undefined || kind === process.argv[3]);

/** @param {typeof CASES[number]} subject @param {boolean} isRecorded @returns {Promise<{ perSecond: number, cpuUs: number }>} */
function runSubject({ kind, inFlight, workUs }, isRecorded) {
  const folder = mkdtempSync(join(tmpdir(), 'ibr-'));
  const settings = { folder, key: 'bench', hasContents: false };
  const child = spawn(process.execPath, [PROGRAM, kind, String(inFlight), String(workUs), WARM_UP_S], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', ...(isRecorded && recordingEnvironment(settings, {})) },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) =>
    child.once('close', () => {
      rmSync(folder, { recursive: true });
      resolve(JSON.parse(text));
    }),
  );
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

for (const subject of CASES) {
  const logs = [];
  const costs = [];
  const rates = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    /** @type {Record<string, { perSecond: number, cpuUs: number }>} */
    const found = {};
    for (const isRecorded of round % 2 === 0 ? [false, true] : [true, false])
      found[String(isRecorded)] = await runSubject(subject, isRecorded);
    logs.push(Math.log(found.true.perSecond / found.false.perSecond));
    costs.push(found.true.cpuUs - found.false.cpuUs);
    rates.push(found.false.perSecond);
  }
  const middle = mean(logs);
  const error = Math.sqrt(mean(logs.map((log) => (log - middle) ** 2)) / (ROUNDS - 1));
  const percent = (/** @type {number} */ log) => `${((Math.exp(log) - 1) * 100).toFixed(1)} %`;
  console.log(
    `${subject.kind}, ${subject.inFlight} in flight: ${Math.round(median(rates))} messages/s without the recorder; with it ${percent(middle)} ` +
      `(${percent(middle - 2 * error)} to ${percent(middle + 2 * error)}), ${median(costs).toFixed(2)} µs of CPU more per message` +
      (subject.mostPercent === undefined
        ? ''
        : `; at most -${subject.mostPercent} %: ${middle > Math.log(1 - subject.mostPercent / 100) ? 'met' : 'missed'}`),
  );
}
