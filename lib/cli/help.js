// What --help prints: of the default command examples first, then its options, exit codes last; of all others what they
// do and their options.

import { EXIT_CODES } from '../errors.js';
import { groupedBy } from '../format/lists.js';
import { OPTION_TABLE, optionGroup } from '../options/option-table.js';
import { COMMANDS, RUN } from './commands.js';

/** @import { OptionEntry } from '../options/flags.js' */

/** @import { Command } from './commands.js' */

const TOOL_NAME = 'ipc-bench';
const GREATEST_WIDTH = 110;
/** @type {Entry[]} */
const OF_EVERY_COMMAND = [
  { name: '-v, --version', summary: 'Show version number', notes: ['[boolean]'] },
  { name: '-h, --help', summary: 'Show help', notes: ['[boolean]'] },
];

const EXAMPLES = `Which IPC should your Node.js processes use? Measures it on this machine, with your message sizes.

Examples:
  npx ipc-bench                                   pipe, sockets, ZeroMQ, Redis; 2 workers x 4 loops, 1000 bytes
  npx ipc-bench --quick                           a first impression, in 20 seconds
  npx ipc-bench --workers 1x1,2x4 --payload '10..100k*10'
  npx ipc-bench --transport pipe,unix:flush=tick --codec json,string,binary
  npx ipc-bench --transport all --quick           all transports of this machine, by class
  npx ipc-bench --preset node-ipc-2016 --dry-run  print the plan and its duration
  npx ipc-bench list                              what this machine can measure
  npx ipc-bench doctor                            check this machine
  npx ipc-bench report results.json --markdown -  print saved results
  npx ipc-bench compare old.json new.json         faster, slower or the same; fails a build
  npx ipc-bench recommend --need 'other host'     recommend a transport and codec`;

/** @returns {string} one line per exit code; docs/usage.md shows the same */
export function exitCodeLines() {
  return EXIT_CODES.map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
}

/** @param {Record<string, any>} argv   its command, which need not exist @param {number} [columns]   of the terminal */
export function helpText({ _: [name] }, columns = GREATEST_WIDTH) {
  const width = Math.min(GREATEST_WIDTH, columns);
  const command = COMMANDS.find((one) => one.name === name);
  const head = command === undefined ? headOfAll(width) : formatHead(command, width);
  const text = [...head, ...optionSections(command ?? RUN, width)]
    .map((lines) => lines.join('\n'))
    .join('\n\n');
  return name === undefined || name === RUN.name ? withExamples(text) : `${text}\n`;
}

/** @param {number} width */
function headOfAll(width) {
  const entries = COMMANDS.map((command) => ({
    name: `${TOOL_NAME} ${command.usage}`,
    summary: command.summary,
    notes: command === RUN ? ['[default]'] : [],
  }));
  const usage = wrapped(`Usage: ${TOOL_NAME} [run] [options]`, width);
  return [usage, sectionLines('Commands:', entries, width)];
}

/** @param {Command} command @param {number} width */
function formatHead({ usage, summary, operand }, width) {
  const head = [wrapped(`${TOOL_NAME} ${usage}`, width), wrapped(summary, width)];
  if (operand === undefined) return head;
  const notes = operand.isList ? ['[array]', '[default: []]'] : ['[string]'];
  return [...head, sectionLines('Positionals:', [{ ...operand, notes }], width)];
}

/** @param {Command} command @param {number} width @returns {string[][]} by what they are for; its own ones last */
function optionSections(command, width) {
  const groups = groupedBy(Object.entries(command.flags), ([flag, row]) =>
    row === OPTION_TABLE[flag] ? optionGroup(row) : 'Options',
  );
  const { Options: own = [], ...shared } = Object.fromEntries(groups);
  const entriesOf = (/** @type {[string, OptionEntry][]} */ flags) =>
    flags.map(([flag, row]) => {
      // A default of a run says nothing of a command that takes the flag as well.
      const isSaid = command === RUN || row !== OPTION_TABLE[flag];
      return optionEntry(flag, row, isSaid ? (row.shownDefault ?? row.default) : undefined);
    });
  return [
    ...Object.entries(shared).map(([title, flags]) => sectionLines(`${title}:`, entriesOf(flags), width)),
    sectionLines('Options:', [...OF_EVERY_COMMAND, ...entriesOf(own)], width),
  ];
}

/** @param {string} name @param {{ summary: string, value?: string }} option @param {string} [standard] @returns {Entry} */
function optionEntry(name, { summary, value }, standard) {
  return {
    name: `--${name}`,
    summary: value === undefined ? summary : `${value}  ${summary}`,
    notes: [
      ...(value === undefined ? ['[boolean]'] : []),
      ...(standard === undefined ? [] : [`[default: ${standard}]`]),
    ],
  };
}

/** @param {string} text */
function withExamples(text) {
  return `${EXAMPLES}

${text}

An option may also stand in the environment (IPC_BENCH_WORKERS=1x1) or in the file of --config
({ "workers": "1x1" }). Flags count more than the environment, then the file, the preset, the default.

Exit codes:
${exitCodeLines()}
`;
}

// A list of names and what they mean in two columns, notes at the right: the layout of yargs, which prints it twenty times
// slower because it takes every text for one that may hold colours and wide characters.

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} summary
 * @property {string[]} notes
 */

const INDENT = 2; // before a name, between the columns, and before notes

/** @param {string} title @param {Entry[]} entries @param {number} width */
function sectionLines(title, entries, width) {
  const widest = Math.max(...entries.map(({ name }) => name.length));
  const nameWidth = Math.min(widest, Math.floor(width / 2));
  return [...wrapped(title, width), ...entries.flatMap((entry) => entryLines(entry, nameWidth, width))];
}

/** @param {Entry} entry @param {number} nameWidth @param {number} width */
function entryLines({ name, summary, notes }, nameWidth, width) {
  const left = wrapped(name, nameWidth);
  const right = wrapped(summary, Math.max(1, width - nameWidth - 2 * INDENT));
  const lines = Array.from({ length: Math.max(left.length, right.length) }, (_, place) => {
    const cell = (left[place] ?? '').padEnd(nameWidth);
    return `${' '.repeat(INDENT)}${cell}${' '.repeat(INDENT)}${right[place] ?? ''}`.trimEnd();
  });
  const [first, ...further] = wrapped(notes.join(' '), width - INDENT);
  const last = String(lines.at(-1));
  // The notes begin on the last line, where there is room.
  if (last.length <= width - first.length) lines.splice(-1, 1, last.padEnd(width - first.length) + first);
  else lines.push(first.padStart(width));
  return [...lines, ...further.map((line) => line.padStart(width))].map((line) => line.trimEnd());
}

/** @param {string} text @param {number} width @returns {string[]} no line is longer: a word that is gets cut */
function wrapped(text, width) {
  /** @type {string[]} */
  const lines = [''];
  for (const [place, word] of text.split(' ').entries()) {
    let line = String(lines.pop()).trimStart();
    if (place > 0 && line !== '') line += ' ';
    const room = width - line.length;
    // A long word begins on the line before it only if that saves a line.
    const isCutHere =
      Math.floor((word.length - 1) / width) >= 1 + Math.floor((word.length - room - 1) / width);
    if (word.length > room && !(word.length > width && isCutHere) && line !== '' && word !== '') {
      lines.push(line);
      line = '';
    }
    for (let rest = word; ; ) {
      const piece = rest.slice(0, width - line.length);
      line += piece;
      rest = rest.slice(piece.length);
      lines.push(line);
      if (rest === '') break;
      line = '';
    }
  }
  return lines.map((line) => line.trimEnd());
}
