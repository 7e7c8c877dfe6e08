// The traits of transports as a Markdown table, which docs/transports.md contains.

import { readClass } from '../../cell/traits.js';
import { markdownCells, markdownHeading, markdownRow } from '../../format/markdown-text.js';
import { formatBytes } from '../../format/numbers.js';

/** @import { Setting, Traits, Transport } from '../../types/index.js' */
/** @typedef {Pick<Transport, 'name' | 'traits' | 'settings'>} Described */

const DIRECTIONS = Object.freeze({
  duplex: 'both ways',
  'one-way': 'one way',
  'request-reply': 'request, response',
});
const PLATFORM_NAMES = /** @type {const} */ ([
  ['linux', 'Linux'],
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
]);
const MAX_CHOICES = 4;

/** @type {readonly { title: string, text: (transport: Described) => string }[]} */
const COLUMNS = Object.freeze([
  { title: 'transport', text: ({ name }) => name },
  { title: 'direction', text: ({ traits }) => DIRECTIONS[traits.direction] },
  { title: 'reach', text: ({ traits }) => (traits.reach === 'host' ? 'this machine' : 'network') },
  { title: 'delivery', text: ({ traits }) => deliveryText(traits) },
  { title: 'order', text: ({ traits }) => (traits.order === 'free' ? 'free' : 'kept') },
  { title: 'greatest message', text: ({ traits }) => greatestText(traits) },
  { title: 'platforms', text: ({ traits }) => platformsText(traits) },
  { title: 'needs', text: ({ traits }) => needsText(traits) },
  { title: 'settings', text: ({ settings = {} }) => settingsText(settings) },
]);

/** @param {Traits} traits */
function deliveryText({ guarantee, loss }) {
  return loss === 'possible' && !/\blost\b|\bloss\b/.test(guarantee)
    ? `${guarantee}; may get lost`
    : guarantee;
}

/** @param {Traits} traits */
function greatestText({ greatestMessageBytes }) {
  return Number.isFinite(greatestMessageBytes) ? formatBytes(greatestMessageBytes) : 'any';
}

/** @param {Traits} traits @returns {string} names of Linux, macOS and Windows; 'any' for all three */
function platformsText({ platforms }) {
  const names = PLATFORM_NAMES.filter(([name]) => platforms.includes(name)).map(([, shown]) => shown);
  return names.length === PLATFORM_NAMES.length ? 'any' : names.join(', ');
}

/** @param {Traits} traits @returns {string} requirements besides Node.js */
function needsText({ broker, packages = [] }) {
  const server = broker === null ? [] : [`a ${broker} broker`];
  const needs = [...server, ...packages.map((name) => `package ${name}`)];
  return needs.length === 0 ? 'nothing' : needs.join(', ');
}

/** @param {Record<string, Setting>} settings @returns {string} 'flush=direct/tick/lead/split, inPlace, sndbuf' */
function settingsText(settings) {
  const texts = Object.entries(settings).map(([key, { choices = [] }]) =>
    choices.length > 0 && choices.length <= MAX_CHOICES ? `${key}=${choices.join('/')}` : key,
  );
  return texts.join(', ');
}

/** @param {Described[]} transports   in reading order @returns {string} the table, with a line break at its end */
export function traitsTable(transports) {
  const lines = [markdownRow(COLUMNS.map(({ title }) => title)), markdownRow(COLUMNS.map(() => '---'))];
  let heading = '';
  for (const transport of transports) {
    const next = readClass(transport.traits.class).heading;
    if (next !== heading) lines.push(markdownHeading(COLUMNS, next));
    heading = next;
    lines.push(markdownCells(COLUMNS, transport));
  }
  return `${lines.join('\n')}\n`;
}
