// Runs always.
// The folder is the registry of reports, too: a file in reports/ that declares an option is all that it takes.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { capturedOutput } from '../fixtures/captured-output.js';
import { ownFolder } from '../fixtures/own-folder.js';

const HOUSE = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = join(HOUSE, 'test/fixtures/results-default.json');
const REPORT = `
  export default {
    name: 'counted',
    summary: 'how many outcomes there are',
    option: { flag: 'count', rank: 9, many: { ending: '.count', what: 'counts' } },
    comparison: { summary: 'how many rows there are', render: ({ comparison }) => comparison.rows.length + ' rows' },
    render: ({ outcomes }) => [{ name: 'all.count', mediaType: 'text/plain', content: String(outcomes.length) }],
  };
`;

const folder = ownFolder('ipcb-house-');
// Copied, not linked: Node would find the reports of the house that a link leads to.
for (const part of ['bin', 'lib', 'reports', 'scenarios', 'transports', 'package.json']) {
  cpSync(join(HOUSE, part), join(folder, part), { recursive: true });
}
symlinkSync(join(HOUSE, 'node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'reports/counted.js'), REPORT);

const { main } = await import(pathToFileURL(join(folder, 'lib/cli/main.js')).href);
const home = process.cwd();
process.chdir(folder);
after(() => process.chdir(home));

/** @param {string[]} args @returns {Promise<string>} */
async function told(...args) {
  const { output, stdout, stderr } = capturedOutput();
  await main(args, { stdout, stderr, environment: {}, exitNow() {} });
  return output.stdout;
}

describe('a report that was put into reports/', () => {
  it('is an option with its summary for help, of run, report and compare', async () => {
    const line = /--count DIR +how many outcomes there are; -: the first one to\s+stdout/;
    assert.match(await told('help', 'output'), line);
    assert.match(await told('report', '--help'), line);
    assert.match(await told('compare', '--help'), /--count FILE +how many rows there are/);
    assert.match(await told('list', 'reports'), /counted +how many outcomes there are/);
  });

  it('is printed, saved where the option says, and not overwritten', async () => {
    const count = String(JSON.parse(readFileSync(RESULTS, 'utf8')).outcomes.length);
    assert.equal(await told('report', RESULTS, '--count', '-'), count);
    await told('report', RESULTS, '--count', 'counts');
    assert.equal(readFileSync(join(folder, 'counts/all.count'), 'utf8'), count);
    await assert.rejects(told('report', RESULTS, '--count', 'counts'), /counts holds counts already/);
  });

  it('is one document of a comparison', async () => {
    assert.match(await told('compare', RESULTS, RESULTS, '--force', '--count', '-'), /^\d+ rows$/m);
    assert.match(
      await told('compare', RESULTS, RESULTS, '--force', '--count', 'rows.txt'),
      /^Saved rows.txt$/m,
    );
    assert.match(readFileSync(join(folder, 'rows.txt'), 'utf8'), /^\d+ rows$/);
  });

  it('may stand in a config file, and shares its place with no other', async () => {
    writeFileSync(join(folder, 'own.json'), JSON.stringify({ count: 'here', csv: 'here' }));
    await assert.rejects(told('--config', 'own.json', '--dry-run'), /here is already taken by --csv/);
    writeFileSync(join(folder, 'own.json'), JSON.stringify({ count: 'here' }));
    await told('--config', 'own.json', '--dry-run');
  });
});
