// `ipc-bench merge`: the saved results of all shards of a run → the results of the whole run, and its documents. Measures
// nothing; which results may be joined is said by lib/results.

import { BenchError, exitCode } from '../errors.js';
import { reportOptions } from '../options/output-options.js';
import { joinShards, shardsOfOneRun } from '../results/join-shards.js';
import { readResults } from '../results/read.js';
import { expandPatterns } from './path-patterns.js';
import { showSaved } from './report.js';

/** @import { Host } from './main.js' */

const IS_FILE = /\.json$/i;

/** @param {Record<string, any>} argv @param {Host} host */
export async function merge(argv, host) {
  const files = expandPatterns(argv.files ?? []);
  const options = reportOptions(argv);
  if (files.length === 0) {
    const next =
      'name the results.json of all shards, as in npx ipc-bench merge shards/*/results.json --out merged';
    throw new BenchError('BAD_ARGUMENT', `merge needs files; ${next}`);
  }
  if (options.outDir !== null && IS_FILE.test(options.outDir)) {
    const next = `for a file alone write --json ${options.outDir}`;
    throw new BenchError('BAD_ARGUMENT', `--out names a folder, for results and charts; ${next}`);
  }
  const parts = [];
  for (const name of files) parts.push({ name, results: await readResults(name) });
  const results = joinShards(shardsOfOneRun(parts, options));
  const { saved, exitCode: unsaved } = await showSaved(results, options, host);
  if (saved.length === 0 && !options.isQuiet && Object.keys(options.outputs).length === 0) {
    host.stderr.write(
      'Nothing was saved: --out DIR keeps the joined results with charts, --json FILE without.\n',
    );
  }
  const hasFailed = results.outcomes.some(({ status }) => status === 'failed');
  return hasFailed ? exitCode('failed') : unsaved;
}
