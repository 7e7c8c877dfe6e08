// Runs always.
// What stands on stderr when the program ends by an error.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rabbitmqBroker } from '../../transports/rabbitmq/rabbitmq.js';

const SCRIPT = `
  import { openSync } from 'node:fs';
  import { errorText } from './lib/cli/process-io.js';
  try {
    for (;;) openSync('/dev/null');
  } catch ({ code }) {
    process.stdout.write(errorText(new Error(code)));
  }
`;

describe('the report of a bug', () => {
  it('names the versions, also where no file can be opened any more', {
    skip: process.platform === 'win32' ? 'has no limit of open files to lower' : false,
  }, () => {
    const args = ['-c', 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"', process.execPath, SCRIPT];
    const { stdout, stderr } = spawnSync('sh', args, {
      cwd: new URL('../..', import.meta.url),
      encoding: 'utf8',
    });
    assert.match(stdout, /^ipc-bench: unexpected error, please report it/, stderr);
    assert.match(stdout, /^ipc-bench \d+\.\d+\.\d+\S*, Node v/m);
    assert.match(stdout, /EMFILE/);
  });
});

// Node 20 reads modules at the same time, and reaches the limit there. Later releases read one after the other, and reach it
// when a process is started.
it('ends with exit code 2 and one sentence if the limit of open files is too low', {
  skip: process.platform === 'win32' ? 'has no limit of open files to lower' : false,
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ibt-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const command = `ulimit -n 24; exec "$0" "$1" --quick --quiet --transport unix --out "$2"`;
  const program = fileURLToPath(new URL('../../bin/ipc-bench.js', import.meta.url));
  const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, program, folder], {
    encoding: 'utf8',
  });
  assert.equal(
    stderr,
    'ipc-bench: no more files can be opened (EMFILE): raise the limit of open files, as with ulimit -n 1024\n',
  );
  assert.equal(status, 2);
});

it('does not start a private RabbitMQ if its limit of open files leaves no connection', {
  skip:
    (process.env.CI ? undefined : await rabbitmqBroker.whyUnavailable({})) ?? process.platform !== 'linux',
}, () => {
  const command = 'ulimit -n 127; exec "$0" bin/ipc-bench.js --dry-run --transport rabbitmq';
  const { status, stdout } = spawnSync('sh', ['-c', command, process.execPath], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
  });
  assert.match(
    stdout,
    /rabbitmq-server needs 128 open files, and the limit is 127: raise it, as with ulimit -n 1024/,
  );
  assert.equal(status, 7);
});
