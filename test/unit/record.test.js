// What the recorder computes: shapes without content, sizes, pairs of requests and responses, and channels out of parts.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { serialize } from 'node:v8';
import { joinParts } from '../../lib/record/join-parts.js';
import { isInert, NameReplacer, readShape } from '../../lib/record/message-shape.js';
import { RecordedLink, TimeBudget } from '../../lib/record/recorded-link.js';
import {
  findObstacle,
  hasPreload,
  recordingEnvironment,
  withoutPreload,
} from '../../lib/record/recording-environment.js';
import { RequestPairs } from '../../lib/record/request-pairs.js';
import { readTraffic, trafficText } from '../../lib/record/saved-traffic.js';
import { makeValue } from '../../lib/record/shaped-values.js';
import { makeMessages, parseTraffic, signTraffic } from '../../lib/record/traffic-file.js';
import { readPercentile, WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { trafficTable } from '../../lib/report/columns/traffic-table.js';
import { messageLines, sizeLines } from '../../lib/report/text/message-words.js';
import { readMessages } from '../../lib/workload/messages/message-file.js';
import { makeTraffic } from '../fixtures/make-traffic.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

/** @param {Partial<import('../../lib/record/recorder.js').Part>} part @returns {import('../../lib/record/recorder.js').Part} */
const makePart = (part) => ({
  pid: 1,
  parentPid: 0,
  thread: 0,
  label: 'server.js',
  isChild: false,
  isWhole: false,
  startedMs: 1_000,
  writtenMs: 3_000,
  processes: [],
  threads: [],
  transfers: [],
  links: [],
  errors: [],
  ...part,
});

/**
 * @param {Partial<import('../../lib/record/recorded-link.js').RecordedLink['facts']>} facts
 * @param {any[]} messages
 * @param {{ keepsContents?: boolean, received?: any[], budget?: TimeBudget }} [how]
 */
function recordLink(facts, messages, { keepsContents = false, received = [], budget } = {}) {
  let ms = 1_000;
  const now = () => ms;
  const surroundings = {
    now,
    budget: budget ?? new TimeBudget(now, 50, 0.01),
    names: new NameReplacer('key'),
    keepsContents,
  };
  const link = new RecordedLink(
    { mechanism: 'process.send', serialisation: 'json', peer: { pid: 2 }, ...facts },
    surroundings,
  );
  for (const message of messages) {
    ms += 1;
    link.onSent(message, ms, ms + 0.01);
  }
  for (const message of received) {
    ms += 1;
    link.onReceived(message);
  }
  return link;
}

/** @param {Partial<import('../../lib/record/recorder.js').Part>[]} parts */
const trafficOf = (...parts) => ({
  tool: '0.1.0',
  recordedAt: '2026-01-02T03:04:05.000Z',
  program: 'node server.js',
  hasContents: false,
  ...joinParts(parts.map(makePart), (name) => name),
});

describe('recordingEnvironment', () => {
  it('adds the recorder in front of NODE_OPTIONS, and removes it again', () => {
    const settings = { folder: '/tmp/x', key: 'key', hasContents: false };
    const { NODE_OPTIONS } = recordingEnvironment(settings, { NODE_OPTIONS: '--require "a b"' });
    assert.ok(hasPreload(NODE_OPTIONS));
    assert.equal(withoutPreload(NODE_OPTIONS), '--require "a b"');
  });

  const isObstacle = (/** @type {string} */ command, nodeOptions = '') =>
    findObstacle(command.split(' '), nodeOptions) !== '';

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
    tags: Array.from({ length: 300 }, (_, place) => `tag ${100 + place}`),
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
  const digits = (/** @type {number} */ place) => (place * 7919.337) / 1_000;
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
    assert.ok(isInert({ date: new Date(), list: [{}], bytes: Buffer.alloc(3) }, false));
    assert.ok(
      !isInert(
        {
          get secret() {
            throw new Error('was run');
          },
        },
        true,
      ),
    );
    assert.ok(
      !isInert(
        {
          deep: [
            {
              toJSON: () => {
                throw new Error('was run');
              },
            },
          ],
        },
        true,
      ),
    );
    assert.ok(!isInert(new Proxy({}, {}), false));
  });
});

