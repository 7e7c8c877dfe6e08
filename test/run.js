// `npm test`: lint, types and tests, with the time of each part and what was skipped. The first line of a file in test/processes says
// when it runs: always, where CI is set, or at night, which is `npm run test:long` and the long form of all. `npm test -- unit ci` runs
// some parts, `npm test -- test/unit/plan.test.js` some files.
// node:test runs the tests of each file. Here is what `node --test` lacks on Node 20: unit tests in one process per core, a temporary
// folder and a deadline for each file, the longest files first, and skipped tests grouped by their reasons.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { spawnBound } from './fixtures/spawn-bound.js';
import { withTemporaryFolder } from './fixtures/temporary-folder.js';

/** @import { Outcome } from './outcome.js' */
/** @typedef {{ isRight: boolean, output: string, tests?: number }} End */
/** @typedef {() => Promise<unknown>} Job */

const ROOT = join(import.meta.dirname, '..');
const REPORTER = new URL('outcome.js', import.meta.url).href;
const TOGETHER = join(import.meta.dirname, 'together.js');
const PACKAGES = join(ROOT, 'node_modules');
const MAX_PARENT_BYTES = 25;
const SHORT_PARENT = '/tmp';
const SLOWEST_SHOWN = 5;
const LINES_SHOWN = 150; // of each end of what a failed run printed
const LINES_REPEATED = 12; // at the end of all
const DEADLINE_MS = 600_000; // of one file: four times what the longest takes in its long form
/** The first line of each file in test/processes, by the part to which it belongs. @type {Record<string, string>} */
const FIRST_LINES = {
  processes: '// Runs always.',
  ci: '// Runs in CI.',
  night: '// Runs at night.',
  alone: '// Runs in CI, alone.', // one file after the other, after all others
};
const PARTS = ['lint', 'types', 'unit', ...Object.keys(FIRST_LINES)];
const USUAL_PARTS = ['lint', 'types', 'unit', 'processes'];
const CI_PARTS = [...USUAL_PARTS, 'ci', 'alone'];

if (!existsSync(PACKAGES)) {
  console.error(`run npm ci first, in ${ROOT}: there is no folder node_modules`);
  process.exit(2);
}
const { values, positionals } = parseArgs({
  options: { long: { type: 'boolean', default: Boolean(process.env.LONG_TESTS) } },
  allowPositionals: true,
});
const isLong = values.long;
const files = positionals.filter((each) => each.endsWith('.js')).map((file) => resolve(file));
const named = positionals.filter((each) => !each.endsWith('.js'));
const unknown = named.find((part) => !PARTS.includes(part));
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}: name some of ${PARTS.join(', ')}, or test files`);
  process.exit(2);
}
if (named.length > 0 && files.length > 0) {
  console.error(
    'parts and test files cannot be run together: name some of one kind, and run the command once more',
  );
  process.exit(2);
}
const usual = isLong || files.length > 0 ? PARTS : process.env.CI ? CI_PARTS : USUAL_PARTS;
const chosen = named.length > 0 ? named : usual;

// Sockets have short paths, and some tests run in folders below this one.
const isLongPath = Buffer.byteLength(tmpdir()) > MAX_PARENT_BYTES && existsSync(SHORT_PARENT);
const scratch = mkdtempSync(join(isLongPath ? SHORT_PARENT : tmpdir(), 'ibt-'));
const environment = {
  ...process.env,
  ...(hasHomeElsewhere() ? {} : { HOME: join(scratch, 'home') }),
  LONG_TESTS: isLong ? '1' : '',
  // A run of all tests proves what the transports of a class have in common with one of them.
  ALL_TRANSPORTS: isLong || files.length > 0 ? '1' : '',
  // Each Node reads these certificates as it starts, which takes longer than the rest of its start, and the tests start thousands.
  NODE_EXTRA_CA_CERTS: undefined,
};

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** @type {Outcome['skipped']} */
const skipped = [];
let tests = 0;
/** @type {string[]} names of failed runs, with the first lines that they printed */
const failed = [];
let runs = 0;
/** @type {{ file: string, seconds: number }[]} */
const fileTimes = [];

/** @returns {boolean} false without HOME and an entry in /etc/passwd, and if paths of temporary files would be shown from ~ */
function hasHomeElsewhere() {
  try {
    return !`${scratch}${sep}`.startsWith(`${homedir()}${sep}`);
  } catch {
    return false;
  }
}

/** @param {string[]} args  of Node @param {NodeJS.ProcessEnv} [more] @returns {Promise<End>} */
function runNode(args, more) {
  const child = spawnBound([process.execPath, ...args], {
    cwd: ROOT,
    env: { ...environment, ...more },
    stdio: files.length > 0 ? 'inherit' : ['ignore', 'pipe', 'pipe'],
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
 * Runs test files in one process, with a temporary folder of its own: runs of the command do not wait for one another's lock.
 * @param {string[]} paths @returns {Promise<End>}
 */
async function runTests(paths) {
  runs += 1;
  const folder = join(scratch, String(runs));
  mkdirSync(folder);
  const path = `${folder}.json`;
  const reporters = [
    ...(files.length > 0 ? ['--test-reporter=spec', '--test-reporter-destination=stdout'] : []),
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${path}`],
  ];
  const program = paths.length > 1 ? [TOGETHER, ...paths] : paths;
  const { isRight, output } = await runNode([...reporters, ...program], withTemporaryFolder(folder));
  const outcome = readOutcome(path);
  const hasTests = (/** @type {string} */ file) =>
    paths.length > 1 ? outcome.files.includes(file) : outcome.tests + outcome.skipped.length > 0;
  const empty = paths
    .filter((file) => !hasTests(file))
    .map((file) => `${relative(ROOT, file)} reported no test`);
  skipped.push(...outcome.skipped);
  tests += outcome.tests;
  return {
    isRight: isRight && empty.length === 0,
    output: [...outcome.failed, ...empty, output].join('\n'),
    tests: outcome.tests,
  };
}

