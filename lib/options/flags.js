// The table of flags. It defines --help, argv, environment, config file and defaults, which commands have a flag, and which flags exclude
// each other. option-table.js adds the flags of built-in reports.

import { AXES, isSweep } from '../cell/axes.js';
import { shapeLabel, sloLabel, transportLabel } from '../cell/labels.js';
import { fromHome } from '../format/own-file.js';
import { quoted } from '../format/printable.js';
import { BYTES, COUNT, DURATION, parseQuantity, refuse } from '../format/quantity.js';
import { redactUrl } from '../format/redact.js';
import {
  CONNECTIONS,
  PAYLOAD,
  parseNames,
  parseNetworks,
  parseRuntimes,
  parseScenarios,
  parseShapes,
  parseTransports,
} from './axis-values.js';
import {
  ARRIVALS,
  AUTO_LAUNCHES,
  parseLaunches,
  parseMaxTime,
  parseSlo,
  parseTargetError,
  RATE,
  RATE_QUANTITY,
} from './load-options.js';
import { parseSize, SIZES_TEXT } from './picture-options.js';
import { choices, parseChoice, ranges, splitList } from './quantities.js';

/** @import { FurtherColumn, Options } from '../types/index.js' */
/** @import { QuantityLimits, QuantityFormat, Source } from '../format/quantity.js' */
/** @typedef {(texts: string[], source: Source) => any} Parse   Returns undefined to give the option the value `unset`. */

/**
 * @typedef {object} OptionEntry
 * @property {'cell' | 'launch' | 'run' | 'output'} [shapes]   what the flag changes: 'cell' the set of cells, 'launch' how each is
 *                                    measured, 'run' when and how often, and further measurements, 'output' the documents
 * @property {Topic} [topic]          the section of --help
 * @property {boolean} [isFirst]      shown on the first screen of --help
 * @property {string} [short]         one letter
 * @property {string} summary         The first screen of --help cuts it at the first semicolon.
 * @property {keyof Options} [sets]   the option, if its name differs from the flag
 * @property {string} [value]         placeholder for the value; the flag is a switch without it
 * @property {boolean} [isList]       can be repeated
 * @property {boolean} [isFlagOnly]   not accepted from the environment or the config file
 * @property {string} [default]
 * @property {string} [shownDefault]  shown in --help if the default is not a fixed text
 * @property {Parse} [parse]          by default, a switch becomes a boolean and any other value stays a string
 * @property {string} [partOf]        the option that options.js determines from this flag and often others; '' if the flag sets no option
 * @property {string} [part]          the field of `partOf` that this flag alone determines
 * @property {boolean} [isUnsaved]    not stored in results
 * @property {boolean} [isOnce]       applies to a single run, so commands that repeat the run omit it
 * @property {readonly RunFlagsCommand[]} [for]     the other commands that accept it; by default those of its `shapes`
 * @property {readonly string[]} [excludes]   flags that contradict it; the one from the weaker layer is dropped
 * @property {{ anyOf: readonly string[], why: string }} [needs]   flags without which it has no effect
 * @property {Readonly<Record<string, string>>} [without]   flag beside which this one is refused → reason
 * @property {readonly string[]} [otherNames]   names in other tools
 * @property {unknown} [unset]        value of the option if the flag is not given
 * @property {(options: Options, chosen: ReadonlySet<string>) => unknown} [write]   returns the value for --config, for --resume and for
 *                                    the command of saved results; by default the option, or nothing if the flag has `partOf` and no
 *                                    `part`
 */

/** The options that --quick implies. */
export const QUICK = Object.freeze({ launches: '2', warmup: 'auto', measure: '320ms', controls: 'false' });

/** @typedef {'slower' | 'missing' | 'inconclusive'} FailReason */

/** The strongest reason is first. @type {readonly FailReason[]} */
export const FAIL_REASONS = Object.freeze(['slower', 'missing', 'inconclusive']);

export const THEMES = /** @type {const} */ (['light', 'dark', 'both']);
const ALL_COLUMNS = 'all';

/** @type {readonly FurtherColumn[]} */
export const FURTHER_COLUMNS = Object.freeze([
  'mb',
  'times',
  'intervals',
  'cpu',
  'blocking',
  'net',
  'memory',
  'floor',
  'service',
  'lag',
  'sends',
  'busiest',
  'harness',
  'wake-ups',
]);

