// Where sockets of a launch go, and that nothing of others is touched there.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { connectOptions, hostAndPort, isLoopback, withoutBrackets } from '../../lib/channels/addresses.js';
import { socketPath } from '../../lib/channels/sockets.js';
import unix from '../../transports/unix.js';

const ON_POSIX = { skip: process.platform === 'win32' ? 'pipes have no path in the file system' : false };

/** @param {string} scratchDir */
const hostIn = (scratchDir) =>
  /** @type {import('../../lib/types/transports.js').HostContext} */ ({
    settings: { flush: 'direct' },
    codec: 'json',
    wireKind: 'text',
    maxMessageBytes: 1_000,
    token: 'a'.repeat(32),
    launchId: 'l1',
    brokerUrl: null,
    scratchDir,
    workers: 1,
    onChannel() {},
    onRejected() {},
    onError() {},
  });

describe('the path of a socket', ON_POSIX, () => {
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ibs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('rejects the path of a socket that the system would truncate, with a remedy', () => {
    const deep = join(folder, 'x'.repeat(100));
    assert.throws(() => socketPath(hostIn(deep), 'master.sock'), {
      code: 'PATH_TOO_LONG',
      message: /has \d+ bytes and the system allows 10[37]: set TMPDIR to a shorter folder/,
    });
    assert.equal(socketPath(hostIn(folder), 'master.sock'), join(folder, 'master.sock'));
  });

  for (const [name, occupy] of /** @type {[string, (path: string) => unknown][]} */ ([
    ['a file', (path) => writeFileSync(path, 'precious')],
    ['a folder', (path) => mkdirSync(path)],
  ])) {
    it(`rejects the path of a socket if ${name} of another program is there, which stays`, async () => {
      const path = join(folder, 'master.sock');
      occupy(path);
      await assert.rejects(unix.listen(hostIn(folder)), { code: 'EADDRINUSE' });
      assert.ok(existsSync(path));
    });
  }

  it('rejects the path of a socket at which another process listens, whose socket stays', async () => {
    const path = join(folder, 'master.sock');
    const foreign = createServer();
    await new Promise((resolve) => foreign.listen(path, () => resolve(undefined)));
    await assert.rejects(unix.listen(hostIn(folder)), { code: 'EADDRINUSE' });
    assert.ok(statSync(path).isSocket());
    await new Promise((resolve) => foreign.close(resolve));
  });
});

describe('an address with a port', () => {
  it('writes an address with a port as in a URL, and parses it again', () => {
    for (const host of ['10.0.0.1', '::1', 'fd00::2:3']) {
      const text = hostAndPort(host, 80);
      assert.deepEqual(connectOptions(text), { host, port: 80 });
      assert.equal(withoutBrackets(new URL(`http://${text}`).hostname), host);
    }
    assert.equal(hostAndPort('localhost', 80), 'localhost:80');
  });

  it('distinguishes an address from the path of a Unix socket', () => {
    for (const path of ['/tmp/a.sock', '/tmp/[::1]:80', '[::1]', '::1:80'])
      assert.deepEqual(connectOptions(path), { path });
  });

  it('recognises the addresses of the loopback interface', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1']) assert.ok(isLoopback(address));
    for (const address of ['10.0.0.1', '128.0.0.1', 'fd00::1', '::10']) assert.ok(!isLoopback(address));
  });
});
