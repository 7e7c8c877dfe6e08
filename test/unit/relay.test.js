// What stands between the master and its workers: the endpoint that relays, and the roles that a scenario may have.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  assignedBrokers,
  startedProcesses,
  startedRoles,
  transportToMaster,
} from '../../lib/cell/launch-roles.js';
import { innerParts } from '../../lib/cell/settings.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import binary from '../../lib/codecs/builtin/binary.js';
import json from '../../lib/codecs/builtin/json.js';
import { specForHop } from '../../lib/launch/controller/start-up-barrier.js';
import { skipOfCell } from '../../lib/plan/skip-reasons.js';
import { faultsIn } from '../../lib/plugins/plugin-faults.js';
import { configured } from '../../lib/plugins/plugins.js';
import { ProxyEndpoint } from '../../lib/workload/endpoints/proxy.js';
import relay from '../../scenarios/relay.js';
import roundTrip from '../../scenarios/round-trip.js';
import pipe from '../../transports/pipe.js';
import rabbitmq from '../../transports/rabbitmq/rabbitmq.js';
import redis from '../../transports/redis-pubsub.js';
import tcp from '../../transports/tcp.js';
import udp from '../../transports/udp.js';
import unix from '../../transports/unix.js';
import zeromq from '../../transports/zeromq/zeromq.js';

/** @import { Channel } from '../../lib/types/index.js' */

const CODEC = {
  encode: (/** @type {any} */ { id, payload }) => `${id}:${payload}`,
  decode(/** @type {string} */ wire) {
    const [id, payload] = wire.split(':');
    if (payload === undefined) throw new Error('not a message');
    return { id: Number(id), payload: payload.toUpperCase() };
  },
};

/** @returns {Channel & { sent: any[], isClosed: boolean }} */
function makeChannel() {
  return {
    sent: [],
    isClosed: false,
    send(wire) {
      this.sent.push(wire);
      return true;
    },
    onMessage() {},
    onClose() {},
    drained: async () => {},
    async close() {
      this.isClosed = true;
    },
  };
}

/** @param {'text' | 'bytes'} wireKind @param {boolean} isEncoded */
async function makeRelay(wireKind, isEncoded) {
  /** @type {Map<string, ReturnType<typeof makeChannel>>} */
  const onwards = new Map();
  const connect = async (/** @type {string} */ workerId) => {
    const channel = makeChannel();
    onwards.set(workerId, channel);
    return channel;
  };
  const endpoint = new ProxyEndpoint(CODEC, { workerIds: ['w0', 'w1'], wireKind, connect }, isEncoded);
  await endpoint.ready();
  const channels = ['w0', 'w1'].map((workerId) => {
    const channel = makeChannel();
    endpoint.serve(channel, workerId);
    return channel;
  });
  const [first, second] = ['w0', 'w1'].map((id) => /** @type {any} */ (onwards.get(id)));
  return { endpoint, channels, onwards: [first, second] };
}

describe('ProxyEndpoint', () => {
  it('has a channel to the master for each worker, and returns each its own responses', async () => {
    const { endpoint, channels, onwards } = await makeRelay('text', false);
    channels[1].onMessage('1:b');
    channels[0].onMessage('1:a');
    assert.deepEqual([onwards[0].sent, onwards[1].sent], [['1:a'], ['1:b']]);
    assert.equal(endpoint.progress(), 0, 'a question is not a round trip yet');
    onwards[1].onMessage('1:b');
    assert.deepEqual([channels[0].sent, channels[1].sent], [[], ['1:b']]);
    assert.equal(endpoint.progress(), 1);
  });

  it('does not decode messages that it forwards untouched', async () => {
    const { endpoint, channels, onwards } = await makeRelay('text', false);
    channels[0].onMessage('garbage');
    assert.deepEqual(onwards[0].sent, ['garbage']);
    assert.deepEqual(endpoint.report(), { mistakes: { corrupt: 0 } });
  });

  it('copies bytes, since their memory is reused once the handler returns', async () => {
    const { channels, onwards } = await makeRelay('bytes', false);
    const received = Buffer.from('first');
    channels[0].onMessage(received);
    received.write('other');
    assert.equal(String(onwards[0].sent[0]), 'first');
  });

  it('re-encodes messages both ways, and counts those that it cannot decode', async () => {
    const { endpoint, channels, onwards } = await makeRelay('text', true);
    channels[0].onMessage('7:question');
    onwards[0].onMessage('7:answer');
    channels[0].onMessage('garbage');
    assert.deepEqual([onwards[0].sent, channels[0].sent], [['7:QUESTION'], ['7:ANSWER']]);
    assert.deepEqual(endpoint.report(), { mistakes: { corrupt: 1 } });
  });

  it('counts a response without a request, and closes the connection of an unknown worker', async () => {
    const { endpoint, onwards } = await makeRelay('text', false);
    const intruder = makeChannel();
    endpoint.serve(intruder, 'w9');
    assert.ok(intruder.isClosed);
    await endpoint.ready();
    assert.equal(onwards.length, 2);
    endpoint.onwards.get('w0')?.onMessage('1:a');
    assert.deepEqual(endpoint.report(), { mistakes: { corrupt: 1 } });
  });
});

