// Command lines of words alone, and those that ask for --help or --version and nothing else: read here, because loading
// yargs takes longer than all that most of them do. What has any other option is for parse-argv.js.

import { COMMANDS } from './commands.js';

/** @param {string[]} args @returns {Record<string, any> | null} as yargs would give it; null: it has to be asked */
export function plainArgv(args) {
  if (args.length === 1 && ['--help', '--version'].includes(args[0]))
    return { _: [], [args[0].slice(2)]: true };
  const [name, ...words] = args;
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return args.length === 0 ? { _: [] } : null;
  if (words.length === 1 && words[0] === '--help') return { _: [name], help: true };
  if (words.some((word) => word === '' || word.startsWith('-'))) return null;
  const argv = { _: [name] };
  if (words.length === 0) return argv;
  const { operand } = command;
  if (operand === undefined || (words.length > 1 && !operand.isList)) return null;
  return { ...argv, [operand.name]: operand.isList ? words : words[0] };
}
