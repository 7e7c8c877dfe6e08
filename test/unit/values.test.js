// Messages that carry lists and objects: what their schema is, that every difference between what was sent and what came is
// found, and that who cannot carry them is not asked.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import json from '../../lib/codecs/builtin/json.js';
import v8 from '../../lib/codecs/builtin/v8.js';
import { sameness } from '../../lib/codecs/same-value.js';
import { findShapeProblem, inferSchema, plainTypeProblem, typeProblem } from '../../lib/codecs/shapes.js';
import { LIST_SCHEMA, RECORD_BYTES, recordLists } from '../../lib/workload/messages/record-lists.js';
import { valueMessages } from '../../lib/workload/messages/value-messages.js';

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

describe('inferSchema', () => {
  it('merges the fields of all values, and marks optional ones', () => {
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

  it('infers a number for integers of more than 32 bits and for -0', () => {
    assert.deepEqual(
      [1, 2 ** 31, -0, 0.5].map((value) => shapeOf(value).kind),
      [...['integer', 'number', 'number', 'number']],
    );
  });

  it('names the place of a value that a format does not support', () => {
    const mixed = shapeOf({ orders: [{ sum: 1 }, { sum: 'x' }] });
    assert.equal(findShapeProblem(mixed, typeProblem), '"orders[].sum" is integer and text');
    assert.equal(
      findShapeProblem(shapeOf({ a: { 'b c': 1 } }), typeProblem),
      '"a.b c" is not a name of letters, digits and _',
    );
    assert.equal(findShapeProblem(shapeOf({ a: [[1]] }), typeProblem), null);
    assert.equal(findShapeProblem(shapeOf({ a: [[1]] }), plainTypeProblem), '"a" is a list of list values');
    assert.equal(findShapeProblem(shapeOf({ a: null }), plainTypeProblem), '"a" is never anything but null');
    assert.equal(
      findShapeProblem(shapeOf({ a: [1] }, {}), plainTypeProblem),
      '"a" is a list that is missing at times',
    );
  });
});

describe('sameness', () => {
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

  it('treats null and a missing field as equal', () => {
    const { parent: _, ...without } = value;
    assert.ok(isSame(without, value));
    assert.ok(isSame(value, without));
  });

  it('compares values of several kinds', () => {
    const several = { ...value, any: ['x', { y: 1 }] };
    assert.ok(isSame(structuredClone(several), several));
    assert.ok(!isSame({ ...value, any: ['x', { y: 2 }] }, several));
    assert.ok(!isSame({ ...value, any: ['x'] }, several));
  });
});

describe('sameness of objects that lack most fields', () => {
  /** @type {Record<string, any>[][]} */
  const nulls = [[], [{ f0: null }]];
  const names = [...Array(40).keys()].map((index) => `f${index}`);
  for (const none of nulls) {
    const values = [
      ...names.map((name, index) => ({ [name]: index, [names[(index * 7) % 40]]: ['x'] })),
      ...none,
    ];
    const isSame = sameness(shapeOf(...values));

    it(`finds each field that differs, is missing or is too much${none.length > 0 ? ', beside null' : ''}`, () => {
      for (const value of values) {
        assert.ok(isSame(structuredClone(value), value));
        assert.ok(isSame({ ...value, f39: value.f39 ?? null, unknown: 1 }, value));
        for (const [name, inner] of Object.entries(value)) {
          if (inner === null) continue;
          const { [name]: _, ...less } = value;
          for (const other of [
            less,
            { ...less, f41: 1 },
            { ...value, [name]: [1] },
            { ...value, [name]: 'x' },
          ])
            assert.ok(!isSame(other, value), JSON.stringify(other));
        }
        const more = names.find((name) => value[name] === undefined) ?? '';
        assert.ok(!isSame({ ...value, [more]: 1 }, value));
      }
    });
  }
});

describe('valueMessages', () => {
  const values = [[{ a: 1 }], [{ a: 2 }]];
  const schema = inferSchema(values);
  for (const codec of [json, v8, CHANNEL]) {
    it(`names each value by its index, as ${codec.produces}`, () => {
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

  it('returns the payload of no value if the value differs from the one at its index', () => {
    const { decode } = valueMessages(values, schema, json);
    assert.deepEqual(decode('5 1 [{"a":2}]'), { id: 5, payload: '1' });
    for (const body of ['[{"a":1}]', '[]', '[{"a":2}', '', 'null'])
      assert.deepEqual(decode(`5 1 ${body}`), { id: 5, payload: '' }, body);
  });

  it('rejects an unknown index or a missing id', () => {
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

  it('returns the encoded size of its values, unless the channel encodes', () => {
    assert.equal(valueMessages(values, schema, json).encodedBytes(), 2 * '[{"a":1}]'.length);
    assert.equal(valueMessages(values, schema, CHANNEL).encodedBytes(), null);
  });
});

describe('recordLists', () => {
  it('makes records of ten fields and a fixed size from a seed', () => {
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

  it('matches the published schema', () => {
    const { shape, layouts } = inferSchema(recordLists(1, 200));
    assert.deepEqual(shape, LIST_SCHEMA.shape);
    assert.deepEqual(layouts, LIST_SCHEMA.layouts);
  });
});