describe('roles', () => {
  it('start only workers if a scenario names no roles', () => {
    assert.deepEqual(
      startedProcesses(roundTrip, 2).map(({ id }) => id),
      ['w0', 'w1'],
    );
  });

  it('start in the order in which they connect to each other', () => {
    assert.deepEqual(
      startedRoles(relay).map(({ name, connectsTo }) => `${name} to ${connectsTo}`),
      ['relay to master', 'worker to relay'],
    );
    assert.deepEqual(
      startedProcesses(relay, 2).map(({ id }) => id),
      ['relay', 'w0', 'w1'],
    );
  });

  it('form a chain, or the scenario is rejected', () => {
    const [master, between, worker] = /** @type {any[]} */ (relay.roles);
    const gate = { ...between, name: 'gate', connectsTo: 'relay', over: undefined };
    const faultsOf = (/** @type {any[]} */ roles) => faultsIn('scenario', { ...relay, roles }, null).length;
    assert.equal(faultsOf([master, between, worker]), 0);
    assert.equal(faultsOf([master, gate, worker]), 1);
    assert.equal(faultsOf([master, between, gate, worker]), 0);
    assert.equal(faultsOf([between, worker]), 1, 'no role leads');
    assert.equal(
      faultsOf([master, { ...between, listens: undefined }, worker]),
      1,
      'no role can connect to it',
    );
    assert.equal(faultsOf([master, between, between, worker]), 1, 'two have one name');
    assert.equal(faultsOf([master, { ...between, name: 'Middle-Man' }, worker]), 1);
    assert.equal(faultsOf([master, between]), 1, 'there are no workers');
  });

  it('skip transports whose channels exist only between parent and child, or that respond at once', () => {
    const anyCell = /** @type {any} */ ({});
    const whyNot = (/** @type {any} */ transport, settings = {}) =>
      relay.skipReason?.(resolveTraits(transport, settings), {}, anyCell) ?? null;
    assert.equal(whyNot(unix), null);
    assert.match(String(whyNot(pipe)), /only to those that it starts/);
    assert.equal(whyNot(zeromq), null);
    assert.match(String(whyNot(zeromq, { net: 'inproc' })), /only to those that it starts/);
    assert.match(String(whyNot(zeromq, { pattern: 'req-rep' })), /before it reads the next/);
  });
});

