// Converts settings of a transport or a scenario from text to values of the declared types. The settings of a cell contain only quantities
// and values that differ from the defaults, in the order of their declaration, so that a cell has a unique label.

import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { splitSettings } from '../format/own-file.js';
import { printable, quoted } from '../format/printable.js';
import { settingDefaults } from './traits.js';

/** @import { Setting } from '../types/index.js' */
/** @typedef {string | number | boolean} Value */

// Separates the values of a list, since a comma ends a setting.
const BETWEEN = '+';
const CONTROL_CHARACTER = /\p{Cc}/u; // a line break would start a new line in the configuration of a server
const BOOLEANS = new Map(Object.entries({ true: true, false: false }));
const NEXT_SETTING = /\+(?=[^+=]+=)/g;

/**
 * @param {string} name
 * @param {Readonly<Record<string, Value>>} settings
 * @returns {string} 'stream:direction=to-worker,handle=10'; without settings the name alone
 */
export function settingsLabel(name, settings) {
  const texts = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return texts.length === 0 ? name : `${name}:${texts.join(',')}`;
}

/** Inverse of settingsLabel. @param {string} label @returns {{ name: string, written: Record<string, string> }} */
export function labelParts(label) {
  const { name, settings } = splitSettings(label) ?? { name: label, settings: '' };
  const pairs = settings === '' ? [] : settings.split(',').map((text) => text.split(/=(.*)/s, 2));
  return { name, written: Object.fromEntries(pairs) };
}

/**
 * @param {string} text   the value of a setting that names a transport: 'tcp:flush=tick+noDelay=false'
 * @returns {ReturnType<typeof labelParts>}
 */
export function innerParts(text) {
  const { name, written } = labelParts(text.replaceAll(NEXT_SETTING, ','));
  return {
    name,
    written: Object.fromEntries(Object.entries(written).map(([key, value = '']) => [key, value])),
  };
}

/**
 * The flags for settings that child_process and other tools have.
 * @param {string} value   value of an unknown setting
 * @returns {Record<string, string[]>} flags by the name of the setting
 */
function flagsFor(value) {
  const codec = value === 'advanced' ? 'v8' : printable(value);
  const chosen = [`--codec ${codec}`];
  return { codec: chosen, serialization: chosen, serializer: chosen };
}

/** @param {Value} value @returns {number[]} [1, 10] for '1+10' */
export function parseNumberList(value) {
  return String(value).split(BETWEEN).map(Number);
}

/**
 * @param {{ name: string, settings?: Record<string, Setting> }} plugin
 * @param {Record<string, string>} written
 * @param {string} [flag]   for error messages
 * @returns {Record<string, Value>}
 */
export function checkedSettings({ name, settings = {} }, written, flag = '--transport ') {
  for (const key of Object.keys(written)) {
    if (Object.hasOwn(settings, key)) continue;
    const known = Object.keys(settings);
    const why = known.length === 0 ? `${name} has no settings` : `${name} has ${known.join(', ')}`;
    const hint = didYouMean(key, known, { otherNames: flagsFor(written[key]) });
    throw new BenchError('BAD_ARGUMENT', `${flag}${name}: no setting ${quoted(key)}; ${why}.${hint}`);
  }
  const chosen = Object.entries(settings).flatMap(([key, setting]) => {
    const isWritten = Object.hasOwn(written, key);
    const value = isWritten ? checkedValue(`${flag}${name}:${key}`, setting, written[key]) : setting.default;
    return value === setting.default && !setting.isQuantity ? [] : [[key, value]];
  });
  return Object.fromEntries(chosen);
}

/**
 * @param {{ name: string, settings?: Record<string, Setting> }} plugin
 * @param {Readonly<Record<string, unknown>>} values   settings received from another host
 * @param {string} [flag]   for error messages
 * @returns {Record<string, Value>} all settings, with defaults
 * @throws {BenchError} BAD_ARGUMENT if a user could not have written them
 */
export function checkedValues(plugin, values, flag) {
  const { name, settings = {} } = plugin;
  const others = Object.entries(values).filter(
    ([key, value]) => !Object.hasOwn(settings, key) || settings[key].default !== value,
  );
  const written = others.map(([key, value]) => [key, String(value)]);
  const unprintable = written.find(([, text]) => CONTROL_CHARACTER.test(text));
  if (unprintable !== undefined) {
    const [key, text] = unprintable;
    throw unusable(`${name}:${key}`, text, 'it takes no control characters');
  }
  return { ...settingDefaults(plugin), ...checkedSettings(plugin, Object.fromEntries(written), flag) };
}

/** @param {string} label @param {Setting} setting @param {string} text @returns {Value} */
function checkedValue(label, setting, text) {
  if (setting.isList) {
    for (const one of text.split(BETWEEN))
      checkedValue(label, { ...setting, default: 0, isList: undefined }, one);
    return text;
  }
  const { choices, min = -Infinity, max = Infinity, unit = '' } = setting;
  const value = typedValue(setting, text);
  const isWhole = setting.takesFractions === true || Number.isInteger(value);
  if (choices && (value === undefined || !choices.includes(/** @type {string | number} */ (value)))) {
    throw unusable(
      label,
      text,
      `it is one of ${choices.join(', ')}.${didYouMean(text, choices.map(String))}`,
    );
  }
  if (value === undefined) {
    const next =
      typeof setting.default === 'boolean'
        ? `true or false.${didYouMean(text, ['true', 'false'])}`
        : `a number ${unit}`.trim();
    throw unusable(label, text, `write ${next}`);
  }
  if (typeof value === 'number' && !isWhole)
    throw unusable(label, text, `write a whole number ${unit}`.trim());
  if (typeof value === 'number' && (value < min || value > max)) {
    throw unusable(label, text, `it goes from ${min} to ${max} ${unit}`.trim());
  }
  return value;
}

/** @param {Setting} setting @param {string} text @returns {Value | undefined} undefined if the text does not have the type */
function typedValue({ default: { constructor: type } }, text) {
  if (type === Boolean) return BOOLEANS.get(text);
  if (type === Number)
    return /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
  return text;
}

/** @param {string} label @param {string} text @param {string} next */
function unusable(label, text, next) {
  return new BenchError('BAD_ARGUMENT', `${label}: ${quoted(text)} is not usable; ${next}`);
}
