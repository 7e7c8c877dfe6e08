// Command lines of words alone, and those that ask for help or the version and nothing else: read here, because loading
// yargs takes longer than all that most of them do. What has any other option is for parse-argv.js.

import { COMMANDS } from './commands.js';

const HELP = ['--help', '-h'];
const VERSION = ['--version', '-v'];

/** @param {string[]} args @returns {Record<string, any> | null} as yargs would give it; null: it has to be asked */
export function plainArgv(args) {
  const [name, ...words] = args;
  const [word] = words;
  if (name === 'help') return { _: COMMANDS.some((one) => one.name === word) ? [word] : [], help: true };
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