/** @param {string} path @returns {Outcome} without a test where the process ended before it wrote it */
function readOutcome(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { tests: 0, skipped: [], failed: ['it ended before it reported its tests'], files: [] };
  }
}

/** @param {number} beganMs */
const secondsSince = (beganMs) => ((performance.now() - beganMs) / 1_000).toFixed(1);

/** @param {string} output @returns {string} without its middle where it is long */
function endsOf(output) {
  const lines = output.split('\n');
  const hidden = lines.length - 2 * LINES_SHOWN;
  if (hidden <= 0) return output;
  return [...lines.slice(0, LINES_SHOWN), `[${hidden} lines]`, ...lines.slice(-LINES_SHOWN)].join('\n');
}

/** @param {string} name @param {() => Promise<End>} work @returns {Promise<number>} seconds */
async function timed(name, work) {
  const beganMs = performance.now();
  const end = await work();
  const seconds = secondsSince(beganMs);
  const count = end.tests ? `, ${end.tests} tests` : '';
  console.log(`${end.isRight ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${name}${count}`);
  if (!end.isRight) {
    failed.push([name, ...end.output.split('\n').slice(0, LINES_REPEATED)].join('\n    '));
    console.log(endsOf(end.output));
  }
  return Number(seconds);
}

const sizeOf = (/** @type {string} */ path) => statSync(path).size;
// These take the longest.
const LONGEST = (
  'network runtimes peers kill-loop hosts broker fault-matrix scenarios run pictures slices record recommend-traffic rpc memory ' +
  'brokerless queues documented-commands cli launch third-party threads streams relays codecs process-pool pipe redis-queues ' +
  'fault-proxy mqtt rabbitmq broker-faults tasks simulation explain lock socket api amplification rabbitmq-broker selftest'
).split(' ');
const rankOf = (/** @type {string} */ path) => {
  const rank = LONGEST.indexOf(basename(path, '.test.js'));
  return rank === -1 ? LONGEST.length : rank;
};

