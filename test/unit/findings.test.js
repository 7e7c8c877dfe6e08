// Findings are plain data in the published shape, each kind has its phrases, and all commands have the same verdicts on the saved results
// of the repository.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seriesLabel } from '../../lib/cell/labels.js';
import { findFault } from '../../lib/format/shape-fault.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { recommendFrom } from '../../lib/report/recommend/decide.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { PHRASES, phrase, TITLES } from '../../lib/report/text/phrase-table.js';
import { readResults } from '../../lib/results/read.js';
import { Finding } from '../../lib/types/findings.js';
import { IS_WIDE } from '../conformance/long-form.js';
import { allFindings } from '../fixtures/snapshots.js';

/** @import { Results } from '../../lib/types/index.js' */

const ARTICLES = new URL('../../docs/articles/', import.meta.url);
const ALL_SAVED = readdirSync(ARTICLES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .sort();
// CI reads all, and other runs the first of each article.
const SAVED = IS_WIDE
  ? ALL_SAVED
  : ALL_SAVED.filter((name) => name === ALL_SAVED.find((other) => dirname(other) === dirname(name)));

/** @param {string} name @returns {Promise<Results>} */
const savedResults = (name) => readResults(fileURLToPath(new URL(name.replaceAll('\\', '/'), ARTICLES)));

describe('a phrase', () => {
  /** @type {Map<string, import('../../lib/types/index.js').Finding[]>} */
  const byKind = new Map();

  it('is a function of its finding alone, which JSON keeps', async () => {
    for (const [name, findings] of await allFindings()) {
      for (const finding of findings) {
        const copy = JSON.parse(JSON.stringify(finding));
        assert.deepEqual(copy, finding, `${name}: ${finding.kind}`);
        for (const isBrief of [false, true])
          assert.deepEqual(phrase(copy, isBrief), phrase(finding, isBrief));
        byKind.set(finding.kind, [...(byKind.get(finding.kind) ?? []), finding]);
      }
    }
  });

  for (const kind of Object.keys(PHRASES))
    it(`on "${kind}" is whole sentences in each register`, () => {
      const findings = byKind.get(kind) ?? [];
      assert.ok(findings.length > 0, 'no scene has it');
      const full = findings.flatMap((finding) => phrase(finding, false));
      const short = findings.flatMap((finding) => phrase(finding, true));
      assert.ok(full.length > 0);
      assert.ok(short.length > 0);
      for (const text of [...full, ...short]) {
        assert.match(text, /^\S.*\.$/, text);
        assert.doesNotMatch(
          text,
          /undefined|NaN|null|\[object| {2}|\b1 (?:rows|launches|workers|requests)\b/,
          text,
        );
      }
      for (const text of findings.map((finding) => TITLES[kind]?.(finding) ?? ''))
        assert.doesNotMatch(text, /undefined|NaN|\[object|\.$/, text);
    });
});

describe('on each saved result of the repository', () => {
  for (const name of SAVED) {
    it(`the findings have the published shape, and all commands their verdicts: ${name}`, async () => {
      const results = await savedResults(name);
      const findings = findingsIn(results);
      for (const finding of findings) assert.equal(findFault(Finding, finding), null, finding.kind);
      const of = (/** @type {string} */ kind) => findings.filter((finding) => finding.kind === kind);

      const [first] = conclusions(results, { isBrief: true });
      const titles = makeFigures(results).map(({ title, message }) => `${title}. ${message}`);
      const [along] = of('along');
      if (along !== undefined && along.rows.length > 0) {
        const told = first.replace(/\.$/, '');
        assert.ok(
          titles.some((title) => title.includes(told)),
          `${told}\n${titles.join('\n')}`,
        );
      }

      // recommend takes no row that the table does not rank, or that another row is proven better than.
      const { chains } = recommendFrom(results, { needs: [], slo: null }, () => ({}));
      for (const { heading: place, cell, choice } of chains.flat()) {
        if (choice === null || cell.ratePerSecond !== undefined) continue;
        const fastest = of('fastest').find(
          ({ group }) => group?.heading === place && group.scenario === cell.scenario,
        );
        const label = seriesLabel(choice.outcome.cell);
        if (fastest?.verdict === 'better' && fastest.rows.some(({ row }) => row === label))
          assert.equal(label, fastest.rows[0].row, place);
        const own = of('other-kind')
          .concat(of('fastest'))
          .flatMap(({ group, rows }) => (group?.heading === place ? rows : []));
        assert.notEqual(own.find(({ row }) => row === label)?.verdict, 'none', place);
      }

      // A run does not differ from itself.
      const side = { source: name, results };
      const rules = { design: /** @type {const} */ ('separate'), minEffect: 0.05, isForced: true };
      const { rows } = compareResults({ ...side, name: 'old' }, { ...side, name: 'new' }, rules);
      assert.deepEqual(
        [...new Set(rows.map(({ verdict }) => verdict))].filter(
          (one) => one === 'faster' || one === 'slower',
        ),
        [],
      );
    });
  }
});
