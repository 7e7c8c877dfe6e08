// The options that say how long, how often and against what cells are measured, and with whose brokers.

import { shaping } from './shaping.js';

/** @type {Readonly<Record<string, import('./option-table.js').OptionEntry>>} */
export const LAUNCH_TABLE = Object.freeze({
  ...shaping('run', {
    launches: {
      summary: 'fresh starts of each cell; 6 are the fewest for a 95 % interval',
      value: 'N',
      default: '6',
    },
    'target-error': {
      sets: 'stop',
      summary: 'launch more until every 95 % interval of throughput is within ± this, or --max-time is over',
      value: 'SHARE',
      shownDefault: '2% with --max-time',
    },
    'max-time': {
      sets: 'stop',
      summary:
        'launch more until every interval is within --target-error, at most so long; of a sweep: what the search of ' +
        'each cell and the launches that confirm it may take together',
      value: 'TIME',
      shownDefault: '5min with --target-error, 2min with --sweep',
    },
    shard: {
      summary: 'of a run that several jobs share, only this part, as 2/4: ipc-bench merge joins them',
      value: 'I/N',
      shownDefault: 'the whole run',
    },
  }),
  ...shaping('launch', {
    warmup: {
      sets: 'warmupMs',
      summary: 'auto: until warm and steady; or a time',
      value: 'TIME',
      default: 'auto',
    },
    'tier-up': {
      sets: 'tierUp',
      summary:
        'when V8 is at its best in master and workers: early, so that launches are soon warm; or usual, after more calls and garbage',
      value: 'WHEN',
      default: 'early',
    },
    measure: {
      sets: 'measureMs',
      summary: 'measured time of each launch',
      value: 'TIME',
      default: '400ms',
    },
    messages: { summary: 'a fixed count per loop instead of a time', value: 'N' },
    quick: {
      summary:
        'a first look: 1 or 2 launches of 150 ms, as there is time; a ratio only where 2 agree within 10 %',
    },
  }),
  ...shaping('run', {
    reference: {
      summary: 'the row that ratios refer to',
      value: 'TRANSPORT/CODEC',
      default: 'pipe/json',
    },
    seed: {
      summary: 'of the order of the launches',
      value: 'N',
      shownDefault: 'random, recorded',
    },
    controls: {
      summary: 'measure codec, harness, clock and waking without a transport; --no-controls: without them',
      shownDefault: 'on',
    },
    floor: {
      summary:
        'put the same bytes through the same mechanisms by programs in C, and say how far each row is from that; needs a C compiler',
    },
    syscalls: { summary: 'one extra launch of each cell under strace, to count system calls' },
    profile: {
      summary: 'one extra launch of each cell with V8’s profiler: its heaviest functions',
    },
    explain: {
      summary:
        'two extra launches of each round-trip cell: where the time of a round trip goes, in parts, and how much is waiting for others',
    },
    strict: { summary: 'refuse a machine that `ipc-bench doctor` calls unfit' },
    lock: {
      summary: 'while you measure here already: wait for the end of that, ignore it, or fail',
      value: 'MODE',
      default: 'wait',
    },
    'runtime-path': {
      sets: 'runtimePath',
      summary:
        'folders in which the programs of --runtime are looked for first; then on PATH, then in node_modules',
      value: 'DIR,...',
      isList: true,
    },
    'redis-url': {
      summary: 'a Redis of your own instead of a private one: redis://host, unix:///run/redis.sock, ...',
      value: 'URL',
    },
    'redis-url-file': {
      summary: 'the same, read from a file: arguments are visible to all',
      value: 'FILE',
    },
    'broker-url': {
      summary: 'a broker of your own instead of a private one: rabbitmq=amqp://host, mqtt=unix:///path, ...',
      value: 'NAME=URL,...',
      isList: true,
    },
    'broker-url-file': {
      summary: 'the same, read from files',
      value: 'NAME=FILE,...',
      isList: true,
    },
    'allow-remote-broker': {
      summary: 'a broker on another machine may be used: its other users will feel it',
      isFlagOnly: true,
    },
  }),
});

/** What `quick` means for whoever leaves it at that. */
export const QUICK = Object.freeze({ launches: '2', warmup: 'auto', measure: '150ms' });
