// Runs always.
// Packages with native code whose loading ends a process: no command ends with them.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeWorkspace, startCli } from '../fixtures/cli-run.js';

const SAVED = fileURLToPath(new URL('../fixtures/results-default.json', import.meta.url));
const NODE_OPTIONS = `--import=${new URL('../fixtures/crashing-add-ons.js', import.meta.url).href}`;
const REMEDY =
  /the package (\S+) cannot be loaded \(it crashes while it is loaded: SIGKILL\): npm install --force \1/;

describe('native packages that crash when they are loaded', () => {
  const workspace = makeWorkspace();
  after(() => workspace.remove());
  const crashing = (/** @type {string} */ names, /** @type {string[]} */ ...args) =>
    startCli(args, workspace, { NODE_OPTIONS, CRASHING_ADD_ONS: names }).ended;

  it('are listed as unavailable, with the remedy, and without keeping others from being checked', async () => {
    const [all, one] = await Promise.all([
      crashing('zeromq,koffi', 'list', 'transports', '--json', '-'),
      crashing('zeromq', 'list', 'transports', '--json', '-'),
    ]);
    const unavailable = ({ stdout = '' }) =>
      JSON.parse(stdout).transports.flatMap((/** @type {any} */ { name, unavailable: why }) =>
        REMEDY.test(why ?? '') ? name : [],
      );
    assert.deepEqual([all.code, one.code], [0, 0], all.stderr + one.stderr);
    assert.deepEqual([unavailable(all), unavailable(one)], [['shared-memory', 'zeromq'], ['zeromq']]);
  });

  it('are named by doctor', async () => {
    const { stdout, stderr } = await crashing('zeromq', 'doctor');
    assert.match(stdout, /npm install --force zeromq/, stderr);
  });

  it('cause a row to be skipped', async () => {
    const { code, stdout, stderr } = await crashing('zeromq', '--dry-run', '--transport', 'unix,zeromq');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^zeromq\/\S+ .*skipped: .*npm install --force zeromq/m);
    assert.match(stdout, /^unix\/json .*split$/m);
  });

  it('leave out PNG files, and nothing else', async () => {
    const { code, stderr } = await crashing('skia', 'report', SAVED, '--html', 'page.html', '--out', 'out');
    assert.equal(code, 2);
    assert.match(stderr, /^ipc-bench: no PNG files can be drawn, .*it crashes while it is loaded/);
    assert.deepEqual(readdirSync(join(workspace.folder, 'out')), ['results.json']);
    assert.ok(readdirSync(workspace.folder).includes('page.html'));
  });
});

describe('the canvas library', () => {
  const workspace = makeWorkspace();
  after(() => workspace.remove());

  it('draws for a user without a home folder, where it would look for fonts', async () => {
    const noHome = `--import=${new URL('../fixtures/no-home.js', import.meta.url).href}`;
    const { code, stderr } = await startCli(['report', SAVED, '--png', '.'], workspace, {
      NODE_OPTIONS: noHome,
    }).ended;
    assert.equal(code, 0, stderr);
    assert.ok(readdirSync(workspace.folder).some((name) => name.endsWith('.png')));
  });
});
