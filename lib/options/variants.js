// What `compare --run` is to measure: 'A=unix/json', 'B=--transport unix:flush=tick --codec json', 'old=@../old-checkout
// unix/json' → a name, a folder to take code from, and the options that make the variant.

import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { OPTION_TABLE } from './option-table.js';
import { refuse } from './quantities.js';

/**
 * @typedef {object} VariantRequest
 * @property {string} name
 * @property {string} written      what makes it different, as the user wrote it
 * @property {string | null} tree  a folder in whose code names are looked up; null: this one's
 * @property {Record<string, unknown>} argv    options of the variant only
 */

const SOURCE = /** @type {const} */ ({ label: '--run', code: 'BAD_ARGUMENT' });
const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/i; // also the name of a file
const EXAMPLE = `--run A=unix/json B=unix:flush=tick/json, or B="--transport tcp --codec json"`;
const OF_NO_COMPARISON = ['sweep', 'slo', 'reference', 'shard']; // what a sweep finds differs by itself
const MEASURING = Object.keys(OPTION_TABLE).filter((flag) => {
  const { shapes } = OPTION_TABLE[flag];
  return shapes !== undefined && shapes !== 'output' && !OF_NO_COMPARISON.includes(flag);
});
// How long, and how often, must be the same for both.
const FLAGS = MEASURING.filter((flag) => OPTION_TABLE[flag].shapes === 'cell');

/** What may stand outside of the variants, and holds for both. */
export const COMMON_FLAGS = [...MEASURING, 'out', 'quiet', 'color', 'config'];

/**
 * @param {string[]} texts
 * @returns {[VariantRequest, VariantRequest]}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function parseVariants(texts) {
  const variants = texts.map(parseVariant);
  if (variants.length !== 2) refuse(SOURCE, `needs two variants, not ${variants.length}; write ${EXAMPLE}`);
  const [one, other] = variants;
  // Case does not tell files apart everywhere.
  if (one.name.toLowerCase() === other.name.toLowerCase()) {
    refuse(SOURCE, `both variants are called ${quoted(other.name)}; give each a name of its own`);
  }
  return [one, other];
}

/** @param {string} text @returns {VariantRequest} */
function parseVariant(text) {
  const [, name, written] = /^([^=\s]+)=(.*)$/s.exec(String(text)) ?? [];
  if (name === undefined) refuse(SOURCE, `${quoted(String(text))} has no name; write ${EXAMPLE}`);
  if (!NAME.test(name)) {
    refuse(SOURCE, `${quoted(name)} is no name for a variant; use up to 40 letters, digits and . _ -`);
  }
  const words = splitWords(written);
  const tree = words[0]?.startsWith('@') ? String(words.shift()).slice(1) : null;
  if (tree === '') refuse(SOURCE, `${name}: no folder after the @; write ${name}=@./folder`);
  return { name, written: written.trim(), tree, argv: parseVariantArgs(words, name) };
}

/** @param {string} text @returns {string[]} as a shell would part them: at spaces, but not within quotes */
function splitWords(text) {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** @param {string[]} words @param {string} name    of the variant @returns {Record<string, unknown>} */
function parseVariantArgs(words, name) {
  /** @type {Record<string, unknown>} */
  const argv = {};
  const rest = [...words];
  while (rest.length > 0) {
    const word = String(rest.shift());
    if (!word.startsWith('--')) {
      addSeries(argv, word, name);
      continue;
    }
    const [, no = '', flag, value] = /^--(no-(?!$))?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined || !FLAGS.includes(flag)) {
      const why = Object.hasOwn(OPTION_TABLE, flag ?? '')
        ? 'holds for both variants: write it outside of them'
        : `is no option.${didYouMean(flag ?? '', FLAGS, { written: (known) => `--${known}` })}`;
      refuse(SOURCE, `${name}: ${word.split('=')[0]} ${why}`);
    }
    const takesValue = OPTION_TABLE[flag].value !== undefined;
    if (takesValue && no !== '')
      refuse(SOURCE, `${name}: --no-${flag} is no option: --${flag} takes a value`);
    if (!takesValue) argv[flag] = no === '';
    else argv[flag] = value ?? rest.shift() ?? refuse(SOURCE, `${name}: ${word} needs a value`);
  }
  return argv;
}

/**
 * @param {Record<string, unknown>} argv
 * @param {string} word    'unix', 'unix/json', 'unix:flush=tick/json', as the table has it
 * @param {string} name    of the variant
 */
function addSeries(argv, word, name) {
  if (/^[./]/.test(word) || argv.transport !== undefined) {
    refuse(SOURCE, `${name}: ${quoted(word)} is no TRANSPORT/CODEC; write ${name}="--transport ${word}"`);
  }
  const [transport, codec] = word.split('/', 2);
  argv.transport = transport;
  if (codec !== undefined) argv.codec = codec;
}
