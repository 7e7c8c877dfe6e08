// What a command tries before it measures: whether its folders and files can be written, and are nobody's yet.

import assert from 'node:assert/strict';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ownerName } from '../../lib/children/process-owner.js';
import {
  openRunFolder,
  prepareNamedFolder,
  prepareOutputs,
  RESULTS_FILE,
} from '../../lib/cli/output-paths.js';
import { OutputClaims, withClaims } from '../../lib/results/claim-outputs.js';
import { resultsText } from '../../lib/results/write.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { OutputPolicy } from '../../lib/cli/output-paths.js' */

const root = ownFolder('ipcb-places-');
const RESULTS = resultsText(buildResults({ series: ['unix/json'], payloads: [10], launches: 1 }));
const newFolder = () => mkdtempSync(join(root, 'p-'));
/** @template T @param {(how: OutputPolicy) => Promise<T>} work @param {boolean} [isForced] @returns {Promise<T>} */
const prepared = (work, isForced = false) => withClaims((claims) => work({ isForced, claims }));
/** @param {Record<string, string>} outputs @param {OutputPolicy} how */
const prepareComparison = (outputs, how) => prepareOutputs(outputs, how, { isComparison: true });
/** @param {string} flag @param {string} what @returns {{ code: string, message: RegExp }} */
const taken = (flag, what) => ({
  code: 'OUTPUT_EXISTS',
  message: new RegExp(`holds ${what} already; .* with ${flag}, or add --force`),
});
/** @param {string} path */
const write = (path) => writeFileSync(path, 'notes of mine');

describe('the place of a document', () => {
  for (const [of, prepare] of Object.entries({
    results: prepareOutputs,
    'a comparison': prepareComparison,
  })) {
    it(`of ${of} is left as it was`, async () => {
      const folder = newFolder();
      await prepared((how) => prepare({ csv: join(folder, 'own.csv'), markdown: '-' }, how));
      assert.deepEqual(readdirSync(folder), []);
      assert.equal(existsSync('-'), false);
    });

    it(`of ${of} is not overwritten without --force`, async () => {
      const path = join(newFolder(), 'own.csv');
      write(path);
      await assert.rejects(
        prepared((how) => prepare({ csv: path }, how)),
        { code: 'OUTPUT_EXISTS', message: /is not overwritten/ },
      );
      await prepared((how) => prepare({ csv: path }, how), true);
      assert.equal(readFileSync(path, 'utf8'), 'notes of mine');
    });

    it(`of ${of} is refused if a folder is there, also with --force`, async () => {
      const path = newFolder();
      for (const isForced of [false, true])
        await assert.rejects(
          prepared((how) => prepare({ csv: path }, how), isForced),
          { code: 'OUTPUT_EXISTS', message: /a folder is there/ },
        );
    });

    it(`of ${of} may hold an empty file`, async () => {
      const path = join(newFolder(), 'empty');
      writeFileSync(path, '');
      await prepared((how) => prepare({ json: path }, how));
      assert.equal(readFileSync(path, 'utf8'), '');
    });

    it(`of ${of} is refused if it holds measurements, also with --force`, async () => {
      const path = join(newFolder(), 'saved.json');
      for (const content of [RESULTS, '{"format":"ipc-bench traffic","version":2}\n']) {
        writeFileSync(path, content);
        for (const isForced of [false, true])
          await assert.rejects(
            prepared((how) => prepare({ html: path }, how), isForced),
            { code: 'OUTPUT_EXISTS', message: /is not overwritten: it holds (results|recorded traffic)/ },
          );
        assert.equal(readFileSync(path, 'utf8'), content);
      }
    });

    it(`of ${of} is refused if the command reads it, also under another name and with --force`, async () => {
      const folder = newFolder();
      const [input, link] = [join(folder, 'mine.js'), join(folder, 'same.js')];
      write(input);
      linkSync(input, link);
      for (const path of [input, link]) {
        const forced = (/** @type {OutputPolicy} */ how) => {
          how.claims.protect([input]);
          return prepare({ csv: path }, how);
        };
        await assert.rejects(prepared(forced, true), {
          code: 'OUTPUT_EXISTS',
          message: /is an input of this command: name another place with --csv/,
        });
      }
    });

    it(`of ${of} is refused if another command writes it, also with --force`, async () => {
      const path = join(newFolder(), 'own.csv');
      await withClaims(async (claims) => {
        await prepare({ csv: path }, { isForced: false, claims });
        await assert.rejects(
          prepared((how) => prepare({ csv: path }, how), true),
          { code: 'OUTPUT_EXISTS', message: /name another place with --csv, or wait/ },
        );
      });
    });

    it(`of ${of} is refused if it cannot be written`, async () => {
      const path = join(newFolder(), 'none', 'own.csv');
      await assert.rejects(
        prepared((how) => prepare({ csv: path }, how)),
        { code: 'OUTPUT_UNWRITABLE' },
      );
    });
  }

  it('replaces results by results with --force only', async () => {
    const path = join(newFolder(), 'saved.json');
    writeFileSync(path, RESULTS);
    await assert.rejects(
      prepared((how) => prepareOutputs({ json: path }, how)),
      { code: 'OUTPUT_EXISTS', message: /add --force/ },
    );
    await prepared((how) => prepareOutputs({ json: path }, how), true);
    await assert.rejects(
      prepared((how) => prepareComparison({ json: path }, how), true),
      {
        code: 'OUTPUT_EXISTS',
      },
    );
  });

  it("names --report for a user's report", async () => {
    const path = join(newFolder(), 'own.txt');
    await withClaims(async (claims) => {
      await prepareOutputs({ './mine.js': path }, { isForced: false, claims });
      await assert.rejects(
        prepared((how) => prepareOutputs({ './mine.js': path }, how)),
        /name another place with --report \.\/mine\.js,/,
      );
    });
  });
});

