// `npm run soak`: one long launch of each stream transport, and of a stream and a fan-out over one; memory must not grow with the
// number of messages.

import { readFileSync } from 'node:fs';
import { launchCell, processesBelow } from '../fixtures/launch-cell.js';

const SECONDS = Number(process.argv[2] ?? 60);
const SETTLED_MS = 15_000; // compiled, and V8's young generation grown to its 16 MiB
const MAX_GROWTH_MIB = 10;
const MIB = 2 ** 20;

/** @param {string} program */
const rssMib = (program) =>
  processesBelow(process.pid, program).map((pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / MIB;
  });

console.log(`resident memory in MiB over ${SECONDS} s of 1x100, 100 B`);
const ROWS = /** @type {[scenario: string, transport: string, flush?: string][]} */ ([
  ['round-trip', 'pipe'],
  ['round-trip', 'unix', 'direct'],
  ['round-trip', 'unix', 'tick'],
  ['round-trip', 'tcp', 'tick'],
  ['stream', 'unix', 'tick'],
  ['fan-out', 'unix', 'tick'],
]);
for (const [scenario, transport, flush] of ROWS) {
  /** @type {Record<string, string>} */
  const settings = flush === undefined ? {} : { flush };
  const measureMs = SECONDS * 1_000;
  const ending = launchCell({
    scenario,
    transport,
    cell: { workers: 1, loops: 100, settings },
    timing: { measureMs },
    deadlines: { lifeMs: measureMs + 30_000 },
  });
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const before = [...rssMib('controller/master.js'), ...rssMib('worker/worker.js')];
  await new Promise((resolve) => setTimeout(resolve, measureMs - SETTLED_MS - 1_000));
  const after = [...rssMib('controller/master.js'), ...rssMib('worker/worker.js')];
  const { end } = await ending;
  if (end.kind === 'failed') throw new Error(end.message);
  const growth = after.map((mib, index) => mib - before[index]);
  const isFine = growth.every((mib) => mib < MAX_GROWTH_MIB);
  console.log(
    `${scenario} ${transport} ${flush ?? ''}`.padEnd(24),
    `${end.fields.operations.toLocaleString('en')} operations`.padStart(26),
    `  master ${before[0].toFixed(0)} → ${after[0].toFixed(0)}, worker ${before[1].toFixed(0)} → ${after[1].toFixed(0)}`,
    isFine ? ' fine' : ` grew by more than ${MAX_GROWTH_MIB}`,
  );
  if (!isFine) process.exitCode = 1;
}
