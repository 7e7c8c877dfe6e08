// Which cells can be measured between hosts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostsSkipReason } from '../../lib/plan/skip-reasons.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';

describe('hostsSkipReason', async () => {
  const cell = /** @type {any} */ ({ transport: 'tcp', settings: {}, placement: 'split', hosts: 'a:b' });
  const plugin = async (/** @type {'transport' | 'scenario'} */ kind, /** @type {string} */ name) =>
    (await import(builtinUrl(kind, name))).default;
  const [tcp, unix, zeromq, redis, pipe] = await Promise.all(
    ['tcp', 'unix', 'zeromq', 'redis-pubsub', 'pipe'].map((name) => plugin('transport', name)),
  );
  const [roundTrip, firstAnswer, queue] = await Promise.all(
    ['round-trip', 'first-answer', 'queue'].map((name) => plugin('scenario', name)),
  );
  /** @param {any} transport @param {any} scenario @param {object} own @param {Record<string, string>} [brokerUrls] */
  const why = (transport, scenario, own, brokerUrls = {}) =>
    hostsSkipReason(transport, { ...cell, transport: transport.name, ...own }, scenario, { brokerUrls });

  it('measures transports that reach the network', () => {
    assert.equal(why(tcp, roundTrip, {}), null);
    assert.equal(why(zeromq, roundTrip, { settings: { net: 'tcp' } }), null);
    assert.equal(why(redis, roundTrip, {}, { redis: 'redis://elsewhere:1' }), null);
    assert.equal(why(redis, roundTrip, { settings: { net: 'tcp' } }), null, 'a private one, at the master');
    assert.equal(why(unix, roundTrip, { hosts: undefined }), null);
  });

  it('measures transports of one host between agents with a shared folder, except those that fork makes', () => {
    const hosts = { master: 'a', workers: ['b'], sharesFolder: /** @type {const} */ (true) };
    const whyShared = (/** @type {any} */ transport) =>
      hostsSkipReason(transport, { ...cell, transport: transport.name }, roundTrip, { hosts });
    assert.equal(whyShared(unix), null);
    assert.equal(whyShared(redis), null);
    assert.match(String(whyShared(pipe)), /pipe works on one host only/);
  });

  it('skips a transport, a setting, a placement or a scenario of one host', () => {
    assert.match(String(why(unix, roundTrip, {})), /unix works on one host only/);
    assert.match(
      String(why(zeromq, roundTrip, { settings: { net: 'ipc' } })),
      /zeromq:net=ipc works on one host only/,
    );
    assert.match(
      String(why(redis, roundTrip, { settings: { net: 'unix' } })),
      /redis-pubsub:net=unix works on one host only.*use redis-pubsub:net=tcp$/,
    );
    assert.match(
      String(why(redis, roundTrip, {}, { redis: 'unix:///run/r.sock' })),
      /unix socket, which other hosts cannot reach/,
    );
    assert.match(String(why(tcp, roundTrip, { placement: 'same' })), /placement same needs one CPU/);
    assert.match(
      String(why(tcp, firstAnswer, {})),
      /first-answer measures processes that start on the same host/,
    );
    const killing = { ...queue, chosen: { kill: 1 } };
    assert.match(String(why(tcp, killing, {})), /queue kills its workers/);
    assert.equal(why(tcp, { ...queue, chosen: { kill: 0 } }, {}), null);
  });
});
