// The layout of the source: a folder imports only from folders below it, and every name is found once. CONTRIBUTING.md says what the
// folders are for.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { TRANSPORT_CLASSES } from '../../lib/cell/traits.js';

const ROOT = join(import.meta.dirname, '../..');
// From the top down. A folder imports only from levels below its own.
const LEVELS = [
  'bin',
  'transports scenarios reports',
  'cli',
  'report',
  'hosts',
  'run',
  'doctor',
  'launch',
  'plan',
  'options',
  'results',
  'plugins',
  'channels',
  'runtimes',
  'workload',
  'measure',
  'codecs',
  'record',
  'machine',
  'children',
  'cell',
  'statistics',
  'format',
  'types errors.js',
].map((names) => names.split(' '));
// It looks into the folders of plug-ins, and names no file of them.
const REGISTRY = 'lib/plugins/builtins.js';
// At the root of a file: in one process they are for the tests of all.
const ROOT_HOOK = /^(?:before|after|beforeEach|afterEach|workspaceForEach)\(/m;
// What a test imports that starts one.
const STARTS_PROCESSES =
  /from '[^']*(?:child_process|worker_threads|launch-cell|cli-run|kill-[\w-]+|-broker)(?:\.js)?'/;
const LOOSE = ['errors.js'];
// What a worker of unix/json begins with, and what it loads only for a file of messages, objects, settings from other hosts, or never.
const WORKER = [
  'lib/launch/worker/worker-commands.js',
  'lib/workload/endpoints/request-endpoint.js',
  'transports/unix.js',
  'lib/codecs/builtin/json.js',
  'scenarios/round-trip.js',
];
const SELDOM_LOADED =
  /^lib\/(?:cell\/(?:launch-roles|settings)|codecs\/shapes|format\/did-you-mean|launch\/(?:controller|portable-spec)|machine\/packages|options|plugins|record|report|results|run|workload\/messages\/(?:message-file|value-messages))\b/;

/** @param {string} path @returns {string} as imports have it, on every system */
const withSlashes = (path) => path.replaceAll('\\', '/');
const sources = ['bin', 'transports', 'scenarios', 'reports', 'lib'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => withSlashes(join(folder, name)))
    .filter((path) => path.endsWith('.js')),
);
const inLib = sources.filter((path) => path.startsWith('lib/'));

/** @param {string} path @returns {string} the folder that has a level */
const folderOf = (path) => path.split('/')[path.startsWith('lib/') ? 1 : 0];
/** @param {string} folder @returns {number} 0 is the top */
const levelOf = (folder) => LEVELS.findIndex((folders) => folders.includes(folder));
/** @param {string} path @returns {string[]} files and folders of the source that it names */
function namedIn(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const names = [...text.matchAll(/['"](\.\.?\/[^'"\n]+)['"]/g)].map(([, name]) =>
    withSlashes(join(dirname(path), name)),
  );
  return names.filter(
    (name) => /^(bin|transports|scenarios|reports|lib)\//.test(name) && existsSync(join(ROOT, name)),
  );
}

describe('the source layout', () => {
  it('has a level for every folder', () => {
    const folders = new Set(sources.map(folderOf));
    assert.deepEqual(
      [...folders].filter((folder) => levelOf(folder) === -1),
      [],
    );
    assert.deepEqual(
      LEVELS.flat().filter((folder) => !folders.has(folder)),
      [],
      'no level for what is gone',
    );
  });

  it('imports from levels below only', () => {
    const climbs = sources.flatMap((path) =>
      namedIn(path)
        .filter(
          (name) => folderOf(name) !== folderOf(path) && levelOf(folderOf(name)) <= levelOf(folderOf(path)),
        )
        .filter((name) => path !== REGISTRY || !statSync(join(ROOT, name)).isDirectory())
        .map((name) => `${path} names ${name}`),
    );
    assert.deepEqual(climbs, []);
  });

  it('loads nothing into a worker that most launches have not', () => {
    /** @type {Set<string>} */
    const loaded = new Set();
    const load = (/** @type {string} */ path) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      const text = readFileSync(join(ROOT, path), 'utf8');
      for (const [, name] of text.matchAll(/^(?:import|export|\}) [^;(]*?'(\.[^']+\.js)';$/gm))
        load(withSlashes(join(dirname(path), name)));
    };
    for (const path of WORKER) load(path);
    assert.ok(
      loaded.has('lib/channels/stream-channel.js') && loaded.has('lib/errors.js'),
      'imports are seen',
    );
    assert.deepEqual(
      [...loaded].filter((path) => SELDOM_LOADED.test(path)),
      [],
    );
  });

  it('keeps transports apart from each other', () => {
    /** @param {string} path */
    const ownerOf = (path) => basename(withSlashes(relative('transports', path)).split('/')[0], '.js');
    const neighbours = sources
      .filter((path) => folderOf(path) === 'transports')
      .flatMap((path) => namedIn(path).map((name) => ({ path, name })))
      .filter(({ path, name }) => folderOf(name) === 'transports' && ownerOf(path) !== ownerOf(name));
    assert.deepEqual(neighbours, []);
  });

  it('uses no file name twice in lib/, no folder beside a file of its name, and leaves nothing loose', () => {
    const names = inLib.map((path) => basename(path)).filter((name) => name !== 'index.js');
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
    assert.deepEqual(
      inLib.filter((path) => existsSync(join(ROOT, path.slice(0, -'.js'.length)))),
      [],
    );
    assert.deepEqual(
      inLib.filter((path) => dirname(path) === 'lib').map((path) => basename(path)),
      LOOSE,
    );
  });

  it('proves every class of transports', () => {
    const proven = readdirSync(join(ROOT, 'test/processes/transports'));
    assert.deepEqual(proven.sort(), TRANSPORT_CLASSES.map(({ name }) => `${name}.test.js`).sort());
  });

  it('has no test that npm run test:long does not run', () => {
    const folders = ['unit', 'processes'].map((name) => `${name}/`);
    const others = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.js'))
      .filter((name) => !folders.some((folder) => withSlashes(name).startsWith(folder)));
    assert.deepEqual(others, []);
  });

  it('gives a test a temporary folder in the variables of every system', () => {
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .filter((name) => /\bTMPDIR: /.test(readFileSync(join(ROOT, 'test', name), 'utf8')));
    assert.deepEqual(files.map(withSlashes), ['fixtures/temporary-folder.js']);
  });

  it('starts no process in test/unit, and lets its files run in one', () => {
    const folder = join(ROOT, 'test/unit');
    const texts = readdirSync(folder).map((name) => ({
      name,
      text: readFileSync(join(folder, name), 'utf8'),
    }));
    for (const pattern of [STARTS_PROCESSES, ROOT_HOOK]) {
      const found = texts.filter(({ text }) => pattern.test(text)).map(({ name }) => name);
      assert.deepEqual(found, [], String(pattern));
    }
  });
});
