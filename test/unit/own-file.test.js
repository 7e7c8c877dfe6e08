// Files that a user names, as Windows and URLs write them: a colon of a drive is not the one before the settings.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runtimesByRole } from '../../lib/cell/launch-roles.js';
import { innerParts, labelParts } from '../../lib/cell/settings.js';
import { cacheFolder } from '../../lib/children/compiled-program.js';
import { isOwnFile, resolveOwnFile, splitSettings } from '../../lib/format/own-file.js';
import { redactText, shownPaths } from '../../lib/format/redact.js';
import { parseTransports } from '../../lib/options/axis-values.js';
import { loadTransports } from '../../lib/plugins/plugins.js';

const PATHS = [
  String.raw`C:\work dir\transport.js`,
  'C:/bench/transport.js',
  String.raw`\\server\share\transport.js`,
  String.raw`\\?\C:\bench\transport.js`,
  String.raw`.\transport.js`,
  String.raw`..\transport.js`,
  'file:///C:/bench/transport.js',
  'file:///home/bench/transport.js',
  '/home/bench/transport.js',
  './transport.js',
];
const NAMES = ['tcp', 'redis-list', '@scope/transport', 'node@22', 'redis://host:6379', 'ssh://host'];
const SOURCE = { label: '--transport', code: /** @type {const} */ ('BAD_ARGUMENT') };

describe('the path of an own file', () => {
  for (const path of PATHS) {
    it(`reads the path ${path}, with settings and without`, () => {
      assert.ok(isOwnFile(path));
      assert.equal(splitSettings(path), null);
      assert.deepEqual(splitSettings(`${path}:delayUs=3`), { name: path, settings: 'delayUs=3' });
      assert.deepEqual(labelParts(`${path}:a=1,b=c:d`), { name: path, written: { a: '1', b: 'c:d' } });
      assert.deepEqual(innerParts(`${path}:a=1+b=2`), { name: path, written: { a: '1', b: '2' } });
      assert.deepEqual(parseTransports([`${path}:a=1,b=2,tcp`], SOURCE), [
        { name: path, settings: { a: '1', b: '2' } },
        { name: 'tcp', settings: {} },
      ]);
    });
  }

  it('does not read a built-in name, a package or a URL of a server as a path', () => {
    assert.deepEqual(NAMES.filter(isOwnFile), []);
    assert.deepEqual(splitSettings('tcp:flush=tick'), { name: 'tcp', settings: 'flush=tick' });
  });

  it('reads a path as a runtime, for all roles or for one', () => {
    assert.deepEqual(runtimesByRole(String.raw`c:\peers\echo.exe`), { every: String.raw`c:\peers\echo.exe` });
    assert.deepEqual(runtimesByRole('file:///C:/echo.exe'), { every: 'file:///C:/echo.exe' });
    assert.deepEqual(runtimesByRole(String.raw`master:C:\echo.exe+worker:node@22`), {
      master: String.raw`C:\echo.exe`,
      worker: 'node@22',
    });
  });

  it('resolves a path from a folder, unless it is a URL', () => {
    assert.equal(resolveOwnFile('./a.js', '/b'), resolve('/b/a.js'));
    assert.equal(resolveOwnFile(pathToFileURL(resolve('/b/a.js')).href, '/c'), resolve('/b/a.js'));
    assert.equal(resolveOwnFile('file://elsewhere%2f', '/c'), 'file://elsewhere%2f');
  });
});

describe('a plug-in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-file-'));
  after(() => rmSync(folder, { recursive: true }));

  it('loads a plug-in by its URL as by its path', async () => {
    const path = join(folder, 'mine.mjs');
    const pipe = import.meta.resolve('../../transports/pipe.js');
    writeFileSync(
      path,
      `import pipe from ${JSON.stringify(pipe)};\nexport default { ...pipe, name: 'mine' };\n`,
    );
    for (const name of [path, pathToFileURL(path).href]) {
      assert.deepEqual([...(await loadTransports([name])).keys()], ['mine']);
    }
  });

  it('names the path of a plug-in that is missing', async () => {
    const missing = pathToFileURL(join(folder, 'missing.js')).href;
    await assert.rejects(loadTransports([missing]), {
      code: 'BAD_ARGUMENT',
      message: /there is no file .*missing\.js/,
    });
  });
});

describe('a user without a home folder', () => {
  it('uses every function that shortens or expands paths', (t) => {
    // As for a user without HOME and without an entry in /etc/passwd.
    t.mock.method(os, 'homedir', () => {
      throw new Error('uv_os_homedir returned ENOENT');
    });
    syncBuiltinESMExports();
    try {
      assert.equal(resolveOwnFile('~/x.js', '/work'), resolve('/work', '~/x.js'));
      assert.equal(shownPaths(join(process.cwd(), 'x.js')), `.${sep}x.js`);
      assert.equal(redactText('at /home/me/x.js'), 'at /home/me/x.js');
      assert.equal(cacheFolder({}), null);
    } finally {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    }
  });
});
