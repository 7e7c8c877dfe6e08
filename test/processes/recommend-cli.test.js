// The command `recommend`, on saved results and measuring: with simulated launches, so that no process is started.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { callCli, makePlace } from '../fixtures/cli-run.js';
import { makeResults } from '../fixtures/make-results.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const MOST_LINES = 14;

describe('ipc-bench recommend --from', () => {
  const place = makePlace();
  before(() => writeFileSync(join(place.folder, 'results.json'), JSON.stringify(makeResults())));
  after(() => place.remove());
  const from = (/** @type {string} */ args) => callCli(`recommend --from results.json ${args}`, place);

  it('answers in the first line, and in few', async () => {
    const { code, stdout, stderr } = await from('--payload 1KiB');
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    assert.match(stdout, /^Take unix\/string: it is the best at 1,000 B, 2x4\.\nRunner-up: /);
    assert.match(stdout, /\nNot examined: a network, other machines, other load on the machine/);
    assert.ok(stdout.split('\n').length <= MOST_LINES, stdout);
  });

  it('gives the same as JSON', async () => {
    const { code, stdout } = await from('--json -');
    assert.equal(code, 0);
    const { certainty, choice, others, sentences } = JSON.parse(stdout);
    assert.equal(certainty, 'best');
    assert.equal(choice.name, 'unix/string');
    assert.ok(others.length > 3);
    assert.match(sentences[0], /^Take unix\/string/);
  });

  it('refuses a recommendation without evidence, with the command that would measure it', async () => {
    const { code, stdout, stderr } = await from('--need durable --slo p99<5ms --rate 2k');
    assert.equal(code, 7);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /nothing that was measured meets the needs:\n {2}- pipe\/json, .*: not kept on disk\n/,
    );
    assert.match(
      stderr,
      /\nThis would measure it: npx ipc-bench recommend --rate 2k --slo 'p99<5ms' --need durable\n$/,
    );
  });

  it('refuses what would change nothing about saved results', async () => {
    for (const args of ['--transport tcp', '--max-time 1m', '--launches 8']) {
      const { code, stderr } = await from(args);
      assert.equal(code, 2, args);
      assert.match(stderr, new RegExp(`${args.split(' ')[0]} changes nothing about saved results`));
    }
  });

  it('refuses files that are none', async () => {
    writeFileSync(join(place.folder, 'garbage.json'), '{"outcomes": [');
    for (const file of ['garbage.json', 'nowhere.json']) {
      const { code, stderr } = await callCli(`recommend --from ${file}`, place);
      assert.equal(code, 2);
      assert.match(stderr, /cannot be read as results/);
    }
  });
});

describe('ipc-bench recommend', () => {
  const place = makePlace();
  after(() => place.remove());
  const COMMON = '--lock ignore --no-controls --seed 3 --max-time 10m';

  it('overwrites what is not its own with --force only', async () => {
    mkdirSync(join(place.folder, 'taken'));
    writeFileSync(join(place.folder, 'taken', 'results.json'), 'notes of mine');
    const args = `recommend --transport pipe --payload 1000 ${COMMON} --quiet --out taken`;
    const refused = await callCli(args, place, { launch: simulatedLauncher() });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--force/);
    assert.equal(readFileSync(join(place.folder, 'taken', 'results.json'), 'utf8'), 'notes of mine');
    const { code, stderr } = await callCli(`${args} --force`, place, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    assert.ok((await readResults(join(place.folder, 'taken', 'results.json'))).outcomes.length > 0);
  });

  it('measures what is needed with the settings that it takes', async () => {
    const args = `recommend --need other-host,no-broker,no-package ${COMMON} --quiet --out need`;
    const { code, stdout, stderr } = await callCli(args, place, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    const { outcomes } = await readResults(join(place.folder, 'need', 'results.json'));
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
    const { code, stdout, stderr } = await callCli(`recommend --transport pipe ${COMMON} --out bad`, place, {
      launch,
    });
    assert.equal(code, 7);
    assert.equal(stdout, '');
    assert.match(stderr, /Saved bad\/results\.json\n/);
    assert.match(stderr, /ipc-bench: these results have no measured row: .*the pipe burst\n$/);
  });

  it('refuses to measure longer than it may, and what nothing can do', async () => {
    const launch = simulatedLauncher();
    const long = await callCli('recommend --transport pipe,unix --max-time 5s', place, { launch });
    assert.equal(long.code, 2);
    assert.match(long.stderr, /rows would take about .*, more than 5 s; name fewer with --transport/);
    const none = await callCli(['recommend', '--need', 'durable, no broker'], place, { launch });
    assert.equal(none.code, 7);
    assert.match(none.stderr, /--need durable, no broker: no built-in transport meets all of these/);
  });
});
