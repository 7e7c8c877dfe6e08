// yargs takes argv apart. Loaded only for command lines that plain-argv.js does not know.

import yargs from 'yargs';
import { BenchError } from '../errors.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { COMMANDS } from './commands.js';

/** @import { Command } from './commands.js' */

/**
 * @param {string[]} args
 * @returns {Promise<Record<string, any>>} with `help` or `version` where that is what is asked for
 */
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
    .help(false) // yargs would drop the word help wherever it stands, and measure what is left
    .options({ help: { alias: 'h', boolean: true }, version: { alias: 'v', boolean: true } })
    .exitProcess(false)
    .fail((message) => {
      throw new BenchError('BAD_ARGUMENT', missingValue(message));
    });
  for (const command of COMMANDS) {
    parser.command(
      command.command,
      command.summary,
      (own) => declare(own, command),
      () => {},
    );
  }
  /** @type {Record<string, any>} */
  let argv = {};
  // With a callback, yargs prints nothing itself. Its own text of --help is not used.
  await parser.parseAsync(args, {}, (_error, parsed) => {
    argv = parsed;
  });
  return argv;
}

/** @param {import('yargs').Argv} parser @param {Command} command */
function declare(parser, { operand, flags, switches = {}, values = {} }) {
  if (operand) parser.positional(operand.name, { type: 'string' });
  for (const flag of flags) declareOption(parser, flag, OPTION_TABLE[flag].value);
  for (const name of Object.keys(switches)) declareOption(parser, name);
  for (const [name, { value }] of Object.entries(values)) declareOption(parser, name, value);
}

/** @param {import('yargs').Argv} parser @param {string} name @param {string} [value]   absent: a switch */
function declareOption(parser, name, value) {
  // nargs makes `--json -` a value; without a type all values stay the text that was typed.
  parser.option(name, value === undefined ? { boolean: true } : { nargs: 1 });
}

/** @param {string} message   of yargs @returns {string} */
function missingValue(message) {
  const [, flag] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  if (flag === undefined) return message;
  const entries = [...COMMANDS.map(({ values }) => values ?? {}), OPTION_TABLE];
  const entry = entries.find((some) => Object.hasOwn(some, flag))?.[flag];
  return entry === undefined ? message : `--${flag} needs a value: ${entry.value}`;
}
