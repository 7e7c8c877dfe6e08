// What is said over UDP: a message once, a note until something comes back.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DatagramSendQueue, GREATEST_DATAGRAM_BYTES } from '../../lib/transport/datagrams.js';

function makeOutlet() {
  /** @type {string[]} */
  const said = [];
  /** @type {any[]} */
  const sent = [];
  /** @type {any[]} */
  const refused = [];
  const socket = /** @type {any} */ ({
    send: (/** @type {any} */ wire) => sent.push(wire),
    close: (/** @type {() => void} */ then) => then(),
  });
  const outlet = new DatagramSendQueue(
    (note) => said.push(note),
    socket,
    (reason) => refused.push(reason),
  );
  return { outlet, said, sent, refused };
}

it('a note is said at once, and ten times a second until something comes from the peer', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { outlet, said } = makeOutlet();
  outlet.sendNote('join');
  assert.deepEqual(said, ['join']);
  t.mock.timers.tick(1_000);
  assert.equal(said.length, 11);
  outlet.sendNote('bye');
  t.mock.timers.tick(100);
  assert.deepEqual(said.slice(11), ['bye', 'bye'], 'the last note only');
  outlet.quiet();
  t.mock.timers.tick(1_000);
  outlet.sendNote('bye');
  await outlet.release();
  t.mock.timers.tick(1_000);
  assert.equal(said.length, 14);
});

it('a message is sent once where a datagram holds it, and refused where none does', () => {
  const { outlet, sent, refused } = makeOutlet();
  const fits = ['x'.repeat(GREATEST_DATAGRAM_BYTES), Buffer.alloc(GREATEST_DATAGRAM_BYTES), 'é'.repeat(10)];
  for (const wire of fits) outlet.send(wire);
  assert.equal(sent.length, 3);
  assert.deepEqual(refused, []);
  const misfits = [Buffer.alloc(GREATEST_DATAGRAM_BYTES + 1), `é${'x'.repeat(GREATEST_DATAGRAM_BYTES - 1)}`];
  for (const wire of misfits) outlet.send(wire);
  assert.equal(sent.length, 3);
  for (const { code, message } of refused) {
    assert.equal(code, 'PROTOCOL');
    assert.match(message, /^a message of 65,508 bytes exceeds the greatest datagram \(65,507 bytes\): /);
  }
  assert.equal(refused.length, 2);
});