describe('RequestPairs', () => {
  it('pairs requests by a field whose values come back, from the first message on', () => {
    const pairs = new RequestPairs();
    for (let id = 0; id < 100; id += 1) {
      pairs.sent({ type: 'question', token: `t${id}` }, id);
      if (id >= 3) pairs.received({ type: 'question', of: `t${id - 3}` }, id + 0.5);
    }
    const saved = pairs.save();
    assert.equal(saved?.field, 'token');
    assert.equal(saved?.requests, 100);
    assert.equal(saved?.paired, 97);
    assert.equal(readPercentile(/** @type {any} */ (saved).inFlight, 0.5), 4);
    assert.ok(Math.abs(readPercentile(/** @type {any} */ (saved).roundTripUs, 0.5) - 3_500) < 20);
  });

  it('finds no pairs by a constant field, or if nothing comes back', () => {
    const [constant, silent] = [new RequestPairs(), new RequestPairs()];
    for (let number = 0; number < 100; number += 1) {
      constant.sent({ type: 'job' }, number);
      constant.received({ type: 'job' }, number);
      silent.sent({ id: number }, number);
    }
    assert.equal(constant.save(), null);
    assert.equal(silent.save(), null);
  });

  it('finds a few pairs at the end of a recording', () => {
    const pairs = new RequestPairs();
    for (let id = 0; id < 4; id += 1) {
      pairs.sent({ id }, id);
      pairs.received({ id, result: id }, id + 1);
    }
    assert.equal(pairs.save()?.paired, 4);
  });
});

describe('RecordedLink', () => {
  it('counts all messages with the sizes of texts, bytes and values', () => {
    const saved = recordLink({}, ['é', Buffer.alloc(1_000), { a: 1 }]).save();
    assert.equal(saved.sent, 3);
    assert.deepEqual(saved.kinds, { text: 1, bytes: 1, value: 1 });
    assert.equal(saved.bytes.sum, 2 + 1_000 + 7);
    assert.equal(saved.bytes.greatest, 1_000);
  });

  it('times the first messages, then one of eight with the weight of all', () => {
    const link = recordLink({}, []);
    for (let sent = 0; sent < 10_000; sent += 1) {
      const us = sent < 256 ? 100 : 10;
      link.onSent('x', 1_000, link.isTimed() ? 1_000 + us / 1_000 : 0);
    }
    const { count, sum } = link.save().sendUs;
    assert.ok(count <= 10_000 && count > 10_000 - 8);
    assert.ok(Math.abs(sum / count - (256 * 100 + 9_744 * 10) / 10_000) < 0.1, String(sum / count));
  });

  it('measures fewer messages after its time is used up, with the weight of all', () => {
    const budget = new TimeBudget(() => 0, 1, 0.01);
    budget.spend(10);
    const saved = recordLink(
      {},
      Array.from({ length: 5_000 }, (_, id) => ({ id })),
      { budget },
    ).save();
    assert.equal(saved.sent, 5_000);
    assert.ok(saved.decodeUs.cells.length < 100);
    assert.ok(saved.bytes.count > 0 && saved.bytes.count <= 5_000);
    assert.ok(saved.sample.length <= 200);
  });

  it('times the second deserialisation if it measures few messages', (t) => {
    const parse = t.mock.method(JSON, 'parse');
    const budget = new TimeBudget(() => 0, 1e9, 0.01);
    const link = recordLink({}, [], { budget });
    const send = () => link.onSent({ id: 1 }, 1, 1);
    send();
    assert.equal(parse.mock.callCount(), 1);
    link.stride = 2;
    link.toSkip = 0;
    send();
    assert.equal(parse.mock.callCount(), 3);
    assert.equal(link.save().decodeUs.count, 2);
  });

  it('keeps the allowed time of a budget when its share changes', () => {
    let ms = 0;
    const budget = new TimeBudget(() => ms, 10, 0.1);
    ms = 100;
    budget.setShare(0.01);
    budget.spend(10);
    assert.equal(budget.used(), 0.5);
    ms = 1_100;
    assert.ok(Math.abs(budget.used() - 10 / 30) < 1e-9);
  });

  it('keeps shapes, or messages with --contents', () => {
    const secret = { password: 'hunter2' };
    assert.doesNotMatch(JSON.stringify(recordLink({}, [secret]).save()), /hunter2|password/);
    assert.match(
      JSON.stringify(recordLink({}, [secret], { keepsContents: true }).save()),
      /"password":"hunter2"/,
    );
  });
});

