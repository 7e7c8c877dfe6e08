// Four places where an option may be given: flags, environment, config file, preset. Each becomes a layer of the same
// shape, so that precedence is the order of a list, and every value remembers where it came from.

import { readFileSync } from 'node:fs';
import { BenchError } from '../errors.js';
import { didYouMean, nearest } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { environmentName, OPTION_TABLE } from './option-table.js';
import { refuse } from './quantities.js';

/** @import { Source } from './quantities.js' */
/** @typedef {{ texts: string[], source: Source }} Given     a switch is ['true'] or ['false'] */
/** @typedef {Record<string, Given>} Layer */

/** @param {string} flag @param {unknown} value @param {Source} source @returns {Given} */
export function given(flag, value, source) {
  const { isList = false, value: placeholder } = OPTION_TABLE[flag];
  const values = Array.isArray(value) ? value : [value];
  if (values.includes(false) && placeholder !== undefined && source.code === 'BAD_ARGUMENT') {
    refuse(source, `--no-${flag} means nothing; leave ${flag} out for its default`);
  }
  const types = placeholder === undefined ? ['boolean'] : ['string', 'number'];
  if (values.some((each) => !types.includes(typeof each))) {
    const wanted = placeholder === undefined ? 'true or false' : `${placeholder} as text or number`;
    refuse(source, `${quoted(shown(value))} is not usable; write ${wanted}`);
  }
  if (Array.isArray(value) && !isList && placeholder !== undefined) {
    refuse(source, 'given more than once; it takes one value');
  }
  // Where a switch is given twice, the last one counts, so that an alias can be overruled.
  const texts = (placeholder === undefined ? values.slice(-1) : values).map(String);
  if (texts.length === 0 || texts.some((text) => text.trim() === '')) {
    refuse(source, `needs a value: ${placeholder ?? 'true or false'}`);
  }
  return { texts, source };
}

/** @param {unknown} value   of a program, or of JSON @returns {string} */
function shown(value) {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}

/** @param {Record<string, unknown>} argv   of known flags, as yargs gives them @returns {Layer} */
export function flagLayer(argv) {
  const flags = Object.keys(OPTION_TABLE).filter((flag) => argv[flag] !== undefined);
  return Object.fromEntries(
    flags.map((flag) => [flag, given(flag, argv[flag], { label: `--${flag}`, code: 'BAD_ARGUMENT' })]),
  );
}

/**
 * A variable with a name that is nearly one of ours is refused; others may belong to somebody else.
 * @param {Record<string, string | undefined>} environment
 * @returns {Layer}
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
    else if (nearest(name, names.keys()))
      refuse(source, `no such variable.${didYouMean(name, names.keys())}`);
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

/** @param {string} path @param {Source} source @returns {string} */
export function textOfFile(path, source) {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new BenchError(source.code, `${source.label}: cannot read ${path} (${code}); check the path`, {
      cause,
    });
  }
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

/**
 * @param {import('./output-options.js').Find} find
 * @param {string} flag       one that has a default
 * @returns {Given}
 */
export function must(find, flag) {
  const given = find(flag);
  if (given === undefined) throw new Error(`no default for --${flag}`);
  return given;
}

/** @param {string} flag @param {Given} given @returns {boolean} of a switch: it is written to be off, and excludes nothing */
function isOff(flag, { texts }) {
  return OPTION_TABLE[flag].value === undefined && texts[0] === 'false';
}

/**
 * Of two options that exclude each other the stronger layer decides; in one layer they contradict each other.
 * @param {Layer[]} layers
 * @param {string[]} rivals
 */
export function silenceRival(layers, [one, other]) {
  const has = (/** @type {Layer} */ layer, /** @type {string} */ flag) =>
    layer[flag] && !isOff(flag, layer[flag]);
  const strongest = layers.findIndex((layer) => has(layer, one) || has(layer, other));
  if (strongest === -1) return;
  const layer = layers[strongest];
  if (has(layer, one) && has(layer, other)) {
    refuse(layer[one].source, `contradicts ${layer[other].source.label}; give one of the two`);
  }
  const silenced = has(layer, one) ? other : one;
  for (const weaker of layers.slice(strongest)) delete weaker[silenced];
}
