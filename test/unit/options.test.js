// argv, environment, config file and preset → options, or a message. A row of a table is a case.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GROUP_NAMES } from '../../lib/cell/traits.js';
import { BenchError } from '../../lib/errors.js';
import { compareOptions, parseVariants } from '../../lib/options/compare-options.js';
import { FAIL_REASONS } from '../../lib/options/flags.js';
import { environmentName, OPTION_TABLE } from '../../lib/options/option-table.js';
import { reportOptions } from '../../lib/options/output-options.js';
import { PRESETS, publishedFigures } from '../../lib/options/presets.js';
import { recommendOptions } from '../../lib/options/recommend-options.js';
import { argvToResume } from '../../lib/options/resumed-run.js';
import { savedConfig, savedOptions, toConfig } from '../../lib/options/written-options.js';
import { resultsText } from '../../lib/results/write.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

/** @import { Results } from '../../lib/types/index.js' */
/** @typedef {Record<string, any>} Values */

const posixOnly = process.platform === 'win32' ? 'posix only' : undefined;
const folder = ownFolder('options-test-');
const SECRET = '0123456789abcdef';
const REDIS = 'rediss://:password@redis.example:6380';
const HOSTS = { agents: REDIS, 'master-on': 'a', 'workers-on': 'b,c' };

/** @param {string} name @param {string | Buffer} content */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const MESSAGES = file('messages.ndjson', '{"a":1}');

/** @param {unknown} config */
const configFile = (config) =>
  file('config.json', typeof config === 'string' ? config : JSON.stringify(config));

/** @param {Values} argv   its config may be an object @param {Record<string, string>} [environment] */
function resolve(argv, environment) {
  const config = typeof argv.config === 'object' ? { config: configFile(argv.config) } : {};
  return resolved({ ...argv, ...config }, environment);
}

/** @param {Values} argv @param {Record<string, string>} [environment] @returns {Values} */
const optionsOf = (argv, environment) => resolve(argv, environment).options;

/** @param {any} actual @param {any} expected @returns {any} the fields of `actual` that `expected` has */
function pick(actual, expected) {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return actual;
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, pick(actual?.[key], value)]),
  );
}

/** @param {string} text */
const shapes = (text) =>
  text.split(' ').map((shape) => {
    const [workers, loops] = shape.split('x').map(Number);
    return { workers, loops };
  });
/** @param {string} name @param {Record<string, string>} [settings] */
const choice = (name, settings = {}) => ({ name, settings });

/** @type {[argv: Values, expected: Values, environment?: Record<string, string>][]} */
const READ = [
  // Sizes, ranges and lists.
  [
    { payload: '7B,7k,7kB,7M,7MB,7KiB,7MiB,1.5k' },
    { payloadBytes: [7, 7e3, 7e6, 7 * 2 ** 10, 7 * 2 ** 20, 1500] },
  ],
  [{ payload: '0.2G,0.2GB,0.125GiB' }, { payloadBytes: [2e8, 2 ** 27] }],
  [{ payload: '1..64k*4' }, { payloadBytes: [1, 4, 16, 64, 256, 1024, 4096, 16_384] }],
  [{ payload: '3..5' }, { payloadBytes: [3, 4, 5] }],
  [{ payload: '10,100' }, { payloadBytes: [10, 100] }],
  [{ payload: '64,256,512' }, { payloadBytes: [64, 256, 512] }],
  [{ payload: '1, 500' }, { payloadBytes: [1, 500] }],
  [{ payload: ['10', '100,10'] }, { payloadBytes: [10, 100] }],
  [{ workers: '1..4*2x1..100*10' }, { shapes: shapes('1x1 1x10 1x100 2x1 2x10 2x100 4x1 4x10 4x100') }],
  // Times.
  [{ measure: '70ms' }, { measureMs: 70 }],
  [{ measure: '7min' }, { measureMs: 420e3 }],
  [{ 'max-time': '7000ms' }, { stop: { targetError: 0.02, maxTimeMs: 7e3 } }],
  [{ 'max-time': '7m' }, { stop: { maxTimeMs: 420e3 } }],
  [{ 'max-time': '7h' }, { stop: { maxTimeMs: 25_200e3 } }],
  [{ 'target-error': '3%' }, { stop: { targetError: 0.03, maxTimeMs: 300_000 } }],
  // Names with settings.
  [
    { transport: 'tcp:noDelay=false,flush=tick,unix,./own.js:size=10' },
    {
      transports: [
        choice('tcp', { noDelay: 'false', flush: 'tick' }),
        choice('unix'),
        choice('./own.js', { size: '10' }),
      ],
    },
  ],
  [
    { transport: ['unix,unix:flush=tick', 'unix'] },
    { transports: [choice('unix'), choice('unix', { flush: 'tick' })] },
  ],
  [{ transport: 'x:address=a:b=c' }, { transports: [choice('x', { address: 'a:b=c' })] }],
  // Flag, environment, config file, preset, default.
  [
    { launches: '10', config: { launches: 30, measure: '3s', payload: 3, preset: 'node-ipc-2016' } },
    { launches: 10, measureMs: 2000, payloadBytes: [3], placements: ['split'], preset: 'node-ipc-2016' },
    { IPC_BENCH_LAUNCHES: '20', IPC_BENCH_MEASURE: '2s' },
  ],
  // --quick yields to its own layer, and overrules the layers below.
  [
    { quick: true, launches: '5' },
    { launches: 5, measureMs: 320 },
  ],
  [
    { quick: true, preset: 'nagle' },
    { launches: 2, measureMs: 2_000 },
  ], // in a shorter window no round trip of 88 ms ends
  [
    { quick: true, config: { launches: 9, warmup: '3s' } },
    { launches: 2, warmupMs: null, measureMs: 320 },
  ],
  // Of two flags that contradict each other the stronger layer decides.
  [
    { 'target-error': '2%', config: { quick: true } },
    { quick: false, stop: { targetError: 0.02 }, measureMs: 720 },
  ],
  [
    { quick: true, config: { 'max-time': '1min' } },
    { quick: true, stop: undefined },
  ],
  [{ quick: true, sweep: true, 'max-time': '1min' }, { open: { maxTimeMs: 60_000 } }],
  [
    { config: { messages: 10 }, measure: '2s' },
    { messages: null, measureMs: 2_000 },
  ],
  [{ messages: '5', config: { measure: '9s' } }, { messages: 5 }],
  // Open load.
  [{ rate: '1k,5k,1k..8k*2' }, { open: { ratesPerSecond: [1_000, 5_000, 2_000, 4_000, 8_000] } }],
  [{ rate: '7,7k,7M' }, { open: { ratesPerSecond: [7, 7e3, 7e6], arrivals: 'fixed', slo: null } }],
  [
    { sweep: true },
    {
      open: {
        ratesPerSecond: [],
        arrivals: 'poisson',
        maxTimeMs: 240_000,
        slo: { percentile: 'p99', us: 5_000 },
      },
    },
  ],
  [{ sweep: true, slo: 'p50<500us' }, { open: { slo: { percentile: 'p50', us: 500 } } }],
  [{ sweep: true, slo: 'p99.9 < 1s' }, { open: { slo: { percentile: 'p999', us: 1e6 } } }],
  [
    { sweep: true, 'max-time': '5m' },
    { open: { maxTimeMs: 300_000 }, stop: undefined },
  ],
  [{ sweep: false, 'max-time': '30s' }, { stop: { maxTimeMs: 30_000 } }],
  // Presets.
  [
    { preset: 'node-ipc-2016' },
    { shapes: shapes('1x1 2x1 4x1 6x1 1x4 2x4 4x4 6x4 6x8'), payloadBytes: [10, 100, 1000] },
  ],
  [{ preset: 'messaging' }, { scenarios: ['stream', 'fan-out', 'queue'] }],
  [{ preset: 'services' }, { scenarios: ['round-trip', 'records', 'relay'] }],
  [{ preset: 'cold' }, { scenarios: ['first-answer', 'connect'], shapes: shapes('1x1') }],
  // Hosts.
  [
    HOSTS,
    {
      hosts: { master: 'a', workers: ['b', 'c'], sharesFolder: undefined },
      agents: { url: REDIS, secret: SECRET },
    },
    { IPC_BENCH_SECRET: SECRET },
  ],
  [{ ...HOSTS, 'same-machine': true }, { hosts: { sharesFolder: true } }, { IPC_BENCH_SECRET: SECRET }],
  [
    { ...HOSTS, runtime: 'node', network: 'none', floor: false },
    { hosts: { master: 'a' } },
    { IPC_BENCH_SECRET: SECRET },
  ],
  [{}, { hosts: undefined }, { IPC_BENCH_AGENTS: REDIS, IPC_BENCH_SECRET: SECRET }],
  [
    { 'master-on': 'a', 'workers-on': 'b' },
    { agents: { url: REDIS } },
    { IPC_BENCH_AGENTS: REDIS, IPC_BENCH_SECRET: SECRET },
  ],
  // Brokers, whose entries may contain commas. The strongest layer that names a broker decides, and the others are not read.
  [
    {
      'broker-url': ['nats=nats://localhost/?a=1,b=2,  rabbitmq=amqp://u:x,y@[::1]', 'mqtt=mqtt://localhost'],
    },
    {
      brokerUrls: {
        nats: 'nats://localhost/?a=1,b=2',
        rabbitmq: 'amqp://u:x,y@[::1]',
        mqtt: 'mqtt://localhost',
      },
    },
  ],
  [
    {
      config: { 'broker-url': ['nats=nats://localhost:1', 'mqtt=mqtt://localhost:1'] },
      'broker-url': 'redis=redis://localhost:3',
    },
    { brokerUrls: { redis: 'redis://localhost:3', nats: 'nats://localhost:2', mqtt: 'mqtt://localhost:1' } },
    { IPC_BENCH_BROKER_URL: 'nats=nats://localhost:2' },
  ],
];

