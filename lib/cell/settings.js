// Parses, checks and formats the settings of a transport or a scenario. The settings of a cell contain only those with `isQuantity` and
// those that differ from their defaults, in the order of their declaration, so that a cell has a unique label.

import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { splitSettings } from '../format/own-file.js';
import { printable, quoted } from '../format/printable.js';
import { BYTES, COUNT, DURATION, parseQuantity, readQuantity } from '../format/quantity.js';
import { settingDefaults } from './traits.js';

/** @import { QuantityFormat } from '../format/quantity.js' */
/** @import { Setting } from '../types/index.js' */
/** @typedef {string | number | boolean} SettingValue */

// Separates the values of a list, since a comma ends a setting.
const BETWEEN = '+';
const CONTROL_CHARACTER = /\p{Cc}/u; // a line break would start a new line in the configuration of a server
const NEXT_SETTING = /\+(?=[^+=]+=)/g;

/**
 * @param {string} name
 * @param {Readonly<Record<string, SettingValue>>} settings
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
 * Flags to suggest for settings that other tools, such as child_process, have and transports do not.
 * @param {string} value   value of an unknown setting
 * @returns {Record<string, string[]>} flags by the name of the setting
 */
function flagsFor(value) {
  const codec = value === 'advanced' ? 'v8' : printable(value);
  const chosen = [`--codec ${codec}`];
  return { codec: chosen, serialization: chosen, serializer: chosen };
}

/** @param {SettingValue} value @returns {number[]} [1, 10] for '1+10' */
export function parseNumberList(value) {
  return String(value).split(BETWEEN).map(Number);
}

/**
 * @param {{ name: string, settings?: Record<string, Setting> }} plugin
 * @param {Record<string, string>} written
 * @param {string} [flag]   for error messages
 * @returns {Record<string, SettingValue>}
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
 * @returns {Record<string, SettingValue>} all settings, with defaults
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

/** @type {QuantityFormat} */
const MICROSECONDS = {
  units: { '': 1, us: 1, µs: 1, ms: 1e3, s: 1e6 },
  limitUnit: 'µs',
  noun: 'a time',
  examples: '500 (= 500 µs), 5ms or 1s',
};
/** @type {Readonly<Record<string, QuantityFormat>>} formats by the unit of a setting */
const QUANTITIES = {
  bytes: BYTES,
  us: MICROSECONDS,
  µs: MICROSECONDS,
  ms: {
    units: { '': 1, ...DURATION.units },
    limitUnit: 'ms',
    noun: 'a time',
    examples: '500 (= 500 ms), 2s or 1min',
  },
};

/** @param {Setting} setting   with numbers as values @returns {QuantityFormat} */
function findQuantityFormat({ unit = '', takesFractions }) {
  if (Object.hasOwn(QUANTITIES, unit)) return QUANTITIES[unit];
  const noun = takesFractions ? 'a number' : 'a whole number';
  return { ...COUNT, noun, ...(unit !== '' && { limitUnit: unit }) };
}

/** @param {string} label @param {Setting} setting @param {string} text @returns {SettingValue} */
function checkedValue(label, setting, text) {
  if (setting.isList) {
    const ofOne = { ...setting, default: 0, isList: undefined };
    const values = text.split(BETWEEN).map((one) => checkedValue(label, ofOne, one));
    return values.join(BETWEEN);
  }
  const { choices, default: usual, min = -Infinity, max = Infinity, takesFractions } = setting;
  if (choices !== undefined) {
    const value = typeof usual === 'number' ? readQuantity(text, findQuantityFormat(setting)) : text;
    if (value !== undefined && choices.includes(value)) return value;
    const hint = didYouMean(text, choices.map(String));
    throw unusable(label, text, `it is one of ${choices.join(', ')}.${hint}`);
  }
  if (typeof usual === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw unusable(label, text, `write true or false.${didYouMean(text, ['true', 'false'])}`);
  }
  if (typeof usual === 'string') return text;
  const limits = { min, max, takesFractions };
  return parseQuantity(text, findQuantityFormat(setting), limits, { label, code: 'BAD_ARGUMENT' });
}

/** @param {string} label @param {string} text @param {string} next */
function unusable(label, text, next) {
  return new BenchError('BAD_ARGUMENT', `${label}: ${quoted(text)} is not usable; ${next}`);
}
