// Packages with programs are locked for every supported system, so that npm ci installs them there.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { NATIVE_PACKAGES } from '../../lib/machine/native-packages.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadCodecs, loadTransports, neededPackages } from '../../lib/plugins/plugins.js';

const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const SYSTEMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
const PROGRAMS = /-(?:linux|darwin|win32)-(?:x64|arm64)(?:-gnu|-msvc)?$/;
const locked = Object.keys(packages).map((path) => path.split('node_modules/').at(-1));

/** @param {string} name @param {Set<string>} seen @returns {boolean} whether it or a package that it needs has native code */
function hasNativeCode(name, seen = new Set()) {
  if (seen.has(name)) return false;
  seen.add(name);
  const found = packages[`node_modules/${name}`];
  if (found === undefined) return false;
  if (found.hasInstallScript && name !== 'protobufjs') return true;
  const { dependencies = {}, optionalDependencies = {} } = found;
  return (
    Object.keys(optionalDependencies).some((other) => PROGRAMS.test(other)) ||
    Object.keys({ ...dependencies, ...optionalDependencies }).some((other) => hasNativeCode(other, seen))
  );
}

describe('packages with native code', () => {
  it('are loaded in a process of their own first', async () => {
    const plugins = await Promise.all([
      loadTransports(builtinNames('transport')),
      loadCodecs(builtinNames('codec')),
    ]);
    const needed = plugins
      .flatMap((loaded) => [...loaded.values()])
      .flatMap(({ plugin }) => neededPackages(plugin));
    const native = [...new Set(needed)].filter((name) => hasNativeCode(name));
    assert.ok(native.includes('zeromq') && native.includes('koffi'));
    assert.deepEqual(
      native.filter((name) => !NATIVE_PACKAGES.includes(name)),
      [],
    );
  });
});

describe('packages with programs', () => {
  const withPrograms = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const programs = Object.keys(optionalDependencies).filter((name) => PROGRAMS.test(name));
    return path === '' || programs.length === 0 ? [] : [{ path, programs }];
  });

  it('finds packages with programs in the lock file', () => {
    assert.ok(withPrograms.length >= 4, `${withPrograms.length}`);
  });

  for (const { path, programs } of withPrograms) {
    it(`finds the programs of ${path} locked for x64 and arm64`, () => {
      for (const system of SYSTEMS) {
        const name = programs.find((program) => program.includes(`-${system}`));
        assert.ok(name !== undefined, `there is none for ${system}`);
        assert.ok(locked.includes(name), `${name} is not locked`);
      }
    });
  }
});
