// What the README and the pages of docs/ promise is what the program has.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { GROUP_NAMES, resolveTraits } from '../../lib/cell/traits.js';
import { COMMANDS } from '../../lib/cli/commands.js';
import { exitCodeLines } from '../../lib/cli/help.js';
import { ERROR_CODES } from '../../lib/errors.js';
import { OPTION_TABLE } from '../../lib/options/option-table.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadTransports } from '../../lib/plugins/plugins.js';
import { blocksOf, inlineCodeOf, PAGES as pages } from '../fixtures/documented-commands.js';
import { questionPages, questionsPage } from '../fixtures/question-pages.js';
import { generatedTables } from '../fixtures/refresh-docs.js';

const ROOT = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const { scripts, exports } = manifest;
const MAX_LINES = 150;
const FIRST_SCREEN_LINES = 30;
// Flags of Node.js, npm, taskset, docker and the benches.
const FLAGS_OF_OTHERS = [
  ...[
    'help',
    'ignore-scripts',
    'require',
    'version',
    'rm',
    'no',
    'no-save',
    'prefix',
    'detach',
    'publish',
    'pdeathsig',
    'loops', // of npm run bench:others
    'checks',
    'only',
    'test',
    'test-concurrency',
    'write',
    'longer',
  ],
  ...['interrupt-budget', 'invocation-count-for-turbofan', 'min-semi-space-size', 'max-semi-space-size'],
  ...['semi-space-growth-factor', 'trace-deopt', 'trace-gc', 'jitless'],
];

/** @param {string} path @returns {string} */
const textOf = (path) => String(pages.get(path));
/** @param {string} text @returns {Set<string>} what GitHub makes of its headings: '#when-is-a-difference-real' */
const anchorsOf = (text) =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(
      ([, heading]) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')}`,
    ),
  );

describe('the README', () => {
  it('is short', () => {
    assert.ok(textOf('README.md').split('\n').length <= MAX_LINES, 'a page of docs/ is the place for more');
  });
});

