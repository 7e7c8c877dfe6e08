// Parsers for the values of axes: shapes, names, transports and scenarios with settings, networks, runtimes. lib/plugins/plugins.js and
// lib/cell/settings.js check names and settings, because these checks need the plug-ins.

import {
  BETWEEN_ROLES,
  CONTROLLER,
  EVERY,
  ROLE,
  runtimesByRole,
  runtimeText,
  THIS_NODE,
  WORKER,
  withoutFlags,
} from '../cell/launch-roles.js';
import { settingsLabel } from '../cell/settings.js';
import { GROUP_NAMES } from '../cell/traits.js';
import { isOwnFile, splitSettings } from '../format/own-file.js';
import { quoted } from '../format/printable.js';
import { COUNT, parseQuantity, refuse } from '../format/quantity.js';
import { expandList, parseRange, refuseGroups, splitList, unique } from './quantities.js';

/** @import { RuntimesByRole } from '../cell/launch-roles.js' */
/** @import { NetworkSpec } from '../machine/delay-line.js' */
/** @import { Shape, TransportChoice } from '../types/index.js' */
/** @import { QuantityFormat, Source } from '../format/quantity.js' */

const WORKERS = { min: 1, max: 1000 }; // Each worker is a process of about 50 MB.
const LOOPS = { min: 1, max: 100_000 };
export const CONNECTIONS = { min: 1, max: 65_536 }; // per worker; the maximum exceeds the number of ports of an address
// In bytes. The maximum is half of the longest string of V8 (2^29 - 24 characters), since a codec adds to the payload.
export const PAYLOAD = { min: 1, max: 2 ** 28 };

/** @param {string[]} texts   for example '2x4' or '1..8*2x4' @param {Source} source @returns {Shape[]} */
export function parseShapes(texts, source) {
  for (const text of texts) refuseGroups(text, COUNT, LOOPS, source);
  const shapes = expandList(splitList(texts, source), (text) => expandShapes(text, source), source);
  return unique(shapes, (shape) => `${shape.workers}x${shape.loops}`);
}

/** @param {string} text @param {Source} source @returns {Generator<Shape>} */
function* expandShapes(text, source) {
  const [workerText, loopText, ...rest] = text.split('x');
  if (!workerText || !loopText || rest.length > 0) refuseShape(text, source);
  const ofLoops = { ...source, label: `${source.label}: loops` };
  const workerCounts = parseRange(workerText, COUNT, WORKERS, source);
  const loopCounts = parseRange(loopText, COUNT, LOOPS, ofLoops);
  for (const workers of workerCounts) {
    for (const loops of loopCounts) yield { workers, loops };
  }
}

/** @param {string} text @param {Source} source @returns {never} */
function refuseShape(text, source) {
  const [, workers, loops] = /^(\d*)(?:[×X*]|x)?(\d*)$/.exec(text) ?? [];
  const hint = workers || loops ? ` Did you mean ${workers || 1}x${loops || 1}?` : '';
  refuse(
    source,
    `${quoted(text)} is not WxC (worker processes, the letter x, loops in each), as 2x4.${hint}`,
  );
}

/** @param {string[]} texts @param {Source} source */
export function parseNames(texts, source) {
  return unique(splitList(texts, source));
}

// Names of transports and scenarios with settings: `tcp:flush=tick`.

const ANY = { min: 0, max: Number.MAX_SAFE_INTEGER };

const NUMBER = /^-?\d+(\.\d+)?[a-zµ]*$/i;
const EXAMPLES = Object.freeze({ transport: 'tcp', scenario: 'stream' });

/** @typedef {{ name: string, values: Record<string, string[]> }} WrittenChoice   The keys of `values` are settings. */

/**
 * In `tcp:noDelay=false,flush=tick,unix` commas separate names and settings: a part with '=' before any ':' is one more setting of
 * the name before it. In `records:records=10,30,100`, a number is one more value of the setting before it.
 * @param {string[]} texts
 * @param {Source} source
 * @param {'transport' | 'scenario'} kind
 */
function parseChoices(texts, source, kind) {
  /** @type {WrittenChoice[]} */
  const choices = [];
  for (const text of texts) {
    for (const [, values] of text.matchAll(/=([\d,]+)(?![^,])/g)) refuseGroups(values, COUNT, ANY, source);
    /** @type {WrittenChoice | undefined} */
    let current; // A setting belongs to a name in the same occurrence of the flag.
    for (const part of splitList([text], source)) {
      const { name, settings: setting } = splitSettings(part) ?? {};
      if (name === undefined && part.includes('=')) {
        if (!current)
          refuse(source, `${quoted(part)} is a setting without a ${kind}; write ${EXAMPLES[kind]}:${part}`);
        addSetting(current, part, source);
        continue;
      }
      const last = current && Object.values(current.values).at(-1);
      if (last !== undefined && NUMBER.test(part)) {
        last.push(part);
        continue;
      }
      current = { name: name ?? part, values: {} };
      if (current.name === '') refuse(source, `${quoted(part)} has no ${kind} before the colon`);
      choices.push(current);
      if (setting !== undefined) addSetting(current, setting, source);
    }
  }
  return unique(choices.flatMap(expandChoices), (choice) => JSON.stringify(choice));
}

