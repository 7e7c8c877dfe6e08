// Messages that carry lists and objects: what their schema is, that every difference between what was sent and what came is
// found, and that who cannot carry them is not asked.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import json from '../../lib/codecs/builtin/json.js';
import v8 from '../../lib/codecs/builtin/v8.js';
import { sameness } from '../../lib/codecs/same-value.js';
import { findShapeProblem, inferSchema, plainTypeProblem, typeProblem } from '../../lib/codecs/shapes.js';
import { LIST_SCHEMA, RECORD_BYTES, recordLists } from '../../lib/scenario/messages/record-lists.js';
import { valueMessages } from '../../lib/scenario/messages/value-messages.js';

const CHANNEL = /** @type {const} */ ({
  produces: 'value',
  values: {
    carry: () => ({
      encode: (/** @type {any} */ value) => value,
      decode: (/** @type {any} */ value) => value,
    }),
  },
});

/** @param {any[]} values */
const shapeOf = (...values) => inferSchema(values).shape;

describe('the schema of values', () => {
  it('holds what all of them have, and tells what is missing at times', () => {
    const { shape, layouts } = inferSchema([{ a: 1, b: 'x' }, { a: 1.5 }, { a: null, b: 'y', c: [true] }]);
    assert.deepEqual(shape, {
      kind: 'object',
      fields: [
        { name: 'a', shape: { kind: 'number', mayBeNull: true } },
        { name: 'b', shape: { kind: 'text' }, mayBeAbsent: true },
        { name: 'c', shape: { kind: 'list', items: { kind: 'boolean' } }, mayBeAbsent: true },
      ],
    });
    assert.deepEqual(layouts, [['a', 'b'], ['a'], ['a', 'b', 'c']]);
  });

  it('takes an integer of more than 32 bits for a number, and so zero below zero', () => {
    assert.deepEqual(
      [1, 2 ** 31, -0, 0.5].map((value) => shapeOf(value).kind),
      [...['integer', 'number', 'number', 'number']],
    );
  });

  it('names the place of what a format cannot say', () => {
    const mixed = shapeOf({ orders: [{ sum: 1 }, { sum: 'x' }] });
    assert.equal(findShapeProblem(mixed, typeProblem), '"orders[].sum" is integer and text');
    assert.equal(
      findShapeProblem(shapeOf({ a: { 'b c': 1 } }), typeProblem),
      '"a.b c" is no name of letters, digits and _',
    );
    assert.equal(findShapeProblem(shapeOf({ a: [[1]] }), typeProblem), undefined);
    assert.equal(findShapeProblem(shapeOf({ a: [[1]] }), plainTypeProblem), '"a" is a list of list values');
    assert.equal(findShapeProblem(shapeOf({ a: null }), plainTypeProblem), '"a" is never anything but null');
    assert.equal(
      findShapeProblem(shapeOf({ a: [1] }, {}), plainTypeProblem),
      '"a" is a list that is missing at times',
    );
  });
});

describe('comparing values', () => {
  const value = { id: 1, name: 'x', parent: null, at: { x: 1 }, tags: ['a', 'b'], rows: [{ n: 1 }], any: 1 };
  const isSame = sameness(shapeOf(value, { ...value, any: ['x', { y: 1 }], tags: [], parent: 5 }));

  it('finds every field that differs', () => {
    assert.ok(isSame(structuredClone(value), value));
    const others = [
      ...[{ id: 2 }, { name: 'y' }, { parent: 0 }, { at: { x: 2 } }, { at: null }, { tags: ['a'] }],
      ...[
        { tags: ['a', 'c'] },
        { tags: null },
        { rows: [{ n: 2 }] },
        { rows: [] },
        { any: '1' },
        { id: undefined },
      ],
    ];
    for (const other of others) assert.ok(!isSame({ ...value, ...other }, value), JSON.stringify(other));
    for (const other of [null, undefined, 1, 'x', []]) assert.ok(!isSame(other, value));
  });

  it('takes null and absent for the same', () => {
    const { parent: _, ...without } = value;
    assert.ok(isSame(without, value));
    assert.ok(isSame(value, without));
  });

  it('compares what is of several kinds as well', () => {
    const several = { ...value, any: ['x', { y: 1 }] };
    assert.ok(isSame(structuredClone(several), several));
    assert.ok(!isSame({ ...value, any: ['x', { y: 2 }] }, several));
    assert.ok(!isSame({ ...value, any: ['x'] }, several));
  });
});

describe('messages that carry values', () => {
  const values = [[{ a: 1 }], [{ a: 2 }]];
  const schema = inferSchema(values);
  for (const codec of [json, v8, CHANNEL]) {
    it(`call each by its place, as ${codec.produces}`, () => {
      const messages = valueMessages(values, schema, codec);
      assert.deepEqual(messages.names, ['0', '1']);
      for (const payload of messages.names) {
        const wire = messages.encode({ id: 1_234_567_890, payload });
        assert.deepEqual(messages.decode(wire), { id: 1_234_567_890, payload });
        const untouched = valueMessages(values, schema, codec, { isUntouched: true });
        assert.deepEqual(untouched.encode({ id: 1_234_567_890, payload }), wire);
      }
    });
  }

  it('have the payload of none where the value is another than its place says', () => {
    const { decode } = valueMessages(values, schema, json);
    assert.deepEqual(decode('5 1 [{"a":2}]'), { id: 5, payload: '1' });
    for (const body of ['[{"a":1}]', '[]', '[{"a":2}', '', 'null'])
      assert.deepEqual(decode(`5 1 ${body}`), { id: 5, payload: '' }, body);
  });

  it('are refused where nobody knows the place, or there is no id', () => {
    const { decode } = valueMessages(values, schema, json);
    for (const wire of [
      '',
      '5',
      '5 ',
      '5 2 [{"a":2}]',
      '5 -1 []',
      '0 1 [{"a":2}]',
      'x 1 [{"a":2}]',
      '5 1.5 []',
    ])
      assert.throws(() => decode(wire), Error, wire);
  });

  it('tell how many bytes their values are, unless the channel encodes', () => {
    assert.equal(valueMessages(values, schema, json).encodedBytes(), 2 * '[{"a":1}]'.length);
    assert.equal(valueMessages(values, schema, CHANNEL).encodedBytes(), null);
  });
});

describe('lists of records', () => {
  it('follow from the seed, have ten fields, and are as long in JSON as they say', () => {
    const lists = recordLists(7, 30);
    assert.deepEqual(recordLists(7, 30), lists);
    assert.notDeepEqual(recordLists(8, 30), lists);
    for (const list of lists) {
      assert.equal(list.length, 30);
      assert.equal(Buffer.byteLength(JSON.stringify(list)), 30 * RECORD_BYTES + 1);
    }
    assert.equal(new Set(lists.map((list) => JSON.stringify(list))).size, lists.length);
    assert.equal(Object.keys(lists[0][0]).length, 10);
  });

  it('have the schema that they say', () => {
    const { shape, layouts } = inferSchema(recordLists(1, 200));
    assert.deepEqual(shape, LIST_SCHEMA.shape);
    assert.deepEqual(layouts, LIST_SCHEMA.layouts);
  });
});