/** @typedef {keyof typeof TOPICS} Topic */
/** @typedef {'report' | 'compare' | 'recommend' | 'recommend --traffic' | 'selftest'} RunFlagsCommand   A command that accepts flags of `run`. */

/** @type {readonly RunFlagsCommand[]} */
const MEASURING = ['compare', 'recommend', 'recommend --traffic'];
/** For flags that `recommend --traffic` refuses, mostly because the recording determines their values. @type {readonly RunFlagsCommand[]} */
const UNRECORDED = ['compare', 'recommend'];
/** The commands that accept the flags of each `shapes`, unless a row has `for`. @type {Readonly<Record<string, readonly RunFlagsCommand[]>>} */
const USUAL_TAKERS = Object.freeze({
  cell: MEASURING,
  launch: MEASURING,
  run: MEASURING,
  output: ['report'],
});
const OPEN_LOAD = { anyOf: ['rate', 'sweep'], why: 'is for open load only; add --rate N or --sweep' };
const HOSTS = { anyOf: ['agents'], why: 'needs --agents, by which hosts are reached' };
const ONE_HOST = { agents: 'it is measured on one host only' };
const OWN_NODE = { agents: 'between hosts, each agent starts the Node on which it runs' };
const AS_BEGUN = { resume: 'a run is continued as it began, on the same hosts' };

/** In the order of --help. */
export const TOPICS = Object.freeze({
  transports: 'What is compared. `npx ipc-bench list` shows what this machine has. See docs/transports.md.',
  load: 'How many processes send which messages, and how fast. See docs/method.md on closed and open load.',
  runtimes:
    'Which program runs master and workers. See docs/platforms.md, and docs/extending.md for other languages.',
  statistics: 'How long a run takes, and how narrow its intervals become. See docs/method.md.',
  diagnosis:
    'Where the time goes, and how much of it the benchmark takes itself. See docs/reading.md and docs/method.md.',
  machine:
    'What a run requires of this machine. `npx ipc-bench doctor` checks it. See docs/method.md on placement, and docs/platforms.md on networks.',
  hosts: 'Master and workers on several hosts. See docs/hosts.md.',
  brokers:
    'Brokers of your own. Without these options a private one is started for the run. See docs/usage.md.',
  output: 'What is printed and saved. See docs/reading.md.',
  charts: 'Pictures. See docs/usage.md for posts, feeds and slides.',
  config:
    'Where options come from, and what is done with them. Flags take precedence over the environment (IPC_BENCH_WORKERS=1x1), then the ' +
    'file of --config ({ "workers": "1x1" }), then a preset, then the default.',
});

