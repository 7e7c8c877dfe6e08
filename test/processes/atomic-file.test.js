// Runs in CI.
import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAtomically } from '../../lib/results/atomic-file.js';
import { readResults } from '../../lib/results/read.js';
import { writeResults } from '../../lib/results/write.js';
import { IS_LONG } from '../conformance/long-form.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';

const ON_POSIX = { skip: process.platform === 'win32' ? 'needs the modes of POSIX' : false };
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'needs /proc' };

const folder = ownFolder('ipc-bench-atomic-');

/** @param {string} name */
async function emptyFolder(name) {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

describe('writeAtomically', () => {
  it('leaves no file or folder open', ON_LINUX, async () => {
    const own = await emptyFolder('closed');
    await writeAtomically(join(own, 'a.txt'), 'x');
    const target = (/** @type {string} */ descriptor) =>
      readlink(join('/proc/self/fd', descriptor)).catch(() => '');
    const open = await Promise.all((await readdir('/proc/self/fd')).map(target));
    assert.deepEqual(
      open.filter((path) => path.startsWith(own)),
      [],
    );
  });

  it('keeps the old content when there is no room for the new', ON_POSIX, async () => {
    const own = await emptyFolder('full');
    const path = join(own, 'a.txt');
    await writeFile(path, 'old');
    const writer = join(import.meta.dirname, '..', 'fixtures', 'limited-writer.js');
    // 64 blocks of 512 B or 1 KiB, as the shell counts.
    const output = execFileSync('sh', ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, writer, path]);
    assert.equal(String(output).trim(), 'OUTPUT_UNWRITABLE');
    assert.equal(await readFile(path, 'utf8'), 'old');
    assert.deepEqual(await readdir(own), ['a.txt']);
  });

  it('leaves the old results or the new ones, whole, when the writer is killed at any moment', async () => {
    const writer = join(import.meta.dirname, '..', 'fixtures', 'endless-writer.js');
    const results = buildResults();
    /** @param {number} index */
    const killOneWriter = async (index) => {
      const path = join(folder, `killed-${index % 5}`, 'results.json');
      const child = fork(writer, [path]);
      await once(child, 'message');
      await sleep((index * 7.3) % 31);
      child.kill('SIGKILL');
      await once(child, 'exit');
      assert.equal((await readResults(path)).outcomes.length, results.outcomes.length);
    };
    const kills = Array.from({ length: IS_LONG ? 50 : 15 }, (_, index) => index);
    for (const index of kills.slice(0, 5)) {
      await writeResults(join(await emptyFolder(`killed-${index}`), 'results.json'), results);
    }
    while (kills.length > 0) await Promise.all(kills.splice(0, 5).map(killOneWriter));
    for (const index of [0, 1, 2, 3, 4]) {
      const own = join(folder, `killed-${index}`);
      await writeResults(join(own, 'results.json'), results);
      assert.deepEqual(await readdir(own), ['results.json']);
    }
  });
});
