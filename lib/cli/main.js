// Parses argv and calls the command. Each command is a module, which is imported when it runs.

import { GROUP_NAMES } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { COMMAND } from '../format/flag-text.js';
import { printable, quoted } from '../format/printable.js';
import { refuseUninstalled, TOOL } from '../machine/packages.js';
import { TOPICS } from '../options/flags.js';
import { builtinNames } from '../plugins/builtins.js';
import { kindOfName, NAMED_KINDS, otherNames } from '../plugins/plugins.js';
import { COMMANDS, RUN } from './commands.js';
import { readColumns, writeOut } from './process-io.js';

/** @typedef {NodeJS.WritableStream & { isTTY?: boolean, columns?: number }} OutputStream */
/**
 * The process that a command runs in.
 * @typedef {object} Host
 * @property {OutputStream} stdout
 * @property {OutputStream} stderr
 * @property {Record<string, string | undefined>} environment
 * @property {(code: number) => void} exitNow   called at a second Ctrl-C or similar signal, and at the end of `agent`
 * @property {import('../run/interleaved-run.js').Watch['launch']} [launch]   replaces runLaunch(), for tests and recorded replays
 */
/** @import { CliCommand } from './commands.js' */

/** @param {string[]} words @param {Host} host @returns {Promise<number>} the exit code */
export async function main(words, host) {
  const { args, program } = splitProgram(isSavedFile(words[0]) ? ['report', ...words] : words);
  refuseSwitchValues(args);
  const plain = plainArgv(args);
  if (!plain?.help && !plain?.version) refuseUninstalled();
  const argv = plain ?? (await (await import('./parse-argv.js')).parseArgv(args));
  if (argv.help) {
    const columns = readColumns(host.stdout);
    const kind = kindOfName(argv._[0]);
    const text =
      kind === undefined
        ? (await import('./help.js')).helpText(argv, columns)
        : await (await import('./name-help.js')).nameText(kind, argv._[0], columns);
    await writeOut(host.stdout, text);
    return 0;
  }
  if (argv.version) {
    await writeOut(host.stdout, `${TOOL.version}\n`);
    return 0;
  }
  const command = findCommand(argv._);
  refuseUnknown(argv, command, args);
  return (await command.load())({ ...argv, ...(program && { program }) }, host);
}

/** @param {string[]} words @returns {CliCommand} the one that the first word names, or `run` */
function findCommand([word]) {
  return COMMANDS.find(({ name }) => name === word) ?? RUN;
}

/** @param {string[]} words @returns {{ args: string[], program?: string[] }} `program` follows -- and belongs to `record`. */
function splitProgram(words) {
  const at = words[0] === 'record' ? words.indexOf('--') : -1;
  return at === -1 ? { args: words } : { args: words.slice(0, at), program: words.slice(at + 1) };
}

/** Detects `ipc-bench FILE.json`, which is short for `ipc-bench report FILE.json`. @param {string | undefined} word @returns {boolean} */
function isSavedFile(word) {
  return word !== undefined && /^[^-].*\.json$/i.test(word);
}

/**
 * Refuses unknown options and operands, and suggests similar words, which the strict mode of yargs does not.
 * @param {Record<string, any>} argv
 * @param {CliCommand} command
 * @param {string[]} args   as the user wrote them
 */
function refuseUnknown(argv, { name, flags, operand }, args) {
  const known = Object.keys(flags);
  const builtIn = ['_', '$0', 'help', 'version', ...(operand ? [operand.name] : [])];
  const words = argv._.map(String);
  const extra = words[0] === name ? words.slice(1) : words;
  if (extra.length > 0 && name === 'record') {
    const next = 'write the command of the program behind --, as in npx ipc-bench record -- node server.js';
    throw new BenchError('BAD_ARGUMENT', `record does not take ${quoted(extra[0])}; ${next}`);
  }
  if (extra.length > 0 && words[0] !== name) {
    const names = COMMANDS.map((command) => command.name);
    const next = `commands are ${names.join(', ')}; several values of an option are joined by commas`;
    const hint = hintAtValues(extra) || didYouMean(extra[0], names);
    throw new BenchError('BAD_ARGUMENT', `unknown command ${quoted(extra[0])}; ${next}.${hint}`);
  }
  if (extra.length > 0) {
    const hint = name === RUN.name ? hintAtValues(extra) : '';
    throw new BenchError(
      'BAD_ARGUMENT',
      `${name} does not take ${quoted(extra[0])}; join values by commas.${hint}`,
    );
  }
  const unknown = Object.keys(argv).find((key) => !known.includes(key) && !builtIn.includes(key));
  if (unknown !== undefined) {
    const otherNames = Object.fromEntries(
      Object.entries(flags).flatMap(([flag, row]) => (row.otherNames ?? []).map((name) => [name, [flag]])),
    );
    const isShort = args.some((arg) => arg === `-${unknown}` || arg.startsWith(`-${unknown}=`));
    const hint =
      (isShort ? hintAtShortOptions(unknown, flags) : '') ||
      didYouMean(unknown, known, { written: (flag) => `--${flag}`, otherNames });
    throw new BenchError(
      'BAD_ARGUMENT',
      `unknown option ${quoted((isShort ? '-' : '--') + unknown).slice(1, -1)}; see npx ipc-bench help ${name === RUN.name ? 'all' : name}.${hint}`,
    );
  }
}

