// --resume: the options of an interrupted run, read from its results as if they had been typed again.

import { readResults } from '../results/read.js';
import { configOf } from './print-config.js';
import { refuse } from './quantities.js';

// Options that say where options come from, or what to do instead of measuring, cannot stand beside --resume.
const EXCLUDED = ['config', 'preset', 'shard', 'out', 'print-config', 'dry-run'];

/**
 * @param {Record<string, any>} argv   with `resume`
 * @returns {Promise<Record<string, any>>} what was typed counts more; whether it fits the run is judged before it goes on
 */
export async function argvToResume(argv) {
  const source = /** @type {const} */ ({ label: '--resume', code: 'BAD_ARGUMENT' });
  if (Array.isArray(argv.resume)) refuse(source, 'given more than once; it takes one value');
  const rival = EXCLUDED.find((flag) => argv[flag] !== undefined && argv[flag] !== false);
  if (rival !== undefined)
    refuse(source, `goes without --${rival}: the run goes on as it began, where it began`);
  const { options } = await readResults(argv.resume);
  const screen = { picture: {}, hasNotes: false, furtherColumns: [], isQuiet: false, colour: null };
  const saved = { ...options, ...screen, brokerUrls: {}, outDir: '', outputs: {} };
  const entries = Object.entries(configOf(saved, new Set()));
  return { ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)), ...argv };
}
