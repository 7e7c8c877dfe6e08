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
  summary: 'measure and print the results (the default)',
  flags: Object.keys(OPTION_TABLE),
  load: async () => (await import('./run.js')).run,
};

const RUNTIME_PATH = {
  summary: 'folders to search for runtimes, before PATH and node_modules',
  value: 'FOLDER,...',
};

/** @type {Command[]} */
export const COMMANDS = [
  RUN,
  {
    name: 'list',
    command: ['list [kind]'],
    summary: 'list what this machine can measure, and how to install the rest',
    operand: { name: 'kind', summary: 'only transports, codecs, runtimes, scenarios, presets or reports' },
    flags: [],
    switches: {
      json: { summary: 'as JSON' },
      markdown: { summary: 'the traits of the transports as a Markdown table' },
    },
    values: { 'runtime-path': RUNTIME_PATH },
    load: async () => (await import('./list.js')).list,
  },
  {
    name: 'report',
    command: ['report [files..]'],
    summary: 'print and draw saved results',
    operand: { name: 'files', summary: 'results.json of earlier runs', isList: true },
    flags: SHOWING,
    load: async () => (await import('./report.js')).report,
  },
  {
    name: 'merge',
    command: ['merge [files..]'],
    summary: 'join the shards of a run (see --shard) to the results of the whole run',
    operand: { name: 'files', summary: 'results.json of each shard, in any order', isList: true },
    flags: SHOWING.filter((flag) => flag !== 'force'),
    switches: {
      force: { summary: 'join despite missing shards or different software, and say so; overwrite files' },
    },
    load: async () => (await import('./merge.js')).merge,
  },
  {
    name: 'doctor',
    command: ['doctor'],
    summary: 'check whether this machine is fit for measurements, and print remedies; changes nothing',
    flags: [],
    switches: { json: { summary: 'as JSON' } },
    load: async () => (await import('./doctor.js')).doctor,
  },
  {
    name: 'compare',
    command: ['compare [files..]'],
    summary: 'compare two saved runs, and fail if the second is slower',
    operand: { name: 'files', summary: 'two results.json: the old one, then the new one', isList: true },
    flags: COMMON_FLAGS,
    switches: {
      force: {
        summary:
          'compare despite differences, and say so; overwrite files; measure busy-waiting transports on one CPU',
      },
    },
    values: {
      run: {
        summary:
          'measure two variants interleaved, then compare them: A=unix/json B=unix:flush=tick/json; @FOLDER selects the code of ' +
          'a checkout of ipc-bench, or your own files in that folder',
        value: 'NAME=[@FOLDER] WHAT',
      },
      'min-effect': {
        summary: 'the smallest difference that matters',
        value: 'SHARE',
        shownDefault: DEFAULT_MIN_EFFECT,
      },
      'fail-on': {
        summary:
          'verdicts that fail the command: slower (exit code 4), missing (3), inconclusive (5); or none',
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
    summary: 'recommend a transport and codec, and show where the recommendation changes',
    flags: RECOMMENDED_FLAGS,
    switches: {
      json: { summary: 'as JSON' },
      force: { summary: 'overwrite files; measure busy-waiting transports on one CPU' },
    },
    values: RECOMMEND_TABLE,
    load: async () => (await import('./recommend.js')).recommend,
  },
  {
    name: 'agent',
    command: ['agent'],
    summary: 'run masters and workers of runs between hosts, until it is stopped; see docs/hosts.md',
    flags: [],
    switches: {
      stdio: { summary: 'receive commands over stdin and stdout, as with ssh, instead of a Redis' },
    },
    values: {
      redis: {
        summary: 'the Redis that carries commands: redis://host:port, rediss://host:port',
        value: 'URL',
      },
      'redis-file': {
        summary: 'the same, read from a file, because arguments are visible to all users',
        value: 'FILE',
      },
      'secret-file': {
        summary:
          'shared secret: commands are accepted only from runs that have it; or IPC_BENCH_SECRET in the environment',
        value: 'FILE',
      },
      name: { summary: 'name of this agent in --master-on and --workers-on', value: 'NAME' },
      bind: {
        summary: 'IPv4 or IPv6 address of this host on which launches listen',
        value: 'ADDRESS',
        shownDefault: '127.0.0.1, over ssh its own',
      },
      'runtime-path': RUNTIME_PATH,
      transport: {
        summary: 'your own transports that runs may use, in addition to the built-in ones: ./mine.js',
        value: 'LIST',
      },
      codec: { summary: 'the same for codecs', value: 'LIST' },
      scenario: { summary: 'the same for scenarios', value: 'LIST' },
      'shared-folder': {
        summary:
          'folder shared with another agent on this machine, at the same path, for unix sockets between them',
        value: 'DIR',
      },
    },
    load: async () => (await import('./agent.js')).agent,
  },
  {
    name: 'selftest',
    command: ['selftest'],
    summary: 'compare this machine with itself, to check whether comparisons are reliable; takes 3 min',
    flags: ['lock', 'quiet'],
    switches: {
      aa: { summary: 'compare one row with itself (the only test, and the default)' },
      quick: { summary: 'finish within a minute, for CI' },
      json: { summary: 'as JSON' },
    },
    load: async () => (await import('./selftest.js')).selftest,
  },
];
