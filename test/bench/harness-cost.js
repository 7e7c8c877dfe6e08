// `npm run bench`: the cost of the harness. Runs each stream transport in the harness and in a bare loop over the same framing and codec, on
// one core and in alternating launches, and prints the ratio of each pair and their median.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { canPin, spawnModule } from '../../lib/children/launcher.js';
import { readTopology } from '../../lib/machine/placement.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { assign, prepareCell } from '../../lib/run/assign.js';
import { runLaunch } from '../../lib/run/launch.js';
import { operationsPerSecond } from '../../lib/workload/measures/usual-measures.js';
import { makePayloads } from '../../lib/workload/messages/payloads.js';

const PAIRS = Number(process.argv[2] ?? 7);
const ONLY = process.argv[3] ?? ''; // part of a row's name, such as 'unix/string 1x100'
const WARMUP_MS = 800;
const MEASURE_MS = 800;
const PAYLOAD_BYTES = 100;
/** @typedef {{ scenario: string, transport: string, codec: string, loops: number, flush: string }} Variant */
/** Least acceptable ratio by scenario, loops and flush. @type {Record<string, Record<string, number>>} */
const GOALS = {
  'round-trip': { '1x1 direct': 0.95, '1x1 tick': 0.95, '1x100 direct': 0.9, '1x100 tick': 0.8 },
  stream: { '1x100 tick': 0.85 },
};

const cpu = canPin() ? (readTopology()?.usableCpus.at(-1) ?? null) : null;
const cpus = cpu === null ? null : [cpu];
const BARE_END = fileURLToPath(new URL('./bare-end.js', import.meta.url));

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} its next message */
function answerOf(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`a bare end exited with ${code}`)));
  });
}

/** @param {any} message @returns {import('node:child_process').ChildProcess} a new process that has received the message */
function ordered(message) {
  const stdio = /** @type {const} */ (['ignore', 1, 2, 'ipc']);
  const child = spawnModule(BARE_END, [], { placing: { cpus, dieWithParent: true }, stdio: [...stdio] });
  child.send(message);
  return child;
}

/** @param {import('node:child_process').ChildProcess} child */
async function ended(child) {
  child.disconnect();
  await new Promise((resolve) => child.once('exit', resolve));
}

/** @param {Variant} cell @returns {Promise<number>} per second */
async function bareRate({ scenario, transport, codec, loops, flush }) {
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
  const [listens, connects] = scenario === 'stream' ? ['take', 'send'] : ['answer', 'ask'];
  try {
    const listener = ordered({ ...shared, role: listens, end });
    const { address } = await answerOf(listener);
    const guest = ordered({ ...shared, role: connects, end: { ...end, address, workerId: 'w0' } });
    const perSecond =
      scenario === 'stream' ? await takenPerSecond(listener) : (await answerOf(guest)).perSecond;
    if (scenario === 'stream') await ended(guest);
    await ended(listener);
    return perSecond;
  } finally {
    rmSync(scratchDir, { recursive: true });
  }
}

/** @param {import('node:child_process').ChildProcess} taker @returns {Promise<number>} by its own clock */
async function takenPerSecond(taker) {
  const counted = async () => {
    taker.send({ role: 'count' });
    return answerOf(taker);
  };
  await sleep(WARMUP_MS);
  const from = await counted();
  await sleep(MEASURE_MS);
  const to = await counted();
  return ((to.taken - from.taken) * 1_000) / (to.atMs - from.atMs);
}

/** @param {Variant} variant */
async function harnessRate({ scenario, transport, codec, loops, flush }) {
  const load = async (
    /** @type {'transport' | 'codec' | 'scenario'} */ kind,
    /** @type {string} */ name,
  ) => ({
    plugin: (await import(builtinUrl(kind, name))).default,
    url: builtinUrl(kind, name),
  });
  const cell = /** @type {import('../../lib/types/plans.js').Cell} */ ({
    transport,
    codec,
    scenario,
    payloadBytes: PAYLOAD_BYTES,
    workers: 1,
    loops,
    placement: cpus === null ? 'free' : 'same',
    settings: { flush },
  });
  const plugins = {
    transports: new Map([[transport, await load('transport', transport)]]),
    codecs: new Map([[codec, await load('codec', codec)]]),
    scenarios: new Map([[scenario, await load('scenario', scenario)]]),
  };
  const options = /** @type {any} */ ({ warmupMs: WARMUP_MS, measureMs: MEASURE_MS, messages: null });
  const prepared = prepareCell(cell, { options, plugins, cpus });
  const scratchDir = mkdtempSync(join(tmpdir(), 'ipcb-bench-'));
  const identity = { launchId: 'bench', seed: 1, brokerUrl: null, broker: null, deadlines: {} };
  try {
    const spec = assign(prepared, { ...identity, scratchDir });
    const end = await runLaunch(spec, { padding: '', signal: new AbortController().signal });
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
console.log(
  'scenario    transport        cell              bare /s   harness /s   ratio (least to greatest)   goal',
);
const wishes = Object.entries(GOALS).flatMap(([scenario, goals]) =>
  ['unix', 'tcp'].flatMap((transport) =>
    ['json', 'string'].flatMap((codec) =>
      Object.entries(goals).map(([shape, goal]) => {
        const [loops, flush] = shape.slice('1x'.length).split(' ');
        return { cell: { scenario, transport, codec, loops: Number(loops), flush }, shape, goal };
      }),
    ),
  ),
);
for (const { cell, shape, goal } of wishes) {
  if (!`${cell.scenario} ${cell.transport}/${cell.codec} ${shape}`.includes(ONLY)) continue;
  const pairs = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    // Alternate the order, so that a drift of the machine favours neither.
    const harnessFirst = pair % 2 === 0 ? await harnessRate(cell) : null;
    const bare = await bareRate(cell);
    pairs.push({ bare, harness: harnessFirst ?? (await harnessRate(cell)) });
  }
  const ratios = pairs.map(({ bare, harness }) => harness / bare);
  console.log(
    cell.scenario.padEnd(11),
    `${cell.transport}/${cell.codec}`.padEnd(16),
    shape.padEnd(14),
    thousands(median(pairs.map(({ bare }) => bare))).padStart(11),
    thousands(median(pairs.map(({ harness }) => harness))).padStart(12),
    `  ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`.padEnd(
      28,
    ),
    `  ${goal} ${median(ratios) >= goal ? 'met' : 'missed'}`,
  );
}