describe('the hop from a relay to the master', () => {
  const NO_SKIP = { skip: null };

  /** @param {any} plugin @param {{ payloadBytes?: number, codec?: any, unavailable?: string | null, network?: string, settings?: Record<string, any> }} [how] */
  const skipOver = (
    plugin,
    { payloadBytes = 100, codec = binary, unavailable = null, network, settings = {} } = {},
  ) => {
    const scenario = configured(relay, { to: plugin.name });
    const cell = /** @type {any} */ ({ transport: 'unix', settings: {}, payloadBytes, workers: 2, network });
    const onward = { plugin, url: '', settings, unavailable };
    const options = { messages: null };
    const transport = network === undefined ? unix : tcp;
    const parts = { transport, codec, scenario, cell, options, schema: null, onward };
    return skipOfCell(parts, null);
  };

  it('uses the transport of the workers unless a setting names another', () => {
    assert.equal(transportToMaster(configured(relay, {})), null);
    assert.equal(transportToMaster(configured(roundTrip, {})), null);
    const other = configured(relay, { to: 'tcp' });
    assert.equal(transportToMaster(other), 'tcp');
    assert.equal(other.name, 'relay:to=tcp');
    assert.equal(other.roundTrips, null, 'a broker would see one of the two');
  });

  it('accepts settings of its own, and shows them in its name', () => {
    const written = 'tcp:flush=tick+noDelay=false';
    const tuned = configured(relay, { way: 'encoded', to: written });
    assert.equal(tuned.name, `relay:way=encoded,to=${written}`);
    assert.equal(transportToMaster(tuned), written);
    assert.deepEqual(innerParts(written), { name: 'tcp', written: { flush: 'tick', noDelay: 'false' } });
    assert.deepEqual(innerParts('tcp:flush'), { name: 'tcp', written: { flush: '' } });
    const settings = { net: 'inproc' };
    assert.match(
      String(skipOver(zeromq, { settings }).skip),
      /zeromq:net=inproc connects a master only with workers that it starts/,
    );
    assert.match(
      String(skipOver(rabbitmq, { settings: { queue: 'quorum' } }).skip),
      /^relay:to=rabbitmq is not applicable: /,
    );
    assert.deepEqual(skipOver(rabbitmq), NO_SKIP);
  });

  it('accepts transports that lose nothing, with or without a broker', () => {
    assert.deepEqual(skipOver(tcp), NO_SKIP);
    assert.deepEqual(skipOver(redis), NO_SKIP);
    assert.equal(skipOver(tcp, { unavailable: 'not here' }).skip, 'relay:to=tcp: not here');
  });

  it('rejects other transports with the reason', () => {
    assert.match(
      String(skipOver(pipe, { codec: json }).skip),
      /^relay:to=pipe is not applicable: pipe connects a master only with workers that it starts/,
    );
    assert.match(String(skipOver(udp).skip), /may lose messages/);
    assert.match(String(skipOver({ ...tcp, carries: ['text'] }).skip), /carries text, binary produces bytes/);
    const small = { ...tcp, traits: { ...tcp.traits, greatestMessageBytes: 50 } };
    assert.match(String(skipOver(small).skip), /carries at most 50 bytes/);
    const network = '1ms';
    assert.deepEqual(skipOver(redis, { network }), NO_SKIP, 'its private broker stands beside the master');
    assert.deepEqual(skipOver(tcp, { network }), NO_SKIP);
    assert.equal(skipOver(udp).isImpossible, true);
  });

  it('uses the settings and the broker of the hop to the master, and separates the names of the hop to the relay', () => {
    const spec = /** @type {any} */ ({
      launchId: 'abc0',
      scratchDir: '/s',
      transportUrl: 'u',
      settings: { flush: 'tick' },
      brokerUrl: 'b',
      broker: {},
      toMaster: { transportUrl: 't', settings: {}, brokerUrl: 'c', broker: null },
    });
    const { transportUrl, settings, brokerUrl, launchId } = specForHop(spec, 'master');
    assert.deepEqual([transportUrl, settings, brokerUrl, launchId], ['t', {}, 'c', 'abc0']);
    const server = { name: 'redis-to-master', pid: 7, cpus: null };
    const both = { ...spec, toMaster: { ...spec.toMaster, broker: server } };
    assert.deepEqual(assignedBrokers(both), [spec.broker, server]);
    assert.deepEqual(assignedBrokers({ broker: null, toMaster: null }), []);
    const toRelay = specForHop(spec, 'relay');
    assert.deepEqual(
      [toRelay.transportUrl, toRelay.launchId, toRelay.scratchDir, toRelay.brokerUrl],
      ['u', 'relayabc0', join('/s', 'relay'), 'b'],
    );
  });
});
