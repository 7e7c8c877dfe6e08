// The command line: yargs takes argv apart and prints --help; each command is a file of its own, and what is heavy is
// imported by it only when it runs.

import yargs from 'yargs';
import { BenchError } from '../errors.js';
import { TOOL } from '../machine/own-package.js';
import { groupOf, OPTION_TABLE } from '../options/option-table.js';
import { didYouMean } from '../words/did-you-mean.js';
import { quoted } from '../words/quoted.js';
import { COMMANDS, RUN } from './commands.js';
import { helpText } from './help.js';

/** @typedef {NodeJS.WritableStream & { isTTY?: boolean, columns?: number }} Output */
/**
 * What a command gets of the process that it runs in.
 * @typedef {object} Host
 * @property {Output} stdout
 * @property {Output} stderr
 * @property {Record<string, string | undefined>} environment
 * @property {(code: number) => void} exitNow   the last resort, at a second Ctrl-C
 * @property {import('../conductor/interleaved-run.js').Watch['launch']} [launch]   absent: with real processes
 */
/** @import { Command } from './commands.js' */

const GREATEST_WIDTH = 110;

/**
 * @param {string[]} args
 * @param {Host} host
 * @returns {Promise<number>} the exit code
 */
export async function main(args, host) {
  let exitCode = 0;
  refuseSwitchValues(args);
  const parser = yargs()
    .scriptName('ipc-bench')
    .locale('en')
    .usage('Usage: $0 [run] [options]')
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    })
    .wrap(Math.min(GREATEST_WIDTH, host.stdout.columns ?? GREATEST_WIDTH))
    .version(TOOL.version)
    .help()
    .exitProcess(false)
    .fail((message, error) => {
      // yargs' own complaints are YErrors; the rest comes from our commands.
      if (error !== undefined && error.name !== 'YError') throw error;
      throw new BenchError('BAD_ARGUMENT', missingValue(message));
    });
  for (const command of COMMANDS) {
    parser.command(
      command.command,
      command.summary,
      (own) => declare(own, command),
      async (argv) => {
        refuseUnknown(argv, command);
        exitCode = await (await command.load())(argv, host);
      },
    );
  }
  /** @type {Record<string, any>} */
  let argv = {};
  let output = '';
  await parser.parseAsync(args, {}, (_error, parsed, text) => {
    argv = parsed;
    output = text;
  });
  if (output !== '')
    host.stdout.write(
      argv.help && [undefined, RUN.name].includes(argv._[0]) ? helpText(output) : `${output}\n`,
    );
  return exitCode;
}

/**
 * @param {import('yargs').Argv} parser
 * @param {Command} command
 */
function declare(parser, command) {
  const { operand } = command;
  if (operand) parser.positional(operand.name, { describe: operand.summary, type: 'string' });
  for (const flag of command.flags) {
    const entry = OPTION_TABLE[flag];
    const { summary, value, shownDefault, default: text } = entry;
    const isSwitch = value === undefined;
    parser.option(flag, {
      group: `${groupOf(entry)}:`,
      describe: isSwitch ? summary : `${value}  ${summary}`,
      // Defaults are only shown here: yargs would hide whether the user gave a value.
      defaultDescription: command === RUN ? (shownDefault ?? text) : undefined,
      // nargs makes `--json -` a value; without a type all values stay the text that was typed.
      ...(isSwitch ? { boolean: true } : { nargs: 1 }),
    });
  }
  for (const [name, { summary }] of Object.entries(command.switches ?? {})) {
    parser.option(name, { boolean: true, describe: summary });
  }
  for (const [name, { summary, value, shownDefault }] of Object.entries(command.values ?? {})) {
    parser.option(name, { nargs: 1, describe: `${value}  ${summary}`, defaultDescription: shownDefault });
  }
}

/**
 * yargs' own strict mode knows no suggestions for options.
 * @param {Record<string, any>} argv
 * @param {Command} command
 */
function refuseUnknown(argv, { name, flags, operand, switches = {}, values = {} }) {
  const known = [...flags, ...Object.keys(switches), ...Object.keys(values)];
  const builtIn = ['_', '$0', 'help', 'version', ...(operand ? [operand.name] : [])];
  const words = argv._.map(String);
  const extra = words[0] === name ? words.slice(1) : words;
  if (extra.length > 0 && words[0] !== name) {
    const names = COMMANDS.map((command) => command.name);
    const next = `commands are ${names.join(', ')}; several values of an option are joined by commas`;
    throw new BenchError(
      'BAD_ARGUMENT',
      `unknown command ${quoted(extra[0])}; ${next}.${didYouMean(extra[0], names)}`,
    );
  }
  if (extra.length > 0) {
    throw new BenchError('BAD_ARGUMENT', `${name} does not take ${quoted(extra[0])}; join values by commas`);
  }
  const unknown = Object.keys(argv).find((key) => !known.includes(key) && !builtIn.includes(key));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known, (flag) => `--${flag}`);
    const dashes = unknown.length === 1 ? '-' : '--';
    throw new BenchError(
      'BAD_ARGUMENT',
      `unknown option ${printedFlag(dashes + unknown)}; see ipc-bench ${name} --help.${hint}`,
    );
  }
}

/**
 * @param {string} flag
 * @returns {string}
 */
function printedFlag(flag) {
  return quoted(flag).slice(1, -1);
}

/**
 * yargs reads `--quick=yes` as false.
 * @param {string[]} args
 */
function refuseSwitchValues(args) {
  for (const arg of args) {
    const [, flag, value] = /^--(?:no-)?([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    if (!Object.hasOwn(OPTION_TABLE, flag ?? '') || OPTION_TABLE[flag].value !== undefined) continue;
    if (value === 'true' || value === 'false') continue;
    throw new BenchError(
      'BAD_ARGUMENT',
      `--${flag} takes no value ${quoted(value)}; write --${flag} or --no-${flag}`,
    );
  }
}

/**
 * @param {string} message   of yargs
 * @returns {string}
 */
function missingValue(message) {
  const [, flag] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  if (flag === undefined) return message;
  const entries = [...COMMANDS.map(({ values }) => values ?? {}), OPTION_TABLE];
  const entry = entries.find((some) => Object.hasOwn(some, flag))?.[flag];
  return entry === undefined ? message : `--${flag} needs a value: ${entry.value}`;
}
