// Runs always.
// The command `recommend`, on saved results and measuring: with simulated launches, so that no process is started.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { buildResults } from '../fixtures/build-results.js';
import { callCli, makeWorkspace } from '../fixtures/cli-run.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const MAX_LINES = 14;

describe('ipc-bench recommend --from', () => {
  const workspace = makeWorkspace();
  before(() => writeFileSync(join(workspace.folder, 'results.json'), JSON.stringify(buildResults())));
  after(() => workspace.remove());
  const from = (/** @type {string} */ args) =>
    callCli(`recommend --from results.json ${args}`.trim(), workspace);

  it('answers in the first line, and in few', async () => {
    const { code, stdout, stderr } = await from('');
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    assert.match(
      stdout,
      /^Take unix\/string: fastest at 1,000 B, 2x4\.\nCompared with pipe\/json, in throughput: /,
    );
    assert.match(stdout, /\nNot examined: a network, other machines, other load on the machine/);
    assert.ok(stdout.split('\n').length <= MAX_LINES, stdout);
  });

  it('gives the same as JSON', async () => {
    const { code, stdout } = await from('--json -');
    assert.equal(code, 0);
    const { findings, sentences } = JSON.parse(stdout);
    assert.deepEqual([findings[0].kind, findings[0].rows[0].row], ['recommended', 'unix/string']);
    assert.ok(findings[0].rows.length > 3);
    assert.match(sentences[0], /^Take unix\/string/);
  });

  it('ends with exit code 5 and the reason where most launches were disturbed', async () => {
    const noisy = buildResults({ flag: () => ['crowded'] });
    writeFileSync(join(workspace.folder, 'noisy.json'), JSON.stringify(noisy));
    const { code, stdout } = await callCli('recommend --from noisy.json', workspace);
    assert.equal(code, 5);
    assert.doesNotMatch(stdout, /^Take /m);
    assert.match(stdout, /^No recommendation at 1,000 B, 2x4: most launches were disturbed\.\n/);
    assert.match(
      stdout.replaceAll(/\n +/g, ' '),
      /(\d+) of \1 launches were disturbed .* run ipc-bench doctor/,
    );
  });

  it('refuses a recommendation without evidence, with the command that would measure it', async () => {
    const { code, stdout, stderr } = await from('--need durable');
    assert.equal(code, 7);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /nothing that was measured meets the needs:\n {2}- pipe\/json, .*: not kept on disk\n/,
    );
    assert.match(stderr, /\nThis would measure it: npx ipc-bench recommend --need durable\n$/);
  });

  it('refuses what would change nothing about saved results', async () => {
    for (const args of ['--transport tcp', '--max-time 1m', '--launches 8', '--rate 2k', '--dry-run']) {
      const { code, stderr } = await from(args);
      assert.equal(code, 2, args);
      assert.match(stderr, new RegExp(`${args.split(' ')[0]} changes nothing about saved results`));
    }
  });

  it('refuses files that are none', async () => {
    writeFileSync(join(workspace.folder, 'garbage.json'), '{"outcomes": [');
    for (const file of ['garbage.json', 'nowhere.json']) {
      const { code, stderr } = await callCli(`recommend --from ${file}`, workspace);
      assert.equal(code, 2);
      assert.match(stderr, /cannot be read as results/);
    }
  });
});

