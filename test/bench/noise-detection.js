// How often a launch is flagged as disturbed: with a busy process on every CPU it should be at least 95 %, on a machine
// that is left alone at most 2 % (A-F13). Prints a table; it is no test, since what else runs here is not known to it.
// Usage: node test/bench/noise-detection.js [launches of each of two cells, default 20]

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { pinnedCommand } from '../../lib/children/launcher.js';
import { FLAGS } from '../../lib/format/result-flags.js';
import { readTopology } from '../../lib/machine/placement.js';
import { isDisturbed } from '../../lib/results/cell-flags.js';
import { parseResults } from '../../lib/results/read.js';
import { makePlace, startCli } from '../fixtures/cli-run.js';

const LAUNCHES = process.argv[2] ?? '20';
const CELLS = ['--transport', 'unix,tcp', '--codec', 'json', '--workers', '1x1', '--warmup', '300ms'];

/** @returns {import('node:child_process').ChildProcess[]} one that never sleeps on each CPU */
function startBurners() {
  const cpus = readTopology()?.usableCpus ?? Array.from({ length: availableParallelism() }, (_, cpu) => cpu);
  return cpus.map((cpu) => {
    const { command, args } = pinnedCommand(process.execPath, ['-e', 'for (;;);'], {
      cpus: [cpu],
      dieWithParent: true,
    });
    return spawn(command, args, { stdio: 'ignore' });
  });
}

/** @param {string} placement */
async function measuredLaunches(placement) {
  const place = makePlace();
  const args = [...CELLS, '--launches', LAUNCHES, '--placement', placement, '--json', '-', '--quiet'];
  const { stdout, stderr } = await startCli(args, place).ended;
  place.remove();
  const { outcomes } = parseResults(stdout, stderr || 'results');
  return outcomes.flatMap((outcome) => (outcome.status === 'measured' ? outcome.launches : []));
}

/** @param {import('../../lib/types/launches.js').MeasuredLaunch[]} launches */
function counted(launches) {
  const codes = Object.keys(FLAGS).filter((code) => FLAGS[code].isNoise);
  return codes
    .map((code) => [code, launches.filter(({ flags }) => flags.some((flag) => flag.code === code)).length])
    .filter(([, count]) => count !== 0)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
}

console.log('machine  placement  launches  disturbed  by');
for (const placement of ['split', 'same']) {
  for (const isLoaded of [false, true]) {
    const burners = isLoaded ? startBurners() : [];
    const launches = await measuredLaunches(placement);
    for (const burner of burners) burner.kill('SIGKILL');
    const share = launches.filter(isDisturbed).length / launches.length;
    const row = [
      (isLoaded ? 'loaded' : 'as it is').padEnd(7),
      placement.padEnd(9),
      String(launches.length).padStart(8),
      `${(100 * share).toFixed(1)} %`.padStart(9),
      counted(launches),
    ];
    console.log(row.join('  '));
  }
}
