// Runs always.
// What another user puts into a folder that both can write to, under the names of ipc-bench.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { compiledProgram } from '../../lib/children/compiled-program.js';
import { writeAtomically } from '../../lib/results/atomic-file.js';
import { withClaims } from '../../lib/results/claim-outputs.js';
import { COMMAND } from '../fixtures/cli-run.js';
import { DEAD, ELSEWHERE } from '../fixtures/named-owners.js';
import { noOtherUser, otherUser, runAsOtherUser } from '../fixtures/other-user.js';
import { ownFolder } from '../fixtures/own-folder.js';

const { uid, gid } = otherUser;
const THIRD = { uid: uid - 1, gid }; // a victim without the rights of root
const SECOND_USER = { skip: noOtherUser, timeout: 60_000 };
const ON_POSIX = { skip: process.getuid === undefined && 'needs the modes of POSIX', timeout: 60_000 };
// Linux refuses to follow links of others in sticky folders that everybody can write to, but not where only a group can write.
const STICKY_FOR_GROUP = 0o1775;

/** @param {string} prefix @returns a folder in which both users can make entries, and remove their own only */
function sharedFolder(prefix) {
  const folder = ownFolder(prefix, '/tmp');
  chownSync(folder, 0, gid);
  chmodSync(folder, STICKY_FOR_GROUP);
  return folder;
}

const RUN_DIRECTORY = new URL('../../lib/children/run-directory.js', import.meta.url).href;
// Root loads the module, because the third user may be unable to read its folder.
const OPENS_SCRATCH = `const { openScratch } = await import(${JSON.stringify(RUN_DIRECTORY)});
  process.setgroups([]);
  process.setgid(${THIRD.gid});
  process.setuid(${THIRD.uid});
  await (await openScratch('.')).remove();`;

/** Starts and ends a run of the third user, as far as its folder is concerned. @param {string} folder   the temporary folder */
function openAsThird(folder) {
  execFileSync(process.execPath, ['--input-type=module', '-e', OPENS_SCRATCH], { cwd: folder });
}

describe('leftovers of runs in a shared folder', () => {
  it(
    'do not make a run empty the folder of its user to which another user has put a link',
    SECOND_USER,
    () => {
      const folder = sharedFolder('ipcs-link-');
      const file = join(folder, 'precious', 'thesis.txt');
      mkdirSync(dirname(file));
      writeFileSync(file, 'x');
      for (const path of [dirname(file), file]) chownSync(path, THIRD.uid, THIRD.gid);
      const link = `ipcb-${DEAD}-abcdef`;
      runAsOtherUser(folder, 'ln', '-s', 'precious', link);
      openAsThird(folder);
      assert.ok(existsSync(file));
      assert.deepEqual(readdirSync(folder).toSorted(), [link, 'precious']);
    },
  );

  it('do not end a run that cannot remove them', SECOND_USER, () => {
    const folder = sharedFolder('ipcs-left-');
    const left = join(folder, `ipcb-${DEAD}-abcdef`);
    mkdirSync(join(left, 'of-root'), { recursive: true });
    writeFileSync(join(left, 'of-root', 'file'), 'x');
    chownSync(left, THIRD.uid, THIRD.gid);
    openAsThird(folder);
    assert.ok(existsSync(left));
  });
});