describe('options', () => {
  it('has these defaults, so that a new transport does not make the bare command slower', () => {
    assert.deepEqual(optionsOf({}), {
      shapes: [{ workers: 2, loops: 4 }],
      connections: [1],
      payloadBytes: [1000],
      contents: ['ascii'],
      transports: ['pipe', 'unix', 'tcp', 'zeromq', 'redis-pubsub'].map((name) => choice(name)),
      codecs: ['json', 'string'],
      runtimes: ['node'],
      scenarios: ['round-trip'],
      placements: ['split'],
      polls: ['event'],
      networks: ['none'],
      series: null,
      preset: null,
      launches: 2,
      stop: { targetError: 0.05, maxTimeMs: 40_000, mostLaunches: 8 },
      warmupMs: null,
      measureMs: 720,
      sliceMs: 80,
      messages: null,
      seed: 7,
      quick: false,
      tierUp: 'early',
      reference: 'pipe/json',
      referenceIsChosen: false,
      codecsAreChosen: false,
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
    });
  });

  it('freezes options in depth', () => {
    const { transports } = optionsOf({ transport: 'unix:flush=tick' });
    assert.throws(() => Object.assign(transports[0].settings, { flush: 'direct' }), TypeError);
  });

  for (const [argv, expected, environment] of READ) {
    it(`reads ${JSON.stringify({ ...argv, ...environment })}`, () => {
      assert.deepEqual(pick(optionsOf(argv, environment), expected), expected);
    });
  }

  it('accepts every limit, and refuses what is beyond', () => {
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
      ['slo', 'p99<1us', 'p99<60s', 'p99<0us', 'p99<60000001us', { sweep: true }],
      ['network', '10us', '500ms', '9us', '500001us'],
      ['network', '1ms+64kbit', '1ms+100gbit', '1ms+63.999kbit', '1ms+100.000000001gbit'],
      ['payload', '1..2*2', '1..2*1000000', '1..2*1', '1..2*1000001'],
    ])) {
      for (const text of [least, greatest])
        assert.doesNotThrow(() => optionsOf({ [flag]: text, ...others }), text);
      for (const text of [below, above])
        assert.throws(
          () => optionsOf({ [flag]: text, ...others }),
          { code: 'BAD_ARGUMENT', message: /is out of range; it goes from/ },
          text,
        );
    }
    for (const text of ['0.1%', '100%'])
      assert.equal(optionsOf({ 'target-error': text }).stop.targetError, Number(text.slice(0, -1)) / 100);
    for (const text of ['0.09%', '100.1%', '0'])
      assert.throws(() => optionsOf({ 'target-error': text }), /is not a share from 0\.1 to 100 %/);
  });

  it('takes up to a thousand values', () => {
    const list = (/** @type {number} */ length) => Array.from({ length }, (_, index) => 1 + index).join(',');
    for (const payload of ['1..1000', '1..500,501..1000', list(1_000)])
      assert.equal(optionsOf({ payload }).payloadBytes.length, 1_000);
    for (const payload of ['1..1001', '1..500,501..1001', list(1_001)])
      assert.throws(() => optionsOf({ payload }), /more than 1,000 values/);
  });

  it('reads or refuses any text', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('workers', 'payload', 'transport', 'measure', 'seed'),
        fc.string(),
        (flag, text) => {
          try {
            optionsOf({ [flag]: text });
          } catch (error) {
            assert.ok(error instanceof BenchError, String(error));
          }
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  it('reads each option alike from flags, environment and config file, and prints it', () => {
    const values = /** @type {Values} */ ({
      workers: '3x3',
      connections: '1,3',
      payload: '77',
      content: 'json',
      'message-file': MESSAGES,
      transport: 'tcp:noDelay=false,flush=tick,unix',
      codec: 'v8',
      runtime: 'bun,worker:node',
      scenario: 'stream',
      placement: 'same,free',
      poll: 'busy',
      network: '1ms+1mbit',
      rate: '1k,2k',
      sweep: true,
      preset: 'node-ipc-2016',
      launches: '4',
      'target-error': '2.5%',
      'max-time': '90s',
      warmup: '1s',
      'tier-up': 'usual',
      measure: '1s',
      slice: '50ms',
      messages: '5',
      quick: true,
      reference: 'unix/v8',
      seed: '9',
      controls: false,
      floor: true,
      syscalls: true,
      profile: true,
      explain: true,
      lock: 'fail',
      'runtime-path': '/opt/a,/opt/b',
      'broker-url': 'nats=nats://localhost:2,rabbitmq=amqp://localhost',
      out: 'o',
      json: 'j',
      csv: '-',
      markdown: 'm',
      png: 'p',
      hgrm: 'h',
      svg: 'v',
      html: 'w',
      captions: 'c',
      benchstat: 'b',
      'github-action-benchmark': 'g',
      report: './mine.js=r',
      notes: true,
      columns: 'memory,mb',
      charts: false,
      theme: 'dark',
      title: 'a, b',
      size: 'blog',
      quiet: true,
    });
    // These need others, which the tables and record.test.js give them.
    const needy = ['arrivals', 'slo', 'traffic', 'channel'];
    for (const [flag, { isFlagOnly, partOf = '' }] of Object.entries(OPTION_TABLE)) {
      if (isFlagOnly || ['hosts', 'agents'].includes(partOf) || needy.includes(flag)) continue;
      const value = values[flag];
      const first = resolve({ [flag]: value });
      assert.notDeepEqual(first.options, optionsOf({}), flag);
      assert.deepEqual(optionsOf({}, { [environmentName(flag)]: String(value) }), first.options, flag);
      assert.deepEqual(optionsOf({ config: { [flag]: value } }), first.options, flag);
      assert.deepEqual(optionsOf({ config: first.config }), first.options, flag);
    }
  });
});