describe('the folder of many documents', () => {
  it('makes a folder, which may hold files of another kind', async () => {
    const folder = join(newFolder(), 'new', 'pictures');
    await prepared((how) => prepareOutputs({ png: folder }, how));
    write(join(folder, 'notes.txt'));
    write(join(folder, 'drawing.svg'));
    await prepared((how) => prepareOutputs({ png: folder }, how));
    assert.deepEqual(readdirSync(folder).sort(), ['drawing.svg', 'notes.txt']);
  });

  it('refuses a folder with pictures without --force', async () => {
    const folder = newFolder();
    write(join(folder, 'drawing.png'));
    await assert.rejects(
      prepared((how) => prepareOutputs({ png: folder }, how)),
      taken('--png', '.+'),
    );
    await prepared((how) => prepareOutputs({ png: folder }, how), true);
    assert.deepEqual(readdirSync(folder), ['drawing.png']);
  });

  it("refuses a folder with any file for a user's report, or for a path with a slash at its end", async () => {
    for (const flag of ['./mine.js', 'csv']) {
      const folder = join(newFolder(), 'of mine/');
      await prepared((how) => prepareOutputs({ [flag]: folder }, how));
      write(join(folder, 'anything'));
      await assert.rejects(
        prepared((how) => prepareOutputs({ [flag]: folder }, how)),
        taken('--report', 'files'),
      );
    }
  });

  it('refuses a folder that another command writes, whose claim is no document', async () => {
    const folder = newFolder();
    for (const [flag, path] of [
      ['png', folder],
      ['./mine.js', `${folder}/`],
    ]) {
      const outputs = { [flag]: path };
      await withClaims(async (claims) => {
        await prepareOutputs(outputs, { isForced: false, claims });
        await assert.rejects(
          prepared((how) => prepareOutputs(outputs, how)),
          /belongs to another run/,
        );
      });
    }
  });

  it('needs a folder for a comparison only if the report makes several documents', async () => {
    const folder = newFolder();
    write(join(folder, 'drawing.png'));
    await assert.rejects(
      prepared((how) => prepareComparison({ png: folder }, how)),
      taken('--png', '.+'),
    );
    write(join(folder, 'own.html'));
    await assert.rejects(
      prepared((how) => prepareComparison({ html: join(folder, 'own.html') }, how)),
      /is not overwritten/,
    );
  });

  for (const [what, path, why] of [
    ['a file', 'file', 'a file is in its place'],
    ['a folder below a file', 'file/below', 'a file is in its place'],
  ]) {
    it(`refuses ${what} as a folder`, async () => {
      const folder = newFolder();
      write(join(folder, 'file'));
      await assert.rejects(
        prepared((how) => prepareOutputs({ png: join(folder, path) }, how)),
        { code: 'OUTPUT_UNWRITABLE', message: new RegExp(`cannot be made \\(${why}\\); .* --png DIR`) },
      );
    });
  }
});

