// Messages of the user's own: what of a file can be used, what is refused with its line, and what cells and results make of it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cellLabel } from '../../lib/cell/labels.js';
import json from '../../lib/codecs/builtin/json.js';
import string from '../../lib/codecs/builtin/string.js';
import { inferSchema } from '../../lib/codecs/shapes.js';
import { planCells } from '../../lib/plan/plan.js';
import { loadCodecs, loadScenarios, loadTransports } from '../../lib/plugins/plugins.js';
import { messageLines, messageNotes } from '../../lib/report/text/message-words.js';
import { fieldDifferences } from '../../lib/workload/messages/field-differences.js';
import { readMessages } from '../../lib/workload/messages/message-file.js';
import { prepareMessages, schemaOfFile } from '../../lib/workload/messages/payloads.js';
import { csvText } from '../../reports/csv/csv-text.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

const MIB = 2 ** 20;
const folder = ownFolder('ibmf-');

/** @param {string} name @param {string | Buffer} content @returns {string} its path */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** @param {string | Buffer} content @param {'json' | 'text'} [format] */
function messagesIn(content, format = 'json') {
  const { messages } = readMessages({ path: file('messages', content), format });
  return messages;
}

/** @param {Record<string, unknown>} argv */
const optionsOf = (argv) => resolved(argv).options;