/** @param {WrittenChoice} written @returns {TransportChoice[]} one for each combination of the values */
function expandChoices({ name, values }) {
  return Object.entries(values).reduce(
    (choices, [key, texts]) =>
      choices.flatMap(({ settings }) =>
        texts.map((text) => ({ name, settings: { ...settings, [key]: text } })),
      ),
    [{ name, settings: {} }],
  );
}

/** @param {string[]} texts @param {Source} source */
export function parseTransports(texts, source) {
  return parseChoices(texts, source, 'transport');
}

/** @param {string[]} texts @param {Source} source @returns {string[]} for example 'stream:handle=10' */
export function parseScenarios(texts, source) {
  return unique(
    parseChoices(texts, source, 'scenario').map(({ name, settings }) => settingsLabel(name, settings)),
  );
}

/** @param {WrittenChoice} choice @param {string} text @param {Source} source */
function addSetting(choice, text, source) {
  const at = text.indexOf('=');
  const key = text.slice(0, at).trim();
  const value = text.slice(at + 1).trim();
  if (at < 1 || key === '' || value === '') {
    refuse(source, `${quoted(`${choice.name}:${text}`)} is not a setting; write ${choice.name}:name=value`);
  }
  if (GROUP_NAMES.includes(choice.name)) {
    refuse(
      source,
      `"${choice.name}" is a group, and settings belong to one transport; write unix:${key}=${value}`,
    );
  }
  if (Object.hasOwn(choice.values, key)) {
    refuse(source, `"${key}" is set twice for ${choice.name}; to compare both write ${choice.name} twice`);
  }
  // defineProperty keeps a key such as __proto__, so that the check of names can refuse it.
  Object.defineProperty(choice.values, key, { value: [value], enumerable: true });
}

// Emulated networks: a round-trip time, and a rate.

export const NO_NETWORK = 'none';
/** @type {QuantityFormat} */
const ROUND_TRIP = {
  units: { us: 1, ms: 1e3 },
  noun: 'a round-trip time',
  examples: '500us or 1ms, and +100mbit or +1gbit behind it for a rate',
  limitUnit: 'us',
};
/** @type {QuantityFormat} */
const RATE = {
  units: { kbit: 1e3, mbit: 1e6, gbit: 1e9 },
  noun: 'a rate',
  examples: '500kbit, 100mbit or 1gbit',
  limitUnit: 'bit',
};
const ROUND_TRIP_US = { min: 10, max: 500_000 }; // Several round trips must fit into deadlines of a few seconds.
const BITS_PER_SECOND = { min: 64_000, max: 100e9 };
/** @type {Source} */
const CELL = { label: 'network', code: 'BAD_ARGUMENT' };

/** @param {string[]} texts   for example '1ms', '1ms+100mbit' or 'none' @param {Source} source @returns {string[]} canonical spellings */
export function parseNetworks(texts, source) {
  return unique(texts.flatMap((text) => networksIn(text, source)).map((text) => canonical(text, source)));
}

/**
 * A rate after a comma belongs to the time before it: '1ms,1gbit'.
 * @param {string} list
 * @param {Source} source
 */
function networksIn(list, source) {
  /** @type {string[]} */
  const networks = [];
  for (const text of splitList([list], source)) {
    const last = networks.at(-1) ?? NO_NETWORK;
    if (isRate(text) && last !== NO_NETWORK && !last.includes('+')) networks.splice(-1, 1, `${last}+${text}`);
    else networks.push(text);
  }
  return networks;
}

/** Also returns true for a misspelt rate. @param {string} text @returns {boolean} */
const isRate = (text) => /^[^+]*bit$/i.test(text);

/** @param {string} text @returns {NetworkSpec} */
export function parsePlannedNetwork(text) {
  return parseNetwork(text, CELL);
}

/** @param {string} text @param {Source} source */
function canonical(text, source) {
  if (text === NO_NETWORK) return text;
  const { roundTripUs, bitsPerSecond } = parseNetwork(text, source);
  const time = inGreatestUnit(roundTripUs, ROUND_TRIP);
  return bitsPerSecond === null ? time : `${time}+${inGreatestUnit(bitsPerSecond, RATE)}`;
}

