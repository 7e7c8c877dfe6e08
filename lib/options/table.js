// Every option of `run`, once: what --help prints, what the environment and the config file may say, and what holds
// when nobody says anything. The texts are parsed in lib/options.js, the defaults like all others.

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
  transport: {
    group: WHAT,
    summary: 'with settings after a colon: tcp:noDelay=false,flush=tick,unix',
    value: 'NAME[:KEY=VALUE],...',
    isList: true,
    shownDefault: 'all built in',
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
  warmup: { group: HOW, summary: 'auto: until steady; or a time', value: 'TIME', default: 'auto' },
  measure: { group: HOW, summary: 'measured time of each launch', value: 'TIME', default: '500ms' },
  messages: { group: HOW, summary: 'a fixed count per loop instead of a time', value: 'N' },
  quick: { group: HOW, summary: 'a first look: 3 launches of 200 ms, 150 ms of warm-up' },
  reference: {
    group: HOW,
    summary: 'the row that ratios refer to',
    value: 'TRANSPORT/CODEC',
    default: 'pipe/json',
  },
  seed: { group: HOW, summary: 'of the order of the launches', value: 'N', shownDefault: 'random, recorded' },
  'redis-url': { group: HOW, summary: 'a Redis of your own instead of a private one', value: 'URL' },
  'redis-url-file': {
    group: HOW,
    summary: 'the same, read from a file: arguments are visible to all',
    value: 'FILE',
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
  png: {
    group: OUT,
    summary: 'a folder for the charts; -: the first one to stdout',
    value: 'DIR',
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
    summary: 'overwrite files, and measure however long it takes',
    isFlagOnly: true,
    isOfReport: true,
  },
  config: {
    group: WHERE,
    summary: 'JSON; keys are these names without dashes',
    value: 'FILE',
    isFlagOnly: true,
  },
  'print-config': {
    group: WHERE,
    summary: 'print all options as a config file, measure nothing',
    isFlagOnly: true,
  },
  'dry-run': { group: WHERE, summary: 'print the cells in order, measure nothing', isFlagOnly: true },
});

/** What `quick` means for whoever leaves it at that. */
export const QUICK = Object.freeze({ launches: '3', warmup: '150ms', measure: '200ms' });

/**
 * @param {string} flag
 * @returns {string} IPC_BENCH_REDIS_URL
 */
export function environmentName(flag) {
  return `IPC_BENCH_${flag.toUpperCase().replaceAll('-', '_')}`;
}
