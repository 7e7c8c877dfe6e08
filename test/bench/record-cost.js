// What the recorder costs a program: the throughput at full rate with and without it, interleaved. With messages of 60 items a program
// sends some 50,000 a second; with small ones the recorder's share is largest. The kind threads is 16 short ones, one after the other.
// node test/bench/record-cost.js [rounds [kind]]

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordingEnvironment } from '../../lib/record/recording-environment.js';
import { median } from '../../lib/statistics/rank-tests.js';

const ROUNDS = Number(process.argv[2] ?? 10);
const PROGRAM = fileURLToPath(new URL('record-subject.js', import.meta.url));
const CASES = [
  { kind: 'fork', inFlight: 8, items: 60 },
  { kind: 'thread', inFlight: 8, items: 60 },
  { kind: 'fork', inFlight: 64, items: 0 },
  { kind: 'thread', inFlight: 64, items: 0 },
  { kind: 'threads', inFlight: 1_200, items: 0 },
].filter(({ kind }) => process.argv[3] === undefined || kind === process.argv[3]);
const GOAL = { perSecond: 50_000 };

/** @param {typeof CASES[number]} subject @param {boolean} isRecorded @returns {Promise<{ perSecond: number, cpuUs: number }>} */
function runSubject({ kind, inFlight, items }, isRecorded) {
  const folder = mkdtempSync(join(tmpdir(), 'ibr-'));
  const settings = { folder, key: 'bench', hasContents: false };
  const child = spawn(process.execPath, [PROGRAM, kind, String(inFlight), String(items)], {
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
    `${subject.kind}, ${subject.items} items, ${subject.inFlight} in flight: ${Math.round(mean(rates))} messages/s without the recorder; with it ${percent(middle)} ` +
      `(${percent(middle - 2 * error)} to ${percent(middle + 2 * error)}), ${median(costs).toFixed(2)} µs of CPU more per message, ` +
      `${((median(costs) * GOAL.perSecond) / 1e4).toFixed(1)} % of a core at ${GOAL.perSecond} messages/s`,
  );
}
