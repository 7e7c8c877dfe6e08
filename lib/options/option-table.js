// Every option of `run`, once: what --help prints, what the environment and the config file may say, and what holds
// when nobody says anything. The texts are parsed in lib/options/options.js, the defaults like all others.

/**
 * @typedef {object} OptionEntry
 * @property {string} group
 * @property {string} summary
 * @property {string} [value]         what follows the flag, for --help; none: a switch
 * @property {boolean} [isList]       may be given several times
 * @property {boolean} [isFlagOnly]   not for the environment or the config file
 * @property {boolean} [isOfReport]   `report` has it too
 * @property {string} [default]
 * @property {string} [shownDefault]  in --help, where the default is not a fixed text
 */

const WHAT = 'What is measured';
const HOW = 'How long, and against what';
const OUT = 'What comes out';
const WHERE = 'Where the options come from';

/** @type {Readonly<Record<string, OptionEntry>>} */
export const OPTION_TABLE = Object.freeze({
  workers: {
    group: WHAT,
    summary: 'worker processes x concurrent loops in each; ranges on either side: 1..8*2x4',
    value: 'WxC,...',
    isList: true,
    default: '2x4',
  },
  payload: {
    group: WHAT,
    summary: 'bytes of payload: 1000, 10k, 64KiB, ranges 10..100k*10',
    value: 'SIZE,...',
    isList: true,
    default: '1000',
  },
  content: {
    group: WHAT,
    summary:
      'of the payload: ascii, utf8, binary (what JSON escapes most) or json (a document, its quotes escaped)',
    value: 'KIND,...',
    isList: true,
    default: 'ascii',
  },
  transport: {
    group: WHAT,
    summary:
      'with settings after a colon: tcp:noDelay=false,flush=tick,unix; or groups: all, pipes, sockets, memory, ' +
      'threads, brokerless, rpc, brokers',
    value: 'NAME[:KEY=VALUE],...',
    isList: true,
    // What runs within its time on any machine: no optional package, and no server but the one that people have.
    default: 'pipe,unix,tcp,zeromq,redis-pubsub',
  },
  codec: {
    group: WHAT,
    summary: 'how messages are written',
    value: 'NAME,...',
    isList: true,
    default: 'json,string',
  },
  scenario: { group: WHAT, summary: 'what is asked', value: 'NAME,...', isList: true, default: 'round-trip' },
  placement: {
    group: WHAT,
    summary: 'split: master and workers on cores of their own; same: on one; free: the scheduler decides',
    value: 'MODE,...',
    isList: true,
    default: 'split',
  },
  poll: {
    group: WHAT,
    summary: 'event: processes sleep while they wait; busy: they keep looking, at a core each',
    value: 'MODE,...',
    isList: true,
    default: 'event',
  },
  rate: {
    group: WHAT,
    summary: 'open load: round trips per second of each cell, sent by a plan; 1k,5k or 1k..64k*2',
    value: 'N,...',
    isList: true,
    shownDefault: 'closed loops',
  },
  arrivals: {
    group: WHAT,
    summary: 'open load: fixed intervals or poisson',
    value: 'NAME',
    default: 'fixed',
  },
  catchup: {
    group: WHAT,
    summary:
      'open load: send what is late as soon as a loop is free; --no-catchup gives it up, and counts it',
    shownDefault: 'on',
  },
  sweep: {
    group: WHAT,
    summary: 'open load: find the highest rate that keeps --slo, then measure around it',
  },
  slo: {
    group: WHAT,
    summary: 'for --sweep: a percentile of response time, and what it stays below',
    value: 'pN<TIME',
    default: 'p99<5ms',
  },
  preset: {
    group: WHAT,
    summary: 'a named set of all of these, see `ipc-bench list presets`',
    value: 'NAME',
  },
  launches: {
    group: HOW,
    summary: 'fresh starts of each cell; 6 are the fewest for a 95 % interval',
    value: 'N',
    default: '6',
  },
  'target-error': {
    group: HOW,
    summary: 'launch more until every 95 % interval of throughput is within ± this, or --max-time is over',
    value: 'SHARE',
    shownDefault: '2% with --max-time',
  },
  'max-time': {
    group: HOW,
    summary:
      'launch more until every interval is within --target-error, at most so long; of a sweep: what the search of ' +
      'each cell and the launches that confirm it may take together',
    value: 'TIME',
    shownDefault: '5min with --target-error, 2min with --sweep',
  },
  warmup: { group: HOW, summary: 'auto: until warm and steady; or a time', value: 'TIME', default: 'auto' },
  'tier-up': {
    group: HOW,
    summary:
      'when V8 optimises master and workers: early, so that launches are soon warm; or usual, after more calls',
    value: 'WHEN',
    default: 'early',
  },
  measure: { group: HOW, summary: 'measured time of each launch', value: 'TIME', default: '400ms' },
  messages: { group: HOW, summary: 'a fixed count per loop instead of a time', value: 'N' },
  quick: {
    group: HOW,
    summary:
      'a first look: 1 or 2 launches of 150 ms, as there is time; a ratio only where 2 agree within 10 %',
  },
  reference: {
    group: HOW,
    summary: 'the row that ratios refer to',
    value: 'TRANSPORT/CODEC',
    default: 'pipe/json',
  },
  seed: { group: HOW, summary: 'of the order of the launches', value: 'N', shownDefault: 'random, recorded' },
  controls: {
    group: HOW,
    summary: 'measure codec, harness, clock and waking without a transport; --no-controls: without them',
    shownDefault: 'on',
  },
  syscalls: { group: HOW, summary: 'one extra launch of each cell under strace, to count system calls' },
  profile: {
    group: HOW,
    summary: 'one extra launch of each cell with V8’s profiler: its heaviest functions',
  },
  strict: { group: HOW, summary: 'refuse a machine that `ipc-bench doctor` calls unfit' },
  lock: {
    group: HOW,
    summary: 'while you measure here already: wait for the end of that, ignore it, or fail',
    value: 'MODE',
    default: 'wait',
  },
  'redis-url': {
    group: HOW,
    summary: 'a Redis of your own instead of a private one: redis://host, unix:///run/redis.sock, ...',
    value: 'URL',
  },
  'redis-url-file': {
    group: HOW,
    summary: 'the same, read from a file: arguments are visible to all',
    value: 'FILE',
  },
  'broker-url': {
    group: HOW,
    summary: 'a broker of your own instead of a private one: rabbitmq=amqp://host, mqtt=unix:///path, ...',
    value: 'NAME=URL,...',
    isList: true,
  },
  'broker-url-file': {
    group: HOW,
    summary: 'the same, read from files',
    value: 'NAME=FILE,...',
    isList: true,
  },
  'allow-remote-broker': {
    group: HOW,
    summary: 'a broker on another machine may be used: its other users will feel it',
    isFlagOnly: true,
  },
  out: {
    group: OUT,
    summary: 'folder for results.json and the charts',
    value: 'DIR',
    isOfReport: true,
    shownDefault: 'ipc-bench-results/<time>',
  },
  json: {
    group: OUT,
    summary: 'results; - is stdout, for the next two also',
    value: 'FILE',
    isOfReport: true,
  },
  csv: { group: OUT, summary: 'one line per cell', value: 'FILE', isOfReport: true },
  markdown: { group: OUT, summary: 'a table to paste', value: 'FILE', isOfReport: true },
  benchstat: {
    group: OUT,
    summary: 'one line per launch, for benchstat and other readers of Go benchmarks',
    value: 'FILE',
    isOfReport: true,
  },
  'github-action-benchmark': {
    group: OUT,
    summary: 'one entry per cell, for that action (customBiggerIsBetter)',
    value: 'FILE',
    isOfReport: true,
  },
  png: {
    group: OUT,
    summary: 'a folder for the charts; -: the first one to stdout',
    value: 'DIR',
    isOfReport: true,
  },
  charts: {
    group: OUT,
    summary: 'draw charts into that folder; --no-charts: only what --png asks for',
    shownDefault: 'on',
  },
  hgrm: {
    group: OUT,
    summary:
      'a folder for percentile distributions that HdrHistogram’s plotter reads; -: the first one to stdout',
    value: 'DIR',
    isOfReport: true,
  },
  report: {
    group: OUT,
    summary:
      'a report of your own, a file or a package: ./mine.js=FILE; - is stdout, FOLDER/ takes all its documents',
    value: 'NAME=FILE',
    isList: true,
    isOfReport: true,
  },
  notes: {
    group: OUT,
    summary: 'all that belongs to the table: the machine, controls, guarantees, flags in full',
    isOfReport: true,
  },
  columns: {
    group: OUT,
    summary:
      'more columns of the table: mb (MB/s), cpu (of each process), net (CPU net of codec), memory; ' +
      'of open load: service, lag, sends; or all',
    value: 'NAME,...',
    isList: true,
    isOfReport: true,
  },
  theme: {
    group: OUT,
    summary: 'of the charts: light or dark',
    value: 'NAME',
    isOfReport: true,
    default: 'light',
  },
  title: { group: OUT, summary: 'of the charts', value: 'TEXT', isOfReport: true },
  quiet: { group: OUT, summary: 'nothing on stderr but errors', isOfReport: true },
  color: {
    group: OUT,
    summary: 'colours, or --no-color',
    isOfReport: true,
    shownDefault: 'if on a terminal',
  },
  force: {
    group: OUT,
    summary: 'overwrite files; measure however long it takes, and what spins on one CPU',
    isFlagOnly: true,
    isOfReport: true,
  },
  config: {
    group: WHERE,
    summary: 'JSON; keys are these names without dashes',
    value: 'FILE',
    isFlagOnly: true,
  },
  resume: {
    group: WHERE,
    summary: 'go on with an interrupted run: its options, its order, its finished launches',
    value: 'RESULTS.JSON',
    isFlagOnly: true,
  },
  'print-config': {
    group: WHERE,
    summary: 'print all options as a config file, measure nothing',
    isFlagOnly: true,
  },
  'dry-run': { group: WHERE, summary: 'print the cells in order, measure nothing', isFlagOnly: true },
});

/**
 * What --columns adds to the table of a first look.
 * @type {readonly import('../types/scenarios.js').FurtherColumn[]}
 */
export const FURTHER_COLUMNS = Object.freeze(['mb', 'cpu', 'net', 'memory', 'service', 'lag', 'sends']);

/** What `quick` means for whoever leaves it at that. */
export const QUICK = Object.freeze({ launches: '2', warmup: 'auto', measure: '150ms' });

/**
 * @param {string} flag
 * @returns {string} IPC_BENCH_REDIS_URL
 */
export function environmentName(flag) {
  return `IPC_BENCH_${flag.toUpperCase().replaceAll('-', '_')}`;
}
