// What --help prints, and which command lines are read without yargs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../lib/cli/commands.js';
import { exitCodeLines, helpText } from '../../lib/cli/help.js';
import { plainArgv } from '../../lib/cli/main.js';
import { nameText } from '../../lib/cli/name-help.js';
import { parseArgv } from '../../lib/cli/parse-argv.js';
import { QUESTIONS } from '../../lib/cli/questions.js';
import { COMMON_FLAGS } from '../../lib/options/compare-options.js';
import { TOPICS } from '../../lib/options/flags.js';
import { OPTION_TABLE, REPORTS_BY_FLAG } from '../../lib/options/option-table.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { kindOfName, NAMED_KINDS } from '../../lib/plugins/plugins.js';
import { PAGES as DOCS } from '../fixtures/documented-commands.js';

/** @param {string} [word] @param {number} [columns] */
const help = (word, columns) => helpText({ _: word === undefined ? [] : [word] }, columns);

const COMMAND_LINE = /^ {2}npx /; // to paste, so never broken
const PAGES = [...COMMANDS.map(({ name }) => name), ...Object.keys(TOPICS), 'questions', 'exit-codes', 'all'];

describe('--help', () => {
  it('fits on a screen of 80 columns and 45 lines, with the prompt', () => {
    for (const columns of [80, 200, undefined]) {
      const lines = help(undefined, columns).split('\n');
      assert.ok(lines.length <= 45, `${lines.length} lines`);
      assert.deepEqual(
        lines.filter((line) => line.length > 80),
        [],
      );
    }
  });

  it('shows usage, four examples, three questions, some 25 options, and where the rest is', () => {
    const text = help();
    assert.equal(text.match(/^ {2}npx ipc-bench/gm)?.length, 4);
    assert.equal(QUESTIONS.filter(({ title }) => text.includes(`\n  ${title}\n`)).length, 3);
    assert.match(text, /npx ipc-bench help questions/);
    const options = text.match(/^ {2}(?:-\w, | {4})--/gm)?.length ?? 0;
    assert.ok(options >= 22 && options <= 30, String(options));
    const words = text.replaceAll('\n', ' ');
    for (const name of PAGES) assert.ok(words.includes(` ${name}`), name);
  });

  it('gives five options a letter', () => {
    const short = Object.entries(OPTION_TABLE).flatMap(([flag, row]) =>
      row.short ? [[row.short, flag]] : [],
    );
    assert.deepEqual(Object.fromEntries(short), {
      c: 'codec',
      o: 'out',
      p: 'payload',
      t: 'transport',
      w: 'workers',
    });
  });

  it('wraps lines at the width of the terminal', () => {
    for (const page of PAGES.filter((name) => !['run', 'exit-codes', 'all'].includes(name))) {
      for (let columns = 70; columns <= 130; columns += 5) {
        const long = help(page, columns)
          .split('\n')
          .filter((line) => !COMMAND_LINE.test(line) && line.length > Math.min(columns, 80));
        assert.deepEqual(long, [], `${page} in ${columns} columns`);
      }
    }
  });
});

describe('help on a topic', () => {
  it('explains each option of a run once', () => {
    const pages = Object.keys(TOPICS).map((topic) => help(topic));
    for (const flag of Object.keys(OPTION_TABLE)) {
      const found = pages.filter((page) =>
        new RegExp(`^ {2}(?:-\\w, | {4})--${flag}(?: |$)`, 'm').test(page),
      );
      assert.equal(found.length, 1, flag);
    }
  });

  it('finds the topic of an option by its name or its letter', () => {
    for (const word of ['rate', '--rate', 'w', '-w', '--workers'])
      assert.equal(help(word), help('load'), word);
  });

  it('lists the exit codes', () => {
    assert.ok(help('exit-codes').includes(exitCodeLines()));
  });

  it('prints each question with its command, on lines of at most 80 columns', () => {
    const text = help('questions');
    assert.equal(QUESTIONS.length, 15);
    for (const [index, { title, command }] of QUESTIONS.entries()) {
      assert.ok(text.includes(`\n${index + 1}. ${title}\n`), title);
      assert.ok(text.includes(`\n  ${command}\n`), command);
    }
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 80),
      [],
    );
  });

  it('finds topics and commands by synonyms', () => {
    assert.equal(help('codecs'), help('transports'));
    assert.equal(help('gate'), help('compare'));
  });

  it('prints everything for all', () => {
    for (const page of PAGES.filter((name) => name !== 'all'))
      assert.ok(help('all').includes(help(page)), page);
  });

  it('prints the questions that have a word', () => {
    const find = (/** @type {string} */ word) =>
      QUESTIONS.filter(({ command }) => help(word).includes(command)).map(({ name }) => name);
    assert.deepEqual(find('backpressure'), ['backpressure']);
    assert.deepEqual(find('MCP'), ['tool-servers']);
    assert.deepEqual(find('pm2'), ['http-servers']);
    assert.throws(() => help('bench'), { code: 'BAD_ARGUMENT' }, 'the name of the program');
  });

  it('refuses a word that is neither command, topic nor option, and suggests one', () => {
    assert.throws(() => help('lod'), {
      code: 'BAD_ARGUMENT',
      message:
        /^there is no help on "lod"; commands are run, .*; topics are transports, .*Did you mean load\?$/,
    });
  });
});

