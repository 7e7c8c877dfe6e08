// `npm run bench`: what the harness costs. Each stream transport in the harness against a bare loop over the same
// framing and codec, both on one core, in alternating launches; the ratio of each pair, and their median.

import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assign, prepareCell } from '../../lib/conductor/assign.js';
import { runLaunch } from '../../lib/conductor/launch.js';
import { readTopology } from '../../lib/machine/cpu-topology.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { canPin, forkPrefix } from '../../lib/processes/launcher.js';
import { makePayloads } from '../../lib/scenario-kit/payloads.js';
import { operationsPerSecond } from '../../lib/scenario-kit/usual-measures.js';

const PAIRS = Number(process.argv[2] ?? 7);
const ONLY = process.argv[3] ?? ''; // part of a row's name, such as 'unix/string 1x100'
const WARMUP_MS = 800;
const MEASURE_MS = 800;
const PAYLOAD_BYTES = 100;
const GOALS = { '1x1 direct': 0.95, '1x1 tick': 0.95, '1x100 direct': 0.85, '1x100 tick': 0.75 };

const cpu = canPin() ? (readTopology()?.usableCpus.at(-1) ?? null) : null;
const cpus = cpu === null ? null : [cpu];
const BARE_END = fileURLToPath(new URL('./bare-end.js', import.meta.url));

/**
 * @param {any} message
 * @returns {Promise<any>}
 */
function order(message) {
  const child = fork(BARE_END, [], forkPrefix({ cpus, dieWithParent: true }));
  child.send(message);
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve({ .../** @type {any} */ (answer), child }));
    child.once('exit', (code) => reject(new Error(`a bare end exited with ${code}`)));
  });
}

/** @param {{ transport: string, codec: string, loops: number, flush: string }} cell */
async function bareRate({ transport, codec, loops, flush }) {
  const scratchDir = mkdtempSync(join(tmpdir(), 'ipcb-bench-'));
  const end = {
    settings: { flush, noDelay: true },
    codec,
    wireKind: 'text',
    maxMessageBytes: 10_000,
    token: '0'.repeat(32),
    launchId: 'bench',
    scratchDir,
    workers: 1,
  };
  const shared = {
    transportUrl: builtinUrl('transport', transport),
    codecUrl: builtinUrl('codec', codec),
    loops,
    payloads: makePayloads(1, { payloadBytes: PAYLOAD_BYTES }, loops),
    warmupMs: WARMUP_MS,
    measureMs: MEASURE_MS,
  };
  try {
    const answerer = await order({ ...shared, role: 'answer', end });
    const guest = { ...end, address: answerer.address, workerId: 'w0' };
    const { perSecond } = await order({ ...shared, role: 'ask', end: guest });
    answerer.child.disconnect();
    await new Promise((resolve) => answerer.child.once('exit', resolve));
    return perSecond;
  } finally {
    rmSync(scratchDir, { recursive: true });
  }
}

/** @param {{ transport: string, codec: string, loops: number, flush: string }} wish */
async function harnessRate({ transport, codec, loops, flush }) {
  const load = async (
    /** @type {'transport' | 'codec' | 'scenario'} */ kind,
    /** @type {string} */ name,
  ) => ({
    plugin: (await import(builtinUrl(kind, name))).default,
    url: builtinUrl(kind, name),
  });
  const cell = /** @type {import('../../lib/types/plans.js').Cell} */ ({
    ...{ transport, codec, scenario: 'round-trip', payloadBytes: PAYLOAD_BYTES, workers: 1, loops },
    ...{ placement: cpus === null ? 'free' : 'same', settings: { flush } },
  });
  const plugins = {
    transports: new Map([[transport, await load('transport', transport)]]),
    codecs: new Map([[codec, await load('codec', codec)]]),
    scenarios: new Map([['round-trip', await load('scenario', 'round-trip')]]),
  };
  const options = /** @type {any} */ ({ warmupMs: WARMUP_MS, measureMs: MEASURE_MS, messages: null });
  const prepared = prepareCell(cell, { options, plugins, cpus, hasOwnBroker: false });
  const scratchDir = mkdtempSync(join(tmpdir(), 'ipcb-bench-'));
  const identity = { launchId: 'bench', seed: 1, brokerUrl: null, broker: null, deadlines: {} };
  try {
    const assignment = assign(cell, prepared, { ...identity, scratchDir });
    const end = await runLaunch(assignment, { padding: '', signal: new AbortController().signal });
    if (end.kind === 'failed') throw new Error(end.message);
    return operationsPerSecond(end.fields.reports);
  } finally {
    rmSync(scratchDir, { recursive: true });
  }
}

/** @param {number[]} values */
const median = (values) => [...values].sort((left, right) => left - right)[values.length >> 1];

const thousands = (/** @type {number} */ rate) => Math.round(rate).toLocaleString('en');

console.log(
  `harness against a bare loop, ${PAYLOAD_BYTES} B, ${PAIRS} pairs, pinned to ${cpus === null ? 'nothing' : `CPU ${cpu}`}`,
);
console.log('transport        cell              bare /s   harness /s   ratio (least to greatest)   goal');
for (const transport of ['unix', 'tcp']) {
  for (const codec of ['json', 'string']) {
    for (const loops of [1, 100]) {
      for (const flush of ['direct', 'tick']) {
        const cell = { transport, codec, loops, flush };
        if (!`${transport}/${codec} 1x${loops} ${flush}`.includes(ONLY)) continue;
        const pairs = [];
        for (let pair = 0; pair < PAIRS; pair += 1) {
          // Turn about who goes first, so that a drift of the machine favours neither.
          const harnessFirst = pair % 2 === 0 ? await harnessRate(cell) : null;
          const bare = await bareRate(cell);
          pairs.push({ bare, harness: harnessFirst ?? (await harnessRate(cell)) });
        }
        const ratios = pairs.map(({ bare, harness }) => harness / bare);
        const goal = GOALS[/** @type {keyof typeof GOALS} */ (`1x${loops} ${flush}`)];
        console.log(
          `${`${transport}/${codec}`.padEnd(16)} ${`1x${loops} ${flush}`.padEnd(14)}`,
          thousands(median(pairs.map(({ bare }) => bare))).padStart(11),
          thousands(median(pairs.map(({ harness }) => harness))).padStart(12),
          `  ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`.padEnd(
            28,
          ),
          `  ${goal} ${median(ratios) >= goal ? 'met' : 'missed'}`,
        );
      }
    }
  }
}
