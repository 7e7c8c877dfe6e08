// `ipc-bench list`: lists transports, codecs, runtimes, scenarios, presets and reports, and how to install missing ones.

import { inReadingOrder, readClass, TRANSPORT_CLASSES } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { formatCount } from '../format/numbers.js';
import { printable, quoted } from '../format/printable.js';
import { wrapped } from '../format/wrapped.js';
import { runtimeFolders } from '../options/axis-values.js';
import { PRESETS } from '../options/presets.js';
import { builtinNames } from '../plugins/builtins.js';
import { defaultSearchPaths, listedRuntimes } from '../plugins/find-runtimes.js';
import {
  availabilityProblem,
  codecUnavailableReason,
  loadCodecs,
  loadedPlugins,
  loadReport,
  loadScenarios,
  loadTransports,
} from '../plugins/plugins.js';
import { openDocument, readColumns, showText } from './process-io.js';

/** @import { Setting } from '../types/index.js' */
/**
 * @typedef {object} ListedTransport
 * @property {string} name
 * @property {string} summary
 * @property {string | null} unavailable   why it cannot run on this machine, and the remedy; null if it can
 * @property {import('../types/transports.js').Traits} traits
 * @property {string[]} carries
 * @property {string[]} serialises
 * @property {Record<string, import('../types/transports.js').Setting>} settings
 */

/** @type {Readonly<Record<string, (runtimePath: string[]) => Promise<object[]>>>} */
const KINDS = {
  transports: listedTransports,
  codecs: listedCodecs,
  runtimes: (runtimePath) => listedRuntimes(defaultSearchPaths(runtimePath)),
  scenarios: async () => [...(await loadScenarios(builtinNames('scenario'))).values()].map(listedScenario),
  presets: async () =>
    Object.entries(PRESETS).map(([name, { summary, texts }]) => ({ name, summary, options: texts })),
  reports: async () => (await Promise.all(builtinNames('report').map(loadReport))).map(named),
};

/** @param {Record<string, any>} argv @param {import('./main.js').Host} host */
export async function list(argv, { stdout, environment }) {
  const { kind } = argv;
  const [json, markdown] = [await openDocument(argv), await openDocument(argv, 'markdown')];
  const known = Object.keys(KINDS);
  if (kind !== undefined && !known.includes(kind)) {
    const hint = didYouMean(kind, known);
    throw new BenchError(
      'BAD_ARGUMENT',
      `list: there is no kind ${quoted(kind)}, but ${known.join(', ')}.${hint}`,
    );
  }
  if (markdown !== undefined) {
    if (json !== undefined || (kind !== undefined && kind !== 'transports')) {
      throw new BenchError(
        'BAD_ARGUMENT',
        'list: --markdown is the table of the transports; leave out the rest',
      );
    }
    const { traitsTable } = await import('../report/columns/traits-table.js');
    const table = traitsTable(await listedTransports());
    await showText(table, table, markdown, stdout);
    return 0;
  }
  // In parallel, so that modules are loaded while the programs of runtimes print their versions.
  const listed = Object.fromEntries(
    await Promise.all(
      (kind === undefined ? known : [kind]).map(async (name) => [
        name,
        await KINDS[name](runtimeFolders(argv, environment)),
      ]),
    ),
  );
  // JSON has no Infinity, so null means that there is no limit.
  const document = `${JSON.stringify(listed, (_, value) => (value === Infinity ? null : value), 2)}\n`;
  await showText(listText(listed, readColumns(stdout)), document, json, stdout);
  return 0;
}

/** @param {import('../plugins/plugins.js').Loaded<import('../types/scenarios.js').Scenario>} loaded */
function listedScenario({ plugin: { summary, settings = {} }, writtenAs: [name] }) {
  return { name, summary, settings };
}

/** @param {{ name: string, summary: string }} plugin */
function named({ name, summary }) {
  return { name, summary };
}

/** @returns {Promise<ListedTransport[]>} */
async function listedTransports() {
  const transports = inReadingOrder(await loadTransports(builtinNames('transport')));
  return Promise.all(
    transports.map(async (transport) => {
      const { name, summary, traits, carries, serialises = [], settings = {} } = transport;
      const unavailable = await availabilityProblem(transport, {}, {}, true);
      return { name, summary, unavailable, traits, carries, serialises, settings };
    }),
  );
}

/** @returns {Promise<object[]>} */
async function listedCodecs() {
  const codecs = loadedPlugins(await loadCodecs(builtinNames('codec')));
  return Promise.all(
    codecs.map(async (codec) => {
      const { name, summary, produces, sources = [] } = codec;
      return { name, summary, unavailable: await codecUnavailableReason(codec, true), produces, sources };
    }),
  );
}

const MIN_ROOM = 30;

/**
 * Formats one line for each name, and details below it. Transports and scenarios have all details only if one kind is listed.
 * @param {Record<string, any[]>} listed   kind → entries
 * @param {number} columns
 */