describe('help on a name', () => {
  const textOn = (/** @type {string} */ word) => nameText(kindOfName(word) ?? 'transport', word);

  it('says what it is, with its settings, an example and its page, for each built-in transport, codec and scenario', async () => {
    for (const kind of NAMED_KINDS) {
      for (const name of builtinNames(kind)) {
        const text = await textOn(name);
        assert.ok(text.replaceAll('\n', ' ').startsWith(`${name}, a ${kind}: `), text);
        assert.match(text, new RegExp(`\n {2}npx ipc-bench .*\\b${name}\\b`), text);
        const [, page, heading] = /See\s(docs\/[a-z]+\.md)#?(\S*)\./.exec(text) ?? [];
        assert.match(String(DOCS.get(page)), new RegExp(`^#+ ${heading}`, 'im'), text);
        assert.deepEqual(
          text.split('\n').filter((line) => !COMMAND_LINE.test(line) && line.length > 80),
          [],
        );
      }
    }
    assert.match(await textOn('task'), /^ {2}:work=0\.\.1000000 µs .*\n(?:.*\n)* {2}:data=text\|bytes /m);
  });

  it('takes the question that has the name for the example, or a command of its own', async () => {
    assert.match(await textOn('v8'), /'advanced'\?\n {2}npx ipc-bench -t pipe -c json,v8 /);
    assert.match(await textOn('websocket'), /\n {2}npx ipc-bench -t pipe,websocket\n/);
    assert.match(await textOn('workerpool'), /\n {2}npx ipc-bench --scenario task -t inline,workerpool\n/);
  });

  it('names the option of the same name', async () => {
    assert.match(await textOn('json'), /npx ipc-bench help --json\n/);
  });

  it('leaves commands, topics and options to the others, and suggests a name', () => {
    for (const word of [undefined, 'load', '--json', 'compare', 'toString'])
      assert.equal(kindOfName(word), undefined, word);
    for (const [word, name] of [
      ['tsk', 'task'],
      ['advanced', 'v8'],
      ['process.send', 'pipe'],
    ])
      assert.throws(() => help(word), { message: new RegExp(`Did you mean ${name}\\?$`) });
  });
});

describe('help on a command', () => {
  it('explains the options that run does not have, and names the others', () => {
    for (const [name, own] of /** @type {[string, string][]} */ ([
      ['compare', '--run'],
      ['recommend', '--need'],
    ])) {
      const text = help(name);
      const [explained, named] = text.split('Options of a run');
      assert.ok(explained.split('Options:')[1].indexOf(own) < 500, name);
      for (const flag of ['--placement', '--warmup']) {
        assert.ok(!explained.includes(flag), `${name} ${flag}`);
        assert.ok(named.includes(flag), `${name} ${flag}`);
      }
      assert.ok(text.split('\n').length <= 60, name);
    }
    const words = help('compare');
    for (const flag of COMMON_FLAGS) assert.ok(words.includes(`--${flag}`), flag);
  });
});

describe('the options of reports', () => {
  it('ranks each report differently, so that the order of files does not matter', () => {
    const ranks = [...REPORTS_BY_FLAG.values()].map(({ option }) => option?.rank);
    assert.equal(new Set(ranks).size, ranks.length, ranks.join());
  });
});

describe('plainArgv', () => {
  it('reads words as yargs does', async () => {
    const lines = [
      [],
      ['--help'],
      ['--version'],
      ['-h'],
      ['-v'],
      ['list', 'presets'],
      ['list', '1'],
      ['report', 'a', 'b.json'],
      ['compare', 'x'],
    ];
    for (const { name } of COMMANDS) lines.push([name], [name, '--help'], [name, '-h']);
    for (const args of lines) {
      const { $0, ...parsed } = await parseArgv(args);
      if (parsed.files?.length === 0) delete parsed.files;
      assert.deepEqual(plainArgv(args), parsed, args.join(' '));
    }
  });

  it('takes the word help for the option, and the next word for what it is about', () => {
    assert.deepEqual(plainArgv(['help']), { _: [], help: true });
    for (const word of [...PAGES, '--rate', 'nonsense'])
      assert.deepEqual(plainArgv(['help', word, '--quick']), { _: [word], help: true }, word);
    for (const { name } of COMMANDS)
      assert.deepEqual(plainArgv([name, 'help']), { _: [name], help: true }, name);
  });

  it('leaves everything else to yargs', () => {
    const lines = [
      '--help list',
      'list --help --json',
      '--quick',
      'list presets reports',
      'run x',
      'x',
      'x --help',
    ];
    for (const line of [...lines, 'report -', 'report a --json -', 'list --', '--version list', 'report ']) {
      assert.equal(plainArgv(line.split(' ')), null, line);
    }
  });
});
