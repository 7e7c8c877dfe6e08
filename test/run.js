// `npm test`: the whole proof, part after part, how long each took, and what was skipped. `npm test -- unit alone` runs
// some parts, `npm test -- test/unit/plan.test.js` some files. LONG_TESTS=1 asks for the long forms, as .ci/run does.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { spawnBound } from './fixtures/spawn-bound.js';
import { withTemporaryFolder } from './fixtures/temporary-folder.js';

/** @import { Outcome } from './outcome.js' */
/** @typedef {{ isRight: boolean, output: string, tests?: number }} End */
/** @typedef {() => Promise<unknown>} Job */

const ROOT = join(import.meta.dirname, '..');
const REPORTER = new URL('outcome.js', import.meta.url).href;
const TOGETHER = join(import.meta.dirname, 'together.js');
const PACKAGES = join(ROOT, 'node_modules');
// A file for each core keeps all of them busy while it computes. Many wait instead, for a start, an end or a deadline: so there is
// one more, and while cores have nothing to do, a further one. The gate plays the long forms, and must not fail for a crowd of its
// own making: there, only idle cores get more than a file each.
const FURTHER = process.env.LONG_TESTS ? 0 : 1;
const AT_ONCE = availableParallelism() + FURTHER;
const MOST_AT_ONCE = availableParallelism() + 2;
const IDLE_CPUS = 0.4; // on average, since somebody looked last
const LOOK_EVERY_MS = 1_000;
const SLOWEST_SHOWN = 5;
const LINES_SHOWN = 150; // of each end of what a failed run printed
const LINES_REPEATED = 12; // at the end of all
const DEADLINE_MS = 600_000; // of one run: four times what the longest file takes in its long form

// Certificates of a company, say: each Node reads them as it starts, which takes longer than all else of its start, and the
// tests start thousands. None of them talks to anybody but itself.
const WITHOUT = { NODE_EXTRA_CA_CERTS: undefined };

if (!existsSync(PACKAGES)) {
  console.error(`run npm ci first, in ${ROOT}: there is no folder node_modules`);
  process.exit(2);
}

const asked = process.argv.slice(2);
const askedFiles = asked.filter((each) => each.endsWith('.js')).map((file) => resolve(file));
// Sockets have short paths, and some tests run in folders below this one.
const scratch = mkdtempSync(join(tmpdir(), 'ibt-'));
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** @type {Outcome['skipped']} */
const skipped = [];
let testsInAll = 0;
/** @type {string[]} names of runs, with how what they printed begins: the end of a long log alone has to tell what failed */
const failed = [];
let runs = 0;
/** @type {{ file: string, seconds: number }[]} of those that run in a process of their own */
const fileTimes = [];

/**
 * @param {string[]} args     of Node
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<End>}
 */