/** @type {[argv: Values, message: RegExp, environment?: Record<string, string>][]} */
const REFUSED = [
  [{ workers: '1x' }, /--workers.*"1x" is not WxC.*Did you mean 1x1/],
  [{ workers: 'x4' }, /is not WxC.*Did you mean 1x4/],
  [{ workers: '2×4' }, /is not WxC.*Did you mean 2x4/],
  [{ workers: '2X4' }, /Did you mean 2x4/],
  [{ workers: '4' }, /Did you mean 4x1/],
  [{ workers: '2x4x6' }, /is not WxC/],
  [{ workers: 'NaNx1' }, /"NaN" is not a whole number; write 4 or 10k/],
  [{ workers: '' }, /needs a value: WxC/],
  [{ workers: ',' }, /needs a value/],
  [{ workers: '1x1,,2x4' }, /empty entry; remove the comma/],
  [{ workers: false }, /--no-workers means nothing/],
  [{ payload: '1e309' }, /has an unknown unit "e"|is not a size/],
  [{ payload: '10q' }, /unknown unit "q"/],
  [{ payload: '64K' }, /unknown unit "K".*Did you mean k or kB or KiB/],
  [{ payload: '1mib' }, /Did you mean M or MB or MiB/],
  [{ payload: '1000..10' }, /runs backwards; write 10..1000/],
  [{ payload: '1..100k' }, /more than 1,000 values; write a factor as in "1\.\.100k\*10"/],
  [{ payload: '10..100*' }, /has no factor; write "10\.\.100\*2"/],
  ...['1,024', '1,048,576', '1,500kB', '500,100'].map(
    (payload) =>
      /** @type {any} */ ([
        { payload },
        new RegExp(`may be one number; write ${payload.replaceAll(',', '')}`),
      ]),
  ),
  [{ payload: '10,000..1M*10' }, /write 10000\.\.1M\*10$/],
  [{ payload: '1,500' }, /write 1500, or "1, 500" for a list/],
  [{ workers: '2x1,000' }, /write 2x1000$/],
  [{ scenario: 'records:records=1,500' }, /write 1500, or "1, 500" for a list/],
  ...['1 500', '1_500', '1.500', "1'500", '1.5e3', '0x5dc', '１５００', '１，５００', '١٥٠٠', '1 500'].map(
    (payload) => /** @type {any} */ ([{ payload }, /Did you mean 1500\?$/]),
  ),
  [{ measure: '0,5s' }, /Did you mean 0\.5s\?$/],
  [{ launches: '1e2' }, /Did you mean 100\?$/],
  [{ launches: '1e9' }, /from 1 to 1,000$/],
  [{ measure: '1e3' }, /^(?!.*Did you mean)/],
  [{ workers: '4x0' }, /^--workers: loops: "0" is out of range/],
  [{ columns: 'flor' }, /Did you mean floor\?$/],
  [{ transport: ':flush=tick' }, /no transport before the colon/],
  [{ transport: 'flush=tick' }, /a setting without a transport; write tcp:flush=tick/],
  [{ transport: 'unix:flush=' }, /not a setting/],
  [{ transport: 'unix:flush=tick,flush=direct' }, /set twice/],
  [{ preset: 'node-ipc-2015' }, /no preset.*Did you mean node-ipc-2016/],
  [{ launches: ['3', '4'] }, /given more than once/],
  [{ warmup: 'never' }, /is not a time; write auto, 600ms/],
  [{ warmup: '600' }, /has no unit; write auto, 600ms/],
  [{ measure: '1S' }, /Did you mean s/],
  [{ messages: '5', measure: '1s' }, /--messages: contradicts --measure/],
  [{ 'broker-url': 'nats=nats://a,nats=nats://b' }, /--broker-url: names "nats" twice/],
  [{ 'broker-url': 'nats://localhost' }, /an entry has no name; write nats=nats:/],
  [{ 'broker-url': 'rediss://localhost' }, /write redis=redis:/],
  [{ 'broker-url': 'amqp://localhost' }, /write rabbitmq=amqp:/],
  [
    { 'broker-url': 'kafka=kafka://x' },
    /no built-in transport has a broker "kafka", and kafka:.*check the name/,
  ],
  [
    { 'broker-url': 'rabbit=amqp://x' },
    /no built-in transport has a broker "rabbit".*Did you mean rabbitmq\?/,
  ],
  [{ size: '1200x630' }, /"1200x630" is not one of blog \(1200x630\), .*\. Did you mean blog\?$/],
  [{ 'message-file': folder }, /^--message-file: ".*" is a folder; name a file/],
  [{ 'message-file': `${'x'.repeat(5_000)}.json` }, /cannot be read \((?:ENAMETOOLONG|ENOENT)\)/],
  [
    { 'message-file': import.meta.filename },
    /"[^"]*\.js" ends with none of \.json, \.ndjson, \.jsonl, \.txt, .*name objects \.ndjson/,
  ],
  [
    { quick: true, launches: '6' },
    /^--launches: contradicts --quick, which gives no verdict.*leave out --quick/,
  ],
  [{ quick: true, 'target-error': '2%' }, /^--quick: contradicts --target-error/],
  [{ quick: true, 'max-time': '1min' }, /^--quick: contradicts --max-time/],
  [{ reference: 'pipe' }, /is not TRANSPORT\/CODEC; write it as the table does/],
  [{ theme: 'drak' }, /not one of light, dark, both. Did you mean dark/],
  [{ json: '-', csv: '-' }, /stdout is already taken by --json/],
  [{ title: ' ' }, /--title: needs a value/],
  // Open load.
  [{ arrivals: 'poisson' }, /^--arrivals: is for open load only; add --rate N or --sweep$/],
  [{ sweep: true, slo: 'p99<=5ms' }, /Did you mean 'p99<5ms'\?$/],
  [{ sweep: true, slo: 'P99.9 ≤ 5 ms' }, /Did you mean 'p99\.9<5ms'\?$/],
  [{ slo: 'p99<5ms' }, /^--slo: is for open load only; add --rate N or --sweep$/],
  [{ rate: '1k', sweep: true }, /^--rate: contradicts --sweep/],
  [{ rate: '1k', messages: '5' }, /^--messages: contradicts --rate/],
  [{ rate: '1k', 'max-time': '30s' }, /^--rate: contradicts --max-time/],
  [{ rate: '1k', 'target-error': '2%' }, /^--rate: contradicts --target-error/],
  [{ sweep: true, messages: '5' }, /^--messages: contradicts --sweep/],
  [{ sweep: true, 'target-error': '2%' }, /^--sweep: contradicts --target-error/],
  [{ rate: '1k', arrivals: 'bursts' }, /not one of fixed, poisson/],
  ...['5ms', 'p95<5ms', 'p99<5', 'p99<5kg', 'p99>5ms', '__proto__<5ms', 'p99<0.5us'].map(
    (slo) => /** @type {[Values, RegExp]} */ ([{ sweep: true, slo }, /^--slo: /]),
  ),
  [{ 'message-file': MESSAGES, payload: '5' }, /^--message-file: contradicts --payload/],
  [{ 'message-file': MESSAGES, content: 'json' }, /^--message-file: contradicts --content/],
  [{ channel: '2' }, /^--channel: is a channel of recorded traffic; give its file as well/],
  [{ rate: 'recorded' }, /^--rate: recorded is the rate of --traffic/],
  [{ rate: '5', arrivals: 'recorded' }, /^--arrivals: recorded arrivals are those of --traffic/],
  // Hosts.
  [{ 'master-on': 'a' }, /^--master-on: needs --agents/],
  [{ 'workers-on': 'a' }, /^--workers-on: needs --agents/],
  [{ 'same-machine': true }, /^--same-machine: needs --agents/],
  [{ agents: REDIS }, /^--agents: needs --master-on NAME and --workers-on/],
  [HOSTS, /^--agents: needs the secret of the agents: set IPC_BENCH_SECRET/],
  [HOSTS, /^IPC_BENCH_SECRET: the secret is too short/, { IPC_BENCH_SECRET: 'x'.repeat(15) }],
  [{ ...HOSTS, 'workers-on': 'b,a' }, /^--workers-on: "a" is the host of the master already/],
  [{ ...HOSTS, 'workers-on': 'b,b' }, /^--workers-on: names "b" twice/],
  [{ ...HOSTS, 'master-on': '../x' }, /is not a name of a host/],
  [{ ...HOSTS, agents: 'http://:password@x' }, /^--agents: this is no URL of a Redis/],
  [{ ...HOSTS, network: '1ms' }, /^--network: cannot be combined with --agents: it is made on one host/],
  [{ ...HOSTS, floor: true }, /^--floor: cannot be combined with --agents/],
  [{ ...HOSTS, profile: true }, /^--profile: cannot be combined with --agents/],
  [{ ...HOSTS, syscalls: true }, /^--syscalls: cannot be combined with --agents/],
  [{ ...HOSTS, explain: true }, /^--explain: cannot be combined with --agents/],
  [{ ...HOSTS, runtime: 'node,bun' }, /^--runtime: cannot be combined with --agents/],
  [{ ...HOSTS, 'runtime-path': '/opt' }, /^--runtime-path: cannot be combined with --agents/],
  ...GROUP_NAMES.map(
    (group) =>
      /** @type {[Values, RegExp]} */ ([
        { transport: `unix,${group}:flush=tick` },
        new RegExp(`--transport: "${group}" is a group, and settings belong to one transport`),
      ]),
  ),
  // Environment.
  [{}, /^IPC_BENCH_PAYLOAD: "x" is not a size/, { IPC_BENCH_PAYLOAD: 'x' }],
  [{}, /^IPC_BENCH_WORKER: no such variable; .* Did you mean IPC_BENCH_WORKERS/, { IPC_BENCH_WORKER: '1x1' }],
];

