// `npm test`: the whole proof, part after part, how long each took, and what was skipped. `npm test -- unit alone` runs
// some parts, `npm test -- test/unit/plan.test.js` some files. LONG_TESTS=1 asks for the long forms, as .ci/run does.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';

/** @import { Outcome } from './outcome.js' */
/** @typedef {{ isRight: boolean, output: string, tests?: number }} End */

const ROOT = join(import.meta.dirname, '..');
const REPORTER = new URL('outcome.js', import.meta.url).href;
const PACKAGES = join(ROOT, 'node_modules');
// A test of processes waits much of its time, for a start, an end or a deadline: so there are more of them than cores. The
// gate plays the long forms, which wait less, and must not fail for a crowd of its own making.
const PROCESSES_AT_ONCE = availableParallelism() + (process.env.LONG_TESTS ? 0 : 1);
const SLOWEST_SHOWN = 5;
const LINES_SHOWN = 150; // of each end of what a failed run printed
const DEADLINE_MS = 600_000; // of one run: four times what the longest file takes in its long form

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
/** @type {string[]} names of runs */
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
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
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
 * Each run has a temporary folder of its own, so that runs of the command do not wait for one another's lock.
 * @param {string[]} files     one: no process stands between this one and its own
 * @param {number} [atOnce]
 * @returns {Promise<End>}
 */
async function runTests(files, atOnce = 1) {
  runs += 1;
  const folder = join(scratch, String(runs));
  mkdirSync(folder);
  const path = `${folder}.json`;
  const reporters = [
    ...(askedFiles.length > 0 ? ['--test-reporter=spec', '--test-reporter-destination=stdout'] : []),
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${path}`],
  ];
  const args = files.length === 1 ? [] : ['--test', `--test-concurrency=${atOnce}`];
  const { isRight, output } = await runNode([...args, ...reporters, ...files], {
    TMPDIR: folder,
    XDG_RUNTIME_DIR: '',
  });
  const outcome = outcomeIn(path);
  skipped.push(...outcome.skipped);
  testsInAll += outcome.tests;
  return {
    isRight: isRight && outcome.tests > 0,
    output: [...outcome.failed, output].join('\n'),
    tests: outcome.tests,
  };
}

/** @param {string} path @returns {Outcome} without a test where the file ended before it could tell */
function outcomeIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { tests: 0, skipped: [], failed: ['it ended before it told what came of its tests'] };
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

/**
 * @param {string} name
 * @param {() => Promise<End>} work
 * @returns {Promise<number>} seconds
 */
async function timed(name, work) {
  const beganMs = performance.now();
  const { isRight, output, tests } = await work();
  const seconds = secondsSince(beganMs);
  if (!isRight) failed.push(name);
  console.log(
    `${isRight ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${name}${tests ? `, ${tests} tests` : ''}`,
  );
  if (!isRight) console.log(endsOf(output));
  return Number(seconds);
}

const sizeOf = (/** @type {string} */ path) => statSync(path).size;
// Of the files that take some seconds, those that do not look like it.
const LONGER_THAN_THEY_LOOK = 'scenarios run kill-loop fault-proxy streams selftest conformance'.split(' ');
const isLong = (/** @type {string} */ path) => LONGER_THAN_THEY_LOOK.includes(basename(path, '.test.js'));

/** @param {string} folder @returns {string[]} its test files, or those of them that were asked for */
function filesOf(folder) {
  const path = join(ROOT, 'test', folder);
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(path, name))
    // What takes longest is begun first, and leaves no core idle at the end.
    .sort((left, right) => Number(isLong(right)) - Number(isLong(left)) || sizeOf(right) - sizeOf(left));
  return askedFiles.length > 0 ? files.filter((file) => askedFiles.includes(file)) : files;
}

/**
 * What is in a folder of its own keeps a core busy, and the other files mostly wait: one turn takes the busy ones first,
 * all others the waiting ones.
 * @param {string} folder
 * @param {number} atOnce
 */
async function runEach(folder, atOnce) {
  const files = filesOf(folder);
  const isBusy = (/** @type {string} */ path) => dirname(path) !== join(ROOT, 'test', folder);
  const busy = files.filter(isBusy);
  const others = files.filter((path) => !isBusy(path));
  /** @param {string[][]} queues   the second only when the first is empty */
  const takeTurns = async ([first, second]) => {
    for (;;) {
      const path = first.shift() ?? second.shift();
      if (path === undefined) return;
      const file = relative(join(ROOT, 'test'), path);
      fileTimes.push({ file, seconds: await timed(file, () => runTests([path])) });
    }
  };
  const queues = Array.from({ length: atOnce }, (_, index) =>
    index === 0 ? [busy, others] : [others, busy],
  );
  await Promise.all(queues.map(takeTurns));
}

/** @type {Record<string, () => Promise<unknown>>} */
const PARTS = {
  lint: () => timed('lint', () => runNode([join(PACKAGES, '@biomejs/biome/bin/biome'), 'check', '.'])),
  types: () => timed('types', () => runNode([join(PACKAGES, 'typescript/bin/tsc')])),
  async unit() {
    const files = filesOf('unit');
    if (files.length > 0) await timed('unit', () => runTests(files, availableParallelism()));
  },
  processes: () => runEach('processes', PROCESSES_AT_ONCE),
  alone: () => runEach('alone', 1),
};
// One after the other; what is in one row runs at the same time.
const ROWS = [['lint', 'types', 'unit'], ['processes'], ['alone']];

const parts = asked.filter((each) => !each.endsWith('.js'));
const strange = parts.find((part) => !Object.hasOwn(PARTS, part));
if (strange !== undefined) {
  console.error(`there is no part ${strange}: name some of ${Object.keys(PARTS).join(', ')}, or test files`);
  process.exit(2);
}
const usual = askedFiles.length > 0 ? ['unit', 'processes', 'alone'] : Object.keys(PARTS);
const chosen = parts.length > 0 ? parts : usual;
const beganMs = performance.now();
for (const row of ROWS.map((row) => row.filter((part) => chosen.includes(part))).filter(
  ({ length }) => length > 0,
)) {
  const rowBeganMs = performance.now();
  await Promise.all(row.map((part) => PARTS[part]()));
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
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
console.log(
  `${testsInAll} tests, ${skipped.length} skipped, ${failed.length} runs failed, ${secondsSince(beganMs)} s`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