// Within a topic, rows are in the order of --help.
const TABLE = {
  ...rows('load', 'cell', {
    workers: {
      isFirst: true,
      short: 'w',
      sets: 'shapes',
      summary:
        "worker processes x concurrent loops in each; --rate uses no loops; both accept ranges: '1..8*2x4'",
      value: 'WxC,...',
      isList: true,
      default: '2x4',
      parse: parseShapes,
      write: ({ shapes }) => shapes.map(shapeLabel),
      for: UNRECORDED,
      otherNames: ['concurrency'],
    },
    connections: {
      sets: 'connections',
      summary: "connections per worker, each with all its loops: '1..4096*4'",
      value: 'N,...',
      isList: true,
      default: '1',
      parse: ranges(COUNT, CONNECTIONS),
      for: ['compare'],
    },
    payload: {
      isFirst: true,
      short: 'p',
      sets: 'payloadBytes',
      summary: "payload size in bytes: 1000, 64KiB, '10..100k*10'",
      value: 'SIZE,...',
      isList: true,
      default: '1000',
      parse: ranges(BYTES, PAYLOAD),
      write: ({ messageFile, payloadBytes }) => (messageFile === undefined ? payloadBytes : undefined),
      for: UNRECORDED,
    },
    content: {
      sets: 'contents',
      summary:
        'content of the payload, a text: ascii, utf8, binary (bytes that JSON escapes), json (a document with quotes to escape); or bytes: a Buffer',
      value: 'KIND,...',
      isList: true,
      default: 'ascii',
      parse: axisChoices('content'),
      write: ({ messageFile, contents }) => (messageFile === undefined ? contents : undefined),
      for: UNRECORDED,
    },
    'message-file': {
      isFirst: true,
      summary:
        'your own messages: .ndjson, .jsonl, .json or .txt; JSON objects, or the lines of a .txt; their distribution of sizes is kept',
      value: 'FILE',
      partOf: 'messageFile',
      write: ({ messageFile }) => (messageFile?.channel === undefined ? messageFile?.path : undefined),
      for: UNRECORDED,
      excludes: ['payload', 'content'],
    },
    traffic: {
      summary:
        'recorded traffic of your program (see ipc-bench record): its messages, with its mechanism as the reference, and others beside it',
      value: 'FILE',
      partOf: 'messageFile',
      write: ({ messageFile }) => (messageFile?.channel === undefined ? undefined : messageFile.path),
      for: ['compare'],
      excludes: ['payload', 'content', 'message-file'],
    },
    channel: {
      summary: 'with --traffic: the number of a channel in its table',
      value: 'N',
      shownDefault: 'the one that takes the most time',
      partOf: 'messageFile',
      parse: quantity(COUNT, { min: 1, max: 1e6 }),
      write: ({ messageFile }) => messageFile?.channel,
      for: ['compare'],
      needs: {
        anyOf: ['traffic'],
        why: 'is a channel of recorded traffic; give its file as well, with --traffic',
      },
    },
    rate: {
      isFirst: true,
      summary:
        "requests per second, sent when they are due: 1k,5k; of all workers together, however many are in flight; ranges: '1k..64k*2'; recorded, with --traffic",
      value: 'N,...',
      isList: true,
      shownDefault: 'closed loops',
      partOf: 'open',
      parse: ranges(RATE_QUANTITY, RATE),
      write: ({ open }) => (isSweep(open) ? undefined : open?.ratesPerSecond),
      for: UNRECORDED,
      excludes: ['sweep', 'target-error', 'max-time'],
      otherNames: ['messages'],
    },
    arrivals: {
      summary: 'open load: fixed intervals, poisson, or recorded as in --traffic, with its bursts',
      value: 'NAME',
      shownDefault: 'fixed with --rate, recorded with --rate recorded, poisson with --sweep',
      partOf: 'open',
      parse: choice(ARRIVALS),
      write: ({ open }) => open?.arrivals,
      for: UNRECORDED,
      needs: OPEN_LOAD,
    },
    sweep: {
      summary:
        'find the highest rate that meets --slo; nine of ten launches have to sustain it; rates around it are measured as well',
      partOf: 'open',
      write: ({ open }) => (isSweep(open) ? true : undefined),
      for: [],
      excludes: ['target-error'],
    },
    slo: {
      isFirst: true,
      summary:
        "limit of response time, as 'p99<5ms'; with --rate, a row that exceeds it ends the run with exit code 4, an inconclusive one with 5; with --sweep, the rate has to meet it",
      value: 'pN<TIME',
      shownDefault: 'p99<5ms with --sweep',
      partOf: 'open',
      parse: first(parseSlo),
      write: ({ open }) => (open?.slo ? sloLabel(open.slo) : undefined),
      for: ['recommend'],
      needs: OPEN_LOAD,
      otherNames: ['threshold'],
    },
  }),
  ...rows('transports', 'cell', {
    transport: {
      isFirst: true,
      short: 't',
      sets: 'transports',
      summary:
        'transports, or groups of them: all, sockets, brokers; further groups: pipes, memory, threads, brokerless, rpc; settings follow a colon: tcp:noDelay=false,flush=tick,unix; a file of your own: ./mine.js',
      value: 'NAME,...',
      isList: true,
      // These need no optional package, and no server except Redis.
      default: 'pipe,unix,tcp,zeromq,redis-pubsub',
      parse: parseTransports,
      write: ({ transports }) =>
        transports.map(({ name, settings }) => transportLabel({ transport: name, settings })),
    },
    codec: {
      isFirst: true,
      short: 'c',
      sets: 'codecs',
      summary: 'codecs that serialise the messages, or ./mine.js',
      value: 'NAME,...',
      isList: true,
      default: 'json,string',
      parse: parseNames,
      write: ({ codecs, codecsAreChosen }) => (codecsAreChosen === false ? undefined : codecs),
      otherNames: ['serializer'],
    },
    scenario: {
      isFirst: true,
      sets: 'scenarios',
      summary: 'workload, see `npx ipc-bench list scenarios`',
      value: 'NAME,...',
      isList: true,
      default: 'round-trip',
      parse: parseScenarios,
      for: UNRECORDED,
    },
    preset: {
      summary: 'a named set of these options, see `ipc-bench list presets`',
      value: 'NAME',
      partOf: 'preset',
      write: ({ preset }) => preset ?? undefined,
      for: ['compare'],
      without: AS_BEGUN,
    },
  }),
  ...rows('runtimes', 'cell', {
    runtime: {
      isFirst: true,
      sets: 'runtimes',
      summary:
        'program that runs both ends: node@22, bun, deno; node (this one), node=PATH, with V8 flags "node --jitless"; for one end: worker:bun+master:node; masters in other languages: master:go, master:./PATH',
      value: 'NAME,...',
      isList: true,
      default: 'node',
      parse: parseRuntimes,
      without: OWN_NODE,
    },
  }),
  ...rows('runtimes', 'launch', {
    'tier-up': {
      sets: 'tierUp',
      summary:
        'V8 tuning of master and workers: early (optimise sooner, shorter warm-up) or usual (defaults of Node)',
      value: 'WHEN',
      default: 'early',
      parse: choice(['early', 'usual']),
      write: ({ tierUp }) => tierUp ?? 'usual',
    },
  }),
  ...rows('runtimes', 'run', {
    'runtime-path': {
      sets: 'runtimePath',
      summary: 'folders to search for the programs of --runtime, before PATH and node_modules',
      value: 'DIR,...',
      isList: true,
      parse: (texts, source) => splitList(texts, source).map(fromHome),
      without: OWN_NODE,
    },
  }),
  ...rows('machine', 'cell', {
    placement: {
      sets: 'placements',
      summary:
        'split: master and workers on separate CPUs; same: all on one CPU; free: the scheduler decides',
      value: 'MODE,...',
      isList: true,
      default: 'split',
      parse: axisChoices('placement'),
    },
    poll: {
      sets: 'polls',
      summary: 'event: processes sleep while they wait; busy: they busy-wait, which costs a core each',
      value: 'MODE,...',
      isList: true,
      default: 'event',
      parse: axisChoices('poll'),
    },
    network: {
      sets: 'networks',
      summary:
        'emulated network between master and workers on this machine: none, or a round-trip time and a rate, such as 1ms or 1ms+100mbit; ' +
        'Linux, see docs/platforms.md',
      value: 'TIME[+RATE],...',
      isList: true,
      default: 'none',
      parse: parseNetworks,
      without: { agents: 'it is made on one host; between hosts, theirs is measured' },
    },
  }),
  ...rows('machine', 'run', {
    lock: {
      summary: 'if another run is already active on this machine: wait, ignore or fail',
      value: 'MODE',
      default: 'wait',
      parse: choice(['wait', 'ignore', 'fail']),
      isOnce: true,
      for: [...MEASURING, 'selftest'],
    },
  }),
  ...rows('hosts', 'run', {
    agents: {
      summary:
        'measure between hosts: the Redis of their agents; with --master-on and --workers-on; pass a URL with a password in ' +
        'IPC_BENCH_AGENTS, because arguments are visible to all users; see docs/hosts.md',
      value: 'URL',
      partOf: 'agents',
      isUnsaved: true,
    },
  }),
  ...rows('hosts', 'cell', {
    'master-on': {
      summary: 'with --agents: the host of the master',
      value: 'NAME',
      partOf: 'hosts',
      write: ({ hosts }) => hosts?.master,
      needs: HOSTS,
    },
    'workers-on': {
      summary: 'with --agents: the hosts of the workers, assigned in turn',
      value: 'NAME,...',
      isList: true,
      partOf: 'hosts',
      write: ({ hosts }) => hosts?.workers,
      needs: HOSTS,
    },
    'same-machine': {
      summary:
        'the agents of --agents are on one machine and share a folder (agent --shared-folder): also measure transports within one host, such as unix',
      partOf: 'hosts',
      write: ({ hosts }) => hosts?.sharesFolder,
      needs: HOSTS,
      otherNames: ['shared-folder'],
    },
  }),
  ...rows('statistics', 'run', {
    launches: {
      isFirst: true,
      summary:
        'launches (fresh processes) per row; auto: 2 to 8, until every ratio is settled or 40 seconds are over',
      value: 'N',
      default: AUTO_LAUNCHES,
      partOf: 'launches',
      parse: first(parseLaunches),
      write: ({ launches, stop }) => (stop?.mostLaunches === undefined ? launches : AUTO_LAUNCHES),
      otherNames: ['runs'],
    },
    'target-error': {
      summary:
        'add launches until every 95 % interval of throughput is within ± this value, or --max-time is over',
      value: 'SHARE',
      shownDefault: '2% with --max-time',
      partOf: 'stop',
      parse: first(parseTargetError),
      write: ({ stop }) =>
        stop && stop.mostLaunches === undefined
          ? `${Number((stop.targetError * 100).toPrecision(12))}%`
          : undefined,
    },
    'max-time': {
      summary:
        'time limit for --target-error; with --sweep: time limit per row for the search and its confirmation',
      value: 'TIME',
      shownDefault: '5min with --target-error, 4min with --sweep',
      partOf: 'stop',
      parse: first(parseMaxTime),
      write: ({ open, stop }) =>
        writeMs(stop?.mostLaunches === undefined ? (stop?.maxTimeMs ?? open?.maxTimeMs) : undefined),
      for: UNRECORDED,
    },
  }),
  ...rows('statistics', 'launch', {
    warmup: {
      sets: 'warmupMs',
      summary: 'auto: until the code is compiled and the rate is steady; or a time',
      value: 'TIME',
      default: 'auto',
      parse: parseWarmup,
      write: ({ warmupMs }) => (warmupMs === null ? 'auto' : writeMs(warmupMs)),
    },
    measure: {
      sets: 'measureMs',
      summary: 'measured time of each launch, all of its slices together',
      value: 'TIME',
      default: '720ms',
      parse: quantity(DURATION, { min: 10, max: 60 * 60e3 }),
      // Under open load, a window that the user did not choose depends on the rate, so it is not written.
      write: ({ messages, measureMs, open }) =>
        messages === null && (open === undefined || open.isWindowChosen) ? writeMs(measureMs) : undefined,
      otherNames: ['duration'],
    },
    slice: {
      sets: 'sliceMs',
      summary: 'length of a slice: launches that run side by side are measured in slices',
      value: 'TIME',
      default: '80ms',
      parse: quantity(DURATION, { min: 10, max: 60e3 }),
      write: ({ messages, sliceMs }) => (messages === null ? writeMs(sliceMs) : undefined),
    },
    messages: {
      summary: 'a fixed number of messages per loop instead of a time',
      value: 'N',
      parse: quantity(COUNT, { min: 1, max: 1e9 }),
      unset: null,
      for: ['compare'],
      excludes: ['measure', 'rate', 'sweep'],
      otherNames: ['requests'],
    },
    quick: {
      isFirst: true,
      summary:
        'first impression in 15 seconds, without verdicts; 1 or 2 shorter launches per row, as time permits, with wider intervals',
      unset: false,
      excludes: ['target-error', 'max-time'],
    },
  }),
  ...rows('statistics', 'run', {
    reference: {
      isFirst: true,
      summary: 'the row to which ratios refer, as unix/json',
      value: 'ROW',
      default: 'pipe/json',
      parse: first(parseReference), // An explicit reference must be in the plan; the default need not.
      write: ({ reference, referenceIsChosen }) => (referenceIsChosen ? reference : undefined),
      for: ['recommend', 'recommend --traffic'],
    },
    seed: {
      summary: 'seed for the order of the launches',
      value: 'N',
      shownDefault: 'random, recorded',
      parse: quantity({ ...COUNT, examples: 'one such as 42' }, { min: 0, max: 2 ** 32 - 1 }),
    },
  }),
  ...rows('diagnosis', 'run', {
    controls: {
      summary:
        'calibrate: measure codec, harness, clock and wake-up without a transport; --no-controls skips this',
      shownDefault: 'on',
      parse: onlyOff,
    },
    floor: {
      summary:
        'native baseline: send the same bytes over the same mechanisms by programs in C, and show each row as a share of it; needs a C compiler',
      parse: onlyOn,
      without: ONE_HOST,
    },
    syscalls: {
      summary: 'one diagnostic launch per row under strace, to count system calls and writes',
      parse: onlyOn,
      for: ['compare'],
      without: ONE_HOST,
    },
    profile: {
      summary:
        'one diagnostic launch per row with V8’s profiler; saves .cpuprofile files for Chrome DevTools',
      parse: onlyOn,
      for: ['compare'],
      without: ONE_HOST,
    },
    explain: {
      isFirst: true,
      summary: 'show where the time of a round trip goes; two diagnostic launches per round-trip row',
      parse: onlyOn,
      without: ONE_HOST,
    },
  }),
  ...rows('brokers', 'run', {
    'broker-url': {
      summary:
        'your own broker instead of a private one: redis=redis://host, rabbitmq=amqp://host, mqtt=unix:///path, ...; pass a URL with a password in ' +
        'IPC_BENCH_BROKER_URL, because arguments are visible to all users',
      value: 'NAME=URL,...',
      isList: true,
      partOf: 'brokerUrls',
      write: ({ brokerUrls }) =>
        unlessEmpty(Object.entries(brokerUrls).map(([name, url]) => `${name}=${redactUrl(url)}`)),
      isUnsaved: true,
    },
    'allow-remote-broker': {
      summary: 'permit a broker on another machine; the load affects its other users',
      isFlagOnly: true,
      partOf: 'brokerUrls',
      isUnsaved: true,
    },
  }),
  ...rows('output', 'output', {
    out: {
      isFirst: true,
      short: 'o',
      summary: 'folder for results.json and the charts',
      value: 'DIR',
      shownDefault: 'ipc-bench-results/<time>',
      partOf: 'outDir', // The default contains the time of this run.
      parse: notStdout('it names the folder of the run; --json - prints the results'),
      write: ({ outDir }, chosen) => (chosen.has('out') ? outDir : undefined),
      isUnsaved: true,
      for: ['report', ...MEASURING],
      without: AS_BEGUN,
    },
    notes: {
      summary:
        'print machine details, calibration, guarantees and the meaning of all remarks below the table',
      sets: 'hasNotes',
      unset: false,
      isUnsaved: true,
    },
    columns: {
      isFirst: true,
      summary:
        'additional columns of the table, or all; mb (MB/s), times (mean, p99.9, max), intervals (of p50 and p99), cpu (per role), blocking (what each end takes from its main thread), net (CPU net of codec), memory, floor (interval and CPU of the native baseline); with --rate: service, lag, sends; what limits a row: busiest (process), harness, wake-ups',
      value: 'NAME,...',
      isList: true,
      sets: 'furtherColumns',
      parse: parseColumns,
      unset: [],
      write: ({ furtherColumns }) => unlessEmpty(furtherColumns),
      isUnsaved: true,
    },
    quiet: {
      summary: 'print only errors on stderr',
      sets: 'isQuiet',
      unset: false,
      isUnsaved: true,
      for: ['report', ...MEASURING, 'selftest'],
    },
    'save-baseline': {
      isFirst: true,
      summary:
        'save the results under a name, for compare NAME; in ipc-bench-results/baselines, in place of an earlier one',
      value: 'NAME',
      isFlagOnly: true,
      partOf: '',
      parse: first((text, source) => checkShortName(text, source, 'for a baseline')),
      otherNames: ['baseline'],
    },
    force: {
      isFirst: true,
      summary: 'overwrite files; measure plans of any length; measure busy-waiting transports on one CPU',
      isFlagOnly: true,
      partOf: '',
    },
  }),
  ...rows('charts', 'output', {
    charts: {
      summary: 'draw charts into the folder of --out; --no-charts: only those of --png',
      shownDefault: 'on',
      parse: onlyOff,
    },
    theme: {
      summary:
        'theme of the charts: light, dark, or both; with HTML that shows the one that fits its reader; report: as the run',
      value: 'NAME',
      default: 'light',
      parse: choice(THEMES),
      unset: null,
    },
    title: { summary: 'title of the charts', value: 'TEXT', unset: null },
    size: {
      summary: `size of each picture: ${SIZES_TEXT}`,
      value: 'NAME',
      shownDefault: '800 wide, as high as its rows need',
      parse: first(parseSize),
      partOf: 'picture',
      part: 'size',
      isUnsaved: true,
    },
  }),
  ...rows('config', undefined, {
    config: {
      summary: 'JSON file with options; keys are these names without dashes',
      value: 'FILE',
      isFlagOnly: true,
      for: MEASURING,
      without: AS_BEGUN,
    },
    resume: {
      summary: 'continue an interrupted run with its options, its order and its finished launches',
      value: 'RESULTS.JSON',
      isFlagOnly: true,
    },
    'dry-run': {
      isFirst: true,
      summary: 'print the plan and its duration without measuring',
      isFlagOnly: true,
      for: UNRECORDED,
      without: AS_BEGUN,
    },
  }),
};