/** @type {[config: unknown, message: RegExp][]} */
const BAD_CONFIGS = [
  [{ payload: 'x' }, /^"payload" in .*config.json: "x" is not a size/],
  [{ paylod: 1 }, /no such option.*Did you mean payload/],
  [{ worker: '2x4' }, /no such option; a key is the name .{0,80} Did you mean workers\?$/],
  [{ force: true }, /no such option/],
  [{ 'broker-url': 'redis=redis://10.0.0.1', 'allow-remote-broker': true }, /no such option/],
  [{ constructor: 1 }, /no such option/],
  ['{ "payload": 1', /is not JSON/],
  ['{ "__proto__": 1 }', /no such option/],
  [[1], /holds no object/],
  ['null', /holds no object/],
  [{ payload: null }, /not usable/],
  [{ payload: [] }, /needs a value/],
  [{ quick: 'yes' }, /write true or false/],
];

describe('bad options', () => {
  for (const [argv, message, environment] of REFUSED) {
    it(`refuses ${JSON.stringify({ ...argv, ...environment }).slice(0, 200)}`, () => {
      assert.throws(
        () =>
          optionsOf(
            argv,
            environment ?? (message.source.includes('secret') ? {} : { IPC_BENCH_SECRET: SECRET }),
          ),
        (/** @type {any} */ error) => {
          assert.deepEqual([error.name, error.code], ['BenchError', 'BAD_ARGUMENT']);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /password/);
          return true;
        },
      );
    });
  }

  for (const [config, message] of BAD_CONFIGS) {
    it(`refuses the config file ${JSON.stringify(config)}`, () => {
      assert.throws(() => optionsOf({ config: configFile(config) }), { code: 'BAD_CONFIG', message });
    });
  }
});