describe('joinParts', () => {
  it('counts the links that were in use at the same time', () => {
    const link = (
      /** @type {number} */ pid,
      /** @type {number} */ firstMs,
      /** @type {number} */ lastMs,
    ) => ({
      ...recordLink({ peer: { pid } }, ['x', 'y']).save(),
      firstMs,
      lastMs,
    });
    const [channel] = trafficOf(
      makePart({
        links: [link(2, 0, 10), link(3, 5, 20), link(4, 11, 30), link(5, 40, 50), link(6, 50, 60)],
      }),
      ...[2, 3, 4, 5, 6].map((pid) => makePart({ pid, parentPid: 1, label: 'worker.js' })),
    ).channels;
    assert.deepEqual([channel.links, channel.atOnce], [5, 2]);
  });

  it('joins links to channels between scripts', () => {
    const child = (/** @type {number} */ pid) =>
      makePart({
        pid,
        parentPid: 1,
        isChild: true,
        label: 'worker.js',
        links: [
          recordLink({ peer: { parentProcess: true } }, [{ answer: 1 }], { received: [1, 2, 3] }).save(),
        ],
      });
    const messages = [1, 2, 3].map((id) => ({ id }));
    const links = [2, 3].map((pid) => recordLink({ peer: { pid } }, messages).save());
    const { channels, processes } = trafficOf(makePart({ links }), child(2), child(3));
    assert.equal(processes, 3);
    assert.deepEqual(
      channels.map(({ number, from, to, links: count, messages: sent }) => ({
        number,
        from,
        to,
        count,
        sent,
      })),
      [
        { number: 1, from: 'server.js', to: 'worker.js (child)', count: 2, sent: 6 },
        { number: 2, from: 'worker.js (child)', to: 'server.js', count: 2, sent: 2 },
      ],
    );
  });

  it('finds the end that is the parent of the others', () => {
    const fromMaster = (/** @type {any[]} */ ...parts) =>
      trafficOf(...parts).channels.map(({ from, fromMaster: is = false }) => `${from} ${is}`);
    const linkOf = (/** @type {any} */ facts) => recordLink(facts, ['x']).save();
    const child = (/** @type {number} */ pid) =>
      makePart({
        pid,
        parentPid: 1,
        label: 'w.js',
        isChild: true,
        links: [linkOf({ peer: { parentProcess: true } })],
      });
    assert.deepEqual(
      fromMaster(makePart({ links: [2, 3].map((pid) => linkOf({ peer: { pid } })) }), child(2), child(3)),
      ['server.js true', 'w.js (child) false'],
    );
    assert.deepEqual(fromMaster(makePart({ links: [linkOf({ peer: { pid: 2 } })] }), child(2)), [
      'server.js true',
      'w.js (child) false',
    ]);
    const port = { mechanism: 'MessagePort', peer: { port: '1-0-0-1' } };
    assert.deepEqual(
      fromMaster(
        makePart({ links: [linkOf(port)], transfers: [{ port: '1-0-0-2', to: { thread: 1 } }] }),
        makePart({ thread: 1, links: [linkOf({ mechanism: 'MessagePort', peer: { unknownPort: 0 } })] }),
      ),
      ['server.js true', 'server.js (thread) false'],
    );
  });

  it('counts and names a sender that was not recorded', () => {
    const links = [recordLink({ peer: { pid: 9 } }, [], { received: [1, 2] }).save()];
    const started = [
      { pid: 9, label: 'other.js', isNode: true, why: 'server.js started it with NODE_OPTIONS of its own' },
    ];
    const { channels, notRecorded } = trafficOf(makePart({ links, processes: started }));
    assert.equal(channels[0].from, 'other.js (not recorded)');
    assert.equal(channels[0].messages, 2);
    assert.match(notRecorded[0], /other\.js \(pid 9\): server\.js started it with NODE_OPTIONS of its own/);
  });

  it('counts messages as lost that a completely recorded receiver did not get', () => {
    const messages = Array.from({ length: 10 }, (_, id) => ({ id }));
    const counted = (/** @type {boolean} */ isWhole, failed = 0) => {
      const link = recordLink({ peer: { pid: 2 } }, messages);
      link.failed = failed;
      const received = recordLink({ peer: { parentProcess: true } }, [], { received: [1, 2, 3, 4] });
      const child = { pid: 2, parentPid: 1, isChild: true, label: 'w.js', isWhole };
      const [{ messages: count, lost = 0 }] = trafficOf(
        makePart({ links: [link.save()] }),
        makePart({ ...child, links: [received.save()] }),
      ).channels;
      return [count, lost];
    };
    assert.deepEqual(counted(true), [4, 6]);
    // It was killed, and may have received more.
    assert.deepEqual(counted(false), [10, 0]);
    assert.deepEqual(counted(false, 3), [7, 3]);
  });

  it('names processes that run on, and those that could not load the recorder', () => {
    const old = {
      pid: 9,
      thread: 0,
      label: 'old.js',
      notRecorded: 'Node.js 16.0.0 cannot load the recorder',
    };
    const parts = [makePart({}), /** @type {any} */ (old)];
    const { notRecorded, processes } = joinParts(
      parts,
      (name) => name,
      (pid) => pid === 1,
    );
    assert.equal(processes, 1);
    assert.deepEqual(
      notRecorded.map((text) => text.split(':')[0]),
      ['old.js (pid 9)', 'server.js (pid 1)'],
    );
  });

  it('finds the other end of a port, and ignores ports within a thread', () => {
    const port = (/** @type {string} */ name) => ({
      mechanism: /** @type {const} */ ('MessagePort'),
      peer: { port: name },
    });
    const main = makePart({
      threads: [1],
      transfers: [{ port: '1-0-0-2', to: { thread: 1 } }],
      links: [
        recordLink(port('1-0-0-1'), ['x']).save(),
        recordLink(port('1-0-1-1'), ['x']).save(),
        recordLink(port('1-0-1-2'), [], { received: ['x'] }).save(),
      ],
    });
    const thread = makePart({
      thread: 1,
      label: 'thread.js',
      links: [recordLink({ mechanism: 'MessagePort', peer: { unknownPort: 0 } }, ['y', 'z']).save()],
    });
    const { channels } = trafficOf(main, thread);
    assert.deepEqual(
      channels.map(({ from, to, messages }) => [from, to, messages]),
      [
        ['thread.js (thread)', 'server.js', 2],
        ['server.js', 'thread.js (thread)', 1],
      ],
    );
  });
});

