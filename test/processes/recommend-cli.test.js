// The command `recommend`, on saved results and measuring: with simulated launches, so that no process is started.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { callCli, makePlace } from '../fixtures/cli-run.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';
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

  it('draws where the answer changes into the folder of --png, and nothing without it', async () => {
    const results = makeResults({
      series: ['pipe/json', 'unix/binary'],
      payloads: [100, 1_000, 10_000],
      launches: 8,
    });
    for (const outcome of measuredOf(results)) {
      const { transport, payloadBytes } = outcome.cell;
      const factor =
        transport === 'pipe' ? 30 / (20 + 0.004 * payloadBytes) : 30 / (36 + 0.0008 * payloadBytes);
      for (const [place, { values }] of outcome.launches.entries())
        values.roundTripsPerSecond = 33_000 * factor * (1 + place / 500);
    }
    writeFileSync(join(place.folder, 'turning.json'), JSON.stringify(results));
    const drawn = await callCli('recommend --from turning.json --png pictures', place);
    assert.equal(drawn.code, 0, drawn.stderr);
    assert.match(drawn.stdout, /^Above 5 kB unix\/binary overtakes pipe\/json\.$/m);
    assert.match(drawn.stderr, /^Saved pictures\/crossover-by-payload\.png\n$/);
    assert.deepEqual(readdirSync(join(place.folder, 'pictures')), ['crossover-by-payload.png']);
    const both = await callCli('recommend --from turning.json --png both --theme both', place);
    assert.match(
      both.stderr,
      /srcset="both\/crossover-by-payload-dark\.png"><img alt="[^"]+" src="both\/crossover-by-payload\.png"><\/picture>\n$/,
    );
    assert.deepEqual(readdirSync(join(place.folder, 'both')), [
      'crossover-by-payload-dark.png',
      'crossover-by-payload.png',
    ]);
    const before = readdirSync(place.folder);
    const { stderr } = await callCli('recommend --from turning.json', place);
    assert.equal(stderr, '');
    assert.deepEqual(readdirSync(place.folder), before);
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

  it('measures what can do it, looks around for where the answer changes, and saves each round', async () => {
    // Ten times as much, and a hundred times, would be beyond what is looked at: two rounds prove the way of all.
    const args = `recommend --payload 4MB --transport unix,zeromq --codec json ${COMMON} --quiet --out around`;
    const { code, stdout, stderr } = await callCli(args, place, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Take unix\/json: it is the best at 4,000,000 B, 2x4\./);
    assert.match(stdout, /\nFrom 400 kB to 4 MB, nothing else is proven to be better than unix\/json\./);
    const files = readdirSync(join(place.folder, 'around')).filter((name) => name.endsWith('.json'));
    assert.deepEqual(files, ['around-1.json', 'results.json']);
    const { outcomes } = await readResults(join(place.folder, 'around', 'around-1.json'));
    assert.deepEqual([...new Set(outcomes.map(({ cell }) => cell.payloadBytes))], [400_000]);
    assert.deepEqual(place.leftovers(), []);
  });

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
    const args = `recommend --need other-host,no-broker,no-package --vary none ${COMMON} --quiet --out need`;
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
