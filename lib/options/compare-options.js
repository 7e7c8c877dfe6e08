// The flags of `compare` beside those of a run, and what they mean: argv → checked values, and the two variants of --run.

import { didYouMean } from '../format/did-you-mean.js';
import { isOwnFile } from '../format/own-file.js';
import { quoted } from '../format/printable.js';
import { checkShortName, FAIL_REASONS, first } from './flags.js';
import { argumentReader } from './layers.js';
import { COMPARISON_TABLE, OPTION_TABLE } from './option-table.js';
import { claim } from './output-options.js';
import { parseChoice, parsePercent, refuse, splitList } from './quantities.js';

/** @import { OptionEntry, Parse } from './flags.js' */
/** @typedef {ReturnType<typeof compareOptions>} CompareOptions   minEffect: 0.05 is 5 %; outputs: flag → path, '-' = stdout */

const NEVER = 'none';

/** @type {OptionEntry} */
const MIN_EFFECT = {
  summary: 'the smallest difference that matters',
  value: 'SHARE',
  default: '5%',
  parse: first((text, source) => {
    const percent = parsePercent(text);
    if (percent > 0 && percent <= 100) return percent / 100;
    return refuse(source, `${quoted(text)} is not a share above 0 and up to 100 %; write 5% or 2.5%`);
  }),
};

/** @type {Readonly<Record<string, OptionEntry>>} */
export const COMPARE_TABLE = Object.freeze({
  force: {
    summary:
      'compare despite differences, and say so; overwrite files; measure busy-waiting transports on one CPU',
  },
  run: {
    summary:
      'measure two variants interleaved, then compare them: A=unix/json B=unix:flush=tick/json; 10 launches of each unless ' +
      '--launches says otherwise; @FOLDER selects the code of a checkout of ipc-bench, or your own files in that folder',
    value: 'NAME=[@FOLDER] WHAT',
    isList: true,
  },
  'min-effect': MIN_EFFECT,
  'fail-on': {
    summary: 'verdicts that fail the command: slower (exit code 4), missing (3), inconclusive (5); or none',
    value: 'LIST',
    default: 'slower',
    parse: parseFailOn,
  },
  ...COMPARISON_TABLE,
});

/** @type {Parse} */
function parseFailOn(texts, source) {
  const parts = splitList(texts, source).map((part) => parseChoice(part, [...FAIL_REASONS, NEVER], source));
  if (parts.includes(NEVER) && parts.length > 1) {
    refuse(source, `${NEVER} stands alone; leave it out, or the rest`);
  }
  return FAIL_REASONS.filter((reason) => parts.includes(reason));
}

/** @param {Record<string, unknown>} argv @throws {import('../errors.js').BenchError} BAD_ARGUMENT */
export function compareOptions(argv) {
  const read = argumentReader(argv, COMPARE_TABLE);
  /** @type {Record<string, string>} */
  const outputs = {};
  for (const flag of Object.keys(COMPARISON_TABLE)) {
    const path = read(flag);
    if (path !== undefined) claim(outputs, flag, path, { label: `--${flag}`, code: 'BAD_ARGUMENT' });
  }
  return {
    minEffect: /** @type {number} */ (read('min-effect')),
    failOn: /** @type {import('./flags.js').FailReason[]} */ (read('fail-on')),
    outputs,
    isForced: argv.force === true,
    colour: typeof argv.color === 'boolean' ? argv.color : null,
  };
}

// What --run is to measure: 'A=unix/json', 'B=--transport unix:flush=tick --codec json', 'old=@../old-checkout unix/json' → a
// name, a folder to take code from, and the options that make the variant.

/**
 * @typedef {object} VariantRequest
 * @property {string} name
 * @property {string} written      what makes it different, as the user wrote it
 * @property {string | null} tree  a folder in whose code names are looked up; null: this one's
 * @property {Record<string, unknown>} argv    options of the variant only
 */

