// The text of --help: the first screen, a command, a topic, the questions, the exit codes, or all. name-help.js explains one plug-in.

import { BenchError, EXIT_CODES } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { COMMAND } from '../format/flag-text.js';
import { groupedBy } from '../format/lists.js';
import { quoted } from '../format/printable.js';
import { wrapped } from '../format/wrapped.js';
import { TOPICS } from '../options/flags.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { builtinNames } from '../plugins/builtins.js';
import { NAMED_KINDS, otherNames } from '../plugins/plugins.js';
import { COMMANDS, RUN } from './commands.js';
import { QUESTIONS } from './questions.js';

/** @import { OptionEntry } from '../options/flags.js' */
/** @import { CliCommand } from './commands.js' */

export const MAX_HELP_WIDTH = 80;
const MAX_NAME_WIDTH = 24;
const INDENT = '  ';
const EXIT_CODES_TOPIC = 'exit-codes';
const QUESTIONS_TOPIC = 'questions';
const ALL = 'all';
const TOPIC_NAMES = Object.freeze([...Object.keys(TOPICS), QUESTIONS_TOPIC, EXIT_CODES_TOPIC, ALL]);
const MIN_WORD = 3; // characters; a shorter word, such as t or p, would match options in the commands of many questions
const QUESTIONS_NAMED = ['large-messages', 'threads', 'brokers'];

const EXAMPLES = `
  npx ipc-bench -t unix,tcp --rate 2k --slo 'p99<5ms'    fails above that limit
  npx ipc-bench --message-file orders.ndjson -c json,msgpack,./codec.js
  npx ipc-bench record --for 60s -- node server.js       what your program sends
  npx ipc-bench compare --run old=@../base new=@. -t ./mine.js  two checkouts`;

