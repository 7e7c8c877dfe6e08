// Which packages npm brings along, which are optional, and which command installs those.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isCompatible, isGlobal, OWN_PACKAGE } from '../../lib/machine/packages.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadCodecs, neededPackages } from '../../lib/plugins/plugins.js';
import { ownFolder } from '../fixtures/own-folder.js';

const { dependencies, devDependencies, peerDependencies } = OWN_PACKAGE;
const { peerDependenciesMeta } = /** @type {any} */ (OWN_PACKAGE);

describe('optional packages', () => {
  for (const [name, range] of Object.entries(peerDependencies)) {
    it(`has ${name} as an optional peer of any release, and in a clone the release of the tests`, () => {
      assert.deepEqual([range, peerDependenciesMeta[name]], ['*', { optional: true }]);
      // Below 1.0.0, a minor version may change the interface.
      assert.match(devDependencies[name] ?? '', /^\^?[1-9]\d*\.\d+\.\d+$/);
    });
  }

  it('include what a codec needs and the default run does not', async () => {
    for (const { plugin } of (await loadCodecs(builtinNames('codec'))).values()) {
      for (const name of neededPackages(plugin))
        assert.ok(name in { ...dependencies, ...peerDependencies }, name);
    }
  });
});

describe('isCompatible', () => {
  for (const [version, least, expected] of /** @type {[string, string, boolean][]} */ ([
    ['8.23.0', '8.23.0', true],
    ['8.23.1', '8.23.0', true],
    ['8.100.0', '8.23.4', true],
    ['8.23.4-rc.1', '8.23.4', true],
    ['8.23.3', '8.23.4', false],
    ['8.9.9', '8.23.0', false],
    ['9.0.0', '8.23.0', false],
    ['7.99.0', '8.23.0', false],
    ['unknown', '8.23.0', false],
  ])) {
    it(`${expected ? 'accepts' : 'rejects'} ${version} where ${least} is needed`, () => {
      assert.equal(isCompatible(version, least), expected);
    });
  }
});

describe('isGlobal', () => {
  const root = ownFolder('packages-test-');
  /** @param {string} path @param {string} [manifest]   file beside node_modules */
  const installed = (path, manifest) => {
    const folder = join(root, path);
    mkdirSync(folder, { recursive: true });
    if (manifest !== undefined) writeFileSync(join(root, manifest), '{}');
    return folder;
  };

  it('finds a package without a project around it global', () => {
    assert.equal(isGlobal(installed('prefix/lib/node_modules/ipc-bench')), true);
  });

  it('finds a package of a project, also one of pnpm, and a clone local', () => {
    const inProject = installed('project/node_modules/ipc-bench', 'project/package.json');
    const ofPnpm = installed('project/node_modules/.pnpm/ipc-bench@1.0.0/node_modules/ipc-bench');
    for (const folder of [inProject, ofPnpm, dirname(inProject), installed('clone/ipc-bench')])
      assert.equal(isGlobal(folder), false, folder);
  });
});