const RUN_SOURCE = /** @type {const} */ ({ label: '--run', code: 'BAD_ARGUMENT' });
const EXAMPLE = `--run A=unix/json B=unix:flush=tick/json, or B="--transport tcp --codec json"`;
const OF_NO_COMPARISON = ['sweep', 'slo', 'reference']; // what a sweep finds differs by itself
const MEASURING = Object.keys(OPTION_TABLE).filter((flag) => {
  const { shapes } = OPTION_TABLE[flag];
  return shapes !== undefined && shapes !== 'output' && !OF_NO_COMPARISON.includes(flag);
});
// How long, and how often, must be the same for both.
const VARIANT_FLAGS = MEASURING.filter((flag) => OPTION_TABLE[flag].shapes === 'cell');

/** What may stand outside of the variants, and holds for both. */
export const COMMON_FLAGS = [...MEASURING, 'out', 'live', 'quiet', 'color', 'config', 'dry-run'];

/**
 * @param {string[]} texts
 * @returns {[VariantRequest, VariantRequest]}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function parseVariants(texts) {
  const variants = texts.map(parseVariant);
  if (variants.length !== 2)
    refuse(RUN_SOURCE, `needs two variants, not ${variants.length}; write ${EXAMPLE}`);
  const [one, other] = variants;
  // Case does not tell files apart everywhere.
  if (one.name.toLowerCase() === other.name.toLowerCase()) {
    refuse(RUN_SOURCE, `both variants are called ${quoted(other.name)}; give each a name of its own`);
  }
  return [one, other];
}

/** @param {string} text @returns {VariantRequest} */
function parseVariant(text) {
  const [, name, written] = /^([^=\s]+)=(.*)$/s.exec(String(text)) ?? [];
  if (name === undefined) refuse(RUN_SOURCE, `${quoted(String(text))} has no name; write ${EXAMPLE}`);
  checkShortName(name, RUN_SOURCE, 'for a variant');
  const words = splitWords(written);
  const tree = words[0]?.startsWith('@') ? String(words.shift()).slice(1) : null;
  if (tree === '') refuse(RUN_SOURCE, `${name}: no folder after the @; write ${name}=@./folder`);
  return { name, written: written.trim(), tree, argv: parseVariantArgs(words, name) };
}

/** @param {string} text @returns {string[]} as a shell would part them: at spaces, but not within quotes */
function splitWords(text) {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** @param {string[]} words @param {string} name   of the variant */
function parseVariantArgs(words, name) {
  /** @type {Record<string, unknown>} */
  const argv = {};
  const rest = [...words];
  while (rest.length > 0) {
    const word = String(rest.shift());
    if (!word.startsWith('-')) {
      addSeries(argv, word, name);
      continue;
    }
    const long = VARIANT_FLAGS.find((flag) => OPTION_TABLE[flag].short === word.slice(1));
    const [, no = '', flag = long, value] = /^--(no-(?!$))?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined || !VARIANT_FLAGS.includes(flag)) {
      const why = Object.hasOwn(OPTION_TABLE, flag ?? '')
        ? 'holds for both variants: write it outside of them'
        : `is no option.${didYouMean(flag ?? '', VARIANT_FLAGS, { written: (known) => `--${known}` })}`;
      refuse(RUN_SOURCE, `${name}: ${word.split('=')[0]} ${why}`);
    }
    const takesValue = OPTION_TABLE[flag].value !== undefined;
    if (takesValue && no !== '')
      refuse(RUN_SOURCE, `${name}: --no-${flag} is no option: --${flag} takes a value`);
    if (!takesValue) argv[flag] = no === '';
    else argv[flag] = value ?? rest.shift() ?? refuse(RUN_SOURCE, `${name}: ${word} needs a value`);
  }
  return argv;
}

/**
 * @param {Record<string, unknown>} argv
 * @param {string} word    'unix', 'unix/json', 'unix:flush=tick/json', as the table has it
 * @param {string} name    of the variant
 */
function addSeries(argv, word, name) {
  if (isOwnFile(word) || argv.transport !== undefined) {
    refuse(RUN_SOURCE, `${name}: ${quoted(word)} is no TRANSPORT/CODEC; write ${name}="--transport ${word}"`);
  }
  const [transport, codec] = word.split('/', 2);
  argv.transport = transport;
  if (codec !== undefined) argv.codec = codec;
}
