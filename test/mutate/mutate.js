// `npm run mutate -- [--seed 1] [--count 90] [--area statistics,results] [--processes 2] [--json FILE]`: changes a line of the program
// at a time, in a copy of the tree, and prints which changes no test notices. The areas are in areas.js, or folders or files; the changes in
// mutations.js, and those that nobody could notice in equivalents.js.
//
// Unit tests that execute the line, by the coverage of V8, are run until one fails. Where none does, so many of the tests that
// start processes are run as --processes says: those whose names and imports are nearest to the file. A hang only
// counts as noticed where the same tests do not hang without the change, and the failure of a test with processes only
// where it passes without the change.
// `--unseen` changes nothing: it prints the lines of the areas that could be changed and that no unit test executes.
// `--again FILE` judges those that survived according to the `--json` FILE of an earlier run, after tests were written for them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom, seedFrom } from '../../lib/statistics/random.js';
import { AREAS, isInArea } from './areas.js';
import { whyEquivalent } from './equivalents.js';
import { drawn, mutated, mutationsIn } from './mutations.js';
import { TestedCopy } from './tested-copy.js';

/** @import { Mutation } from './mutations.js' */
/** @import { Coverage } from './tested-copy.js' */
/** @typedef {{ kind: 'killed' | 'survived' | 'equivalent' | 'undecided', by: string, tests: number }} Verdict */

const MOST_LOOKED_AT = 20; // tests with processes whose coverage is collected for a mutation
const MOST_STEPS = 3; // from a file to who imports it
const UNIT_ALONE = 2; // the nearest run by themselves, the rest in one process
const CACHE = join(tmpdir(), 'ipc-bench-mutate.json');
const LIMIT_MS = 120_000; // of all tests of a mutation
const COVERAGE_LIMIT_MS = 300_000;

const { values: asked } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    count: { type: 'string', default: '90' },
    area: { type: 'string', default: Object.keys(AREAS).join(',') },
    processes: { type: 'string', default: '2' },
    json: { type: 'string' },
    again: { type: 'string' },
    unseen: { type: 'boolean', default: false },
  },
});
const areas = asked.area.split(',');
const mostWithProcesses = Number(asked.processes);

const copy = new TestedCopy();
process.once('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const unitTests = copy.files('test/unit').filter((path) => path.endsWith('.test.js'));
const processTests = copy
  .files('test/processes', 'test/long', 'test/alone')
  .filter((path) => path.endsWith('.test.js'));
const sources = new Map(
  copy.files('bin', 'lib', 'transports', 'scenarios', 'reports').map((path) => [path, copy.read(path)]),
);

const strange = areas.find((area) => ![...sources.keys()].some((path) => isInArea(path, area)));
if (strange !== undefined) {
  console.error(
    `--area: there is no ${strange}; there are ${Object.keys(AREAS).join(', ')}, folders and files`,
  );
  process.exit(2);
}

/** @type {Record<string, Coverage>} */
const known = readCache();
/** @param {string} test @returns {Promise<Coverage>} kept while all that the test loads stays the same */
async function coverageOf(test) {
  const found = known[test];
  const isOfNow =
    found !== undefined && Object.entries(found.hashes).every(([path, hash]) => copy.hashOf(path) === hash);
  if (isOfNow && found.isRight) return found;
  known[test] = await copy.coverage(test, COVERAGE_LIMIT_MS);
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify(known));
  return known[test];
}

/** @returns {Record<string, Coverage>} */
function readCache() {
  try {
    return JSON.parse(readFileSync(CACHE, 'utf8'));
  } catch {
    return {};
  }
}

/** @param {string} test @param {string} path @returns {boolean} it names the file in an import */
function imports(test, path) {
  return copy.read(test).includes(`/${path}'`);
}

/** @type {Map<string, Set<string>>} by each source that is imported */
const importers = new Map();
for (const [path, source] of sources) {
  for (const [, name] of source.matchAll(/['"](\.\.?\/[^'"\n]+\.js)['"]/g)) {
    const imported = join(dirname(path), name);
    importers.set(imported, (importers.get(imported) ?? new Set()).add(path));
  }
}

