// What the recorder computes: shapes without content, sizes, pairs of requests and responses, and channels out of parts.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { serialize } from 'node:v8';
import { HeardLink, LookBudget } from '../../lib/record/heard-link.js';
import { joinParts } from '../../lib/record/join-parts.js';
import { isInert, makeValue, NameReplacer, readShape } from '../../lib/record/message-shape.js';
import { RequestPairs } from '../../lib/record/request-pairs.js';
import {
  findChannel,
  makeMessages,
  parseTraffic,
  readTraffic,
  trafficText,
} from '../../lib/record/traffic-file.js';
import { readPercentile, WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { trafficTable } from '../../lib/report/columns/traffic-table.js';
import { messageLines, sizeLines } from '../../lib/report/text/message-words.js';
import { readMessages } from '../../lib/scenario/messages/message-file.js';
import { makeTraffic } from '../fixtures/make-traffic.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

/** @param {Partial<import('../../lib/record/preload.js').Part>} part @returns {import('../../lib/record/preload.js').Part} */
const makePart = (part) => ({
  pid: 1,
  parentPid: 0,
  thread: 0,
  label: 'server.js',
  isChild: false,
  node: '22.0.0',
  notHeard: null,
  startedMs: 1_000,
  writtenMs: 3_000,
  cpuMs: 1,
  processes: [],
  threads: [],
  transfers: [],
  links: [],
  errors: [],
  ...part,
});

/**
 * @param {Partial<import('../../lib/record/heard-link.js').HeardLink['facts']>} facts
 * @param {any[]} messages
 * @param {{ keepsContents?: boolean, received?: any[], budget?: LookBudget }} [how]
 */
function hear(facts, messages, { keepsContents = false, received = [], budget } = {}) {
  let ms = 1_000;
  const now = () => ms;
  const surroundings = {
    now,
    budget: budget ?? new LookBudget(now),
    names: new NameReplacer('key'),
    keepsContents,
  };
  const link = new HeardLink(
    { mechanism: 'process.send', serialisation: 'json', peer: { pid: 2 }, ...facts },
    surroundings,
  );
  for (const message of messages) {
    ms += 1;
    link.sent(message, ms, ms + 0.01);
  }
  for (const message of received) {
    ms += 1;
    link.receivedOne(message);
  }
  return link;
}

/** @param {Partial<import('../../lib/record/preload.js').Part>[]} parts */
const trafficOf = (...parts) => ({
  tool: '0.1.0',
  recordedAt: '2026-01-02T03:04:05.000Z',
  program: 'node server.js',
  hasContents: false,
  ...joinParts(parts.map(makePart), (name) => name),
});

describe('the histogram of a recording', () => {
  it('keeps small values exactly, others within half a percent, and weights', () => {
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

  it('merges to what one of all values would be', () => {
    const [one, other, all] = [new WeightedHistogram(), new WeightedHistogram(), new WeightedHistogram()];
    for (let value = 1; value < 5_000; value += 7) {
      (value % 2 === 0 ? one : other).record(value);
      all.record(value);
    }
    one.add(other.save());
    assert.deepEqual(one.save(), all.save());
  });
});

describe('the shape of a message', () => {
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

  it('gives messages as long in JSON, with the same structure', () => {
    const made = makeValue(readShape(message, names), 1);
    const [bytes, madeBytes] = [message, made].map((value) => Buffer.byteLength(JSON.stringify(value)));
    assert.ok(Math.abs(madeBytes / bytes - 1) < 0.01, `${madeBytes} instead of ${bytes}`);
    assert.deepEqual(
      Object.values(made).map((value) => typeof value),
      Object.values(message).map((value) => typeof value),
    );
    assert.equal(Object.values(made)[6].length, 300);
  });

  it('holds neither names nor values', () => {
    const text = JSON.stringify(readShape(message, names));
    for (const word of ['name', 'price', 'Gr', 'plain', 'tag', '1234', '12', 'nested'])
      assert.ok(!text.includes(word), word);
  });

  it('replaces a name by the same one everywhere, and two names of an object by two', () => {
    assert.equal(new NameReplacer('key').replace('user'), names.replace('user'));
    assert.notEqual(new NameReplacer('other').replace('user'), names.replace('user'));
    const letters = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, 1]));
    assert.equal(Object.keys(/** @type {any} */ (readShape(letters, names)).o).length, 26);
  });

  it('is not read where reading would run code of the program', () => {
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

describe('requests and responses', () => {
  it('are paired by a field whose values come back, from the first message on', () => {
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

  it('are not found in a field that is always the same, nor where nothing comes back', () => {
    const [constant, silent] = [new RequestPairs(), new RequestPairs()];
    for (let number = 0; number < 100; number += 1) {
      constant.sent({ type: 'job' }, number);
      constant.received({ type: 'job' }, number);
      silent.sent({ id: number }, number);
    }
    assert.equal(constant.save(), null);
    assert.equal(silent.save(), null);
  });

  it('of a few messages are found at the end of a recording', () => {
    const pairs = new RequestPairs();
    for (let id = 0; id < 4; id += 1) {
      pairs.sent({ id }, id);
      pairs.received({ id, result: id }, id + 1);
    }
    assert.equal(pairs.save()?.paired, 4);
  });
});

describe('a heard link', () => {
  it('counts exactly, and knows the size of each text, of bytes and of values', () => {
    const saved = hear({}, ['é', Buffer.alloc(1_000), { a: 1 }]).save();
    assert.equal(saved.sent, 3);
    assert.deepEqual(saved.kinds, { text: 1, bytes: 1, value: 1 });
    assert.equal(saved.bytes.sum, 2 + 1_000 + 7);
    assert.equal(saved.bytes.greatest, 1_000);
  });

  it('times each of the first messages, and then one of eight, which stands for all', () => {
    const link = hear({}, []);
    for (let sent = 0; sent < 10_000; sent += 1) {
      const us = sent < 256 ? 100 : 10;
      link.sent('x', 1_000, link.isTimed() ? 1_000 + us / 1_000 : 0);
    }
    const { count, sum } = link.save().sendUs;
    assert.ok(count <= 10_000 && count > 10_000 - 8);
    assert.ok(Math.abs(sum / count - (256 * 100 + 9_744 * 10) / 10_000) < 0.1, String(sum / count));
  });

  it('looks into fewer messages once its time is used up, which then stand for all', () => {
    const budget = new LookBudget(() => 0, 1);
    budget.spend(10);
    const saved = hear(
      {},
      Array.from({ length: 5_000 }, (_, id) => ({ id })),
      { budget },
    ).save();
    assert.equal(saved.sent, 5_000);
    assert.ok(saved.decodeUs.cells.length < 100);
    assert.ok(saved.bytes.count > 0 && saved.bytes.count <= 5_000);
    assert.ok(saved.sample.length <= 200);
  });

  it('deserialises twice where it looks at few messages, and times the second time', (t) => {
    const parse = t.mock.method(JSON, 'parse');
    const budget = new LookBudget(() => 0, 1e9);
    const link = hear({}, [], { budget });
    const send = () => link.sent({ id: 1 }, 1, 1);
    send();
    assert.equal(parse.mock.callCount(), 1);
    link.stride = 2;
    link.toSkip = 0;
    send();
    assert.equal(parse.mock.callCount(), 3);
    assert.equal(link.save().decodeUs.count, 2);
  });

  it('keeps shapes, or messages where the user asks for them', () => {
    const secret = { password: 'hunter2' };
    assert.doesNotMatch(JSON.stringify(hear({}, [secret]).save()), /hunter2|password/);
    assert.match(JSON.stringify(hear({}, [secret], { keepsContents: true }).save()), /"password":"hunter2"/);
  });

  it('remembers bursts', () => {
    const saved = hear(
      {},
      Array.from({ length: 100 }, () => 'x'),
    ).save();
    assert.ok(saved.busiest10Ms >= 9 && saved.busiest10Ms <= 10);
    assert.equal(saved.arrivals.length, 100);
  });
});

describe('parts of processes and threads', () => {
  it('tell how many of the links were in use at the same time', () => {
    const link = (
      /** @type {number} */ pid,
      /** @type {number} */ firstMs,
      /** @type {number} */ lastMs,
    ) => ({
      ...hear({ peer: { pid } }, ['x', 'y']).save(),
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

  it('become channels between scripts, with all their links', () => {
    const child = (/** @type {number} */ pid) =>
      makePart({
        pid,
        parentPid: 1,
        isChild: true,
        label: 'worker.js',
        links: [hear({ peer: { parentProcess: true } }, [{ answer: 1 }], { received: [1, 2, 3] }).save()],
      });
    const messages = [1, 2, 3].map((id) => ({ id }));
    const links = [2, 3].map((pid) => hear({ peer: { pid } }, messages).save());
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

  it('tell which end has the others as its children or threads', () => {
    const fromMaster = (/** @type {any[]} */ ...parts) =>
      trafficOf(...parts).channels.map(({ from, fromMaster: is = false }) => `${from} ${is}`);
    const said = (/** @type {any} */ facts) => hear(facts, ['x']).save();
    const child = (/** @type {number} */ pid) =>
      makePart({
        pid,
        parentPid: 1,
        label: 'w.js',
        isChild: true,
        links: [said({ peer: { parentProcess: true } })],
      });
    assert.deepEqual(
      fromMaster(makePart({ links: [2, 3].map((pid) => said({ peer: { pid } })) }), child(2), child(3)),
      ['server.js true', 'w.js (child) false'],
    );
    assert.deepEqual(fromMaster(makePart({ links: [said({ peer: { pid: 2 } })] }), child(2)), [
      'server.js true',
      'w.js (child) false',
    ]);
    const port = { mechanism: 'MessagePort', peer: { port: '1-0-0-1' } };
    assert.deepEqual(
      fromMaster(
        makePart({ links: [said(port)], transfers: [{ port: '1-0-0-2', to: { thread: 1 } }] }),
        makePart({ thread: 1, links: [said({ mechanism: 'MessagePort', peer: { unknownPort: 0 } })] }),
      ),
      ['server.js true', 'server.js (thread) false'],
    );
  });

  it('count what was received from one that was not heard, and name it', () => {
    const links = [hear({ peer: { pid: 9 } }, [], { received: [1, 2] }).save()];
    const started = [{ pid: 9, label: 'other.js', isNode: true, isHeard: false }];
    const { channels, notHeard } = trafficOf(makePart({ links, processes: started }));
    assert.equal(channels[0].from, 'other.js (not heard)');
    assert.equal(channels[0].messages, 2);
    assert.match(notHeard[0], /other\.js \(pid 9\): server\.js started it with NODE_OPTIONS of its own/);
  });

  it('tell where the other end of a port is, and leave out ports within a thread', () => {
    const port = (/** @type {string} */ name) => ({
      mechanism: /** @type {const} */ ('MessagePort'),
      peer: { port: name },
    });
    const main = makePart({
      threads: [{ thread: 1 }],
      transfers: [{ port: '1-0-0-2', to: { thread: 1 } }],
      links: [
        hear(port('1-0-0-1'), ['x']).save(),
        hear(port('1-0-1-1'), ['x']).save(),
        hear(port('1-0-1-2'), [], { received: ['x'] }).save(),
      ],
    });
    const thread = makePart({
      thread: 1,
      label: 'thread.js',
      links: [hear({ mechanism: 'MessagePort', peer: { unknownPort: 0 } }, ['y', 'z']).save()],
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
  const asked = hear({}, ids, { received: ids.map(({ id }) => ({ id })) }).save();
  const texts = hear({ mechanism: 'postMessage', serialisation: 'v8', peer: { thread: 1 } }, [
    'one',
    'two',
    'three',
  ]).save();
  writeFileSync(path, trafficText(trafficOf(makePart({ links: [asked, texts] }))));
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

  it('repeats responses together with their requests, whichever of the two takes more time', () => {
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
    // Of requests that were not heard there is nothing to repeat.
    save({ ...requests, sample: [] }, responses);
    assert.deepEqual(replayed('2'), ['stream:direction=to-worker', 2, undefined]);
    // A few responses among what is sent without being asked for.
    save(requests, { ...responses, messages: 100 * responses.messages });
    assert.deepEqual(replayed('2'), ['stream:direction=to-worker', 2, undefined]);
    // Each asks the other.
    save(requests, { ...responses, pairs: requests.pairs });
    assert.deepEqual(replayed('2'), ['round-trip', 2, 1]);
  });

  /** @type {[string, any, any][]} */
  const sized = [
    ['lists of decimals', {}, { rows: Array(100).fill(Array.from({ length: 100 }, (_, at) => at / 100)) }],
    ['bytes in an object', {}, { data: Buffer.alloc(65_536, 200) }],
    [
      'typographic quotes',
      { mechanism: 'postMessage', serialisation: 'v8' },
      { text: '“It’s” – … '.repeat(40) },
    ],
    ['letters', { mechanism: 'postMessage', serialisation: 'v8' }, { text: 'its '.repeat(100) }],
    ['small numbers', {}, { id: 12, more: [1, 2, 3] }],
  ];
  for (const [what, facts, message] of sized)
    it(`compares the sizes of the replay with the recorded ones: ${what}`, () => {
      const own = join(folder, 'sizes.json');
      const peer = facts.mechanism === 'postMessage' ? { thread: 1 } : { pid: 2 };
      const links = [hear({ ...facts, peer }, Array(3).fill(message)).save()];
      writeFileSync(own, trafficText(trafficOf(makePart({ links }))));
      const { messageFile } = resolved({ traffic: own }).options;
      assert.ok(messageFile);
      const sizeOf = (/** @type {any} */ value) =>
        facts.serialisation === 'v8' ? serialize(value).length : Buffer.byteLength(JSON.stringify(value));
      const replayed = readMessages(messageFile).messages.map(({ value }) => sizeOf(value));
      const recordedBytes = sizeOf(message);
      const replayedBytes = Math.round(replayed.reduce((sum, each) => sum + each, 0) / replayed.length);
      assert.deepEqual(messageFile.replaySizes, [{ channel: 1, recordedBytes, replayedBytes }]);
      const isTold = messageLines(messageFile).some((line) => /the answer holds for the replayed/.test(line));
      assert.equal(isTold, Math.abs(replayedBytes / recordedBytes - 1) > 0.1);
    });

  it('says for each channel whose replay has messages of another size, what they are', () => {
    const own = join(folder, 'sizes.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const linesWith = (/** @type {number[]} */ times) => {
      const channels = traffic.channels.map((channel, place) => ({
        ...channel,
        bytes: { ...channel.bytes, sum: times[place] * channel.bytes.sum },
      }));
      writeFileSync(own, trafficText({ ...traffic, channels }));
      return messageLines(resolved({ traffic: own }).options.messageFile).filter((line) =>
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

  it('says nothing of sizes that differ by a tenth, by a byte, or are not known', () => {
    const linesOf = (/** @type {number} */ recordedBytes, /** @type {number} */ replayedBytes) =>
      sizeLines([{ channel: 1, recordedBytes, replayedBytes }]).length;
    assert.deepEqual([linesOf(100, 110), linesOf(100, 90), linesOf(0, 1), linesOf(5, 6)], [0, 0, 0, 0]);
    assert.deepEqual([linesOf(100, 111), linesOf(100, 89), linesOf(0, 2), linesOf(5, 7)], [1, 1, 1, 1]);
    const own = join(folder, 'sizes.json');
    const traffic = makeTraffic({ requests: 300, sendUs: 5 });
    const bytes = { count: 0, sum: 0, least: 0, greatest: 0, cells: [] };
    const channels = traffic.channels.map((channel) => ({ ...channel, bytes }));
    writeFileSync(own, trafficText({ ...traffic, channels }));
    assert.deepEqual(resolved({ traffic: own }).options.messageFile?.replaySizes, []);
  });

  it('has as many workers as there were links in use at the same time', () => {
    const several = join(folder, 'several.json');
    const traffic = trafficOf(makePart({ links: [asked] }));
    const [channel] = traffic.channels;
    const workersOf = (/** @type {number | undefined} */ atOnce) => {
      writeFileSync(several, trafficText({ ...traffic, channels: [{ ...channel, links: 24, atOnce }] }));
      return resolved({ traffic: several }).options.shapes[0].workers;
    };
    assert.equal(channel.atOnce, 1);
    assert.deepEqual([workersOf(2), workersOf(undefined)], [2, 24]);
  });

  it('makes one-way texts of threads a stream', () => {
    const { options } = repeated({ channel: '3' });
    assert.equal(options.reference, 'threads-message/string');
    assert.deepEqual(options.scenarios, ['stream:direction=to-worker']);
    assert.equal(options.messageFile?.format, 'text');
  });

  it('has a parent that asks several hand out tasks, beside pools', () => {
    const several = join(folder, 'pool.json');
    const traffic = trafficOf(makePart({ links: [asked] }));
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

  it('gives way to what the user says, and takes the recorded rate', () => {
    const { options, config } = repeated({ channel: '1', workers: '2x2', codec: 'json', rate: 'recorded' });
    assert.deepEqual(options.shapes, [{ workers: 2, loops: 2 }]);
    assert.deepEqual(options.codecs, ['json']);
    assert.deepEqual(options.open?.ratesPerSecond, [1_026]);
    assert.equal(config.traffic, path);
    assert.equal(config.channel, 1);
    assert.ok(!('message-file' in config));
  });

  it('is refused with what contradicts it', () => {
    assert.throws(() => repeated({ channel: '9' }), /--channel: .* has channels 1 to 3/);
    assert.throws(() => repeated({ channel: '2' }), /no message of channel 2 was looked at/);
    assert.throws(() => repeated({ payload: '10' }), /--traffic/);
    assert.throws(
      () => repeated({ traffic: undefined, channel: '1' }),
      /--channel: is a channel of recorded traffic; give its file/,
    );
    assert.throws(
      () => repeated({ traffic: undefined, rate: 'recorded' }),
      /--rate: recorded is the rate of --traffic; give that/,
    );
    assert.throws(
      () => repeated({ traffic: join(folder, 'none.json') }),
      /none\.json cannot be read as recorded traffic: ENOENT/,
    );
  });
});

describe('a traffic file', () => {
  const ids = Array.from({ length: 50 }, (_, id) => ({ id, text: 'x'.repeat(id) }));
  const links = [hear({}, ids, { received: ids.map(({ id }) => ({ id })) }).save()];
  const traffic = trafficOf(
    makePart({ links, processes: [{ pid: 2, label: 'w.js', isNode: true, isHeard: true }] }),
  );
  const text = trafficText(traffic);
  const folder = ownFolder('ibtr-');

  it('is read as it was written', () => {
    const path = join(folder, 'traffic.json');
    writeFileSync(path, text);
    assert.deepEqual(readTraffic(path), JSON.parse(JSON.stringify(traffic)));
  });

  it('is refused where it was cut off, changed, of a newer version, of another kind, or is not there', () => {
    const refused = (/** @type {string} */ changed) => () => parseTraffic(changed, 'traffic.json');
    assert.throws(refused(text.slice(0, 500)), /traffic\.json .*was cut off.*Record the program again/);
    assert.throws(
      refused(text.replace('"sent":50', '"sent":51').replace('node server.js', 'node s.js')),
      /was changed after/,
    );
    assert.throws(
      refused(text.replace('"version":1', '"version":2')),
      /version 2, .* newer than this one\. Update ipc-bench/,
    );
    assert.throws(refused('{"schemaVersion":1}'), /another kind\. Name a file that ipc-bench record saved/);
    assert.throws(() => readTraffic('/nowhere/traffic.json'), /ENOENT\. Check the path/);
  });

  it('gives messages for a run', () => {
    const messages = makeMessages(findChannel(traffic, undefined, 'traffic.json'));
    assert.equal(messages.length, 50);
    const sizes = messages.map((message) => Buffer.byteLength(message)).sort((left, right) => left - right);
    const recorded = ids.map((message) => JSON.stringify(message).length).sort((left, right) => left - right);
    assert.deepEqual(sizes, recorded);
    assert.throws(
      () => findChannel(traffic, 7, 'traffic.json'),
      /--channel: traffic\.json has channels 1 to 2/,
    );
    assert.throws(() => findChannel(traffic, 2, 'traffic.json'), /no message of channel 2 was looked at/);
  });

  it('is shown as a table that fits, with what was not heard', () => {
    for (const columns of [60, 80, 100]) {
      const table = trafficTable(traffic, { columns, styled: (_look, line) => line });
      assert.match(table, /1 server\.js → w\.js \(not heard\)/);
      assert.match(table, /Channel 1 has 50 requests, all with a response/);
      assert.match(table, /Not heard: w\.js \(pid 2\)/);
      assert.deepEqual(
        table.split('\n').filter((line) => line.length > columns),
        [],
      );
    }
  });
});
