// Names of plug-ins with settings as they are written → one choice for each combination of their values. Names are not looked
// up here, and settings not checked: that needs the plug-ins (lib/plugins/plugins.js, lib/cell/settings.js).

import { settingsLabel } from '../cell/settings.js';
import { GROUP_NAMES } from '../cell/transport-classes.js';
import { quoted } from '../format/quoted.js';
import { refuse, splitList } from './quantities.js';

/** @import { TransportChoice } from '../types/index.js' */
/** @import { Source } from './quantities.js' */

/**
 * @template T
 * @param {T[]} values
 * @param {(value: T) => string} [keyOf]
 * @returns {T[]} each once: the same cell twice would be one row with two numbers
 */
export function unique(values, keyOf = String) {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}

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
