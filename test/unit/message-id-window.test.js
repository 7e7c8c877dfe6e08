// Ids of MQTT messages, of which only so many are in use at once.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MessageIdWindow } from '../../transports/mqtt/mqtt-client.js';

describe('MessageIdWindow', () => {
  it('gives as many ids as its size, and one more for each acknowledgement', () => {
    const ids = new MessageIdWindow(2);
    assert.equal(ids.getLastAllocated(), null);
    assert.deepEqual([ids.allocate(), ids.allocate(), ids.allocate()], [1, 2, null]);
    assert.equal(ids.getLastAllocated(), 2);
    ids.deallocate(1);
    ids.deallocate(1);
    assert.deepEqual([ids.allocate(), ids.allocate()], [3, null], 'not at once the one that was freed');
  });

  it('starts again after 65,535, skipping 0 and ids in use', () => {
    const ids = new MessageIdWindow(3);
    assert.deepEqual([ids.register(1), ids.register(1)], [true, false]);
    for (let id = 2; id <= 65_535; id += 1) {
      assert.equal(ids.allocate(), id);
      ids.deallocate(id);
    }
    assert.deepEqual([ids.allocate(), ids.allocate(), ids.allocate()], [2, 3, null]);
  });

  it('is empty again after clear()', () => {
    const ids = new MessageIdWindow(1);
    ids.allocate();
    ids.clear();
    assert.equal(ids.register(1), true);
    assert.equal(ids.allocate(), null);
  });
});
