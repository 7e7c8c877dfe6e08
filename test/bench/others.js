// `npm run bench:others`: do others measure the same? Measures rows of ipc-bench beside independent programs, in alternating launches, and
// prints the ratio of each pair. docs/agreement.md has results and explains the differences.
//   npm run bench:others -- --only process.send --pairs 5 --loops 1

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { findOnPath } from '../../lib/children/launcher.js';
import { preparedSides, readSurroundings } from '../../lib/cli/prepare.js';
import { chooseCpuSets, pinnableCpus } from '../../lib/machine/placement.js';
import { compileFloor, launchFloor } from '../../lib/run/diagnostics/native-baseline.js';
import { runBenchmark } from '../../lib/run/interleaved-run.js';
import { runLaunch } from '../../lib/run/launch.js';
import { median } from '../../lib/statistics/rank-tests.js';
import { readCpuNs } from './others/load.js';

/** @import { SlicedLaunch } from '../../lib/run/launch-groups.js' */
/** @import { Slices } from '../../lib/types/index.js' */
/** @import { LoadPlan } from './others/load.js' */
/** @typedef {Record<string, number | null>} Figures   by name: `perSecond`, and CPU times per operation in µs */
/** @typedef {{ ours: Figures, theirs: Figures, ratios?: Figures }} Pair   `ratios` replaces quotients of the figures */
/**
 * @typedef {object} Comparison
 * @property {string} tool
 * @property {string} row      as ipc-bench prints it
 * @property {number} loops
 * @property {Record<string, string>} figures   what is compared: the title by name
 * @property {string | null} missing   why the tool cannot run here, and the remedy
 * @property {(pair: number) => Promise<Pair>} measure   measures both sides, in another order for odd pairs
 */

const HELP = `npm run bench:others -- [options]
  --only TEXT      comparisons whose tool or row contains the text
  --pairs N        pairs of launches for each comparison (7)
  --loops N,...    requests in flight (1,8)
  --slice MS       length of a slice of both (80, as in a run)
  --tier-up MODE   V8 of ipc-bench: early or usual, as that of the others (early)
  --placement MODE split: each end on a CPU of its own; same: both on one (split)
  --payload BYTES  payload of a message (1000)
  --warmup MS      warm-up of the other programs (2000)
  --measure MS     measured window of both sides (1000)
  --checks         loops match, compare and time each response, as ipc-bench does
  --list           prints the comparisons, and measures nothing`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    pairs: { type: 'string', default: '7' },
    loops: { type: 'string', default: '1,8' },
    slice: { type: 'string', default: '80' },
    'tier-up': { type: 'string', default: 'early' },
    placement: { type: 'string', default: 'split' },
    payload: { type: 'string', default: '1000' },
    warmup: { type: 'string', default: '2000' },
    measure: { type: 'string', default: '1000' },
    checks: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
/** @param {string} why @returns {never} */
function refuse(why) {
  console.error(`${why}; --help prints the options`);
  process.exit(2);
}

/** @param {'pairs' | 'loops' | 'slice' | 'payload' | 'warmup' | 'measure'} flag @param {string} [text] */
function readNumber(flag, text = values[flag]) {
  const number = Number(text);
  return Number.isInteger(number) && number > 0
    ? number
    : refuse(`--${flag} ${text} is not a number above 0`);
}

const PAIRS = readNumber('pairs');
const LOOPS = values.loops.split(',').map((text) => readNumber('loops', text));
const PAYLOAD_BYTES = readNumber('payload');
const MEASURE_MS = readNumber('measure');
const WARMUP_MS = readNumber('warmup');
const SLICE_MS = readNumber('slice');
const PLACEMENT =
  values.placement === 'split' || values.placement === 'same'
    ? values.placement
    : refuse(`--placement ${values.placement} is neither split nor same`);
const MS_PER_S = 1_000;
const NS_PER_US = 1_000;
const DEADLINE_MS = WARMUP_MS + MEASURE_MS + 20_000;
const HEADER_BYTES = 4; // of a frame of the native baseline
const LOCALHOST = '127.0.0.1';