export function listText(listed, columns) {
  const isAll = Object.keys(listed).length > 1;
  const sections = Object.entries(listed).map(([kind, entries]) => {
    const width = Math.max(...entries.map(({ name }) => name.length));
    /** @param {any} entry */
    const blockOf = (entry) => entryLines(entry, width, formatDetails(kind, entry, isAll), columns);
    const lines = kind === 'transports' ? linesByClass(entries, blockOf) : entries.flatMap(blockOf);
    return `${kind}\n${lines.join('\n')}\n`;
  });
  const more = isAll ? ['npx ipc-bench list transports shows what each guarantees, and its settings.\n'] : [];
  return [...sections, ...more].join('\n');
}

/**
 * @param {{ name: string, summary: string }} entry
 * @param {number} width   the width of the column of names
 * @param {string[]} details
 * @param {number} columns
 */
function entryLines({ name, summary }, width, details, columns) {
  const indent = ' '.repeat(width + 6);
  const room = Math.max(MIN_ROOM, columns - indent.length);
  const lines = details.flatMap((detail) => wrapped(detail, room));
  return [`  ${name.padEnd(width)}  ${summary}`, ...lines.map((line) => indent + line)];
}

/** @param {ListedTransport[]} transports @param {(transport: ListedTransport) => string[]} blockOf */
function linesByClass(transports, blockOf) {
  const classes = [...new Set(transports.map(({ traits }) => traits.class))];
  return classes.flatMap((name) => [
    ` ${readClass(name).heading} (--transport ${TRANSPORT_CLASSES.find((one) => one.name === name)?.group})`,
    ...transports.filter(({ traits }) => traits.class === name).flatMap(blockOf),
  ]);
}

/** @param {string} kind @param {any} entry @param {boolean} isAll @returns {string[]} */
function formatDetails(kind, entry, isAll) {
  if (kind === 'transports') return isAll ? formatUnavailable(entry) : transportDetails(entry);
  if (kind === 'codecs') return [...formatUnavailable(entry), `produces ${entry.produces}`];
  if (kind === 'runtimes') return [...formatUnavailable(entry), ...entry.found.map(foundLine)];
  if (kind === 'scenarios') return isAll ? [] : settingLines(entry);
  if (kind !== 'presets') return [];
  return Object.entries(entry.options).map(([flag, text]) => `--${flag} ${text}`);
}

/** @param {{ version: string, path: string }} found */
function foundLine({ version, path }) {
  return `${version} at ${printable(path)}`;
}

/** @param {{ unavailable: string | null }} entry */
function formatUnavailable({ unavailable }) {
  return unavailable === null ? [] : [`not available here: ${unavailable}`];
}

/** @param {ListedTransport} transport */
function transportDetails({ traits, carries, serialises, settings, unavailable }) {
  const size = Number.isFinite(traits.greatestMessageBytes)
    ? `, messages up to ${formatCount(traits.greatestMessageBytes)} bytes`
    : '';
  const broker = traits.broker === null ? '' : `, needs ${traits.broker}`;
  const cautions = [
    ...(traits.order === 'free' ? ['messages may overtake each other'] : []),
    ...(traits.loss === 'possible' ? ['messages may get lost'] : []),
    ...(traits.isSpinning ? ['processes busy-wait for messages, which costs a core each'] : []),
  ];
  const codecs = serialises.length > 0 ? [`serialises itself: ${serialises.join(', ')}`] : [];
  const kinds = carries.filter((kind) => kind !== 'value' || codecs.length === 0);
  return [
    ...formatUnavailable({ unavailable }),
    `${traits.direction}, reaches the ${traits.reach}${broker}${size}`,
    [traits.guarantee, ...cautions].join('; '),
    [...(kinds.length > 0 ? [`carries ${kinds.join(' and ')}`] : []), ...codecs].join('; '),
    ...settingLines({ settings }),
  ];
}

/** @param {{ settings: Record<string, Setting> }} plugin */
function settingLines(plugin) {
  return settingEntries(plugin).map(({ name, summary }) => `${name}  ${summary}`);
}

/**
 * @param {{ settings?: Record<string, Setting> }} plugin
 * @returns {{ name: string, summary: string }[]} name: for example ':flush=direct|tick'
 */
export function settingEntries({ settings = {} }) {
  return Object.entries(settings).map(([key, setting]) => settingEntry(key, setting));
}

/** @param {string} key @param {Setting} setting */
function settingEntry(key, setting) {
  const { summary, default: standard, choices, min, max, isList, unit = '' } = setting;
  const range = min === undefined && max === undefined ? 'number' : `${min ?? ''}..${max ?? ''}`;
  const kinds = { boolean: 'true|false', string: 'name', number: range };
  const kind = isList ? `${range}+...` : kinds[/** @type {keyof typeof kinds} */ (typeof standard)];
  const values = choices?.join('|') ?? kind;
  return { name: `:${key}=${values}${unit && ` ${unit}`}`, summary: `${summary} (default: ${standard})` };
}