describe('a file of messages', () => {
  it('reads an object from each line, without blank lines', () => {
    assert.deepEqual(messagesIn('\uFEFF{"a":1}\r\n\n {"a":"é"} \n'), [
      { line: 1, text: '{"a":1}', value: { a: 1 } },
      { line: 3, text: '{"a":"é"}', value: { a: 'é' } },
    ]);
  });

  it('reads files that were joined, each with a mark', () => {
    assert.equal(messagesIn('\uFEFF{"a":1}\n\uFEFF{"a":2}\n').length, 2);
  });

  it('reads a list of objects over several lines', () => {
    assert.deepEqual(messagesIn('\n[\n{"a": "x,]\\"\\\\"},\n{\n"b": [1, {"c": 2}]}\n]\n'), [
      { line: 3, text: '{"a":"x,]\\"\\\\"}', value: { a: 'x,]"\\' } },
      { line: 4, text: '{"b":[1,{"c":2}]}', value: { b: [1, { c: 2 }] } },
    ]);
  });

  it('reads as many bytes as each process keeps, but not one more', () => {
    const lines = Buffer.alloc(32 * MIB, 'x');
    for (const end of [10, 16 * MIB + 11, lines.length - 1]) lines[end] = 10;
    assert.deepEqual(
      messagesIn(lines, 'text').map(({ line, text }) => [line, text.length]),
      [
        [1, 10],
        [2, 16 * MIB],
        [3, 16 * MIB - 13],
      ],
    );
    lines[lines.length - 1] = 120;
    assert.equal(messagesIn(lines, 'text').length, 3, 'its last line need not end');
    assert.throws(() => messagesIn(Buffer.concat([lines, Buffer.from('x')]), 'text'), {
      message: /line 3 of .* is after the first 32 MiB/,
    });
    lines[10] = 120;
    assert.throws(() => messagesIn(lines, 'text'), { message: /line 1 of .* has more than 16 MiB/ });
  });

  it('reads a list on one line that is longer than a message may be', () => {
    const elements = Array.from({ length: 20 }, () => ({ a: 'x'.repeat(MIB) }));
    assert.equal(messagesIn(JSON.stringify(elements)).length, 20);
    const long = JSON.stringify([{ a: 1 }, { a: 'x'.repeat(16 * MIB) }]);
    assert.throws(() => messagesIn(long), { code: 'BAD_ARGUMENT', message: /more than 16 MiB/ });
  });

  it('suggests a sample that fits, by the shape of a file that is too long', () => {
    const elements = Array.from({ length: 340 }, () => ({ a: 'x'.repeat(100_000) }));
    const shapes = /** @type {[string, RegExp, ('json' | 'text')?][]} */ ([
      [JSON.stringify(elements), /: jq -c '\.\[\]' \S+ \| shuf -n (\d+) > mended\.ndjson$/],
      [JSON.stringify(elements, null, 1), /: jq -c '\.\[\]' \S+ \| shuf -n (\d+) > mended\.ndjson$/],
      [
        elements.map((one) => JSON.stringify(one, null, 1)).join('\n'),
        /: jq -c \. \S+ \| shuf -n (\d+) > mended\.ndjson$/,
      ],
      [elements.map((one) => JSON.stringify(one)).join('\n'), /: shuf -n (\d+) \S+ > mended\.ndjson$/],
      [elements.map(({ a }) => a).join('\n'), /: shuf -n (\d+) \S+ > mended\.txt$/, 'text'],
    ]);
    for (const [content, command, format] of shapes)
      assert.throws(
        () => messagesIn(content, format),
        ({ code, message }) => {
          const count = Number(command.exec(message)?.[1]);
          assert.ok(count > 0 && count * 100_010 <= 32 * MIB, message);
          return code === 'BAD_ARGUMENT';
        },
      );
  });

  it('asks for the list within an object that is the whole file', () => {
    const content = JSON.stringify({ orders: [{ a: 'x'.repeat(17 * MIB) }] });
    assert.throws(() => messagesIn(content), /line 1 of .* jq -c '\.items\[\]' /);
    const orders = Array.from({ length: 34 }, () => 'x'.repeat(MIB));
    assert.throws(() => messagesIn(JSON.stringify({ orders }, null, 1)), / jq -c '\.items\[\]' .* shuf /);
  });

  it('reads lines of text as they are', () => {
    assert.deepEqual(
      messagesIn('{"a":1}\n\n x\n\uFEFFy', 'text').map(({ text }) => text),
      ['{"a":1}', ' x', '\uFEFFy'],
    );
  });

  const refused = /** @type {[string, string | Buffer, RegExp, ('json' | 'text')?][]} */ ([
    ['nothing', '', /holds no message/],
    ['blank lines alone', '\n \n', /holds no message/, 'text'],
    ['an empty list', '[ ]', /empty list/],
    ['what is not UTF-8', Buffer.from([0x61, 0x0a, 0xe9, 0x0a]), /line 2 of .* is not UTF-8/, 'text'],
    ['what is not JSON', '{"a":1}\n\n{"a":}\n', /line 3 of .* is not JSON \(/],
    ['an object over several lines', '{\n  "a": 1\n}\n', /line 1 of .* ends inside an object.* jq -c \. /],
    ['several objects on a line', '{"a":1}{"a":"}"}\n', /line 1 of .* has several objects.* jq -c \. /],
    ['an object that is cut off', '{"a":1}\n{"a":"x', /line 2 of .* and so does the file; (?!.* jq )/],
    ['what only looks like an object', '{bad\n', /line 1 of .* and so does the file; (?!.* jq )/],
    ['an object over several lines that is not JSON', '{\n a: 1\n}\n', /line 1 of .* double quotes/],
    ['two objects on a line, the first not JSON', '{"a":}{"b":1}\n', /line 1 of .* is not JSON (?!.* jq )/],
    ['a key twice in an object', '{"a":1}\n{"b":{"a":1,"a":2}}\n', /line 2 of .* key "a" twice .* jq -c \. /],
    ['a key twice, written in two ways', '{"":1,"\\u0061":1,"a":2}\n', /line 1 of .* key "a" twice/],
    ['a key twice in a list', '[{"a":1,"a":2}]\n', /line 1 of .* key "a" twice .* jq -c '\.\[\]' /],
    ['lists, one on each line', '[1,2]\n[3]\n', /line 2 of .* jq -c '\{list: \.\}' /],
    ['a list of numbers', '[1,2]\n', /line 1 of .* number in a list.* jq -c '\{list: \.\}' /],
    ['a comma behind each object', '{"a":1},\n{"a":2}\n', /line 1 of .* ends with a comma; .* sed /],
    ['a comma before a bracket', '{"a":[1,]}\n', /line 1 of .* remove the comma before a closing bracket/],
    ['names without double quotes', "{'a': 1}\n", /line 1 of .* double quotes/],
    ['record separators', '\u001e{"a":1}\n', /line 1 of .* record separator: tr -d /],
    ['a control character', '{"a":"\u0007"}\n', /line 1 of .* U\+0007; in JSON it is written \\u0007/],
    [
      'a control character outside of an object',
      '\u001b[1mx\n',
      /U\+001B; the file is neither JSON nor plain text/,
    ],
    ['lines that end with CR', '{"a":1}\r{"a":2}\r', /line 1 of .* ends with CR alone: tr /],
    ['what Python writes', '{"a":NaN}\n', /line 1 of .* JSON has null/],
    ['a bracket too many', '{"a":1}\n}\n', /line 2 of .* does not begin with an object$/],
    ['plain text', 'hello\n', /line 1 of .* if its lines are plain text, name it \.txt/],
    ['logged objects', '12:00 INFO {"a":1}\n', /line 1 of .* text before its object; .* sed /],
    ['CSV', 'id,name\n1,x\n', /line 1 of .* CSV; .* mlr .* name it \.txt/],
    ['YAML', 'a: 1\nb: 2\n', /looks like YAML/],
    ['XML', '<?xml version="1.0"?>\n', /is XML/],
    ['recorded traffic', '{"format":"ipc-bench traffic"}\n', /is recorded traffic; .* --traffic$/],
    [
      'a file of gzip',
      Buffer.from([0x1f, 0x8b, 8, 0]),
      /is compressed with gzip; .* gzip -dc .* > mended\.txt/,
      'text',
    ],
    ['an archive', Buffer.from('PK\u0003\u0004\u0000'), /is a ZIP archive; .* unzip -p /],
    ['binary data', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]), /is binary data/, 'text'],
    ['UTF-16', Buffer.from('\uFEFF{"a":1}\n', 'utf16le'), /is UTF-16; .* iconv -f UTF-16 -t UTF-8 /],
    ['UTF-16 without a mark', Buffer.from('{"a":1}\n', 'utf16le'), /is UTF-16; .* iconv -f UTF-16LE /],
    ['UTF-16 as text', Buffer.from('ab', 'utf16le').swap16(), /is UTF-16; .* iconv -f UTF-16BE /, 'text'],
    ['what is no object', '{"a":1}\n5\n', /line 2 of .* is a number, not an object/],
    ['a list on a line', '{"a":1}\n[1]\n', /line 2 of .* is a list, not an object/],
    ['an element that is not JSON', '[{"a":1},\n{"a":}]', /line 2 of .* is not JSON/],
    ['an element that is missing', '[{"a":1},\n]', /line 2 of .* comma of the list has no object/],
    ['an element that is no object', '[{"a":1},\n7]', /line 2 of .* a number/],
    ['a list that does not end', '[{"a":1}\n', /line 1 of .* ends before the list does/],
    ['what goes on behind a list', '[{"a":1}]\n{"a":1}', /line 2 of .* continues after the end/],
    ['half of a surrogate pair', '{"a":1}\n{"a":"\\ud800"}', /line 2 of .* half of a surrogate pair/],
    ['a number without end', '{"a":1e999}', /line 1 of .* number that JavaScript cannot represent/],
    ['a field that readers take away', '{"a":{"__proto__":1}}', /line 1 of .* a field __proto__/],
    [
      'what is nested too deep',
      `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
      /line 1 of .* nested deeper than 100/,
    ],
    [
      'a line that is too long',
      Buffer.concat([Buffer.from('x\n'), Buffer.alloc(16 * MIB + 1, 0x61)]),
      /line 2 of .* more than 16 MiB/,
      'text',
    ],
    [
      'more than processes can keep',
      `${'x'.repeat(MIB - 1)}\n`.repeat(33),
      /line 33 of .* after the first 32 MiB/,
      'text',
    ],
  ]);
  it('reads a line of 16 MiB', () => {
    const [{ text }] = messagesIn(Buffer.alloc(16 * MIB, 0x61), 'text');
    assert.equal(text.length, 16 * MIB);
  });

  for (const [what, content, reason, format] of refused) {
    it(`refuses a file with ${what}`, () => {
      const refusal = { name: 'BenchError', code: 'BAD_ARGUMENT', message: reason };
      assert.throws(() => messagesIn(content, format), refusal);
    });
  }

  it('converts a compressed file of any name before it names a format', () => {
    const path = file('m.ndjson.gz', Buffer.from([0x1f, 0x8b, 8, 0]));
    assert.throws(() => optionsOf({ 'message-file': path }), /gzip -dc/);
  });

  it('refuses a path without a file, and a file that has changed', () => {
    assert.throws(() => readMessages({ path: folder, format: 'text' }), /is not a file/);
    assert.throws(
      () => readMessages({ path: join(folder, 'none'), format: 'text' }),
      /cannot be read \(ENOENT\)/,
    );
    const path = file('changing', 'x');
    const { sha256 } = readMessages({ path, format: 'text' });
    file('changing', 'y');
    assert.throws(() => readMessages({ path, format: 'text', sha256 }), /has changed since the run began/);
  });
});

describe('the fields of a file', () => {
  it('names the line of a field that is missing or of another kind', () => {
    const values = [
      { a: 1, at: { x: 1 }, rows: [{ n: 1 }], none: null },
      { a: 2.5, at: {}, rows: [{ n: 1 }, {}], none: 'x' },
      { a: 'x', at: null, rows: [] },
    ];
    assert.deepEqual(fieldDifferences(values.map((value, index) => ({ line: index + 1, value }))), [
      '"a" is number on line 1, text on line 3',
      '"none" is missing in 1 of 3 messages, on line 3',
      '"at.x" is missing in 1 of 2 objects, on line 2',
      '"rows[].n" is missing in 1 of 3 objects, on line 2',
    ]);
  });

  it('does not take the empty name, or one with a dot, for a field inside', () => {
    const values = [{ '': 'x', a: { '': 1, b: 1 }, 'a.b': 'x', c: [1], 'c[]': 'x' }];
    assert.deepEqual(fieldDifferences(values.map((value) => ({ line: 1, value }))), []);
    const others = [{ a: { '': 1 } }, { a: { '': 'x' } }];
    assert.deepEqual(fieldDifferences(others.map((value, index) => ({ line: index + 1, value }))), [
      'a."" is number on line 1, text on line 2',
    ]);
  });

  it('names messages instead of lines if a list has several on a line', () => {
    const lists = [{ a: 1 }, { b: 1 }, { b: 'x' }].map((value) => ({ line: 1, value }));
    assert.deepEqual(fieldDifferences(lists), [
      '"b" is number in message 2, text in message 3',
      '"a" is missing in 2 of 3 messages, first in message 2',
      '"b" is missing in 1 of 3 messages, in message 1',
    ]);
  });

  it('compares messages with 20,000 different fields', () => {
    const values = Array.from({ length: 20_000 }, (_, index) => ({ [`key${index}`]: 1 }));
    const differences = fieldDifferences(values.map((value, index) => ({ line: index + 1, value })));
    const { shape } = inferSchema(values);
    assert.deepEqual([differences.length, shape.fields?.length], [20_000, 20_000]);
  });
});

describe('--message-file', () => {
  it('replaces payload and content, and prints its sizes', () => {
    const path = file('a b.ndjson', ['{"a":1}', '{"a":1234567}', '{"b":1}'].join('\n'));
    const { payloadBytes, contents, messageFile } = optionsOf({ 'message-file': path });
    assert.ok(messageFile);
    assert.deepEqual(payloadBytes, [9]);
    assert.deepEqual(contents, [messageFile.content]);
    assert.match(messageFile.content, /^a_b\.ndjson@[0-9a-f]{8}$/);
    const other = optionsOf({ 'message-file': file('注文 é.ndjson', '{"a":1}') }).messageFile;
    assert.match(other?.content ?? '', /^注文_é\.ndjson@/, 'letters of any script');
    assert.deepEqual(messageFile.bytes, { mean: 9, least: 7, p50: 7, p90: 13, p99: 13, greatest: 13 });
    assert.deepEqual(messageLines(messageFile), [
      `${messageFile.content} has 3 messages, 7 B to 13 B as compact JSON: p50 7 B, p90 13 B, p99 13 B, mean 9 B.`,
      'Differences between their fields: "a" is missing in 1 of 3 messages, on line 3; "b" is missing in 2 of 3 messages, first on line 1.',
    ]);
  });

  it('counts the payload that codecs send, without the blanks and escapes of the file', async () => {
    const compact = '{"a":"Ж","n":[1,2.5]}';
    const spaced = `{ "a" :${' '.repeat(1_900)}"Ж", "n": [1, 2.50] }`;
    const escaped = '{"\\u0061":"\\u0416","n":[1,2.5]}';
    const pretty = JSON.stringify([JSON.parse(compact)], null, 8);
    for (const [name, content] of Object.entries({ compact, spaced, escaped, pretty })) {
      const path = file(`${name}.json`, content);
      const { messageFile, payloadBytes } = optionsOf({ 'message-file': path });
      const cell = /** @type {any} */ ({ content: messageFile?.content, loops: 1 });
      for (const sending of [json, string]) {
        const { codec, payloadsOf } = await prepareMessages({ cell, seed: 1, messageFile }, sending);
        const wire = String(codec.encode({ id: 1, payload: payloadsOf('w0')[0] }));
        const sent = wire.slice(wire.indexOf('{'));
        assert.equal(sent, compact, `${name}, ${sending.name}`);
        assert.deepEqual(payloadBytes, [Buffer.byteLength(sent)]);
      }
    }
  });

  it('names numbers that JavaScript rounds, and no others', () => {
    const exact =
      '{"a":9007199254740992,"b":0.1234567890123456,"c":1.5e300,"d":"9007199254740993","e":-100000000000000000000}';
    const rounded = [
      '9007199254740993',
      '-12345678901234567890',
      '0.12345678901234567891',
      '1.00000000000000000001e3',
    ];
    for (const lines of [[exact], ...rounded.map((number) => [exact, `{"a":[{"b":${number}}]}`])]) {
      const { messageFile } = optionsOf({ 'message-file': file('digits.ndjson', lines.join('\n')) });
      assert.deepEqual(messageFile?.rounded, lines[1] && { messages: 1, line: 2 });
      const notes = messageLines(messageFile).filter((line) => /2\^53, first on line 2/.test(line));
      assert.equal(notes.length, lines.length - 1);
    }
  });

  it('prints as many differences as a line holds, and how many more there are', () => {
    const { messageFile } = optionsOf({ 'message-file': file('few.ndjson', '{"a":1}\n{"b":1}\n') });
    assert.ok(messageFile);
    const { content } = messageFile;
    const told = (/** @type {string[]} */ differences, moreDifferences = 0) =>
      messageLines({ ...messageFile, differences, moreDifferences });
    const sizes = `${content} has 2 messages, each 7 B as compact JSON.`;
    assert.deepEqual(told([]), [sizes]);
    assert.deepEqual(told(['one']), [sizes, 'Differences between their fields: one.']);
    assert.deepEqual(told(['one'], 2), [sizes, 'Differences between their fields: one; and 2 more.']);
    assert.match(
      told(['1', '2', '3', '4', '5', '6', '7'])[1],
      /^Differences between their fields: 1; 2; .*; and \d more\.$/,
    );
  });

  it('names a file by its first 40 characters', () => {
    for (const length of [40, 41]) {
      const path = file(`${'n'.repeat(length - '.json'.length)}.json`, '{"a":1}\n');
      const { messageFile } = optionsOf({ 'message-file': path });
      assert.equal(messageFile?.content.indexOf('@'), 40);
    }
  });

  it('has columns in CSV for the lengths of messages', () => {
    const path = file('sizes.ndjson', '{"a":1}\n{"a":1234567}\n');
    const { messageFile } = optionsOf({ 'message-file': path });
    const results = buildResults({ series: ['unix/json', 'tcp/json'] });
    const { outcomes, options } = results;
    assert.doesNotMatch(csvText(outcomes, results), /greatestBytes/, 'where there is a file only');
    for (const { cell } of outcomes.slice(0, 1)) cell.content = messageFile?.content;
    const [names, ...rows] = csvText(outcomes, { ...results, options: { ...options, messageFile } })
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const at = names.indexOf('messagesInFile');
    assert.deepEqual(names.slice(at, at + 6), [
      ...['messagesInFile', 'leastBytes', 'p50Bytes', 'p90Bytes', 'p99Bytes', 'greatestBytes'],
    ]);
    assert.deepEqual(rows[0].slice(at, at + 6), ['2', '7', '7', '13', '13', '13']);
    assert.deepEqual(rows[1].slice(at, at + 6), Array(6).fill(''), 'of other payloads it says nothing');
  });

  it('skips a codec whose schema cannot say what it holds, and what is too long for a transport', async () => {
    const planned = async (/** @type {string} */ content) => {
      const path = file('planned.ndjson', content);
      const options = optionsOf({
        'message-file': path,
        transport: 'udp',
        codec: 'json,avro,string',
        scenario: 'stream',
      });
      const udp = /** @type {any} */ ((await loadTransports(['udp'])).get('udp')).plugin;
      const plugins = {
        choices: [{ transport: udp, settings: {}, unavailable: null }],
        codecs: await loadCodecs(options.codecs),
        scenarios: await loadScenarios(options.scenarios),
        unavailableCodecs: new Map(),
        messageSchema: await schemaOfFile(options.messageFile),
      };
      return planCells(options, plugins).map(({ cell, skip }) => ({ name: cellLabel(cell), skip }));
    };
    const mixed = await planned('{"a":1}\n{"a":"x"}');
    assert.deepEqual(
      mixed.map(({ skip }) => skip),
      [null, 'avro has no schema for the messages of the file: "a" is integer and text', null],
    );
    assert.match(mixed[0].name, /^udp\/json stream 2x4 8 B content=planned\.ndjson@[0-9a-f]{8} split$/);
    for (const { skip } of await planned(`{"a":1}\n{"a":"${'x'.repeat(70_000)}"}`))
      assert.match(String(skip), /udp carries at most 65,\d{3} bytes/);
  });
});

describe('what loops send of a file', () => {
  const cell = /** @type {any} */ ({ payloadBytes: 8, loops: 2 });
  /** @param {import('../../lib/types/messages.js').Codec} codec @param {string} [name] */
  function said(codec, name = 'said.ndjson') {
    const path = file(name, '{"a":1}\n{"a":2}\n{"a":3}\n');
    const { messageFile } = optionsOf({ 'message-file': path });
    return prepareMessages({ cell: { ...cell, content: messageFile?.content }, seed: 1, messageFile }, codec);
  }

  it('sends each message equally often, in an order of each worker that both ends know', async () => {
    const { payloadsOf } = await said(string);
    assert.deepEqual(payloadsOf('w0').toSorted(), ['{"a":1}', '{"a":2}', '{"a":3}']);
    assert.deepEqual(payloadsOf('w0'), payloadsOf('w0'));
    const orders = new Set(['w0', 'w1', 'w2', 'w3', 'w4'].map((id) => payloadsOf(id).join()));
    assert.ok(orders.size > 1);
  });

  it('gives objects to a codec that carries objects, and texts to others', async () => {
    const { codec, payloadsOf } = await said(json);
    const [payload] = payloadsOf('w0');
    const wire = codec.encode({ id: 5, payload });
    assert.equal(wire, `5 ${payload} {"a":${Number(payload) + 1}}`);
    assert.deepEqual(codec.decode(wire), { id: 5, payload });
    assert.equal((await said(string)).codec, string);
    const texts = await said(json, 'said.txt');
    assert.equal(texts.codec, json);
    assert.ok(texts.payloadsOf('w0').includes('{"a":2}'));
  });

  it('sends the objects themselves without a codec, unless a task has bytes or a result of another length', async () => {
    const path = file('said.ndjson', '{"a":1}\n{"a":2}\n{"a":3}\n');
    const { messageFile } = optionsOf({ 'message-file': path });
    const payloads = async (/** @type {any} */ tasks) => {
      const launch = { cell: { ...cell, content: messageFile?.content }, seed: 1, messageFile, tasks };
      return prepareMessages(launch, string, { isUncoded: true });
    };
    const { payloadsOf, isSame } = await payloads({ resultBytes: 0 });
    const [payload] = payloadsOf('w0');
    assert.ok(isSame?.(structuredClone(payload), payload));
    assert.ok(!isSame?.({ a: 9 }, payload));
    for (const tasks of [{ resultBytes: 5 }, { resultBytes: 0, isBytes: true }])
      assert.equal(typeof (await payloads(tasks)).payloadsOf('w0')[0], 'string');
  });
});

describe('the notes of results with messages of a file', () => {
  const results = buildResults({ series: ['unix/json', 'unix/string', 'unix/v8'], launches: 1 });
  const bytes = { mean: 5, least: 5, p50: 5, p90: 5, p99: 5, greatest: 5 };
  const file = { content: 'orders', format: 'json', messages: 2, bytes, differences: [], moreDifferences: 0 };
  const codecs = { json: {}, string: { carriesTexts: true }, v8: { carriesTexts: true } };
  /** @param {string[]} withFile   codecs of rows with the file @param {object} [own] */
  const notesOf = (withFile, own = {}) => {
    const outcomes = results.outcomes.map((outcome) =>
      withFile.includes(outcome.cell.codec)
        ? { ...outcome, cell: { ...outcome.cell, content: 'orders' } }
        : outcome,
    );
    const options = { ...results.options, messageFile: { ...file, ...own } };
    return messageNotes(/** @type {any} */ ({ ...results, outcomes, options, codecs }));
  };

  it('notes the codecs that carry texts, of the rows with the file alone', () => {
    const [lines, ...further] = notesOf(['json', 'string']);
    assert.equal(lines, 'orders has 2 messages, each 5 B as compact JSON.');
    assert.deepEqual(further, [
      'string carries the compact JSON of a message as a text; other codecs carry its object.',
    ]);
    assert.match(notesOf(['string', 'v8'])[1], /^string, v8 carry the compact JSON /);
    assert.deepEqual(notesOf(['json']), [lines]);
  });

  it('notes nothing without a row of the file, and no codec of texts if the messages are texts', () => {
    assert.deepEqual(notesOf([]), []);
    assert.deepEqual(messageNotes(/** @type {any} */ (results)), []);
    assert.equal(notesOf(['string'], { format: 'text' }).length, 1);
  });
});
