// `npm run bench:report`: what it costs to make every document of a run of 500 cells, one after the other and all at once: CPU
// time, time and peak memory of the process. The rows are those of a real run, again and again.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPORTS_BY_FLAG } from '../../lib/options/option-table.js';
import { readResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { manyCells } from '../fixtures/many-cells.js';

const ROOT = join(import.meta.dirname, '..', '..');
const CELLS = Number(process.argv[2] ?? 500);
// Printed by the process at its end: its total cost.
const TELL = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeSync(2, '\\ncost ' + JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1024 }));
  });
`)}`;

const folder = mkdtempSync(join(tmpdir(), 'ipcb-cost-'));
try {
  const file = join(folder, 'results.json');
  const real = await readResults(join(ROOT, 'docs/articles/node-ipc-2016/results.json'));
  writeFileSync(file, resultsText(manyCells(real, CELLS)));
  console.log(`${CELLS} cells, ${mb(statSync(file).size)} MB of results`);
  const flags = [...REPORTS_BY_FLAG.keys()];
  tell('table and notes', costOf(file, []));
  for (const flag of flags) tell(`--${flag}`, costOf(file, [flag]));
  tell('all of it', costOf(file, flags));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {number} bytes */
function mb(bytes) {
  return (bytes / 1e6).toFixed(1);
}

/** @param {string} path @returns {number} bytes of a document, or of a folder of them */
function sizeOf(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

/** @param {string} file @param {string[]} flags */
function costOf(file, flags) {
  const out = mkdtempSync(join(folder, 'out-'));
  const asked = flags.flatMap((flag) => [`--${flag}`, join(out, flag)]);
  const beganMs = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', TELL, join(ROOT, 'bin/ipc-bench.js'), 'report', file, '--notes', ...asked],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(stderr);
  const seconds = (performance.now() - beganMs) / 1_000;
  const bytes = flags.reduce((sum, flag) => sum + sizeOf(join(out, flag)), 0);
  rmSync(out, { recursive: true });
  return { seconds, bytes, ...JSON.parse(stderr.slice(stderr.lastIndexOf('cost ') + 5)) };
}

/** @param {string} what @param {ReturnType<typeof costOf>} cost */
function tell(what, { seconds, bytes, cpuS, peakMb }) {
  const told = [
    `${cpuS.toFixed(1)} s CPU`,
    `${seconds.toFixed(1)} s`,
    `${peakMb.toFixed(0)} MB`,
    `${mb(bytes)} MB made`,
  ];
  console.log(`${what.padEnd(26)} ${told.map((text) => text.padStart(12)).join(' ')}`);
}