/** @type {Readonly<Record<string, OptionEntry>>} */
export const FLAGS = Object.freeze(TABLE);

/** @typedef {typeof TABLE} FlagTable */
/** @typedef {string | number | readonly (string | number)[]} OptionValue */
/**
 * Options of measure() and of --config: all flags without dashes, except those that only the command line accepts.
 * @typedef {{ [F in keyof FlagTable as FlagTable[F] extends { isFlagOnly: boolean } ? never : F]?:
 *   FlagTable[F] extends { value: string } ? OptionValue : boolean }} RunOptions
 */

/** @typedef {Omit<OptionEntry, 'topic' | 'shapes'>} FlagRow */
/**
 * @template {Record<string, FlagRow>} T
 * @param {Topic} topic
 * @param {OptionEntry['shapes']} shapes
 * @param {T & { [F in keyof T]: { [Unknown in Exclude<keyof T[F], keyof FlagRow>]: never } }} entries
 * @returns {T}
 */
function rows(topic, shapes, entries) {
  const filled = Object.entries(entries).map(([flag, entry]) => [flag, { topic, shapes, ...entry }]);
  return /** @type {any} */ (Object.fromEntries(filled));
}

/** @param {OptionEntry} row @param {RunFlagsCommand} taker */
export function isFor({ shapes, for: takers }, taker) {
  return (takers ?? (shapes === undefined ? [] : USUAL_TAKERS[shapes])).includes(taker);
}

