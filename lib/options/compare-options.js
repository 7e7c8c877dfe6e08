// The flags of `compare` that `run` does not have or describes differently, and the two variants of --run.

import { didYouMean } from '../format/did-you-mean.js';
import { isOwnFile } from '../format/own-file.js';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { checkShortName, FAIL_REASONS, first } from './flags.js';
import { argumentReader } from './layers.js';
import { COMPARISON_TABLE, OPTION_TABLE, rowsFor } from './option-table.js';
import { distinctPaths } from './output-options.js';
import { parseChoice, parsePercent, splitList, unique } from './quantities.js';

/** @import { OptionEntry, Parse } from './flags.js' */
/** @typedef {ReturnType<typeof compareOptions>} CompareOptions   `minEffect` is a share; `outputs` maps flags to paths, '-' is stdout */

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
      'compare despite differences, with a warning; overwrite files; measure busy-waiting transports on one CPU',
  },
  run: {
    summary:
      'measure two variants interleaved, then compare them: A=unix/json B=unix:flush=tick/json; 10 launches of each unless ' +
      '--launches says otherwise; @FOLDER selects the code of a checkout of ipc-bench, or your own files in that folder',
    value: 'NAME=[@FOLDER] WHAT',
    isList: true,
  },
  'min-effect': MIN_EFFECT,
  control: {
    summary:
      'rows that must not differ, such as unix/json: if one does, no row passes or fails (exit code 5); --run measures them in the same groups',
    value: 'ROW,...',
    isList: true,
    parse: parseControls,
  },
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
    refuse(source, `${NEVER} cannot be combined; leave it out, or the rest`);
  }
  return FAIL_REASONS.filter((reason) => parts.includes(reason));
}

/** @type {Parse} */
function parseControls(texts, source) {
  const text = texts.join(',');
  // Rows are matched instead of split at commas, because the settings in a row have commas too.
  const rows = text.match(/[^,\s][^/]*\/[^,/]+/g)?.map((row) => row.trim()) ?? [];
  if (text.replace(/[\s,]+/g, '') !== rows.join('').replace(/[\s,]+/g, '')) {
    refuse(source, `${quoted(text)} is no list of TRANSPORT/CODEC; write unix/json or unix/json,tcp/json`);
  }
  return unique(rows);
}

/**
 * Reads the options of `compare` from the command line only.
 * @param {Record<string, unknown>} argv
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function compareOptions(argv) {
  const read = argumentReader(argv, COMPARE_TABLE);
  const outputs = Object.keys(COMPARISON_TABLE).flatMap((report) => {
    const path = read(report);
    const source = /** @type {const} */ ({ label: `--${report}`, code: 'BAD_ARGUMENT' });
    return path === undefined ? [] : [{ report, path, source }];
  });
  return {
    minEffect: /** @type {number} */ (read('min-effect')),
    failOn: /** @type {import('./flags.js').FailReason[]} */ (read('fail-on')),
    controls: /** @type {string[]} */ (read('control') ?? []),
    outputs: distinctPaths(outputs),
    isForced: argv.force === true,
  };
}

// Variants, for example 'A=unix/json', 'B=--transport unix:flush=tick --codec json', 'old=@../old-checkout unix/json'.

/**
 * @typedef {object} VariantRequest
 * @property {string} name
 * @property {string} written      the text after the name
 * @property {string | null} tree  the folder whose code is measured, or null for this installation
 * @property {Record<string, unknown>} argv
 */

const RUN_SOURCE = /** @type {const} */ ({ label: '--run', code: 'BAD_ARGUMENT' });
const EXAMPLE = `--run A=unix/json B=unix:flush=tick/json, or B="--transport tcp --codec json"`;
/** Flags of `run` that `compare --run` accepts. Outside of the variants, they apply to both. */
export const COMMON_FLAGS = Object.keys(rowsFor('compare'));
// A variant may change what is measured. Number and length of launches must be equal for both.
const VARIANT_FLAGS = COMMON_FLAGS.filter((flag) => OPTION_TABLE[flag].shapes === 'cell');

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
  // The names become file names, and some file systems ignore case.
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

/** Splits at spaces outside of quotes. @param {string} text @returns {string[]} */
function splitWords(text) {
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** @param {string[]} words @param {string} name */
function parseVariantArgs(words, name) {
  /** @type {Record<string, unknown>} */
  const argv = {};
  const rest = [...words];
  while (rest.length > 0) {
    const word = String(rest.shift());
    if (!word.startsWith('-')) {
      if (argv.transport !== undefined) refuseSeries(word, name);
      Object.assign(argv, parseSeries(word, name));
      continue;
    }
    const long = VARIANT_FLAGS.find((flag) => OPTION_TABLE[flag].short === word.slice(1));
    const [, no = '', flag = long, value] = /^--(no-(?!$))?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === undefined || !VARIANT_FLAGS.includes(flag)) {
      const why = Object.hasOwn(OPTION_TABLE, flag ?? '')
        ? 'holds for both variants: write it outside of them'
        : `is not an option.${didYouMean(flag ?? '', VARIANT_FLAGS, { written: (known) => `--${known}` })}`;
      refuse(RUN_SOURCE, `${name}: ${word.split('=')[0]} ${why}`);
    }
    const takesValue = OPTION_TABLE[flag].value !== undefined;
    if (takesValue && no !== '')
      refuse(RUN_SOURCE, `${name}: --no-${flag} is not an option: --${flag} takes a value`);
    if (!takesValue) argv[flag] = no === '';
    else argv[flag] = value ?? rest.shift() ?? refuse(RUN_SOURCE, `${name}: ${word} needs a value`);
  }
  return argv;
}

/**
 * @param {string} word    for example 'unix', 'unix/json' or 'unix:flush=tick/json'
 * @param {string} name    name of the variant
 */
function parseSeries(word, name) {
  if (isOwnFile(word)) refuseSeries(word, name);
  const [transport, codec] = word.split('/', 2);
  return { transport, ...(codec !== undefined && { codec }) };
}

/** @param {string} word @param {string} name @returns {never} */
function refuseSeries(word, name) {
  refuse(RUN_SOURCE, `${name}: ${quoted(word)} is no TRANSPORT/CODEC; write ${name}="--transport ${word}"`);
}
