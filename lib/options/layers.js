// Reads options from flags, environment, config file and preset. Each of these becomes a layer of the same shape, whose values have their
// source. In a list of layers, the first layer that has a value for a flag takes precedence.

import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { environmentName, OPTION_TABLE } from './option-table.js';
import { readTextFile } from './quantities.js';

/** @import { OptionEntry } from './flags.js' */
/** @import { Source } from '../format/quantity.js' */
/** @import { FindFlag, FlagTexts } from './quantities.js' */
/** @typedef {Record<string, FlagTexts>} Layer */

// Variables that are no options, but are not refused: the secret of agents, the folder of the lock in tests, and those that launches set
// for their processes, which a run started by such a process inherits.
const OTHER_VARIABLES = ['SECRET', 'PADDING', 'TASKS', 'COMMAND', 'LOCK_FOLDER'].map(
  (name) => `IPC_BENCH_${name}`,
);

/** @param {string} flag @param {unknown} value @param {Source} source @param {OptionEntry} [row] @returns {FlagTexts} */
function given(flag, value, source, { isList = false, value: placeholder } = OPTION_TABLE[flag]) {
  const values = Array.isArray(value) ? value : [value];
  if (values.includes(false) && placeholder !== undefined && source.code === 'BAD_ARGUMENT') {
    refuse(source, `--no-${flag} means nothing; leave ${flag} out for its default`);
  }
  const types = placeholder === undefined ? ['boolean'] : ['string', 'number'];
  if (values.some((one) => !types.includes(typeof one))) {
    const wanted = placeholder === undefined ? 'true or false' : `${placeholder} as text or number`;
    refuse(source, `${quoted(shown(value))} is not usable; write ${wanted}`);
  }
  if (Array.isArray(value) && !isList && placeholder !== undefined) {
    refuse(source, 'given more than once; it takes one value');
  }
  // The last occurrence of a switch wins, so that a command can override a shell alias.
  const texts = (placeholder === undefined ? values.slice(-1) : values).map(String);
  if (texts.length === 0 || texts.some((text) => text.trim() === '')) {
    refuse(source, `needs a value: ${placeholder ?? 'true or false'}`);
  }
  return { texts, source };
}

/** @param {unknown} value */
function shown(value) {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}

/** @param {Record<string, unknown>} argv @returns {Layer} */
export function flagLayer(argv) {
  const flags = Object.keys(OPTION_TABLE).filter((flag) => argv[flag] !== undefined);
  return Object.fromEntries(
    flags.map((flag) => [flag, given(flag, argv[flag], { label: `--${flag}`, code: 'BAD_ARGUMENT' })]),
  );
}

/**
 * Refuses unknown variables that begin with IPC_BENCH_, as main.js refuses unknown flags.
 * @param {Record<string, string | undefined>} environment
 */
export function environmentLayer(environment) {
  const names = new Map(
    Object.keys(OPTION_TABLE)
      .filter((flag) => !OPTION_TABLE[flag].isFlagOnly)
      .map((flag) => [environmentName(flag), flag]),
  );
  /** @type {Layer} */
  const layer = {};
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('IPC_BENCH_') || text === undefined) continue;
    const source = /** @type {const} */ ({ label: name, code: 'BAD_ARGUMENT' });
    const flag = names.get(name);
    if (flag) layer[flag] = given(flag, switchValue(flag, text, source), source);
    else if (!OTHER_VARIABLES.includes(name)) {
      const typed = Object.keys(OPTION_TABLE).find((known) => environmentName(known) === name);
      if (typed !== undefined) refuse(source, `goes on the command line only; write --${typed}`);
      const next = 'its name is that of an option, as in IPC_BENCH_WORKERS';
      refuse(source, `no such variable; ${next}.${didYouMean(name, names.keys())}`);
    }
  }
  return layer;
}

/** @param {string} flag @param {string} text @param {Source} source @returns {string | boolean} */
function switchValue(flag, text, source) {
  if (OPTION_TABLE[flag].value !== undefined) return text;
  if (['1', 'true'].includes(text)) return true;
  if (['0', 'false'].includes(text)) return false;
  return refuse(source, `${quoted(text)} is not usable; write true or false`);
}