function runNode(args, environment) {
  const child = spawnBound([process.execPath, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...WITHOUT, ...environment },
    stdio: askedFiles.length > 0 ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const deadline = setTimeout(() => {
    output += `it did not end within ${DEADLINE_MS / 1_000} s\n`;
    child.kill('SIGKILL');
  }, DEADLINE_MS);
  return new Promise((done) => {
    child.once('close', (code) => {
      clearTimeout(deadline);
      running.delete(child);
      done({ isRight: code === 0, output });
    });
  });
}

/**
 * Each process has a temporary folder of its own, so that runs of the command do not wait for one another's lock, and nobody
 * finds what another has left.
 * @param {string[]} files   one, or several that start no process and run in one
 * @returns {Promise<End>}
 */
async function runTests(files) {
  runs += 1;
  const folder = join(scratch, String(runs));
  mkdirSync(folder);
  const path = `${folder}.json`;
  const reporters = [
    ...(askedFiles.length > 0 ? ['--test-reporter=spec', '--test-reporter-destination=stdout'] : []),
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${path}`],
  ];
  const program = files.length > 1 ? [TOGETHER, ...files] : files;
  const { isRight, output } = await runNode([...reporters, ...program], {
    ...withTemporaryFolder(folder),
    XDG_RUNTIME_DIR: '',
  });
  const outcome = outcomeIn(path);
  const hasTold = (/** @type {string} */ file) =>
    files.length > 1 ? outcome.files.includes(file) : outcome.tests + outcome.skipped.length > 0;
  const silent = files.filter((file) => !hasTold(file));
  const untold = silent.map((file) => `${relative(ROOT, file)} told of no test`);
  skipped.push(...outcome.skipped);
  testsInAll += outcome.tests;
  return {
    isRight: isRight && untold.length === 0,
    output: [...outcome.failed, ...untold, output].join('\n'),
    tests: outcome.tests,
  };
}

/** @param {string} path @returns {Outcome} without a test where the file ended before it could tell */
function outcomeIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { tests: 0, skipped: [], failed: ['it ended before it told what came of its tests'], files: [] };
  }
}

/** @param {number} beganMs */
const secondsSince = (beganMs) => ((performance.now() - beganMs) / 1_000).toFixed(1);

/** @param {string} output @returns {string} without its middle where it is long, so that no run hides the others */
function endsOf(output) {
  const lines = output.split('\n');
  const hidden = lines.length - 2 * LINES_SHOWN;
  if (hidden <= 0) return output;
  return [...lines.slice(0, LINES_SHOWN), `[${hidden} lines]`, ...lines.slice(-LINES_SHOWN)].join('\n');
}

/** @param {string} name @param {End} end @param {string} seconds */
function tell(name, { isRight, output, tests }, seconds) {
  if (!isRight) failed.push([name, ...output.split('\n').slice(0, LINES_REPEATED)].join('\n    '));
  console.log(
    `${isRight ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${name}${tests ? `, ${tests} tests` : ''}`,
  );
  if (!isRight) console.log(endsOf(output));
}

/** @param {string} name @param {() => Promise<End>} work */
async function timed(name, work) {
  const beganMs = performance.now();
  const end = await work();
  const seconds = secondsSince(beganMs);
  tell(name, end, seconds);
  return Number(seconds);
}

const sizeOf = (/** @type {string} */ path) => statSync(path).size;
// Of the files that take more than some seconds, the longest first.
const LONGEST = (
  'hosts broker streams scenarios fuzz queues fault-matrix peers relays runtimes scenario-faults pipe kill-loop rpc socket ' +
  'network mqtt run threads third-party redis-queues one-write page-in-browser fault-proxy connections held-back conformance ' +
  'memory selftest chart-picture brokerless rabbitmq-broker rabbitmq broker-faults nats explain cli fifo lock codecs slow-link'
).split(' ');
const placeOf = (/** @type {string} */ path) => {
  const place = LONGEST.indexOf(basename(path, '.test.js'));
  return place === -1 ? LONGEST.length : place;
};

/** @param {string} folder @returns {string[]} its test files, or those of them that were asked for */
function filesOf(folder) {
  const path = join(ROOT, 'test', folder);
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(path, name))
    // What takes longest is begun first, and leaves no core idle at the end.
    .sort((left, right) => placeOf(left) - placeOf(right) || sizeOf(right) - sizeOf(left));
  return askedFiles.length > 0 ? files.filter((file) => askedFiles.includes(file)) : files;
}

/** @param {string} folder @returns {Job[]} each of its files, told by itself */
function jobsOf(folder) {
  return filesOf(folder).map((path) => async () => {
    const file = relative(join(ROOT, 'test'), path);
    fileTimes.push({ file, seconds: await timed(file, () => runTests([path])) });
  });
}

/**
 * @param {string[]} files
 * @returns {string[][]} about as long to run, by their sizes: the largest first, each to whom has least
 */
function sharedOut(files) {
  const shares = Array.from({ length: Math.min(availableParallelism(), files.length) }, () => ({
    bytes: 0,
    files: /** @type {string[]} */ ([]),
  }));
  for (const file of files.sort((left, right) => sizeOf(right) - sizeOf(left))) {
    const least = shares.reduce((one, other) => (other.bytes < one.bytes ? other : one));
    least.bytes += sizeOf(file);
    least.files.push(file);
  }
  return shares.map((share) => share.files);
}

/** @returns {Job[]} the files of test/unit, in a process for each core: they are many and short, and start none themselves */
function unitJobs() {
  const shares = sharedOut(filesOf('unit'));
  return shares.map((files, index) => async () => {
    await timed(`unit, ${index + 1} of ${shares.length}`, () => runTests(files));
  });
}

/** @param {string} name @param {string} program   below node_modules @param {...string} args @returns {Job[]} */
const checkJob = (name, program, ...args) => [
  () => timed(name, () => runNode([join(PACKAGES, program), ...args])),
];

let seen = { idleMs: 0, totalMs: 0 };
/** @returns {number} how many CPUs had nothing to do since the last call; NaN where the system does not tell */
function idleCpus() {
  const times = cpus().map((cpu) => cpu.times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  const totalMs = times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0);
  const share = (idleMs - seen.idleMs) / (totalMs - seen.totalMs);
  seen = { idleMs, totalMs };
  return share * times.length;
}

/** @param {Job[]} waiting @param {boolean} oneByOne @returns {Promise<void>} */
function runAll(waiting, oneByOne) {
  const [atOnce, mostAtOnce] = oneByOne ? [1, 1] : [AT_ONCE, MOST_AT_ONCE];
  return new Promise((resolve) => {
    let under = 0;
    const fill = (/** @type {number} */ most) => {
      while (under < most && waiting.length > 0) {
        const job = /** @type {Job} */ (waiting.shift());
        under += 1;
        job().finally(() => {
          under -= 1;
          fill(atOnce);
        });
      }
      if (under > 0) return;
      clearInterval(looking);
      resolve();
    };
    idleCpus();
    const looking = setInterval(() => {
      if (idleCpus() > IDLE_CPUS) fill(Math.min(under + 1, mostAtOnce));
    }, LOOK_EVERY_MS);
    fill(atOnce);
  });
}

/** @type {Record<string, () => Job[]>} */
const PARTS = {
  lint: () => checkJob('lint', '@biomejs/biome/bin/biome', 'check', '.'),
  types: () => checkJob('types', 'typescript/bin/tsc'),
  unit: unitJobs,
  processes: () => jobsOf('processes'),
  alone: () => jobsOf('alone'),
};
const ALONE = 'alone';
// One after the other; what is in one row runs at the same time.
const ROWS = [['lint', 'types', 'unit', 'processes'], [ALONE]];

const parts = asked.filter((each) => !each.endsWith('.js'));
const strange = parts.find((part) => !Object.hasOwn(PARTS, part));
if (strange !== undefined) {
  console.error(`there is no part ${strange}: name some of ${Object.keys(PARTS).join(', ')}, or test files`);
  process.exit(2);
}
if (parts.length > 0 && askedFiles.length > 0) {
  console.error(
    'parts and test files cannot be run together: name some of one kind, and run the command once more',
  );
  process.exit(2);
}
const usual = askedFiles.length > 0 ? ['unit', 'processes', 'alone'] : Object.keys(PARTS);
const chosen = parts.length > 0 ? parts : usual;
const beganMs = performance.now();
for (const row of ROWS.map((row) => row.filter((part) => chosen.includes(part))).filter(
  ({ length }) => length > 0,
)) {
  const rowBeganMs = performance.now();
  await runAll(
    row.flatMap((part) => PARTS[part]()),
    row.includes(ALONE) || askedFiles.length > 0,
  );
  if (askedFiles.length === 0) console.log(`--- ${row.join(', ')}: ${secondsSince(rowBeganMs)} s\n`);
}
/** @type {Map<string, string[]>} */
const without = new Map();
for (const { name, reason } of skipped) without.set(reason, [...(without.get(reason) ?? []), name]);
for (const [reason, [first, ...others]] of without) {
  console.log(
    `skipped: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}: ${reason || 'no reason given'}`,
  );
}
const slowest = fileTimes.sort((left, right) => right.seconds - left.seconds).slice(0, SLOWEST_SHOWN);
if (askedFiles.length === 0 && slowest.length > 0)
  console.log(`slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`);
if (testsInAll === 0 && chosen === usual) failed.push('no test was run');
for (const each of failed) console.log(`failed: ${each}`);
console.log(
  `${testsInAll} tests, ${skipped.length} skipped, ${failed.length} runs failed, ${secondsSince(beganMs)} s`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
