// The published entry points: what a built-in transport, codec, scenario or report imports, third parties can import by a
// published name. Nothing is measured, and no process is started.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as transportKit from '../../lib/channels/index.js';
import * as codecKit from '../../lib/codecs/index.js';
import * as reportKit from '../../lib/report/index.js';
import * as scenarioKit from '../../lib/workload/index.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** By folder of built-in parts, the index that third parties import. */
const KITS = {
  transports: transportKit,
  scenarios: scenarioKit,
  'lib/codecs/builtin': codecKit,
  reports: reportKit,
};
/** Published with all that is in them. */
const PUBLISHED = {
  'lib/channels/': 'transport',
  'lib/codecs/': 'codec',
  'lib/workload/': 'scenario',
  'lib/report/': 'report',
};
const IMPORTED = /import \{([^}]+)\} from '(\.[^']+)'/g;
// It writes results of every kind, and the page's assets are this program's own files.
const OF_THE_PROGRAM = ['lib/results/', 'lib/types/', 'lib/machine/packages.js', 'lib/options/', 'lib/plan/'];

const textOf = (/** @type {string} */ path) => readFileSync(ROOT + path, 'utf8');

/** @param {string} folder @returns {{ path: string, file: string, names: string[] }[]} what its files import from lib/, types apart */
function importsIn(folder) {
  return readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name.replaceAll('\\', '/')))
    .flatMap((path) =>
      [...textOf(path).matchAll(IMPORTED)]
        .filter(({ index }) => textOf(path)[index - 1] !== '@')
        .map(([, names, file]) => ({
          path,
          file: join(dirname(path), file),
          names: names
            .split(',')
            .map((name) => name.trim().split(' as ')[0])
            .filter((name) => name !== ''),
        })),
    )
    .filter(({ file }) => file.startsWith('lib/') && !file.startsWith('lib/codecs/builtin/'));
}

/** @param {string} name @returns {string} the file, or why there is none */
function resolved(name) {
  try {
    return relative(ROOT, fileURLToPath(import.meta.resolve(name))).replaceAll('\\', '/');
  } catch (error) {
    return String(/** @type {Error} */ (error).message);
  }
}

// They do tasks as soon as they are loaded.
const IN_WORKERS_ONLY = ['lib/channels/pool-worker.js'];

describe('the published entry points', () => {
  for (const [folder, kit] of Object.entries(KITS)) {
    it(`export to plug-ins what ${folder} import`, () => {
      const imports = importsIn(folder);
      assert.ok(imports.length > 5, `${imports.length} imports were found`);
      for (const { path, file, names } of imports) {
        const published = Object.entries(PUBLISHED).find(([prefix]) => file.startsWith(prefix));
        if (published !== undefined) {
          const name = `ipc-bench/${published[1]}/${file.slice(published[0].length).replace(/\.js$/, '')}`;
          assert.equal(resolved(name), file, `for ${path}`);
        } else if (!OF_THE_PROGRAM.some((prefix) => file.startsWith(prefix))) {
          for (const name of names) assert.ok(Object.hasOwn(kit, name), `${name} of ${file}, for ${path}`);
        }
      }
    });
  }

  it('have type declarations', () => {
    const { exports } = JSON.parse(textOf('package.json'));
    for (const [name, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      assert.equal(target.types, target.default.replace('./', './types/').replace(/\.js$/, '.d.ts'), name);
    }
  });

  it('export all that transports import from one index', () => {
    const named = importsIn('transports')
      .filter(({ file }) => dirname(file) === 'lib/channels' && !IN_WORKERS_ONLY.includes(file))
      .flatMap(({ names }) => names);
    assert.ok(new Set(named).size > 15);
    assert.deepEqual(
      [...new Set(named)].filter((name) => !Object.hasOwn(transportKit, name)),
      [],
    );
  });
});
