// Several connections of a worker, without a process: plan, endpoint, memory and charts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectAll } from '../../lib/launch/worker/joined-worker.js';
import { readConnectionRoom } from '../../lib/machine/limits.js';
import { Meter } from '../../lib/measure/meter.js';
import { Slots } from '../../lib/measure/open-load.js';
import { skipOfCell } from '../../lib/plan/skip-reasons.js';
import { RequestEndpoint } from '../../lib/workload/endpoints/request-endpoint.js';

/** @import { Cell } from '../../lib/types/index.js' */

const ROOM = Object.freeze({ openFiles: 1_048_576, ports: 28_232, backlog: 4_096 });
const TRAITS = { reach: 'network', reconnects: true, greatestMessageBytes: Infinity };
/** @type {Cell} */
const CELL = {
  transport: 'tcp',
  codec: 'json',
  scenario: 'round-trip',
  payloadBytes: 100,
  workers: 4,
  loops: 2,
  placement: 'split',
  settings: {},
};

/** @param {Partial<Cell>} cell @param {{ traits?: object, scenario?: object, room?: object }} [around] */
function skipOf(cell, { traits = {}, scenario = { isOverConnections: true }, room = {} } = {}) {
  const parts = /** @type {any} */ ({
    transport: { name: 'tcp', carries: ['text'], traits: { ...TRAITS, ...traits } },
    codec: { name: 'json', produces: 'text' },
    scenario: { name: 'round-trip', ...scenario },
    cell: { ...CELL, ...cell },
    options: { messages: null },
    schema: null,
  });
  const cpus = { canPin: true, usableCpus: 8, room: { ...ROOM, ...room } };
  return skipOfCell(parts, cpus);
}

describe('a plan with several connections', () => {
  it('skips transports without reconnection and scenarios with one connection', () => {
    assert.deepEqual(skipOf({ connections: 16 }), { skip: null });
    const once = skipOf({ connections: 16 }, { traits: { reconnects: undefined } });
    assert.match(String(once.skip), /one connection over tcp/);
    assert.equal(once.isImpossible, true);
    assert.match(String(skipOf({ connections: 16 }, { scenario: {} }).skip), /leave out --connections/);
    assert.deepEqual(skipOf({}, { traits: { reconnects: undefined }, scenario: {} }), { skip: null });
  });

  it('reads the limits from /proc, and returns null for those that are missing', () => {
    const texts = /** @type {Record<string, string>} */ ({
      '/proc/self/limits': 'Max open files            4096                 524288               files     \n',
      '/proc/sys/net/ipv4/ip_local_port_range': '32768\t60999\n',
      '/proc/sys/net/core/somaxconn': '128\n',
    });
    const room = readConnectionRoom((path) => texts[path] ?? null);
    assert.deepEqual(room, { openFiles: 4_096, ports: 28_232, backlog: 128 });
    assert.deepEqual(
      readConnectionRoom(() => null),
      { openFiles: null, ports: null, backlog: null },
    );
  });
});

describe('connectAll', () => {
  it('rejects if one connection fails', async () => {
    const refused = new Error('refused');
    const connect = async () => Promise.reject(refused);
    await assert.rejects(
      connectAll(['w0c1', 'w0c2'], { workers: 1 }, connect, () => {}),
      refused,
    );
  });
});

/** @returns {{ endpoint: RequestEndpoint, sent: any[][], answer: (connection: number, wire: any) => void }} over two connections */
function makeEndpoint(loops = 1) {
  /** @type {any[][]} */
  const sent = [[], []];
  const channels = sent.map((own) => ({
    send: (/** @type {any} */ wire) => own.push(wire) > 0,
    drained: async () => {},
    close: async () => {},
    onMessage: (/** @type {any} */ _wire) => {},
    onClose() {},
  }));
  const codec = {
    encode: (/** @type {any} */ message) => message,
    decode: (/** @type {any} */ wire) => wire,
  };
  const parts = /** @type {any} */ ({ channel: channels[0], payloads: ['aa', 'bb'], meter: new Meter() });
  const endpoint = new RequestEndpoint({ loops }, codec, { ...parts, open: null }, async () => {});
  endpoint.serve(channels[1]);
  return { endpoint, sent, answer: (connection, wire) => channels[connection].onMessage(wire) };
}

describe('RequestEndpoint over several connections', () => {
  it('sends one request over each connection before it is ready', async () => {
    const { endpoint, sent, answer } = makeEndpoint();
    const ready = endpoint.ready();
    assert.deepEqual(
      sent.map(({ length }) => length),
      [1, 1],
    );
    for (const connection of [0, 1]) answer(connection, sent[connection][0]);
    await ready;
    await endpoint.ready();
    assert.equal(endpoint.progress(), 2, 'no connection carries a second first request');
  });

  it('uses ids of ten digits for any number of connections', () => {
    const { endpoint, sent } = makeEndpoint();
    const channel = /** @type {any} */ ({ send: (/** @type {any} */ wire) => sent[0].push(wire) > 0 });
    // Each takes a thousandth of all ids.
    for (let more = 0; more < 1_100; more += 1) endpoint.serve(channel);
    endpoint.ready();
    const ids = sent.flat().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every((id) => id >= 1e9 && id < 2e9));
  });

  it('detects a response over another connection than its request', async () => {
    const { endpoint, sent, answer } = makeEndpoint();
    const ready = endpoint.ready();
    answer(0, sent[1][0]);
    answer(1, sent[0][0]);
    await assert.rejects(ready, { code: 'INTEGRITY' });
    assert.equal(endpoint.report().mistakes.duplicate, 2);
  });
});

describe('Slots', () => {
  it('returns loops in the order in which they became free', () => {
    const turns = new Slots();
    for (const loop of ['first', 'second', 'third']) turns.push(loop);
    assert.deepEqual([turns.pop(), turns.length], ['first', 2]);
    turns.push('first');
    assert.deepEqual(turns.splice(), ['second', 'third', 'first']);
    assert.deepEqual([turns.pop(), turns.length], [undefined, 0]);
  });
});
