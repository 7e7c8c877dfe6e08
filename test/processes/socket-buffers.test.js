// Runs always.
// SO_SNDBUF and SO_RCVBUF as settings: the system is really asked, and what it does not give is said, never measured.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bufferSizer } from '../../lib/channels/socket-buffers.js';
import { packageProblem } from '../../lib/machine/packages.js';
import { launchCell } from '../fixtures/launch-cell.js';

const ON_LINUX = process.platform === 'linux' ? false : 'sizes and limits differ elsewhere';
const reason = (await packageProblem('koffi')) ?? ON_LINUX;
const SMALL_BYTES = 16_384;
const CHUNK = Buffer.alloc(1_024);

/**
 * @param {Record<string, number>} settings
 * @returns {Promise<number>} bytes that the kernel takes of a unix socket that nobody reads
 */
async function takenBytes(settings) {
  const folder = mkdtempSync(join(tmpdir(), 'ipcb-sndbuf-'));
  /** @type {import('node:net').Socket[]} */
  const accepted = [];
  const server = createServer((each) => accepted.push(each.pause().on('error', () => {})));
  await new Promise((resolve) => server.listen(join(folder, 's'), () => resolve(undefined)));
  const socket = connect(join(folder, 's'));
  await new Promise((resolve) => socket.once('connect', resolve));
  const size = await bufferSizer(settings);
  try {
    size(socket);
    let bytes = 0;
    while (socket.writableLength === 0) {
      socket.write(CHUNK);
      bytes += CHUNK.length;
    }
    return bytes;
  } finally {
    for (const each of [socket, ...accepted]) each.destroy();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  }
}

describe('a socket', { skip: reason }, () => {
  it('accepts as much as sndbuf permits, and the default of the system with 0', async () => {
    const [small, usual] = [await takenBytes({ sndbuf: SMALL_BYTES }), await takenBytes({ sndbuf: 0 })];
    // Each chunk takes more than its bytes, and the limit is twice the requested size.
    assert.ok(small > SMALL_BYTES / 4 && small < 4 * SMALL_BYTES, `${small} bytes`);
    assert.ok(usual > 2 * small, `${usual} bytes`);
  });

  it('is rejected if the system grants another size, with its limit', async () => {
    await assert.rejects(takenBytes({ sndbuf: 2 ** 30 - 1 }), {
      code: 'TRANSPORT',
      message: /^sndbuf=1073741823: the system gives \d+ bytes; give less, or raise net\.core\.wmem_max$/,
    });
    await assert.rejects(takenBytes({ rcvbuf: 1 }), { message: /^rcvbuf=1: .* bytes; give more$/ });
  });
});

describe('a launch', { skip: reason }, () => {
  /** @type {[string, Record<string, number>][]} */
  const wishes = [
    ['unix', { sndbuf: SMALL_BYTES }],
    ['tcp', { sndbuf: SMALL_BYTES, rcvbuf: SMALL_BYTES }],
  ];
  for (const [transport, settings] of wishes) {
    it(`over ${transport} with small buffers carries messages that are larger than its buffers`, async () => {
      const { end } = await launchCell({
        transport,
        cell: { payloadBytes: 200_000, settings },
      });
      assert.equal(end.kind, 'done', JSON.stringify(end));
    });
  }

  it('fails if the system does not grant the size', async () => {
    const { end } = await launchCell({ cell: { settings: { sndbuf: 1 } } });
    assert.match(end.kind === 'failed' ? end.message : '', /sndbuf=1: the system gives \d+ bytes; give more/);
  });
});
