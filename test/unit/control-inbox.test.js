// Control messages between agents over streams of a fake Redis: which of them are received, and what breaks a link.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ControlInbox } from '../../lib/hosts/control-inbox.js';
import { inboxKeyOf } from '../../lib/hosts/control-redis.js';

/** @typedef {(key: string, fields: string[]) => string[][]} Attack   the entries that are stored in place of one */

/** @param {string} name @param {string} [key] */
const linkOf = (name, key = 'the key of the launch') => ({ name, key });

class Server {
  /** @param {Attack} attack */
  constructor(attack) {
    this.attack = attack;
    /** @type {Map<string, [string, string[]][]>} */
    this.streams = new Map();
    this.entries = 0;
    this.changes = new EventEmitter();
  }

  client() {
    const { streams, changes } = this;
    const add = (/** @type {string} */ key, /** @type {string} */ _id, /** @type {string[]} */ ...fields) => {
      for (const stored of this.attack(key, fields)) {
        this.entries += 1;
        streams.set(key, [...(streams.get(key) ?? []), [`${this.entries}-0`, stored]]);
      }
      changes.emit('change');
    };
    return /** @type {any} */ ({
      status: 'ready',
      on() {},
      pipeline() {
        /** @type {(() => void)[]} */
        const commands = [];
        const pipeline = {
          xadd: (/** @type {any[]} */ ...args) => {
            commands.push(() => add(.../** @type {[string, string]} */ (args)));
            return pipeline;
          },
          pexpire: () => pipeline,
          exec: async () => commands.map((command) => [null, command()]),
        };
        return pipeline;
      },
      async xread(/** @type {any[]} */ ...args) {
        const [key, last] = args.slice(-2);
        for (;;) {
          const found = (streams.get(key) ?? []).filter(
            ([id]) => Number.parseInt(id, 10) > Number.parseInt(last, 10),
          );
          if (found.length > 0) return [[key, found]];
          await new Promise((resolve) => changes.once('change', () => resolve(undefined)));
        }
      },
      async xdel(/** @type {string} */ key, /** @type {string[]} */ ...ids) {
        streams.set(
          key,
          (streams.get(key) ?? []).filter(([id]) => !ids.includes(id)),
        );
      },
      del: async (/** @type {string} */ key) => streams.delete(key),
    });
  }
}

/** @param {{ attack?: Attack }} [how] */
function twoAgents({ attack = (_key, fields) => [fields] } = {}) {
  const server = new Server(attack);
  const [a, b] = ['a', 'b'].map((name) => new ControlInbox(server.client(), name));
  for (const inbox of [a, b]) inbox.read(server.client());
  /** @type {unknown[]} */
  const received = [];
  /** @type {string[]} */
  const broken = [];
  const end = {
    onMessage: (/** @type {string} */ from, /** @type {any} */ value) => received.push([from, value]),
    onBroken: (/** @type {string} */ from, /** @type {string} */ why) => broken.push(`${from}: ${why}`),
  };
  // Agents delete the entries that they have read.
  const settled = async () => {
    await turn();
    while ([...server.streams.values()].some((entries) => entries.length > 0)) await turn();
  };
  const ignored = { onMessage() {}, onBroken() {} };
  return { server, a, b, received, broken, end, ignored, settled };
}

const CHANGED = ['a: a control message was changed, left out or repeated on its way'];

