// What the recorder computes: shapes without content, sizes, pairs of requests and responses, and channels out of parts.

import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { serialize } from 'node:v8';
import { timeDecoding } from '../../lib/record/decode-cost.js';
import { RECEIVED, readFacts } from '../../lib/record/fact-format.js';
import { FactWriter } from '../../lib/record/fact-writer.js';
import { isInert, NameReplacer, readShape } from '../../lib/record/message-shape.js';
import { readPart } from '../../lib/record/read-part.js';
import {
  findObstacle,
  hasPreload,
  recordingEnvironment,
  withoutPreload,
} from '../../lib/record/recording-environment.js';
import { readTraffic, trafficText } from '../../lib/record/saved-traffic.js';
import { makeValue } from '../../lib/record/shaped-values.js';
import {
  differingSizes,
  makeMessages,
  parseTraffic,
  serialiseTraffic,
} from '../../lib/record/traffic-file.js';
import { readPercentile, WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { trafficTable } from '../../lib/report/columns/traffic-table.js';
import { messageLines } from '../../lib/report/text/message-words.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { sumBy } from '../../lib/statistics/sum.js';
import { measureShape } from '../../lib/types/shape-limits.js';
import { readMessages } from '../../lib/workload/messages/message-file.js';
import { makePart, makeTraffic, trafficOf } from '../fixtures/make-traffic.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

/** @typedef {Parameters<typeof makePart>[0]} Facts */
/**
 * A part with one link.
 * @param {Facts} facts
 * @param {Partial<import('../../lib/record/recorded-link.js').LinkFacts>} link
 * @param {any[]} messages   sent over it
 * @param {any[]} [received]
 */
const partWith = (facts, link, messages, received = []) =>
  makePart(facts, ({ link: open, send }) => {
    const opened = open(link);
    for (const message of messages) send(opened, message);
    for (const message of received) opened.onReceived(message);
  });
/** @param {Facts} [facts] */
const childPart = (facts) => ({ pid: 2, parentPid: 1, label: 'w.js', isChild: true, ...facts });
const TO_PARENT = { peer: /** @type {const} */ ({ parentProcess: true }) };
const CLONED = /** @type {const} */ ({ mechanism: 'postMessage', serialisation: 'v8', peer: { thread: 1 } });
const idsTo = (/** @type {number} */ count) => Array.from({ length: count }, (_, id) => ({ id }));

describe('recordingEnvironment', () => {
  it('adds the recorder in front of NODE_OPTIONS, and removes it again', () => {
    const settings = { folder: '/tmp/x', key: 'key', hasContents: false };
    const { NODE_OPTIONS } = recordingEnvironment(settings, { NODE_OPTIONS: '--require "a b"' });
    assert.ok(hasPreload(NODE_OPTIONS));
    assert.equal(withoutPreload(NODE_OPTIONS), '--require "a b"');
  });

  const isObstacle = (/** @type {string} */ command, nodeOptions = '') =>
    findObstacle(command.split(' '), nodeOptions) !== null;

  it('finds the permission model in flags of Node.js, and ignores arguments of the script', () => {
    assert.ok(isObstacle('--permission app.js'));
    assert.ok(isObstacle('-r first.js --experimental-permission --allow-fs-read=* app.js'));
    assert.ok(isObstacle('app.js', '--no-warnings --permission'));
    assert.ok(!isObstacle('app.js --permission'));
    assert.ok(!isObstacle('--allow-natives-syntax app.js'));
  });
});

describe('WeightedHistogram', () => {
  it('keeps small values exactly, others within half a percent, with their weights', () => {
    const histogram = new WeightedHistogram();
    for (let value = 0; value < 200; value += 1) histogram.record(value);
    assert.equal(readPercentile(histogram.save(), 0.5), 99);
    const large = new WeightedHistogram();
    large.record(1_000_003, 99);
    large.record(5, 1);
    assert.equal(large.save().count, 100);
    assert.ok(Math.abs(readPercentile(large.save(), 0.5) / 1_000_003 - 1) < 0.005);
    assert.equal(readPercentile(large.save(), 0.01), 5);
  });

  it('merges histograms to that of all their values', () => {
    const [one, other, all] = [new WeightedHistogram(), new WeightedHistogram(), new WeightedHistogram()];
    for (let value = 1; value < 5_000; value += 7) {
      (value % 2 === 0 ? one : other).record(value);
      all.record(value);
    }
    one.add(other.save());
    assert.deepEqual(one.save(), all.save());
  });
});

describe('readShape and makeValue', () => {
  const names = new NameReplacer('key');
  const message = {
    id: 1_234,
    price: -12.75,
    name: 'Grüße "aus" 東京',
    path: 'plain text',
    isOpen: true,
    nothing: null,
    tags: Array.from({ length: 300 }, (_, index) => `tag ${100 + index}`),
    nested: { inner: [1, { deep: 'x' }] },
  };

  const made = (/** @type {any} */ value, asJson = true) => makeValue(readShape(value, asJson, names), 1);
  const jsonBytes = (/** @type {any} */ value) => Buffer.byteLength(JSON.stringify(value));

  it('generates messages of the same structure and length of JSON', () => {
    assert.equal(jsonBytes(made(message)), jsonBytes(message));
    assert.deepEqual(
      Object.values(made(message)).map((value) => typeof value),
      Object.values(message).map((value) => typeof value),
    );
    assert.equal(Object.values(made(message))[6].length, 300);
  });

  const fields = (/** @type {string[]} */ keys) => Object.fromEntries(keys.map((key) => [key, 1]));
  const digits = (/** @type {number} */ index) => (index * 7919.337) / 1_000;
  /** @type {[string, any][]} */
  const inJson = [
    [
      'lists of decimals',
      Array.from({ length: 100 }, (_, row) => [...Array(100).keys()].map((at) => digits(row * 100 + at))),
    ],
    ['5,000 fields', fields([...Array(5_000).keys()].map((at) => `key ${at}`))],
    ['names of one character', fields([...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'])],
    ['short integers, then long ones', [...Array(1_000).keys()].map((at) => (at < 100 ? at % 10 : 1e9 + at))],
    ['99 levels', [...Array(99).keys()].reduce((inner) => ({ deeper: inner, more: 'text' }), {})],
    ['a Buffer', { data: Buffer.from(Array.from({ length: 65_536 }, (_, at) => at % 251)) }],
    ['numbers of an array of floats', { data: Float64Array.from({ length: 100 }, (_, at) => digits(at)) }],
    ['control characters', '\u0001\u0002\u0003'.repeat(200)],
    ['exponents and many digits', [1.5e-7, -2.25e22, 0.30000000000000004, 1 / 3, 123_456_789_012]],
    ['half surrogate pairs', '\ud800 and \udc00 '.repeat(20)],
    ['quotes, accents, other scripts and emoji', 'a "b" \n é α 東 😀 “’…'.repeat(30)],
  ];
  for (const [what, value] of inJson)
    it(`generates as many bytes of JSON: ${what}`, () => {
      assert.ok(
        Math.abs(jsonBytes(made({ value })) / jsonBytes({ value }) - 1) < 0.002,
        String(jsonBytes(made({ value }))),
      );
    });

  /** @type {[string, any][]} */
  const inClones = [
    ['one typographic quote', `${'its '.repeat(100)}’`],
    ['Cyrillic', 'привет '.repeat(40)],
    ['Latin-1', 'déjà vu '.repeat(40)],
    ['emoji among ASCII', `${'some text '.repeat(20)}😀`],
    ['dates, NaN and undefined', [new Date(1e12), new Date(2e12), Number.NaN, Number.NaN, undefined]],
    ['numeric names', fields([...Array(60).keys()].map((at) => String(1_000 + at)))],
    ['an error', new Error('what went wrong')],
    ['bytes', new Uint8Array(4_096)],
    ['a map of decimals', new Map([...Array(50).keys()].map((at) => [`name ${at}`, digits(at)]))],
    ['integers beyond 32 bits', { a: 2_147_483_647, b: 2_147_483_648, c: 4_000_000_000, d: 1_000_000_007 }],
  ];
  for (const [what, value] of inClones)
    it(`generates as many bytes of a structured clone: ${what}`, () => {
      const [bytes, madeBytes] = [{ value }, made({ value }, false)].map((each) => serialize(each).length);
      assert.ok(Math.abs(madeBytes / bytes - 1) < 0.05, `${madeBytes} instead of ${bytes}`);
    });

  it('keeps neither names nor values of messages', () => {
    const text = JSON.stringify(readShape(message, true, names));
    for (const word of ['name', 'price', 'Gr', 'plain', 'tag', '1234', '12', 'nested'])
      assert.ok(!text.includes(word), word);
  });

  it('replaces equal names equally, and two names of an object by two', () => {
    assert.equal(new NameReplacer('key').replace('user'), names.replace('user'));
    assert.notEqual(new NameReplacer('other').replace('user'), names.replace('user'));
    const letters = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, 1]));
    assert.equal(Object.keys(/** @type {any} */ (readShape(letters, true, names)).o).length, 26);
  });

  it('does not read messages that would run code of the program', () => {
    assert.ok(isInert({ date: new Date(), list: [{}], bytes: Buffer.alloc(3) }));
    const getter = {
      get secret() {
        throw new Error('was run');
      },
    };
    for (const message of [getter, [getter], { deep: { getter } }, new Proxy({}, {})])
      assert.ok(!isInert(message));
  });
});

describe('the facts of a process', () => {
  /** @param {any[]} messages @param {Partial<typeof CLONED>} [link] @param {Facts} [facts] */
  const sentOver = (messages, link = {}, facts = {}) => partWith(facts, link, messages).links[0];

  it('has every message with its size and the time to send it', () => {
    const link = sentOver(['é', Buffer.alloc(1_000), { a: 1 }], CLONED);
    assert.equal(link.sent, 3);
    assert.deepEqual(link.kinds, { text: 1, bytes: 1, value: 1 });
    assert.equal(link.bytes.sum, 2 + 1_000 + serialize({ a: 1 }).length);
    assert.equal(link.bytes.greatest, 1_000);
    assert.ok(Math.abs(link.sendUs.sum - 30) < 0.1);
  });

  it('is read until the last whole block of a killed process', () => {
    const ids = idsTo(10_000);
    const whole = partWith({ into: folder }, {}, ids);
    assert.deepEqual([whole.links[0].sent, whole.isComplete], [10_000, false]);
    const file = readdirSync(folder).find((name) => name.endsWith('.facts'));
    const bytes = readFileSync(join(folder, String(file)));
    // More than the sample of the last message, which it has by chance.
    const cut = readPart(bytes.subarray(0, bytes.length - 1_003));
    const sent = Number(cut?.links[0].sent);
    assert.ok(sent > 5_000 && sent < 10_000, String(sent));
    assert.equal(readPart(bytes.subarray(0, 10)), null);
  });
  const folder = ownFolder('ibfa-');

  it('ends at the cap, and says when', () => {
    const part = partWith({ mostBytes: 2 ** 18 }, {}, idsTo(100_000));
    assert.equal(part.stopped?.why, 'cap');
    assert.ok(part.links[0].sent > 1_000 && part.links[0].sent < 100_000);
    const { stopped, channels } = trafficOf(part, makePart(childPart()));
    assert.equal(stopped?.why, 'cap');
    assert.equal(channels[0].isLeast, true);
  });

  it('ends with the last facts that could be written', () => {
    let writtenMs = 0;
    const part = makePart({}, ({ clock, writer, link, send }) => {
      const opened = link();
      for (let sent = 0; sent < 1_000; sent += 1) send(opened, { sent });
      writer.flush();
      writtenMs = clock.ms;
      renameSync(writer.path, `${writer.path}.kept`);
      mkdirSync(writer.path); // cannot be written
      for (let sent = 0; sent < 1_000; sent += 1) send(opened, { sent });
      clock.ms += 1_000;
      writer.flush();
      rmdirSync(writer.path);
      renameSync(`${writer.path}.kept`, writer.path);
    });
    assert.equal(part.stopped?.why, 'EISDIR');
    const stoppedMs = Number(part.stopped?.ms);
    assert.ok(stoppedMs <= writtenMs && stoppedMs > writtenMs - 2, `${stoppedMs}, ${writtenMs}`);
    assert.ok(part.links[0].sent > 700, String(part.links[0].sent));
  });

  it('ends at the cap with what the main thread writes for another one, and loses none of that', () => {
    const paths = ['main', 'thread', 'size'].map((name) => join(folder, name));
    const now = () => 1;
    const [main, thread] = paths.map((path) => new FactWriter(path, paths[2], 2 ** 13, now));
    for (const count of [1, 2]) {
      for (let id = 0; id < 1_000; id += 1) thread.commit(thread.begin(RECEIVED, 0, id));
      main.writeForThread(thread, false);
      assert.equal(main.stoppedBy, 'cap');
      let found = 0;
      readFacts(
        readFileSync(thread.path),
        () => {},
        () => (found += 1),
      );
      assert.equal(found, 1_000 * count);
    }
  });

  it('keeps no file open between writes', () => {
    // The system gives out the lowest descriptor that is free.
    const nextDescriptor = () => {
      const descriptor = openSync(import.meta.filename, 'r');
      closeSync(descriptor);
      return descriptor;
    };
    const before = nextDescriptor();
    partWith({}, {}, idsTo(10_000));
    assert.equal(nextDescriptor(), before);
  });

  it('has all sizes of clones at first, and then those of a sample with the weight of all', () => {
    const random = seededRandom(5);
    const messages = Array.from({ length: 60_000 }, () => 'x'.repeat(random() < 0.1 ? 5_000 : 300)).map(
      (text) => ({
        text,
      }),
    );
    const mean = sumBy(messages, (message) => serialize(message).length) / messages.length;
    const [{ bytes, sizeSample }] = trafficOf(partWith({}, CLONED, messages)).channels;
    assert.ok(sizeSample, 'not every message was measured');
    assert.ok(bytes.count > 0.9 * messages.length && bytes.count <= messages.length, String(bytes.count));
    assert.ok(sizeSample.messages < messages.length);
    // Wider than its interval of 95 %, so that the test does not fail by chance.
    const [low, high] = [sizeSample.low, Number(sizeSample.high)];
    assert.ok(Math.abs(bytes.sum / bytes.count - mean) < 2 * (high - low), `${low} ${high} ${mean}`);
    assert.ok(low < mean * 1.5 && high > mean / 1.5);
  });

  it('measures messages with ports and shared memory, and none that would run code of the program', () => {
    const { port1, port2 } = new MessageChannel();
    const link = sentOver(
      [
        { port1 },
        { memory: new SharedArrayBuffer(8) },
        {
          get secret() {
            throw new Error('was run');
          },
        },
      ],
      CLONED,
    );
    assert.deepEqual([link.bytes.count, link.unsized], [2, 1]);
    port2.close();
  });

  it('has the length of the JSON of a message that Node.js writes later, if that runs no code of the program', () => {
    let runs = 0;
    const own = {
      toJSON: () => {
        runs += 1;
        return '';
      },
    };
    const messages = [['é'.repeat(50)], { at: new Date(0), of: new Map([[1, 2]]) }, { own }];
    const [link] = makePart({}, ({ clock, link: open }) => {
      const opened = open();
      for (const message of messages) opened.onSent(message, clock.ms, clock.ms, null);
    }).links;
    const [first, second] = messages.slice(0, 2).map((message) => Buffer.byteLength(JSON.stringify(message)));
    assert.deepEqual([link.bytes.sum, link.bytes.count, link.unsized, runs], [first + second, 2, 1, 0]);
    assert.equal(link.sample.length, 2);
  });

  it('has a sample of shapes, or of messages with --contents', () => {
    const secret = { password: 'hunter2' };
    assert.doesNotMatch(JSON.stringify(sentOver([secret]).sample), /hunter2|password/);
    assert.match(
      JSON.stringify(sentOver([secret], {}, { keepsContents: true }).sample),
      /"password":"hunter2"/,
    );
  });

  it('keeps messages of every part of the recording alike', () => {
    const { sample, sampleSize } = sentOver(
      Array.from({ length: 20_000 }, (_, at) => ({ x: 'x'.repeat(at < 10_000 ? 5 : 50) })),
    );
    const kept = sample.toSorted((one, other) => one.key - other.key).slice(0, sampleSize);
    assert.equal(kept.length, 100);
    const late = kept.filter(({ bytes }) => bytes > 50).length;
    // Of a binomial distribution with 100 trials, 20 to 80 leave out less than one in 10⁹.
    assert.ok(late > 20 && late < 80, String(late));
  });
});

describe('requests and responses', () => {
  /** @param {(link: { sent: (message: any) => void, received: (message: any) => void, clock: { ms: number } }) => void} act */
  const pairsOf = (act) =>
    makePart({}, ({ clock, link, send }) => {
      const opened = link();
      act({
        clock,
        sent: (message) => send(opened, message, 0),
        received: (message) => opened.onReceived(message),
      });
    }).links[0].pairs;

  it('are paired by a field whose values come back, from the first message on', () => {
    const pairs = pairsOf(({ clock, sent, received }) => {
      for (let id = 0; id < 100; id += 1) {
        clock.ms = 1_000 + id;
        sent({ type: 'question', token: `t${id}` });
        clock.ms += 0.5;
        if (id >= 3) received({ type: 'question', of: `t${id - 3}` });
      }
    });
    assert.deepEqual([pairs?.name, pairs?.requests, pairs?.paired], ['token', 100, 97]);
    assert.equal(readPercentile(/** @type {any} */ (pairs).inFlight, 0.5), 4);
    assert.ok(Math.abs(readPercentile(/** @type {any} */ (pairs).roundTripUs, 0.5) - 3_500) < 20);
  });

  it('are paired in any order, for thousands of messages with constant fields in front', () => {
    const pairs = pairsOf(({ sent, received }) => {
      const open = [];
      for (let id = 0; id < 5_000; id += 1) {
        sent({ ...Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}`, at])), id });
        open.push(id);
        if (open.length === 8) for (const done of open.splice(0).reverse()) received({ id: done, ok: true });
      }
    });
    assert.deepEqual([pairs?.name, pairs?.requests, pairs?.paired], ['id', 5_000, 5_000]);
  });

  it('are paired by the field that the most of them have', () => {
    const pairs = pairsOf(({ sent, received }) => {
      for (const { id } of idsTo(100)) {
        const message = { ...(id % 2 === 0 && { id }), token: `t${id}` };
        sent(message);
        received(message);
      }
    });
    assert.deepEqual([pairs?.name, pairs?.requests, pairs?.paired], ['token', 100, 100]);
  });

  it('are not found by a constant field, or if nothing comes back', () => {
    assert.equal(
      pairsOf(({ sent, received }) => {
        for (let number = 0; number < 100; number += 1) {
          sent({ type: 'job' });
          received({ type: 'job' });
        }
      }),
      null,
    );
    assert.equal(
      pairsOf(({ sent }) => {
        for (const message of idsTo(100)) sent(message);
      }),
      null,
    );
  });

  it('are found in a short recording', () => {
    const pairs = pairsOf(({ sent, received }) => {
      for (const { id } of idsTo(4)) {
        sent({ id });
        received({ id, result: id });
      }
    });
    assert.equal(pairs?.paired, 4);
  });
});

describe('the cost of decoding', () => {
  it('is that of the sampled messages themselves, a value for each', () => {
    let written = 0;
    const value = { toJSON: () => ++written };
    const { count } = timeDecoding([{ value }, { shape: 's3' }], 'json');
    assert.deepEqual([written, count], [1, 2]);
    assert.throws(() => timeDecoding([{ value: () => {} }], 'v8'), /could not be cloned/);
  });
});

describe('joinParts', () => {
  it('counts the links that were in use at the same time', () => {
    const spans = [
      [0, 10],
      [5, 20],
      [11, 30],
      [40, 50],
      [50, 60],
    ];
    const main = makePart({}, ({ clock, link, send }) => {
      const links = spans.map((_, index) => link({ peer: { pid: index + 2 } }));
      const sends = spans.flatMap((span, index) => span.map((ms) => ({ ms, place: index })));
      for (const { ms, place } of sends.sort((one, other) => one.ms - other.ms)) {
        clock.ms = 1_000 + ms;
        send(links[place], 'x', 0);
      }
    });
    const children = spans.map((_, index) => makePart({ pid: index + 2, parentPid: 1, label: 'worker.js' }));
    const [channel] = trafficOf(main, ...children).channels;
    assert.deepEqual([channel.links, channel.atOnce], [5, 2]);
  });

  it('joins links to channels between scripts', () => {
    const child = (/** @type {number} */ pid) =>
      partWith(
        { ...childPart(), pid, label: 'worker.js', isComplete: true },
        TO_PARENT,
        [{ answer: 1 }],
        [1, 2, 3],
      );
    const main = makePart({ isComplete: true }, ({ link, send }) => {
      for (const pid of [2, 3]) {
        const opened = link({ peer: { pid } });
        for (const message of idsTo(3)) send(opened, message);
        opened.onReceived({ answer: 1 });
      }
    });
    const { channels, processes } = trafficOf(main, child(2), child(3));
    assert.equal(processes, 3);
    assert.deepEqual(
      channels.map(({ number, from, to, links: count, messages: sent }) => [number, from, to, count, sent]),
      [
        [1, 'server.js', 'worker.js (child)', 2, 6],
        [2, 'worker.js (child)', 'server.js', 2, 2],
      ],
    );
  });

  it('finds the end that is the parent of the others', () => {
    const fromMaster = (/** @type {any[]} */ ...parts) =>
      trafficOf(...parts).channels.map(({ from, fromMaster: is = false }) => `${from} ${is}`);
    const child = (/** @type {number} */ pid) => partWith({ ...childPart(), pid }, TO_PARENT, ['x']);
    const parent = (/** @type {number[]} */ ...pids) =>
      makePart({}, ({ link, send }) => {
        for (const pid of pids) send(link({ peer: { pid } }), 'x');
      });
    assert.deepEqual(fromMaster(parent(2, 3), child(2), child(3)), ['server.js true', 'w.js (child) false']);
    assert.deepEqual(fromMaster(parent(2), child(2)), ['server.js true', 'w.js (child) false']);
    const port = (/** @type {any} */ peer) => ({
      ...CLONED,
      mechanism: /** @type {const} */ ('MessagePort'),
      peer,
    });
    assert.deepEqual(
      fromMaster(
        partWith({}, port({ thread: 1 }), ['x']),
        partWith({ thread: 1 }, port({ parentThread: true }), ['x']),
      ),
      ['server.js true', 'server.js (thread) false'],
    );
  });

  it('counts messages as lost only if both ends were recorded until they ended', () => {
    const counted = (/** @type {boolean} */ from, /** @type {boolean} */ to, failed = 0) => {
      const main = makePart({ isComplete: from }, ({ link, send }) => {
        const opened = link();
        for (const message of idsTo(10)) send(opened, message);
        for (let count = 0; count < failed; count += 1) opened.onFailed();
      });
      const child = partWith(childPart({ isComplete: to }), TO_PARENT, [], [1, 2, 3, 4]);
      const [{ messages, lost = 0, isLeast = false }] = trafficOf(main, child).channels;
      return [messages, lost, isLeast];
    };
    assert.deepEqual(counted(true, true), [4, 6, false]);
    assert.deepEqual(counted(false, true), [4, 0, false]);
    // It was killed, and may have received more.
    assert.deepEqual(counted(true, false), [10, 0, false]);
    assert.deepEqual(counted(true, false, 3), [7, 3, false]);
    assert.deepEqual(counted(false, false), [10, 0, true]);
  });

  const port = (/** @type {any} */ peer) => ({
    ...CLONED,
    mechanism: /** @type {const} */ ('MessagePort'),
    peer,
  });
  const FIRST = /** @type {[number, number]} */ ([0, 0]); // the first port over the first link
  /**
   * A thread that received a port from the main thread.
   * @param {number} id
   * @param {{ sent?: any[], received?: any[], passed?: [[number, number], [number, number]][], isComplete?: boolean }} traffic
   */
  const threadWith = (id, { sent = [], received = [], ...facts }) =>
    makePart({ thread: id, label: `${id}.js`, ...facts }, ({ link, send }) => {
      link({ ...CLONED, peer: { parentThread: true } });
      if (sent.length + received.length === 0) return;
      const opened = link(port({ received: FIRST }));
      for (const message of sent) send(opened, message);
      for (const message of received) opened.onReceived(message);
    });
  const threads = [1, 2, 3].map((thread) => ({ thread, isInternal: false }));
  const withThreads = (/** @type {import('../fixtures/make-traffic.js').Recorder['link']} */ link) =>
    threads.map(({ thread }) => link({ ...CLONED, peer: { thread } }));

  it('finds the other end of a port, also if a third thread sent it, and ignores ports within a thread', () => {
    const main = makePart(
      {
        threads,
        between: [
          [
            [1, 0],
            [2, 0],
          ],
        ],
      },
      ({ writer, link, send }) => {
        withThreads(link);
        send(link(port({ sent: FIRST })), 'x');
        send(link(port({ thisThread: true })), 'x');
        send(link(port({ thisThread: true })), 'x');
        writer.write({ link: { number: 5, ...port({ sent: [0, 1] }) } });
      },
    );
    const { channels } = trafficOf(
      main,
      threadWith(1, { sent: ['y', 'y', 'y'] }),
      threadWith(2, { sent: ['z'] }),
      threadWith(3, {}),
    );
    assert.deepEqual(
      channels.map(({ from, to, messages }) => [from, to, messages]),
      [
        ['1.js (thread)', 'server.js', 3],
        ['server.js', '1.js (thread)', 2],
        ['2.js (thread)', '3.js (thread)', 1],
      ],
    );
  });

  it('follows a port that a thread passes on, and counts no message as lost if several threads used it', () => {
    const channelsWith = (/** @type {any[]} */ received) => {
      const main = makePart({ threads, isComplete: true, passed: [[FIRST, [1, 0]]] }, ({ link, send }) => {
        withThreads(link);
        const opened = link(port({ sent: FIRST }));
        for (const message of ['a', 'b', 'c', 'd', 'e']) send(opened, message);
      });
      const first = threadWith(1, { received, passed: [[FIRST, FIRST]], isComplete: true });
      const second = threadWith(2, { received: ['c', 'd'], isComplete: true });
      return trafficOf(main, first, second).channels.map(({ from, to, messages, lost = 0 }) => [
        from,
        to,
        messages,
        lost,
      ]);
    };
    assert.deepEqual(channelsWith([]), [['server.js', '2.js (thread)', 2, 3]]);
    assert.deepEqual(channelsWith(['a', 'b']), [['server.js', '2.js (thread)', 5, 0]]);
  });

  it('has a sample with the sizes of all messages, and arrivals of the whole time', () => {
    const random = seededRandom(3);
    const part = makePart({}, ({ clock, link, send }) => {
      const opened = link();
      for (let id = 0; id < 10_000; id += 1) {
        // The second half is 25 times as fast.
        clock.ms += id < 400 ? 25 : 1;
        send(opened, { id, text: 'x'.repeat(random() < 0.1 ? 5_000 : 300) });
      }
    });
    const [{ bytes, sample, arrivals }] = trafficOf(part).channels;
    const sampled =
      sumBy(sample, (each) => measureShape(/** @type {any} */ (each).shape).characters) / sample.length;
    assert.ok(Math.abs(sampled / (bytes.sum / bytes.count) - 1) < 0.1, `${sampled}`);
    const counts = arrivals.stretches.map(({ length }) => length / arrivals.ms);
    assert.equal(counts.length, 32);
    assert.ok(counts[1] < 0.08 && counts[30] > 0.8, counts.join(' '));
  });
});

describe('--traffic', () => {
  const folder = ownFolder('ibto-');
  const path = join(folder, 'traffic.json');
  const ids = Array.from({ length: 40 }, (_, id) => ({ id, text: 'x'.repeat(id) }));
  const answers = ids.map(({ id }) => ({ id }));
  const part = makePart({}, ({ clock, link, send }) => {
    const [asking, texts] = [link(), link(CLONED)];
    for (const message of ids) {
      send(asking, message);
      clock.ms += 0.99;
    }
    for (const message of answers) asking.onReceived(message);
    for (const text of ['one', 'two', 'three']) send(texts, text);
  });
  writeFileSync(path, trafficText(trafficOf(part)));
  const repeated = (/** @type {Record<string, unknown>} */ argv) => resolved({ traffic: path, ...argv });

  it('makes the recorded mechanism the reference, with others beside it and the recorded messages', () => {
    const { options } = repeated({ channel: '1' });
    assert.equal(options.reference, 'pipe/json');
    assert.deepEqual(options.scenarios, ['round-trip']);
    assert.deepEqual(options.shapes, [{ workers: 1, loops: 20 }]);
    assert.equal(options.transports[0].name, 'pipe');
    const { messageFile } = options;
    assert.ok(messageFile);
    assert.deepEqual([messageFile.channel, messageFile.format, messageFile.messages], [1, 'json', 40]);
    const { messages } = readMessages(messageFile);
    assert.deepEqual(
      messages.map(({ text }) => text.length).sort((one, other) => one - other),
      ids.map((message) => JSON.stringify(message).length).sort((one, other) => one - other),
    );
  });

  it('replays responses with their requests, whichever take more time', () => {
    const both = join(folder, 'both.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const [requests, responses] = traffic.channels;
    const save = (/** @type {(typeof requests)[]} */ ...channels) =>
      writeFileSync(both, trafficText({ ...traffic, channels }));
    const replayed = (/** @type {string | undefined} */ channel) => {
      const { scenarios, messageFile } = resolved({ traffic: both, channel }).options;
      return [scenarios[0], messageFile?.channel, messageFile?.responses?.channel];
    };
    const sendUs = { ...responses.sendUs, sum: 100 * responses.sendUs.sum };
    save(requests, { ...responses, sendUs });
    assert.deepEqual(replayed(undefined), ['round-trip', 1, 2]);
    assert.deepEqual(replayed('2'), ['round-trip', 1, 2]);
    // Of requests that were not recorded there is nothing to repeat.
    save({ ...requests, sample: [] }, responses);
    assert.deepEqual(replayed('2'), ['stream:direction=to-worker', 2, undefined]);
    // A few responses among what is sent without being asked for.
    save(requests, { ...responses, messages: 100 * responses.messages });
    assert.deepEqual(replayed('2'), ['stream:direction=to-worker', 2, undefined]);
    // Each asks the other.
    save(requests, { ...responses, pairs: requests.pairs });
    assert.deepEqual(replayed('2'), ['round-trip', 2, 1]);
  });

  it('replays the recorded sizes, and compares them', () => {
    const file = join(folder, 'sizes.json');
    const message = { text: 'it’s “quoted”', rows: [...Array(300).keys()].map((at) => at / 7) };
    writeFileSync(file, trafficText(trafficOf(partWith({}, CLONED, Array(3).fill(message)))));
    const { messageFile } = resolved({ traffic: file }).options;
    const [{ recordedBytes, replayedBytes }] = messageFile?.replaySizes ?? [];
    assert.equal(recordedBytes, serialize(message).length);
    assert.ok(Math.abs(Number(replayedBytes) / recordedBytes - 1) < 0.02, String(replayedBytes));
  });

  it('reports both sizes of channels whose replay has messages of another size', () => {
    const file = join(folder, 'sizes.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const linesWith = (/** @type {number[]} */ times) => {
      const channels = traffic.channels.map((channel, index) => ({
        ...channel,
        bytes: { ...channel.bytes, sum: times[index] * channel.bytes.sum },
      }));
      writeFileSync(file, trafficText({ ...traffic, channels }));
      return messageLines(resolved({ traffic: file }).options.messageFile).filter((line) =>
        line.startsWith('Serialised'),
      );
    };
    assert.deepEqual(linesWith([1, 1]), []);
    const [ofRequests, ofResponses] = linesWith([2, 0.5]);
    const sizes = /channel (\d) have (\d+) B on average and the replayed ones (\d+) B: the answer holds/;
    const read = (/** @type {string} */ line) => (sizes.exec(line) ?? []).slice(1).map(Number);
    const [request, recorded, replayed] = read(ofRequests);
    assert.equal(request, 1);
    assert.ok(Math.abs(recorded / replayed - 2) < 0.1, ofRequests);
    const [response, recordedResponses, replayedResponses] = read(ofResponses);
    assert.equal(response, 2);
    assert.ok(Math.abs(recordedResponses / replayedResponses - 0.5) < 0.1, ofResponses);
  });

  it('does not report sizes that differ by a tenth or a byte, or are unknown', () => {
    const countOf = (/** @type {number} */ recordedBytes, /** @type {number} */ replayedBytes) =>
      differingSizes([{ channel: 1, recordedBytes, replayedBytes }]).length;
    assert.deepEqual([countOf(100, 110), countOf(100, 90), countOf(0, 1), countOf(5, 6)], [0, 0, 0, 0]);
    assert.deepEqual([countOf(100, 111), countOf(100, 89), countOf(0, 2), countOf(5, 7)], [1, 1, 1, 1]);
    const file = join(folder, 'sizes.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const bytes = { count: 0, sum: 0, least: 0, greatest: 0, cells: [] };
    const channels = traffic.channels.map((channel) => ({ ...channel, bytes }));
    writeFileSync(file, trafficText({ ...traffic, channels }));
    assert.deepEqual(resolved({ traffic: file }).options.messageFile?.replaySizes, []);
  });

  it('starts as many workers as links were in use at the same time', () => {
    const several = join(folder, 'several.json');
    const traffic = trafficOf(partWith({}, {}, ids, answers));
    const [channel] = traffic.channels;
    const workersOf = (/** @type {number | undefined} */ atOnce) => {
      writeFileSync(several, trafficText({ ...traffic, channels: [{ ...channel, links: 24, atOnce }] }));
      return resolved({ traffic: several }).options.shapes[0].workers;
    };
    assert.equal(channel.atOnce, 1);
    assert.deepEqual([workersOf(2), workersOf(undefined)], [2, 24]);
  });

  it('replays one-way texts of threads as a stream', () => {
    const { options } = repeated({ channel: '3' });
    assert.equal(options.reference, 'threads-message/string');
    assert.deepEqual(options.scenarios, ['stream:direction=to-worker']);
    assert.equal(options.messageFile?.format, 'text');
  });

  it('replays requests of a parent to several children as tasks, beside pools', () => {
    const several = join(folder, 'pool.json');
    const traffic = trafficOf(partWith({}, {}, ids, answers));
    const [channel] = traffic.channels;
    const replayed = (/** @type {Partial<typeof channel>} */ facts) => {
      writeFileSync(several, trafficText({ ...traffic, channels: [{ ...channel, ...facts }] }));
      const { scenarios, reference, transports, shapes } = resolved({ traffic: several }).options;
      return { scenarios, reference, names: transports.map(({ name }) => name), shapes };
    };
    const threads = replayed({ mechanism: 'postMessage', atOnce: 3 });
    assert.deepEqual([threads.scenarios, threads.reference], [['task'], 'threads-message/v8']);
    assert.ok(threads.names.includes('piscina'), threads.names.join());
    assert.deepEqual(threads.shapes, [{ workers: 3, loops: 20 }]);
    assert.ok(replayed({ atOnce: 2 }).names.includes('cluster'));
    assert.deepEqual(replayed({ atOnce: 2, fromMaster: undefined }).scenarios, ['round-trip']);
    assert.deepEqual(replayed({ atOnce: 1 }).scenarios, ['round-trip']);
    const asRoundTrips = resolved({ traffic: several, scenario: 'round-trip' }).options;
    assert.deepEqual(
      asRoundTrips.transports.map(({ name }) => name),
      resolved({ traffic: path, channel: '1' }).options.transports.map(({ name }) => name),
    );
  });

  it('uses options of the user, and the recorded rate', () => {
    const { options, config } = repeated({ channel: '1', workers: '2x2', codec: 'json', rate: 'recorded' });
    assert.deepEqual(options.shapes, [{ workers: 2, loops: 2 }]);
    assert.deepEqual(options.codecs, ['json']);
    assert.ok(Math.abs(Number(options.open?.ratesPerSecond[0]) - 1_025) < 10);
    assert.equal(config.traffic, path);
    assert.equal(config.channel, 1);
    assert.ok(!('message-file' in config));
  });

  it('repeats no channel in place of the one that takes the most time', () => {
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const [requests, responses] = traffic.channels;
    const unsampled = join(folder, 'unsampled.json');
    const slow = { ...requests, sendUs: { ...requests.sendUs, sum: 1e6 }, sample: [] };
    writeFileSync(unsampled, trafficText({ ...traffic, channels: [slow, responses] }));
    assert.throws(
      () => resolved({ traffic: unsampled }),
      /channel 1, which takes the most time, has no sample .* exceed the limits of a sample\. Choose .* --channel 2\./,
    );
    assert.equal(
      resolved({ traffic: unsampled, channel: '2' }).options.scenarios[0],
      'stream:direction=to-worker',
    );
  });

  it('rejects --traffic with options that contradict it', () => {
    assert.throws(() => repeated({ channel: '9' }), /--channel: .* has channels 1 to 3/);
    assert.throws(
      () => repeated({ channel: '2' }),
      /channel 2 has no sample of messages, since its sender was not recorded\. Choose .* --channel [13]\./,
    );
    assert.throws(() => repeated({ payload: '10' }), /--traffic/);
    assert.throws(
      () => repeated({ traffic: join(folder, 'none.json') }),
      /none\.json cannot be read as recorded traffic: ENOENT/,
    );
  });
});

describe('a traffic file', () => {
  const ids = Array.from({ length: 50 }, (_, id) => ({ id, text: 'x'.repeat(id) }));
  const processes = [{ pid: 2, label: 'w.js', isNode: true, why: '' }];
  const traffic = trafficOf(
    partWith(
      { processes },
      {},
      ids,
      ids.map(({ id }) => ({ id })),
    ),
  );
  const text = trafficText(traffic);
  const folder = ownFolder('ibtr-');

  it('reads a traffic file as it was written', () => {
    const path = join(folder, 'traffic.json');
    writeFileSync(path, text);
    assert.deepEqual(readTraffic(path), JSON.parse(JSON.stringify(traffic)));
  });

  it('rejects a traffic file that is truncated, changed, of a newer version or another kind, or missing', () => {
    const refused = (/** @type {string} */ changed) => () => parseTraffic(changed, 'traffic.json');
    assert.throws(refused(text.slice(0, 500)), /traffic\.json .*was cut off/);
    assert.throws(
      refused(text.replace('"requests":50', '"requests":51').replace('node server.js', 'node s.js')),
      /was changed after/,
    );
    assert.throws(
      refused(text.replace('"version":3', '"version":4')),
      /version 4, .* newer than this one\. Update ipc-bench/,
    );
    assert.throws(refused('{"schemaVersion":1}'), /another kind\. Name a file that ipc-bench record saved/);
    assert.throws(() => readTraffic('/nowhere/traffic.json'), /ENOENT\. Check the path/);
  });

  it('neither writes nor reads a file of another shape', () => {
    const [channel, ...others] = traffic.channels;
    const broken = /** @type {any} */ ({ ...traffic, channels: [{ ...channel, links: -1 }, ...others] });
    assert.throws(() => trafficText(broken), /could not be read again: channels\[0\]\.links is less than 0/);
    const damaged = join(folder, 'damaged.json');
    writeFileSync(damaged, serialiseTraffic(broken));
    assert.throws(() => readTraffic(damaged), {
      code: 'BAD_ARGUMENT',
      message: /damaged\.json .*: channels\[0\]\.links is less than 0\. Record the program again\.$/,
    });
  });

  const lists = (/** @type {number} */ levels) => `${'{"l":[['.repeat(levels)}5${',1]]}'.repeat(levels)}`;
  /** @param {string} shape   JSON @returns {string} path of a file with a message of this shape */
  const fileWith = (shape) => {
    const [channel, ...others] = traffic.channels;
    const sample = [{ shape: JSON.parse(shape) }, ...channel.sample];
    return writeTraffic(serialiseTraffic({ ...traffic, channels: [{ ...channel, sample }, ...others] }));
  };
  /** @param {string} text @returns {string} its path */
  const writeTraffic = (text) => {
    const path = join(folder, 'hostile.json');
    writeFileSync(path, text);
    return path;
  };

  for (const [what, shape] of Object.entries({
    'billions of items': '{"l":[[5,2e9]]}',
    'lists of lists': '{"l":[[{"l":[[{"l":[["9",1e4]]},1e4]]},1e4]]}',
    'long texts in a list': '{"l":[[1e6,1e3]]}',
    'long names in a list': `{"l":[[{"o":{"${'x'.repeat(1e4)}":"9"}},1e4]]}`,
    'a negative number of items': '{"l":[[5,-1]]}',
    'half an item': '{"l":[[5,1.5]]}',
    'a text of 4 GB': '4e9',
    'bytes of 4 GB': '{"y":4e9}',
    'a negative length': '-1',
    'a negative count of characters': '[5,-1]',
    'a list in a text': '[[5]]',
    'an unknown kind': '{"q":1}',
    'a kind that is a length': '{"a":4e9}',
    'two kinds': '{"o":{},"y":1}',
    'a list in place of fields': '{"o":[5]}',
    'an object in place of items': '{"l":{"0":[5,1]}}',
    'an item without a count': '{"l":[[5]]}',
    'a number of 100 digits': `"${'9'.repeat(100)}"`,
    'a word in place of a number': '"constructor"',
    'a value that is no shape': 'false',
    'more than 100 levels': lists(101),
  }))
    it(`rejects a file with a shape that has ${what}`, () => {
      const path = fileWith(shape);
      const error = { code: 'BAD_ARGUMENT', message: /: channels\[0\]\.sample\[0\]\.shape .*\. Record the/ };
      assert.throws(() => readTraffic(path), error);
      assert.throws(() => resolved({ traffic: path }), error);
    });

  it('rejects a file that is nested thousands of levels deep', () => {
    const text = serialiseTraffic({ ...traffic, errors: ['HERE'] });
    const path = writeTraffic(text.replace('"HERE"', lists(100_000)));
    assert.throws(() => readTraffic(path), { code: 'BAD_ARGUMENT', message: /nested too deeply/ });
  });

  it('reads shapes up to the limits', () => {
    for (const shape of [lists(100), '{"l":[["9",199999]]}', String(2 ** 24 - 2), '{"o":{}}', '{"l":[]}'])
      assert.ok(readTraffic(fileWith(shape)));
  });

  it('replays at most 32 MiB of a channel', () => {
    const path = fileWith(String(2 ** 23));
    const [channel] = readTraffic(path).channels;
    const kinds = { text: 20, bytes: 0, value: 0 };
    const messages = makeMessages({ ...channel, kinds, sample: Array(20).fill(channel.sample[0]) });
    assert.equal(messages.length, 3);
  });

  it('records messages beyond the limits without a sample of them', () => {
    const deep = (/** @type {number} */ levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const long = 'x'.repeat(2 ** 24);
    for (const keepsContents of [false, true]) {
      const part = partWith({ keepsContents }, {}, [deep(102), deep(50), long]);
      assert.deepEqual([part.links[0].sent, part.links[0].sample.length], [3, 1]);
      assert.ok(trafficText(trafficOf(part)));
    }
  });

  it('reports that nothing can be gained only if all processes were recorded', () => {
    const tableOf = (/** @type {Partial<typeof traffic>} */ facts) =>
      trafficTable(
        { ...traffic, durationMs: 1e6, ...facts },
        { columns: 200, styled: (_look, line) => line },
      );
    assert.match(
      tableOf({ notRecorded: [], channels: traffic.channels.slice(0, 1) }),
      /There is nothing to gain: all of it takes/,
    );
    assert.match(tableOf({ notRecorded: [] }), /It takes at least < 0\.1 % of a core/);
    assert.match(
      tableOf({}),
      /The recorded messages take < 0\.1 % of a core; what was not recorded is listed below\./,
    );
  });

  it('prints what recording took only if it was timed', () => {
    const tableOf = (/** @type {number} */ recorderUs) =>
      trafficTable({ ...traffic, recorderUs }, { columns: 200, styled: (_look, line) => line });
    assert.match(tableOf(2), /Recording took about 2\.00 µs/);
    assert.doesNotMatch(tableOf(0), /Recording took/);
  });

  it('prints traffic as a table that fits, with what was not recorded', () => {
    for (const columns of [60, 80, 100]) {
      const table = trafficTable(traffic, { columns, styled: (_look, line) => line });
      assert.match(table, /1 server\.js → w\.js \(not recorded\)/);
      assert.match(table, /Channel 1 has 50 requests, all with a response/);
      assert.match(table, /Not recorded: w\.js \(pid 2\)/);
      assert.deepEqual(
        table.split('\n').filter((line) => line.length > columns),
        [],
      );
    }
  });
});
