// The compiled validator of results: that it is that of the schema, needs nothing, and is told of in words.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { faultIn, WORDS } from '../../lib/results/readable.js';
import { makeResults } from '../fixtures/make-results.js';
import { RESULTS_SCHEMA, VALIDATOR_PATH, validatorText } from '../fixtures/refresh-validator.js';

/** @param {(results: any) => void} change @returns {string | null} */
function faultAfter(change) {
  const results = makeResults({ series: ['unix/json', 'tcp/json'] });
  change(results);
  return faultIn('results', results);
}

describe('the validator of results', () => {
  const text = readFileSync(VALIDATOR_PATH, 'utf8').replaceAll('\r\n', '\n');

  it('is compiled from the schema as it stands; node test/fixtures/refresh-validator.js compiles it anew', () => {
    assert.ok(text === validatorText());
  });

  it('imports no package', () => {
    assert.doesNotMatch(text, /require\(|\bimport\b/);
  });

  it('accepts results with properties that it does not know, but for those of a cell', () => {
    assert.equal(
      faultAfter((results) => Object.assign(results.environment, { someday: 1 })),
      null,
    );
    assert.equal(
      faultAfter(({ outcomes }) => Object.assign(outcomes[1].cell, { someday: 1 })),
      'outcomes[1].cell has an unknown property "someday"',
    );
  });

  for (const [what, change, fault] of /** @type {[string, (results: any) => void, string][]} */ ([
    [
      'a document of another type',
      ({ outcomes }) => outcomes.splice(0, 1, 7),
      'outcomes[0] should be object, not number',
    ],
    ['a missing property', ({ outcomes }) => delete outcomes[0].cell.codec, 'outcomes[0].cell lacks codec'],
    [
      'a value that JSON does not write',
      (results) => Object.assign(results, { seed: undefined }),
      'the document lacks seed',
    ],
    ['a missing status', ({ outcomes }) => delete outcomes[1].status, 'outcomes[1] lacks status'],
    [
      'an unknown status',
      ({ outcomes }) => Object.assign(outcomes[1], { status: 'guessed' }),
      'outcomes[1] has an unknown status',
    ],
    [
      'a number that is not finite',
      ({ outcomes }) => Object.assign(outcomes[0].launches[2], { windowMs: Number.NaN }),
      'outcomes[0].launches[2].windowMs is not a finite number',
    ],
    [
      'a fraction of a whole number',
      ({ outcomes }) => Object.assign(outcomes[0].launches[2].bins, { 3: 1.5 }),
      'outcomes[0].launches[2].bins[3] should be integer, not number',
    ],
    [
      'two types',
      ({ outcomes }) => Object.assign(outcomes[0], { peakRssBytes: 'much' }),
      'outcomes[0].peakRssBytes should be number or null, not string',
    ],
    [
      'a number below its least',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { workers: 0 }),
      'outcomes[0].cell.workers is less than 1',
    ],
    [
      'a number above its greatest',
      ({ outcomes }) => Object.assign(outcomes[0].measures.roundTripsPerSecond, { level: 2 }),
      'outcomes[0].measures.roundTripsPerSecond.level is more than 1',
    ],
    [
      'a text that is too long',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { codec: '😀'.repeat(151) }),
      'outcomes[0].cell.codec is longer than 300',
    ],
    [
      'an empty text',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { codec: '' }),
      'outcomes[0].cell.codec is empty',
    ],
    [
      'no launch',
      ({ outcomes }) => Object.assign(outcomes[0], { launches: [] }),
      'outcomes[0].launches is empty',
    ],
    [
      'an estimate outside of its interval',
      ({ outcomes }) => Object.assign(outcomes[0].measures.roundTripsPerSecond, { low: 1e9 }),
      'outcomes[0].measures.roundTripsPerSecond should have low <= estimate <= high',
    ],
    [
      'a choice that there is not',
      (results) => Object.assign(results, { status: 'done' }),
      'status should be one of running, complete, interrupted',
    ],
    [
      'a key with the marks of a path',
      ({ environment }) => Object.assign(environment.packages, { 'a/b~c': 1 }),
      'environment.packages.a/b~c should be string, not number',
    ],
    [
      'the deepest of alternatives',
      (results) =>
        Object.assign(results, { published: { title: 't', source: 's', caveats: [1], results: [] } }),
      'published.caveats[0] should be string, not number',
    ],
  ])) {
    it(`tells in words, and where it is, of ${what}`, () => {
      assert.equal(faultAfter(change), fault);
    });
  }

  it('is asked of an outcome or a launch by itself', () => {
    const { outcomes } = makeResults({ series: ['unix/json'] });
    const [outcome] = /** @type {any[]} */ (outcomes);
    assert.equal(faultIn('outcome', outcome), null);
    assert.equal(faultIn('launch', outcome.launches[0]), null);
    assert.equal(
      faultIn('launch', { ...outcome.launches[0], status: 'measured', bins: 3 }),
      'bins should be array, not number',
    );
  });

  it('has words for every keyword of the schema', () => {
    /** @type {Set<string>} */
    const used = new Set();
    JSON.stringify(RESULTS_SCHEMA, (key, value) => {
      const isSchema = !['properties', '$defs'].includes(key) && !Array.isArray(value);
      if (isSchema && typeof value === 'object' && value !== null)
        for (const keyword of Object.keys(value)) used.add(keyword);
      return value;
    });
    const structure = ['$schema', '$id', '$defs', '$ref', 'title', 'description', 'properties', 'items'];
    for (const keyword of [...structure, 'anyOf', 'oneOf', 'propertyName']) used.delete(keyword);
    assert.deepEqual([...used].sort(), Object.keys(WORDS).sort());
  });
});
