import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GROUP_NAMES } from '../../lib/cell/traits.js';
import { BenchError } from '../../lib/errors.js';
import { environmentName, OPTION_TABLE } from '../../lib/options/option-table.js';
import { argvToResume } from '../../lib/options/options.js';
import { PRESETS, publishedFigures } from '../../lib/options/presets.js';
import { printedConfig } from '../../lib/options/print-config.js';
import { resultsText } from '../../lib/results/write.js';
import { makeResults } from '../fixtures/make-results.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

const posixOnly = process.platform === 'win32' ? 'posix only' : undefined;
const folder = ownFolder('options-test-');

/**
 * @param {Record<string, unknown>} argv
 * @param {Record<string, string>} [environment]
 */
function options(argv, environment) {
  return resolved(argv, environment).options;
}

/** @param {unknown} config */
function configFile(config) {
  const path = join(folder, 'config.json');
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config));
  return path;
}

/** @param {string} text */
function payloads(text) {
  return options({ payload: text }).payloadBytes;
}

/** @param {string} text */
function shapes(text) {
  return options({ workers: text }).shapes.map(({ workers, loops }) => `${workers}x${loops}`);
}

describe('defaults', () => {
  it('are those of the bare command', () => {
    assert.deepEqual(options({}), {
      shapes: [{ workers: 2, loops: 4 }],
      connections: [1],
      payloadBytes: [1000],
      contents: ['ascii'],
      // A fixed list: a new transport does not make the bare command slower.
      transports: ['pipe', 'unix', 'tcp', 'zeromq', 'redis-pubsub'].map((name) => ({ name, settings: {} })),
      codecs: ['json', 'string'],
      runtimes: ['node'],
      scenarios: ['round-trip'],
      placements: ['split'],
      polls: ['event'],
      networks: ['none'],
      series: null,
      preset: null,
      launches: 3,
      stop: { targetError: 0.05, maxTimeMs: 55_000, mostLaunches: 8 },
      warmupMs: null,
      measureMs: 560,
      sliceMs: 80,
      messages: null,
      seed: 7,
      quick: false,
      tierUp: 'early',
      reference: 'pipe/json',
      referenceIsChosen: false,
      strict: false,
      lock: 'wait',
      brokerUrls: {},
      outDir: join('ipc-bench-results', '1970-01-01T00-00-00Z'),
      outputs: {},
      theme: 'light',
      title: null,
      picture: {},
      hasNotes: false,
      furtherColumns: [],
      isQuiet: false,
      colour: null,
    });
  });

  it('are frozen in depth, whoever gave them', () => {
    const frozen = options({ transport: 'unix:flush=tick' });
    assert.throws(() => {
      frozen.transports[0].settings.flush = 'direct';
    }, TypeError);
  });
});

