// The flags that ipc-bench declares itself, a row each: what --help prints, what the environment and the config file may say,
// and the default. Built-in reports declare theirs, which option-table.js adds.

import { SCALES, SIZES_TEXT, USUAL_SCALE } from './picture-options.js';

/**
 * @typedef {object} OptionEntry
 * @property {'cell' | 'launch' | 'run' | 'output'} [shapes]   which cells there are; each single measurement; how many of them,
 *                                    when, and what is measured besides; what is made of them. None: where options come from
 * @property {keyof import('../types/plans.js').Options} [sets]   where the option has another name
 * @property {string} summary
 * @property {string} [value]         what follows the flag, for --help; none: a switch
 * @property {boolean} [isList]       may be given several times
 * @property {boolean} [isFlagOnly]   not for the environment or the config file
 * @property {string} [default]
 * @property {string} [shownDefault]  in --help, where the default is not a fixed text
 */

/** @type {Readonly<Record<string, OptionEntry>>} in the order of --help, within the groups that it has */
export const FLAGS = Object.freeze({
  ...shaping('cell', {
    workers: {
      sets: 'shapes',
      summary: "worker processes x concurrent loops in each; ranges on either side: '1..8*2x4'",
      value: 'WxC,...',
      isList: true,
      default: '2x4',
    },
    connections: {
      sets: 'connections',
      summary: "of each worker, each with all its loops: '1..4096*4'",
      value: 'N,...',
      isList: true,
      default: '1',
    },
    payload: {
      sets: 'payloadBytes',
      summary: "bytes of payload: 1000, 10k, 64KiB, ranges '10..100k*10'",
      value: 'SIZE,...',
      isList: true,
      default: '1000',
    },
    content: {
      sets: 'contents',
      summary:
        'of the payload: ascii, utf8, binary (what JSON escapes most) or json (a document, its quotes escaped)',
      value: 'KIND,...',
      isList: true,
      default: 'ascii',
    },
    'message-file': {
      sets: 'messageFile',
      summary:
        'messages of your own, in their own mix of sizes: objects of JSON (.ndjson, .jsonl, .json), or lines of text',
      value: 'FILE',
    },
    'message-format': {
      sets: 'messageFile',
      summary: 'of --message-file: json or text',
      value: 'NAME',
      shownDefault: 'by the ending of its name',
    },
    transport: {
      sets: 'transports',
      summary:
        'with settings after a colon: tcp:noDelay=false,flush=tick,unix; or groups: all, pipes, sockets, memory, ' +
        'threads, brokerless, rpc, brokers',
      value: 'NAME[:KEY=VALUE],...',
      isList: true,
      // What runs within its time on any machine: no optional package, and no server but the one that people have.
      default: 'pipe,unix,tcp,zeromq,redis-pubsub',
    },
    codec: {
      sets: 'codecs',
      summary: 'how messages are written',
      value: 'NAME,...',
      isList: true,
      default: 'json,string',
    },
    runtime: {
      sets: 'runtimes',
      summary:
        'what executes master and workers: node (this one), node@22, bun, deno, node=PATH, with flags of V8 "node --jitless"; of one end: worker:bun+master:node; in other languages: master:c, go, python, ./PATH',
      value: 'NAME[@VERSION],...',
      isList: true,
      default: 'node',
    },
    scenario: {
      sets: 'scenarios',
      summary: 'what is asked',
      value: 'NAME,...',
      isList: true,
      default: 'round-trip',
    },
    placement: {
      sets: 'placements',
      summary: 'split: master and workers on cores of their own; same: on one; free: the scheduler decides',
      value: 'MODE,...',
      isList: true,
      default: 'split',
    },
    poll: {
      sets: 'polls',
      summary: 'event: processes sleep while they wait; busy: they keep looking, at a core each',
      value: 'MODE,...',
      isList: true,
      default: 'event',
    },
    network: {
      sets: 'networks',
      summary:
        'between master and workers on this machine: none, or one of a round-trip time and a rate, as 1ms or 1ms+100mbit; ' +
        'Linux, see docs/network.md',
      value: 'TIME[+RATE],...',
      isList: true,
      default: 'none',
    },
    rate: {
      sets: 'open',
      summary: "open load: round trips per second of each cell, sent by a plan; 1k,5k or '1k..64k*2'",
      value: 'N,...',
      isList: true,
      shownDefault: 'closed loops',
    },
    arrivals: {
      sets: 'open',
      summary: 'open load: fixed intervals or poisson',
      value: 'NAME',
      default: 'fixed',
    },
    catchup: {
      sets: 'open',
      summary:
        'open load: send what is late as soon as a loop is free; --no-catchup gives it up, and counts it',
      shownDefault: 'on',
    },
    sweep: {
      sets: 'open',
      summary: 'open load: find the highest rate that keeps --slo, then measure around it',
    },
    slo: {
      sets: 'open',
      summary: 'for --sweep: a percentile of response time, and what it stays below',
      value: 'pN<TIME',
      default: 'p99<5ms',
    },
    preset: {
      summary: 'a named set of all of these, see `ipc-bench list presets`',
      value: 'NAME',
    },
  }),
  ...shaping('run', {
    agents: {
      sets: 'agents',
      summary:
        'measure between hosts: the Redis where `ipc-bench agent` takes its orders, or ssh://b,ssh://c; see docs/hosts.md',
      value: 'URL,...',
      isList: true,
    },
    'agents-file': {
      sets: 'agents',
      summary: 'the same, read from a file: arguments are visible to all',
      value: 'FILE',
    },
    'secret-file': {
      sets: 'agents',
      summary: 'what agents of a Redis take orders from; or IPC_BENCH_SECRET in the environment',
      value: 'FILE',
    },
    'agents-command': {
      sets: 'agents',
      summary: 'for ssh: what starts ipc-bench there',
      value: 'COMMAND',
      shownDefault: 'ipc-bench',
    },
  }),
  ...shaping('cell', {
    'master-on': { sets: 'hosts', summary: 'with --agents: the host of the master', value: 'NAME' },
    'workers-on': {
      sets: 'hosts',
      summary: 'with --agents: the hosts of the workers, in turn',
      value: 'NAME,...',
      isList: true,
    },
    'shared-folder': {
      sets: 'hosts',
      summary:
        'with --agents: they are on one machine with a folder in common: also what ends at its host, as unix',
    },
  }),
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
  ...shaping('output', {
    out: {
      summary: 'folder for results.json and the charts',
      value: 'DIR',
      shownDefault: 'ipc-bench-results/<time>',
    },
    report: {
      summary:
        'a report of your own, a file or a package: ./mine.js=FILE; - is stdout, FOLDER/ takes all its documents',
      value: 'NAME=FILE',
      isList: true,
    },
    notes: {
      summary: 'all that belongs to the table: the machine, controls, guarantees, flags in full',
    },
    columns: {
      summary:
        'more columns of the table: mb (MB/s), cpu (of each process), net (CPU net of codec), memory, ' +
        'floor (its interval, and CPU of C); of open load: service, lag, sends; or all',
      value: 'NAME,...',
      isList: true,
    },
    charts: {
      summary: 'draw charts into that folder; --no-charts: only what --png asks for',
      shownDefault: 'on',
    },
    theme: { summary: 'of the charts: light or dark', value: 'NAME', default: 'light' },
    title: { summary: 'of the charts', value: 'TEXT' },
    size: {
      summary: `of each picture: ${SIZES_TEXT}`,
      value: 'NAME',
      shownDefault: '960 wide, as high as its rows need',
    },
    scale: {
      summary: `pixels of a PNG for each of that size, ${SCALES.min} to ${SCALES.max}`,
      value: 'N',
      shownDefault: `${USUAL_SCALE}, with --size 1`,
    },
    transparent: { summary: 'pictures without a background' },
    quiet: { summary: 'nothing on stderr but errors' },
    color: { summary: 'colours, or --no-color', shownDefault: 'if on a terminal' },
    force: {
      summary: 'overwrite files; measure however long it takes, and what spins on one CPU',
      isFlagOnly: true,
    },
  }),
  config: { summary: 'JSON; keys are these names without dashes', value: 'FILE', isFlagOnly: true },
  resume: {
    summary: 'go on with an interrupted run: its options, its order, its finished launches',
    value: 'RESULTS.JSON',
    isFlagOnly: true,
  },
  'print-config': { summary: 'print all options as a config file, measure nothing', isFlagOnly: true },
  'dry-run': { summary: 'print the cells in order, measure nothing', isFlagOnly: true },
});

/** What `quick` means for whoever leaves it at that. */
export const QUICK = Object.freeze({ launches: '2', warmup: 'auto', measure: '150ms' });

/** @typedef {'slower' | 'missing' | 'inconclusive'} FailReason */

/** @type {readonly FailReason[]} what --fail-on may name, the strongest first */
export const FAIL_REASONS = Object.freeze(['slower', 'missing', 'inconclusive']);

/**
 * What --columns adds to the table of a first look.
 * @type {readonly import('../types/reports.js').FurtherColumn[]}
 */
export const FURTHER_COLUMNS = Object.freeze([
  'mb',
  'cpu',
  'net',
  'memory',
  'floor',
  'service',
  'lag',
  'sends',
]);

/**
 * @param {OptionEntry['shapes']} shapes
 * @param {Record<string, Omit<OptionEntry, 'shapes'>>} entries
 * @returns {Readonly<Record<string, OptionEntry>>}
 */
function shaping(shapes, entries) {
  const shaped = Object.entries(entries).map(([flag, entry]) => [flag, { shapes, ...entry }]);
  return Object.freeze(Object.fromEntries(shaped));
}