/** @param {Record<string, string>} texts @param {string} label @returns {Layer} */
export function fixedLayer(texts, label) {
  const source = /** @type {const} */ ({ label, code: 'BAD_ARGUMENT' });
  return Object.fromEntries(Object.entries(texts).map(([flag, text]) => [flag, { texts: [text], source }]));
}

/** @returns {Layer} */
export function defaultLayer() {
  /** @type {Record<string, string>} */
  const texts = {};
  for (const [flag, entry] of Object.entries(OPTION_TABLE)) {
    if (entry.default !== undefined) texts[flag] = entry.default;
  }
  return fixedLayer(texts, 'default');
}

/** @param {string} path */
export function configLayer(path) {
  return objectLayer(parsedConfig(path), path);
}

/** @param {unknown} config @param {string} origin   names the origin in messages */
export function objectLayer(config, origin) {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new BenchError('BAD_CONFIG', `${origin} are not an object; write { "workers": "2x4" }`);
  }
  const known = Object.keys(OPTION_TABLE).filter((flag) => !OPTION_TABLE[flag].isFlagOnly);
  /** @type {Layer} */
  const layer = {};
  for (const [key, value] of Object.entries(config)) {
    const source = /** @type {const} */ ({ label: `"${key}" in ${origin}`, code: 'BAD_CONFIG' });
    if (!known.includes(key)) {
      const next = 'a key is the name of an option in npx ipc-bench help all, without its dashes';
      refuse(source, `no such option; ${next}.${didYouMean(key, known)}`);
    }
    layer[key] = given(key, value, source);
  }
  return layer;
}

/** @param {string} path @returns {object} */
function parsedConfig(path) {
  const text = readTextFile(path, { label: '--config', code: 'BAD_CONFIG' });
  let config;
  try {
    config = JSON.parse(text);
  } catch (cause) {
    throw new BenchError(
      'BAD_CONFIG',
      `--config: ${path} is not JSON: ${/** @type {Error} */ (cause).message}`,
      { cause },
    );
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new BenchError('BAD_CONFIG', `--config: ${path} holds no object; write { "workers": "2x4" }`);
  }
  return config;
}

/** @param {FlagTexts} given @param {OptionEntry} row */
function parsed({ texts, source }, { parse, value }) {
  if (parse !== undefined) return parse(texts, source);
  return value === undefined ? texts[0] === 'true' : texts[0];
}

/** @param {FindFlag} find @param {string} flag @returns {any} undefined if the flag is not given */
export function readFlag(find, flag) {
  const given = find(flag);
  return given && parsed(given, OPTION_TABLE[flag]);
}

/**
 * Reads flags without environment and config file.
 * @param {Record<string, unknown>} argv
 * @param {Readonly<Record<string, OptionEntry>>} rows
 * @returns {(flag: string) => any}
 */
export function argumentReader(argv, rows) {
  return (flag) => {
    const row = rows[flag];
    const value = argv[flag] ?? row.default;
    const source = /** @type {const} */ ({ label: `--${flag}`, code: 'BAD_ARGUMENT' });
    if (value === undefined) return row.unset;
    if (value === false) refuse(source, `--no-${flag} means nothing; leave it out`);
    return parsed(given(flag, value, source, row), row);
  };
}

/**
 * @param {FindFlag} find
 * @param {(entry: OptionEntry) => boolean} [isWanted]
 * @returns {Record<string, any>} the options that a single flag determines
 */
export function readFields(find, isWanted = () => true) {
  /** @type {Record<string, any>} */
  const fields = { picture: {} };
  for (const [flag, entry] of Object.entries(OPTION_TABLE)) {
    const { shapes, partOf, part, sets = flag } = entry;
    if (shapes === undefined || (partOf !== undefined && part === undefined) || !isWanted(entry)) continue;
    const read = readFlag(find, flag);
    const value = read === undefined ? entry.unset : read; // null is a valid value
    if (value === undefined) continue;
    if (part === undefined) fields[sets] = value;
    else fields[String(partOf)][part] = value;
  }
  return fields;
}