// Parsers.

/** @param {(text: string, source: Source) => unknown} parse @returns {Parse} */
export function first(parse) {
  return ([text], source) => parse(text, source);
}

/** @param {string} why   a reason, and the flag that prints to stdout @returns {Parse} of a path that cannot be -, which is stdout elsewhere */
export function notStdout(why) {
  return first((text, source) => (text === '-' ? refuse(source, `- is stdout, and ${why}`) : text));
}

/** @param {readonly string[]} values */
export function choice(values) {
  return first((text, source) => parseChoice(text, values, source));
}

/** @param {QuantityFormat} unit @param {QuantityLimits} limits */
function quantity(unit, limits) {
  return first((text, source) => parseQuantity(text, unit, limits, source));
}

/** @param {string} name @returns {Parse} */
function axisChoices(name) {
  return choices(AXES.find((axis) => axis.name === name)?.values ?? []);
}

/** Parses a switch that is off by default. @type {Parse} */
function onlyOn([text]) {
  return text === 'true' ? true : undefined;
}

/** Parses a switch that is on by default. @type {Parse} */
function onlyOff([text]) {
  return text === 'true' ? undefined : false;
}

/** Returns ms, or null to warm up until the rate is steady. @type {Parse} */
function parseWarmup([text], source) {
  if (text === 'auto') return null;
  const units = { ...DURATION, examples: `auto, ${DURATION.examples}` };
  return parseQuantity(text, units, { min: 0, max: 10 * 60e3 }, source);
}

