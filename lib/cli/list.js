// `ipc-bench list`: what can be measured and shown, and how to get what is missing here.

import { inReadingOrder } from '../cell/transport-classes.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { PRESETS } from '../options/presets.js';
import { runtimeFolders } from '../options/runtime-choices.js';
import { codecUnavailableReason, whyUnavailable } from '../plugins/availability.js';
import { builtinNames } from '../plugins/builtins.js';
import { searchPlaces } from '../plugins/find-runtimes.js';
import { listedRuntimes } from '../plugins/listed-runtimes.js';
import { loadCodecs, loadReport, loadScenarios, loadTransports } from '../plugins/plugins.js';
import { listText } from './list-text.js';
import { writeOut } from './write-out.js';

/**
 * @typedef {object} ListedTransport
 * @property {string} name
 * @property {string} summary
 * @property {string | null} unavailable   reason and remedy
 * @property {import('../types/transports.js').Traits} traits
 * @property {string[]} carries
 * @property {string[]} serialises
 * @property {Record<string, import('../types/transports.js').Setting>} settings
 */

/** @type {Readonly<Record<string, (runtimePath: string[]) => Promise<object[]>>>} */
const KINDS = {
  transports: listedTransports,
  codecs: listedCodecs,
  runtimes: (runtimePath) => listedRuntimes(searchPlaces(runtimePath)),
  scenarios: async () => [...(await loadScenarios(builtinNames('scenario'))).values()].map(listedScenario),
  presets: async () =>
    Object.entries(PRESETS).map(([name, { summary, texts }]) => ({ name, summary, options: texts })),
  reports: async () => (await Promise.all(builtinNames('report').map(loadReport))).map(named),
};

/** @param {Record<string, any>} argv @param {import('./main.js').Host} host @returns {Promise<number>} */
export async function list({ kind, json, markdown, ...argv }, { stdout, environment }) {
  const known = Object.keys(KINDS);
  if (kind !== undefined && !known.includes(kind)) {
    const hint = didYouMean(kind, known);
    throw new BenchError(
      'BAD_ARGUMENT',
      `list: there is no kind ${quoted(kind)}, but ${known.join(', ')}.${hint}`,
    );
  }
  if (markdown) {
    if (json || (kind !== undefined && kind !== 'transports')) {
      throw new BenchError(
        'BAD_ARGUMENT',
        'list: --markdown is the table of the transports; leave out the rest',
      );
    }
    const { traitsTable } = await import('../report/columns/traits-table.js');
    await writeOut(stdout, traitsTable(await listedTransports()));
    return 0;
  }
  // All at once: runtimes are asked for their versions while modules are loaded.
  const listed = Object.fromEntries(
    await Promise.all(
      (kind === undefined ? known : [kind]).map(async (name) => [
        name,
        await KINDS[name](runtimeFolders(argv, environment)),
      ]),
    ),
  );
  // JSON has no Infinity: null, no limit.
  await writeOut(
    stdout,
    json
      ? `${JSON.stringify(listed, (_, value) => (value === Infinity ? null : value), 2)}\n`
      : listText(listed, stdout.columns ?? Infinity),
  );
  return 0;
}

/**
 * @template T
 * @param {Map<string, { plugin: T }>} loaded
 * @returns {T[]}
 */
function plugins(loaded) {
  return [...loaded.values()].map(({ plugin }) => plugin);
}

/** @param {import('../plugins/plugins.js').Loaded<import('../types/scenarios.js').Scenario>} loaded   its label may have a setting */
function listedScenario({ plugin: { summary, settings = {} }, askedAs: [name] }) {
  return { name, summary, settings };
}

/** @param {{ name: string, summary: string }} plugin */
function named({ name, summary }) {
  return { name, summary };
}

/** @returns {Promise<ListedTransport[]>} by class, in reading order */
async function listedTransports() {
  const transports = inReadingOrder(await loadTransports(builtinNames('transport')));
  return Promise.all(
    transports.map(async (transport) => {
      const { name, summary, traits, carries, serialises = [], settings = {} } = transport;
      const unavailable = await whyUnavailable(transport, {}, {}, true);
      return { name, summary, unavailable, traits, carries, serialises, settings };
    }),
  );
}

/** @returns {Promise<object[]>} */
async function listedCodecs() {
  const codecs = plugins(await loadCodecs(builtinNames('codec')));
  return Promise.all(
    codecs.map(async (codec) => {
      const { name, summary, produces, sources = [] } = codec;
      return { name, summary, unavailable: await codecUnavailableReason(codec, true), produces, sources };
    }),
  );
}
