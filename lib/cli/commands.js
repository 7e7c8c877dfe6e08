// What the commands look like from outside: enough for --help and for reading argv. What they do is a file each,
// imported when it is their turn.

import { DEFAULT_FAIL_ON, DEFAULT_MIN_EFFECT } from '../options/compare-options.js';
import { COMPARISON_TABLE, OPTION_TABLE } from '../options/option-table.js';
import { RECOMMEND_TABLE } from '../options/recommend-options.js';
import { COMMON_FLAGS } from '../options/variants.js';

/** @typedef {(argv: Record<string, any>, host: import('./main.js').Host) => Promise<number>} Run   → the exit code */
/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string[]} command          as yargs spells it
 * @property {string} summary
 * @property {string[]} flags            keys of the option table
 * @property {{ name: string, summary: string, isList?: true }} [operand]
 * @property {Record<string, { summary: string }>} [switches]   of this command only
 * @property {Record<string, { summary: string, value: string, shownDefault?: string }>} [values]   of this command only
 * @property {() => Promise<Run>} load
 */

/** What of a run `recommend` takes as well: the rest has another meaning there, or none. */
const OF_NO_RECOMMENDATION = [
  'rate',
  'sweep',
  'preset',
  'target-error',
  'connections',
  'syscalls',
  'profile',
];
const RECOMMENDED_FLAGS = COMMON_FLAGS.filter(
  (flag) => !Object.hasOwn(RECOMMEND_TABLE, flag) && !OF_NO_RECOMMENDATION.includes(flag),
);
const SHOWING = Object.keys(OPTION_TABLE).filter((flag) => OPTION_TABLE[flag].shapes === 'output');

/** @type {Command} */
export const RUN = {
  name: 'run',
  command: ['run', '$0'],
  summary: 'measure, and say what came out (the default)',
  flags: Object.keys(OPTION_TABLE),
  load: async () => (await import('./run.js')).run,
};

const RUNTIME_PATH = {
  summary: 'where runtimes are looked for first, before PATH and node_modules here',
  value: 'FOLDER,...',
};

/** @type {Command[]} */
export const COMMANDS = [
  RUN,
  {
    name: 'list',
    command: ['list [kind]'],
    summary: 'what there is, and how to get what is missing',
    operand: { name: 'kind', summary: 'only transports, codecs, runtimes, scenarios, presets or reports' },
    flags: [],
    switches: {
      json: { summary: 'as JSON' },
      markdown: { summary: 'the traits of the transports as a table, as docs/transports.md has it' },
    },
    values: { 'runtime-path': RUNTIME_PATH },
    load: async () => (await import('./list.js')).list,
  },
  {
    name: 'report',
    command: ['report [files..]'],
    summary: 'draw saved results again',
    operand: { name: 'files', summary: 'results.json of earlier runs', isList: true },
    flags: SHOWING,
    load: async () => (await import('./report.js')).report,
  },
  {
    name: 'merge',
    command: ['merge [files..]'],
    summary: 'join the shards of a run, measured with --shard, to the results of the whole run',
    operand: { name: 'files', summary: 'results.json of each shard, in any order', isList: true },
    flags: SHOWING.filter((flag) => flag !== 'force'),
    switches: {
      force: { summary: 'join in spite of missing shards or unlike software, and say so; overwrite files' },
    },
    load: async () => (await import('./merge.js')).merge,
  },
  {
    name: 'doctor',
    command: ['doctor'],
    summary: 'whether this machine is fit to measure on, and how to mend what is not; changes nothing',
    flags: [],
    switches: { json: { summary: 'as JSON' } },
    load: async () => (await import('./doctor.js')).doctor,
  },
  {
    name: 'compare',
    command: ['compare [files..]'],
    summary: 'tell whether one saved run is faster than another, and fail if it is slower',
    operand: { name: 'files', summary: 'two results.json: the old one, then the new one', isList: true },
    flags: COMMON_FLAGS,
    switches: {
      force: {
        summary: 'compare unlike things, and mark it; overwrite files; measure what spins on one CPU',
      },
    },
    values: {
      run: {
        summary:
          'measure two variants interleaved, then compare them: A=unix/json B=unix:flush=tick/json; with @FOLDER by the code of ' +
          'a checkout of ipc-bench, or with your own files of that folder',
        value: 'NAME=[@FOLDER] WHAT',
      },
      'min-effect': {
        summary: 'the least difference that matters',
        value: 'SHARE',
        shownDefault: DEFAULT_MIN_EFFECT,
      },
      'fail-on': {
        summary: 'slower (exit code 4), missing (3), inconclusive (5); or none',
        value: 'LIST',
        shownDefault: DEFAULT_FAIL_ON,
      },
      ...COMPARISON_TABLE,
    },
    load: async () => async (argv, host) =>
      argv.run === undefined
        ? (await import('./compare.js')).compare(argv, host)
        : (await import('./compare-run.js')).compareRun(argv, host),
  },
  {
    name: 'recommend',
    command: ['recommend'],
    summary: 'tell which one to use, how sure that is, and where the answer changes',
    flags: RECOMMENDED_FLAGS,
    switches: {
      json: { summary: 'as JSON' },
      force: { summary: 'overwrite files; measure what spins on one CPU' },
    },
    values: RECOMMEND_TABLE,
    load: async () => (await import('./recommend.js')).recommend,
  },
  {
    name: 'agent',
    command: ['agent'],
    summary: 'lend this host to runs between hosts: takes orders until it is stopped; see docs/hosts.md',
    flags: [],
    switches: { stdio: { summary: 'orders over stdin and stdout, as ssh carries them, instead of a Redis' } },
    values: {
      redis: { summary: 'where orders come from: redis://host:port, rediss://host:port', value: 'URL' },
      'redis-file': { summary: 'the same, read from a file: arguments are visible to all', value: 'FILE' },
      'secret-file': {
        summary: 'whose orders are taken: runs hold the same one; or IPC_BENCH_SECRET in the environment',
        value: 'FILE',
      },
      name: { summary: 'by which runs ask for it', value: 'NAME' },
      bind: {
        summary: 'the one address of this host on which launches listen, of IPv4 or IPv6',
        value: 'ADDRESS',
        shownDefault: '127.0.0.1, over ssh its own',
      },
      'runtime-path': RUNTIME_PATH,
      transport: {
        summary: 'transports of your own that runs may name, besides those that are built in: ./mine.js',
        value: 'LIST',
      },
      codec: { summary: 'the same of codecs', value: 'LIST' },
      scenario: { summary: 'the same of scenarios', value: 'LIST' },
      'shared-folder': {
        summary:
          'that another agent of this machine has as well, at the same path: for unix sockets between the two',
        value: 'DIR',
      },
    },
    load: async () => (await import('./agent.js')).agent,
  },
  {
    name: 'selftest',
    command: ['selftest'],
    summary:
      'measure this machine against itself: whether the same comes out the same, and what is found; 3 min',
    flags: ['lock', 'quiet'],
    switches: {
      aa: { summary: 'one cell against itself: the only test there is, and the default' },
      quick: { summary: 'within a minute, for CI' },
      json: { summary: 'as JSON' },
    },
    load: async () => (await import('./selftest.js')).selftest,
  },
];
