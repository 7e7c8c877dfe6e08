// The messages that loops send: payloads of every size and content, and lists of records.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makePayloads } from '../../lib/workload/messages/payloads.js';
import { recordLists } from '../../lib/workload/messages/record-lists.js';

const KINDS = /** @type {const} */ (['ascii', 'utf8', 'binary', 'json']);

/** @param {typeof KINDS[number]} kind @param {number} payloadBytes @param {number} [loops] @param {number} [seed] */
function payloadsOf(kind, payloadBytes, loops = 4, seed = 1) {
  const content = kind === 'ascii' ? undefined : kind;
  return makePayloads(seed, { payloadBytes, ...(content && { content }) }, loops);
}

/** @param {string[]} texts @param {RegExp} pattern @returns {number} how much of them it matches */
function shareOf(texts, pattern) {
  const all = texts.flatMap((text) => [...text]);
  return all.filter((character) => pattern.test(character)).length / all.length;
}

/** @param {string[]} texts @returns {number} how many times as long JSON makes them */
function growthInJson(texts) {
  const bytes = (/** @type {string} */ text) => Buffer.byteLength(text);
  const [before, after] = [texts.map(bytes), texts.map((text) => bytes(JSON.stringify(text)) - 2)];
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value);
  return sum(after) / sum(before);
}

describe('makePayloads', () => {
  for (const kind of KINDS) {
    it(`makes well-formed payloads of ${kind}, each different and of the exact length in UTF-8`, () => {
      const small = Array.from({ length: 300 }, (_, index) => index + 1);
      for (const payloadBytes of [...small, 1_000, 4_095, 4_096, 4_097, 4_098, 4_101, 65_537]) {
        const payloads = payloadsOf(kind, payloadBytes);
        for (const payload of payloads) {
          assert.equal(Buffer.byteLength(payload), payloadBytes);
          // A lone surrogate would not come back.
          assert.equal(Buffer.from(payload).toString(), payload);
        }
        assert.equal(new Set(payloads).size, 9, `${payloadBytes} B`);
      }
    });

    it(`makes two payloads of 16 MiB of ${kind}`, () => {
      const payloads = payloadsOf(kind, 2 ** 24, 100);
      assert.deepEqual(
        payloads.map((payload) => Buffer.byteLength(payload)),
        [2 ** 24, 2 ** 24],
      );
      assert.ok(payloads[0] !== payloads[1]);
    });

    it(`makes the payloads of ${kind} from the seed`, () => {
      assert.deepEqual(payloadsOf(kind, 500), payloadsOf(kind, 500));
      assert.notDeepEqual(payloadsOf(kind, 500), payloadsOf(kind, 500, 4, 2));
    });
  }

  it('makes bytes of every value, the same from the same seed, each in memory of its own', () => {
    const make = (/** @type {number} */ payloadBytes, seed = 1) =>
      makePayloads(seed, { payloadBytes, content: 'bytes' }, 4);
    for (const payloadBytes of [1, 2, 1_000, 4_097, 65_537]) {
      const payloads = make(payloadBytes);
      assert.deepEqual(payloads, make(payloadBytes));
      assert.equal(new Set(payloads.map((bytes) => bytes.toString('hex'))).size, 9);
      for (const { length, buffer } of payloads)
        assert.deepEqual([length, buffer.byteLength], [payloadBytes, payloadBytes]);
    }
    assert.equal(new Set(make(20_000)[0]).size, 256);
    assert.notDeepEqual(make(1_000), make(1_000, 2));
  });

  it('makes ASCII that JSON does not escape', () => {
    const payloads = payloadsOf('ascii', 1_000);
    assert.equal(shareOf(payloads, /[\w-]/), 1);
    assert.equal(growthInJson(payloads), 1);
  });

  it('makes UTF-8 with equally many characters of one, two, three and four bytes, none of which JSON escapes', () => {
    for (const payloadBytes of [5_000, 50_000]) {
      const payloads = payloadsOf('utf8', payloadBytes);
      for (const pattern of [/[\w-]/, /[\u0080-\u07ff]/, /[\u0800-\uffff]/, /[\u{10000}-\u{10ffff}]/u]) {
        const share = shareOf(payloads, new RegExp(`^${pattern.source}$`, 'u'));
        assert.ok(share > 0.23 && share < 0.27, `${pattern}: ${share}`);
      }
      assert.equal(growthInJson(payloads), 1);
    }
    for (const payload of payloadsOf('utf8', 2)) assert.match(payload, /^[\u0400-\u04ff]$/);
  });

  it('makes binary payloads of every byte up to 127, which JSON doubles', () => {
    const payloads = payloadsOf('binary', 20_000);
    assert.equal(new Set(payloads.join('')).size, 128);
    assert.equal(shareOf(payloads, /[^\0-\x7f]/), 0);
    assert.ok(Math.abs(growthInJson(payloads) - 2.14) < 0.1, `${growthInJson(payloads)}`);
  });

  it('makes documents of JSON at every size, whose quotes JSON escapes', () => {
    for (const payloadBytes of [...Array(200).keys(), 20_000].map((bytes) => bytes + 1)) {
      for (const payload of payloadsOf('json', payloadBytes)) JSON.parse(payload);
    }
    const payloads = payloadsOf('json', 20_000);
    const records = JSON.parse(payloads[0]).slice(0, -1);
    assert.ok(records.length > 400);
    for (const record of records) assert.deepEqual(Object.keys(record), ['id', 'name', 'tag']);
    assert.ok(growthInJson(payloads) > 1.15 && growthInJson(payloads) < 1.25, `${growthInJson(payloads)}`);
  });
});

describe('messages', () => {
  it('makes two payloads for each loop and one more, of at most 32 MiB together', () => {
    const count = (/** @type {number} */ payloadBytes, /** @type {number} */ loops) =>
      makePayloads(1, { payloadBytes }, loops).length;
    assert.deepEqual([count(10, 1), count(10, 4)], [3, 9]);
    assert.deepEqual([count(2 ** 22, 4), count(2 ** 22 + 1, 4)], [8, 7]);
    assert.equal(count(2 ** 24, 1), 2);
    for (const payload of makePayloads(1, { payloadBytes: 100 }, 2)) assert.equal(payload.length, 100);
  });

  it('makes eight lists of records of a year, each with an id of its own', () => {
    const lists = recordLists(1, 20);
    const records = lists.flat();
    assert.deepEqual([lists.length, records.length], [8, 160]);
    assert.deepEqual(
      records.map(({ id }) => id),
      records.map((_, index) => 100_000 + index),
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
