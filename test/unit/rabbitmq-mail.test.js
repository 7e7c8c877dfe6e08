// What goes to RabbitMQ and comes from it, over a channel of AMQP that only notes what it is asked.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BenchError } from '../../lib/errors.js';
import { DIRECT_REPLY, openMail } from '../../transports/rabbitmq/rabbitmq-mail.js';

const NONE = { guarantee: 'none', reply: 'queue', queue: 'classic', prefetch: 300 };
const CONFIRM = { ...NONE, guarantee: 'confirm' };
const DURABLE = { ...NONE, guarantee: 'durable', queue: 'quorum', prefetch: 7 };

/** @param {typeof NONE} settings */
async function opened(settings) {
  /** @type {any[]} */
  const calls = [];
  /** @type {any} */
  const channel = new EventEmitter();
  /** @type {Promise<void>} */
  let confirms = Promise.resolve();
  Object.assign(channel, {
    assertQueue: async (/** @type {string} */ queue, /** @type {object} */ how) => {
      calls.push(['make', queue, how]);
      return { queue };
    },
    prefetch: async (/** @type {number} */ count) => calls.push(['prefetch', count]),
    consume: async (/** @type {string} */ queue, /** @type {any} */ handle, /** @type {object} */ how) => {
      calls.push(['consume', queue, how]);
      channel.handle = handle;
    },
    publish: (
      /** @type {any[]} */ exchange,
      /** @type {string} */ queue,
      /** @type {Buffer} */ content,
      /** @type {any} */ how,
      /** @type {any} */ confirmed,
    ) => {
      calls.push(['publish', exchange, queue, String(content), how]);
      channel.confirmed = confirmed;
    },
    ack: (/** @type {any} */ { id }) => calls.push(['ack', id]),
    waitForConfirms: () => {
      calls.push('wait');
      return confirms;
    },
    deleteQueue: async (/** @type {string} */ queue) => calls.push(['delete', queue]),
    close: async () => calls.push('close'),
  });
  const made = (/** @type {string} */ kind) => async () => {
    calls.push(kind);
    return channel;
  };
  const model = { createChannel: made('channel'), createConfirmChannel: made('confirm channel') };
  const failure = (/** @type {string} */ what, /** @type {Error} */ { message }) =>
    new BenchError('BROKER', `${what}: ${message}`);
  /** @type {string[]} */
  const refused = [];
  const mail = await openMail(/** @type {any} */ ({ model, failure }), settings, (reason) =>
    refused.push(`${/** @type {BenchError} */ (reason).code} ${reason.message}`),
  );
  const waitForever = () => {
    confirms = new Promise(() => {});
  };
  return { mail, channel, calls, refused, waitForever };
}

/** @param {number} id @param {string} content @param {object} [properties] */
const message = (id, content, properties = {}) => ({ id, content: Buffer.from(content), properties });