describe('a command of the documentation', () => {
  it('stands on the first screen of the README, below one small picture, where it starts a clone or installs Redis', () => {
    const firstScreen = textOf('README.md').split('\n').slice(0, FIRST_SCREEN_LINES).join('\n');
    for (const command of [
      'npm ci && npx ipc-bench --workers 2x4 --payload 1000',
      'apt install redis-server',
      'brew install redis',
      'npx ipc-bench --broker-url redis=redis://127.0.0.1',
    ])
      assert.ok(firstScreen.includes(command), command);
    const pictures = [...firstScreen.matchAll(/<picture>.*?<\/picture>/g)].map(([picture]) => picture);
    assert.equal(pictures.length, 1, 'several pictures push the commands off the screen');
    assert.match(pictures[0], /<img width="640" /, 'so does a large picture');
  });

  it('is in a block of sh without comments, which interactive zsh takes for arguments', () => {
    for (const [path, text] of pages) {
      for (const { language, text: block } of blocksOf(text)) {
        assert.notEqual(language, '', `${path}: a block without a language\n${block}`);
        if (language === 'sh') assert.doesNotMatch(block, /(?:^|\s)#/m, path);
        else if (language !== 'yaml') assert.doesNotMatch(block, /^ *npx /m, path);
      }
    }
  });

  it('quotes what zsh or fish would expand', () => {
    for (const [path, text] of pages) {
      for (const code of inlineCodeOf(text).filter((inline) => /^(?:--|npx )/.test(inline))) {
        const unquoted = code.replaceAll(/'[^']*'|"[^"]*"/g, '');
        assert.doesNotMatch(unquoted, /[*?~#^!]|(?<=\s)[=%]/, `${path}: ${code}`);
      }
    }
  });

  it('takes no ipc-bench from a registry, which has none', () => {
    for (const [path, text] of pages)
      assert.doesNotMatch(text, /ipc-bench@|npm (?:i|install) (?:--?\w+ )*ipc-bench\b/, path);
  });
});

describe('the page about hosts', () => {
  it('never lets npx download a program, which would read the secret in the environment', () => {
    const commands = [...textOf('docs/hosts.md').matchAll(/npx .*/g)].map(([command]) => command);
    assert.ok(commands.length > 0);
    for (const command of commands) assert.match(command, /^npx --no -- ipc-bench\b/);
  });
});

describe('the documentation', () => {
  it('has the exit codes of the table that bin and --help use', () => {
    assert.ok(textOf('docs/usage.md').includes(exitCodeLines()), `missing:\n${exitCodeLines()}`);
  });

  it('names only options that exist', () => {
    const ofCommands = COMMANDS.flatMap(({ flags }) => Object.keys(flags));
    const known = new Set([...Object.keys(OPTION_TABLE), ...ofCommands, ...FLAGS_OF_OTHERS]);
    for (const [path, text] of pages) {
      const named = new Set([...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name));
      assert.deepEqual(
        [...named].filter((name) => !known.has(name) && !known.has(name.replace(/^no-/, ''))),
        [],
        path,
      );
    }
  });

  it('shows transports, codecs and flags as the program has them', {
    skip: process.platform === 'win32' && 'the tables have the defaults of Linux and macOS',
  }, async () => {
    for (const { page, shown, generated, missing } of await generatedTables()) {
      const known = shown
        .split('\n')
        .filter((line) => !missing.some((name) => line.startsWith(`| ${name} |`)))
        .join('\n');
      assert.ok(known === generated, `docs/${page} is of yesterday: run node test/fixtures/refresh-docs.js`);
      for (const name of missing) assert.ok(shown.includes(`\n| ${name} |`), `docs/${page} lacks ${name}`);
    }
  });

  it('has the questions and their commands as `help questions` prints them', () => {
    for (const { path, shown, refreshed } of questionPages())
      assert.ok(shown === refreshed, `${path} is of yesterday: run node test/fixtures/refresh-docs.js`);
  });

  it('keeps what was measured for a question', () => {
    const measured = textOf('docs/questions.md').replace(
      /(?<=<!-- measured: sockets -->\n)[\s\S]*?(?=<!-- end)/,
      '| unix | 1 |\n',
    );
    assert.match(measured, /\n\| unix \| 1 \|\n/);
    assert.equal(questionsPage(measured), measured);
  });

  it('tells of every transport the packages that it asks for, and of every broker what outlives it', async () => {
    const { dependencies, peerDependencies } = manifest;
    for (const { plugin, url } of (await loadTransports(builtinNames('transport'))).values()) {
      const { broker, durability } = plugin.traits;
      const packages = packagesOf(plugin);
      const asked = [...readFileSync(new URL(url), 'utf8').matchAll(/packageProblem\('([^']+)'[,)]/g)];
      assert.deepEqual(packages, asked.map(([, name]) => name).sort(), `traits.packages of ${plugin.name}`);
      for (const name of packages) assert.ok(name in { ...dependencies, ...peerDependencies }, name);
      assert.equal(broker === null, durability === undefined, `traits.durability of ${plugin.name}`);
    }
  });

  it('lists every code of an error', () => {
    for (const code of Object.keys(ERROR_CODES))
      assert.ok(textOf('docs/extending.md').includes(`\`${code}\``), code);
  });

  it('names every group of transports', () => {
    for (const group of GROUP_NAMES) assert.ok(textOf('docs/transports.md').includes(`\`${group}\``), group);
  });

  it('names only scripts, exports, pages, headings and pictures that exist', () => {
    for (const [path, text] of pages) {
      for (const [, script] of text.matchAll(/npm run ([\w:-]+)/g)) assert.ok(scripts[script], script);
      for (const [, name] of text.matchAll(/['`]ipc-bench\/([\w./-]+)['`]/g))
        assert.ok(exports[`./${name}`] ?? exports[`./${dirname(name)}/*`], name);
      for (const [, target] of text.matchAll(/\]\(([^)]+)\)/g)) {
        if (target.startsWith('https:')) continue;
        const url = new URL(target, new URL(path, ROOT));
        const page = url.pathname.slice(ROOT.pathname.length);
        assert.ok(existsSync(new URL(page, ROOT)), `${path} links to ${target}`);
        if (url.hash !== '') assert.ok(anchorsOf(textOf(page)).has(url.hash), `${path} links to ${target}`);
      }
    }
  });

  it('has a line for every folder of lib/ in the map', () => {
    const folders = readdirSync(new URL('lib/', ROOT)).map((name) => `\`lib/${name}\``);
    assert.deepEqual(
      folders.filter((name) => !textOf('CONTRIBUTING.md').includes(name)),
      [],
    );
  });

  it('links each page from the README, directly or through others', () => {
    const reached = new Set(['README.md']);
    for (const path of reached) {
      for (const [, target] of textOf(path).matchAll(/\]\(([^)#]+\.md)[^)]*\)/g)) {
        const page = join(dirname(path), target);
        if (pages.has(page)) reached.add(page);
      }
    }
    assert.deepEqual(
      [...pages.keys()].filter((path) => !reached.has(path)),
      [],
    );
  });
});

/**
 * @param {import('../../lib/types/transports.js').Transport} transport
 * @returns {string[]} that it needs with any choice of its settings, each once, sorted
 */
function packagesOf(transport) {
  const choices = Object.entries(transport.settings ?? {}).flatMap(([key, setting]) =>
    (setting.choices ?? []).map((choice) => ({ [key]: choice })),
  );
  return [
    ...new Set([{}, ...choices].flatMap((chosen) => resolveTraits(transport, chosen).packages ?? [])),
  ].sort();
}