describe('a link for control messages', () => {
  it('delivers values in order with the name of their sender, and leaves nothing at the server', async () => {
    const { server, a, b, received, broken, end, ignored, settled } = twoAgents();
    b.open(linkOf('l1'), end);
    const link = a.open(linkOf('l1'), ignored);
    for (let count = 1; count <= 5; count += 1) link.send('b', { count });
    await settled();
    assert.deepEqual(
      received,
      [1, 2, 3, 4, 5].map((count) => ['a', { count }]),
    );
    assert.deepEqual(broken, []);
    assert.deepEqual(server.streams.get(inboxKeyOf('b')), []);
    for (const inbox of [a, b]) await inbox.close();
    assert.equal(server.streams.size, 0);
  });

  it('encrypts its values', async () => {
    /** @type {string[][]} */
    const stored = [];
    const { a, ignored } = twoAgents({
      attack: (_key, fields) => {
        stored.push(fields);
        return [];
      },
    });
    a.open(linkOf('l1'), ignored).send('b', { password: 'hidden' });
    await turn();
    assert.equal(stored.length, 1);
    assert.ok(!Buffer.from(stored[0][5], 'base64').includes('hidden'));
  });

  const changed = (/** @type {string[]} */ fields) => {
    const bytes = Buffer.from(fields[5], 'base64');
    bytes[bytes.length - 1] ^= 1;
    return [...fields.slice(0, 5), bytes.toString('base64')];
  };
  /** @type {string[][]} */
  let seen = [];
  const ATTACKS = /** @type {[string, Attack, number][]} */ ([
    ['changes an entry', (_key, fields) => [changed(fields)], 0],
    ['leaves one out', (_key, fields) => (seen.push(fields) === 2 ? [] : [fields]), 1],
    ['repeats one', (_key, fields) => (seen.push(fields) === 2 ? [fields, fields] : [fields]), 2],
    ['swaps two', (_key, fields) => (seen.push(fields) === 1 ? [] : [fields, seen[0]]), 0],
    ['names another sender', (_key, fields) => [fields.with(3, 'c')], 0],
  ]);
  for (const [what, attack, count] of ATTACKS) {
    it(`breaks if the server ${what}`, async () => {
      seen = [];
      const { a, b, received, broken, end, ignored, settled } = twoAgents({ attack });
      b.open(linkOf('l1'), end);
      const link = a.open(linkOf('l1'), ignored);
      for (const value of [1, 2, 3]) link.send('b', { value });
      await settled();
      assert.equal(received.length, count);
      assert.equal(broken.length, 1, 'it is reported once');
      assert.match(broken[0], /changed, left out or repeated/);
    });
  }

  it('breaks if an entry was recorded in an earlier launch, or was encrypted with another key', async () => {
    /** @type {string[][]} */
    const recorded = [];
    const early = twoAgents({
      attack: (_key, fields) => {
        recorded.push(fields);
        return [fields];
      },
    });
    early.a.open(linkOf('l1'), early.ignored).send('b', { kill: true });
    await early.settled();
    const replayed = twoAgents({ attack: () => [recorded[0].with(1, 'l2')] });
    replayed.b.open(linkOf('l2'), replayed.end);
    replayed.a.open(linkOf('l2'), replayed.ignored).send('b', { kill: false });
    await replayed.settled();
    assert.deepEqual([replayed.received, replayed.broken], [[], CHANGED]);
    const other = twoAgents();
    other.b.open(linkOf('l1', 'the key of another one'), other.end);
    other.a.open(linkOf('l1'), other.ignored).send('b', {});
    await other.settled();
    assert.deepEqual([other.received, other.broken], [[], CHANGED]);
  });

  it('receives nothing after it was closed, and no entry of another link', async () => {
    const { a, b, received, broken, end, ignored, settled } = twoAgents();
    const link = a.open(linkOf('l1'), ignored);
    link.send('b', { early: true });
    await settled();
    const receiving = b.open(linkOf('l2'), end);
    receiving.close();
    a.open(linkOf('l2'), ignored).send('b', { late: true });
    await settled();
    assert.deepEqual([received, broken], [[], []]);
  });

  it('breaks if the server refuses an entry', async () => {
    const { a, broken, end } = twoAgents({
      attack: () => {
        throw new Error('OOM command not allowed');
      },
    });
    a.open(linkOf('l1'), end).send('b', {});
    while (broken.length === 0) await turn();
    assert.deepEqual(broken, ['b: a control message could not be sent: OOM command not allowed']);
  });
});
