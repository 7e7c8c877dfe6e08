// A folder that agents of one machine have in common: which one is taken, and who is told that it is another.

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { refuseOtherFolders, seeFolder, sharedFolderGiven } from '../../lib/hosts/agent-place.js';
import { ownFolder } from '../fixtures/own-folder.js';

describe('a folder in common', () => {
  const folder = ownFolder('ibf-');

  it('is one that is there and short, by its own path', () => {
    assert.equal(sharedFolderGiven(undefined), undefined);
    const link = join(folder, 'link');
    symlinkSync(folder, link, 'junction');
    assert.equal(sharedFolderGiven(link), sharedFolderGiven(folder));
    const file = join(folder, 'file');
    writeFileSync(file, '', { mode: 0o700 });
    const deep = join(folder, 'd'.repeat(60));
    mkdirSync(deep);
    /** @type {[string, RegExp][]} */
    const refused = [
      [join(folder, 'none'), /--shared-folder: this folder cannot be used \(ENOENT\)/],
      [file, /this is no folder/],
      [deep, /sockets need a path of at most 50 bytes/],
    ];
    for (const [path, why] of refused)
      assert.throws(() => sharedFolderGiven(path), { code: 'BAD_ARGUMENT', message: why });
  });

  it('is what all agents of the run have to name', () => {
    const choice = { master: 'a', workers: ['b', 'c'] };
    const met = (/** @type {(string | undefined)[]} */ ...folders) =>
      /** @type {any} */ (new Map(folders.map((sharedFolder, index) => ['abc'[index], { sharedFolder }])));
    refuseOtherFolders(met(undefined, '/x', '/y'), choice);
    const shared = { ...choice, sharesFolder: /** @type {const} */ (true) };
    refuseOtherFolders(met('/x', '/x', '/x'), shared);
    const none = /host b has no shared folder: start its agent with --shared-folder/;
    assert.throws(() => refuseOtherFolders(met('/x', undefined, '/x'), shared), {
      code: 'HOST',
      message: none,
    });
    const other = /host c: its shared folder is \/y, and that of host a is \/x/;
    assert.throws(() => refuseOtherFolders(met('/x', '/x', '/y'), shared), { code: 'HOST', message: other });
  });

  it('is proved by what a launch has made in it', () => {
    const made = join(folder, 'ipcb-1-2-abcdef');
    mkdirSync(made);
    seeFolder(made, folder);
    const unseen = { code: 'HOST', message: /does not see what the host of the master has/ };
    assert.throws(() => seeFolder(join(folder, 'ipcb-1-2-ghijkl'), folder), unseen);
    assert.throws(() => seeFolder(made, join(folder, 'other')), unseen, 'it looks nowhere else');
    assert.throws(() => seeFolder(join(folder, '..'), folder), unseen);
    assert.throws(() => seeFolder(made, undefined), unseen);
  });
});
