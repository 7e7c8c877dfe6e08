// Runs always.
// What is asked for on stdout is written whole, or the command says in one line that it is not, with the exit code of a place that
// cannot be written. A reader who leaves early is no failure.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { main } from '../../lib/cli/main.js';
import { errorText } from '../../lib/cli/process-io.js';
import { exitCodeFor } from '../../lib/errors.js';
import { capturedOutput } from '../fixtures/captured-output.js';
import { makeWorkspace, startCli } from '../fixtures/cli-run.js';

const SAVED = fileURLToPath(new URL('../fixtures/results-default.json', import.meta.url));
const NO_DEVICE = existsSync('/dev/full') ? false : 'needs /dev/full';
const NO_SHELL = process.platform === 'win32' ? 'needs ulimit' : false;
const NO_SPACE = 'ipc-bench: stdout cannot be written, no space is left: free some, or name another place.\n';
const LIMIT_BYTES = 4_096;

const workspace = makeWorkspace();
after(() => workspace.remove());

/** @param {string} redirection   of a shell, in front @param {string[]} args */
const run = (redirection, args) => startCli(args, workspace, {}, redirection).ended;

/** @param {string[]} args @returns {Promise<{ code: number, stderr: string }>} of a command whose stdout has no space left */
async function runInHere(args) {
  const { output, stderr } = capturedOutput();
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full) }).on('error', () => {});
  try {
    const code = await main(args, { stdout, stderr, environment: {}, exitNow() {} });
    return { code, stderr: output.stderr };
  } catch (error) {
    return { code: exitCodeFor(error), stderr: `${output.stderr}${errorText(error)}\n` };
  }
}

describe('stdout on a full disk', { skip: NO_DEVICE }, () => {
  const commands = [
    ...[['--version'], ['--help'], ['list'], ['list', '--json', '-']],
    ['--dry-run', '--transport', 'unix'],
    ...[[], ['--csv', '-'], ['--svg', '-']].map((document) => ['report', SAVED, ...document]),
    ...[[], ['--markdown', '-']].map((document) => ['compare', SAVED, SAVED, '--force', ...document]),
    ['recommend', '--from', SAVED],
  ];
  for (const args of commands) {
    const shown = args.map((arg) => (arg === SAVED ? 'results.json' : arg)).join(' ');
    it(`fails ${shown} with one line on stderr`, async () => {
      assert.deepEqual(await runInHere(args), { code: 2, stderr: NO_SPACE });
    });
  }

  it('fails the process with the exit code of what cannot be written, and writes documents to their files', async () => {
    const files = ['--csv', 'rows.csv', '--json', 'all.json'];
    const { code, stderr } = await run('exec >/dev/full', ['report', SAVED, ...files]);
    assert.deepEqual([code, stderr], [2, NO_SPACE]);
    for (const name of ['rows.csv', 'all.json'])
      assert.ok(statSync(join(workspace.folder, name)).size > 0, name);
  });
});

describe('stdout', { skip: NO_SHELL }, () => {
  it('fails if a file takes only a part of it', async () => {
    const limited = `ulimit -f ${LIMIT_BYTES / 512}; exec >part.json`;
    const { code, stderr } = await run(limited, ['report', SAVED, '--json', '-']);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^ipc-bench: stdout cannot be written, it would be larger than the system allows: .*\n$/,
    );
  });

  it('writes all of it to a slow reader', async () => {
    const slowly = 'exec 3>&1; mkfifo pipe; (sleep 0.2; cat pipe >&3) & exec >pipe';
    const { code, stdout } = await run(slowly, ['report', SAVED, '--json', '-']);
    assert.equal(code, 0);
    const { sha256: _ofThisDocument, findings: _made, ...content } = JSON.parse(stdout);
    assert.deepEqual(content, JSON.parse(readFileSync(SAVED, 'utf8')));
  });

  it('is reported as closed, and not if it is discarded', {
    skip: process.platform === 'linux' ? false : 'needs /proc',
  }, async () => {
    const [closed, discarded] = await Promise.all(
      ['exec >&-', 'exec >/dev/null'].map((redirection) => run(redirection, ['report', SAVED])),
    );
    assert.deepEqual([closed.code, discarded.code, discarded.stderr], [0, 0, '']);
    assert.match(closed.stderr, /^ipc-bench: stdout is closed or ignored/);
  });

  it('ends without an error if its reader leaves', async () => {
    const left = 'mkfifo left; head -c 1 left >first & exec >left';
    const { code, stderr } = await run(left, ['report', SAVED, '--json', '-']);
    assert.deepEqual([code, stderr], [0, '']);
  });
});
