// Runs at night.
// Fifty unauthenticated peers at the door of a launch that is being measured: each is turned away and counted, none is answered, and
// the launch counts what it would have counted. What each kind does to each transport: conformance/intruder-tests.js.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually, launchCell } from '../fixtures/launch-cell.js';

const INTRUDERS = 50;
const SLOW_MS = 100;

/** @type {((socket: import('node:net').Socket) => void)[]} */
const BEHAVIOURS = [
  () => {}, // silent
  (socket) => {
    const drip = setInterval(() => socket.write('\0'), SLOW_MS);
    socket.once('close', () => clearInterval(drip));
  },
  (socket) => socket.write('GARBAGE\n'.repeat(5_000)),
  (socket) => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  (socket) => socket.write(Buffer.from('16030102000100', 'hex')),
  (socket) => socket.destroy(),
];

describe('a launch', { skip: process.platform === 'win32' ? 'needs unix sockets' : false }, () => {
  it(`is measured with ${INTRUDERS} unauthenticated peers, and counts them`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-s-'));
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    const ending = launchCell({ timing: { measureMs: 3_000 } });
    const [scratch] = await eventually(() => nonEmpty(readdirSync(folder)), 5_000);
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    const path = join(folder, scratch, 'master.sock');
    await eventually(() => existsSync(path), 5_000);
    let answers = 0;
    /** @type {import('node:net').Socket[]} */
    const sockets = [];
    const connectPeer = (/** @type {number} */ index) => {
      const socket = connect(path);
      sockets.push(socket);
      socket.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => {
        // The path is there a moment before anybody listens.
        if (code === 'ECONNREFUSED') setTimeout(() => connectPeer(index), 10);
      });
      socket.on('data', () => {
        answers += 1;
      });
      socket.once('connect', () => BEHAVIOURS[index % BEHAVIOURS.length](socket));
    };
    for (let index = 0; index < INTRUDERS; index += 1) connectPeer(index);
    const { end, left } = await ending;
    rmSync(folder, { recursive: true });
    for (const socket of sockets) socket.destroy();
    assert.equal(end.kind, 'done', JSON.stringify(end));
    if (end.kind === 'done') assert.equal(end.fields.rejectedConnections, INTRUDERS);
    assert.equal(answers, 0);
    assert.deepEqual(left, []);
  });
});

/** @param {string[]} names */
const nonEmpty = (names) => names.length > 0 && names;