describe('sizes, ranges and lists', () => {
  it('read units as they are written', () => {
    assert.deepEqual(
      payloads('1000,10k,1kB,1M,64KiB,1MiB,1.5k'),
      [1000, 10_000, 1e6, 65_536, 1_048_576, 1500],
    );
  });

  it('multiply up to the end, which belongs to the range only when it is met', () => {
    assert.deepEqual(payloads('10..100k*10'), [10, 100, 1000, 10_000, 100_000]);
    assert.deepEqual(payloads('1..64k*4'), [1, 4, 16, 64, 256, 1024, 4096, 16_384]);
    assert.deepEqual(payloads('3..5'), [3, 4, 5]);
  });

  it('take lists, repeated flags and ranges on both sides of a shape', () => {
    assert.deepEqual(shapes('1x1,2x4'), ['1x1', '2x4']);
    assert.deepEqual(shapes('1..4*2x1..100*10'), '1x1 1x10 1x100 2x1 2x10 2x100 4x1 4x10 4x100'.split(' '));
    assert.deepEqual(options({ payload: ['10', '100,10'] }).payloadBytes, [10, 100]);
  });

  it('have a factor for each unit', () => {
    assert.deepEqual(payloads('7B,7k,7kB,7M,7MB,7KiB,7MiB'), [7, 7e3, 7e6, 7 * 2 ** 10, 7 * 2 ** 20]);
    assert.deepEqual(payloads('0.2G,0.2GB,0.125GiB'), [2e8, 2 ** 27]);
    for (const [text, ms] of /** @type {[string, number][]} */ ([
      ['70ms', 70],
      ['7s', 7e3],
      ['7min', 420e3],
    ]))
      assert.equal(options({ measure: text }).measureMs, ms);
    for (const [text, ms] of /** @type {[string, number][]} */ ([
      ['7000ms', 7e3],
      ['7s', 7e3],
      ['7min', 420e3],
      ['7m', 420e3],
      ['7h', 25_200e3],
    ]))
      assert.equal(options({ 'max-time': text }).stop?.maxTimeMs, ms);
    assert.deepEqual(options({ rate: '7,7k,7M' }).open?.ratesPerSecond, [7, 7e3, 7e6]);
    for (const [text, us] of /** @type {[string, number][]} */ ([
      ['7us', 7],
      ['7ms', 7e3],
      ['7s', 7e6],
    ]))
      assert.equal(options({ sweep: true, slo: `p99<${text}` }).open?.slo?.us, us);
  });

  it('reach to their limits, and not beyond', () => {
    const sweep = { sweep: true };
    for (const [
      flag,
      least,
      greatest,
      below,
      above,
      others,
    ] of /** @type {[string, string, string, string, string, {}?][]} */ ([
      ['workers', '1x1', '1000x1', '0x1', '1001x1'],
      ['workers', '1x1', '1x100000', '1x0', '1x100001'],
      ['payload', '1', '268435456', '0', '268435457'],
      ['connections', '1', '65536', '0', '65537'],
      ['launches', '1', '1000', '0', '1001'],
      ['messages', '1', '1000000000', '0', '1000000001'],
      ['warmup', '0ms', '10min', '-1ms', '600001ms'],
      ['measure', '10ms', '60min', '9ms', '3600001ms'],
      ['seed', '0', '4294967295', '-1', '4294967296'],
      ['rate', '1', '10000000', '0', '10000001'],
      ['max-time', '1s', '24h', '999ms', '86400001ms'],
      ['slo', 'p99<1us', 'p99<60s', 'p99<0us', 'p99<60000001us', sweep],
      ['network', '10us', '500ms', '9us', '500001us'],
      ['network', '1ms+64kbit', '1ms+100gbit', '1ms+63.999kbit', '1ms+100.000000001gbit'],
      ['payload', '1..2*2', '1..2*1000000', '1..2*1', '1..2*1000001'],
    ])) {
      for (const text of [least, greatest])
        assert.doesNotThrow(() => options({ [flag]: text, ...others }), `${flag} ${text}`);
      for (const text of [below, above])
        assert.throws(
          () => options({ [flag]: text, ...others }),
          { code: 'BAD_ARGUMENT', message: /is out of range; it goes from/ },
          `${flag} ${text}`,
        );
    }
    for (const text of ['0.1%', '100%'])
      assert.equal(options({ 'target-error': text }).stop?.targetError, Number(text.slice(0, -1)) / 100);
    for (const text of ['0.09%', '100.1%'])
      assert.throws(() => options({ 'target-error': text }), /is not a share from 0\.1 to 100 %/);
  });

  it('are at most a thousand, in a range, of ranges, and in a list', () => {
    const list = (/** @type {number} */ length) =>
      Array.from({ length }, (_, place) => String(1 + place)).join(',');
    for (const text of ['1..1000', '1..500,501..1000', list(1_000)])
      assert.equal(payloads(text).length, 1_000);
    for (const text of ['1..1001', '1..500,501..1001', list(1_001)])
      assert.throws(() => payloads(text), /more than 1,000 values/);
  });

  it('have a time of their own where a run goes on until it is certain, and where it searches', () => {
    assert.deepEqual(options({ 'target-error': '3%' }).stop, { targetError: 0.03, maxTimeMs: 300_000 });
    assert.deepEqual(options({ 'max-time': '1min' }).stop, { targetError: 0.02, maxTimeMs: 60_000 });
    assert.equal(options({ sweep: true }).open?.maxTimeMs, 120_000);
  });

  it('give back every whole number of bytes that they are given', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 28 }), (bytes) => {
        assert.deepEqual(payloads(String(bytes)), [bytes]);
        if (bytes % 1000 === 0) assert.deepEqual(payloads(`${bytes / 1000}k`), [bytes]);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('are read or refused, never half understood: no text crashes the parser', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('workers', 'payload', 'transport', 'measure', 'seed'),
        fc.string(),
        (flag, text) => {
          try {
            options({ [flag]: text });
          } catch (error) {
            assert.ok(error instanceof BenchError, String(error));
          }
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});

describe('transports', () => {
  /** @param {string | string[]} text */
  const transports = (text) => options({ transport: text }).transports;

  it('have settings after a colon; a part with = and no transport of its own is one more', () => {
    assert.deepEqual(transports('tcp:noDelay=false,flush=tick,unix,./own.js:size=10'), [
      { name: 'tcp', settings: { noDelay: 'false', flush: 'tick' } },
      { name: 'unix', settings: {} },
      { name: './own.js', settings: { size: '10' } },
    ]);
  });

  it('may be the same one with other settings', () => {
    assert.deepEqual(transports(['unix,unix:flush=tick', 'unix']), [
      { name: 'unix', settings: {} },
      { name: 'unix', settings: { flush: 'tick' } },
    ]);
  });

  it('keep a value with colons and equal signs whole', () => {
    assert.deepEqual(transports('x:address=a:b=c'), [{ name: 'x', settings: { address: 'a:b=c' } }]);
  });
});

describe('precedence', () => {
  it('is flag, environment, config file, preset, default', () => {
    const config = configFile({ launches: 30, measure: '3s', payload: 3, preset: 'node-ipc-2016' });
    const environment = { IPC_BENCH_LAUNCHES: '20', IPC_BENCH_MEASURE: '2s' };
    const chosen = options({ launches: '10', config }, environment);
    assert.equal(chosen.launches, 10);
    assert.equal(chosen.measureMs, 2000);
    assert.deepEqual(chosen.payloadBytes, [3]);
    assert.equal(chosen.shapes.length, 9);
    assert.deepEqual(chosen.placements, ['split']);
  });

  it('holds for every option that the environment and the config file may give', () => {
    const messages = join(folder, 'messages.ndjson');
    writeFileSync(messages, '{"a":1}');
    const samples = { quick: true, quiet: true, color: true, notes: true, columns: 'memory' };
    for (const [flag, entry] of Object.entries(OPTION_TABLE)) {
      if (entry.isFlagOnly || flag === 'broker-url-file') continue;
      if (['arrivals', 'catchup', 'slo'].includes(flag)) continue; // nothing without open load: test/open-options.test.js
      if (flag === 'message-format') continue; // nothing without a file: message-file.test.js
      if (['traffic', 'channel'].includes(flag)) continue; // of a recorded program: record.test.js
      if (entry.partOf === 'hosts' || entry.partOf === 'agents') continue; // nothing without each other: host-options.test.js
      const value = /** @type {Record<string, any>} */ ({
        workers: '3x3',
        payload: '77',
        transport: 'unix',
        codec: 'v8',
        scenario: 's',
        placement: 'free',
        preset: 'node-ipc-2016',
        launches: '4',
        warmup: '1s',
        measure: '1s',
        slice: '50ms',
        messages: '5',
        seed: '9',
        reference: 'unix/v8',
        'redis-url': 'redis://localhost:1',
        'broker-url': 'nats=nats://localhost:2',
        out: 'o',
        json: 'j',
        csv: 'c',
        markdown: 'm',
        png: 'p',
        hgrm: 'h',
        svg: 'v',
        html: 'w',
        captions: 'c',
        report: './mine.js=r',
        theme: 'dark',
        title: 't',
        rate: '1k',
        sweep: true,
        size: 'blog',
        scale: '3',
        transparent: true,
        ...samples,
        benchstat: 'b',
        'github-action-benchmark': 'g',
        'message-file': messages,
        content: 'json',
        connections: '1,3',
        poll: 'busy',
        network: '1ms',
        strict: true,
        lock: 'fail',
        'tier-up': 'usual',
        runtime: 'bun',
        'runtime-path': '/opt/runtimes',
        controls: false,
        charts: false,
        live: false,
        syscalls: true,
        floor: true,
        profile: true,
        explain: true,
        'target-error': '3%',
        'max-time': '9m',
      })[flag];
      const byFlag = options({ [flag]: value });
      assert.notDeepEqual(byFlag, options({}), flag);
      assert.deepEqual(options({}, { [environmentName(flag)]: String(value) }), byFlag, flag);
      assert.deepEqual(options({ config: configFile({ [flag]: value }) }), byFlag, flag);
    }
  });

  it('lets quick give way to what its own layer says, and overrule the layers below', () => {
    assert.deepEqual(lengths({ quick: true }), [2, null, 320]);
    assert.deepEqual(lengths({ quick: true, launches: '5' }), [5, null, 320]);
    // Of 88 ms a round trip, none ends in a shorter window.
    assert.deepEqual(lengths({ quick: true, preset: 'nagle' }), [2, null, 2_000]);
    assert.deepEqual(lengths({ quick: true, config: configFile({ launches: 9, warmup: '3s' }) }), [
      2,
      null,
      320,
    ]);
    assert.deepEqual(lengths({ launches: '9', config: configFile({ quick: true }) }), [9, null, 320]);
    assert.deepEqual(lengths({ quick: false, config: configFile({ quick: true }) }), [3, null, 560]);
  });

  it('lets quick and an adaptive run silence each other from a stronger layer', () => {
    const adaptive = options({ 'target-error': '2%', config: configFile({ quick: true }) });
    assert.deepEqual([adaptive.quick, adaptive.stop?.targetError, adaptive.measureMs], [false, 0.02, 560]);
    const quick = options({ quick: true, config: configFile({ 'max-time': '1min' }) });
    assert.deepEqual([quick.quick, quick.stop], [true, undefined]);
    // A sweep takes the same option for its search.
    assert.equal(options({ quick: true, sweep: true, 'max-time': '1min' }).open?.maxTimeMs, 60_000);
  });

  it('takes a switch that is written to be off for no contradiction', () => {
    assert.equal(options({ quick: false, launches: '9', 'target-error': '2%' }).launches, 9);
    assert.equal(options({ sweep: false, rate: '1k' }).open?.slo, null);
  });

  it('lets messages and measure silence each other from a stronger layer', () => {
    const config = configFile({ messages: 10 });
    assert.equal(options({ config }).messages, 10);
    assert.equal(options({ config, measure: '2s' }).messages, null);
    assert.equal(options({ messages: '5', config: configFile({ measure: '9s' }) }).messages, 5);
  });

  /** @param {Record<string, unknown>} argv */
  function lengths(argv) {
    const { launches, warmupMs, measureMs } = options(argv);
    return [launches, warmupMs, measureMs];
  }
});

describe('the preset node-ipc-2016', () => {
  it('is the matrix of the article', () => {
    const { shapes: chosen, payloadBytes, series } = options({ preset: 'node-ipc-2016' });
    assert.equal(
      chosen.map(({ workers, loops }) => `${workers}x${loops}`).join(' '),
      '1x1 2x1 4x1 6x1 1x4 2x4 4x4 6x4 6x8',
    );
    assert.deepEqual(payloadBytes, [10, 100, 1000]);
    assert.equal(
      series?.map(({ transport, codec }) => `${transport}/${codec}`).join(' '),
      'pipe/json unix/json unix/string unix/binary tcp/json redis-pubsub/json',
    );
  });
});

describe('the presets messaging and services', () => {
  it('ask what each is about', () => {
    assert.deepEqual(options({ preset: 'messaging' }).scenarios, ['stream', 'fan-out', 'queue']);
    assert.deepEqual(options({ preset: 'services' }).scenarios, ['round-trip', 'records', 'relay']);
  });
});

describe('the preset cold', () => {
  it('asks what comes before all is warm, one worker at a time', () => {
    const { scenarios, shapes: chosen } = options({ preset: 'cold' });
    assert.deepEqual(scenarios, ['first-answer', 'connect']);
    assert.deepEqual(chosen, [{ workers: 1, loops: 1 }]);
  });
});

describe('published figures', () => {
  const withFigures = Object.keys(PRESETS).filter((preset) => publishedFigures(preset) !== null);

  for (const preset of withFigures) {
    it(`of ${preset} are each beside a row that it measures`, () => {
      const { series, shapes: chosen, payloadBytes } = options({ preset });
      for (const { transport, codec, workers, loops, payloadBytes: bytes } of publishedFigures(preset)
        ?.results ?? []) {
        assert.ok(
          series?.some((one) => one.transport === transport && one.codec === codec),
          transport,
        );
        assert.ok(chosen.some((shape) => shape.workers === workers && shape.loops === loops));
        assert.ok(payloadBytes.includes(bytes));
      }
    });
  }

  it('are those of two sources', () => assert.deepEqual(withFigures, ['node-ipc-2016', 'dotnet-ipc-2017']));
});

describe('--print-config', () => {
  it('gives a file that leads to the same options', () => {
    const argv = {
      workers: '1..4*2x3',
      payload: '10..1k*10',
      transport: 'tcp:noDelay=false,flush=tick,unix',
      codec: 'v8',
      placement: 'same,free',
      launches: '4',
      warmup: '2s',
      messages: '100',
      reference: 'unix/v8',
      quick: true,
      'redis-url': 'redis://localhost:1/2',
      'broker-url': 'nats=nats://localhost:4222,rabbitmq=amqp://localhost',
      out: 'o',
      json: '-',
      theme: 'dark',
      title: 'a, b',
      color: false,
      notes: true,
      columns: 'memory,mb',
    };
    const first = resolved({ ...argv, preset: 'node-ipc-2016' });
    const again = resolved({ config: configFile(printedConfig(first)) });
    assert.deepEqual(again.options, first.options);
  });

  it('gives a file that leads to the same options, whatever is asked', () => {
    for (const argv of [
      { 'target-error': '2.5%', 'max-time': '90s' },
      { rate: '1k,2k', arrivals: 'poisson', catchup: false },
      { sweep: true, slo: 'p99.9<7ms', 'max-time': '90s' },
      { controls: false, floor: true, explain: true, strict: true, lock: 'ignore' },
      { syscalls: true },
      { profile: true, charts: false, quiet: true },
      { report: ['./mine.js=a', './other.js=b/'], 'runtime-path': '/a,/b', runtime: 'node,worker:node' },
      { warmup: 'auto', 'tier-up': 'usual', poll: 'busy', network: '1ms+1mbit', connections: '1..4' },
      { size: 'blog', scale: '3', transparent: true, png: 'p' },
      { seed: '5', scenario: 'stream', content: 'utf8' },
    ]) {
      const first = resolved(argv);
      const again = resolved({ config: configFile(printedConfig(first)) });
      assert.deepEqual(again.options, first.options, JSON.stringify(argv));
    }
  });

  it('names no default folder and no default reference, which suit this run only', () => {
    const config = JSON.parse(printedConfig(resolved({})));
    assert.equal('out' in config || 'reference' in config, false);
    assert.equal(config.seed, 7);
  });

  it('holds no secret', () => {
    const rabbit = 'rabbitmq=amqp://alice:S3cret@localhost/';
    const text = printedConfig(
      resolved({ 'redis-url': 'redis://alice:S3cret@127.0.0.1:1/0?token=S3cret', 'broker-url': rabbit }),
    );
    assert.equal(/S3cret|alice/.test(text), false, text);
    assert.match(text, /redis=redis:\/\/127.0.0.1:1\/0/);
    assert.match(text, /rabbitmq=amqp:\/\/localhost/);
  });

  it('holds the path of a unix socket, without who asks there', { skip: posixOnly }, () => {
    const text = printedConfig(resolved({ 'redis-url': 'unix://alice:S3cret@/run/r.sock' }));
    assert.match(text, /"redis=unix:\/\/\/run\/r\.sock"/);
    assert.doesNotMatch(text, /S3cret|alice/);
  });
});

describe('the URL of a broker', () => {
  const LOCAL = ['localhost', 'LOCALHOST:1', '127.0.0.1:6379', 'u:p@127.1.2.3', '[::1]:1', '/0'];
  const REMOTE = [
    ...['10.0.0.1', 'redis.example', 'localhost.example:1', '127.0.0.1.example', '0.0.0.0', '[::]', '[::2]'],
    ...['127.1', 'localhost@example', '/0?host=10.0.0.1', 'localhost?sentinels=x', 'alice:12/S3cret@h'],
  ];

  it('may lead to this machine', () => {
    for (const rest of LOCAL) assert.ok(options({ 'redis-url': `redis://${rest}` }).brokerUrls.redis, rest);
  });

  it('may name a unix socket, which is on this machine, in each place where a URL may stand', {
    skip: posixOnly,
  }, () => {
    const url = 'redis+unix://alice:p%40w@/tmp/x%20y/r.sock?db=1';
    const path = join(folder, 'socket-url');
    writeFileSync(path, `${url}\n`);
    const config = configFile({ 'broker-url': [`redis=${url}`] });
    for (const { brokerUrls } of [
      options({ 'redis-url': url }),
      options({ 'broker-url-file': `redis=${path}` }),
      options({}, { IPC_BENCH_REDIS_URL: url }),
      options({ config }),
    ]) {
      assert.deepEqual(brokerUrls, { redis: url });
    }
    const both = options({ 'broker-url': `mqtt=unix:///run/m,x.sock,redis=${url}` }).brokerUrls;
    assert.deepEqual(both, { mqtt: 'unix:///run/m,x.sock', redis: url });
  });

  it('that names a unix socket badly is refused, and not taken for another machine', {
    skip: posixOnly,
  }, () => {
    /** @type {[string, RegExp][]} */
    const bad = [
      ['unix://redis.sock', /^--redis-url: this names no unix socket/],
      [`unix:///${'x'.repeat(200)}`, /the path of the socket has 201 bytes/],
      ['/run/redis.sock', /not the URL of a broker; write its unix socket as unix:\/\/\/path/],
      ['redis://localhost?path=/run/redis.sock', /not named in the query; write unix:\/\/\/path/],
      ['unix:///run/r.sock?sentinels=x', /on another machine/],
    ];
    for (const [url, message] of bad) {
      assert.throws(() => options({ 'redis-url': url }), { code: 'BAD_ARGUMENT', message }, url);
    }
  });

  it('leads to another machine only with a word of its own, on the command line', () => {
    for (const rest of REMOTE) {
      const url = `redis://${rest}`;
      for (const given of [
        () => options({ 'redis-url': url }),
        () => options({}, { IPC_BENCH_REDIS_URL: url }),
      ]) {
        assert.throws(
          given,
          (/** @type {BenchError} */ { code, message }) => {
            assert.equal(code, 'BAD_ARGUMENT');
            assert.match(message, /is on another machine.*--allow-remote-broker/);
            assert.ok(!/S3cret|alice/.test(message), message);
            return true;
          },
          rest,
        );
      }
      assert.equal(options({ 'redis-url': url, 'allow-remote-broker': true }).brokerUrls.redis, url);
    }
    const config = configFile({ 'redis-url': 'redis://10.0.0.1', 'allow-remote-broker': true });
    assert.throws(() => options({ config }), { code: 'BAD_CONFIG' });
  });

  it('may come from a file, its last line break apart', () => {
    const path = join(folder, 'url');
    writeFileSync(path, 'redis://:pw@localhost:6379\n');
    assert.equal(
      options({ 'broker-url-file': `redis=${path}` }).brokerUrls.redis,
      'redis://:pw@localhost:6379',
    );
  });

  it('is never quoted in a refusal', () => {
    assert.throws(
      () => options({ 'redis-url': 'http://S3cret@h' }),
      (/** @type {BenchError} */ error) => !error.message.includes('S3cret') && error.code === 'BAD_ARGUMENT',
    );
    for (const entry of ['S3cret', '=S3cret', 'nats=S3cret', 'nats=alice:S3cret@localhost', 'nats=nats://']) {
      assert.throws(
        () => options({ 'broker-url': entry }),
        (/** @type {BenchError} */ { code, message }) =>
          code === 'BAD_ARGUMENT' && !/S3cret|alice/.test(message),
        entry,
      );
    }
  });

  it('is told by the name of its broker, several in a list, with commas of their own', () => {
    assert.deepEqual(
      options({
        'broker-url': [
          'nats=nats://localhost/?a=1,b=2,  rabbitmq=amqp://u:x,y@[::1]',
          'mqtt=mqtt://localhost',
        ],
      }).brokerUrls,
      { nats: 'nats://localhost/?a=1,b=2', rabbitmq: 'amqp://u:x,y@[::1]', mqtt: 'mqtt://localhost' },
    );
  });

  it('may come from files, each with its name', () => {
    const paths = ['n', 'r'].map((name) => join(folder, name));
    for (const path of paths) writeFileSync(path, 'x://localhost\n');
    const texts = `nats=${paths[0]},redis=${paths[1]}`;
    assert.deepEqual(options({ 'broker-url-file': texts }).brokerUrls, {
      nats: 'x://localhost',
      redis: 'x://localhost',
    });
  });

  it('is decided broker by broker by the strongest layer, and what is overruled is not read', () => {
    const config = configFile({ 'broker-url': ['nats=nats://localhost:1', 'mqtt=mqtt://localhost:1'] });
    const environment = {
      IPC_BENCH_BROKER_URL: 'nats=nats://localhost:2',
      IPC_BENCH_BROKER_URL_FILE: 'redis=/nonexistent',
    };
    assert.deepEqual(options({ config, 'redis-url': 'redis://localhost:3' }, environment).brokerUrls, {
      redis: 'redis://localhost:3',
      nats: 'nats://localhost:2',
      mqtt: 'mqtt://localhost:1',
    });
  });

  it('leads to another machine only with a word of its own, whatever the broker', () => {
    assert.throws(() => options({ 'broker-url': 'nats=nats://u:S3cret@10.0.0.1' }), {
      code: 'BAD_ARGUMENT',
      message: /--broker-url: nats:\/\/10\.0\.0\.1 is on another machine.*--allow-remote-broker/,
    });
  });
});

describe('the groups of transports', () => {
  it('stand among names, and are printed as they were written', () => {
    const both = resolved({ transport: 'pipes,unix:flush=tick,all' });
    assert.deepEqual(
      both.options.transports.map(({ name }) => name),
      ['pipes', 'unix', 'all'],
    );
    const again = resolved({ config: configFile(printedConfig(both)) });
    assert.deepEqual(again.options.transports, both.options.transports);
  });

  it('have no settings', () => {
    for (const group of GROUP_NAMES) {
      assert.throws(() => options({ transport: `unix,${group}:flush=tick` }), {
        code: 'BAD_ARGUMENT',
        message: new RegExp(`--transport: "${group}" is a group, and settings belong to one transport`),
      });
    }
  });
});

/** What, why, what next: each of these is in the sentence. */
/** @type {[Record<string, unknown>, RegExp][]} */
const BAD_ARGUMENTS = [
  [{ workers: '1x' }, /--workers.*"1x" is not WxC.*Did you mean 1x1/],
  [{ workers: 'x4' }, /is not WxC.*Did you mean 1x4/],
  [{ workers: '2×4' }, /is not WxC.*Did you mean 2x4/],
  [{ workers: '2X4' }, /Did you mean 2x4/],
  [{ workers: '4' }, /Did you mean 4x1/],
  [{ workers: '2x4x6' }, /is not WxC/],
  [{ workers: '0x1' }, /workers.*"0" is out of range; it goes from 1 to 1,000/],
  [{ workers: '1x0' }, /loops.*"0" is out of range; it goes from 1 to 100,000/],
  [{ workers: '-1x1' }, /out of range/],
  [{ workers: '1000000000x1' }, /out of range/],
  [{ workers: '1.5x1' }, /not a whole number/],
  [{ workers: 'NaNx1' }, /"NaN" is not a whole number; write 4 or 10k/],
  [{ workers: '' }, /needs a value: WxC/],
  [{ workers: ',' }, /needs a value/],
  [{ workers: '1x1,,2x4' }, /empty entry; remove the comma/],
  [{ workers: '1..1000x1..1000' }, /more than 1,000 values/],
  [{ workers: false }, /--no-workers means nothing/],
  [{ payload: '0' }, /out of range; it goes from 1 to 268,435,456 bytes/],
  [{ payload: '-1' }, /out of range/],
  [{ payload: 'NaN' }, /is not a size; write bytes as 1000/],
  [{ payload: '1e309' }, /has an unknown unit "e"|is not a size/],
  [{ payload: 'Infinity' }, /is not a size/],
  [{ payload: '10q' }, /unknown unit "q"/],
  [{ payload: '64K' }, /unknown unit "K".*Did you mean k or kB or KiB/],
  [{ payload: '1mib' }, /Did you mean M or MB or MiB/],
  [{ payload: '0.5' }, /out of range|not a whole number/],
  [{ payload: '1000..10' }, /runs backwards; write 10..1000/],
  [{ payload: '1..100k' }, /more than 1,000 values; write a factor as in "1\.\.100k\*10"/],
  [{ payload: '10..100*1' }, /"1" is out of range; it goes from 2/],
  [{ payload: '10..100*' }, /has no factor; write "10\.\.100\*2"/],
  [{ payload: '..100' }, /"" is not a size/],
  [{ payload: '99999999999999999999' }, /out of range/],
  [{ payload: '1,000' }, /"000" is out of range/],
  [{ transport: ':flush=tick' }, /no transport before the colon/],
  [{ transport: 'flush=tick' }, /a setting without a transport; write tcp:flush=tick/],
  [{ transport: 'unix:' }, /not a setting; write unix:name=value/],
  [{ transport: 'unix:flush' }, /not a setting/],
  [{ transport: 'unix:flush=' }, /not a setting/],
  [{ transport: 'unix:flush=tick,flush=direct' }, /set twice/],
  [{ placement: 'splitt' }, /not one of split, same, free. Did you mean split/],
  [{ preset: 'node-ipc-2015' }, /no preset.*Did you mean node-ipc-2016/],
  [{ launches: '0' }, /it goes from 1 to 1,000/],
  [{ launches: 'many' }, /is not a whole number/],
  [{ launches: ['3', '4'] }, /given more than once/],
  [{ warmup: 'never' }, /is not a time; write auto, 600ms/],
  [{ warmup: '600' }, /has no unit; write auto, 600ms/],
  [{ measure: '0ms' }, /goes from 10 to 3,600,000 ms/],
  [{ measure: '2sec' }, /unknown unit "sec"/],
  [{ measure: '1S' }, /Did you mean s/],
  [{ messages: '0' }, /out of range/],
  [{ messages: '5', measure: '1s' }, /--messages: contradicts --measure/],
  [
    { 'broker-url': 'nats=nats://a', 'broker-url-file': 'nats=b' },
    /--broker-url: contradicts --broker-url-file/,
  ],
  [{ 'redis-url': 'redis://a', 'broker-url': 'redis=redis://b' }, /--redis-url: contradicts --broker-url/],
  [{ 'broker-url': 'nats=nats://a,nats=nats://b' }, /--broker-url: names "nats" twice/],
  [{ 'broker-url': 'nats://localhost' }, /an entry has no name; write nats=nats:/],
  [{ 'broker-url-file': 'url' }, /an entry has no name; write nats=FILE/],
  [
    { 'broker-url': 'kafka=kafka://x' },
    /no built-in transport has a broker "kafka", and kafka:.*check the name/,
  ],
  [
    { 'broker-url': 'rabbit=amqp://x' },
    /no built-in transport has a broker "rabbit".*Did you mean rabbitmq\?/,
  ],
  [{ workers: '0x4' }, /^--workers: workers: "0" is out of range/],
  [{ size: '1200x630' }, /"1200x630" is not one of blog \(1200x630\), .*\. Did you mean blog\?$/],
  [{ 'message-file': folder }, /^--message-file: ".*" is a folder; name a file/],
  [{ 'message-file': `${'x'.repeat(5_000)}.json` }, /cannot be read \((?:ENAMETOOLONG|ENOENT)\)/],
  [
    { 'message-file': 'a.log' },
    /"a\.log" ends with none of \.json, \.ndjson, \.jsonl, .*say --message-format json/,
  ],
  [
    { quick: true, launches: '6' },
    /^--launches: contradicts --quick, which gives no verdict.*leave out --quick/,
  ],
  [{ quick: true, 'target-error': '2%' }, /^--quick: contradicts --target-error/],
  [{ quick: true, 'max-time': '1min' }, /^--quick: contradicts --max-time/],
  [{ seed: '-1' }, /out of range/],
  [{ seed: '4294967296' }, /it goes from 0 to 4,294,967,295/],
  [{ reference: 'pipe' }, /is not TRANSPORT\/CODEC; write it as the table does/],
  [{ theme: 'drak' }, /not one of light, dark, both. Did you mean dark/],
  [{ json: '-', csv: '-' }, /stdout is already taken by --json/],
  [{ json: 'x', markdown: 'x' }, /x is already taken by --json/],
  [{ title: ' ' }, /--title: needs a value/],
  [{ columns: 'memry' }, /--columns: "memry" is not one of mb, .*cpu, .*, all\. Did you mean memory\?/],
  [{ columns: 'mb,' }, /--columns: "mb," has an empty entry/],
  [{ 'broker-url-file': 'redis=/nonexistent/url' }, /cannot read \/nonexistent\/url \(ENOENT\)/],
];

describe('what is refused', () => {
  for (const [argv, expected] of BAD_ARGUMENTS) {
    it(JSON.stringify(argv), () => {
      assert.throws(() => options(argv), { name: 'BenchError', code: 'BAD_ARGUMENT', message: expected });
    });
  }

  it('is named by where it came from', () => {
    assert.throws(
      () => options({}, { IPC_BENCH_PAYLOAD: 'x' }),
      /^BenchError: IPC_BENCH_PAYLOAD: "x" is not a size/,
    );
    const config = configFile({ payload: 'x' });
    assert.throws(() => options({ config }), {
      code: 'BAD_CONFIG',
      message: /"payload" in .*config.json: "x"/,
    });
  });

  it('includes variables that are nearly ours, and leaves others alone', () => {
    assert.throws(() => options({}, { IPC_BENCH_WORKER: '1x1' }), /Did you mean IPC_BENCH_WORKERS/);
    assert.throws(() => options({}, { IPC_BENCH_QUICK: 'yes' }), /write true or false/);
    assert.doesNotThrow(() => options({}, { IPC_BENCH_OF_SOMEBODY_ELSE: 'x' }));
  });

  /** @type {[unknown, RegExp][]} */
  const badConfigs = [
    [{ paylod: 1 }, /no such option.*Did you mean payload/],
    [{ worker: '2x4' }, /no such option; a key is the name .{0,80} Did you mean workers\?$/],
    [{ force: true }, /no such option/],
    [{ constructor: 1 }, /no such option/],
    ['{ "payload": 1', /is not JSON/],
    ['{ "__proto__": 1 }', /no such option/],
    [[1], /holds no object/],
    ['null', /holds no object/],
    [{ payload: null }, /not usable/],
    [{ payload: { a: 1 } }, /not usable/],
    [{ payload: [] }, /needs a value/],
    [{ quick: 'yes' }, /write true or false/],
    [{ title: true }, /not usable/],
  ];
  for (const [config, expected] of badConfigs) {
    it(`in a config file: ${JSON.stringify(config)}`, () => {
      assert.throws(() => options({ config: configFile(config) }), { code: 'BAD_CONFIG', message: expected });
    });
  }
});

describe('--resume', () => {
  const path = join(folder, 'interrupted.json');
  const saved = makeResults({ series: ['unix/v8'], payloads: [10], launches: 3 });
  writeFileSync(path, resultsText(saved));

  it('takes the options of the run that it goes on with, and what was typed counts more', async () => {
    const argv = await argvToResume({ resume: path, quiet: true });
    const { options: again, continues } = resolved(argv);
    assert.equal(continues, path);
    const { payloadBytes, codecs, launches, seed, isQuiet } = again;
    assert.deepEqual(
      { payloadBytes, codecs, launches, isQuiet },
      {
        payloadBytes: [10],
        codecs: ['v8'],
        launches: 3,
        isQuiet: true,
      },
    );
    assert.equal(seed, saved.options.seed);
    assert.equal(resolved(await argvToResume({ resume: path, launches: '5' })).options.launches, 5);
    assert.equal(resolved({}).continues, null);
  });

  it('is given once, and without what would begin another run', async () => {
    const refused = (/** @type {Record<string, unknown>} */ argv, /** @type {RegExp} */ message) =>
      assert.rejects(argvToResume(argv), { code: 'BAD_ARGUMENT', message });
    await refused({ resume: [path, path] }, /^--resume: given more than once/);
    for (const flag of ['config', 'preset', 'out', 'print-config', 'dry-run'])
      await refused(
        { resume: path, [flag]: OPTION_TABLE[flag].value === undefined ? true : 'x' },
        new RegExp(`^--${flag}: goes without --resume`),
      );
    await assert.doesNotReject(argvToResume({ resume: path, 'dry-run': false }));
  });
});
