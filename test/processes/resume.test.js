// --resume: an interrupted run that goes on gives what an uninterrupted one would have given, or is refused.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { listDifferences, resumeProblem } from '../../lib/run/continued-run.js';
import { IS_LONG } from '../conformance/long-form.js';
import { callCli, placeForEach, startCli } from '../fixtures/cli-run.js';
import { eventually } from '../fixtures/launch-cell.js';
import { makeResults } from '../fixtures/make-results.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

/** @import { Options } from '../../lib/types/index.js' */

const CELLS = '--transport unix,tcp --codec json --launches 2 --seed 7 --workers 1x1';
const SHORT = `${CELLS} --warmup 20ms --messages 40 --no-controls --no-charts`;

// What goes on after a SIGINT, wherever it came, is test/unit/interleaved-run.test.js' with simulated launches.
const SIGNALS = /** @type {[NodeJS.Signals, string][]} */ ([
  ['SIGKILL', 'running'],
  ...(IS_LONG ? [['SIGINT', 'interrupted']] : []),
]);

const place = placeForEach();

/** @param {string} out @returns {Promise<import('../../lib/types/results-file.js').Results>} */
const resultsIn = (out) => readResults(join(place.folder, out, 'results.json'));

/** @param {import('../../lib/types/results-file.js').Results} results */
const structureOf = ({ status, seed, options, outcomes }) => ({
  status,
  seed,
  options,
  outcomes: outcomes.map((outcome) => ({
    status: outcome.status,
    cell: outcome.cell,
    launches: outcome.status === 'skipped' ? [] : outcome.launches.map(({ block, order }) => [block, order]),
  })),
});

const launchCount = (/** @type {import('../../lib/types/results-file.js').Results} */ { outcomes }) =>
  outcomes.reduce((sum, one) => sum + (one.status === 'skipped' ? 0 : one.launches.length), 0);

/**
 * @param {NodeJS.Signals} signal
 * @param {string} out
 */
async function interruptedRun(signal, out) {
  const path = join(place.folder, out, 'results.json');
  const run = startCli(`${SHORT} --out ${out}`, place);
  await eventually(() => existsSync(path), 20_000);
  await eventually(async () => launchCount(await readResults(path)) >= 1, 20_000);
  run.child.kill(signal);
  await run.ended;
  return path;
}

describe('a resumed run', () => {
  it('equals an uninterrupted one in structure, and keeps what was measured', async () => {
    const whole = await callCli(`${SHORT} --out whole`, place, { launch: simulatedLauncher() });
    assert.equal(whole.code, 0, whole.stderr);
    const wanted = structureOf(await resultsIn('whole'));
    for (const [signal, status] of SIGNALS) {
      const path = await interruptedRun(signal, signal);
      const before = await resultsIn(signal);
      assert.equal(before.status, status);
      assert.ok(launchCount(before) < 4);
      const { code, stdout, stderr } = await startCli(['--resume', path], place).ended;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Interrupted, and continued at/);
      const after = await resultsIn(signal);
      assert.deepEqual(structureOf(after), wanted);
      for (const [index, outcome] of before.outcomes.entries()) {
        if (outcome.status === 'skipped') continue;
        const { launches } = /** @type {typeof outcome} */ (after.outcomes[index]);
        assert.deepEqual(launches.slice(0, outcome.launches.length), outcome.launches);
      }
    }
    assert.deepEqual(place.leftovers(), []);
  });

  it('is refused where an option, the machine or the plan differ, and says how', async () => {
    const interrupted = {
      ...makeResults({ series: ['unix/json'], reference: 'unix/json' }),
      status: 'interrupted',
    };
    const path = join(place.folder, 'results.json');
    writeFileSync(path, JSON.stringify(interrupted));
    const { code, stderr } = await callCli(['--resume', path, '--launches', '7'], place);
    assert.equal(code, 2);
    assert.match(stderr, /option launches was 6, is 7/);
    assert.match(stderr, /CPU was .*, is /);
    const rivals = await callCli(['--resume', path, '--out', 'elsewhere'], place);
    assert.match(rivals.stderr, /--resume: goes without --out/);
  });

  it('is refused when there is nothing to go on with', () => {
    assert.match(resumeProblem(makeResults()) ?? '', /is complete/);
    assert.equal(resumeProblem(makeResults({ status: 'interrupted' })), null);
    const variant = { name: 'A', written: 'unix', runId: '0123456789abcdef' };
    assert.match(resumeProblem({ ...makeResults({ status: 'running' }), variant }) ?? '', /compare --run/);
  });
});

describe('the differences of a run that would go on', () => {
  const results = makeResults({ series: ['unix/json', 'tcp/json'], status: 'interrupted' });
  const plan = results.outcomes.map(({ cell }) => ({ cell, skip: null }));
  const options = /** @type {Options} */ ({ ...results.options, brokerUrls: {} });
  const here = { options, plan, environment: results.environment };

  it('are none where all is as it was, whatever it looks like', () => {
    assert.deepEqual(listDifferences(results, here), []);
    const shown = { ...options, theme: /** @type {const} */ ('dark'), lock: /** @type {const} */ ('fail') };
    assert.deepEqual(listDifferences(results, { ...here, options: shown }), []);
  });

  it('name every option, fact of the machine and cell that changed', () => {
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

  it('include a broker that was private and is the user’s own now, and the other way round', () => {
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

  it('include the version and the order of the cells', () => {
    const older = { ...results, tool: { ...results.tool, version: '0.0.1' } };
    assert.match(listDifferences(older, here).join(), /ipc-bench was 0\.0\.1, is /);
    assert.match(listDifferences(results, { ...here, plan: plan.toReversed() }).join(), /in another order/);
  });
});
