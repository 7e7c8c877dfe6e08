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
});
