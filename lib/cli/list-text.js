// What `ipc-bench list` prints: a line for each name, transports under the heading of their class, and all that is known
// of them where one kind alone is asked for.

import { readClass, TRANSPORT_CLASSES } from '../cell/transport-classes.js';
import { formatCount } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { wrapped } from '../report/columns/aligned.js';

/** @import { Setting } from '../types/index.js' */
/** @import { ListedTransport } from './list.js' */

const LEAST_ROOM = 30;

/**
 * @param {Record<string, any[]>} listed   kind → entries, transports in reading order
 * @param {number} columns
 * @returns {string}
 */
export function listText(listed, columns) {
  const isAll = Object.keys(listed).length > 1;
  const sections = Object.entries(listed).map(([kind, entries]) => {
    const width = Math.max(...entries.map(({ name }) => name.length));
    const blockOf = (/** @type {any} */ entry) =>
      entryLines(entry, width, formatDetails(kind, entry, isAll), columns);
    const lines = kind === 'transports' ? linesByClass(entries, blockOf) : entries.flatMap(blockOf);
    return `${kind}\n${lines.join('\n')}\n`;
  });
  const more = isAll ? ['npx ipc-bench list transports tells what each guarantees, and its settings.\n'] : [];
  return [...sections, ...more].join('\n');
}

/**
 * @param {{ name: string, summary: string }} entry
 * @param {number} width     of the names
 * @param {string[]} details
 * @param {number} columns
 * @returns {string[]}
 */
function entryLines({ name, summary }, width, details, columns) {
  const indent = ' '.repeat(width + 6);
  const room = Math.max(LEAST_ROOM, columns - indent.length);
  const lines = details.flatMap((detail) => wrapped(detail, room));
  return [`  ${name.padEnd(width)}  ${summary}`, ...lines.map((line) => indent + line)];
}

/**
 * @param {ListedTransport[]} transports
 * @param {(transport: ListedTransport) => string[]} blockOf
 * @returns {string[]}
 */
function linesByClass(transports, blockOf) {
  const classes = [...new Set(transports.map(({ traits }) => traits.class))];
  return classes.flatMap((name) => [
    ` ${readClass(name).heading} (--transport ${TRANSPORT_CLASSES.find((one) => one.name === name)?.group})`,
    ...transports.filter(({ traits }) => traits.class === name).flatMap(blockOf),
  ]);
}

/** @param {string} kind @param {any} entry @param {boolean} isAll @returns {string[]} */
function formatDetails(kind, entry, isAll) {
  if (kind === 'transports') return isAll ? absence(entry) : transportDetails(entry);
  if (kind === 'codecs') return [...absence(entry), `produces ${entry.produces}`];
  if (kind === 'runtimes') return [...absence(entry), ...entry.found.map(foundLine)];
  if (kind === 'scenarios') return isAll ? [] : settingLines(entry);
  if (kind !== 'presets') return [];
  return Object.entries(entry.options).map(([flag, text]) => `--${flag} ${text}`);
}

/** @param {{ version: string, path: string }} found */
function foundLine({ version, path }) {
  return `${version} at ${printable(path)}`;
}

/** @param {{ unavailable: string | null }} entry @returns {string[]} nothing, or why it is not to be had here */
function absence({ unavailable }) {
  return unavailable === null ? [] : [`not available here: ${unavailable}`];
}

/** @param {ListedTransport} transport @returns {string[]} */
function transportDetails({ traits, carries, serialises, settings, unavailable }) {
  const size = Number.isFinite(traits.greatestMessageBytes)
    ? `, messages up to ${formatCount(traits.greatestMessageBytes)} bytes`
    : '';
  const broker = traits.broker === null ? '' : `, needs ${traits.broker}`;
  const peculiar = [
    ...(traits.order === 'free' ? ['messages may overtake each other'] : []),
    ...(traits.loss === 'possible' ? ['messages may get lost'] : []),
    ...(traits.isSpinning ? ['who waits keeps looking, at a core each'] : []),
  ];
  const codecs = serialises.length > 0 ? [`serialises itself: ${serialises.join(', ')}`] : [];
  const kinds = carries.filter((kind) => kind !== 'value' || codecs.length === 0);
  return [
    ...absence({ unavailable }),
    `${traits.direction}, reaches the ${traits.reach}${broker}${size}`,
    [traits.guarantee, ...peculiar].join('; '),
    [...(kinds.length > 0 ? [`carries ${kinds.join(' and ')}`] : []), ...codecs].join('; '),
    ...settingLines({ settings }),
  ];
}

/** @param {{ settings: Record<string, Setting> }} plugin @returns {string[]} */
function settingLines({ settings }) {
  return Object.entries(settings).map(([key, setting]) => settingLine(key, setting));
}

/**
 * @param {string} key
 * @param {Setting} setting
 * @returns {string} ':flush=direct|tick  when frames are written'
 */
function settingLine(key, setting) {
  const { summary, default: standard, choices, min, max, isList, unit = '' } = setting;
  const range = min === undefined && max === undefined ? 'number' : `${min ?? ''}..${max ?? ''}`;
  const kinds = { boolean: 'true|false', string: 'name', number: range };
  const kind = isList ? `${range}+...` : kinds[/** @type {keyof typeof kinds} */ (typeof standard)];
  const values = choices?.join('|') ?? kind;
  return `:${key}=${values}${unit && ` ${unit}`}  ${summary} (default: ${standard})`;
}