/** @param {string} text @param {Source} source @returns {NetworkSpec} */
function parseNetwork(text, source) {
  const [time, rate, ...more] = text.split('+');
  if (more.length > 0)
    refuse(source, `${quoted(text)} has more than a round-trip time and a rate; write 1ms+100mbit`);
  if (isRate(time)) {
    refuse(source, `${quoted(text)} begins with a rate; write the round-trip time first, as in 1ms+${time}`);
  }
  return {
    roundTripUs: parseQuantity(time, ROUND_TRIP, ROUND_TRIP_US, source),
    bitsPerSecond: rate === undefined ? null : parseQuantity(rate, RATE, BITS_PER_SECOND, source),
  };
}

/** Uses the greatest unit that needs no fraction. @param {number} value @param {QuantityFormat} quantity @returns {string} */
function inGreatestUnit(value, { units }) {
  const [unit, factor] = Object.entries(units).findLast(([, size]) => Number.isInteger(value / size)) ?? [
    '',
    1,
  ];
  return `${value / factor}${unit}`;
}

// Runtimes: `node,bun,worker:deno+master:node`.

const NAME = /^[a-z][a-z0-9-]*(?:@\d+(?:\.\d+)*)?(?:=.+)?(?: +--\S+)*$/s;
const FORMS =
  'write NAME, NAME@VERSION or NAME=PATH for all processes, and ROLE:NAME for one end: bun, node@22, "node --jitless", worker:bun+master:node, master:go, master:./my-peer';

/**
 * Joins adjacent entries that name one role each, such as 'worker:bun,master:node', to one choice. A repeated role begins the next choice.
 * @param {string[]} texts
 * @param {Source} source
 */
export function parseRuntimes(texts, source) {
  return unique(texts.flatMap((text) => choicesIn(text, source)).map(formatRoles));
}

/**
 * Omits master and worker if this Node runs them. Other roles are kept, because only the plan can check that the scenario has them.
 * @param {RuntimesByRole} byRole
 */
function formatRoles(byRole) {
  const others = Object.keys(byRole).filter(
    (role) => byRole[role] === THIS_NODE && ![EVERY, CONTROLLER, WORKER].includes(role),
  );
  const text = runtimeText(byRole);
  const texts = text === THIS_NODE && others.length > 0 ? [] : [text];
  return [...texts, ...others.map((role) => `${role}:${THIS_NODE}`)].join('+');
}

/** @param {string} list @param {Source} source */
function choicesIn(list, source) {
  /** @type {{ byRole: RuntimesByRole, isOpen: boolean }[]} */
  const choices = [];
  for (const text of splitList([list], source)) {
    const byRole = checkedRuntimes(text, source);
    const roles = Object.keys(byRole);
    const isOpen = roles.length === 1 && ROLE.test(text);
    const last = choices.at(-1);
    if (isOpen && last?.isOpen && !(roles[0] in last.byRole)) Object.assign(last.byRole, byRole);
    else choices.push({ byRole, isOpen });
  }
  return choices.map(({ byRole }) => byRole);
}

/** @param {string} text @param {Source} source @returns {RuntimesByRole} */
function checkedRuntimes(text, source) {
  const parts = text.split(BETWEEN_ROLES);
  const roles = parts.map((part) => ROLE.exec(part)?.[0]);
  if (parts.length > 1 && roles.includes(undefined))
    refuse(source, `${quoted(text)} is not usable; ${FORMS}`);
  if (new Set(roles).size < roles.length) {
    refuse(source, `${quoted(text)} names a role twice; ${FORMS}`);
  }
  const byRole = runtimesByRole(text);
  for (const [role, name] of Object.entries(byRole)) {
    // A path may name a program in any language: docs/extending.md.
    if (!NAME.test(name) && !isOwnFile(name)) refuse(source, `${quoted(text)} is not usable; ${FORMS}`);
    const { program, flags } = withoutFlags(name);
    byRole[role] = [program, ...flags].join(' ');
  }
  return byRole;
}

/**
 * Reads --runtime-path for commands without the options of `run`.
 * @param {Record<string, any>} argv
 * @param {Record<string, string | undefined>} environment
 * @returns {string[]} folders to search before PATH and node_modules
 */
export function runtimeFolders({ 'runtime-path': given }, { IPC_BENCH_RUNTIME_PATH }) {
  /** @type {string[]} */
  const texts = [given ?? IPC_BENCH_RUNTIME_PATH ?? []].flat();
  return texts.flatMap((text) => text.split(','));
}
