// Rows of all kinds in one report: grouped by class, told apart by what they guarantee, and what is missing said once.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveTraits } from '../../lib/cell/traits.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import {
  guaranteeNotes,
  kindsIn,
  transportClass,
  transportFacts,
} from '../../lib/report/text/transport-kinds.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { recordFairness } from '../../lib/run/diagnostics/calibration.js';
import markdown from '../../reports/markdown/markdown.js';
import table from '../../reports/table/table.js';
import { ALL_FACTS, MISSING, makeAllResults } from '../fixtures/all-transports.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Results } from '../../lib/types/index.js' */

const CODEC_LOOK = { fill: 'bricks', dash: [3, 1] };
const cell = (/** @type {string} */ transport, settings = {}) => ({ transport, settings });

/** @param {import('../../lib/types/reports.js').Report} report @param {Results} results @param {object} [options] */
async function textOf(report, results, options = {}) {
  return String((await report.render(results, options))[0].content);
}

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
  async function noted(cells) {
    const results = makeResults();
    await recordFairness(results, {
      options: /** @type {any} */ ({ controls: false }),
      plugins: /** @type {any} */ ({
        transports: new Map([['queue', { plugin }]]),
        codecs: new Map([['own', { plugin: { look: CODEC_LOOK } }]]),
        scenarios: new Map(),
      }),
      plan: cells.map((one) => ({ cell: /** @type {any} */ (one), skip: null })),
      cpus: null,
      signal: new AbortController().signal,
    });
    return { ...results, scenarios: makeResults().scenarios };
  }

  it('are noted by name, and by name and settings where these change them', async () => {
    const durable = cell('queue', { guarantee: 'durable' });
    const results = await noted([cell('queue'), cell('queue', { prefetch: 5 }), durable]);
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

  it('are noted with the look that it declares, as that of a codec', async () => {
    const look = { hue: 'grey', marker: 'star' };
    Object.assign(plugin, { look });
    const own = { ...cell('queue', { guarantee: 'durable' }), codec: 'own' };
    const read = parseResults(resultsText(await noted([own, { ...own, codec: 'plain' }])), 'noted');
    assert.deepEqual(read.transports?.queue.look, look);
    assert.deepEqual(read.transports?.['queue:guarantee=durable'].look, look);
    assert.deepEqual(read.codecs, { own: { look: CODEC_LOOK } });
  });

  it('hold to the schema; of a transport that is not among them nothing is said', () => {
    const all = makeAllResults({ series: ['pipe/json'] });
    assert.deepEqual(parseResults(resultsText(all), 'all').transports, JSON.parse(JSON.stringify(ALL_FACTS)));
    const unknown = { ...makeResults(), transports: {} };
    assert.deepEqual(transportFacts(unknown, cell('unix')), {});
    assert.equal(transportClass(unknown, cell('unix')), 'other');
    assert.equal(transportClass({ transports: ALL_FACTS }, cell('constructor')), 'other');
    assert.deepEqual(guaranteeNotes(unknown, unknown.outcomes), []);
  });
});

describe('the window of acknowledgements', () => {
  /** @param {string} name @param {Record<string, string | number>} settings */
  async function windowOf(name, settings) {
    const { default: plugin } = await import(`../../transports/${name}/${name}.js`);
    return resolveTraits(plugin, settings).acknowledgementWindow;
  }

  it('is that of a setting, where messages are acknowledged', async () => {
    assert.equal(await windowOf('mqtt', { inflight: 1 }), undefined);
    assert.deepEqual(await windowOf('mqtt', { qos: 1 }), { setting: 'inflight', messages: 20 });
    assert.deepEqual(await windowOf('mqtt', { qos: 2, inflight: 1 }), { setting: 'inflight', messages: 1 });
    assert.equal(await windowOf('rabbitmq', {}), undefined);
    const confirmed = { guarantee: 'confirm', prefetch: 5 };
    assert.deepEqual(await windowOf('rabbitmq', confirmed), { setting: 'prefetch', messages: 5 });
    assert.equal(await windowOf('rabbitmq', { ...confirmed, prefetch: 0 }), undefined);
  });
});

describe('the kind of a row', () => {
  it('is what sets it apart from the reference, and nothing for most', () => {
    const kindIn = kindsIn(makeAllResults());
    assert.equal(kindIn(cell('tcp')), '');
    assert.equal(kindIn(cell('redis-list')), '', 'in memory, as the reference');
    assert.equal(kindIn(cell('threads-shared')), 'threads, not processes');
    assert.equal(kindIn(cell('shared-memory', { wake: 'spin' })), 'busy-waiting');
    assert.equal(kindIn(cell('rabbitmq', { guarantee: 'durable' })), 'kept on disk');
  });

  it('is the other way round where the reference is such a one', () => {
    const kindIn = kindsIn(makeAllResults({ reference: 'threads-shared/json' }));
    assert.equal(kindIn(cell('threads-message')), '');
    assert.equal(kindIn(cell('pipe')), 'processes');
    assert.equal(kindIn(cell('udp')), 'processes, and messages may get lost');
  });
});