/** @param {string} path @returns {string[]} 'warm', 'up' */
const wordsOf = (path) =>
  basename(path)
    .replace(/(\.test)?\.js$/, '')
    .split('-');

/** @param {string} path @returns {Map<string, number>} what it and those that import it are called, by how far they are from it */
function wordsAround(path) {
  /** @type {Map<string, number>} */
  const words = new Map();
  const seen = new Set([path]);
  let edge = [path];
  for (let steps = 0; steps <= MOST_STEPS; steps += 1) {
    for (const word of edge.flatMap((each) => [...wordsOf(each), basename(dirname(each))]))
      words.set(word, Math.min(steps, words.get(word) ?? steps));
    edge = edge.flatMap((each) => [...(importers.get(each) ?? [])]).filter((each) => !seen.has(each));
    for (const each of edge) seen.add(each);
  }
  return words;
}

/** @param {string[]} tests @param {string} path @returns {string[]} the nearest first */
function nearest(tests, path) {
  const words = [...wordsAround(path)];
  const distance = (/** @type {string} */ test) => {
    if (imports(test, path)) return -1;
    const own = wordsOf(test);
    const steps = words.flatMap(([word, steps]) => (own.some((each) => areAlike(each, word)) ? steps : []));
    return Math.min(MOST_STEPS + 1, ...steps);
  };
  const ranked = tests.map((test) => ({ test, far: distance(test), ms: known[test]?.ms ?? 10_000 }));
  return ranked.sort((one, other) => one.far - other.far || one.ms - other.ms).map(({ test }) => test);
}

/** @param {string} one @param {string} other @returns {boolean} 'question' and 'questions' are */
function areAlike(one, other) {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (short.length > 3 && long.startsWith(short));
}

/** @param {Coverage} coverage @param {string} path @param {Mutation} mutation */
function executes({ isRight, executed }, path, { at }) {
  return isRight && (executed[path] ?? []).some(([from, to]) => from <= at && at < to);
}

/** @param {string} path @param {Mutation} mutation @returns {Promise<Verdict>} */
async function judged(path, mutation) {
  const source = /** @type {string} */ (sources.get(path));
  const why = whyEquivalent(path, source, mutation);
  if (why !== null) return { kind: 'equivalent', by: why, tests: 0 };
  const endMs = performance.now() + LIMIT_MS;
  const unit = nearest(unitTests, path).filter((test) => executes(known[test], path, mutation));
  const groups = [...unit.slice(0, UNIT_ALONE).map((test) => [test]), unit.slice(UNIT_ALONE)];
  for (const tests of groups.filter(({ length }) => length > 0)) {
    const verdict = await noticed(tests, path, mutation, endMs - performance.now(), false);
    if (verdict !== null) return { ...verdict, tests: unit.length };
  }
  const withProcesses = [];
  for (const test of nearest(processTests, path).slice(0, mostWithProcesses === 0 ? 0 : MOST_LOOKED_AT)) {
    if (withProcesses.length >= mostWithProcesses) break;
    if (executes(await coverageOf(test), path, mutation)) withProcesses.push(test);
  }
  for (const test of withProcesses) {
    const verdict = await noticed([test], path, mutation, COVERAGE_LIMIT_MS, true);
    if (verdict !== null) return { ...verdict, tests: unit.length + withProcesses.length };
  }
  return { kind: 'survived', by: '', tests: unit.length + withProcesses.length };
}

/**
 * @param {string[]} tests
 * @param {string} path
 * @param {Mutation} mutation
 * @param {number} limitMs
 * @param {boolean} mayFail    without the mutation as well, now and then
 * @returns {Promise<Pick<Verdict, 'kind' | 'by'> | null>} null: all of them passed
 */
async function noticed(tests, path, mutation, limitMs, mayFail) {
  const usualMs = tests.reduce((sum, test) => sum + known[test].ms, 0);
  const enoughMs = Math.max(10_000, Math.min(limitMs, 10 * usualMs));
  const source = /** @type {string} */ (sources.get(path));
  copy.write(path, mutated(source, mutation));
  const { kind, by } = await copy.run(tests, enoughMs);
  copy.write(path, source);
  if (kind === 'passed') return null;
  const where = tests.length === 1 ? basename(tests[0], '.test.js') : `${tests.length} files`;
  // Among many files one may fail by itself on a crowded machine.
  if (kind === 'failed' && !mayFail && tests.length === 1) return { kind: 'killed', by: `${where}: ${by}` };
  const clean = await copy.run(tests, enoughMs);
  if (clean.kind === 'passed')
    return { kind: 'killed', by: `${where}: ${kind === 'late' ? 'it hangs' : by}` };
  return { kind: 'undecided', by: `${where} is ${clean.kind} without the change as well` };
}