describe('the config of options', () => {
  for (const argv of [
    { 'target-error': '2.5%', 'max-time': '90s' },
    { rate: '1k,2k', arrivals: 'poisson' },
    { sweep: true, slo: 'p99.9<1500us', 'max-time': '90s' },
    { sweep: true, slo: 'p50<2s', arrivals: 'fixed' },
    {
      preset: 'node-ipc-2016',
      workers: '1..4*2x3',
      quick: true,
      messages: '100',
      launches: '4',
      reference: 'unix/v8',
    },
    { report: ['./mine.js=a', './other.js=b/'], runtime: 'node,worker:node', 'message-file': MESSAGES },
  ])
    it(`gives the same options again: ${Object.keys(argv)}`, () => {
      const first = resolve(argv);
      assert.deepEqual(optionsOf({ config: first.config }), first.options);
    });

  it('names hosts, and reaches them again with --agents', () => {
    const { options, config } = resolve({ ...HOSTS, 'same-machine': true }, { IPC_BENCH_SECRET: SECRET });
    const again = optionsOf({ ...config, agents: REDIS }, { IPC_BENCH_SECRET: SECRET });
    assert.deepEqual(again.hosts, options.hosts);
  });

  it('omits the time of a sweep that was saved without one', () => {
    const { options } = resolve({ sweep: true });
    const { maxTimeMs: _, ...open } = /** @type {any} */ (options.open);
    assert.equal(toConfig({ ...options, open }, new Set())['max-time'], undefined);
  });

  it('holds no secret', () => {
    const text = JSON.stringify(
      resolve({
        'broker-url':
          'redis=redis://alice:S3cret@127.0.0.1:1/0?token=S3cret,rabbitmq=amqp://alice:S3cret@localhost/',
      }).config,
    );
    assert.doesNotMatch(text, /S3cret|alice/);
    assert.match(text, /redis=redis:\/\/127.0.0.1:1\/0/);
    assert.match(text, /rabbitmq=amqp:\/\/localhost/);
  });

  it('holds the path of a unix socket without its user', { skip: posixOnly }, () => {
    const text = JSON.stringify(resolve({ 'broker-url': 'redis=unix://alice:S3cret@/run/r.sock' }).config);
    assert.match(text, /"redis=unix:\/\/\/run\/r\.sock"/);
    assert.doesNotMatch(text, /S3cret|alice/);
  });
});

describe('savedOptions', () => {
  it('has paths as they may be published, which --resume reads', () => {
    const [here, home] = [join(process.cwd(), 'mine.js'), join(homedir(), 'codec.js')];
    const named = (/** @type {string[]} */ [transport, codec]) => {
      const { options } = resolve({ transport: `unix,${transport}:size=3`, codec, 'runtime-path': codec });
      const { transports, codecs, runtimePath = [] } = savedOptions(options);
      return [transports[1].name, codecs[0], runtimePath[0]].map((name) => name.replaceAll('\\', '/'));
    };
    const saved = named([here, home]);
    assert.deepEqual(saved, ['./mine.js', '~/codec.js', '~/codec.js']);
    assert.deepEqual(named(saved), saved);
  });

  it('holds the names of hosts, and no URL, secret or place', () => {
    const argv = {
      ...HOSTS,
      'broker-url': 'redis=redis://localhost',
      csv: 'c',
      out: 'o',
      size: 'blog',
      columns: 'mb',
    };
    const { options } = resolve(argv, { IPC_BENCH_SECRET: SECRET });
    const saved = savedOptions(options);
    assert.deepEqual(saved.hosts, { master: 'a', workers: ['b', 'c'] });
    const fault = [
      'agents',
      'brokerUrls',
      'furtherColumns',
      'hasNotes',
      'isQuiet',
      'outDir',
      'outputs',
      'picture',
    ];
    assert.deepEqual(
      Object.keys(options)
        .filter((field) => !(field in saved))
        .sort(),
      fault,
    );
  });
});

