// Runs in CI.
// The types that the package publishes fit plug-ins and programs of third parties.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeWorkspace } from '../fixtures/cli-run.js';

const HOUSE = fileURLToPath(new URL('../..', import.meta.url));
const EXTRAS = fileURLToPath(new URL('../fixtures/extras', import.meta.url));

const workspace = makeWorkspace();
after(() => workspace.remove());
cpSync(EXTRAS, join(workspace.folder, 'own parts'), { recursive: true });

describe('the types', () => {
  it('are generated, and the parts of somebody else fit them', async () => {
    const types = join(workspace.folder, 'types');
    const tsc = join(HOUSE, 'node_modules', '.bin', 'tsc');
    const run = promisify(execFile);
    // What they are generated from is checked by `npm run check`.
    await run(tsc, ['-p', join(HOUSE, 'tsconfig.types.json'), '--noCheck', '--outDir', types]);
    const { exports } = JSON.parse(readFileSync(join(HOUSE, 'package.json'), 'utf8'));
    const typed = Object.entries(exports).filter(([, target]) => typeof target === 'object');
    const paths = typed.map(([name, { types: path }]) => [
      name.replace('.', 'ipc-bench'),
      [join(types, path.replace('./types/', ''))],
    ]);
    for (const [name, [path]] of paths) {
      const folder = dirname(path);
      const made = path.includes('*')
        ? readdirSync(folder).some((each) => each.endsWith('.d.ts'))
        : existsSync(path);
      assert.ok(made, `${name} has no types`);
    }
    const options = {
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      module: 'nodenext',
      target: 'es2023',
      // In an installation, both stand side by side in node_modules.
      paths: {
        ...Object.fromEntries(paths),
        valibot: [join(HOUSE, 'node_modules/valibot/dist/index.d.mts')],
      },
      types: ['node'],
      typeRoots: [join(HOUSE, 'node_modules', '@types')],
    };
    const config = join(workspace.folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: options, include: ['own parts'] }));
    // And not because everything is any: of one copy it is told what is wrong with it, and of nothing else.
    const broken = readFileSync(join(EXTRAS, 'transport.js'), 'utf8').replace(
      "reach: 'host'",
      "reach: 'moon'",
    );
    writeFileSync(join(workspace.folder, 'own parts', 'broken.js'), broken);
    const wrongOptions = [
      "{ transprot: 'unix' }",
      '{ launches: true }',
      "{ controls: 'off' }",
      '{ force: true }',
      "{ png: 'charts' }",
    ];
    const program = [
      "import { measure } from 'ipc-bench';",
      "measure({ transport: ['unix', 'tcp'], payload: 1000, 'tier-up': 'usual', controls: false }, { force: true });",
      ...wrongOptions.map((options) => `measure(${options});`),
    ];
    writeFileSync(join(workspace.folder, 'own parts', 'program.js'), program.join('\n'));
    const { stdout } = await run(tsc, ['-p', config]).catch((error) => error);
    const faults = [...stdout.matchAll(/(\w+)\.js\((\d+),\d+\): error TS/g)].map(
      ([, file, line]) => file + line,
    );
    assert.match(faults[0], /^broken/);
    assert.deepEqual(
      faults.slice(1),
      wrongOptions.map((_, index) => `program${index + 3}`),
      stdout,
    );
  });
});
