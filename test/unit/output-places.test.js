// What a command tries before it measures: whether its folders and files can be written, and are nobody's yet.

import assert from 'node:assert/strict';
import {
  existsSync,
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
  prepareComparisonOutputs,
  prepareNamedFolder,
  prepareOutputs,
  RESULTS_FILE,
} from '../../lib/cli/documents.js';
import { OutputClaims, withClaims } from '../../lib/results/claim-outputs.js';
import { resultsText } from '../../lib/results/write.js';
import { makeResults } from '../fixtures/make-results.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { How } from '../../lib/cli/documents.js' */

const root = ownFolder('ipcb-places-');
const newFolder = () => mkdtempSync(join(root, 'p-'));
/** @template T @param {(how: How) => Promise<T>} work @param {boolean} [isForced] @returns {Promise<T>} */
const prepared = (work, isForced = false) => withClaims((claims) => work({ isForced, claims }));
/** @param {string} flag @param {string} what @returns {{ code: string, message: RegExp }} */
const taken = (flag, what) => ({
  code: 'OUTPUT_EXISTS',
  message: new RegExp(`holds ${what} already; .* with ${flag}, or add --force`),
});
/** @param {string} path */
const write = (path) => writeFileSync(path, 'notes of mine');

describe('the place of a document', () => {
  for (const prepare of [prepareOutputs, prepareComparisonOutputs]) {
    it(`of ${prepare.name} is tried, and left as it was`, async () => {
      const folder = newFolder();
      await prepared((how) => prepare({ csv: join(folder, 'own.csv'), markdown: '-' }, how));
      assert.deepEqual(readdirSync(folder), []);
      assert.equal(existsSync('-'), false);
    });

    it(`of ${prepare.name} is kept unless it may be overwritten`, async () => {
      const path = join(newFolder(), 'own.csv');
      write(path);
      await assert.rejects(
        prepared((how) => prepare({ csv: path }, how)),
        { code: 'OUTPUT_EXISTS', message: /is not overwritten/ },
      );
      await prepared((how) => prepare({ csv: path }, how), true);
      assert.equal(readFileSync(path, 'utf8'), 'notes of mine');
    });

    it(`of ${prepare.name} may be an empty file, or results`, async () => {
      const folder = newFolder();
      for (const [name, content] of [
        ['empty', ''],
        ['results', resultsText(makeResults({ series: ['unix/json'], payloads: [10], launches: 1 }))],
      ]) {
        const path = join(folder, name);
        writeFileSync(path, content);
        await prepared((how) => prepare({ json: path }, how));
        assert.equal(readFileSync(path, 'utf8'), content);
      }
    });

    it(`of ${prepare.name} belongs to one command at a time, whatever may be overwritten`, async () => {
      const path = join(newFolder(), 'own.csv');
      await withClaims(async (claims) => {
        await prepare({ csv: path }, { isForced: false, claims });
        await assert.rejects(
          prepared((how) => prepare({ csv: path }, how), true),
          { code: 'OUTPUT_EXISTS', message: /name another place with --csv, or wait/ },
        );
      });
    });

    it(`of ${prepare.name} that cannot be written is refused`, async () => {
      const path = join(newFolder(), 'none', 'own.csv');
      await assert.rejects(
        prepared((how) => prepare({ csv: path }, how)),
        { code: 'OUTPUT_UNWRITABLE' },
      );
    });
  }

  it('of a report of the user is named by --report', async () => {
    const path = join(newFolder(), 'own.txt');
    await withClaims(async (claims) => {
      await prepareOutputs({ './mine.js': path }, { isForced: false, claims });
      await assert.rejects(
        prepared((how) => prepareOutputs({ './mine.js': path }, how)),
        /name another place with --report,/,
      );
    });
  });
});