describe('--traffic', () => {
  const folder = ownFolder('ibto-');
  const path = join(folder, 'traffic.json');
  const ids = Array.from({ length: 40 }, (_, id) => ({ id, text: 'x'.repeat(id) }));
  const saved = recordLink({}, ids, { received: ids.map(({ id }) => ({ id })) }).save();
  const texts = recordLink({ mechanism: 'postMessage', serialisation: 'v8', peer: { thread: 1 } }, [
    'one',
    'two',
    'three',
  ]).save();
  writeFileSync(path, trafficText(trafficOf(makePart({ links: [saved, texts] }))));
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
    const facts = /** @type {const} */ ({
      mechanism: 'postMessage',
      serialisation: 'v8',
      peer: { thread: 1 },
    });
    const message = { text: 'it’s “quoted”', rows: [...Array(300).keys()].map((at) => at / 7) };
    const saved = recordLink(facts, Array(3).fill(message)).save();
    writeFileSync(file, trafficText(trafficOf(makePart({ links: [saved] }))));
    const { messageFile } = resolved({ traffic: file }).options;
    const [{ recordedBytes, replayedBytes }] = messageFile?.replaySizes ?? [];
    assert.equal(recordedBytes, serialize(message).length);
    assert.ok(Math.abs(Number(replayedBytes) / recordedBytes - 1) < 0.02, String(replayedBytes));
  });

  it('reports both sizes of channels whose replay has messages of another size', () => {
    const file = join(folder, 'sizes.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const linesWith = (/** @type {number[]} */ times) => {
      const channels = traffic.channels.map((channel, place) => ({
        ...channel,
        bytes: { ...channel.bytes, sum: times[place] * channel.bytes.sum },
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
    const linesOf = (/** @type {number} */ recordedBytes, /** @type {number} */ replayedBytes) =>
      sizeLines([{ channel: 1, recordedBytes, replayedBytes }]).length;
    assert.deepEqual([linesOf(100, 110), linesOf(100, 90), linesOf(0, 1), linesOf(5, 6)], [0, 0, 0, 0]);
    assert.deepEqual([linesOf(100, 111), linesOf(100, 89), linesOf(0, 2), linesOf(5, 7)], [1, 1, 1, 1]);
    const file = join(folder, 'sizes.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const bytes = { count: 0, sum: 0, least: 0, greatest: 0, cells: [] };
    const channels = traffic.channels.map((channel) => ({ ...channel, bytes }));
    writeFileSync(file, trafficText({ ...traffic, channels }));
    assert.deepEqual(resolved({ traffic: file }).options.messageFile?.replaySizes, []);
  });

  it('starts as many workers as links were in use at the same time', () => {
    const several = join(folder, 'several.json');
    const traffic = trafficOf(makePart({ links: [saved] }));
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
    const traffic = trafficOf(makePart({ links: [saved] }));
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
    assert.deepEqual(options.open?.ratesPerSecond, [1_026]);
    assert.equal(config.traffic, path);
    assert.equal(config.channel, 1);
    assert.ok(!('message-file' in config));
  });

  it('rejects --traffic with options that contradict it', () => {
    assert.throws(() => repeated({ channel: '9' }), /--channel: .* has channels 1 to 3/);
    assert.throws(() => repeated({ channel: '2' }), /channel 2 has no sample of messages/);
    assert.throws(() => repeated({ payload: '10' }), /--traffic/);
    assert.throws(
      () => repeated({ traffic: join(folder, 'none.json') }),
      /none\.json cannot be read as recorded traffic: ENOENT/,
    );
  });
});

describe('a traffic file', () => {
  const ids = Array.from({ length: 50 }, (_, id) => ({ id, text: 'x'.repeat(id) }));
  const links = [recordLink({}, ids, { received: ids.map(({ id }) => ({ id })) }).save()];
  const traffic = trafficOf(
    makePart({ links, processes: [{ pid: 2, label: 'w.js', isNode: true, why: '' }] }),
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
      refused(text.replace('"version":2', '"version":3')),
      /version 3, .* newer than this one\. Update ipc-bench/,
    );
    assert.throws(refused('{"schemaVersion":1}'), /another kind\. Name a file that ipc-bench record saved/);
    assert.throws(() => readTraffic('/nowhere/traffic.json'), /ENOENT\. Check the path/);
  });

  it('neither writes nor reads a file of another shape', () => {
    const [channel, ...others] = traffic.channels;
    const broken = /** @type {any} */ ({ ...traffic, channels: [{ ...channel, links: -1 }, ...others] });
    assert.throws(() => trafficText(broken), /could not be read again: channels\[0\]\.links is less than 0/);
    const damaged = join(folder, 'damaged.json');
    writeFileSync(damaged, signTraffic(broken));
    assert.throws(() => readTraffic(damaged), {
      code: 'BAD_ARGUMENT',
      message: /damaged\.json .*: channels\[0\]\.links is less than 0\. Record the program again\.$/,
    });
  });

  const lists = (/** @type {number} */ levels) => `${'{"l":[['.repeat(levels)}5${',1]]}'.repeat(levels)}`;
  /** @param {string} shape   JSON @returns {string} path of a file with a message of this shape */
  const fileWith = (shape) => {
    const [channel, ...others] = traffic.channels;
    const sample = [{ key: 1, characters: 1, shape: JSON.parse(shape) }, ...channel.sample];
    return writeTraffic(signTraffic({ ...traffic, channels: [{ ...channel, sample }, ...others] }));
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
    const text = signTraffic({ ...traffic, errors: ['HERE'] });
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
      const link = recordLink({}, [deep(102), deep(50), long], { keepsContents }).save();
      assert.deepEqual([link.sent, link.sample.length], [3, 1]);
      assert.ok(trafficText(trafficOf(makePart({ links: [link] }))));
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
