// What stands on stderr when the program ends by an error.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';

const SCRIPT = `
  import { openSync } from 'node:fs';
  import { errorText } from './lib/cli/error-text.js';
  try {
    for (;;) openSync('/dev/null');
  } catch (error) {
    process.stdout.write(errorText(error));
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
