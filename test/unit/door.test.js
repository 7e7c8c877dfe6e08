// The one door: what a transport, a codec or a scenario of the house imports from it, anybody can import by a published name. Nothing
// is measured, and no process is started.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as kit from '../../lib/transport-kit/index.js';

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN_FOLDERS = ['transports', 'scenarios', 'lib/codecs'];
const IMPORTED = /(?:from|import\() ?'(\.[^']+)'/g;
const IMPORTED_NAMES = /import \{([^}]+)\} from '([^']+)'/g;

const sources = PLUGIN_FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name)),
);
const textOf = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');
const imports = sources.flatMap((path) =>
  [...textOf(path).matchAll(IMPORTED)].map(([, name]) => ({ path, file: join(dirname(path), name) })),
);
const ofTheHouse = imports.filter(({ file }) => !file.startsWith('transports/'));

/** @param {string} file @returns {string} the name by which anybody can import it */
function publishedName(file) {
  if (file.startsWith('lib/types/')) return 'ipc-bench/types';
  return `ipc-bench/${relative('lib', file).replace(/\.js$/, '')}`;
}

/** @param {string} name @returns {string} the file, or why there is none */
function resolved(name) {
  try {
    return relative(ROOT, fileURLToPath(import.meta.resolve(name)));
  } catch (error) {
    return String(/** @type {Error} */ (error).message);
  }
}

describe('the door of the house', () => {
  it('lets in everybody to whatever a plug-in of the house imports', () => {
    assert.ok(ofTheHouse.length > 200, `${ofTheHouse.length} imports were found`);
    for (const { path, file } of ofTheHouse) {
      const isOfTypes = file.startsWith('lib/types/');
      assert.equal(resolved(publishedName(file)), isOfTypes ? 'lib/types/index.js' : file, `for ${path}`);
    }
  });

  it('names the types of every file beside it', () => {
    const { exports } = JSON.parse(textOf('package.json'));
    for (const [name, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      assert.equal(target.types, target.default.replace('./', './types/').replace(/\.js$/, '.d.ts'), name);
    }
  });

  it('has all of the kit that transports import in one index', () => {
    const named = sources.flatMap((path) =>
      [...textOf(path).matchAll(IMPORTED_NAMES)]
        .filter(([, , file]) => file.includes('/transport-kit/'))
        // Those of a comment are types, which a file's own name gives.
        .filter(({ index }) => !textOf(path).slice(0, index).endsWith('@'))
        .flatMap(([, names]) => names.split(',').map((name) => name.trim()))
        .filter((name) => name !== ''),
    );
    assert.ok(new Set(named).size > 15);
    assert.deepEqual(
      [...new Set(named)].filter((name) => !Object.hasOwn(kit, name)),
      [],
    );
  });
});
