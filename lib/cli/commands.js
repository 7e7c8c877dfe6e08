// What the commands look like from outside: enough for --help and for reading argv. What they do is a file each,
// imported when it is their turn.

import { OPTION_TABLE } from '../options/table.js';

/** @typedef {(argv: Record<string, any>, host: import('./main.js').Host) => Promise<number>} Run   → the exit code */
/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string[]} command          as yargs spells it
 * @property {string} summary
 * @property {string[]} flags            keys of the option table
 * @property {{ name: string, summary: string }} [operand]
 * @property {Record<string, { summary: string }>} [switches]   of this command only
 * @property {() => Promise<Run>} load
 */

/** @type {Command} */
export const RUN = {
  name: 'run',
  command: ['run', '$0'],
  summary: 'measure, and say what came out (the default)',
  flags: Object.keys(OPTION_TABLE),
  load: async () => (await import('./run.js')).run,
};

/** @type {Command[]} */
export const COMMANDS = [
  RUN,
  {
    name: 'list',
    command: ['list [kind]'],
    summary: 'what there is, and how to get what is missing',
    operand: { name: 'kind', summary: 'only transports, codecs, scenarios, presets or reports' },
    flags: [],
    switches: { json: { summary: 'as JSON' } },
    load: async () => (await import('./list.js')).list,
  },
  {
    name: 'report',
    command: ['report [files..]'],
    summary: 'draw saved results again',
    operand: { name: 'files', summary: 'results.json of earlier runs' },
    flags: Object.keys(OPTION_TABLE).filter((flag) => OPTION_TABLE[flag].isOfReport),
    load: async () => (await import('./report.js')).report,
  },
];