describe('agents and secrets', () => {
  it('refuses a file of messages that is too large to send', () => {
    const argv = { ...HOSTS, 'message-file': join(folder, 'messages.txt') };
    file('messages.txt', `${'x'.repeat(100)}\n`);
    assert.equal(optionsOf(argv, { IPC_BENCH_SECRET: SECRET }).messageFile.bytes.greatest, 100);
    file('messages.txt', `${'x'.repeat(99)}\n`.repeat(90_000));
    assert.throws(
      () => optionsOf(argv, { IPC_BENCH_SECRET: SECRET }),
      /--message-file: the file has 9 MiB, .* which takes 8 MiB; take a sample/,
    );
  });
});

describe('URLs of brokers', () => {
  it('accepts the URL of a broker on this machine', () => {
    for (const rest of ['localhost', 'LOCALHOST:1', '127.0.0.1:6379', 'u:p@127.1.2.3', '[::1]:1', '/0'])
      assert.ok(optionsOf({ 'broker-url': `redis=redis://${rest}` }).brokerUrls.redis, rest);
  });

  it('rejects the URL of a broker on another machine without --allow-remote-broker, and does not quote its secrets', () => {
    const nats = { 'broker-url': 'nats=nats://u:S3cret@10.0.0.1' };
    assert.throws(() => optionsOf(nats), /--broker-url: nats:\/\/10\.0\.0\.1 is on another machine/);
    for (const rest of [
      ...[
        '10.0.0.1',
        'redis.example',
        'localhost.example:1',
        '127.0.0.1.example',
        '0.0.0.0',
        '[::]',
        '[::2]',
      ],
      ...['127.1', 'localhost@example', '/0?host=10.0.0.1', 'localhost?sentinels=x', 'alice:12/S3cret@h'],
    ]) {
      const url = `redis://${rest}`;
      for (const given of [
        () => optionsOf({ 'broker-url': `redis=${url}` }),
        () => optionsOf({}, { IPC_BENCH_BROKER_URL: `redis=${url}` }),
      ]) {
        assert.throws(
          given,
          (/** @type {BenchError} */ { code, message }) => {
            assert.equal(code, 'BAD_ARGUMENT');
            assert.match(message, /is on another machine.*--allow-remote-broker/);
            assert.doesNotMatch(message, /S3cret|alice/);
            return true;
          },
          rest,
        );
      }
      assert.equal(
        optionsOf({ 'broker-url': `redis=${url}`, 'allow-remote-broker': true }).brokerUrls.redis,
        url,
      );
    }
  });

  it('does not quote a URL of a broker that it rejects', () => {
    for (const argv of [
      { 'broker-url': 'redis=http://S3cret@h' },
      ...['S3cret', '=S3cret', 'nats=S3cret', 'nats=alice:S3cret@localhost', 'nats=nats://'].map((entry) => ({
        'broker-url': entry,
      })),
    ])
      assert.throws(
        () => optionsOf(argv),
        (/** @type {BenchError} */ { code, message }) =>
          code === 'BAD_ARGUMENT' && !/S3cret|alice/.test(message),
        JSON.stringify(argv),
      );
  });

  it('refuses bad URLs of unix sockets', { skip: posixOnly }, () => {
    for (const [url, message] of /** @type {[string, RegExp][]} */ ([
      ['unix://redis.sock', /^--broker-url: this names no unix socket/],
      [`unix:///${'x'.repeat(200)}`, /the path of the socket has 201 bytes/],
      ['/run/redis.sock', /not the URL of a broker; write its unix socket as unix:\/\/\/path/],
      ['redis://localhost?path=/run/redis.sock', /not named in the query; write unix:\/\/\/path/],
      ['unix:///run/r.sock?sentinels=x', /on another machine/],
    ]))
      assert.throws(
        () => optionsOf({ 'broker-url': `redis=${url}` }),
        { code: 'BAD_ARGUMENT', message },
        url,
      );
  });
});

describe('published figures', () => {
  const withFigures = Object.keys(PRESETS).filter((preset) => publishedFigures(preset) !== null);

  it('has published figures of two presets', () =>
    assert.deepEqual(withFigures, ['node-ipc-2016', 'dotnet-ipc-2017']));

  it('has a measured row for each published figure', () => {
    for (const preset of withFigures) {
      const { series, shapes: chosen, payloadBytes } = optionsOf({ preset });
      for (const { transport, codec, workers, loops, payloadBytes: bytes } of publishedFigures(preset)
        ?.results ?? []) {
        assert.ok(
          series.some((/** @type {any} */ one) => one.transport === transport && one.codec === codec),
          transport,
        );
        assert.ok(
          chosen.some((/** @type {any} */ shape) => shape.workers === workers && shape.loops === loops),
        );
        assert.ok(payloadBytes.includes(bytes));
      }
    }
  });
});

