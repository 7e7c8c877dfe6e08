// --resume: the options of an interrupted run as flags. The file may come from another person, so it does not decide which code is loaded.

import { runtimesByRole, SAME, transportToMaster } from '../cell/launch-roles.js';
import { innerParts, labelParts } from '../cell/settings.js';
import { GROUP_NAMES } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { flagText } from '../format/flag-text.js';
import { printable } from '../format/printable.js';
import { isBuiltin } from '../plugins/builtins.js';
import { loadScenarios } from '../plugins/plugins.js';
import { readResults } from '../results/read.js';
import { resumeProblem } from '../results/run-aspects.js';
import { refuseBeside } from './flag-rules.js';
import { flagLayer, readFlag } from './layers.js';
import { savedConfig } from './written-options.js';

const SHOWN_CHARACTERS = 300;
const RUNTIME_WITHOUT_PATH = /^[a-z][a-z0-9-]*(@\d+(\.\d+)*)?$/;
// On Windows, opening such a path sends the hash of the user's password to the host that it names.
const NETWORK_PATH = /^[\\/]{2}/;

/** @typedef {(read: (flag: string) => any) => boolean | Promise<boolean>} ResumeRule */

/** Flag → whether its value names code outside this package, or a file on another host. @type {Readonly<Record<string, ResumeRule>>} */
const FOREIGN = {
  transport: (read) =>
    read('transport').some((/** @type {{ name: string }} */ { name }) => !isTransport(name)),
  codec: (read) => read('codec').some((/** @type {string} */ name) => !isBuiltin('codec', name)),
  scenario: async (read) => {
    for (const label of read('scenario')) if (await isForeignScenario(label)) return true;
    return false;
  },
  runtime: (read) =>
    read('runtime').some((/** @type {string} */ text) =>
      Object.values(runtimesByRole(text)).some((name) => !RUNTIME_WITHOUT_PATH.test(name)),
    ),
  'runtime-path': () => true,
  'message-file': (read) => NETWORK_PATH.test(read('message-file')),
  traffic: (read) => NETWORK_PATH.test(read('traffic')),
};

/**
 * @param {Record<string, unknown>} values   flag → value
 * @returns {Promise<string[]>} flags that a resumed run takes from the command line only
 */
export async function flagsToRepeat(values) {
  const layer = flagLayer(Object.fromEntries(Object.keys(FOREIGN).map((flag) => [flag, values[flag]])));
  /** @param {string} flag */
  const read = (flag) => readFlag((name) => layer[name], flag);
  const found = [];
  for (const [flag, isForeign] of Object.entries(FOREIGN))
    if (layer[flag] !== undefined && (await isForeign(read))) found.push(flag);
  return found;
}

/** @param {string} name */
function isTransport(name) {
  return GROUP_NAMES.includes(name) || isBuiltin('transport', name);
}

/** @param {string} label */
async function isForeignScenario(label) {
  if (!isBuiltin('scenario', labelParts(label).name)) return true;
  const [{ plugin }] = (await loadScenarios([label])).values();
  const onward = transportToMaster(plugin) ?? SAME;
  return onward !== SAME && !isTransport(innerParts(onward).name);
}

/**
 * The command line overrides the options of the file, and continued-run.js checks that the results still fit.
 * @param {Record<string, any>} argv   argv with `resume`
 * @returns {Promise<Record<string, any>>}
 * @throws {BenchError} BAD_ARGUMENT if the run cannot be resumed, or the file names code that the command line does not
 */
export async function argvToResume(argv) {
  const flags = flagLayer(argv);
  refuseBeside((flag) => flags[flag], 'resume');
  const [path] = flags.resume.texts;
  const results = await readResults(path);
  const problem = resumeProblem(results);
  if (problem !== null) throw new BenchError('BAD_ARGUMENT', `--resume: ${printable(path)} ${problem}`);
  const saved = savedConfig(results.options);
  const missing = (await flagsToRepeat(saved)).filter((flag) => flags[flag] === undefined);
  if (missing.length > 0) {
    const texts = missing.map((flag) => flagText(flag, saved[flag])).join(' ');
    const what = `names code or files that are not part of ipc-bench: ${printable(texts).slice(0, SHOWN_CHARACTERS)}`;
    const next = `If you trust them, write ${missing.length === 1 ? 'this flag' : 'these flags'} beside --resume`;
    throw new BenchError('BAD_ARGUMENT', `--resume: ${printable(path)} ${what}. ${next}.`);
  }
  return { ...saved, ...argv };
}