/** @param {string} text @param {Source} source */
function parseReference(text, source) {
  if (!/^[^/]+\/[^/]+$/.test(text)) {
    refuse(source, `${quoted(text)} is not TRANSPORT/CODEC; write it as the table does, as unix/json`);
  }
  return text;
}

/** The name of a variant, a baseline or a host, which becomes part of file names, keys and labels. */
export const SHORT_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/i;

/** @param {string} text @param {Source} source @param {string} what   purpose of the name in the message, such as 'for a baseline' */
export function checkShortName(text, source, what) {
  if (SHORT_NAME.test(text)) return text;
  return refuse(source, `${quoted(text)} is not a name ${what}; use up to 40 letters, digits and . _ -`);
}

/** @type {Parse} */
function parseColumns(texts, source) {
  const names = splitList(texts, source).map((text) =>
    parseChoice(text, [...FURTHER_COLUMNS, ALL_COLUMNS], source),
  );
  return FURTHER_COLUMNS.filter((name) => names.includes(name) || names.includes(ALL_COLUMNS));
}

/** @param {number | undefined} ms */
function writeMs(ms) {
  return ms === undefined ? undefined : `${ms}ms`;
}

/** @param {readonly unknown[]} values */
function unlessEmpty(values) {
  return values.length === 0 ? undefined : values;
}
