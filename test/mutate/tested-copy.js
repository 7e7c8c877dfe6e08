// A copy of the tree in which tests are run: its sources may be changed, those of the checkout never are.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';
import { executedStretches } from './executed-stretches.js';

/** @import { V8Function } from './executed-stretches.js' */

const ROOT = join(import.meta.dirname, '../..');
const TOGETHER = 'test/together.js';
const LEFT_OUT = new Set(['node_modules', '.git', 'coverage', 'ipc-bench-results', 'types']);
const NOT_OK = /^ *not ok (?!.*# (?:TODO|SKIP))/m;

/** @typedef {{ kind: 'passed' | 'failed' | 'late', by: string, ms: number }} TestEnd   by: the test that failed first */
/** @typedef {Record<string, [number, number][]>} Executed   stretches of each file, by its path */
/** @typedef {{ isRight: boolean, ms: number, executed: Executed, hashes: Record<string, string> }} Coverage   hashes: of what the test loads */

export class TestedCopy {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'ibm-'));
    this.root = join(this.folder, 'tree');
    mkdirSync(this.root);
    for (const name of readdirSync(ROOT).filter((each) => !LEFT_OUT.has(each)))
      cpSync(join(ROOT, name), join(this.root, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'));
    this.runs = 0;
    /** @type {Set<import('node:child_process').ChildProcess>} */
    this.running = new Set();
  }

  remove() {
    for (const child of this.running) killGroup(child);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param {string} path @returns {string} */
  read(path) {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** @param {string} path @param {string} source */
  write(path, source) {
    writeFileSync(join(this.root, path), source);
  }

  /** @param {string[]} folders @returns {string[]} paths of JavaScript files */
  files(...folders) {
    return folders.flatMap((folder) =>
      readdirSync(join(this.root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((path) => path.endsWith('.js'))
        .sort(),
    );
  }

  /**
   * @param {string[]} files    one, or several that start no process and run in one
   * @param {number} limitMs
   * @param {NodeJS.ProcessEnv} [environment]
   * @returns {Promise<TestEnd>} as soon as a test has failed
   */
  run(files, limitMs, environment) {
    this.runs += 1;
    const scratch = join(this.folder, String(this.runs));
    mkdirSync(scratch);
    const program = files.length > 1 ? [TOGETHER, ...files.map((file) => join(this.root, file))] : files;
    const beganMs = performance.now();
    const child = spawn(process.execPath, ['--test-reporter=tap', ...program], {
      cwd: this.root,
      env: {
        ...process.env,
        ...withTemporaryFolder(scratch),
        XDG_RUNTIME_DIR: '',
        NODE_EXTRA_CA_CERTS: undefined,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true, // with what it starts
    });
    this.running.add(child);
    return new Promise((resolve) => {
      let output = '';
      /** @type {TestEnd['kind'] | null} */
      let kind = null;
      const end = (/** @type {TestEnd['kind']} */ found) => {
        kind ??= found;
        killGroup(child);
      };
      const deadline = setTimeout(end, limitMs, 'late');
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        if (NOT_OK.test(output)) end('failed');
      });
      child.once('exit', (code) => {
        clearTimeout(deadline);
        const ms = performance.now() - beganMs;
        killGroup(child);
        this.running.delete(child);
        rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
        const by = /^ *not ok \d+ - (.*)$/m.exec(output)?.[1] ?? 'the whole file';
        resolve({ kind: kind ?? (code === 0 ? 'passed' : 'failed'), by, ms });
      });
    });
  }

  /** @param {string} test @param {number} limitMs @returns {Promise<Coverage>} of the test and of all processes that it starts */
  async coverage(test, limitMs) {
    const told = mkdtempSync(join(this.folder, 'v8-'));
    const { kind, ms } = await this.run([test], limitMs, { NODE_V8_COVERAGE: told });
    /** @type {Executed} */
    const executed = {};
    for (const name of readdirSync(told)) {
      for (const [path, stretches] of Object.entries(this.#executedIn(join(told, name))))
        executed[path] = [...(executed[path] ?? []), ...stretches];
    }
    rmSync(told, { recursive: true });
    const hashes = Object.fromEntries(
      [test, ...Object.keys(executed)].map((path) => [path, this.hashOf(path)]),
    );
    return { isRight: kind === 'passed', ms, executed, hashes };
  }

  /** @param {string} path @returns {string} of its content; '' where it is gone */
  hashOf(path) {
    if (!existsSync(join(this.root, path))) return '';
    return createHash('sha256').update(this.read(path)).digest('base64url').slice(0, 12);
  }

  /** @param {string} path   that V8 wrote @returns {Executed} */
  #executedIn(path) {
    const { result } = parsed(readFileSync(path, 'utf8'));
    const own = result.filter(
      ({ url }) => url.startsWith('file:') && !relative(this.root, fileURLToPath(url)).startsWith('..'),
    );
    return Object.fromEntries(
      own.map(({ url, functions }) => [
        relative(this.root, fileURLToPath(url)),
        executedStretches(functions),
      ]),
    );
  }
}

/** @param {string} text @returns {{ result: { url: string, functions: V8Function[] }[] }} empty where a process ended while it wrote */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { result: [] };
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function killGroup({ pid }) {
  try {
    process.kill(-Number(pid), 'SIGKILL');
  } catch {
    // None of them is left.
  }
}