describe('argvToResume', () => {
  const path = file(
    'interrupted.json',
    resultsText(buildResults({ series: ['unix/v8'], payloads: [10], launches: 3, status: 'interrupted' })),
  );

  it('takes the options of the interrupted run, and flags overrule them', async () => {
    const { options, continues } = resolve(await argvToResume({ resume: path, quiet: true }));
    assert.equal(continues, path);
    const expected = { payloadBytes: [10], codecs: ['v8'], launches: 3, isQuiet: true };
    assert.deepEqual(pick(options, expected), expected);
    const typed = resolve(await argvToResume({ resume: path, launches: '9' }));
    assert.equal(typed.options.launches, 9);
  });

  it('is refused twice, and beside what would begin another run', async () => {
    const refused = (/** @type {Values} */ argv, /** @type {RegExp} */ message) =>
      assert.rejects(argvToResume(argv), { code: 'BAD_ARGUMENT', message });
    await refused({ resume: [path, path] }, /^--resume: given more than once/);
    for (const flag of ['config', 'preset', 'out', 'dry-run'])
      await refused(
        { resume: path, [flag]: OPTION_TABLE[flag].value === undefined ? true : 'x' },
        new RegExp(`^--${flag}: cannot be combined with --resume:`),
      );
    await assert.doesNotReject(argvToResume({ resume: path, 'dry-run': false }));
  });

  const interrupted = buildResults({ series: ['unix/json'], status: 'interrupted' });
  /** @param {Partial<Results['options']>} options @param {Partial<Results>} [more] @returns {string} its path */
  const fileWith = (options, more) =>
    file(
      'theirs.json',
      JSON.stringify({ ...interrupted, ...more, options: { ...interrupted.options, ...options } }),
    );
  const transport = (/** @type {string} */ name, settings = {}) => ({ transports: [{ name, settings }] });
  const { messageFile } = resolve({ 'message-file': MESSAGES }).options;

  for (const [what, flag, options] of /** @type {[string, string, any][]} */ ([
    ['a transport by its path', 'transport', transport('./mine.js')],
    ['a transport on a host of Windows', 'transport', transport('\\\\host\\share\\mine.js')],
    ['a transport of a package', 'transport', transport('some-package')],
    ['a transport behind a setting', 'transport', transport('tcp', { flush: 'tick,./mine.js' })],
    ['a codec by its path', 'codec', { codecs: ['json', './mine.js'] }],
    ['a scenario by its path', 'scenario', { scenarios: ['./mine.js:size=3'] }],
    ['a transport in a scenario', 'scenario', { scenarios: ['relay:to=./mine.js'] }],
    ['a package in a scenario', 'scenario', { scenarios: ['relay:to=some-package'] }],
    ['a program by its path', 'runtime', { runtimes: ['node=/tmp/mine'] }],
    ['a hidden program', 'runtime', { runtimes: ['master:.mine'] }],
    ['a program behind another', 'runtime', { runtimes: ['bun,master:./mine'] }],
    ['flags of a program', 'runtime', { runtimes: ['node --import=./mine.js'] }],
    ['a folder of programs', 'runtime-path', { runtimePath: ['/tmp'] }],
    [
      'messages on a host of Windows',
      'message-file',
      { messageFile: { ...messageFile, path: '//host/share/a.txt' } },
    ],
  ]))
    it(`takes ${what} only from the command line`, async () => {
      const resume = fileWith(options);
      const message = new RegExp(`names code or files that are not part of ipc-bench: --${flag} `);
      await assert.rejects(argvToResume({ resume }), { code: 'BAD_ARGUMENT', message });
      const { [flag]: repeated } = savedConfig({ ...interrupted.options, ...options });
      assert.deepEqual((await argvToResume({ resume, [flag]: repeated }))[flag], repeated);
    });

  it('takes what is built in from the file', async () => {
    const resume = fileWith({
      ...transport('tcp', { flush: 'tick' }),
      scenarios: ['relay:to=tcp', 'stream:direction=to-worker'],
      runtimes: ['node@22', 'master:go', 'bun'],
    });
    assert.deepEqual((await argvToResume({ resume })).transport, ['tcp:flush=tick']);
  });

  it('refuses a run that is complete, or of another version', async () => {
    const { tool } = interrupted;
    for (const more of /** @type {Partial<Results>[]} */ ([
      { status: 'complete' },
      { tool: { ...tool, version: '0.0.1' } },
    ]))
      await assert.rejects(argvToResume({ resume: fileWith(transport('./mine.js'), more) }), {
        code: 'BAD_ARGUMENT',
        message: /is complete|by ipc-bench 0\.0\.1/,
      });
  });
});

/** @type {[read: (argv: Values) => unknown, argv: Values, expected: Values | RegExp][]} */
const OTHERS = [
  [compareOptions, {}, { minEffect: 0.05, failOn: ['slower'], controls: [], outputs: {}, isForced: false }],
  [
    compareOptions,
    { control: ['unix/json', 'unix:flush=tick,noDelay=false/json, tcp/string', 'unix/json'] },
    { controls: ['unix/json', 'unix:flush=tick,noDelay=false/json', 'tcp/string'] },
  ],
  ...['unix', 'unix/json,tcp', './mine.js/json', '/json'].map(
    (control) =>
      /** @type {any} */ ([compareOptions, { control }, /^--control: .* is no list of TRANSPORT\/CODEC/]),
  ),
  [
    compareOptions,
    { force: true, json: 'a', markdown: '-' },
    { isForced: true, outputs: { json: 'a', markdown: '-' } },
  ],
  [compareOptions, { 'min-effect': '2.5%' }, { minEffect: 0.025 }],
  [compareOptions, { 'min-effect': '100%' }, { minEffect: 1 }],
  ...['0%', '-5%', '100.1%', 'much'].map(
    (text) =>
      /** @type {any} */ ([
        compareOptions,
        { 'min-effect': text },
        /^--min-effect: .* is not a share above 0/,
      ]),
  ),
  [compareOptions, { 'fail-on': 'none' }, { failOn: [] }],
  [compareOptions, { 'fail-on': 'missing' }, { failOn: ['missing'] }],
  [
    compareOptions,
    { 'fail-on': [...FAIL_REASONS, ...FAIL_REASONS].reverse().join(',') },
    { failOn: FAIL_REASONS },
  ],
  [compareOptions, { 'fail-on': 'slower,none' }, /^--fail-on: none cannot be combined/],
  [compareOptions, { 'fail-on': 'never' }, /"never" is not one of .*none/],
  [compareOptions, { json: 'a', markdown: 'a' }, /a is already taken by --/],
  [
    reportOptions,
    {},
    {
      ...{
        outputs: {},
        theme: null,
        title: null,
        hasNotes: false,
        furtherColumns: [],
        isQuiet: false,
      },
      ...{ outDir: null, baseline: null, isForced: false, charts: undefined, picture: {} },
    },
  ],
  [
    reportOptions,
    {
      ...{
        theme: 'dark',
        title: 'Of mine',
        notes: true,
        quiet: true,
        force: true,
        out: 'folder',
      },
      ...{
        'save-baseline': 'main',
        charts: false,
        columns: 'memory,cpu',
        report: ['./mine.js=a=b/'],
        csv: 'c',
      },
    },
    {
      ...{ theme: 'dark', title: 'Of mine', hasNotes: true, isQuiet: true, isForced: true },
      ...{ outDir: 'folder', baseline: 'main', charts: false, furtherColumns: ['cpu', 'memory'] },
      outputs: { csv: 'c', './mine.js=a': 'b/' },
    },
  ],
  [reportOptions, { charts: true, notes: false }, { charts: undefined, hasNotes: false }],
  [reportOptions, { report: ['./mine.js'] }, /is not a report and its path; write/],
  [reportOptions, { report: ['=a'] }, /is not a report and its path; write/],
  [reportOptions, { report: ['csv=a'] }, /^--report: csv is built in; write --csv a/],
  [reportOptions, { size: 'blog', png: 'p' }, { picture: { size: 'blog' } }],
  [reportOptions, { size: 'blog', svg: 'p' }, { isForced: false }],
  [reportOptions, { size: 'blog', out: 'o' }, { isForced: false }],
  [reportOptions, { size: 'blog', csv: 'p' }, /^--size: no picture is drawn/],
  [reportOptions, { size: 'blog', out: 'o', charts: false }, /^--size: no picture is drawn/],
  [recommendOptions, {}, { needs: [], from: null, slo: null, traffic: undefined, isForced: false }],
  [
    recommendOptions,
    { traffic: 't', channel: '2', force: true, quiet: true, codec: 'json', transport: 'unix', json: '-' },
    { traffic: 't', channel: 2, isForced: true, isQuiet: true, jsonPath: '-' },
  ],
  [
    recommendOptions,
    { from: 'r.json', slo: 'p99<5ms' },
    { from: 'r.json', slo: { percentile: 'p99', us: 5_000 } },
  ],
  ...'rate payload slo from scenario workers max-time message-file content arrivals dry-run'
    .split(' ')
    .map(
      (flag) =>
        /** @type {any} */ ([
          recommendOptions,
          { traffic: 't', [flag]: flag === 'slo' ? 'p99<5ms' : '1' },
          new RegExp(`^--${flag}: cannot be combined with --traffic`),
        ]),
    ),
  [recommendOptions, { channel: '2' }, /^--channel: is a channel of recorded traffic/],
  [recommendOptions, { channel: '0', traffic: 't' }, /^--channel: "0" is out of range/],
];