/** Formats the exit codes for --help and docs/usage.md. */
export function exitCodeLines() {
  return EXIT_CODES.map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`).join('\n');
}

/** Accepted synonyms of options and commands. */
const MEANT = Object.freeze({ codecs: 'codec', scenarios: 'scenario', payloads: 'payload', gate: 'compare' });

/**
 * @param {Record<string, any>} argv   `_` is empty, or holds a command, a topic, an option or `all`
 * @param {number} [columns]   the width of the terminal
 * @throws {BenchError} BAD_ARGUMENT
 */
export function helpText({ _: [written] }, columns = MAX_HELP_WIDTH) {
  const word = Object.hasOwn(MEANT, written) ? MEANT[/** @type {keyof typeof MEANT} */ (written)] : written;
  const width = Math.min(MAX_HELP_WIDTH, columns);
  const command = COMMANDS.find(({ name }) => name === word);
  if (word === undefined || command === RUN) return firstScreen(width);
  if (command !== undefined) return commandText(command, width);
  const flag = String(word).replace(/^--?/, '');
  const row = OPTION_TABLE[flag] ?? Object.values(OPTION_TABLE).find(({ short }) => short === flag);
  const topic = row?.topic ?? word;
  if (Object.hasOwn(TOPICS, topic)) return topicText(topic, width);
  if (word === QUESTIONS_TOPIC) return questionsText(width);
  if (word === EXIT_CODES_TOPIC) return exitCodesText();
  if (word === ALL) return allText(width);
  const known = [...COMMANDS.map(({ name }) => name), ...TOPIC_NAMES];
  const names = NAMED_KINDS.flatMap(builtinNames);
  const others = Object.assign({}, ...NAMED_KINDS.map(otherNames));
  const about = QUESTIONS.filter((question) => isAbout(question, String(word)));
  if (about.length > 0 && !Object.hasOwn(others, String(word))) return questionsText(width, about);
  const hint = didYouMean(flag, [...known, ...Object.keys(OPTION_TABLE), ...names], { otherNames: others });
  throw new BenchError(
    'BAD_ARGUMENT',
    `there is no help on ${quoted(String(word))}; commands are ${COMMANDS.map(({ name }) => name).join(', ')}; topics are ${TOPIC_NAMES.join(', ')}, and the names of transports, codecs and scenarios.${hint}`,
  );
}

/** @param {number} width */
function firstScreen(width) {
  const first = Object.entries(OPTION_TABLE).filter(([, { isFirst }]) => isFirst);
  const entries = byTopic(first).flatMap(([, rows]) => rows.map((row) => briefEntry(row, width)));
  const commands = COMMANDS.map((command) => (command === RUN ? `${RUN.name} (default)` : command.name));
  const title = 'Which IPC should your Node.js processes use? Measures it on this machine.';
  const lines = [
    ...paragraph(title, width),
    ...paragraph(`Usage: ${COMMAND} [COMMAND] [options]`, width),
    EXAMPLES,
    '',
    `Questions, each with its command (${COMMAND} help ${QUESTIONS_TOPIC}), such as:`,
    ...QUESTIONS.filter(({ name }) => QUESTIONS_NAMED.includes(name)).map(({ title }) => INDENT + title),
    '',
    'Options:',
    ...entriesLines([...entries, ...ANYWHERE], width),
    '',
    ...paragraph(`Commands (${COMMAND} help COMMAND): ${commands.join(', ')}`, width),
    ...paragraph(
      `More options (${COMMAND} help TOPIC): ${TOPIC_NAMES.join(', ')}, or the name of a transport, codec or scenario`,
      width,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** @param {string} topic @param {number} width */
function topicText(topic, width) {
  const rows = Object.entries(OPTION_TABLE).filter(([, row]) => row.topic === topic);
  const about = TOPICS[/** @type {keyof typeof TOPICS} */ (topic)];
  const entries = rows.map((row) => fullEntry(row, true));
  const lines = [...paragraph(`${topic}: ${about}`, width), '', ...entriesLines(entries, width)];
  return `${lines.join('\n')}\n`;
}

/**
 * Explains options that `run` does not have or describes differently, and options for documents. Lists the names of other options by topic.
 * @param {CliCommand} command
 * @param {number} width
 */
function commandText({ usage, synopsis = usage, summary, operand, flags }, width) {
  const isShared = (/** @type {[string, OptionEntry]} */ [flag, row]) => row === OPTION_TABLE[flag];
  const rows = Object.entries(flags);
  const unshared = rows.filter((row) => !isShared(row)).map((row) => fullEntry(row, true));
  const shared = byTopic(rows.filter(isShared));
  const isExplained = (/** @type {[string, OptionEntry]} */ [, { shapes }]) => shapes === 'output';
  const explained = shared
    .flatMap(([, group]) => group.filter(isExplained))
    .map((row) => fullEntry(row, false));
  const named = shared.flatMap(([topic, group]) => {
    const names = group.filter((row) => !isExplained(row)).map(([flag]) => `--${flag}`);
    return names.length === 0 ? [] : [{ name: topic, summary: names.join(', ') }];
  });
  const sections = [
    paragraph(`Usage: ${COMMAND} ${synopsis}`, width),
    paragraph(summary, width),
    ...(operand === undefined ? [] : [entriesLines([operand], width)]),
    ['Options:', ...entriesLines([...unshared, ...explained, ...ANYWHERE], width)],
    ...(named.length === 0
      ? []
      : [
          [
            ...paragraph(`Options of a run, which ${COMMAND} help TOPIC explains:`, width),
            ...entriesLines(named, width),
          ],
        ]),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** @param {number} width */
function questionsText(width, questions = QUESTIONS) {
  const about =
    'What developers ask about IPC in Node.js, each with a command of about a minute or less. See docs/questions.md on how to read what it prints.';
  const blocks = questions.map((question) => [
    ...paragraph(`${QUESTIONS.indexOf(question) + 1}. ${question.title}`, width),
    ...(question.refusal === undefined ? [] : paragraph(question.refusal, width)),
    INDENT + question.command,
  ]);
  return `${[paragraph(`${QUESTIONS_TOPIC}: ${about}`, width), ...blocks].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/**
 * @param {import('./questions.js').DeveloperQuestion} question
 * @param {string} word
 * @returns {boolean} true if the question has the word, in the singular or the plural
 */
function isAbout({ title, command, refusal = '' }, word) {
  const words = `${title} ${command} ${refusal}`
    .replaceAll('ipc-bench', '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const singular = (/** @type {string} */ text) => text.replace(/s$/, '');
  return word.length >= MIN_WORD && words.map(singular).includes(singular(word.toLowerCase()));
}

function exitCodesText() {
  return `Exit codes:\n${exitCodeLines()}\n`;
}

/** @param {number} width */
function allText(width) {
  return [
    firstScreen(width),
    ...Object.keys(TOPICS).map((topic) => topicText(topic, width)),
    ...COMMANDS.filter((command) => command !== RUN).map((command) => commandText(command, width)),
    questionsText(width),
    exitCodesText(),
  ].join('\n');
}

/** @param {[string, OptionEntry][]} rows @returns {[string, [string, OptionEntry][]][]} The topics are in the order of TOPICS. */
function byTopic(rows) {
  const groups = groupedBy(rows, ([, { topic }]) => topic);
  return Object.keys(TOPICS).flatMap((topic) => {
    const group = groups.get(/** @type {keyof typeof TOPICS} */ (topic));
    return group === undefined ? [] : [[topic, group]];
  });
}

/** @typedef {{ name: string, summary: string }} HelpEntry */

/** @type {HelpEntry[]} */
const ANYWHERE = [
  { name: '-h, --help', summary: 'show help' },
  { name: '-v, --version', summary: 'show the version' },
];

/** @param {[string, OptionEntry]} row */
function optionName([flag, { short, value }]) {
  return `${short === undefined ? '    ' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}`;
}

/** @param {[string, OptionEntry]} row @param {boolean} isWithDefault   false if the command may have other defaults @returns {HelpEntry} */
function fullEntry(row, isWithDefault) {
  const [, entry] = row;
  const standard = isWithDefault ? (entry.shownDefault ?? entry.default) : undefined;
  const summary = standard === undefined ? entry.summary : `${entry.summary} (default: ${standard})`;
  return { name: optionName(row), summary };
}

/**
 * Formats the summary up to its first semicolon, with the default if it fits.
 * @param {[string, OptionEntry]} row
 * @param {number} width
 * @returns {HelpEntry}
 */
function briefEntry(row, width) {
  const [, entry] = row;
  const [summary] = entry.summary.split('; ');
  const standard = entry.default;
  const longer = standard === undefined ? summary : `${summary} (${standard})`;
  const room = width - MAX_NAME_WIDTH - 2 * INDENT.length;
  return { name: optionName(row), summary: longer.length <= room ? longer : summary };
}

/** Formats two columns; a long name gets a separate line. @param {HelpEntry[]} entries @param {number} width @returns {string[]} */
export function entriesLines(entries, width) {
  const widest = Math.max(...entries.map(({ name }) => name.length));
  const nameWidth = Math.min(widest, MAX_NAME_WIDTH, Math.floor(width / 2));
  return entries.flatMap(({ name, summary }) => {
    const indent = ' '.repeat(nameWidth + 2 * INDENT.length);
    const lines = paragraph(summary, width - indent.length);
    const isLong = name.length > nameWidth;
    const first = `${INDENT}${name.padEnd(nameWidth)}${isLong ? '' : `${INDENT}${lines.shift()}`}`;
    return [first, ...lines.map((line) => indent + line)];
  });
}

/** @param {string} text @param {number} width @returns {string[]} lines without an indent */
export function paragraph(text, width) {
  return wrapped(text, width, '');
}
