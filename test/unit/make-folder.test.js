// Folders with those above them.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeFolders } from '../../lib/children/run-directory.js';

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'needs /proc', timeout: 10_000 };

describe('a folder with those above it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ipcb-make-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is made with the mode that is asked for, and may be there already', async () => {
    const path = join(folder, 'a', 'b', 'c');
    await makeFolders(path, { mode: 0o700 });
    await makeFolders(path, { mode: 0o700 });
    if (process.getuid) assert.equal(statSync(join(path, '..')).mode & 0o077, 0);
    symlinkSync(path, join(folder, 'link'), 'junction'); // a type that Windows takes from everybody
    await makeFolders(join(folder, 'link', 'd'));
    assert.ok(existsSync(join(path, 'd')));
  });

  it('is not made in or in place of a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(makeFolders(join(folder, 'file')), { code: 'EEXIST' });
    await assert.rejects(makeFolders(join(folder, 'file', 'a')), { code: /^(?:ENOTDIR|EEXIST)$/ });
  });

  it('is refused where a file system takes no folders', ON_LINUX, async () => {
    // The recursive mkdir of Node never returns there.
    await assert.rejects(makeFolders('/proc/self/a/b'), { code: 'ENOENT' });
  });
});