describe('the folder of a run', () => {
  const options = (/** @type {string} */ outDir, profile = false) =>
    /** @type {import('../../lib/types/plans.js').Options} */ ({ outDir, profile });

  it('makes a new folder without --out, with a number if necessary, and removes it while it is empty', async () => {
    const wanted = join(newFolder(), 'runs', 'now');
    const open = () => prepared((how) => openRunFolder(options(wanted), false, how));
    const runs = [await open(), await open(), await open()];
    assert.deepEqual(
      runs.map(({ outDir }) => outDir),
      [wanted, `${wanted}-2`, `${wanted}-3`],
    );
    write(join(runs[1].outDir, RESULTS_FILE));
    for (const { release } of runs) await release();
    assert.deepEqual(readdirSync(join(wanted, '..')), ['now-2']);
  });

  it('refuses a place where no folder can be made', async () => {
    const folder = newFolder();
    write(join(folder, 'file'));
    for (const wanted of [join(folder, 'file', 'now'), join(folder, 'n'.repeat(300))])
      await assert.rejects(
        prepared((how) => openRunFolder(options(wanted), false, how)),
        { code: 'OUTPUT_UNWRITABLE', message: /--out DIR/ },
      );
  });

  it('makes the folder of --out, and claims each file of the run', async () => {
    const folder = join(newFolder(), 'named');
    await withClaims(async (claims) => {
      const how = { isForced: false, claims };
      const { outDir, release } = await openRunFolder(options(folder), true, how, ['a.json', 'b.json']);
      assert.equal(outDir, folder);
      await release();
      assert.deepEqual([...claims.claims.keys()], [join(folder, 'a.json'), join(folder, 'b.json')]);
      await assert.rejects(
        prepared((other) => prepareNamedFolder(folder, other, ['b.json'])),
        /another place with --out,/,
      );
    });
    assert.deepEqual(readdirSync(folder), []);
  });

  it('refuses a folder with results without --force', async () => {
    const folder = newFolder();
    write(join(folder, 'notes.txt'));
    await prepared((how) => openRunFolder(options(folder), true, how));
    write(join(folder, RESULTS_FILE));
    const open = (isForced = false) => prepared((how) => openRunFolder(options(folder), true, how), isForced);
    await assert.rejects(open(), taken('--out', 'results'));
    await open(true);
    assert.equal(readFileSync(join(folder, RESULTS_FILE), 'utf8'), 'notes of mine');
  });

  it('refuses a folder with profiles for a run with --profile', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'profiles'));
    const open = (profile = true, isForced = false) =>
      prepared((how) => openRunFolder(options(folder, profile), true, how), isForced);
    await open();
    write(join(folder, 'profiles', 'master.cpuprofile'));
    await assert.rejects(open(), taken('--out', 'profiles'));
    await open(false);
    await open(true, true);
  });
});

describe('OutputClaims', () => {
  it('retries after a pause while another command tries as well, and gives up', async (t) => {
    const folder = newFolder();
    const trying = join(folder, `.one.${await ownerName()}-999.ipc-bench-claim`);
    writeFileSync(trying, '');
    const claims = new OutputClaims();
    setTimeout(() => unlinkSync(trying), 20);
    let share = 0.5; // of 100 ms
    t.mock.method(Math, 'random', () => share); // once: Node restores a second mock to the first one
    await claims.add(join(folder, 'one'));
    await claims.release();
    writeFileSync(trying, '');
    share = 0;
    await assert.rejects(claims.add(join(folder, 'one'), '--csv'), {
      code: 'OUTPUT_EXISTS',
      message:
        /one belongs to another run \(pid \d+\), which is still going on: name another place with --csv, or wait/,
    });
    writeFileSync(trying, '2026-01-15T09:00:00.000Z');
    await assert.rejects(claims.add(join(folder, 'one')), {
      code: 'OUTPUT_EXISTS',
      message: /\(pid \d+, since 2026-01-15T09:00:00\.000Z\), which is still going on: wait until it ends/,
    });
  });

  it('releases all claims, and refuses two flags of a command for one file', async () => {
    const folder = newFolder();
    const claims = new OutputClaims();
    await claims.add(join(folder, 'one'), '--out');
    await claims.add(join(folder, 'one'), '--out');
    await assert.rejects(claims.add(join(folder, 'one'), '--csv'), {
      code: 'OUTPUT_EXISTS',
      message: /is an output of --out already: --csv needs another place/,
    });
    await claims.add(join(folder, 'other'), '--csv');
    assert.equal(readdirSync(folder).length, 2);
    await claims.release();
    assert.deepEqual(readdirSync(folder), []);
  });
});
