// What `npm run mutate` changes, and how it knows what a test executes.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'acorn';
import { seededRandom } from '../../lib/statistics/random.js';
import { AREAS, areaOf, isInArea } from '../mutate/areas.js';
import { whyEquivalent } from '../mutate/equivalents.js';
import { executedStretches } from '../mutate/executed-stretches.js';
import { changedLines, drawn, mutated, mutationsIn } from '../mutate/mutations.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');

const SOURCE = `export async function sum(list) {
  let total = 0;
  if (list.length >= 2 && list[0] !== 'none') total += await list[1] * 3;
  return total;
}
`;

describe('the mutations of a source', () => {
  it('change constants, operators, conditions, statements, functions and awaits', () => {
    const found = mutationsIn(SOURCE).map(({ mutator, line, summary }) => `${line} ${mutator}: ${summary}`);
    assert.deepEqual(found.sort(), [
      '1 return early: return early',
      '2 constant: `0` -> `1`',
      "3 and/or: `&&` -> `||` in `list.length >= 2 && list[0] !== 'none'`",
      '3 arithmetic: `*` -> `/` in `await list[1] * 3`',
      '3 await: drop await of `list[1]`',
      "3 comparison: `!==` -> `===` in `list[0] !== 'none'`",
      '3 comparison: `>=` -> `>` in `list.length >= 2`',
      "3 condition: negate `list.length >= 2 && list[0] !== 'none'`",
      '3 constant: `0` -> `1`',
      '3 constant: `1` -> `2`',
      '3 constant: `2` -> `3`',
      '3 constant: `3` -> `4`',
      '3 statement: remove `total += await list[1] * 3;`',
    ]);
  });

  it('are known by the lines that they change, before and after', () => {
    const sum = 'export function sum(one, other) {\n  return (\n    one +\n    other\n  );\n}\n';
    const [swap] = mutationsIn(sum).filter(({ mutator }) => mutator === 'arithmetic');
    assert.deepEqual(changedLines(sum, swap), { before: 'one +', after: 'one -' });
    const [early] = mutationsIn(sum).filter(({ mutator }) => mutator === 'return early');
    assert.deepEqual(changedLines(sum, early), {
      before: 'export function sum(one, other) {',
      after: 'export function sum(one, other) { return;',
    });
  });

  it('are known to be equivalent wherever their lines move to, also the second of two that read the same', () => {
    const known = { path: 'a.js', before: 'x = 1;', after: 'x = 2;', why: 'nobody reads it' };
    const whys = (/** @type {string} */ source, /** @type {any[]} */ list) =>
      mutationsIn(source)
        .filter(({ mutator }) => mutator === 'constant')
        .map((mutation) => whyEquivalent('a.js', source, mutation, list));
    assert.deepEqual(whys('let x;\nx = 1;\n', [known]), ['nobody reads it']);
    assert.deepEqual(whys('let x;\n\n// More.\n  x = 1;\n', [known]), ['nobody reads it']);
    assert.deepEqual(whys('let x;\nx = 3;\n', [known]), [null]);
    assert.deepEqual(whys('let x;\nx = 1;\n', [{ ...known, path: 'b.js' }]), [null]);
    const twice = 'let x;\nx = 1;\nx += x;\nx = 1;\n';
    assert.deepEqual(whys(twice, [known]), ['nobody reads it', 'nobody reads it']);
    assert.deepEqual(whys(twice, [{ ...known, nth: 2 }]), [null, 'nobody reads it']);
  });

  it('are taken for equivalent where a constant of taste, or of patience, hardly changes', () => {
    const whyOf = (/** @type {string} */ path, /** @type {string} */ source) => {
      const [mutation] = mutationsIn(source).filter(({ mutator }) => mutator === 'constant');
      return whyEquivalent(path, source, mutation, []);
    };
    const chart = 'lib/report/charts/a.js';
    assert.match(String(whyOf(chart, 'const ROW_PX = 27;')), /pixel/);
    assert.match(String(whyOf(chart, 'const mark = { dx: x, dy: -9 };')), /pixel/);
    assert.match(String(whyOf('lib/a.js', 'const WAIT_MS = 1_000; // more')), /deadline/);
    assert.match(String(whyOf('lib/a.js', 'const WHY_CHARACTERS = 80;')), /character/);
    for (const [path, source] of [
      ['lib/a.js', 'const ROW_PX = 27;'],
      [chart, 'const ROW_PX = 1;'],
      [chart, 'const MOST_ROWS = 27;'],
      ['lib/a.js', 'const WAIT_MS = 10;'],
      ['lib/a.js', 'const WAIT_MS = 10 * 1_000;'],
    ])
      assert.equal(whyOf(path, source), null, `${path} ${source}`);
  });

  it('still parse, in a sample of all sources', () => {
    const folder = join(ROOT, 'lib');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => join('lib', name));
    const sources = new Map(paths.filter((_, place) => place % 20 === 0).map((path) => [path, read(path)]));
    for (const { path, mutation } of drawn(sources, 200, seededRandom(1))) {
      const source = read(path);
      const changed = mutated(source, mutation);
      assert.notEqual(changed, source);
      assert.doesNotThrow(
        () => parse(changed, { ecmaVersion: 'latest', sourceType: 'module' }),
        `${path}:${mutation.line} ${mutation.summary}`,
      );
    }
  });

  it('are drawn by a seed, from each line once', () => {
    const sources = new Map([['a.js', SOURCE]]);
    const sample = () => drawn(sources, 9, seededRandom(7));
    assert.deepEqual(sample(), sample());
    assert.deepEqual(
      sample()
        .map(({ mutation }) => mutation.line)
        .sort(),
      [1, 2, 3],
    );
  });
});

describe('the areas of the program', () => {
  it('hold each file in one, and types in none', () => {
    assert.equal(areaOf('lib/statistics/ratio.js'), 'statistics');
    assert.equal(areaOf('lib/report/columns/columns.js'), 'verdicts');
    assert.equal(areaOf('transports/unix.js'), 'rest');
    assert.equal(areaOf('lib/types/plans.js'), null);
    assert.ok(isInArea('transports/unix.js', 'rest') && isInArea('transports/unix.js', 'transports'));
    assert.ok(isInArea('lib/results/read.js', 'lib/results/read.js'));
    assert.ok(!isInArea('lib/results/read.js', 'lib/results/readable.js'));
    assert.ok(!isInArea('transports/unix.js', 'trans') && !isInArea('lib/types/plans.js', 'lib/types'));
    for (const folder of Object.values(AREAS).flat()) assert.ok(readdirSync(join(ROOT, folder)).length > 0);
  });
});

describe('the coverage that V8 tells', () => {
  it('is of the innermost range around a place', () => {
    const range = (
      /** @type {number} */ startOffset,
      /** @type {number} */ endOffset,
      /** @type {number} */ count,
    ) => ({
      startOffset,
      endOffset,
      count,
    });
    const functions = [
      { ranges: [range(0, 100, 1)] },
      { ranges: [range(10, 50, 3), range(20, 30, 0), range(40, 45, 2)] },
      { ranges: [range(60, 90, 0)] },
    ];
    assert.deepEqual(executedStretches(functions), [
      [0, 20],
      [30, 60],
      [90, 100],
    ]);
  });
});