/**
 * Separates short options that are joined, as in -vh, and a short option from its value, as in -p100.
 * @param {string} joined   without its dash
 * @param {CliCommand['flags']} flags
 * @returns {string} a suggestion with a leading space, or ''
 */
function hintAtShortOptions(joined, flags) {
  const takesValue = new Map(
    Object.values(flags).flatMap(({ short, value }) => (short ? [[short, value !== undefined]] : [])),
  );
  for (const short of ['h', 'v']) takesValue.set(short, false);
  const [first, ...rest] = joined;
  if (takesValue.get(first) && rest.length > 0) return ` Did you mean -${first} ${printable(rest.join(''))}?`;
  const areSwitches = [first, ...rest].every((letter) => takesValue.get(letter) === false);
  return areSwitches ? ` Did you mean ${[first, ...rest].map((letter) => `-${letter}`).join(' ')}?` : '';
}

/** @param {string[]} words   without a known command @returns {string} a suggestion with a leading space, or '' */
function hintAtValues(words) {
  for (const kind of NAMED_KINDS) {
    const names = [...builtinNames(kind), ...(kind === 'transport' ? GROUP_NAMES : [])];
    if (words.every((word) => names.includes(word.split(':')[0])))
      return ` Did you mean --${kind} ${words.join(',')}?`;
  }
  const [word] = words;
  if (Object.hasOwn(TOPICS, word)) return ` Did you mean ${COMMAND} help ${word}?`;
  const hints = NAMED_KINDS.map((kind) =>
    didYouMean(word, [], { otherNames: otherNames(kind), written: (name) => `--${kind} ${name}` }),
  );
  return hints.find((hint) => hint !== '') ?? '';
}

/** Refuses values such as `--quick=yes`, which yargs would read as false. @param {string[]} args */
function refuseSwitchValues(args) {
  const { flags } = findCommand(args);
  for (const arg of args) {
    const [, flag, value] = /^--(?:no-)?([a-z-]+)=(.*)$/s.exec(arg) ?? [];
    if (!Object.hasOwn(flags, flag ?? '') || flags[flag].value !== undefined) continue;
    if (value === 'true' || value === 'false') continue;
    throw new BenchError(
      'BAD_ARGUMENT',
      `--${flag} takes no value ${quoted(value)}; write --${flag} or --no-${flag}`,
    );
  }
}

// Parses command lines without options, and those for help or the version. Loading yargs takes longer than most of these commands.

const HELP = ['--help', '-h'];
const VERSION = ['--version', '-v'];

/** @param {string[]} args @returns {Record<string, any> | null} Null for command lines that yargs has to parse. */
export function plainArgv(args) {
  const [name, ...words] = args;
  const [word] = words;
  if (name === 'help') return { _: word === undefined ? [] : [word], help: true };
  if (args.length === 1 && HELP.includes(name)) return { _: [], help: true };
  if (args.length === 1 && VERSION.includes(name)) return { _: [], version: true };
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return args.length === 0 ? { _: [] } : null;
  if (words.length === 1 && (word === 'help' || HELP.includes(word))) return { _: [name], help: true };
  if (words.some((word) => word === '' || word.startsWith('-'))) return null;
  const argv = { _: [name] };
  if (words.length === 0) return argv;
  const { operand } = command;
  if (operand === undefined || (words.length > 1 && !operand.isList)) return null;
  return { ...argv, [operand.name]: operand.isList ? words : word };
}
