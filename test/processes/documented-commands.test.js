// Runs in CI.
// Every command of the README, of docs/ and of --help can be pasted into bash, and in the long form into zsh and fish, and ipc-bench accepts what arrives.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findOnPath } from '../../lib/children/launcher.js';
import { COMMANDS } from '../../lib/cli/commands.js';
import { flagText, shellWord } from '../../lib/format/flag-text.js';
import chart from '../../reports/chart.js';
import { IS_LONG, notInLongForm } from '../conformance/long-form.js';
import { callCli, makeWorkspace } from '../fixtures/cli-run.js';
import { documentedCommands } from '../fixtures/documented-commands.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const ROOT = join(import.meta.dirname, '../..');
const FIXTURES = join(ROOT, 'test/fixtures');
const TIMEOUT_MS = 300_000;
const PROGRAMS = ['npx', 'npm', 'sudo', 'brew', 'docker', 'openssl', 'redis-server', 'jq', 'taskset', 'mark'];
// It writes what it was called with, and does nothing else.
const RECORDER = `#!/bin/sh
{ printf '%s\\0' "\${0##*/}" "$@"; printf '\\001\\0'; } >> "$RECORD"
`;
// As a reader pastes into them: an interactive zsh has no comments, and refuses a pattern that matches no file.
const SHELLS = {
  bash: ['--norc', '--noprofile', '-i'],
  zsh: ['-f', '-i'],
  fish: ['--no-config'],
};

const workspace = makeWorkspace();
after(() => workspace.remove());
const stubs = join(workspace.temporary, 'stubs');
mkdirSync(stubs);
for (const name of PROGRAMS) {
  writeFileSync(join(stubs, name), RECORDER);
  chmodSync(join(stubs, name), 0o755);
}

/** @param {string} path @param {string} text */
function file(path, text) {
  mkdirSync(dirname(join(workspace.folder, path)), { recursive: true });
  writeFileSync(join(workspace.folder, path), text);
}

// What the commands name.
const LATEST = 'ipc-bench-results/2999-01-01T00-00-0';
const old = readFileSync(join(FIXTURES, 'results-default.json'), 'utf8');
for (const name of ['results', 'old', 'ipc-bench-results/baselines/main']) file(`${name}.json`, old);
file(`${LATEST}0Z/results.json`, old);
for (const name of ['new', `${LATEST}1Z/results`])
  file(`${name}.json`, old.replace(/"seed": ?\d+/, '"seed": 4'));
for (const [part, name] of Object.entries({ transport: 'mine', scenario: 'pairs', report: 'lines' }))
  cpSync(join(FIXTURES, 'extras', `${part}.js`), join(workspace.folder, `${name}.js`));
file(
  'node_modules/my-package/package.json',
  '{ "name": "my-package", "type": "module", "exports": { "./codec": "./codec.js" } }',
);
cpSync(join(FIXTURES, 'extras/codec.js'), join(workspace.folder, 'node_modules/my-package/codec.js'));
for (const folder of ['node_modules', '../base/node_modules']) {
  mkdirSync(join(workspace.folder, folder), { recursive: true });
  symlinkSync(ROOT, join(workspace.folder, folder, 'ipc-bench'));
}
for (const name of ['BEFORE', 'AFTER', '../before']) symlinkSync(ROOT, join(workspace.folder, name));
for (const name of ['package.json', 'lib', 'transports', 'scenarios', 'reports'])
  symlinkSync(join(ROOT, name), join(workspace.folder, name));
cpSync(join(FIXTURES, 'extras/codec.js'), join(workspace.folder, 'codec.js'));
for (const name of ['v1', 'v2', '../base'])
  file(`${name}/mine.js`, readFileSync(join(FIXTURES, 'extras/transport.js'), 'utf8'));
cpSync(join(ROOT, 'docs/articles'), join(workspace.folder, 'docs/articles'), {
  recursive: true,
  filter: (path) => !/\.(?:png|md)$/.test(path),
});
file('traffic.json', readFileSync(join(FIXTURES, 'traffic.json'), 'utf8'));
file('orders.ndjson', '{"id":1,"item":"a"}\n{"id":2,"item":"b"}\n');
file('secret', 'x'.repeat(64));
file('my-peer', `#!/bin/sh\nexec '${process.execPath}' '${join(FIXTURES, 'faulty-peer.js')}'\n`);
chmodSync(join(workspace.folder, 'my-peer'), 0o755);

/**
 * @param {keyof typeof SHELLS} shell
 * @param {string[]} commands
 * @returns {{ calls: string[][][], stderr: string }} calls: of each command, the programs that it called with their arguments
 */
