// What the README promises is what the program has.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { traitsOf } from '../../lib/cell/traits.js';
import { GROUP_NAMES } from '../../lib/cell/transport-classes.js';
import { COMMANDS } from '../../lib/cli/commands.js';
import { exitCodeLines } from '../../lib/cli/help.js';
import { OPTION_TABLE } from '../../lib/options/option-table.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadTransports } from '../../lib/plugins/plugins.js';
import { readmeTable } from '../fixtures/refresh-readme.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const { scripts, exports } = manifest;

describe('the README', () => {
  it('has the exit codes of the table that bin and --help use', () => {
    assert.ok(readme.includes(exitCodeLines()), `missing:\n${exitCodeLines()}`);
  });

  it('names only options that exist', () => {
    const named = new Set([...readme.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name));
    const ofCommands = COMMANDS.flatMap(({ values = {}, switches = {} }) => [
      ...Object.keys(values),
      ...Object.keys(switches),
    ]);
    const ofOthers = ['help', 'version', 'pdeathsig', 'test'];
    const known = new Set([...Object.keys(OPTION_TABLE), ...ofCommands, ...ofOthers]);
    assert.deepEqual(
      [...named].filter((name) => !known.has(name)),
      [],
    );
  });

  it('shows the traits of every transport as `list --markdown` prints them', async () => {
    const { shown, listed } = await readmeTable();
    assert.ok(shown === listed, 'the table is of yesterday: run `node test/fixtures/refresh-readme.js`');
  });

  it('tells of every transport the packages that it asks for, and of every broker what outlives it', async () => {
    const { dependencies, optionalDependencies } = manifest;
    for (const { plugin, url } of (await loadTransports(builtinNames('transport'))).values()) {
      const { broker, durability } = plugin.traits;
      const packages = packagesOf(plugin);
      const asked = [...readFileSync(new URL(url), 'utf8').matchAll(/whyNotLoadable\('([^']+)'\)/g)];
      assert.deepEqual(packages, asked.map(([, name]) => name).sort(), `traits.packages of ${plugin.name}`);
      for (const name of packages) assert.ok(name in { ...dependencies, ...optionalDependencies }, name);
      assert.equal(broker === null, durability === undefined, `traits.durability of ${plugin.name}`);
    }
  });

  it('names every group of transports', () => {
    for (const group of GROUP_NAMES) assert.ok(readme.includes(`\`${group}\``), group);
  });

  it('names only scripts, exports and pictures that exist', () => {
    for (const [, script] of readme.matchAll(/npm run ([\w:-]+)/g)) assert.ok(scripts[script], script);
    for (const [, path] of readme.matchAll(/['`]ipc-bench\/([\w./-]+)['`]/g))
      assert.ok(exports[`./${path}`], path);
    for (const [, path] of readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)) {
      assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), path);
    }
  });

  it('answers each criticism that harnesses of this kind have met', () => {
    const answers = readme.slice(
      readme.indexOf('## What these numbers do not tell'),
      readme.indexOf('## Exit codes'),
    );
    for (const word of [
      'The master may be the limit',
      'Ping-pong is not streaming',
      'The load runs on the machine that it measures',
      'Small payloads',
      'JSON is part of the price',
      'TCP without noDelay',
      'Sizes are exact',
      'ZeroMQ over TCP',
      'Named and unnamed pipes',
      'Warm-up is judged',
      'Hardware is stated',
      'Virtual machines and WSL',
      'Tails of a closed loop',
    ]) {
      assert.ok(answers.includes(word), word);
    }
  });
});

/**
 * @param {import('../../lib/types/transports.js').Transport} transport
 * @returns {string[]} that it needs with any choice of its settings, each once, sorted
 */
function packagesOf(transport) {
  const choices = Object.entries(transport.settings ?? {}).flatMap(([key, setting]) =>
    (setting.choices ?? []).map((choice) => ({ [key]: choice })),
  );
  return [
    ...new Set([{}, ...choices].flatMap((chosen) => traitsOf(transport, chosen).packages ?? [])),
  ].sort();
}
