// What work costs that is handed to others, of made rows whose truth is known. The sentences are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOfGroups } from '../../lib/report/columns/columns.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { readFacts } from '../../lib/report/findings/report-facts.js';
import { breakEvenFindings, findBreakEvens } from '../../lib/report/findings/task-findings.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import task from '../../scenarios/task.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { relayed } from '../fixtures/snapshot-results.js';

describe('a break-even', () => {
  const quickPool = () => buildResults({ pools: { quick: { overheadUs: 20, cores: 2 } } });

  it('lies within an interval that holds the truth', () => {
    const [{ crossovers, points }] = findBreakEvens(readFacts(quickPool()));
    assert.equal(points.length, 4);
    const [{ estimate, low, high, isCheaperAbove }, ...others] = crossovers;
    assert.deepEqual([isCheaperAbove, others], [true, []]);
    // Inline takes work + 1; the pool takes 20 at 10 µs and 60 at 100 µs, on a straight line between them.
    const truth = 10 + (90 * 9) / (41 + 9);
    assert.ok(low < truth && truth < high && low < estimate && estimate < high, `${low} ${estimate} ${high}`);
    const { outcomes, ...rest } = quickPool();
    const [turned] = findBreakEvens(readFacts({ ...rest, outcomes: outcomes.toReversed() }));
    assert.deepEqual(turned.crossovers, crossovers, 'in whatever order the work was planned');
  });

  it('ignores an amount of work at which the row and inline share no group', () => {
    const results = quickPool();
    const isApart = (/** @type {import('../../lib/types/index.js').Cell} */ { transport, scenario }) =>
      transport !== 'inline' && scenario === 'task:work=10';
    for (const outcome of measuredOf(results)) {
      if (!isApart(outcome.cell)) continue;
      for (const launch of outcome.launches) launch.group += 100;
      outcome.ratio = null;
    }
    const [{ points }] = findBreakEvens(readFacts(results));
    assert.equal(points.length, 3);
    assert.ok(points.every(({ own }) => !isApart(own.cell)));
  });

  it('is not given if a row beside it is not ranked, and is given if a row farther away is not', () => {
    for (const [work, isGiven] of /** @type {const} */ ([
      [1_000, true],
      [100, false],
      [10, false],
    ])) {
      const results = quickPool();
      for (const { cell, flags } of measuredOf(results))
        if (cell.transport === 'quick' && cell.scenario === `task:work=${work}`) flags.push({ code: 'cold' });
      const [{ rows }] = breakEvenFindings(readFacts(results));
      assert.equal(rows[0].verdict === 'better', isGiven, String(work));
    }
  });

  it('is not given to a row that is never faster, or only with less work', () => {
    for (const pool of [
      { overheadUs: 200, cores: 1 },
      { overheadUs: 0.2, cores: 0.5 },
    ]) {
      const results = buildResults({ pools: { pool } });
      const rowOf = () => breakEvenFindings(readFacts(results))[0].rows[0];
      assert.equal(rowOf().verdict, 'unclear');
      for (const { cell, flags } of measuredOf(results))
        if (cell.transport === 'pool' && cell.scenario === 'task:work=0') flags.push({ code: 'cold' });
      assert.deepEqual(rowOf().why?.code, 'cold');
    }
  });

  it('is proven where the table proves a row faster and slower, however few its launches are', () => {
    const results = buildResults({ pools: { quick: { overheadUs: 20, cores: 2 } }, launches: 2 });
    const facts = readFacts(results);
    const verdicts = findBreakEvens(facts)[0].points.map(({ judged }) => judged.verdict);
    assert.ok(verdicts.includes('better') && verdicts.includes('worse'), verdicts.join());
    const [{ rows }] = breakEvenFindings(facts);
    assert.equal(rows[0].verdict, 'better');
  });

  it('needs an inline row and two amounts of work', () => {
    const results = quickPool();
    const foundAt = (/** @type {number[]} */ works) => {
      const names = works.map((work) => `task:work=${work}`);
      const outcomes = results.outcomes.filter(({ cell }) => names.includes(cell.scenario));
      return findBreakEvens(readFacts({ ...results, outcomes })).map(({ crossovers }) => crossovers.length);
    };
    assert.deepEqual(findBreakEvens(readFacts({ ...results, transports: {} })), []);
    assert.deepEqual([foundAt([10]), foundAt([10, 100])], [[], [1]]);
  });
});

describe('what a proxy adds', () => {
  const addedIn = (/** @type {import('../../lib/types/index.js').Results} */ results) =>
    conclusions(results).filter((text) => text.startsWith('Added to'));

  it('compares launches of one group only, and needs rows with and without the proxy', () => {
    const apart = relayed([25, 26, 27]);
    for (const { cell, launches } of measuredOf(apart))
      if (cell.scenario === 'relay') for (const launch of launches) launch.group += 100;
    assert.deepEqual(addedIn(apart), []);
    const results = relayed([25, 26, 27]);
    assert.equal(addedIn(results).length, 1);
    assert.deepEqual(addedIn({ ...results, outcomes: results.outcomes.slice(2) }), []);
  });

  it('calls no difference unclear of which the interval excludes 0', () => {
    assert.match(
      addedIn(relayed([-5, -6, -5, -6, -5, -6]))[0],
      /unix\/json −5\.\d+ µs \(−6\.\d+ to −5\.\d+\)/,
    );
    assert.match(addedIn(relayed([-1, 2, -1, 2, -1, 2]))[0], /no clear difference/);
  });
});

describe('the table of tasks', () => {
  it('has the CPU time of the main thread, and that of the workers with --columns cpu', () => {
    const results = buildResults({ pools: { pool: { overheadUs: 20, cores: 2 } } });
    for (const { measures, headline } of measuredOf(results)) {
      for (const { read: _read, ...facts } of task.measures?.filter(({ name }) => /Cpu$/.test(name)) ?? [])
        measures[facts.name] = /** @type {any} */ ({ ...measures[headline], ...facts });
    }
    const [group] = groupRows(results);
    const titles = (/** @type {import('../../lib/types/index.js').FurtherColumn[]} */ further) =>
      columnsOfGroups(
        results,
        further,
      )(group).flatMap(({ title }) => (/^(?:main|worker) CPU/.test(title) ? [title] : []));
    assert.deepEqual(titles([]), ['main CPU µs']);
    assert.deepEqual(titles(['cpu']), ['main CPU µs', 'worker CPU µs']);
  });
});
