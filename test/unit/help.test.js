// What --help prints, in the layout that yargs gives it, and which command lines are read without yargs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../lib/cli/commands.js';
import { helpText } from '../../lib/cli/help.js';
import { plainArgv } from '../../lib/cli/main.js';
import { parseArgv } from '../../lib/cli/parse-argv.js';
import { REPORTS_BY_FLAG } from '../../lib/options/option-table.js';

// In the layout of yargs 18: of one word too long a part, and a note where there is just room.
const LIST_IN_30_COLUMNS = `ipc-bench list [kind]

list what this machine can
measure, and how to install
the rest

Positionals:
  kind  only transports,
        codecs, runtimes,
        scenarios, presets or
        reports       [string]

Options:
  -v, --version   Show version
                  number
                     [boolean]
  -h, --help      Show help
                     [boolean]
  --json          as JSON
                     [boolean]
  --markdown      the traits
                  of the
                  transports
                  as a
                  Markdown
                  table
                     [boolean]
  --runtime-path  FOLDER,...
                  folders to
                  search for
                  runtimes,
                  before PATH
                  and
                  node_modules
`;

describe('--help', () => {
  it('has two columns and notes at the right', () => {
    assert.equal(helpText({ _: ['list'] }, 30), LIST_IN_30_COLUMNS);
  });

  it('fits into every terminal', () => {
    for (const { name } of COMMANDS.filter(({ name }) => name !== 'run')) {
      for (let columns = 20; columns <= 130; columns += 1) {
        const long = helpText({ _: [name] }, columns)
          .split('\n')
          .filter((line) => line.length > Math.min(columns, 110));
        assert.deepEqual(long, [], `${name} in ${columns} columns`);
      }
    }
  });

  it('loses no letter to the width', () => {
    // Where names are cut, their ends stand behind the summaries.
    const letters = (/** @type {number} */ columns) =>
      helpText({ _: ['compare'] }, columns)
        .replaceAll(/\s/g, '')
        .split('')
        .sort()
        .join('');
    for (let columns = 20; columns < 110; columns += 1) assert.equal(letters(columns), letters(110));
  });
});

describe('the options of reports', () => {
  it('have a place of their own each, whatever order their files are found in', () => {
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

  it('takes the word help for the option', () => {
    for (const line of ['help', 'help --dry-run --transport unix', 'help nonsense'])
      assert.deepEqual(plainArgv(line.split(' ')), { _: [], help: true }, line);
    for (const { name } of COMMANDS) {
      for (const line of [`help ${name}`, `${name} help`, `help ${name} --quick`])
        assert.deepEqual(plainArgv(line.split(' ')), { _: [name], help: true }, line);
    }
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
