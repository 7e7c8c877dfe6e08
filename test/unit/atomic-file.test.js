// Files that hold the old content or the new one, whole, and what is left of writers that have died. No process is started.

import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ownerName } from '../../lib/children/process-owner.js';
import { nameFault, tryToWrite, writeAtomically } from '../../lib/results/atomic-file.js';
import { DEAD, ELSEWHERE, withoutStart } from '../fixtures/named-owners.js';
import { ownFolder } from '../fixtures/own-folder.js';

const UNWRITABLE = { name: 'BenchError', code: 'OUTPUT_UNWRITABLE' };
const ON_POSIX = { skip: process.platform === 'win32' ? 'needs links and modes of POSIX' : false };

const folder = ownFolder('ibaf-');

/** @param {string} name */
async function emptyFolder(name) {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

describe('writeAtomically', () => {
  it('replaces the content and leaves nothing else in the folder', async () => {
    const own = await emptyFolder('replace');
    const path = join(own, 'a.txt');
    await writeAtomically(path, 'old');
    await writeAtomically(path, Buffer.from('new'));
    assert.equal(await readFile(path, 'utf8'), 'new');
    assert.deepEqual(await readdir(own), ['a.txt']);
  });

  it('keeps what was asked for last when two writes overlap', async () => {
    const path = join(await emptyFolder('order'), 'a.txt');
    const contents = ['x'.repeat(5_000_000), 'y', 'z'.repeat(1_000_000), 'last'];
    await Promise.all(contents.map((content) => writeAtomically(path, content)));
    assert.equal(await readFile(path, 'utf8'), 'last');
  });

  it('goes on after a write that failed', async () => {
    const path = join(await emptyFolder('again'), 'missing', 'a.txt');
    await assert.rejects(writeAtomically(path, 'x'), UNWRITABLE);
    await mkdir(join(path, '..'));
    await writeAtomically(path, 'y');
    assert.equal(await readFile(path, 'utf8'), 'y');
  });

  it('removes what dead writers of the same path left, and nothing else', async () => {
    const own = await emptyFolder('leftovers');
    const nameOf = (/** @type {string} */ owner) => `.a.txt.${owner}-1.ipc-bench-tmp`;
    // On Windows every live process holds its name.
    const untold = process.platform === 'win32' ? [] : [withoutStart(process.ppid)];
    const alive = [...untold, ELSEWHERE, await ownerName()].map(nameOf);
    const foreign = [
      '.a.txt.1x-1.ipc-bench-tmp',
      `.b.txt.${DEAD}-1.ipc-bench-tmp`,
      `.a.txt.${DEAD}-1`,
      `.a.txt.${DEAD}-1.ipc-bench-old`,
      'other',
    ];
    for (const name of [...alive, ...foreign, nameOf(DEAD)]) await writeFile(join(own, name), 'x');
    await writeAtomically(join(own, 'a.txt'), 'y');
    assert.deepEqual((await readdir(own)).toSorted(), [...alive, ...foreign, 'a.txt'].toSorted());
  });

  it(
    'is not prevented by a folder or a link in place of a leftover, and leaves both there',
    ON_POSIX,
    async () => {
      const own = await emptyFolder('odd-leftovers');
      const [asFolder, asLink] = ['1', '2'].map((word) => `.a.txt.${DEAD}-${word}.ipc-bench-tmp`);
      await mkdir(join(own, asFolder));
      await symlink(join(own, 'nowhere'), join(own, asLink));
      await writeAtomically(join(own, 'a.txt'), 'new');
      assert.deepEqual((await readdir(own)).toSorted(), [asFolder, asLink, 'a.txt']);
    },
  );

  it('removes what a writer in another PID namespace left an hour ago', async () => {
    const own = await emptyFolder('elsewhere');
    const left = join(own, `.a.txt.${ELSEWHERE}-1.ipc-bench-tmp`);
    await writeFile(left, 'x');
    const then = Date.now() / 1_000 - 3_700;
    await utimes(left, then, then);
    await writeAtomically(join(own, 'a.txt'), 'y');
    assert.deepEqual(await readdir(own), ['a.txt']);
  });
});

describe('the mode of a file', () => {
  const modeOf = async (/** @type {string} */ path) => (await stat(path)).mode & 0o777;

  it('is kept when the file is replaced, whatever the umask', ON_POSIX, async () => {
    const own = await emptyFolder('kept');
    const before = process.umask(0o027);
    try {
      for (const mode of [0o600, 0o400, 0o664]) {
        const path = join(own, `${mode}.txt`);
        await writeFile(path, 'old');
        await chmod(path, mode);
        await writeAtomically(path, 'new');
        assert.equal(await modeOf(path), mode);
      }
      await writeAtomically(join(own, 'new.txt'), 'new');
      assert.equal(await modeOf(join(own, 'new.txt')), 0o640);
      process.umask(0);
      await writeAtomically(join(own, 'public.txt'), 'new');
      assert.equal(await modeOf(join(own, 'public.txt')), 0o644, 'only its owner may write it');
    } finally {
      process.umask(before);
    }
  });

  it(
    'excludes others if the file is private, also in place of a file that they can read',
    ON_POSIX,
    async () => {
      const own = await emptyFolder('private');
      for (const [name, old, mode] of /** @type {const} */ ([
        ['wide.txt', 0o664, 0o600],
        ['narrow.txt', 0o400, 0o400],
      ])) {
        const path = join(own, name);
        await writeFile(path, 'old');
        await chmod(path, old);
        await writeAtomically(path, 'new', { isPrivate: true });
        assert.equal(await modeOf(path), mode);
      }
      await writeAtomically(join(own, 'new.txt'), 'new', { isPrivate: true });
      assert.equal(await modeOf(join(own, 'new.txt')), 0o600);
    },
  );
});

describe('tryToWrite', () => {
  it('changes nothing where writing would succeed', async () => {
    const own = await emptyFolder('try');
    await writeFile(join(own, 'a.txt'), 'old');
    await tryToWrite(join(own, 'a.txt'));
    await tryToWrite(join(own, 'b.txt'));
    assert.deepEqual(await readdir(own), ['a.txt']);
    assert.equal(await readFile(join(own, 'a.txt'), 'utf8'), 'old');
  });

  it('says what is wrong with the place and what to do', async () => {
    const own = await emptyFolder('wrong');
    await writeFile(join(own, 'file'), '');
    await assert.rejects(tryToWrite(join(own, 'none', 'a.txt')), {
      ...UNWRITABLE,
      message: /create it first/,
    });
    await assert.rejects(tryToWrite(join(own, 'file', 'a.txt')), {
      ...UNWRITABLE,
      message: /another place/,
    });
    if (process.platform === 'linux') {
      await assert.rejects(tryToWrite('/proc/self/a.txt'), {
        ...UNWRITABLE,
        message: /takes no files there/,
      });
    }
    await assert.rejects(tryToWrite(join(own, 'x'.repeat(300))), { ...UNWRITABLE, message: /shorter/ });
  });

  it('names the character that Windows takes in no name of a file', () => {
    assert.match(nameFault('C:\\a\\b?.json', 'win32') ?? '', / takes no \? in a name/);
    assert.equal(nameFault('C:\\a\\b.json', 'win32'), null);
    assert.equal(nameFault('b?.json', 'linux'), null);
  });
});
