// Runs at night.
// Messages through a real Redis per round trip: two at any number of loops, or a flag.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../lib/children/launcher.js';
import { readResults } from '../../lib/results/read.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';

const FAN_OUT = fileURLToPath(new URL('../fixtures/fan-out-2016.js', import.meta.url));
const server = findOnPath('redis-server') ?? findOnPath('valkey-server');
const WITH_REDIS = { skip: server || process.env.CI ? false : 'no redis-server on PATH' };
const TOLERANCE = 0.01; // A-F11

const workspace = workspaceForEach();

const SHORT = '--launches 1 --no-controls --no-charts --notes --lock ignore --out out';

/** @param {string[]} args */
async function measured(...args) {
  const all = [...args, ...SHORT.split(' ')];
  const { code, stdout, stderr } = await callCli(all, workspace);
  assert.equal(code, 0, stderr);
  const { outcomes, transports } = await readResults(join(workspace.folder, 'out', 'results.json'));
  const rows = outcomes.map((outcome) => {
    assert.ok(outcome.status === 'measured', JSON.stringify(outcome));
    const { cell, flags, launches } = outcome;
    return { cell, codes: flags.map(({ code: flag }) => flag), traffic: launches[0].traffic };
  });
  // Lines are broken where the screen ends.
  return { rows, stdout: stdout.replace(/\s+/g, ' '), transports };
}

describe('messages at the broker', () => {
  it('are two per round trip with any number of workers and loops', WITH_REDIS, async () => {
    const axes =
      '--transport redis-pubsub --codec json --warmup 50ms --messages 200 --workers 1x1,2x4 --payload 1'.split(
        ' ',
      );
    const { rows, stdout, transports } = await measured(...axes);
    assert.equal(rows.length, 2);
    for (const { traffic, codes } of rows) {
      assert.equal(traffic?.published, 2, 'counted exactly');
      assert.ok(Math.abs(Number(traffic?.delivered) / 2 - 1) < TOLERANCE, `${traffic?.delivered} delivered`);
      assert.ok(!codes.includes('amplified'));
    }
    assert.equal(transports?.['redis-pubsub'].messagesPerRoundTrip, 2);
    assert.match(stdout, /2\.00 messages to the broker, 2\.00 from it, 2 needed/);
    assert.match(
      stdout,
      /redis-pubsub delivers at most once, in order; .* \(redis .*, started for this run: port 0, /,
    );
  });

  it('are counted for each launch of a group', WITH_REDIS, async () => {
    const axes = '--transport redis-pubsub --codec json,string --warmup 300ms --measure 1s --payload 1'.split(
      ' ',
    );
    const { rows } = await measured(...axes);
    assert.equal(rows.length, 2);
    for (const { traffic, codes } of rows) {
      assert.ok(Math.abs(Number(traffic?.published) / 2 - 1) < TOLERANCE, `${traffic?.published} published`);
      assert.ok(!codes.includes('amplified'));
    }
  });

  it('are flagged if every loop receives all responses, with two loops or more', WITH_REDIS, async () => {
    const counts = [1, 2, 8];
    const axes = counts.flatMap((loops) => ['--transport', `${FAN_OUT}:loops=${loops}`]);
    axes.push('--codec', 'json', '--warmup', '50ms', '--messages', '200');
    const { rows } = await measured(...axes, '--workers', '1x8', '--payload', '1000');
    assert.equal(rows.length, counts.length);
    for (const { cell, traffic, codes } of rows) {
      const loops = Number(cell.settings.loops ?? 1);
      const told = `${loops} loops: ${JSON.stringify(traffic)}`;
      assert.equal(codes.includes('amplified'), loops > 1, told);
      assert.ok(Math.abs(Number(traffic?.delivered) - (1 + loops)) < 0.02, told);
    }
  });

  it(
    'are flagged if every worker receives all responses, although one launch is cold',
    WITH_REDIS,
    async () => {
      const axes = ['--transport', `${FAN_OUT}:audience=all`, '--workers', '1x4,2x4,4x4', '--payload', '100'];
      axes.push('--codec', 'json', '--warmup', '50ms', '--messages', '200');
      const { rows } = await measured(...axes);
      for (const { cell, codes, traffic } of rows) {
        assert.ok(codes.includes('amplified'), `${cell.workers} workers`);
        assert.ok(Number(traffic?.delivered) > cell.workers, JSON.stringify(traffic));
      }
    },
  );
});
