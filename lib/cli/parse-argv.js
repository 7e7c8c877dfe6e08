// Parses argv with yargs. Loaded only for command lines that plainArgv() in main.js cannot read.

import yargs from 'yargs';
import { BenchError } from '../errors.js';
import { COMMANDS, RUN } from './commands.js';

/** @import { CliCommand } from './commands.js' */

/** @param {string[]} args @returns {Promise<Record<string, any>>} */
export async function parseArgv(args) {
  const parser = yargs()
    .scriptName('ipc-bench')
    .locale('en')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
      'strip-aliased': true,
    })
    .version(false)
    .help(false) // yargs would drop an operand `help` and the rest would be run as a command
    .options({ help: { alias: 'h', boolean: true }, version: { alias: 'v', boolean: true } })
    .exitProcess(false)
    .fail((message) => {
      throw new BenchError('BAD_ARGUMENT', explainMissingValue(message, args));
    });
  for (const command of COMMANDS) {
    parser.command(
      command === RUN ? [command.usage, '$0'] : command.usage,
      command.summary,
      (subparser) => declare(subparser, command),
      () => {},
    );
  }
  /** @type {Record<string, any>} */
  let argv = {};
  // yargs prints nothing if it gets a callback.
  await parser.parseAsync(args, {}, (_error, parsed) => {
    argv = parsed;
  });
  return argv;
}

/** @param {import('yargs').Argv} parser @param {CliCommand} command */
function declare(parser, { operand, flags }) {
  if (operand) parser.positional(operand.name, { type: 'string' });
  for (const [name, { value, short }] of Object.entries(flags)) {
    const alias = short === undefined ? {} : { alias: short };
    // With nargs, the `-` of `--json -` is a value. Without a type, values stay strings.
    parser.option(name, value === undefined ? { boolean: true, ...alias } : { nargs: 1, ...alias });
  }
}

/** @param {string} message   error message of yargs @param {string[]} args */
function explainMissingValue(message, [word]) {
  const [, flag = ''] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  const { flags } = COMMANDS.find((command) => command.name === word) ?? RUN;
  const [long, row] =
    Object.entries(flags).find(([name, { short }]) => name === flag || short === flag) ?? [];
  return row === undefined ? message : `--${long} needs a value: ${row.value}`;
}
