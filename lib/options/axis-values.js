// Text → the values of the axes: shapes, names, and transports and scenarios with settings. Names are not looked
// up here, and settings not checked: that needs the plug-ins (lib/plugins/plugins.js, lib/cell/settings.js).

import { settingsLabel } from '../cell/settings.js';
import { GROUP_NAMES } from '../cell/transport-classes.js';
import { quoted } from '../format/quoted.js';
import { COUNT, gathered, parseRange, refuse, splitList, unique } from './quantities.js';

/** @import { Shape, TransportChoice } from '../types/index.js' */
/** @import { Source } from './quantities.js' */

const WORKERS = { min: 1, max: 1000 }; // each is a process of about 50 MB
const LOOPS = { min: 1, max: 100_000 };
export const CONNECTIONS = { min: 1, max: 65_536 }; // of each worker: more than the ports of an address
// Half of the longest string of V8 (2^29 - 24 characters), since a codec adds to the payload.
export const PAYLOAD = { min: 1, max: 2 ** 28 };

/**
 * @param {string[]} texts   '2x4', or ranges on either side: '1..8*2x4'
 * @param {Source} source
 * @returns {Shape[]}
 */
export function parseShapes(texts, source) {
  const shapes = gathered(splitList(texts, source), (text) => expandShapes(text, source), source);
  return unique(shapes, (shape) => `${shape.workers}x${shape.loops}`);
}

/**
 * @param {string} text
 * @param {Source} source
 * @returns {Generator<Shape>}
 */
function* expandShapes(text, source) {
  const halves = text.split('x');
  if (halves.length !== 2 || halves.includes('')) refuseShape(text, source);
  const sourceOf = (/** @type {string} */ half) => ({ ...source, label: `${source.label}: ${half}` });
  const workerCounts = parseRange(halves[0], COUNT, WORKERS, sourceOf('workers'));
  const loopCounts = parseRange(halves[1], COUNT, LOOPS, sourceOf('loops'));
  for (const workers of workerCounts) {
    for (const loops of loopCounts) yield { workers, loops };
  }
}

/**
 * @param {string} text
 * @param {Source} source
 * @returns {never}
 */
function refuseShape(text, source) {
  const [, workers, loops] = /^(\d*)(?:[×X*]|x)?(\d*)$/.exec(text) ?? [];
  const hint = workers || loops ? ` Did you mean ${workers || 1}x${loops || 1}?` : '';
  refuse(
    source,
    `${quoted(text)} is not WxC (worker processes, the letter x, loops in each), as 2x4.${hint}`,
  );
}

/**
 * @param {string[]} texts   names of plug-ins
 * @param {Source} source
 * @returns {string[]}
 */
export function parseNames(texts, source) {
  return unique(splitList(texts, source));
}

// Names with settings: one choice for each combination of their values.

const NUMBER = /^-?\d+(\.\d+)?$/;
const EXAMPLES = Object.freeze({ transport: 'tcp', scenario: 'stream' });

/** @typedef {{ name: string, values: Record<string, string[]> }} Written   a choice, with all values of each setting */

/**
 * `tcp:noDelay=false,flush=tick,unix`, `pipes,unix`: commas separate names, and settings too: a part that holds '=' before any
 * ':' is one more setting of the name before it. `records:records=10,30,100`: so is a number one more value of the setting before.
 * @param {string[]} texts
 * @param {Source} source
 * @param {'transport' | 'scenario'} kind
 * @returns {TransportChoice[]}
 */
function parseChoices(texts, source, kind) {
  /** @type {Written[]} */
  const choices = [];
  for (const text of texts) {
    /** @type {Written | undefined} */
    let current; // per occurrence of the flag: a setting does not reach back over it
    for (const part of splitList([text], source)) {
      const [, name, setting] = /^([^=:]*):(.*)$/s.exec(part) ?? [];
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

/** @param {Written} written @returns {TransportChoice[]} each combination of the values of its settings */
function expandChoices({ name, values }) {
  return Object.entries(values).reduce(
    (choices, [key, texts]) =>
      choices.flatMap(({ settings }) =>
        texts.map((text) => ({ name, settings: { ...settings, [key]: text } })),
      ),
    [{ name, settings: {} }],
  );
}

/** @param {string[]} texts @param {Source} source @returns {TransportChoice[]} */
export function parseTransports(texts, source) {
  return parseChoices(texts, source, 'transport');
}

/** @param {string[]} texts @param {Source} source @returns {string[]} 'stream:handle=10' */
export function parseScenarios(texts, source) {
  return unique(
    parseChoices(texts, source, 'scenario').map(({ name, settings }) => settingsLabel(name, settings)),
  );
}

/**
 * @param {Written} choice
 * @param {string} text
 * @param {Source} source
 */
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
  // defineProperty: a key such as __proto__ must stay a key, to be refused by name later.
  Object.defineProperty(choice.values, key, { value: [value], enumerable: true });
}