describe('mail by RabbitMQ', () => {
  for (const [name, settings, kind, queueHow, isConfirmed] of /** @type {const} */ ([
    ['none', NONE, 'channel', { durable: false, exclusive: true }, false],
    ['confirm', CONFIRM, 'confirm channel', { durable: false, exclusive: true }, true],
    [
      'durable',
      DURABLE,
      'confirm channel',
      { durable: true, expires: 30_000, arguments: { 'x-queue-type': 'quorum' } },
      true,
    ],
  ])) {
    it(`is read and acknowledged as guarantee=${name} promises`, async () => {
      const { mail, channel, calls } = await opened(settings);
      /** @type {any[]} */
      const heard = [];
      await mail.receive(
        'own',
        (bytes) => heard.push(String(bytes)),
        (bytes, replyTo) => heard.push([String(bytes), replyTo]),
      );
      assert.deepEqual(calls, [
        kind,
        ...(isConfirmed ? [['prefetch', settings.prefetch]] : []),
        ['make', 'own', queueHow],
        ['consume', 'own', { noAck: !isConfirmed }],
      ]);
      calls.length = 0;
      channel.handle(message(1, 'data', { replyTo: 'x' }));
      channel.handle(message(2, 'joined', { type: 'note', replyTo: 'back' }));
      assert.deepEqual(heard, ['data', ['joined', 'back']]);
      assert.deepEqual(
        calls,
        isConfirmed
          ? [
              ['ack', 1],
              ['ack', 2],
            ]
          : [],
      );
    });

    it(`is published as guarantee=${name} promises`, async () => {
      const { mail, calls } = await opened(settings);
      calls.length = 0;
      const isDurable = settings === DURABLE;
      const { send, sendNote } = mail.publisher('theirs', { replyTo: 'back' });
      send('text');
      send(new Uint8Array([65, 66]));
      sendNote('bye');
      const both = { replyTo: 'back', persistent: isDurable };
      assert.deepEqual(calls, [
        ['publish', '', 'theirs', 'text', { ...both, mandatory: isConfirmed }],
        ['publish', '', 'theirs', 'AB', { ...both, mandatory: isConfirmed }],
        ['publish', '', 'theirs', 'bye', { ...both, mandatory: true, type: 'note' }],
      ]);
    });
  }

  it('comes back to who asked without a queue of its own, of which nothing is made and nothing returned', async () => {
    const { mail, calls } = await opened(NONE);
    await mail.receive(
      DIRECT_REPLY,
      () => {},
      () => {},
    );
    mail.publisher(`${DIRECT_REPLY}.g1`, {}).sendNote('joined');
    assert.deepEqual(calls.slice(1, 2), [['consume', DIRECT_REPLY, { noAck: true }]]);
    assert.equal(calls[2][4].mandatory, false);
  });

  it('of a shared queue is kept though this end goes, and removed in the end', async () => {
    const { mail, channel, calls } = await opened(CONFIRM);
    await mail.offer('jobs');
    assert.deepEqual(calls.at(-1), [
      ...['make', 'jobs'],
      { durable: true, expires: 30_000, arguments: { 'x-queue-type': 'classic' } },
    ]);
    /** @type {string[]} */
    const taken = [];
    await mail.take('jobs', (bytes) => taken.push(String(bytes)));
    channel.handle(message(1, 'job'));
    channel.handle(message(2, 'a note', { type: 'note' }));
    assert.deepEqual(taken, ['job']);
    calls.length = 0;
    await mail.release();
    assert.deepEqual(calls, ['wait', ['delete', 'jobs'], 'close']);
  });

  it('is refused with the reason: an error, what nobody takes, a nack, and a queue that is gone', async () => {
    const { mail, channel, refused } = await opened(CONFIRM);
    await mail.receive(
      'own',
      () => assert.fail(),
      () => assert.fail(),
    );
    channel.emit('error', new Error('NOT_FOUND'));
    channel.emit('return', { fields: { replyText: 'NO_ROUTE' } });
    mail.publisher('theirs', {}).send('x');
    channel.confirmed(null);
    channel.confirmed(new Error('nack'));
    channel.handle(null);
    assert.deepEqual(refused, [
      'BROKER a channel was closed by: NOT_FOUND',
      'TRANSPORT RabbitMQ returned a message (NO_ROUTE): the other end is gone',
      'BROKER RabbitMQ did not take a message (nack)',
      'BROKER RabbitMQ has lost the queue own',
    ]);
  });

  it('goes nowhere once its channel is closed, and nothing of that is told', async () => {
    const { mail, channel, calls, refused } = await opened(CONFIRM);
    await mail.receive(
      'own',
      () => {},
      () => {},
    );
    const { send, sendNote } = mail.publisher('theirs', {});
    send('x');
    calls.length = 0;
    channel.emit('close');
    channel.confirmed(new Error('channel closed'));
    channel.handle(message(1, 'late'));
    send('y');
    sendNote('bye');
    await mail.release();
    assert.deepEqual([calls, refused], [[], []]);
  });

  it('is waited for until it is confirmed before the channel is closed, for a second', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { mail, calls, waitForever } = await opened(CONFIRM);
    await mail.receive(
      'own',
      () => {},
      () => {},
    );
    waitForever();
    calls.length = 0;
    let isReleased = false;
    const released = mail.release().then(() => {
      isReleased = true;
    });
    t.mock.timers.tick(999);
    await turn();
    assert.deepEqual([calls, isReleased], [['wait'], false]);
    t.mock.timers.tick(1);
    await released;
    mail.publisher('theirs', {}).send('too late');
    assert.deepEqual(calls, ['wait']);
  });

  it('is not waited for where nothing is confirmed, and a channel that cannot be closed fails nothing', async () => {
    const { mail, channel, calls } = await opened(NONE);
    await mail.receive(
      'own',
      () => {},
      () => {},
    );
    calls.length = 0;
    channel.close = () => Promise.reject(new Error('it is gone'));
    await mail.release();
    assert.deepEqual(calls, [['delete', 'own']]);
    await mail.release();
    assert.equal(calls.length, 1);
  });
});