const cpus = pinnableCpus();
const cpuSets = chooseCpuSets(PLACEMENT, 1, 0, cpus);
const [masterCpu, workerCpu] = [cpuSets?.master[0], cpuSets?.workers[0][0]];
const folder = mkdtempSync(join(tmpdir(), 'ipcb-others-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const { signal } = stop;
const run = promisify(execFile);
const inTime = { timeout: DEADLINE_MS, signal };

/** @param {number | string | undefined} allowed   CPUs, as `taskset -c` has them @param {string[]} words @returns {[string, string[]]} */
function pinned(allowed, [command, ...args]) {
  return allowed === undefined ? [command, args] : ['taskset', ['-c', String(allowed), command, ...args]];
}

/** @typedef {{ transport: string, codec: string, loops: number, scenario?: string }} Row */

/**
 * Measures one launch of a row, as a run does.
 * @param {Row} row
 * @param {(sliced: SlicedLaunch) => void} [watch]   called when the launch starts
 * @returns {Promise<{ figures: Figures, slices: Slices }>}
 */
async function launchRow({ transport, codec, loops, scenario = 'round-trip' }, watch = () => {}) {
  const argv = {
    transport,
    codec,
    scenario,
    workers: `1x${loops}`,
    payload: values.payload,
    placement: PLACEMENT,
    launches: '1',
    measure: `${MEASURE_MS}ms`,
    slice: `${SLICE_MS}ms`,
    'tier-up': values['tier-up'],
    controls: false,
    lock: 'ignore',
    quiet: true,
    force: true,
  };
  const [side] = await preparedSides([{ argv, tree: null }], readSurroundings({}));
  const { outcomes } = await runBenchmark({
    ...side,
    resultsPath: null,
    onProgress() {},
    signal,
    launch(spec, settings) {
      if (settings.sliced !== undefined) watch(settings.sliced);
      return runLaunch(spec, settings);
    },
  });
  const [outcome] = outcomes;
  if (outcome?.status !== 'measured') throw new Error(`${transport}/${codec}: ${JSON.stringify(outcome)}`);
  const [launch] = /** @type {any[]} */ (outcome.launches);
  const headline = /** @type {any} */ (outcome.measures[outcome.headline]);
  const { master, workers, broker } = outcome.cpuUsPerOperation;
  const figures = {
    perSecond: headline.estimate,
    cpuUs: sumOf([master, workers, broker ?? 0]),
    masterCpuUs: master,
    brokerCpuUs: broker === null ? null : broker / 2, // of one of the two messages of a round trip
  };
  return { figures, slices: launch.slices };
}

/** @param {Row} row @returns {Promise<Figures>} */
const measureRow = async (row) => (await launchRow(row)).figures;

/** @param {(number | null)[]} parts */
function sumOf(parts) {
  return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

/** @param {'tcp' | 'pipe'} mechanism @param {'split' | 'same'} placement @param {number} frameBytes @returns {Promise<Figures>} */
async function measureBaseline(mechanism, placement, frameBytes) {
  const program = await compileFloor(folder);
  const key = { mechanism, coalesces: false, spins: false, workers: 1, loops: 1, placement };
  const payloadBytes = frameBytes - HEADER_BYTES;
  const { perSecond, cpuUs } = await launchFloor(
    program,
    { ...key, payloadBytes },
    { cpus, signal, measureMs: MEASURE_MS },
  );
  return { perSecond, masterCpuUs: cpuUs?.master ?? null };
}

// The independent programs.

/** @param {number} loops @param {Partial<LoadPlan>} more @returns {LoadPlan & { folder: string }} */
function loadPlan(loops, more) {
  return {
    loops,
    payloadBytes: PAYLOAD_BYTES,
    isChecked: values.checks,
    cpus:
      masterCpu === undefined || workerCpu === undefined
        ? null
        : { responder: masterCpu, requester: workerCpu },
    folder: mkdtempSync(join(folder, 'run-')),
    ...more,
  };
}

const PIPED = /** @type {const} */ (['pipe', 'pipe', 'inherit']);

/** An independent program, which is idle outside of its slices. */
class Program {
  /** @param {string} name @param {LoadPlan} plan */
  constructor(name, plan) {
    const env = { ...process.env, LOAD_PLAN: JSON.stringify(plan) };
    const path = fileURLToPath(new URL(`others/${name}.js`, import.meta.url));
    // As each launch: helper threads may use the CPUs of both ends, and the session is its own, since Linux divides the time of a CPU
    // among sessions first (sched(7), autogroup).
    const words = pinned(cpus === null ? undefined : [...new Set([masterCpu, workerCpu])].join(','), [
      process.execPath,
      path,
    ]);
    this.child = spawn(...words, { env, stdio: [...PIPED], signal, detached: true });
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  /** @returns {Promise<string>} */
  async readLine() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`${this.child.spawnargs.join(' ')} ended: ${await this.ended}`);
    return value;
  }

  /** @param {number} skipMs @param {number} measureMs @returns {Promise<{ operations: number, windowMs: number, cpuUs: (number | null)[] }>} */
  async runSlice(skipMs, measureMs) {
    this.child.stdin.write(`${skipMs} ${measureMs}\n`);
    return JSON.parse(await this.readLine());
  }

  end() {
    this.child.stdin.end();
    return this.ended;
  }
}

/** @param {{ operations: number, windowMs: number }} slice */
const rateOf = ({ operations, windowMs }) => (MS_PER_S * operations) / windowMs;

/**
 * Measures a launch of a row and a program that live at the same time: the program has a slice directly before or after each slice of the
 * launch, so that a disturbance of the machine affects both.
 * @param {Row} row
 * @param {string} name
 * @param {LoadPlan} plan
 * @param {number} pair
 * @returns {Promise<Pair>}
 */
async function measureTogether(row, name, plan, pair) {
  const program = new Program(name, plan);
  try {
    await program.runSlice(0, WARMUP_MS);
    /** @type {Map<number, Awaited<ReturnType<Program['runSlice']>>>} the slice of each round of the launch */
    const slices = new Map();
    const { figures, slices: own } = await launchRow(row, (sliced) => {
      const measureSlice = sliced.measureSlice.bind(sliced);
      sliced.measureSlice = async (round, isAgain) => {
        const { skipMs, measureMs } = /** @type {import('../../lib/types/index.js').SlicePlan} */ (
          sliced.plan
        );
        const measureOther = async () => void slices.set(round, await program.runSlice(skipMs, measureMs));
        const isFirst = (round + pair) % 2 === 0;
        if (isFirst) await measureOther();
        const isDisturbed = await measureSlice(round, isAgain);
        if (!isFirst) await measureOther();
        return isDisturbed;
      };
    });
    const pairs = own.rounds.flatMap((round, index) => {
      const other = slices.get(round);
      const slice = { operations: own.operations[index], windowMs: own.windowMs[index] };
      return other === undefined ? [] : { own: slice, other };
    });
    const others = pairs.map(({ other }) => other);
    const medianUs = (/** @type {(cpuUs: (number | null)[]) => number | null} */ read) => {
      const known = others.map(({ cpuUs }) => read(cpuUs)).filter((us) => us !== null);
      return known.length === 0 ? null : median(known);
    };
    return {
      ours: figures,
      theirs: {
        perSecond: median(others.map(rateOf)),
        cpuUs: medianUs(sumOf),
        masterCpuUs: medianUs(([responder]) => responder),
        brokerCpuUs: medianUs(([, , broker = null]) => broker && broker / 2),
      },
      ratios: { perSecond: median(pairs.map(({ own, other }) => rateOf(own) / rateOf(other))) },
    };
  } finally {
    await program.end();
  }
}

/** For tools that cannot pause. @param {() => Promise<Figures>} measureOurs @param {() => Promise<Figures>} measureTheirs @returns {Comparison['measure']} */
function inTurns(measureOurs, measureTheirs) {
  return async (pair) => {
    const before = pair % 2 === 0 ? await measureOurs() : null;
    const theirs = await measureTheirs();
    return { ours: before ?? (await measureOurs()), theirs };
  };
}

/**
 * @param {string} tool
 * @param {string} name   of its program
 * @param {Omit<Row, 'loops'>} row
 * @param {Partial<LoadPlan>} [plan]
 * @param {number[]} [numbers]   of loops
 * @returns {Comparison[]}
 */
function loopComparisons(tool, name, row, plan = {}, numbers = LOOPS) {
  return numbers.map((loops) => ({
    tool,
    row: `${row.transport}/${row.codec}`,
    loops,
    figures: { perSecond: 'per second', cpuUs: 'CPU µs, all processes' },
    missing: null,
    measure: (pair) => measureTogether({ ...row, loops }, name, loadPlan(loops, plan), pair),
  }));
}

/** @param {import('node:child_process').ChildProcess} child */
async function end(child) {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

// sockperf, against the native baseline: both are written in C.

const SOCKPERF_PORT = 21_111;
const VALID = /\[Valid Duration\] RunTime=([\d.]+) sec; SentMessages=\d+; ReceivedMessages=(\d+)/;
const TOTAL = /\[Total Run\].* ReceivedMessages=(\d+)/;

/** @param {number} bytes @returns {Promise<Figures>} */
async function runSockperf(bytes) {
  const place = ['--tcp', '-i', LOCALHOST, '-p', String(SOCKPERF_PORT)];
  const server = spawn(...pinned(masterCpu, ['sockperf', 'server', ...place]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface(server.stdout)) if (/using .* to block/.test(line)) break;
    const fromNs = readCpuNs(Number(server.pid));
    const seconds = String(Math.ceil(MEASURE_MS / MS_PER_S));
    const words = ['sockperf', 'ping-pong', ...place, '-m', String(bytes), '-t', seconds];
    const { stdout } = await run(...pinned(workerCpu, words), inTime);
    const toNs = readCpuNs(Number(server.pid));
    const [, runSeconds, received] = VALID.exec(stdout) ?? [];
    const [, all] = TOTAL.exec(stdout) ?? [];
    const masterCpuUs = fromNs === null || toNs === null ? null : (toNs - fromNs) / NS_PER_US / Number(all);
    return { perSecond: Number(received) / Number(runSeconds), masterCpuUs };
  } finally {
    await end(server);
  }
}

// perf, whose two processes send an int through pipes to each other.

const PERF_ROUND_TRIPS = 100_000;

/** @returns {Promise<Figures>} */
async function runPerf() {
  const words = ['perf', 'bench', '--format=simple', 'sched', 'pipe', '-l', String(PERF_ROUND_TRIPS)];
  const { stdout } = await run(...pinned(masterCpu, words), inTime);
  return { perSecond: PERF_ROUND_TRIPS / Number.parseFloat(stdout) };
}

// autocannon, against a server that does the work of the master.

const AUTOCANNON = process.env.AUTOCANNON ?? findOnPath('autocannon');

/** @param {number} connections @returns {Promise<Figures>} */
async function runAutocannon(connections) {
  const server = new Program('http', loadPlan(connections, { isServer: true }));
  try {
    const port = await server.readLine();
    const seconds = Math.ceil((WARMUP_MS + MEASURE_MS) / MS_PER_S) + 1;
    const body = JSON.stringify({ id: 1_000_000_000, payload: 'a'.repeat(PAYLOAD_BYTES) });
    const type = 'content-type=text/plain; charset=utf-8';
    const words = [
      ...[process.execPath, String(AUTOCANNON), '-j', '-c', String(connections), '-d', String(seconds)],
      ...['-m', 'POST', '-H', type, '-b', body, `http://${LOCALHOST}:${port}`],
    ];
    const load = run(...pinned(workerCpu, words), inTime);
    const slice = await server.runSlice(WARMUP_MS, MEASURE_MS);
    const { requests } = JSON.parse((await load).stdout);
    // The median of its samples of a second, since the first ones are from before the warm-up.
    return { perSecond: requests.p50, masterCpuUs: slice.cpuUs[0] };
  } finally {
    await server.end();
  }
}

// redis-benchmark, whose PUBLISH is one of the two messages of a round trip.

const PUBLISHES = 40_000;

/** @returns {Promise<Figures>} */
async function runRedisBenchmark() {
  const { startRedis } = await import('./others/redis-server.js');
  const plan = loadPlan(1, {});
  const server = await startRedis(plan);
  const socket = join(plan.folder, 'redis.sock');
  const subscriber = spawn(...pinned(masterCpu, ['redis-cli', '-3', '-s', socket, 'subscribe', 'requests']), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  subscriber.stdout.resume();
  try {
    await once(subscriber.stdout, 'data');
    const body = JSON.stringify({ id: 1_000_000_000, payload: 'a'.repeat(PAYLOAD_BYTES) });
    const publish = async (/** @type {number} */ count) => {
      const words = [
        'redis-benchmark',
        '-3',
        '-s',
        socket,
        '-c',
        '1',
        '-n',
        String(count),
        '-q',
        'publish',
        'requests',
        body,
      ];
      await run(...pinned(masterCpu, words), inTime);
    };
    await publish(PUBLISHES / 10);
    const fromNs = readCpuNs(Number(server.pid));
    await publish(PUBLISHES);
    const toNs = readCpuNs(Number(server.pid));
    return { brokerCpuUs: fromNs === null || toNs === null ? null : (toNs - fromNs) / NS_PER_US / PUBLISHES };
  } finally {
    await end(subscriber);
    await end(server);
  }
}

/** @param {string} program @param {string} remedy */
function missingProgram(program, remedy) {
  return findOnPath(program) === undefined ? `no ${program} on PATH: ${remedy}` : null;
}

/** @type {Comparison[]} */
const comparisons = [
  {
    tool: 'sockperf ping-pong',
    row: 'native baseline of tcp',
    loops: 1,
    figures: { perSecond: 'per second', masterCpuUs: 'CPU µs, server' },
    missing: missingProgram('sockperf', 'apt install sockperf') ?? missingProgram('cc', 'apt install gcc'),
    measure: inTurns(
      () => measureBaseline('tcp', PLACEMENT, PAYLOAD_BYTES + HEADER_BYTES),
      () => runSockperf(PAYLOAD_BYTES + HEADER_BYTES),
    ),
  },
  {
    tool: 'perf bench sched pipe',
    row: 'native baseline of fifo, 5 B, one CPU',
    loops: 1,
    figures: { perSecond: 'per second' },
    missing: missingProgram('perf', 'apt install linux-perf') ?? missingProgram('cc', 'apt install gcc'),
    // A frame has at least one byte after its header.
    measure: inTurns(() => measureBaseline('pipe', 'same', HEADER_BYTES + 1), runPerf),
  },
  ...loopComparisons(
    'process.send',
    'process-send',
    { transport: 'pipe', codec: 'json' },
    { serialization: 'json' },
  ),
  ...loopComparisons(
    'process.send',
    'process-send',
    { transport: 'pipe', codec: 'v8' },
    { serialization: 'advanced' },
  ),
  ...['unix', 'tcp'].flatMap((net) => [
    ...loopComparisons('node:net', 'sockets', { transport: net, codec: 'json' }, { net }),
    ...loopComparisons(
      'node:net, reused memory',
      'sockets',
      { transport: net, codec: 'json' },
      { net, isReusing: true },
    ),
  ]),
  ...loopComparisons('postMessage', 'message-port', { transport: 'threads-message', codec: 'v8' }),
  ...loopComparisons(
    'zeromq.js',
    'zeromq',
    { transport: 'zeromq', codec: 'json' },
    { pattern: 'router-dealer' },
  ),
  ...loopComparisons(
    'zeromq.js',
    'zeromq',
    { transport: 'zeromq:pattern=req-rep', codec: 'json' },
    { pattern: 'req-rep' },
    LOOPS.filter((loops) => loops === 1), // a REQ has one request open
  ),
  ...loopComparisons('ioredis', 'redis-pubsub', { transport: 'redis-pubsub', codec: 'json' }).map(
    (comparison) => ({
      ...comparison,
      figures: { ...comparison.figures, brokerCpuUs: 'CPU µs, Redis, one message' },
      missing: missingProgram('redis-server', 'apt install redis-server'),
    }),
  ),
  {
    tool: 'redis-benchmark PUBLISH',
    row: 'redis-pubsub/json',
    loops: 1,
    figures: { brokerCpuUs: 'CPU µs, Redis, one message' },
    missing:
      missingProgram('redis-benchmark', 'apt install redis-tools') ??
      missingProgram('redis-server', 'apt install redis-server'),
    measure: inTurns(
      () => measureRow({ transport: 'redis-pubsub', codec: 'json', loops: 1 }),
      runRedisBenchmark,
    ),
  },
  ...loopComparisons('node:http', 'http', { transport: 'http', codec: 'json' }).map((comparison) => ({
    ...comparison,
    figures: { ...comparison.figures, masterCpuUs: 'CPU µs, server' },
  })),
  ...LOOPS.map((loops) => ({
    tool: 'autocannon',
    row: 'http/json',
    loops,
    figures: { perSecond: 'per second', masterCpuUs: 'CPU µs, server' },
    missing:
      AUTOCANNON === undefined
        ? 'no autocannon on PATH: npm install --global autocannon, or set AUTOCANNON to its autocannon.js'
        : null,
    measure: inTurns(
      () => measureRow({ transport: 'http', codec: 'json', loops }),
      () => runAutocannon(loops),
    ),
  })),
  ...loopComparisons('piscina', 'piscina', { transport: 'piscina', codec: 'v8', scenario: 'task' }),
];

/** @param {Comparison} comparison */
const titleOf = ({ tool, row, loops }) => `${tool}, ${row} 1x${loops}`;

const chosen = comparisons.filter((comparison) => titleOf(comparison).includes(values.only));
if (chosen.length === 0)
  refuse(`--only ${values.only}: no comparison contains this text, and --list prints all`);
if (values.list) {
  for (const comparison of chosen)
    console.log(
      `${titleOf(comparison)}${comparison.missing === null ? '' : ` (skipped: ${comparison.missing})`}`,
    );
  process.exit();
}

/** @param {number} value */
const rounded = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1));

/** @param {Pair[]} pairs @param {string} name @returns {string} the median and the range of the ratios */
function formatRatio(pairs, name) {
  const ratios = pairs.flatMap(({ ours, theirs, ratios }) => {
    const [own, other] = [ours[name], theirs[name]];
    return ratios?.[name] ?? (own == null || other == null ? [] : own / other);
  });
  if (ratios.length === 0) return 'unknown';
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}

/** @param {Figures[]} all @param {string} name */
function formatMedian(all, name) {
  const known = all.flatMap((figures) => figures[name] ?? []);
  return known.length === 0 ? 'unknown' : rounded(median(known));
}

console.log(
  `Node ${process.versions.node}, ${PAYLOAD_BYTES} B, ${PAIRS} pairs of ${MEASURE_MS} ms; ${
    cpuSets === null ? 'not pinned' : `master on CPU ${masterCpu}, worker on CPU ${workerCpu}`
  }`,
);
console.log('| tool | row | WxC | figure | ours | theirs | ours / theirs |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const comparison of chosen) {
  const { tool, row, loops, missing } = comparison;
  const name = `| ${tool} | ${row} | 1x${loops}`;
  if (missing !== null) {
    console.log(`${name} | skipped: ${missing} | | | |`);
    continue;
  }
  /** @type {Pair[]} */
  const pairs = [];
  while (pairs.length < PAIRS) pairs.push(await comparison.measure(pairs.length));
  for (const [figure, title] of Object.entries(comparison.figures)) {
    const [own, other] = [pairs.map(({ ours }) => ours), pairs.map(({ theirs }) => theirs)];
    const medians = `${formatMedian(own, figure)} | ${formatMedian(other, figure)}`;
    console.log(`${name} | ${title} | ${medians} | ${formatRatio(pairs, figure)} |`);
  }
}