function pasted(shell, commands) {
  const record = join(workspace.temporary, 'record');
  rmSync(record, { force: true });
  writeFileSync(record, '');
  const script = join(workspace.temporary, 'script');
  writeFileSync(script, commands.map((text, index) => `mark ${index}\n${text}\n`).join(''));
  const input = openSync(script, 'r');
  const { stderr, error } = spawnSync(String(findOnPath(shell)), SHELLS[shell], {
    cwd: workspace.folder,
    env: { PATH: stubs, HOME: workspace.temporary, RECORD: record, TERM: 'dumb' },
    stdio: [input, 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  closeSync(input);
  assert.ifError(error);
  const all = readFileSync(record, 'utf8').split('\u0001\0').slice(0, -1);
  /** @type {string[][][]} */
  const calls = commands.map(() => []);
  let current = calls[0];
  for (const call of all.map((words) => words.split('\0').slice(0, -1))) {
    if (call[0] === 'mark') current = calls[Number(call[1])];
    else current.push(call);
  }
  return { calls, stderr };
}

/** @param {string} text @returns {string[]} the programs that it calls, in order */
function programsIn(text) {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  return lines
    .flatMap((line) => line.split(/ && |; /))
    .map((line) => line.trim().split(' ')[0])
    .filter((word) => !['printf', 'echo', 'export'].includes(word));
}

/** @param {keyof typeof SHELLS} shell @returns {string | false} why its tests are skipped */
function whyNot(shell) {
  if (process.platform === 'win32') return 'its commands are for shells of POSIX';
  if (shell !== 'bash' && notInLongForm) return notInLongForm;
  return findOnPath(shell) === undefined && !process.env.CI ? `no ${shell} on PATH` : false;
}

const commands = documentedCommands();
const texts = commands.map(({ text }) => text);
const { calls: inBash } = whyNot('bash') === false ? pasted('bash', texts) : { calls: [] };

for (const shell of /** @type {(keyof typeof SHELLS)[]} */ (Object.keys(SHELLS))) {
  describe(`pasted into ${shell}`, { skip: whyNot(shell) }, () => {
    it('calls the programs that each documented command names', () => {
      const { calls, stderr } = pasted(shell, texts);
      for (const [index, { page, text }] of commands.entries()) {
        const programs = calls[index].map(([name]) => name);
        assert.deepEqual(programs, programsIn(text), `${page}: ${text}\n${stderr}`);
      }
    });

    it('splits each documented command into the words of other shells', {
      skip: shell === 'bash' ? 'is the other shell' : false,
    }, () => {
      const { calls } = pasted(shell, texts);
      for (const [index, { page, text }] of commands.entries())
        assert.deepEqual(calls[index], inBash[index], `${page}: ${text}`);
    });

    it('passes a printed value unchanged', () => {
      const values = [
        '10..100k*10',
        '=x',
        '~',
        '%self',
        '^a',
        '{a,b}',
        'a#b',
        "it's",
        'a\\b',
        "\\'",
        '$HOME',
        '-x',
        'ü ;|&',
      ];
      const printed = values.map((value) => `npx ${flagText('title', value)} ${shellWord(value)}`);
      const { calls, stderr } = pasted(shell, printed);
      for (const [index, value] of values.entries()) {
        const words = value.startsWith('-') ? [`--title=${value}`] : ['--title', value];
        assert.deepEqual(calls[index], [['npx', ...words, value]], `${printed[index]}\n${stderr}`);
      }
    });
  });
}

// Of these only the options are checked: they read the machine, take orders, or start a program.
const NOT_RUN = ['doctor', 'selftest', 'agent', 'record'];
const INTERRUPTED = 130;

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} args
 * @returns {{ words: string[], end: number }} as little as proves that they are accepted, and the exit code of that
 */
function proofOf(t, args) {
  const command = COMMANDS.find(({ name }) => name === args[0]) ?? COMMANDS[0];
  if (NOT_RUN.includes(command.name)) {
    const load = async () => async () => 0;
    t.mock.method(command, 'load', load);
  }
  // Drawing takes most of the time, and which pictures there are makes no difference to the options.
  const caption = 'a picture';
  const picture = { name: 'picture.png', mediaType: 'image/png', content: Buffer.of(0), caption };
  if (!IS_LONG) t.mock.method(chart, 'render', async () => [picture]);
  const isAnswered = args.some((arg) => arg === '--help');
  // What measures is stopped before it starts a broker.
  const isPlanned = args.includes('--dry-run');
  // The recorded traffic that is here has too few messages to be replayed.
  const isEvident = ['--from', '--traffic'].some((flag) => args.includes(flag));
  const isRun = command.name === 'run' || (command.name === 'recommend' && !isEvident);
  if (isRun && !isAnswered) return { words: [...args, '--dry-run'], end: 0 };
  const measures = args.includes('--run') && !isPlanned;
  // What one of them saved is in the way of the next.
  const isSaving = ['report', 'compare', 'recommend'].includes(command.name);
  if (measures) stopWhenListened(t);
  return { words: [...args, ...(isSaving ? ['--force'] : [])], end: measures ? INTERRUPTED : 0 };
}

/** @param {import('node:test').TestContext} t */
function stopWhenListened(t) {
  const onListener = (/** @type {string | symbol} */ name) => {
    if (name === 'SIGINT') setImmediate(() => process.emit('SIGINT', 'SIGINT'));
  };
  process.on('newListener', onListener);
  t.after(() => process.off('newListener', onListener));
}

// Where the gate has put the other runtimes.
const { TEST_RUNTIMES } = process.env;
/** @type {Record<string, string>} */
const otherRuntimes = TEST_RUNTIMES === undefined ? {} : { IPC_BENCH_RUNTIME_PATH: TEST_RUNTIMES };

describe('ipc-bench', { skip: whyNot('bash') }, () => {
  for (const [index, { page }] of commands.entries()) {
    for (const words of inBash[index] ?? []) {
      const [program, tool, ...args] = words.join(' ').startsWith('npx --no -- ')
        ? words.toSpliced(1, 2)
        : words;
      if (program !== 'npx' || tool !== 'ipc-bench') continue;
      it(`accepts ${args.join(' ') || 'no option'} (${page})`, async (t) => {
        const { words: proof, end } = proofOf(t, args);
        const environment = {
          IPC_BENCH_AGENTS: 'redis://10.0.0.1',
          IPC_BENCH_SECRET: 'x'.repeat(64),
          ...(args.includes('--runtime') && otherRuntimes),
        };
        const { code, stderr } = await callCli(proof, workspace, {
          launch: simulatedLauncher(),
          environment,
        });
        // 7: this machine has nothing of what the command names.
        assert.ok(code === end || (code === 7 && !IS_LONG), `${code}: ${stderr}`);
      });
    }
  }
});
