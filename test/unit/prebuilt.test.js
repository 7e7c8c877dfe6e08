// Packages with programs are locked for every supported system, so that npm ci installs them there.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const SYSTEMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
const PROGRAMS = /-(?:linux|darwin|win32)-(?:x64|arm64)(?:-gnu|-msvc)?$/;
const locked = Object.keys(packages).map((path) => path.split('node_modules/').at(-1));

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