describe('options of compare, report and recommend', () => {
  for (const [read, argv, expected] of OTHERS) {
    it(`${expected instanceof RegExp ? 'refuses' : 'reads'} ${read.name} ${JSON.stringify(argv)}`, () => {
      if (expected instanceof RegExp)
        assert.throws(() => read(argv), { code: 'BAD_ARGUMENT', message: expected });
      else assert.deepEqual(pick(read(argv), expected), expected);
    });
  }
});

/** @type {[written: string, expected: Values][]} */
const VARIANTS = [
  ['unix', { argv: { transport: 'unix' } }],
  [
    'unix:flush=tick/json',
    {
      name: 'A',
      written: 'unix:flush=tick/json',
      tree: null,
      argv: { transport: 'unix:flush=tick', codec: 'json' },
    },
  ],
  ['unix/json/more', { argv: { transport: 'unix', codec: 'json' } }],
  [
    '@../tree tcp/v8 --payload 10',
    { tree: '../tree', argv: { transport: 'tcp', codec: 'v8', payload: '10' } },
  ],
  ['  @../tree tcp/json ', { written: '@../tree tcp/json', tree: '../tree' }],
  ['@../tree --transport=tcp --codec "json,string"', { argv: { transport: 'tcp', codec: 'json,string' } }],
  ['  --payload   10\n--codec json ', { argv: { payload: '10', codec: 'json' } }],
  [`--transport 'a b'"c d"e`, { argv: { transport: 'a bc de' } }],
  [`--transport="it's"`, { argv: { transport: "it's" } }],
  ['--transport=', { argv: { transport: '' } }],
  ['--transport unix --transport tcp', { argv: { transport: 'tcp' } }],
  ['-t unix -c json', { argv: { transport: 'unix', codec: 'json' } }],
  ['@../tree -w 1x1 -p 10', { argv: { workers: '1x1', payload: '10' } }],
  ['--no-same-machine', { argv: { 'same-machine': false } }],
  ['@.', { argv: {} }],
];

/** @type {[texts: string[], message: RegExp][]} */
const BAD_VARIANTS = [
  [['A=unix'], /needs two variants, not 1/],
  [['A=unix', 'a=tcp'], /both variants are called "a"/],
  [['unix', 'B=tcp'], /"unix" has no name/],
  [['=unix', 'B=tcp'], /"=unix" has no name/],
  [['.a=unix', 'B=tcp'], /not a name for a variant/],
  [[`${'x'.repeat(41)}=unix`, 'B=tcp'], /not a name for a variant/],
  [['A=unix', 'B=--transprt tcp'], /B: --transprt is not an option.*--transport/],
  [['A=unix', 'B=--transprt=tcp'], /B: --transprt is not an option/],
  [['A=unix', 'B=--no-controls'], /B: --no-controls holds for both variants/],
  [['A=unix', 'B=--sweep'], /B: --sweep holds for both variants/],
  [['A=unix', 'B=--'], /B: -- is not an option/],
  [['A=unix', 'B=-undefined 2'], /B: -undefined is not an option/],
  [['A=unix', 'B=--transport'], /B: --transport needs a value/],
  [['A=unix', 'B=--no-codec json'], /B: --no-codec is not an option: --codec takes a value/],
  [['A=./mine.js', 'B=tcp'], /write A="--transport \.\/mine\.js"/],
  [['A=unix tcp', 'B=tcp'], /A: "tcp" is no TRANSPORT\/CODEC/],
  [['A=@', 'B=tcp'], /no folder after the @/],
];

describe('parseVariants', () => {
  for (const [written, expected] of VARIANTS) {
    it(`reads A=${written.trim()}`, () => {
      const [variant] = parseVariants([`A=${written}`, '0.a_b-c=tcp']);
      assert.deepEqual(pick(variant, { ...expected, argv: undefined }), { ...expected, argv: variant.argv });
      if (expected.argv) assert.deepEqual(variant.argv, expected.argv);
    });
  }

  for (const [texts, message] of BAD_VARIANTS) {
    it(`refuses ${texts.join(' ').slice(0, 60)}`, () => {
      assert.throws(() => parseVariants(texts), { code: 'BAD_ARGUMENT', message });
    });
  }
});