describe('an output file in a shared folder', () => {
  const claimOf = (/** @type {string} */ owner) => `.results.json.${owner}-1.ipc-bench-claim`;

  for (const [what, command] of /** @type {const} */ ([
    ['a FIFO', 'mkfifo'],
    ['a file', 'touch'],
  ]))
    it(`can be claimed although another user has put ${what} in place of a claim`, SECOND_USER, async () => {
      const folder = sharedFolder('ipcs-claim-');
      for (const owner of [ELSEWHERE, DEAD]) runAsOtherUser(folder, command, claimOf(owner));
      await withClaims((claims) => claims.add(join(folder, 'results.json')));
      assert.deepEqual(readdirSync(folder).toSorted(), [claimOf(DEAD), claimOf(ELSEWHERE)].toSorted());
    });

  it(
    'can be claimed although a hard link to a file of its user is in place of a claim',
    ON_POSIX,
    async () => {
      const folder = ownFolder('ipcs-hard-');
      writeFileSync(join(folder, 'secret.txt'), 'hunter2');
      linkSync(join(folder, 'secret.txt'), join(folder, claimOf(ELSEWHERE)));
      await withClaims((claims) => claims.add(join(folder, 'results.json')));
    },
  );

  it(
    'cannot be written by others because another user has made a file that everybody can write to',
    SECOND_USER,
    async () => {
      const folder = sharedFolder('ipcs-mode-');
      runAsOtherUser(folder, 'sh', '-c', 'umask 0; : > a.txt');
      const path = join(folder, 'a.txt');
      await writeAtomically(path, 'new');
      const { mode, uid: owner } = statSync(path);
      assert.deepEqual([mode & 0o777, owner], [0o644, 0]);
    },
  );

  it('is not read by another group because the group of the replaced file could', SECOND_USER, async () => {
    const path = join(ownFolder('ipcs-group-'), 'a.txt');
    writeFileSync(path, 'old');
    chownSync(path, 0, gid);
    chmodSync(path, 0o664);
    await writeAtomically(path, 'new');
    assert.equal(statSync(path).mode & 0o777, 0o644);
  });
});

describe('a FIFO in place of a file to report', () => {
  it('is refused', ON_POSIX, () => {
    const fifo = join(ownFolder('ipcs-fifo-'), 'a.json');
    execFileSync('mkfifo', [fifo]);
    // If it were opened, this process could not end the command in its own event loop.
    const how = /** @type {const} */ ({ encoding: 'utf8', timeout: 30_000 });
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, 'report', fifo], how);
    assert.equal(status, 2);
    assert.match(stderr, /is a pipe/);
  });
});

describe('the folder of compiled programs', () => {
  const sources = ownFolder('ipcs-sources-');
  writeFileSync(join(sources, 'a.txt'), 'source');
  const recipe = {
    name: 'program',
    what: 'the program',
    folder: sources,
    sources: /\.txt$/,
    code: /** @type {const} */ ('BAD_ARGUMENT'),
    compiler: process.execPath,
    remedy: 'none',
    versionArgs: ['--version'],
    args: (/** @type {string[]} */ _files, /** @type {string} */ to) => [
      '-e',
      `require('node:fs').writeFileSync(${JSON.stringify(to)}, 'compiled')`,
    ],
  };

  it('is not used if other users can write to it', ON_POSIX, async () => {
    const folder = ownFolder('ipcs-cache-');
    const orIn = ownFolder('ipcs-scratch-');
    await compiledProgram(recipe, folder);
    chmodSync(folder, 0o777);
    assert.match(await compiledProgram({ ...recipe, orIn }, folder), /ipcs-scratch-/);
    await assert.rejects(compiledProgram(recipe, folder), {
      code: 'BAD_ARGUMENT',
      message: /other users can write to it.*set XDG_CACHE_HOME to a folder that only you can write to/,
    });
  });

  it('is not used if it belongs to another user', SECOND_USER, async () => {
    const folder = join(ownFolder('ipcs-cache-'), 'programs');
    await compiledProgram(recipe, folder);
    chownSync(folder, uid, gid);
    await assert.rejects(compiledProgram(recipe, folder), { code: 'BAD_ARGUMENT' });
  });

  it(
    'has a program compiled again in place of a link or of a file of another user',
    SECOND_USER,
    async () => {
      const folder = ownFolder('ipcs-cache-');
      const program = await compiledProgram(recipe, folder);
      const other = join(sources, 'other-program');
      writeFileSync(other, 'other');
      execFileSync('rm', [program]);
      symlinkSync(other, program);
      lchownSync(program, uid, gid);
      assert.equal(readFileSync(await compiledProgram(recipe, folder), 'utf8'), 'compiled');
      writeFileSync(program, 'planted');
      chownSync(program, uid, gid);
      assert.equal(readFileSync(await compiledProgram(recipe, folder), 'utf8'), 'compiled');
    },
  );
});