describe('the folder of many documents', () => {
  it('is made, and may hold what is of another kind', async () => {
    const folder = join(newFolder(), 'new', 'pictures');
    await prepared((how) => prepareOutputs({ png: folder }, how));
    write(join(folder, 'notes.txt'));
    write(join(folder, 'drawing.svg'));
    await prepared((how) => prepareOutputs({ png: folder }, how));
    assert.deepEqual(readdirSync(folder).sort(), ['drawing.svg', 'notes.txt']);
  });

  it('that holds some already is kept unless they may be overwritten', async () => {
    const folder = newFolder();
    write(join(folder, 'drawing.png'));
    await assert.rejects(
      prepared((how) => prepareOutputs({ png: folder }, how)),
      taken('--png', '.+'),
    );
    await prepared((how) => prepareOutputs({ png: folder }, how), true);
    assert.deepEqual(readdirSync(folder), ['drawing.png']);
  });

  it('of a report of the user, or of one with a slash at its end, holds nothing', async () => {
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

  it('belongs to one command at a time, whose claim is no document', async () => {
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

  it('of a comparison is one where the report makes many of them', async () => {
    const folder = newFolder();
    write(join(folder, 'drawing.png'));
    await assert.rejects(
      prepared((how) => prepareComparisonOutputs({ png: folder }, how)),
      taken('--png', '.+'),
    );
    write(join(folder, 'own.html'));
    await assert.rejects(
      prepared((how) => prepareComparisonOutputs({ html: join(folder, 'own.html') }, how)),
      /is not overwritten/,
    );
  });

  for (const [what, path, why] of [
    ['a file', 'file', 'a file is in its place'],
    ['a folder below a file', 'file/below', 'a file is in its place'],
  ]) {
    it(`is not ${what}`, async () => {
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

  it('that nobody has named is new, with a number if need be, and goes where nothing is written', async () => {
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

  it('that nobody has named is refused where no folder can be made', async () => {
    const folder = newFolder();
    write(join(folder, 'file'));
    for (const wanted of [join(folder, 'file', 'now'), join(folder, 'n'.repeat(300))])
      await assert.rejects(
        prepared((how) => openRunFolder(options(wanted), false, how)),
        { code: 'OUTPUT_UNWRITABLE', message: /--out DIR/ },
      );
  });

  it('that was named is made and stays, and has a name for each file of the run', async () => {
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

  it('that was named keeps the results that it holds, and nothing else in it matters', async () => {
    const folder = newFolder();
    write(join(folder, 'notes.txt'));
    await prepared((how) => openRunFolder(options(folder), true, how));
    write(join(folder, RESULTS_FILE));
    const open = (isForced = false) => prepared((how) => openRunFolder(options(folder), true, how), isForced);
    await assert.rejects(open(), taken('--out', 'results'));
    await open(true);
    assert.equal(readFileSync(join(folder, RESULTS_FILE), 'utf8'), 'notes of mine');
  });

  it('keeps the profiles of another run, where new ones are asked for', async () => {
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

describe('claims on files', () => {
  it('are tried again after a pause while another command only tries, and not for ever', async (t) => {
    const folder = newFolder();
    const trying = join(folder, `.one.${await ownerName()}-999.ipc-bench-claim`);
    writeFileSync(trying, '');
    const claims = new OutputClaims();
    setTimeout(() => unlinkSync(trying), 20);
    t.mock.method(Math, 'random', () => 0.5); // of 100 ms
    await claims.add(join(folder, 'one'));
    await claims.release();
    writeFileSync(trying, '');
    t.mock.method(Math, 'random', () => 0);
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

  it('are given back together, and a second claim of the same command is the first', async () => {
    const folder = newFolder();
    const claims = new OutputClaims();
    await claims.add(join(folder, 'one'));
    await claims.add(join(folder, 'one'), '--csv');
    await claims.add(join(folder, 'other'));
    assert.equal(readdirSync(folder).length, 2);
    await claims.release();
    assert.deepEqual(readdirSync(folder), []);
  });
});