describe('ipc-bench recommend', () => {
  const workspace = makeWorkspace();
  after(() => workspace.remove());
  const COMMON = '--lock ignore --no-controls --seed 3 --launches 6';

  it('measures a table along --payload, saves it and answers from it', async () => {
    const args = `recommend --payload 100,1k --transport unix,zeromq --codec json ${COMMON} --out around`;
    const { code, stdout, stderr } = await callCli(args, workspace, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Take unix\/json.* at 100 B, 2x4\./);
    assert.match(stderr, /^Measuring 4 rows, about .*\.$/m);
    assert.match(
      stderr,
      /^Saved around\/results\.json\nNext, its table: npx ipc-bench report around\/results\.json$/m,
    );
    const { outcomes } = await readResults(join(workspace.folder, 'around', 'results.json'));
    assert.deepEqual([...new Set(outcomes.map(({ cell }) => cell.payloadBytes))], [100, 1_000]);
    const saved = await callCli('recommend --from around/results.json', workspace);
    assert.equal(saved.stdout, stdout);
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('prints the plan with --dry-run, and measures nothing', async () => {
    const args = `recommend --rate 2k --slo p99<5ms --transport unix,tcp --codec json ${COMMON} --dry-run --out never`;
    const launch = simulatedLauncher(() => assert.fail('a launch'));
    const { code, stdout, stderr } = await callCli(args, workspace, { launch });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^unix\/json +round-trip 2x4 1000 B split open 2000\/s /m);
    assert.match(stdout, /2 of 2 cells, 12 launches .*\. Open load, poisson arrivals, limit p99<5ms\./);
    assert.ok(!existsSync(join(workspace.folder, 'never')));
  });

  it('warns before it measures', async () => {
    const args = `recommend --transport unix --codec json --workers 300x1 ${COMMON} --out crowd`;
    const launch = simulatedLauncher();
    const [loud, quiet] = [
      await callCli(args, workspace, { launch }),
      await callCli(`${args} --force --quiet`, workspace, { launch }),
    ];
    assert.deepEqual([loud.code, quiet.code], [0, 0], loud.stderr);
    assert.match(loud.stderr, /^300 workers share .*\nMeasuring 1 row, /);
    assert.doesNotMatch(quiet.stderr, /workers share/);
  });

  it('plans codecs that carry objects for a file of objects', async () => {
    writeFileSync(join(workspace.folder, 'orders.ndjson'), '{"id":1,"item":"a"}\n{"id":2,"item":"b"}\n');
    const planned = async (/** @type {string} */ more) => {
      const args = `recommend --message-file orders.ndjson --transport unix ${COMMON} --dry-run ${more}`;
      const { code, stdout, stderr } = await callCli(args.trim(), workspace);
      assert.equal(code, 0, stderr);
      return [...stdout.matchAll(/^unix\/(\w+) /gm)].map(([, codec]) => codec);
    };
    assert.deepEqual(await planned(''), ['json', 'msgpack', 'v8']);
    assert.deepEqual(await planned('--codec json,binary'), ['json', 'binary']);
  });

  it('overwrites what is not its own with --force only', async () => {
    mkdirSync(join(workspace.folder, 'taken'));
    writeFileSync(join(workspace.folder, 'taken', 'results.json'), 'notes of mine');
    const args = `recommend --transport pipe --payload 1000 ${COMMON} --quiet --out taken`;
    const refused = await callCli(args, workspace, { launch: simulatedLauncher() });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--force/);
    assert.equal(readFileSync(join(workspace.folder, 'taken', 'results.json'), 'utf8'), 'notes of mine');
    const { code, stderr } = await callCli(`${args} --force`, workspace, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    assert.ok((await readResults(join(workspace.folder, 'taken', 'results.json'))).outcomes.length > 0);
  });

  it('measures what is needed with the settings that it takes', async () => {
    const args = `recommend --need other-host,no-broker,no-package ${COMMON} --quiet --out need`;
    const { code, stdout, stderr } = await callCli(args, workspace, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    const { outcomes } = await readResults(join(workspace.folder, 'need', 'results.json'));
    const names = new Set(outcomes.map(({ cell }) => cell.transport));
    assert.ok(
      names.has('tcp') && names.has('http') && !names.has('unix') && !names.has('udp'),
      [...names].join(),
    );
    assert.match(stdout, /Not examined: /);
  });

  it('says what failed where nothing could be measured, and where that is saved', async () => {
    const launch = simulatedLauncher(() => {
      throw new Error('the pipe burst');
    });
    for (const codecs of ['json', 'json,string']) {
      const args = `recommend --transport pipe --codec ${codecs} ${COMMON} --out bad --force`;
      const { code, stdout, stderr } = await callCli(args, workspace, { launch });
      assert.equal(code, 7);
      assert.equal(stdout, '');
      assert.match(stderr, /Saved bad\/results\.json\n/);
      assert.match(stderr, /ipc-bench: these results have no measured row: .*the pipe burst\n$/);
    }
  });

  it('refuses needs that nothing meets', async () => {
    const none = await callCli(['recommend', '--need', 'durable, no broker'], workspace);
    assert.equal(none.code, 7);
    assert.match(none.stderr, /--need durable, no broker: no built-in transport meets all of these/);
  });
});
