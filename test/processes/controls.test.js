// Runs in CI.
// The calibration of a run and its diagnostic launches, with real processes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findOnPath } from '../../lib/children/launcher.js';
import { readResults } from '../../lib/results/read.js';
import { calibrate } from '../../lib/run/diagnostics/calibration.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';

const WITH_STRACE = { skip: findOnPath('strace') === undefined ? 'no strace on PATH' : false };
const CELL = { codec: 'json', scenario: 'round-trip', payloadBytes: 1000, loops: 4 };

describe('the calibration', () => {
  it('measures each codec, payload and number of loops once, each in a process', async () => {
    const url = (/** @type {string} */ path) => new URL(path, import.meta.url).href;
    const plugins = /** @type {any} */ ({
      codecs: new Map(
        ['json', 'string'].map((name) => [name, { url: url(`../../lib/codecs/builtin/${name}.js`) }]),
      ),
      scenarios: new Map([['round-trip', { url: url('../../scenarios/round-trip.js'), plugin: {} }]]),
    });
    const cells = /** @type {any[]} */ ([
      { ...CELL, transport: 'unix', workers: 1 },
      { ...CELL, transport: 'tcp', workers: 2 },
      { ...CELL, transport: 'tcp', workers: 2, codec: 'string' },
      { ...CELL, transport: 'pipe', workers: 2, codec: 'unheard-of' },
    ]);
    const { signal } = new AbortController();
    const { timer, rows } = await calibrate(cells, plugins, { cpus: null, seed: 1, signal });
    assert.deepEqual(
      rows.map(({ codec }) => codec),
      ['json', 'string'],
    );
    for (const { codecUs, nullUs, checkUs, spread } of rows) {
      assert.ok(0 < codecUs.low && codecUs.low <= codecUs.estimate && codecUs.estimate <= codecUs.high);
      assert.ok(checkUs > 0);
      assert.ok(spread !== undefined && spread >= 1 - codecUs.low / codecUs.high - 1e-9);
      // A null round trip contains the work of the codec.
      assert.ok(nullUs > codecUs.low / 4, `${nullUs} against ${codecUs.low}`);
    }
    assert.ok(timer !== null && timer.nowNs > 0 && timer.recordNs > 0);
  });
});

describe('a run with diagnostic launches', () => {
  const workspace = workspaceForEach();
  const short = '--codec json --launches 1 --warmup 50ms --messages 2000 --lock ignore --no-charts';

  it('prints system calls and the files of profiles', WITH_STRACE, async () => {
    const args = `--transport unix --workers 1x1 --syscalls --profile --out o ${short}`;
    const { code, stdout, stderr } = await callCli(args, workspace);
    assert.equal(code, 0, stderr);
    const { outcomes, syscalls, profiles, controls } = await readResults(
      join(workspace.folder, 'o', 'results.json'),
    );
    assert.equal(outcomes[0].status === 'measured' && outcomes[0].launches.length, 1, 'they do not count');
    assert.equal(controls?.rows.length, 1);
    const names = syscalls?.[0].processes.map(({ name }) => name);
    assert.deepEqual(names, ['master', 'w0']);
    assert.ok(Number(syscalls?.[0].processes[1].calls.write) > 0.9);
    assert.deepEqual(
      profiles?.map(({ process: name }) => name),
      ['master', 'w0'],
    );
    for (const { file } of profiles ?? []) {
      const { nodes, samples } = JSON.parse(readFileSync(join(workspace.folder, 'o', file), 'utf8'));
      assert.ok(nodes.length > 0 && samples.length > 0, file);
    }
    const text = stdout.replaceAll(/\s+/g, ' ');
    assert.match(text, /CPU profiles of unix\/json, for Chrome DevTools: profiles\/00-unix-json-/);
    assert.match(
      text,
      /System calls per round trip of unix\/json \(.*\): [\d.]+, of which [\d.]+ writes; master /,
    );
  });

  it('is rejected without strace, with the remedy', async () => {
    const args = `--transport unix --syscalls ${short}`;
    const { code, stderr } = await callCli(args, workspace, { environment: { PATH: '/nowhere' } });
    assert.equal(code, 2);
    assert.match(stderr, /--syscalls needs strace, which is not on PATH/);
  });
});