/** @param {string} path  of a file in test/processes @returns {string} its part */
function partOf(path) {
  const [line] = readFileSync(path, 'utf8').split('\n', 1);
  const part = Object.keys(FIRST_LINES).find((each) => FIRST_LINES[each] === line.trimEnd());
  if (part !== undefined) return part;
  const lines = Object.values(FIRST_LINES).join(' or ');
  console.error(`${relative(ROOT, path)} does not say when it runs: let its first line be ${lines}`);
  process.exit(2);
}

/** @param {string} part @returns {string[]} its test files, or those that the command names: the longest first */
function testFiles(part) {
  const path = join(ROOT, 'test', part === 'unit' ? 'unit' : 'processes');
  const all = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(path, name))
    .sort((left, right) => rankOf(left) - rankOf(right) || sizeOf(right) - sizeOf(left));
  const wanted = files.length > 0 ? all.filter((file) => files.includes(file)) : all;
  return part === 'unit' ? wanted : wanted.filter((file) => partOf(file) === part);
}

/** @param {string} part @returns {Job[]} one for each file */
function fileJobs(part) {
  return testFiles(part).map((path) => async () => {
    const file = relative(join(ROOT, 'test'), path);
    fileTimes.push({ file, seconds: await timed(file, () => runTests([path])) });
  });
}

/** @returns {Job[]} the files of test/unit in a few processes: they are many and short, and start no process */
function unitJobs() {
  const paths = testFiles('unit').sort((left, right) => sizeOf(right) - sizeOf(left));
  const shares = Array.from({ length: Math.min(2 * availableParallelism(), paths.length) }, () => ({
    bytes: 0,
    paths: /** @type {string[]} */ ([]),
  }));
  for (const path of paths) {
    const least = shares.reduce((one, other) => (other.bytes < one.bytes ? other : one));
    least.bytes += sizeOf(path);
    least.paths.push(path);
  }
  return shares.map((share, index) => async () => {
    await timed(`unit, ${index + 1} of ${shares.length}`, () => runTests(share.paths));
  });
}

/** Programs below node_modules, with their arguments. @type {Record<string, string[]>} */
const CHECKS = { lint: ['@biomejs/biome/bin/biome', 'check', '.'], types: ['typescript/bin/tsc'] };

/** @param {string} part @returns {Job[]} */
function jobsOf(part) {
  if (part === 'unit') return unitJobs();
  if (!(part in CHECKS)) return fileJobs(part);
  if (files.length > 0) return [];
  const [program, ...args] = CHECKS[part];
  return [() => timed(part, () => runNode([join(PACKAGES, program), ...args]))];
}

/** @param {Job[]} waiting @param {number} atOnce */
async function runAll(waiting, atOnce) {
  const next = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job();
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

const beganMs = performance.now();
// Many tests wait for a start, an end or a deadline: two more files than cores keep the cores busy. The long form computes more.
const atOnce = availableParallelism() + (isLong ? 0 : 2);
const [together, oneByOne] = [
  chosen.filter((part) => part !== 'alone'),
  chosen.filter((part) => part === 'alone'),
];
await runAll(together.flatMap(jobsOf), files.length > 0 ? 1 : atOnce);
await runAll(oneByOne.flatMap(jobsOf), 1);

/** @type {Map<string, string[]>} */
const namesByReason = new Map();
for (const { name, reason } of skipped)
  namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), name]);
for (const [reason, [first, ...others]] of namesByReason) {
  console.log(
    `skipped: ${first}${others.length > 0 ? ` and ${others.length} more` : ''}: ${reason || 'no reason given'}`,
  );
}
const slowest = fileTimes.sort((left, right) => right.seconds - left.seconds).slice(0, SLOWEST_SHOWN);
if (files.length === 0 && slowest.length > 0)
  console.log(`slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`);
if (tests === 0 && named.length === 0) failed.push('no test was run');
for (const each of failed) console.log(`failed: ${each}`);
console.log(
  `${tests} tests, ${skipped.length} skipped, ${failed.length} runs failed, ${secondsSince(beganMs)} s, Node ${process.versions.node}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
