// Which interrupted runs can go on, and what must be as it was.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resumeProblem } from '../../lib/results/run-aspects.js';
import { listDifferences } from '../../lib/run/continued-run.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { Options, Results } from '../../lib/types/index.js' */

describe('resumeProblem', () => {
  it('rejects complete runs, comparisons, sweeps and runs of another version', () => {
    assert.match(resumeProblem(buildResults()) ?? '', /is complete/);
    assert.equal(resumeProblem(buildResults({ status: 'interrupted' })), null);
    const running = buildResults({ status: 'running' });
    assert.equal(resumeProblem(running), null);
    const older = { ...running, tool: { ...running.tool, version: '0.0.1' } };
    assert.match(resumeProblem(older) ?? '', /by ipc-bench 0\.0\.1/);
    const variant = { name: 'A', written: 'unix', runId: '0123456789abcdef' };
    assert.match(resumeProblem({ ...running, variant }) ?? '', /compare --run/);
    const open = /** @type {any} */ ({ slo: { percentile: 'p99', us: 1_000 }, ratesPerSecond: [] });
    assert.match(
      resumeProblem({ ...running, options: { ...running.options, open } }) ?? '',
      /is a sweep: its search cannot/,
    );
    assert.equal(
      resumeProblem({
        ...running,
        options: { ...running.options, open: { ...open, ratesPerSecond: [1_000] } },
      }),
      null,
    );
  });
});

describe('listDifferences', () => {
  const results = buildResults({ series: ['unix/json', 'tcp/json'], status: 'interrupted' });
  const plan = results.outcomes.map(({ cell }) => ({ cell, skip: null }));
  const options = /** @type {Options} */ ({ ...results.options, brokerUrls: {} });
  const here = { options, plan, environment: results.environment };

  it('returns nothing for the same run', () => {
    assert.deepEqual(listDifferences(results, here), []);
    const shown = { ...options, theme: /** @type {const} */ ('dark'), lock: /** @type {const} */ ('fail') };
    assert.deepEqual(listDifferences(results, { ...here, options: shown }), []);
    const dropped = { ...results, options: { ...results.options, strict: false } };
    assert.deepEqual(listDifferences(dropped, here), []);
  });

  it('names every changed option, fact of the machine and cell', () => {
    const environment = { ...results.environment, node: 'v0.0.0', kernel: 'other' };
    const differences = listDifferences(results, {
      options: { ...options, measureMs: 1 },
      plan: [{ ...plan[0], skip: 'gone' }],
      environment,
    }).join('\n');
    assert.match(differences, /option measureMs was 1000, is 1/);
    assert.match(differences, /Node was .*, is v0\.0\.0/);
    assert.match(differences, /kernel was .*, is other/);
    assert.match(differences, /tcp\/json .* was in the plan, and is not/);
    assert.match(differences, /unix\/json .* is skipped now: gone/);
  });

  it('names a broker that is private in only one of the runs', () => {
    const { redis } = results.environment.brokers;
    const own = { ...options, brokerUrls: { redis: 'redis://localhost' } };
    assert.deepEqual(listDifferences(results, { ...here, options: own }), [
      'broker redis was a private one, is given by its URL',
    ]);
    const environment = {
      ...results.environment,
      brokers: { redis: { ...redis, origin: /** @type {const} */ ('url') } },
    };
    const given = { ...results, environment };
    assert.deepEqual(listDifferences(given, here), ['broker redis was given by its URL, is a private one']);
    assert.deepEqual(listDifferences(given, { ...here, options: own }), []);
    environment.brokers.redis.config = { ...redis.config, net: 'tcp' };
    assert.deepEqual(listDifferences(given, { ...here, options: own }), []);
    const overSocket = { ...options, brokerUrls: { redis: 'unix:///run/redis.sock' } };
    assert.deepEqual(listDifferences(given, { ...here, options: overSocket }), [
      'net of broker redis was tcp, is unix',
    ]);
  });

  it('names the hosts of workers whose machine changed', () => {
    const { environment } = results;
    /** @param {string} kernel   of host b @returns {NonNullable<Results['hosts']>} */
    const hostsWith = (kernel) => ({
      a: { role: 'master', environment: { ...environment, kernel } },
      b: { role: 'worker', environment: { ...environment, kernel } },
    });
    const across = { ...results, hosts: hostsWith('one') };
    assert.deepEqual(listDifferences(across, { ...here, hosts: hostsWith('one') }), []);
    assert.deepEqual(listDifferences(across, { ...here, hosts: hostsWith('other') }), [
      'kernel of host b was one, is other',
    ]);
    const { a } = hostsWith('other');
    assert.deepEqual(listDifferences(across, { ...here, hosts: { a } }), [], 'which hosts is an option');
  });

  it('names cells that were not planned or were skipped, unless the run had not begun', () => {
    const [first, second] = results.outcomes;
    const ofFirst = { ...results, outcomes: [first] };
    assert.match(listDifferences(ofFirst, here).join('; '), /^tcp\/json [^;]* was not in the plan, and is$/);
    assert.deepEqual(listDifferences({ ...results, outcomes: [] }, here), []);
    const skipped = { status: /** @type {const} */ ('skipped'), cell: second.cell, reason: 'no room' };
    const without = { ...results, outcomes: [first, skipped] };
    assert.match(
      listDifferences(without, here).join('; '),
      /^tcp\/json [^;]* was skipped, and can be measured now$/,
    );
    assert.deepEqual(
      listDifferences(without, { ...here, plan: [plan[0], { ...plan[1], skip: 'no room' }] }),
      [],
    );
    const unlaunched = { ...skipped, cause: /** @type {const} */ ('not-launched') };
    assert.deepEqual(listDifferences({ ...results, outcomes: [first, unlaunched] }, here), []);
  });

  it('shows missing values, and the beginning of long ones', () => {
    const long = /** @type {any} */ ({ ...options, measureMs: 'abcdefghij'.repeat(50) });
    assert.deepEqual(listDifferences(results, { ...here, options: long }), [
      `option measureMs was 1000, is ${'abcdefghij'.repeat(12)}…`,
    ]);
    const whole = /** @type {any} */ ({ ...options, measureMs: 'abcdefghij'.repeat(12) });
    assert.deepEqual(listDifferences(results, { ...here, options: whole }), [
      `option measureMs was 1000, is ${'abcdefghij'.repeat(12)}`,
    ]);
    const { measureMs: _ms, ...rest } = options;
    assert.deepEqual(listDifferences(results, { ...here, options: /** @type {Options} */ (rest) }), [
      'option measureMs was 1000, is not given',
    ]);
  });

  it('names another order of cells', () => {
    assert.match(listDifferences(results, { ...here, plan: plan.toReversed() }).join(), /in another order/);
  });
});
