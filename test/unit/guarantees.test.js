// Facts of transports, as a run saves them, and the kinds of rows. Sentences are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveTraits } from '../../lib/cell/traits.js';
import { factsOfPlugins } from '../../lib/plan/plugin-facts.js';
import { kindsIn, transportClass, transportFacts } from '../../lib/report/findings/transport-kinds.js';
import { guaranteeNotes, kindWords } from '../../lib/report/text/kind-words.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { ALL_FACTS, makeAllResults } from '../fixtures/all-transports.js';
import { buildResults } from '../fixtures/build-results.js';

const CODEC_LOOK = { fill: 'bricks', dash: [3, 1] };
const cell = (/** @type {string} */ transport, settings = {}) => ({ transport, settings });

describe('the facts of a transport', () => {
  const traits = {
    class: 'broker',
    guarantee: 'none',
    broker: 'b',
    direction: 'duplex',
    durability: 'memory',
    acknowledgementWindow: { setting: 'inflight', messages: 1 },
  };
  const plugin = {
    name: 'queue',
    traits,
    settings: { guarantee: { summary: 's', default: 'none' } },
    traitsOf: (/** @type {any} */ { guarantee }) =>
      guarantee === 'durable' ? { guarantee: 'stored', durability: 'disk' } : {},
  };

  /** @param {object[]} cells */
  function noted(cells) {
    const plugins = {
      transports: new Map([['queue', { plugin }]]),
      codecs: new Map([['own', { plugin: { look: CODEC_LOOK } }]]),
      scenarios: new Map(),
    };
    const facts = factsOfPlugins(/** @type {any} */ (plugins), /** @type {any} */ (cells), false);
    return { ...buildResults(), ...facts, scenarios: buildResults().scenarios };
  }

  it('saves the facts of a transport by name, and by name and settings if these change them', () => {
    const durable = cell('queue', { guarantee: 'durable' });
    const results = noted([cell('queue'), cell('queue', { prefetch: 5 }), durable]);
    assert.deepEqual(Object.keys(results.transports ?? {}), ['queue', 'queue:guarantee=durable']);
    assert.deepEqual(results.transports?.['queue:guarantee=durable'], {
      class: 'broker',
      guarantee: 'stored',
      broker: 'b',
      messagesPerRoundTrip: null,
      direction: 'duplex',
      durability: 'disk',
      acknowledgementWindow: { setting: 'inflight', messages: 1 },
    });
    assert.equal(transportFacts(results, durable).durability, 'disk');
    assert.equal(
      transportFacts(results, cell('queue', { prefetch: 5 })).durability,
      'memory',
      'the name is enough',
    );
  });

  it('saves the looks of transports and codecs', () => {
    const look = { hue: 'grey', marker: 'star' };
    Object.assign(plugin, { look });
    const own = { ...cell('queue', { guarantee: 'durable' }), codec: 'own' };
    const read = parseResults(resultsText(noted([own, { ...own, codec: 'plain' }])), 'noted');
    assert.deepEqual(read.transports?.queue.look, look);
    assert.deepEqual(read.transports?.['queue:guarantee=durable'].look, look);
    assert.deepEqual(read.codecs, { own: { look: CODEC_LOOK } });
  });

  it('reads the facts of transports, and returns none for a transport without them', () => {
    const all = makeAllResults({ series: ['pipe/json'] });
    assert.deepEqual(parseResults(resultsText(all), 'all').transports, JSON.parse(JSON.stringify(ALL_FACTS)));
    const unknown = { ...buildResults(), transports: {} };
    assert.deepEqual(transportFacts(unknown, cell('unix')), {});
    assert.equal(transportClass(unknown, cell('unix')), 'other');
    assert.equal(transportClass({ transports: ALL_FACTS }, cell('constructor')), 'other');
    assert.deepEqual(guaranteeNotes(unknown, unknown.outcomes), []);
  });

  it('adds no words to a guarantee for an unknown durability, even if it is named as a method of objects', () => {
    const results = buildResults({ series: ['nats/json'] });
    results.transports = { nats: { ...ALL_FACTS.nats, durability: /** @type {any} */ ('constructor') } };
    const { guarantee } = ALL_FACTS.nats;
    assert.deepEqual(guaranteeNotes(results, results.outcomes), [
      `nats delivers ${guarantee} (broker nats).`,
    ]);
  });
});

describe('the window of acknowledgements', () => {
  /** @param {string} name @param {Record<string, string | number>} settings */
  async function windowOf(name, settings) {
    const { default: plugin } = await import(`../../transports/${name}/${name}.js`);
    return resolveTraits(plugin, settings).acknowledgementWindow;
  }

  it('is the value of a setting if messages are acknowledged', async () => {
    assert.equal(await windowOf('mqtt', { inflight: 1 }), undefined);
    assert.deepEqual(await windowOf('mqtt', { qos: 1 }), { setting: 'inflight', messages: 20 });
    assert.deepEqual(await windowOf('mqtt', { qos: 2, inflight: 1 }), { setting: 'inflight', messages: 1 });
    assert.equal(await windowOf('rabbitmq', {}), undefined);
    const confirmed = { guarantee: 'confirm', prefetch: 5 };
    assert.deepEqual(await windowOf('rabbitmq', confirmed), { setting: 'prefetch', messages: 5 });
    assert.equal(await windowOf('rabbitmq', { ...confirmed, prefetch: 0 }), undefined);
  });
});

describe('kindsIn', () => {
  it('names in what a row differs from the reference', () => {
    const kindIn = kindsIn(makeAllResults());
    assert.equal(kindIn(cell('tcp')), '');
    assert.equal(kindIn(cell('redis-list')), '', 'in memory, as the reference');
    assert.equal(kindIn(cell('threads-shared')), 'threads');
    assert.equal(kindIn(cell('shared-memory', { wake: 'spin' })), 'busy-waiting');
    assert.equal(kindIn(cell('rabbitmq', { guarantee: 'durable' })), 'on-disk');
  });

  it('names processes if the reference is a thread', () => {
    const kindIn = kindsIn(makeAllResults({ reference: 'threads-shared/json' }));
    assert.equal(kindIn(cell('threads-message')), '');
    assert.equal(kindIn(cell('pipe')), 'processes');
    assert.equal(kindIn(cell('udp')), 'processes may-lose');
    assert.equal(kindWords(kindIn(cell('udp'))), 'processes, and messages may get lost');
  });

  it('compares with a row without such a property if the reference was not measured, or else with the first', () => {
    const kindOf = (/** @type {string[]} */ series, /** @type {string} */ name) =>
      kindsIn(makeAllResults({ series, reference: 'fifo/json' }))(cell(name));
    assert.equal(kindOf(['udp/json', 'pipe/json'], 'udp'), 'may-lose');
    assert.equal(kindOf(['udp/json', 'threads-shared/json'], 'udp'), '');
  });
});