describe('below the table', () => {
  it('stands on which host a private broker was, where there are several', () => {
    const results = makeAllResults({ launches: 2 });
    const host = (/** @type {'master' | 'worker'} */ role) => ({ role, environment: results.environment });
    results.hosts = { a: host('master'), b: host('worker') };
    const notes = guaranteeNotes(results, results.outcomes);
    assert.ok(notes.some((note) => /\(redis 7\.0\.15, started for this run on host a: /.test(note)));
  });

  it('stands which transports are not like the others, and one line for each broker', () => {
    const results = makeAllResults({ launches: 2 });
    assert.deepEqual(guaranteeNotes(results, results.outcomes).slice(0, 8), [
      'Threads, not processes: threads-message, threads-shared.',
      'Busy-waiting: shared-memory:wake=spin.',
      'Messages may get lost: udp.',
      'Kept on disk: rabbitmq:guarantee=durable.',
      'Messages may overtake each other: udp, http2.',
      'The master only responds to requests: command, http, https, http2.',
      'redis-pubsub delivers at most once, in order; memory only, no acknowledgement; redis-list delivers at most once, in order, kept in memory; redis-streams delivers at least once, in order, kept in memory (redis 7.0.15, started for this run: save "", appendonly no).',
      'rabbitmq delivers at most once, in order, kept in memory; rabbitmq:guarantee=durable delivers at least once, confirmed, kept on disk (rabbitmq 3.12.1, started for this run: listen 127.0.0.1).',
    ]);
  });

  it('stands once why a transport is missing, however many rows were planned for it', () => {
    const results = makeAllResults({
      isPoor: true,
      shapes: ['1x1', '2x4', '1x100'],
      payloads: [10, 1000],
      launches: 2,
    });
    const skipped = makeNotes(results).filter((note) => note.startsWith('Skipped'));
    assert.deepEqual(skipped, [
      'Skipped: pipe/string: pipe serialises messages itself (json, v8), so string would be encoded twice',
      `Skipped: shared-memory, shared-memory:wake=spin: ${MISSING['shared-memory']}`,
      `Skipped: grpc: ${MISSING.grpc}`,
      `Skipped: rabbitmq, rabbitmq:guarantee=durable: ${MISSING.rabbitmq}`,
      `Skipped: nats: ${MISSING.nats}`,
      `Skipped: mqtt: ${MISSING.mqtt}`,
    ]);
  });

  it('stands in one line what cannot be asked, beside what is missing', () => {
    const results = makeResults({
      series: ['pipe/json', 'pipe/string', 'pipe/binary', 'udp/json', 'redis-pubsub/json'],
      payloads: [10, 100_000],
      skip: ({ transport, codec, payloadBytes }) => {
        if (transport === 'udp' && payloadBytes > 65_507) return 'udp carries less';
        if (transport === 'redis-pubsub') return 'no redis-server';
        return transport === 'pipe' && codec !== 'json' ? `${codec} would be encoded twice` : null;
      },
    });
    for (const outcome of results.outcomes) {
      if (outcome.status === 'skipped' && outcome.reason !== 'no redis-server') outcome.isImpossible = true;
    }
    assert.deepEqual(
      makeNotes(results).filter((note) => /^Skipped|^Not applicable/.test(note)),
      [
        'Not applicable: pipe/string (string would be encoded twice); pipe/binary (binary would be encoded twice); udp/json at 100,000 B, 2x4 (udp carries less)',
        'Skipped: redis-pubsub: no redis-server',
      ],
    );
  });

  it('stands the row where only some of a transport are missing, and where', () => {
    const results = makeResults({
      series: ['pipe/json', 'udp/json', 'udp/string'],
      payloads: [10, 100_000],
      skip: ({ transport, payloadBytes }) =>
        transport === 'udp' && payloadBytes > 65_507 ? 'too long' : null,
    });
    assert.deepEqual(
      makeNotes(results).filter((note) => note.startsWith('Skipped')),
      ['Skipped: udp/json at 100,000 B, 2x4, udp/string at 100,000 B, 2x4: too long'],
    );
  });
});

describe('tables', () => {
  const SHOWN = [
    'pipe/json',
    'rabbitmq:guarantee=durable/json',
    'redis-list/json',
    'threads-shared/json',
    'unix/json',
  ];

  it('have a heading for each class, the best row first', async () => {
    const results = makeAllResults({ series: [...SHOWN, 'tcp/json', 'unix/string'] });
    const expected = [
      'Pipes',
      'pipe/json',
      'Sockets',
      ...['unix/string', 'unix/json', 'tcp/json'],
      'Threads, not processes',
      'threads-shared/json',
      'Brokers, in memory',
      'redis-list/json',
      'Brokers, on disk',
      'rabbitmq:guarantee=durable/json',
    ];
    for (const columns of [Number.POSITIVE_INFINITY, 80]) {
      const text = await textOf(table, results, { columns });
      const body = text.slice(text.indexOf('transport/codec')).split('\n\n')[0].split('\n').slice(1);
      assert.deepEqual(
        body.map((line) => line.trim().split(/\s{2,}/)[0]),
        expected,
      );
    }
    const rows = (await textOf(markdown, results)).split('\n').filter((line) => line.startsWith('| '));
    assert.deepEqual(
      rows.slice(2).map((line) => line.split('|')[1].trim().replaceAll('**', '').replaceAll('\\', '')),
      expected,
    );
  });

  it('do without headings where few rows are all alike, and have them for as few that are not', async () => {
    const few = await textOf(
      table,
      makeAllResults({ series: ['pipe/json', 'unix/json', 'redis-list/json'] }),
    );
    assert.doesNotMatch(few, /^(Pipes|Sockets|Brokers.*)$/m);
    const unlike = await textOf(table, makeAllResults({ series: ['pipe/json', 'threads-shared/json'] }));
    assert.match(unlike, /^Pipes\n pipe\/json .*\nThreads, not processes\n threads-shared\/json/m);
  });

  it('stay within the terminal with 25 transports', async () => {
    const results = makeAllResults({ isPoor: true, launches: 2 });
    for (const columns of [80, 120]) {
      const text = await textOf(table, results, { columns });
      for (const line of text.split('\n')) assert.ok([...line].length <= columns, line);
    }
  });
});
