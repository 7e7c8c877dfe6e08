// The messages that loops send: payloads, and lists of records.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePayloads } from '../../lib/workload/messages/payloads.js';
import { recordLists } from '../../lib/workload/messages/record-lists.js';

describe('messages', () => {
  it('makes two payloads for each loop and one more, of at most 32 MiB together', () => {
    const count = (/** @type {number} */ payloadBytes, /** @type {number} */ loops) =>
      makePayloads(1, { payloadBytes }, loops).length;
    assert.deepEqual([count(10, 1), count(10, 4)], [3, 9]);
    assert.deepEqual([count(2 ** 22, 4), count(2 ** 22 + 1, 4)], [8, 7]);
    assert.equal(count(2 ** 24, 1), 2);
    for (const payload of makePayloads(1, { payloadBytes: 100 }, 2)) assert.equal(payload.length, 100);
  });

  it('makes JSON documents of any size, also of one to four bytes', () => {
    for (const payloadBytes of [1, 2, 4, 5, 6, 300]) {
      for (const payload of makePayloads(1, { payloadBytes, content: 'json' }, 10)) {
        assert.equal(payload.length, payloadBytes);
        JSON.parse(payload);
      }
    }
  });

  it('makes eight lists of records of a year, each with an id of its own', () => {
    const lists = recordLists(1, 20);
    const records = lists.flat();
    assert.deepEqual([lists.length, records.length], [8, 160]);
    assert.deepEqual(
      records.map(({ id }) => id),
      records.map((_, place) => 100_000 + place),
    );
    for (const { createdAt, updatedMs, price, parentId, code } of records) {
      const createdMs = Date.parse(createdAt);
      assert.ok(createdMs >= Date.UTC(2024, 0, 1) && createdMs < Date.UTC(2025, 0, 1));
      assert.ok(updatedMs >= createdMs && updatedMs < createdMs + 366 * 86_400_000);
      assert.ok(price >= 0.01 && price <= 10_000);
      assert.match(code, /^[A-Z2-9]{8}$/);
      assert.ok(parentId === null || parentId < 100_000);
    }
    const withoutParent = records.filter(({ parentId }) => parentId === null).length;
    assert.ok(withoutParent > 15 && withoutParent < 70, `${withoutParent} of 160, where a quarter is meant`);
  });
});