for (const test of unitTests) {
  const { isRight } = await coverageOf(test);
  if (!isRight) console.log(`${test} fails without any change: it is left out`);
}

/** @param {string} area @param {number} place   of it @returns {{ path: string, mutation: Mutation }[]} its part of the sample */
function drawnFrom(area, place) {
  const own = new Map([...sources].filter(([path]) => isInArea(path, area)));
  const count =
    Math.floor(((place + 1) * Number(asked.count)) / areas.length) -
    Math.floor((place * Number(asked.count)) / areas.length);
  return drawn(own, count, seededRandom(seedFrom(Number(asked.seed), area)));
}

/** @param {string} file @returns {{ path: string, mutation: Mutation }[]} those that survived, where the file of the program still has them */
function survivorsOf(file) {
  /** @type {typeof all} */
  const earlier = JSON.parse(readFileSync(file, 'utf8'));
  return earlier.flatMap(({ path, mutation: { mutator, summary, line }, verdict }) => {
    const source = sources.get(path);
    if (verdict.kind !== 'survived' || source === undefined) return [];
    const alike = mutationsIn(source).filter((each) => each.mutator === mutator && each.summary === summary);
    alike.sort((one, other) => Math.abs(one.line - line) - Math.abs(other.line - line));
    return alike.slice(0, 1).map((mutation) => ({ path, mutation }));
  });
}

if (asked.unseen) {
  for (const [path, source] of sources) {
    if (!areas.some((area) => isInArea(path, area))) continue;
    const unseen = mutationsIn(source).filter(
      (mutation) => !unitTests.some((test) => executes(known[test], path, mutation)),
    );
    const lines = source.split('\n');
    for (const line of new Set(unseen.map((mutation) => mutation.line)))
      console.log(`${path}:${line}: ${lines[line - 1].trim()}`);
  }
  process.exit();
}

/** @type {{ area: string, path: string, mutation: Mutation, verdict: Verdict }[]} */
const all = [];
const survivors = asked.again === undefined ? null : survivorsOf(asked.again);
console.log(
  survivors === null
    ? `seed ${asked.seed}, ${asked.count} mutations of ${areas.join(', ')}`
    : `${survivors.length} mutations that survived before`,
);
for (const [place, area] of areas.entries()) {
  const sample = survivors?.filter(({ path }) => isInArea(path, area)) ?? drawnFrom(area, place);
  for (const { path, mutation } of sample) {
    const verdict = await judged(path, mutation);
    all.push({ area, path, mutation, verdict });
    const { kind, by, tests } = verdict;
    console.log(
      `${kind.padEnd(10)} ${path}:${mutation.line} ${mutation.summary} (${tests} tests${by && `; ${by}`})`,
    );
    if (asked.json !== undefined) writeFileSync(asked.json, JSON.stringify(all, null, 1));
  }
}

/** @param {typeof all} some @returns {(string | number)[]} */
function tally(some) {
  const count = (/** @type {Verdict['kind']} */ kind) =>
    some.filter(({ verdict }) => verdict.kind === kind).length;
  const counts = [count('killed'), count('survived'), count('undecided'), count('equivalent')];
  const decided = counts[0] + counts[1];
  return [...counts, decided === 0 ? '–' : `${Math.round((100 * counts[0]) / decided)} %`];
}
const table = [
  ['', 'killed', 'survived', 'undecided', 'equivalent', 'of those that could be'],
  ...areas.map((area) => [area, ...tally(all.filter((each) => each.area === area))]),
  ['all', ...tally(all)],
];
for (const [name, ...cells] of table)
  console.log(String(name).padEnd(20), ...cells.map((cell) => String(cell).padStart(10)));
