// The table of commands for --help and for parsing argv. Each command is a module, which is imported when it runs.

import { COMPARE_TABLE } from '../options/compare-options.js';
import { OPTION_TABLE, RECORD_TABLE, rowsFor } from '../options/option-table.js';
import { RECOMMEND_TABLE } from '../options/recommend-options.js';

/** @import { OptionEntry } from '../options/flags.js' */
/** @typedef {(argv: Record<string, any>, host: import('./main.js').Host) => Promise<number>} RunCommand   Resolves with the exit code. */
/**
 * @typedef {object} CliCommand
 * @property {string} name
 * @property {string} usage              the pattern for yargs
 * @property {string} [synopsis]         the command line that --help shows; `usage` by default
 * @property {string} summary
 * @property {Readonly<Record<string, OptionEntry>>} flags
 * @property {{ name: string, summary: string, isList?: true }} [operand]
 * @property {() => Promise<RunCommand>} load
 */

/** @type {Record<string, OptionEntry>} */
const JSON_FLAG = {
  json: {
    summary: 'the same as JSON; - is stdout, in place of the text',
    value: 'FILE',
    otherNames: ['export-json'],
  },
};
/** @type {Record<string, OptionEntry>} */
const RUNTIME_PATH = {
  'runtime-path': {
    summary: 'folders to search for runtimes, before PATH and node_modules',
    value: 'FOLDER,...',
  },
};

/** @type {CliCommand} */
export const RUN = {
  name: 'run',
  usage: 'run',
  summary: 'measure and print the results (the default)',
  flags: OPTION_TABLE,
  load: async () => (await import('./run.js')).run,
};

/** @type {CliCommand[]} */
export const COMMANDS = [
  RUN,
  {
    name: 'list',
    usage: 'list [kind]',
    summary: 'list what this machine can measure, and how to install the rest',
    operand: { name: 'kind', summary: 'only transports, codecs, runtimes, scenarios, presets or reports' },
    flags: {
      ...JSON_FLAG,
      markdown: { summary: 'the traits of the transports as a Markdown table; - is stdout', value: 'FILE' },
      ...RUNTIME_PATH,
    },
    load: async () => (await import('./list.js')).list,
  },
  {
    name: 'report',
    usage: 'report [files..]',
    summary: 'print and draw saved results',
    operand: {
      name: 'files',
      summary: 'results.json of earlier runs, or baselines; none: the latest run',
      isList: true,
    },
    flags: rowsFor('report'),
    load: async () => (await import('./report.js')).report,
  },
  {
    name: 'doctor',
    usage: 'doctor',
    summary: 'check whether this machine is fit for measurements, and print remedies; changes nothing',
    flags: JSON_FLAG,
    load: async () => (await import('./doctor.js')).doctor,
  },
  {
    name: 'compare',
    usage: 'compare [files..]',
    summary: 'compare two saved runs, and fail if the second is slower; see docs/gate.md',
    operand: {
      name: 'files',
      summary: 'two results.json or baselines: the old one, then the new one; without them, the latest runs',
      isList: true,
    },
    flags: { ...rowsFor('compare'), ...COMPARE_TABLE },
    load: async () => async (argv, host) =>
      argv.run === undefined
        ? (await import('./compare.js')).compare(argv, host)
        : (await import('./compare-run.js')).compareRun(argv, host),
  },
  {
    name: 'recommend',
    usage: 'recommend',
    summary: 'recommend a transport and codec',
    flags: {
      ...rowsFor('recommend'),
      force: { summary: 'overwrite files; measure busy-waiting transports on one CPU' },
      ...RECOMMEND_TABLE,
    },
    load: async () => (await import('./recommend.js')).recommend,
  },
  {
    name: 'record',
    usage: 'record',
    synopsis: 'record [options] -- COMMAND [ARGUMENTS]',
    summary:
      'run a program, and record what its processes and threads send to each other by process.send and postMessage; see docs/record.md',
    flags: RECORD_TABLE,
    load: async () => (await import('./record.js')).record,
  },
  {
    name: 'agent',
    usage: 'agent',
    summary: 'run masters and workers of runs between hosts, until it is stopped; see docs/hosts.md',
    flags: {
      redis: {
        summary:
          'the Redis that carries commands: redis://host:port, rediss://host:port; or IPC_BENCH_AGENTS in the environment',
        value: 'URL',
      },
      name: { summary: 'name of this agent in --master-on and --workers-on', value: 'NAME' },
      bind: {
        summary: 'IPv4 or IPv6 address of this host on which launches listen',
        value: 'ADDRESS',
        shownDefault: 'the address that ssh connected to, or 127.0.0.1',
      },
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
    usage: 'selftest',
    summary: 'compare this machine with itself, to check whether comparisons are reliable; takes 3 min',
    flags: {
      ...rowsFor('selftest'),
      quick: { summary: 'finish within a minute, for CI' },
      ...JSON_FLAG,
    },
    load: async () => (await import('./selftest.js')).selftest,
  },
];
