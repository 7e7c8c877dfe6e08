// The line between a controller and a worker on another host, over a channel that is none.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TcpControlChannel } from '../../lib/launch/control/tcp-control-channel.js';

/** @returns {{ near: TcpControlChannel, far: TcpControlChannel, cut: () => void }} the two ends of a line */
function openLine() {
  const [near, far] = [new TcpControlChannel(), new TcpControlChannel()];
  const ends = [near, far].map(
    () => /** @type {any} */ ({ onMessage() {}, onClose() {}, close: async () => {} }),
  );
  ends.forEach((end, index) => {
    end.send = (/** @type {string} */ text) => setImmediate(() => ends[1 - index].onMessage(text));
  });
  near.attach(ends[0]);
  far.attach(ends[1]);
  return { near, far, cut: () => ends[0].onClose() };
}

describe('a line between hosts', () => {
  it('carries what a worker and its controller say, and keeps what agents say apart', async () => {
    const { near, far } = openLine();
    /** @type {any[]} */
    const heard = [];
    far.on('message', (message) => heard.push(message));
    far.on('agent', ({ agent }) => heard.push(agent));
    near.send({ control: 'hello' });
    near.tell({ agent: 'started', pid: 5 });
    assert.ok((await near.roundTripMs()) >= 0);
    assert.deepEqual(heard, [{ control: 'hello' }, 'started']);
    near.disconnect();
    far.disconnect();
  });

  it('ends with whoever speaks another language', async () => {
    const { near, far } = openLine();
    near.line?.send('{');
    await new Promise((resolve) => far.once('disconnect', resolve));
    assert.equal(far.connected, false);
    near.disconnect();
  });

  it('leaves nobody waiting when it is cut, or was cut before', async () => {
    const { near, far, cut } = openLine();
    const waiting = near.roundTripMs();
    cut();
    await waiting;
    await near.roundTripMs();
    assert.equal(near.connected, false);
    far.disconnect();
  });
});
